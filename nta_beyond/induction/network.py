"""One attention layer or two that read a text, with the paper's head, and a sink."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from nta_core.boundary import (
    Floats,
    flag,
    integers,
    one_of,
    reals,
    room_for,
    seed_of,
    whole,
)
from nta_core.errors import DataError

SMALL = 0.02  # deviation of the tables at the start
SINK = 6.0  # score of the sink at the start: it outweighs e⁶ = 403 tokens, so nobody is trusted


class InductionNetwork(nn.Module):
    """Attention whose weights are tables of tokens and of distances, nothing else.

    A token with vector e_j, seen from a token k, has the score of a table entry (j, k), as ever in
    this book.  What is new: a score that depends on the distance alone (`place`); a sink, which
    takes attention and gives nothing to anybody (in the last layer: the same to all tokens); and,
    with two layers, a first layer whose output is one more part of every key, so that the last
    layer may ask what the first one found there.  The probability of a token is the attention
    on it, plus its share of the sink.

    Parameters
    ----------
    layers : int
        1 or 2.
    K, T : int
        Number of tokens, and length of the longest text.
    positions : bool
        Whether distances count (in the first layer; of two, the last has none).
    seed : int
        Draws the tables at the start.

    Attributes
    ----------
    table : Parameter of shape (K, K)
        The last layer's scores of tokens: entry (j, k) is that of j seen from k.
    match : Parameter of shape (K, K)
        The last layer's scores of what the first layer found; only with two layers.
    first : Parameter of shape (K, K)
        The first layer's table of tokens; only with two layers.
    place : Parameter of shape (T,)
        Scores of distances, beginning with 0 (oneself).
    sink, first_sink : Parameter
        Scores of the sinks.

    Examples
    --------
    >>> network = InductionNetwork(2, 3, 8, seed=0)
    >>> network.answers([[0, 1, 2, 0]]).shape
    (1, 4, 3)
    >>> network.assign(sink=50.0).answers([[0, 1]]).round(3)[0, 1]  # nobody is trusted
    array([0.333, 0.333, 0.333])

    Explained in: chapter 21.
    """

    def __init__(
        self, layers: int, K: int, T: int, *, positions: bool = True, seed: int = 0
    ) -> None:
        super().__init__()
        self.layers = whole(layers, "layers", least=1, most=2)
        self.K, self.T = whole(K, "K", least=2, most=1_000), whole(T, "T", least=1)
        self.positions = flag(positions, "positions")
        room_for(40.0 * T * T, f"distances of {T:,} places", instead="lower T")
        rng = np.random.default_rng(seed_of(seed))

        def drawn(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.tensor(SMALL * rng.normal(size=shape)))

        self.table = drawn(K, K)
        self.place = nn.Parameter(torch.zeros(T, dtype=torch.float64), requires_grad=self.positions)
        self.sink = nn.Parameter(torch.tensor(SINK, dtype=torch.float64))
        if layers == 2:
            self.first, self.match = drawn(K, K), drawn(K, K)
            self.first_sink = nn.Parameter(torch.zeros((), dtype=torch.float64))
        at = torch.arange(T)
        self._distance = (at[:, None] - at).clamp(min=0)
        self._later = at[:, None] < at

    def forward(self, texts: Tensor) -> Tensor:
        """Probabilities of the next token after each token, shape (n, T, K)."""
        marks = self._marks(texts)
        looks = self._looks(marks)[-1]
        return looks[..., :-1] @ marks + looks[..., -1:] / self.K

    @torch.no_grad()
    def attention(self, texts: Tensor) -> list[Tensor]:
        """Attention of each layer, shape (n, T, T + 1): a row per token, the sink last."""
        return self._looks(self._marks(texts))

    @torch.no_grad()
    def answers(self, texts: ArrayLike) -> Floats:
        """Return what `forward` does, for any array of token ids, as an array: (n, T, K)."""
        return np.asarray(self(torch.tensor(integers(texts, "texts"))))

    @torch.no_grad()
    def assign(self, **weights: ArrayLike) -> InductionNetwork:
        """Set parameters by hand and return the network; a single number fills all entries."""
        known = dict(self.named_parameters())
        for name, values in weights.items():
            parameter = known[one_of(name, "a parameter", list(known))]
            given = reals(values, name, error=DataError)
            if given.shape not in ((), tuple(parameter.shape)):
                raise DataError(f"{name} has shape {tuple(parameter.shape)}, got {given.shape}")
            parameter.copy_(torch.tensor(given))
        return self

    def _marks(self, texts: Tensor) -> Tensor:
        ids = isinstance(texts, Tensor) and texts.dtype == torch.int64
        if not ids or texts.dim() != 2 or not 0 < texts.shape[1] <= self.T or not len(texts):
            raise DataError(f"texts: a tensor of token ids of shape (n, T), T at most {self.T}")
        if not 0 <= int(texts.min()) <= int(texts.max()) < self.K:
            raise DataError(f"texts hold token ids from 0 to {self.K - 1}")
        return nn.functional.one_hot(texts, self.K).double()

    def _looks(self, marks: Tensor) -> list[Tensor]:
        T = marks.shape[1]
        by_place = self.place[self._distance[:T, :T]]
        if self.layers == 1:
            scores = _scores(self.table, marks, marks) + by_place
            return [self._softmax(scores, self.sink)]
        first = self._softmax(_scores(self.first, marks, marks) + by_place, self.first_sink)
        found = first[..., :-1] @ marks
        scores = _scores(self.table, marks, marks) + _scores(self.match, marks, found)
        return [first, self._softmax(scores, self.sink)]

    def _softmax(self, scores: Tensor, sink: Tensor) -> Tensor:
        n, T, _ = scores.shape
        scores = scores.masked_fill(self._later[:T, :T], -torch.inf)
        return torch.softmax(torch.cat([scores, sink.expand(n, T, 1)], dim=-1), dim=-1)


def _scores(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    """Scores of every key, seen from every query: shape (n, T, T)."""
    return (queries @ table.T) @ keys.transpose(1, 2)
