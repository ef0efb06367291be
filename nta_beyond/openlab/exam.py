"""League agreement: how far a model's next-token probabilities follow the leagues of its data.

A question is a context whose answer the data determines; the answer is a league.  The measure
reads only probabilities of the next token, so it is the same for every model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.automaton import Automaton
from nta_core.boundary import Floats, Ints, a, generator, integers, reals
from nta_core.data import Dataset
from nta_core.errors import DataError, TooLarge

MOST = 100_000  # contexts that are asked for their top league: some seconds


@dataclass(frozen=True, eq=False, repr=False)
class Exam:
    """Contexts, and for each the league that must come out.

    Attributes
    ----------
    contexts : int64 array of shape (m, T)
        Every one holds at least one token that must *not* come out.
    top : bool array of shape (m, K)
        The tokens that hard retrieval keeps.

    Explained in: chapter 15.
    """

    contexts: Ints
    top: NDArray[np.bool_]

    def __post_init__(self) -> None:
        contexts, top = integers(self.contexts, "contexts"), np.asarray(self.top)
        if contexts.ndim != 2 or top.dtype != np.bool_ or top.shape[:1] != contexts.shape[:1]:
            raise DataError("an exam has contexts of shape (m, T) and booleans of shape (m, K)")
        K = top.shape[-1]
        if top.ndim != 2 or (contexts.size and not 0 <= contexts.min() <= contexts.max() < K):
            raise DataError(f"contexts hold token ids from 0 to K − 1 = {K - 1}")
        object.__setattr__(self, "contexts", contexts)
        object.__setattr__(self, "top", top)
        if len(top) and self.chance.max() == 1:
            row = int(self.chance.argmax())
            raise DataError(f"context {row} holds nothing that must not come out", row=row)

    @property
    def chance(self) -> Floats:
        """Share of each context that the top league holds, shape (m,): what blind copying gives."""
        kept = np.take_along_axis(self.top, self.contexts, axis=1)
        return np.asarray(kept.mean(axis=1))

    def __len__(self) -> int:
        return len(self.contexts)

    def __repr__(self) -> str:
        many = "s" * (len(self) != 1)
        return f"Exam({len(self)} context{many} of {self.contexts.shape[1]} tokens)"


def league_agreement(probabilities: ArrayLike, exam: Exam) -> float:
    """Return how much of the way from blind copying (0) to the automaton (1) a model has gone.

    With q the probability on the top league and c its share of the context, agreement is the sum
    of q - c over the sum of 1 - c, over all contexts.  It is negative for a model that prefers
    losers or tokens outside the context.  `probabilities`, shape (m, K), are those of the next
    token after each context of the exam.

    Examples
    --------
    >>> exam = Exam(np.array([[0, 1, 2, 1]]), np.array([[True, False, False]]))
    >>> exam, exam.chance
    (Exam(1 context of 4 tokens), array([0.25]))
    >>> [league_agreement([p], exam) for p in ([1, 0, 0], [0.25, 0.5, 0.25], [0.625, 0.375, 0])]
    [1.0, 0.0, 0.5]

    Explained in: chapter 15.
    """
    shares = reals(probabilities, "probabilities", error=DataError)
    if shares.shape != a(Exam, exam, "exam").top.shape:
        raise DataError(f"probabilities of shape {shares.shape}: expected {exam.top.shape}")
    if not len(exam):
        raise DataError("an exam without contexts: the data determines none of this kind")
    if shares.min() < -1e-9 or shares.sum(axis=1).max() > 1 + 1e-6:
        raise DataError("probabilities: no number below 0, no row above 1 in sum")
    chance = exam.chance
    kept = (shares * exam.top).sum(axis=1)
    return float((kept - chance).sum() / (1 - chance).sum())


def exams(dataset: Dataset, *, seed: int) -> tuple[Exam, Exam]:
    """Return the questions a dataset answers: on its own contexts, and on contexts it never had.

    The second exam holds, for every last token and every set of other tokens that is not a
    training context, one order of the set, if the data determines its top league.  Contexts that
    lie within one league are left out of both, because nothing in them can be wrong.  The sequences
    must be equally long, with different tokens each; the seed draws the order of the unseen
    contexts, which only a model with positions can tell.

    Examples
    --------
    >>> from nta_core import random_dataset
    >>> exams(random_dataset(24, 4, 6, kind="acyclic", seed=0), seed=0)
    (Exam(23 contexts of 4 tokens), Exam(16 contexts of 4 tokens))

    Explained in: chapters 8 and 15.
    """
    T = len(a(Dataset, dataset, "dataset").sequences[0])
    rng = generator(seed)
    if any(len(x) != T or len(set(x)) != T for x in dataset.sequences):
        raise DataError("an exam needs sequences of one length, each with different tokens")
    if (count := dataset.K * comb(dataset.K - 1, T - 1)) > MOST:
        raise TooLarge(
            f"{dataset.K} tokens make {count:,} contexts of {T}, more than {MOST:,}: an exam asks "
            "them all, so take fewer tokens or shorter sequences"
        )
    rule = Automaton.from_dataset(dataset)
    seen = {(frozenset(x), x[-1]) for x in dataset.sequences}
    unseen = [x for x in _all_contexts(dataset.K, T, rng) if (frozenset(x), x[-1]) not in seen]
    return _exam(rule, dict.fromkeys(dataset.sequences), T), _exam(rule, unseen, T)


def _all_contexts(K: int, T: int, rng: np.random.Generator) -> Iterable[tuple[int, ...]]:
    for last in range(K):
        others = [token for token in range(K) if token != last]
        for rest in itertools.combinations(others, T - 1):
            yield (*rng.permutation(rest).tolist(), last)


def _exam(rule: Automaton, contexts: Iterable[Sequence[int]], T: int) -> Exam:
    asked = [x for x in contexts if rule.determined(x) and len(rule.retrieve(x)) < T]
    top = np.zeros((len(asked), rule.graphs.K), dtype=bool)
    for row, context in zip(top, asked, strict=True):
        row[list(rule.retrieve(context))] = True
    return Exam(np.array(asked, dtype=np.int64).reshape(-1, T), top)
