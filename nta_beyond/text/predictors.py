"""Who predicts the next word: counts of words and pairs, and models that copy from the window.

A predictor gives every held-out window two things, the probability of the word that came and its
own first guess.  Those that copy can only name words of the window; `Mixed` lends them the rest.
`held_out_scores` compares predictors on text nobody trained on, all on the same windows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_beyond.text.decisions import LeagueTables
from nta_beyond.text.edges import TokenEdges, look_up
from nta_beyond.text.strengths import RIDGE, Strengths, fit_strengths
from nta_beyond.text.windows import Windows
from nta_core.boundary import (
    Floats,
    Ints,
    a,
    check_embeddings,
    check_weights,
    integers,
    number,
    shown,
    whole,
)
from nta_core.errors import DataError, OptionError
from nta_core.graphs.keys import sorted_unique
from nta_core.indices import as_index

LARGEST_TABLE = 10_000_000  # scores; where all pairs of tokens are more, only those that occur
ROWS = 4096
# of probability that a copier may lend; one that adds nothing lends nearly all of it.  None lends
# nothing: that no surprise came on the validation windows does not exclude one later.
LITTLE, MOST = (0.0001, 0.001, 0.01, 0.02, 0.05), (0.9, 0.93, 0.95, 0.97, 0.99, 0.999, 0.9999)
SHARES = (*LITTLE, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, *MOST)


class Predictor(Protocol):
    """Anything that predicts the next token of windows."""

    def probability(self, windows: Windows) -> Floats:
        """Probability of each window's next token, shape (n,)."""
        ...

    def guess(self, windows: Windows) -> Ints:
        """The likeliest next token of each window, shape (n,)."""
        ...


class Unigram:
    """How frequent a word is, whatever came before; one count is added to every word.

    Examples
    --------
    >>> seen = Windows(np.array([[0], [0], [1]]), np.array([1, 1, 0]))
    >>> Unigram(seen, K=2).probability(seen)
    array([0.6, 0.6, 0.4])

    Explained in: chapter 16.
    """

    def __init__(self, windows: Windows, K: int) -> None:
        whole(K, "K", least=1)
        counts = np.bincount(as_index(_windows(windows, K).labels), minlength=K) + 1.0
        self.shares: Floats = counts / counts.sum()

    def probability(self, windows: Windows) -> Floats:
        return self.shares[_windows(windows, len(self.shares)).labels]

    def guess(self, windows: Windows) -> Ints:
        return np.full(_windows(windows).n, self.shares.argmax())


