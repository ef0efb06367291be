"""Where a head over still attention ends: a direction that grows, and odds that stand still.

Contexts are *tracks*, every word runs in every race, and the support of a context is its top
league: the direction is a Graph-SVM, solved by the one of `nta_core`, and the odds are the minimum
of the loss inside the supports.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.decoder.errors import NotSeparable
from nta_beyond.decoder.language import Language
from nta_beyond.decoder.loss import check_head
from nta_core.boundary import Floats, Ints, a, in_float64, reals, room_for
from nta_core.data.tables import Html, html_table
from nta_core.errors import EmbeddingError, SolverDidNotConverge
from nta_core.model import cosine
from nta_core.svm.core import Conflict, shortest

RANK = 1e-10  # directions shorter than this, relative to the longest, are rounding errors
NEWTON_STEPS, SETTLED = 100, 1e-13
COMPATIBLE = 1e-8  # log-odds that are missed by less are met
INSTEAD = "use fewer contexts or words"


@dataclass(frozen=True, eq=False, repr=False)
class MarginPart:
    """The shortest head that ties the words of each support and puts them 1 above all others.

    Attributes
    ----------
    W : float64 array of shape (V, d)
        The head; 0 if every word follows every context.
    norm : float
        Its length ‖W‖.
    deciding : tuple of (str, str)
        The (context, word outside its support) pairs that hold W up.
    gap : float
        Relative duality gap: how well it is solved.

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Def. 3.
    """

    W: Floats
    norm: float
    deciding: tuple[tuple[str, str], ...]
    gap: float

    def __repr__(self) -> str:
        return f"MarginPart(‖W‖ = {self.norm:.4g}, {len(self.deciding)} pairs decide)"


@dataclass(frozen=True, eq=False, repr=False)
class OddsPart:
    """The point at which a head settles inside the supports.

    Attributes
    ----------
    W : float64 array of shape (V, d)
        The minimum of the loss inside the supports; it lies in the span of `basis`.
    basis : float64 array of shape (r, V, d)
        Orthonormal directions in which words of one support are compared: the subspace F.
    gap : float
        By how much the log-odds of two words of one support are missed, at most.
    compatible : bool
        Whether one head can meet all of them.

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Def. 1.
    """

    W: Floats
    basis: Floats
    gap: float

    @property
    def compatible(self) -> bool:
        return self.gap < COMPATIBLE

    def project(self, W: ArrayLike) -> Floats:
        """Return the point of the subspace F that is closest to W, shape (V, d)."""
        given = reals(W, "W")
        if given.shape != self.W.shape:
            raise EmbeddingError(f"W must have shape {self.W.shape}, got {given.shape}")
        flat = self.basis.reshape(len(self.basis), self.W.size)
        return ((flat @ given.ravel()) @ flat).reshape(self.W.shape)

    def __repr__(self) -> str:
        said = "all log-odds met" if self.compatible else f"log-odds missed by {self.gap:.3g}"
        length = np.linalg.norm(self.W)
        return f"OddsPart(‖W‖ = {length:.4g} in {len(self.basis)} dimensions, {said})"


def margin_part(language: Language) -> MarginPart:
    """Find the direction in which a head over still attention grows.

    Raises
    ------
    NotSeparable
        No head puts every support above all other words.
    SolverDidNotConverge, TooLarge
        As `solve_graph_svm` of `nta_core`, which finds it.

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]])
    >>> margin_part(talk).W.round(3)
    array([[ 0.333, -0.333],
           [ 0.333, -0.333],
           [-0.667,  0.667]])

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Def. 3.
    """
    V = len(a(Language, language, "language").words)
    m, d = language.contexts.shape
    # words and contexts as tokens of one vocabulary, in spaces of their own: a word's score on the
    # track of a context is then an entry of the block that joins the two
    room_for(8.0 * (V + m) * (V + d) + 100.0 * m * V, f"{m:,} contexts", instead=INSTEAD)
    joint = np.zeros((V + m, V + d))
    joint[:V, :V], joint[V:, V:] = np.eye(V), language.contexts
    tied, strict = comparisons(language.supports)
    at_track = np.array([V, 0, 0])
    try:
        found = shortest(joint, strict + at_track, tied + at_track)
    except Conflict as conflict:
        members = dict.fromkeys(strict[conflict.members, 0].tolist())
        raise NotSeparable(tuple(language.names[j] for j in members), d) from None
    W = found.W[:V, V:]
    deciding = strict[found.multipliers > 0][:, [0, 2]].tolist()
    pairs = tuple((language.names[j], language.words[v]) for j, v in deciding)
    return MarginPart(W, float(np.linalg.norm(W)), pairs, found.gap)


def comparisons(supports: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> tuple[Ints, Ints]:
    """Rows (context, word, word): ties of a support with its first word, and that above others."""
    first = supports.argmax(axis=1)
    context, word = np.nonzero(supports)
    later = word != first[context]
    tied = np.column_stack([context, first[context], word])[later]
    context, word = np.nonzero(~supports)
    strict = np.column_stack([context, first[context], word])
    return tied.astype(np.int64), strict.astype(np.int64)


def odds_part(language: Language) -> OddsPart:
    """Find the point at which a head over still attention settles inside the supports.

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]])
    >>> odds_part(talk).W[:, 0].round(4)  # half of ln 3, up and down
    array([ 0.5493, -0.5493,  0.    ])

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Def. 1 and Lemma 4.
    """
    H, P, supports = a(Language, language, "language").contexts, language.odds, language.supports
    V, d = P.shape[1], H.shape[1]
    tied, _ = comparisons(supports)
    basis = _span(tied, H, V)
    context, word = np.nonzero(supports)
    # logits of the words that follow, as a linear map of coordinates in F
    rows = (
        np.einsum("rnd,nd->nr", basis[:, word], H[context])
        if len(basis)
        else np.zeros((len(word), 0))
    )
    where = "finding the odds"
    with in_float64(where, instead="use contexts of similar length"):
        logs = np.log(P[supports])
        means = _means(logs, context, len(H))
        centred = rows - _means(rows, context, len(H))
        start = np.linalg.lstsq(centred, logs - means, rcond=None)[0]
        x = _newton(start, rows, context, P[supports], language.shares)
        off = centred @ x - (logs - means)
    reach = [np.ptp(off[context == j]) for j in np.unique(tied[:, 0])]
    W = np.tensordot(x, basis, axes=1) if len(basis) else np.zeros((V, d))
    return OddsPart(W, basis, float(max(reach, default=0.0)))


def _span(tied: Ints, H: Floats, V: int) -> Floats:
    """An orthonormal basis of the matrices (e_z − e_z′) hᵀ, shape (r, V, d)."""
    d = H.shape[1]
    room_for(32.0 * len(tied) * V * d, "the subspace of the odds", instead=INSTEAD)
    directions = np.zeros((len(tied), V, d))
    each = np.arange(len(tied))
    directions[each, tied[:, 1]] = H[tied[:, 0]]
    directions[each, tied[:, 2]] = -H[tied[:, 0]]
    if not len(tied):
        return directions
    _, values, basis = np.linalg.svd(directions.reshape(len(tied), -1), full_matrices=False)
    kept = basis[values > RANK * max(float(values[0]), 1e-300)]
    return np.asarray(kept.reshape(-1, V, d))


def _means(values: Floats, group: Ints, groups: int) -> Floats:
    """The mean of each entry's group, for every entry."""
    sums = np.zeros((groups, *values.shape[1:]))
    np.add.at(sums, group, values)
    counts = np.bincount(group, minlength=groups).reshape(-1, *[1] * (values.ndim - 1))
    return (sums / counts)[group]


