"""One layer as a generator: draw a token, append it, ask again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.chain.draws import mulberry32
from nta_core.boundary import (
    Floats,
    Ints,
    a,
    check_context,
    check_embeddings,
    check_weights,
    entries,
    generator,
    integers,
    number,
    reals,
    room_for,
    whole,
)
from nta_core.errors import DataError, OptionError
from nta_core.indices import as_index

WIDEST = 1e100  # strengths farther apart than this leave float64 when counts multiply them
COLDEST, HOTTEST = 0.1, 10.0


@dataclass(frozen=True, eq=False, repr=False)
class TokenChain:
    """A Markov chain whose steps are weighed by the counts of the context.

    After a context with counts m and last token k, token j comes next with probability
    proportional to m_j · S_jk.  That is all that one layer with a tied head can do; a sampler may
    raise the probabilities to the power 1 / T, its temperature.

    Parameters
    ----------
    strengths : array of shape (K, K) or (K,)
        S: how strong row j is after column k, all positive; one column if it is the same after
        every token.
    temperature : float
        T, from 0.1 to 10; the layer itself has 1.

    Examples
    --------
    >>> chain = TokenChain([2.0, 1.0])
    >>> chain
    TokenChain(K=2, the same after every token)
    >>> chain.probabilities([0, 1, 1]).tolist()
    [0.5, 0.5]
    >>> TokenChain([2.0, 1.0], temperature=0.5).probabilities([0, 1]).tolist()
    [0.8, 0.2]

    Explained in: chapter 18.
    """

    strengths: Floats
    temperature: float

    def __init__(self, strengths: ArrayLike, *, temperature: float = 1.0) -> None:
        table = reals(strengths, "strengths", error=OptionError)
        if table.ndim == 1:
            table = np.repeat(table[:, None], len(table), axis=1)
        if table.ndim != 2 or not table.size or table.shape[0] != table.shape[1]:
            raise OptionError(f"strengths must have shape (K,) or (K, K), got {table.shape}")
        if not (table > 0).all() or table.max() > WIDEST * table.min():
            raise OptionError("strengths must be positive, and no two 10¹⁰⁰ times apart")
        table /= table.max(axis=0)  # only ratios inside a column mean anything
        table.flags.writeable = False
        object.__setattr__(self, "strengths", table)
        limits = {"least": COLDEST, "most": HOTTEST}
        object.__setattr__(self, "temperature", number(temperature, "temperature", **limits))

    @classmethod
    def from_layer(cls, W: ArrayLike, E: ArrayLike) -> TokenChain:
        """Return the chain of a layer: S_jk is the exponential of the score of j after k.

        Examples
        --------
        >>> chain = TokenChain.from_layer(np.zeros((2, 2)), np.eye(2))
        >>> chain.probabilities([0, 0, 1]).round(3).tolist()
        [0.667, 0.333]
        """
        vectors = check_embeddings(E)
        scores = vectors @ check_weights(W, vectors.shape[1]) @ vectors.T
        scores = scores - scores.max(axis=0)
        if scores.min() < -np.log(WIDEST):
            raise OptionError("scores after one token differ by more than 230: divide W")
        return cls(np.exp(scores))

    @property
    def K(self) -> int:
        """Number of tokens."""
        return len(self.strengths)

    def probabilities(self, context: ArrayLike) -> Floats:
        """Return the probability of every token to come next, shape (K,).

        Examples
        --------
        >>> TokenChain([[1.0, 1.0], [3.0, 1.0]]).probabilities([1, 0]).tolist()
        [0.25, 0.75]
        """
        tokens = check_context(context, self.K)
        weights = self._weights(np.bincount(as_index(tokens), minlength=self.K)[None], tokens[-1:])[
            0
        ]
        return np.asarray(weights / weights.sum())

    def _weights(self, counts: Ints | Floats, last: Ints) -> Floats:
        """What the tokens weigh in the next draw: one row per context, up to a factor."""
        weights = counts * self.strengths.T[last]
        if self.temperature != 1:  # the page leaves the layer's own temperature alone as well
            weights = (weights / weights.max(axis=1, keepdims=True)) ** (1 / self.temperature)
        return np.asarray(weights)

    def chance(self, context: ArrayLike, text: ArrayLike) -> float:
        """Return the probability that exactly this text follows the context.

        Examples
        --------
        >>> round(TokenChain([1.0, 1.0]).chance([0, 1], [0, 0, 0]), 6)
        0.25
        """
        tokens = check_context(context, self.K).tolist()
        chance = 1.0
        for token in check_context(text, self.K).tolist():
            chance *= float(self.probabilities(tokens)[token])
            tokens.append(token)
        return chance

    def generate(self, context: ArrayLike, length: int, *, seed: int) -> tuple[int, ...]:
        """Return the context and `length` tokens after it, as the urn of the page writes them.

        Examples
        --------
        >>> TokenChain([1.0, 1.0]).generate([0, 1], 8, seed=1)
        (0, 1, 1, 0, 1, 1, 1, 0, 1, 1)
        """
        tokens = check_context(context, self.K)
        room_for(80.0 * whole(length, "length"), f"{length} tokens", instead="generate fewer")
        drawn = self._write(tokens, mulberry32(seed, length)[None])
        return (*tokens.tolist(), *drawn[0].tolist())

    def _write(self, tokens: Ints, draws: Floats) -> Ints:
        """The tokens that these draws, one row per text, put behind the context."""
        runs, length = draws.shape
        counts = np.tile(np.bincount(as_index(tokens), minlength=self.K).astype(float), (runs, 1))
        last = np.full(runs, tokens[-1])
        written = np.empty((runs, length), dtype=np.int64)
        each = np.arange(runs)
        for t in range(length):
            reached = np.cumsum(self._weights(counts, last), axis=1)
            # the first token whose running sum passes the draw; rounding must not pass them all
            behind = reached <= (draws[:, t] * reached[:, -1])[:, None]
            last = np.minimum(behind.sum(axis=1), self.K - 1)
            counts[each, last] += 1
            written[:, t] = last
        return written

    def __repr__(self) -> str:
        same = bool((self.strengths == self.strengths[:, :1]).all())
        kind = "the same after every token" if same else "by last token"
        warm = "" if self.temperature == 1 else f", temperature {self.temperature:g}"
        return f"TokenChain(K={self.K}, {kind}{warm})"


def simulate(
    chain: TokenChain,
    context: ArrayLike,
    *,
    runs: int,
    record: ArrayLike,
    seed: int | np.random.Generator,
) -> Ints:
    """Write many texts behind one context and return how often each token occurs in them.

    Parameters
    ----------
    chain : TokenChain
        Who writes.
    context : list of tokens
        What all texts begin with; it counts.
    runs : int
        Number of texts.
    record : list of int
        After how many further tokens to count; the last is the length of the texts.
    seed
        For numpy's generator.

    Returns
    -------
    array of shape (runs, len(record), K)

    Examples
    --------
    >>> simulate(TokenChain([1.0, 1.0]), [0, 1], runs=2, record=[0, 10], seed=0).sum(axis=2)
    array([[ 2, 12],
           [ 2, 12]])

    Explained in: chapter 18.
    """
    tokens = check_context(context, a(TokenChain, chain, "chain").K)
    marks = integers(entries(record, "record"), "record")
    if marks.ndim != 1 or not len(marks) or marks[0] < 0 or (np.diff(marks) <= 0).any():
        raise DataError("record must rise, from 0 or more: as [0, 10, 100]")
    texts, length, K = whole(runs, "runs", least=1), int(marks[-1]), chain.K
    what = f"{texts} texts of {length} tokens"
    room_for(8.0 * texts * (2 * length + (len(marks) + 4) * K), what, instead="write fewer")
    written = chain._write(tokens, generator(seed).random((texts, length)))
    counted = np.empty((texts, len(marks), K), dtype=np.int64)
    counts, start = np.tile(np.bincount(as_index(tokens), minlength=K), (texts, 1)), 0
    for i, mark in enumerate(marks.tolist()):
        for token in range(K):
            counts[:, token] += (written[:, start:mark] == token).sum(axis=1)
        counted[:, i], start = counts, mark
    return counted