class Bigram:
    """What followed the last token, backed by the unigram.

    P(y | k) = (times y followed k + μ · P(y)) / (times k was last + μ).

    Examples
    --------
    >>> seen = Windows(np.array([[0], [0], [1]]), np.array([1, 1, 0]))
    >>> Bigram(seen, K=2, mu=1.0).probability(seen).round(3)
    array([0.867, 0.867, 0.7  ])
    >>> Bigram.tuned(seen, 2, validation=seen).mu
    0.125

    Explained in: chapter 16.
    """

    def __init__(self, windows: Windows, K: int, *, mu: float = 1.0) -> None:
        # 1e-9 is as good as no backing; at 0 a new last token has no answer
        mu = number(mu, "mu", least=1e-9)
        self.K, self.mu, self.unigram = K, mu, Unigram(windows, K)
        pairs = windows.lasts * K + windows.labels
        self._pairs = sorted_unique(pairs)
        self._times = np.bincount(np.searchsorted(self._pairs, pairs))
        self._lasts = np.bincount(as_index(windows.lasts), minlength=K)
        # the first guess is the most frequent follower; ties go to the more frequent word
        last, follower = np.divmod(self._pairs, K)
        order = np.lexsort((follower, -self._times, last))
        self._first = np.full(K, self.unigram.shares.argmax())
        lasts, where = np.unique(last[order], return_index=True)
        self._first[lasts] = follower[order][where]

    @classmethod
    def tuned(cls, windows: Windows, K: int, validation: Windows) -> Bigram:
        """Choose μ among powers of two by the log-loss on validation windows."""
        whole(K, "K", least=1)
        if not _windows(validation, K).n:
            raise DataError("validation needs at least one window")
        tried = [cls(windows, K, mu=2.0**power) for power in range(-3, 10)]
        losses = [-np.log(one.probability(validation)).sum() for one in tried]
        return tried[int(np.argmin(losses))]

    def of(self, lasts: Ints, tokens: Ints) -> Floats:
        """P(token | last), broadcast."""
        lasts, tokens = self._ids(lasts, "lasts"), self._ids(tokens, "tokens")
        shares: Floats = self.times(lasts, tokens) + self.mu * self.unigram.shares[tokens]
        return shares / (self._lasts[lasts] + self.mu)

    def times(self, lasts: Ints, tokens: Ints) -> Ints:
        """How often each token followed, broadcast; 0 for a gap."""
        lasts, tokens = self._ids(lasts, "lasts"), self._ids(tokens, "tokens", least=-1)
        try:
            np.broadcast_shapes(lasts.shape, tokens.shape)
        except ValueError:
            raise DataError(f"shapes {lasts.shape} and {tokens.shape} do not fit") from None
        wanted = np.where(tokens >= 0, lasts * self.K + tokens, -1)
        return look_up(self._pairs, self._times, wanted, 0)

    def _ids(self, values: Ints, name: str, *, least: int = 0) -> Ints:
        found = integers(values, name)
        if found.size and (found.min() < least or found.max() >= self.K):
            raise DataError(f"{name}: token ids from {least} to {self.K - 1}")
        return found

    def probability(self, windows: Windows) -> Floats:
        return self.of(_windows(windows).lasts, windows.labels)

    def guess(self, windows: Windows) -> Ints:
        return self._first[_windows(windows, self.K).lasts]


class Copier(ABC):
    """A predictor that shares probability out over the places of the window."""

    @abstractmethod
    def weights(self, windows: Windows) -> Floats:
        """Non-negative weight of every place, shape (n, T); gaps are ignored."""

    def probability(self, windows: Windows) -> Floats:
        weights = self._filled(_windows(windows))
        hits = windows.tokens == windows.labels[:, None]
        return np.asarray((weights * hits).sum(axis=1) / weights.sum(axis=1))

    def guess(self, windows: Windows) -> Ints:
        weights, tokens = self._filled(_windows(windows)), windows.tokens
        best = _by_token(tokens, weights).argmax(axis=1)
        return np.asarray(tokens[np.arange(windows.n), best])

    def _filled(self, windows: Windows) -> Floats:
        return np.where(windows.tokens >= 0, self.weights(windows), 0.0)


def _by_token(tokens: Ints, weights: Floats) -> Floats:
    """At every place of a window, the weights of all places with the same token; shape (n, T)."""
    mass = np.zeros_like(weights)
    for place in range(tokens.shape[1]):
        mass += weights[:, place, None] * (tokens == tokens[:, place, None])
    return mass


class Untrained(Copier):
    """Equal attention everywhere: the layer at W = 0.

    Examples
    --------
    >>> Untrained().probability(Windows(np.array([[0, 1, 0, 2]]), np.array([0])))
    array([0.5])

    Explained in: chapter 16.
    """

    def weights(self, windows: Windows) -> Floats:
        return np.ones(_windows(windows).tokens.shape)


class BigramInWindow(Copier):
    """The bigram, renormalized over the words of the window: what the copy restriction costs.

    Explained in: chapter 16.
    """

    def __init__(self, bigram: Bigram) -> None:
        self._bigram = a(Bigram, bigram, "bigram")

    def weights(self, windows: Windows) -> Floats:
        tokens = np.maximum(_windows(windows).tokens, 0)
        share = self._bigram.of(windows.lasts[:, None], tokens)
        # a word that occurs twice counts once
        return share / _by_token(windows.tokens, np.ones(share.shape))