def _newton(x: Floats, rows: Floats, group: Ints, odds: Floats, shares: Floats) -> Floats:
    """Minimise the cross-entropy inside the supports; strictly convex, with one minimum."""

    def look(x: Floats) -> tuple[float, Floats]:
        logits = rows @ x
        tops = np.full(len(shares), -np.inf)
        np.maximum.at(tops, group, logits)
        powers = np.exp(logits - tops[group])
        totals = np.bincount(group, powers, len(shares))
        loss = shares @ (np.log(totals) + tops) - (shares[group] * odds) @ logits
        return float(loss), powers / totals[group]

    if not len(x):
        return x
    loss, answers = look(x)
    for _ in range(NEWTON_STEPS):
        gradient = rows.T @ (shares[group] * (answers - odds))
        if np.linalg.norm(gradient) <= SETTLED * np.linalg.norm(rows, axis=1).max():
            return x
        weighted = (shares[group] * answers)[:, None] * rows
        pulls = np.zeros((len(shares), len(x)))
        np.add.at(pulls, group, answers[:, None] * rows)
        hessian = rows.T @ weighted - (shares[:, None] * pulls).T @ pulls
        step = np.linalg.lstsq(hessian, -gradient, rcond=None)[0]
        size = 1.0
        while size > 1e-10:
            try_loss, try_answers = look(x + size * step)
            if (
                try_loss <= loss + 1e-4 * size * float(gradient @ step)
                or size * np.abs(rows @ step).max() < 1e-9
            ):
                break
            size /= 2
        x, loss, answers = x + size * step, try_loss, try_answers
    raise SolverDidNotConverge(f"the odds did not settle in {NEWTON_STEPS} Newton steps")


