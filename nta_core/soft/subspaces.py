"""The two subspaces of weight space that training can reach.

A comparison of tokens i and j after last token k is made along the rank-one matrix
``(e_i − e_j) e_kᵀ``.  All comparisons of the data span *S_active*: the gradient never leaves it.
The ties among them span *S_fin*, where the weights stay finite.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, Ints, a, check_embeddings, check_weights, room_for
from nta_core.graphs import TokenPriorityGraphs
from nta_core.graphs.keys import by_track

# Directions shorter than this, relative to the longest embedding, are rounding errors.
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False, repr=False)
class Subspace:
    """A subspace of the (d, d) matrices, given by an orthonormal basis.

    Attributes
    ----------
    basis : float64 array of shape (dim, d, d)
        Matrices of Frobenius norm 1 with pairwise inner product 0.
    name : str
        What the paper calls the subspace.

    Explained in: chapter 7. Paper: Def. 1.
    """

    basis: Floats
    name: str = field(default="subspace", kw_only=True)

    @property
    def dim(self) -> int:
        """Number of independent directions."""
        return len(self.basis)

    @property
    def flat(self) -> Floats:
        """The basis as rows, shape (dim, d·d)."""
        return self.basis.reshape(self.dim, self.basis.shape[1] ** 2)

    def project(self, W: ArrayLike) -> Floats:
        """Return the point of the subspace closest to W, shape (d, d).

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> W = np.arange(16.0).reshape(4, 4)
        >>> cyclic_subspace(token_priority_graphs(FIG3), np.eye(4)).project(W)[:, 1].round(9) + 0.0
        array([-4.,  0.,  4.,  0.])
        """
        checked = check_weights(W, self.basis.shape[1])
        return (self.flat.T @ (self.flat @ checked.ravel())).reshape(checked.shape)

    def __repr__(self) -> str:
        d = self.basis.shape[1]
        return f"Subspace({self.name}: {self.dim} of {d * d} dimensions)"

    def _repr_html_(self) -> str:
        d = self.basis.shape[1]
        symbol = self.name.replace("S_", "S<sub>", 1) + "</sub>" * self.name.startswith("S_")
        return f"<p>{symbol}: <b>{self.dim}</b> of {d}×{d} = {d * d} dimensions</p>"


def cyclic_subspace(graphs: TokenPriorityGraphs, E: ArrayLike) -> Subspace:
    """Return S_fin, spanned by the ties: pairs of tokens in one league.

    Parameters
    ----------
    graphs : TokenPriorityGraphs
        The token-priority graphs of a dataset.
    E : array of shape (K, d)
        Token embeddings.

    Returns
    -------
    Subspace
        Of dimension Σ (league size − 1) when E has full row rank, less when some embeddings
        depend on each other.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> cyclic_subspace(token_priority_graphs(FIG3), np.eye(4))
    Subspace(S_fin: 2 of 16 dimensions)

    Explained in: chapters 6 and 7. Paper: Def. 1.
    """
    checked = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    return span(graphs.tie_array, checked, name="S_fin")


def active_subspace(graphs: TokenPriorityGraphs, E: ArrayLike) -> Subspace:
    """Return S_active, spanned by all comparisons; outside of it training never moves W.

    Takes what `cyclic_subspace` takes.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> active_subspace(token_priority_graphs(FIG3), np.eye(4))
    Subspace(S_active: 6 of 16 dimensions)

    Explained in: chapter 7. Paper: Sec. 3, App. B.
    """
    checked = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    # The reduced pairs join the same tokens as all strict pairs do, so they span the same space.
    pairs = np.concatenate([graphs.reduced_array, graphs.tie_array])
    return span(pairs, checked, name="S_active")


def score_slopes(subspace: Subspace, left: Floats, lasts: Ints, E: Floats) -> Floats:
    """How vᵀ W e_k grows along each basis matrix, for v in `left`, k in `lasts`: (m, dim)."""
    slopes = np.zeros((len(lasts), subspace.dim))
    for last, track in by_track(lasts):
        slopes[track] = left[track] @ (subspace.basis @ E[last]).T
    return slopes


def span(comparisons: Ints, E: Floats, *, name: str) -> Subspace:
    """The subspace spanned by the matrices of comparisons, given as rows (last, token, token).

    Track by track first: one track's matrices share their right factor, so a (pairs, d) problem
    does for each, and only what is left of it meets the other tracks in d·d dimensions.
    """
    d = E.shape[1]
    longest = np.linalg.norm(E, axis=1).max()
    tracks = list(by_track(comparisons[:, 0]))
    most = sum(min(len(track), d) for _, track in tracks)
    what = f"a basis of up to {most:,} matrices of shape ({d}, {d})"
    room_for(24.0 * most * d * d, what, instead="use fewer dimensions d, or fewer last tokens")
    blocks = [np.zeros((0, d * d))]
    for last, track in tracks:
        length = np.linalg.norm(E[last])
        if length <= RANK_TOLERANCE * longest:
            continue  # a last token without an embedding asks for nothing
        _, first, second = comparisons[track].T
        keys = _row_space(E[first] - E[second], RANK_TOLERANCE * longest)
        blocks.append((keys[:, :, None] * (E[last] / length)).reshape(len(keys), d * d))
    rows = np.concatenate(blocks)
    if len(blocks) > 2:  # several tracks: their last tokens need not be orthogonal
        rows = _row_space(rows, RANK_TOLERANCE)
    return Subspace(rows.reshape(len(rows), d, d), name=name)


def _row_space(rows: Floats, tolerance: float) -> Floats:
    """Orthonormal rows that span the given ones, up to directions shorter than the tolerance."""
    if len(rows) <= rows.shape[1]:
        basis, triangle = np.linalg.qr(rows.T)
        if np.linalg.svd(triangle, compute_uv=False).min(initial=np.inf) > tolerance:
            return basis.T  # independent rows: no need for the dearer decomposition
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    return directions[sizes > tolerance]