class PastWins(Copier):
    """The automaton without its tables: by races won on this track; if there are none, equally.

    What it costs more than `TextAutomaton` is what the tables are worth on a text.

    Parameters
    ----------
    windows : Windows
        Races that it counts; windows without their next token play no part.
    K : int
        Size of the vocabulary.

    Examples
    --------
    >>> seen = Windows(np.array([[0, 1, 2], [0, 1, 2], [1, 0, 2]]), np.array([0, 0, 1]))
    >>> asked = Windows(np.array([[0, 1, 2], [0, 2, 1]]), np.array([0, 0]))
    >>> PastWins(seen, K=3).probability(asked).round(3)
    array([0.667, 0.333])

    Explained in: chapter 16.
    """

    def __init__(self, windows: Windows, K: int) -> None:
        self._wins = Bigram(_windows(windows).races(), K)

    def weights(self, windows: Windows) -> Floats:
        lasts = _windows(windows).lasts[:, None]
        wins = self._wins.times(lasts, windows.tokens).astype(float)
        return np.where(wins.any(axis=1, keepdims=True), wins, 1.0)


class TextAutomaton(Copier):
    """Retrieve the top league, compose by strength; where the tables are silent, ask who ever won.

    A window that the league tables do not decide is shared out by `PastWins`.

    Examples
    --------
    >>> from nta_beyond.text import Corpus, Vocabulary, grammar_text, read_edges, text_windows
    >>> corpus = Corpus.from_text(grammar_text(5_000, seed=0))
    >>> words = Vocabulary.of(corpus)
    >>> seen = text_windows(corpus, words)
    >>> machine = TextAutomaton(read_edges(corpus, words), seen)
    >>> words.decode(machine.guess(seen.races().pick(slice(3))))
    'is the hinge'

    Explained in: chapters 8 and 16. Paper: Sec. 3.
    """

    def __init__(self, found: TokenEdges, windows: Windows, *, ridge: float = RIDGE) -> None:
        self.tables = LeagueTables(found)
        self.strengths: Strengths = fit_strengths(found, windows, ridge=ridge)
        self._past_wins = PastWins(windows, found.K)

    def weights(self, windows: Windows) -> Floats:
        decisions = self.tables.decide(windows)
        composed = np.exp(self.strengths.of(windows)) * decisions.retrieved
        return np.where(decisions.decided[:, None], composed, self._past_wins.weights(windows))