@dataclass(frozen=True, eq=False, repr=False)
class HeadParts:
    """A head read as C·W_mm + W_odds plus a rest.

    Attributes
    ----------
    C : float
        The multiple of the margin part that comes closest to W; 0 if there is none.
    cosine : float
        Cosine between W and the margin part; nan if one of them is 0.
    odds_distance : float
        How far the part of W inside F is from the odds part.
    residual : float
        The share of ‖W‖ that neither part explains; inf if W alone is 0.

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Thm. 2.
    """

    C: float
    cosine: float
    odds_distance: float
    residual: float

    def __repr__(self) -> str:
        return (
            f"HeadParts(C={self.C:.4g}, cosine={self.cosine:.5f}, "
            f"odds distance {self.odds_distance:.3g}, residual {self.residual:.3g})"
        )

    def _repr_html_(self) -> str:
        rows = {
            "C": self.C,
            "cosine of W and W<sub>mm</sub>": self.cosine,
            "distance from the odds": self.odds_distance,
            "unexplained share of W": self.residual,
        }
        cells = [(Html(name), f"{value:.5g}") for name, value in rows.items()]
        caption = Html("W = C·W<sub>mm</sub> + W<sub>odds</sub> + rest")
        return html_table("reading", cells, caption=caption)


@dataclass(frozen=True, eq=False, repr=False)
class HeadTheory:
    """What the theory predicts for a head over still attention; reads any number of heads.

    Attributes
    ----------
    language : Language
    margin : MarginPart
        The direction in which the head grows.
    odds : OddsPart
        The point of F at which it settles.

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]])
    >>> theory = HeadTheory.of(talk)
    >>> parts = theory.decompose(7 * theory.margin.W + theory.odds.W)
    >>> round(parts.C, 9), round(parts.cosine, 4), round(parts.odds_distance, 9)
    (7.0, 0.9954, 0.0)

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Thm. 2.
    """

    language: Language
    margin: MarginPart
    odds: OddsPart

    @classmethod
    def of(cls, language: Language) -> HeadTheory:
        """Solve both parts; raises what `margin_part` raises."""
        return cls(language, margin_part(language), odds_part(language))

    def decompose(self, W: ArrayLike) -> HeadParts:
        """Hold a head of shape (V, d) against the two parts."""
        W = check_head(self.language, W)
        direction, length = self.margin.W, float(np.linalg.norm(W))
        C = float(np.vdot(W, direction)) / self.margin.norm**2 if self.margin.norm else 0.0
        off = float(np.linalg.norm(self.odds.project(W) - self.odds.W))
        rest = float(np.linalg.norm(W - C * direction - self.odds.W))
        share = rest / length if length else (np.inf if rest else 0.0)
        return HeadParts(C, cosine(W, direction), off, share)

    def __repr__(self) -> str:
        return f"HeadTheory({self.margin}, {self.odds})"
