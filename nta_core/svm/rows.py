"""The comparisons of a Graph-SVM as linear functionals of W, kept as small as they are.

The comparison "after k, token i above token j" measures W through the rank-one matrix
(e_i − e_j) e_kᵀ.  Two facts keep everything small.  Only tokens that occur matter, so they are
relabelled first.  And the inner product of two comparisons is a product of two small ones,
⟨e_i − e_j, e_i' − e_j'⟩ · ⟨e_k, e_k'⟩, so a combination of comparisons is a token × last-token
table between two Gram matrices; rows with d² columns are written out for small problems only.

Every row is scaled to length 1, whatever the lengths of the embeddings: "margin ≥ 1" then reads
"unit margin ≥ 1/length", which is the row's *demand*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nta_core.boundary import Floats, Ints
from nta_core.indices import as_index

EPS = float(np.finfo(float).eps)
CHUNK = 1 << 22  # entries of embeddings that are taken apart at a time
LARGE = 40_000_000  # entries in the vectors of all rows (320 MB) above which they stay unwritten


@dataclass(frozen=True, eq=False)
class Rows:
    """Strict comparisons followed by ties, and how they act on a matrix.

    In orthonormal `bases` of l ≤ d and r ≤ d dimensions, so that a matrix V of shape (l, r) stands
    for W = bases[0] V bases[1]ᵀ.
    """

    strict: int  # how many rows are strict; they come first
    points: Floats  # (a, d) embeddings of the a tokens
    left: Floats  # (a, l) their coordinates around their mean: only differences count
    right: Floats  # (b, r) coordinates of the b last tokens
    bases: tuple[Floats, Floats]  # (d, l) and (d, r)
    winner: Ints  # (m,) places in the flattened token × last-token table
    loser: Ints  # (m,)
    lengths: Floats  # (m,) Frobenius norm of (e_i − e_j) e_kᵀ; 0 if the two embeddings coincide

    @classmethod
    def build(cls, E: Floats, strict: Ints, ties: Ints, *, tight: bool = False) -> Rows:
        """Collect comparisons given as rows (last, winner, loser), each array of shape (·, 3).

        In at most as many dimensions as they can span, if it pays or the bases must be `tight`.
        """
        pairs = np.concatenate([strict, ties])
        tokens, places = np.unique(pairs[:, 1:], return_inverse=True)
        lasts, columns = np.unique(pairs[:, 0], return_inverse=True)
        winner, loser = places.reshape(-1, 2).T
        points = E[tokens]
        left_basis, right_basis = _basis(points[1:] - points[0], tight), _basis(E[lasts], tight)
        left, right = points - points.mean(axis=0), E[lasts]
        if left_basis.shape[1] < E.shape[1]:
            left = left @ left_basis
        if right_basis.shape[1] < E.shape[1]:
            right = right @ right_basis
        lengths = np.sqrt(_along(E, pairs)) * np.sqrt((E[lasts] ** 2).sum(axis=1))[columns]
        kept = lengths > 0  # a tie between equal embeddings holds by itself
        kept[: len(strict)] = True
        return cls(
            len(strict),
            points,
            left,
            right,
            (left_basis, right_basis),
            (winner * len(lasts) + columns)[kept],
            (loser * len(lasts) + columns)[kept],
            lengths[kept],
        )

    def __len__(self) -> int:
        return len(self.winner)

    @property
    def dimensions(self) -> int:
        """Number of coordinates l·r that W has in the two bases."""
        return int(self.left.shape[1] * self.right.shape[1])

    @cached_property
    def demands(self) -> Floats:
        """The unit margin each row asks for: 1/length for a strict comparison, 0 for a tie."""
        demands = np.zeros(len(self))
        demands[: self.strict] = 1.0 / self.lengths[: self.strict]
        return demands

    def combine(self, x: Floats) -> Floats:
        """Sum the unit rows with weights x, shape (m,) -> (l, r)."""
        if self.large:
            return self.left.T @ self._table(x) @ self.right
        differences, lasts = self._factors
        return (differences * x[:, None]).T @ lasts

    def margins(self, V: Floats) -> Floats:
        """Measure V with every unit row, shape (l, r) -> (m,)."""
        if self.large:
            return self._read(self.left @ V @ self.right.T)
        differences, lasts = self._factors
        return np.asarray(((differences @ V) * lasts).sum(axis=1))

    def gram_times(self, x: Floats) -> Floats:
        """Margins of the combination x, quickly: through the token × last-token table."""
        table = self._table(x)
        if len(self.left) > self.left.shape[1] + 1 or len(self.right) > self.right.shape[1]:
            return self._read(self.left @ (self.left.T @ table @ self.right) @ self.right.T)
        return self._read(self._grams[0] @ table @ self._grams[1])

    def expand(self, V: Floats) -> Floats:
        """Write V, shape (l, r), as the matrix W of shape (d, d) it stands for."""
        return self.bases[0] @ V @ self.bases[1].T

    def dense(self) -> Floats:
        """Every unit row written out, shape (m, l·r): for small problems."""
        differences, lasts = self._factors
        return (differences[:, :, None] * lasts[:, None, :]).reshape(len(self), -1)

    def gram(self, chosen: Ints) -> Floats:
        """Inner products of the chosen unit rows, shape (s, s)."""
        differences, lasts = self._taken(chosen)
        product: Floats = differences @ differences.T
        product *= lasts @ lasts.T
        return product

    def only(self, chosen: Ints) -> Rows:
        """The chosen strict rows, with all ties."""
        kept = np.concatenate([chosen, np.arange(self.strict, len(self))])
        fewer = {name: getattr(self, name)[kept] for name in ("winner", "loser", "lengths")}
        return replace(self, strict=len(chosen), **fewer)

    @property
    def large(self) -> bool:
        """Whether the vectors of all rows would fill the memory: then only tables are used."""
        return bool(len(self) * (self.left.shape[1] + self.right.shape[1]) > LARGE)

    @cached_property
    def _factors(self) -> tuple[Floats, Floats]:
        """The two vectors of every unit row, shapes (m, l) and (m, r)."""
        return self._taken(np.arange(len(self)))

    def _taken(self, chosen: Ints) -> tuple[Floats, Floats]:
        """The two vectors of the chosen unit rows.

        Subtracts embeddings, not coordinates: nearly equal ones would lose the difference.
        """
        winner, last = np.divmod(self.winner[chosen], len(self.right))
        differences = self.points[winner] - self.points[self.loser[chosen] // len(self.right)]
        if self.left.shape[1] < self.points.shape[1]:
            differences = differences @ self.bases[0]
        return differences * self._inverse[chosen, None], self.right[last]

    @cached_property
    def _inverse(self) -> Floats:
        return 1.0 / np.where(self.lengths > 0, self.lengths, np.inf)

    @cached_property
    def _grams(self) -> tuple[Floats, Floats]:
        return self.left @ self.left.T, self.right @ self.right.T

    @cached_property
    def _places(self) -> Ints:
        return as_index(np.concatenate([self.winner, self.loser]))

    def _table(self, x: Floats) -> Floats:
        shape = len(self.left), len(self.right)
        weights = x * self._inverse
        both = np.concatenate([weights, -weights])
        table = np.bincount(self._places, both, shape[0] * shape[1]).reshape(shape)
        return np.asarray(table, dtype=np.float64)

    def _read(self, scores: Floats) -> Floats:
        flat = scores.ravel()
        difference: Floats = flat[self.winner] - flat[self.loser]
        difference *= self._inverse
        return difference


def margins(E: Floats, W: Floats, pairs: Ints) -> Floats:
    """(e_i − e_j)ᵀ W e_k for rows (k, i, j), shape (m,)."""
    if len(pairs) > len(E):
        return _along(E, pairs, E @ W.T, pairs[:, 0])
    tracks, track = np.unique(pairs[:, 0], return_inverse=True)
    return _along(E, pairs, E[tracks] @ W.T, track)


def lengths_of(E: Floats, pairs: Ints) -> Floats:
    """Frobenius norm of (e_i − e_j) e_kᵀ for rows (k, i, j), shape (m,)."""
    return np.asarray(np.sqrt(_along(E, pairs) * np.einsum("kd,kd->k", E, E)[pairs[:, 0]]))


def _along(
    E: Floats, pairs: Ints, vectors: Floats | None = None, which: Ints | None = None
) -> Floats:
    """Inner product of e_i − e_j with its vector, or with itself, shape (m,).

    Subtracts embeddings, not scores: nearly equal embeddings would lose the difference.
    """
    found, size = np.empty(len(pairs)), max(1, CHUNK // E.shape[1])
    for part in (slice(begin, begin + size) for begin in range(0, len(pairs), size)):
        apart = E[pairs[part, 1]] - E[pairs[part, 2]]
        other = apart if vectors is None or which is None else vectors[which[part]]
        found[part] = np.einsum("md,md->m", apart, other)
    return found


def _basis(points: Floats, tight: bool) -> Floats:
    """Orthonormal columns (d, l) that span the points; all d where fewer would not pay."""
    count, d = points.shape
    return np.eye(d) if count >= d or (d <= 16 and not tight) else np.linalg.qr(points.T)[0]