@dataclass(frozen=True, eq=False)
class TrainedLayer(Copier):
    """A trained attention layer: weight exp(e_jᵀ W e_last) for every place.

    Examples
    --------
    >>> layer = TrainedLayer(np.eye(2), np.log(4.0) * np.eye(2))
    >>> layer.probability(Windows(np.array([[0, 1]]), np.array([1])))
    array([0.8])

    Explained in: chapters 1 and 16. Paper: Sec. 2.
    """

    E: ArrayLike
    W: ArrayLike

    def __post_init__(self) -> None:
        E = check_embeddings(self.E)
        object.__setattr__(self, "E", E)
        object.__setattr__(self, "W", check_weights(self.W, E.shape[1]))

    def weights(self, windows: Windows) -> Floats:
        E, W = np.asarray(self.E), np.asarray(self.W)
        tokens = np.maximum(_windows(windows, len(E)).tokens, 0)
        scores = E @ W
        lasts, where = np.unique(windows.lasts, return_inverse=True)
        if len(lasts) * len(E) <= LARGEST_TABLE:
            table = E[lasts] @ scores.T  # (lasts, K): one row per track that occurs
            score = table[where[:, None], tokens]
        else:
            score = np.empty(tokens.shape)
            for rows in np.array_split(np.arange(windows.n), windows.n // ROWS + 1):
                queries = E[windows.lasts[rows]]
                score[rows] = np.einsum("ntd,nd->nt", scores[tokens[rows]], queries)
        score[windows.tokens < 0] = -np.inf
        return np.asarray(np.exp(score - score.max(axis=1, keepdims=True)))


@dataclass(frozen=True, eq=False)
class Mixed:
    """A copier that yields part of its probability to another predictor; its guess stays.

    Examples
    --------
    >>> seen = Windows(np.array([[0, 1]]), np.array([0]))
    >>> Mixed(Untrained(), Unigram(seen, K=2), 0.5).probability(seen).round(4)
    array([0.5833])

    Explained in: chapter 16.
    """

    copier: Predictor
    other: Predictor
    share: float

    def __post_init__(self) -> None:
        _predictor(self.copier, "copier")
        _predictor(self.other, "other")
        object.__setattr__(self, "share", number(self.share, "share", least=0, most=1))

    def probability(self, windows: Windows) -> Floats:
        kept: Floats = (1 - self.share) * self.copier.probability(windows)
        return kept + self.share * self.other.probability(windows)

    def guess(self, windows: Windows) -> Ints:
        return self.copier.guess(windows)


@dataclass(frozen=True, eq=False, repr=False)
class HeldOutScore:
    """How well one predictor did on some windows.

    Attributes
    ----------
    bits : float64 array of shape (n,)
        −log₂ of the probability that it gave to each next token; a perfect oracle has 0.
    right : bool array of shape (n,)
        Whether each next token was its first guess.
    lent : float
        Share of its probability that it yields to the other predictor, chosen on validation
        windows.

    Explained in: chapter 16.
    """

    bits: Floats
    right: NDArray[np.bool_]
    lent: float

    @property
    def top1(self) -> float:
        """Share of windows whose next token was its first guess."""
        return float(self.right.mean())

    @property
    def cross_entropy(self) -> float:
        """Mean of the bits."""
        return float(self.bits.mean())

    def __repr__(self) -> str:
        right = f"{self.top1:.1%} right"
        return f"HeldOutScore({self.cross_entropy:.3f} bits, {right}, {self.lent:.0%} lent)"


def held_out_scores(
    predictors: Mapping[str, Predictor], other: Predictor, validation: Windows, test: Windows
) -> dict[str, HeldOutScore]:
    """Score predictors on held-out windows.

    A copier gives probability 0 to every word outside the window, and the automaton also to lower
    leagues; one such word costs it infinitely many bits.  So each copier yields a share of its
    probability to `other`: a bigram, or, where every next token is in sight, `Untrained`.  The
    share is chosen for each by its bits on `validation`, never on `test`, and is never 0.

    Examples
    --------
    >>> seen = Windows(np.array([[0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1]))
    >>> unigram = Unigram(seen, K=2)
    >>> scores = held_out_scores({"W = 0": Untrained(), "unigram": unigram}, unigram, seen, seen)
    >>> scores["unigram"]
    HeldOutScore(0.932 bits, 66.7% right, 0% lent)

    Explained in: chapter 16.
    """
    _predictor(other, "other")
    if not isinstance(predictors, Mapping):
        raise OptionError("predictors must map names to predictors")
    for name, predictor in predictors.items():
        _predictor(predictor, f"predictors[{name!r}]")
    if not _windows(validation).n or not _windows(test).n:
        raise DataError("held-out scores need at least one window to choose by and one to test on")
    scores = {}
    for name, predictor in predictors.items():
        lent = 0.0
        if isinstance(predictor, Copier) and predictor is not other:
            own, others = predictor.probability(validation), other.probability(validation)
            losses = [_bits((1 - share) * own + share * others).mean() for share in SHARES]
            lent = SHARES[int(np.argmin(losses))]
            predictor = Mixed(predictor, other, lent)
        right = predictor.guess(test) == test.labels
        scores[name] = HeldOutScore(_bits(predictor.probability(test)), right, lent)
    return scores


def _bits(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # what was thought impossible and came costs infinitely much
        return np.asarray(-np.log2(probability))


def _windows(windows: object, K: int = 0) -> Windows:
    """Windows, and only of tokens that a predictor knows, if it knows K."""
    found = a(Windows, windows, "windows")
    return found if K == 0 else found.within(K)


def _predictor(value: object, name: str) -> None:
    if not all(hasattr(type(value), method) for method in ("probability", "guess")):
        raise OptionError(f"{name} must have the methods probability and guess, got {shown(value)}")
