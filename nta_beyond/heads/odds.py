"""A head's scores split into order and odds, and what they cost above the data's floor.

Order is what the scores do between leagues, odds what they do inside them (chapter 7).  The excess
is the head's loss above the floor that no table of scores can pass (chapter 12): a head that is
read as the book's layer, by the attention it gives to the token that came next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nta_beyond.heads.head import Head
from nta_beyond.heads.tables import Tables, check_vocabulary, tracks_of
from nta_beyond.text import LeagueTables, Strengths, TokenEdges, Windows, fit_strengths
from nta_beyond.text.decisions import UNSEEN
from nta_beyond.text.edges import tally
from nta_beyond.text.strengths import RIDGE
from nta_core.boundary import Floats, Ints, a
from nta_core.data.tables import html_table
from nta_core.errors import DataError
from nta_core.indices import as_index

ROUNDING = 1e-12  # differences of scores below this share of the largest are none
MULTIPLES = (1e-3, 1e3)  # between which the best factor of the scores is looked for


@dataclass(frozen=True, eq=False, repr=False)
class OrderAndOdds:
    """How a head's scores vary between and inside the data's leagues; one entry per last token.

    Attributes
    ----------
    lasts, races, nodes, leagues : int64 arrays
        Last token, its races, and the tokens and leagues of its graph.
    between : float64 array
        Share of the scores' variance, over the tokens of the graph, that lies between leagues; 0
        for scores that are all equal.
    chance : float64 array
        Its mean when scores are dealt out at random, (leagues − 1)/(tokens − 1).
    lead : float64 array
        Mean lead of the winners of strict pairs over their losers; 0 if there is none.
    odds_slope, odds_correlation : float
        Scores inside leagues against the data's log-strengths, over all last tokens: slope of the
        least squares line (1: the data's odds) and correlation; nan if nothing varies.

    Explained in: chapters 7 and 17.
    """

    lasts: Ints
    races: Ints
    nodes: Ints
    leagues: Ints
    between: Floats
    chance: Floats
    lead: Floats
    odds_slope: float
    odds_correlation: float

    def mean(self) -> tuple[float, float]:
        """Return `between` and `chance`, averaged over last tokens by races; 0 if there is none."""
        if not self.races.any():
            return 0.0, 0.0
        found = (np.average(values, weights=self.races) for values in (self.between, self.chance))
        return tuple(map(float, found))  # type: ignore[return-value]

    def __repr__(self) -> str:
        between, chance = self.mean()
        return (
            f"OrderAndOdds({len(self.lasts):,} last tokens, {between:.1%} of the variance between "
            f"leagues, {chance:.1%} by chance, odds with slope {self.odds_slope:.3g} and "
            f"correlation {self.odds_correlation:.3g})"
        )


def order_and_odds(
    head: Head,
    found: Tables,
    strengths: Strengths | None = None,
    *,
    lasts: Sequence[int | str] | None = None,
) -> OrderAndOdds:
    """Split a head's scores into what they do between the data's leagues and inside them.

    Parameters
    ----------
    head : Head
        The head.
    found : TokenEdges or TokenPriorityGraphs
        The data's tables, of the same vocabulary.
    strengths : Strengths, optional
        The data's odds, from `fit_strengths` on the same edges; without them the odds are not read.
    lasts : sequence of tokens, optional
        Last tokens to read; all with at least two tokens in their graph by default.

    Examples
    --------
    >>> from nta_core import FIG3, Theory, token_priority_graphs
    >>> W = Theory.of(FIG3, np.eye(4)).svm.W
    >>> head = Head.from_arrays(W.T, np.eye(4), np.eye(4), scale=1.0)
    >>> read = order_and_odds(head, token_priority_graphs(FIG3))
    >>> read.between.round(6), read.chance.round(3), read.lead.round(6)
    (array([1., 1.]), array([1.   , 0.333]), array([1.6, 1. ]))

    Explained in: chapters 7 and 17.
    """
    theta = None if strengths is None else _theta(strengths, found)
    rows, counts, inside = [], [], []
    for track in tracks_of(a(Head, head, "head"), found, lasts):
        if len(track.nodes) < 2:
            continue
        scores = head.keys[track.nodes] @ head.queries[track.last]
        within = _less_league_mean(scores, track.league)
        total = float(((scores - scores.mean()) ** 2).sum())
        count = int(track.league.max()) + 1
        leads = scores[track.winners] - scores[track.losers]
        counts.append((track.last, track.races, len(scores), count))
        rows.append(
            (
                max(0.0, 1.0 - float(within @ within) / total) if total > 0 else 0.0,
                (count - 1) / (len(scores) - 1),
                float(leads.mean()) if len(leads) else 0.0,
            )
        )
        if theta is not None:
            own = theta[track.first : track.first + len(scores)]
            inside.append((own @ own, own @ within, within @ within))
    last, races, nodes, leagues = np.array(counts, dtype=np.int64).reshape(-1, 4).T
    between, chance, lead = np.array(rows).reshape(-1, 3).T
    square, cross, own_square = np.array(inside).reshape(-1, 3).sum(axis=0)
    size = np.sqrt(square) * np.sqrt(own_square)
    return OrderAndOdds(
        lasts=last,
        races=races,
        nodes=nodes,
        leagues=leagues,
        between=between,
        chance=chance,
        lead=lead,
        odds_slope=float(cross / square) if square > 0 else np.nan,
        odds_correlation=float(cross / size) if size > 0 else np.nan,
    )


def _theta(strengths: Strengths, found: Tables) -> Floats:
    """Log-strengths of the nodes, in the order of the tracks."""
    nodes = a(Strengths, strengths, "strengths").nodes
    if not isinstance(found, TokenEdges) or not np.array_equal(nodes, found.condensation.nodes):
        raise DataError("strengths and found must come from the same edges")
    return strengths.theta


def _less_league_mean(scores: Floats, league: Ints) -> Floats:
    """Scores around the mean of their league; what is rounding only becomes 0."""
    place = as_index(league)
    left = scores - (np.bincount(place, scores) / np.bincount(place))[place]
    return np.where(np.abs(left) > ROUNDING * np.abs(scores).max(), left, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Excess:
    """What a head's attention costs above the data's floor, in nats per race.

    Attributes
    ----------
    races : int
        Windows that hold their next token; the others cost whatever they cost.
    loss : float
        Mean of −log of the attention on the next token.
    floor : float
        What the data's own odds cost inside the leagues, the order being perfect.
    order, odds : float
        The two parts of the excess: attention that leaves the winner's league, and odds inside it
        that are not the data's.
    flat : float
        The excess of equal scores, for comparison.
    best, multiple : float
        The smallest excess of any multiple of the head's scores, and that multiple.

    Explained in: chapters 12 and 17.
    """

    races: int
    loss: float
    floor: float
    order: float
    odds: float
    flat: float
    best: float
    multiple: float

    @property
    def excess(self) -> float:
        """Loss above the floor: `order` + `odds`."""
        return self.loss - self.floor

    def __repr__(self) -> str:
        return (
            f"Excess({self.excess:.3g} nats per race = {self.order:.3g} order + {self.odds:.3g} "
            f"odds; flat scores {self.flat:.3g}; {self.multiple:.2g} × scores {self.best:.3g})"
        )

    def _repr_html_(self) -> str:
        rows = {
            "races": f"{self.races:,}",
            "loss": f"{self.loss:.4g}",
            "floor of the data": f"{self.floor:.4g}",
            "excess": f"{self.excess:.4g}",
            "of it order": f"{self.order:.4g}",
            "of it odds": f"{self.odds:.4g}",
            "excess of flat scores": f"{self.flat:.4g}",
            f"excess of {self.multiple:.3g} × scores": f"{self.best:.4g}",
        }
        return html_table("excess", rows.items(), caption="Nats per race above the data's floor")


def excess(
    head: Head, windows: Windows, found: TokenEdges | None = None, *, ridge: float = RIDGE
) -> Excess:
    """Return how far a head is from the floor of a text, read as the book's one layer.

    Parameters
    ----------
    head : Head
        The head.
    windows : Windows
        Races of the text, of the head's vocabulary.
    found : TokenEdges, optional
        The edges of these windows, if they are known already.
    ridge : float
        As in `fit_strengths`; it lifts the floor a little, so that `odds` may fall below 0.

    Examples
    --------
    >>> windows = Windows(np.array([[0, 1, 2], [1, 0, 2], [0, 1, 2]]), np.array([0, 1, 0]))
    >>> head = Head.from_arrays(np.eye(3), 9 * np.diag([1.0, 1, 0]), np.eye(3) + 1)
    >>> excess(head, windows).order < 0.1
    True

    Explained in: chapters 12 and 17.
    """
    from scipy.optimize import minimize_scalar

    races = a(Windows, windows, "windows").within(a(Head, head, "head").K).races()
    if not races.n:
        raise DataError("no window holds its next token: there is no race, and no excess")
    if found is None:
        found = TokenEdges(**vars(tally(windows, head.K)), names=head.names)
    check_vocabulary(head, a(TokenEdges, found, "found").names)
    league = LeagueTables(found).leagues(races)
    winner = races.tokens == races.labels[:, None]
    home = league[np.arange(races.n), winner.argmax(axis=1)]
    if (home == UNSEEN).any():
        raise DataError("found must hold the edges of these windows")
    rivals = league == home[:, None]
    theta = np.where(rivals, fit_strengths(found, windows, ridge=ridge).of(races), -np.inf)
    floor = float(-_log_mass(theta, winner).mean())
    scores = head.window_scores(races)

    def loss(multiple: float) -> float:
        return float(-_log_mass(_times(multiple, scores), winner).mean())

    low, high = np.log(MULTIPLES)
    best = minimize_scalar(
        lambda log: loss(float(np.exp(log))), bounds=(low, high), method="bounded"
    )
    whole, order = loss(1.0), float(-_log_mass(scores, rivals).mean())
    return Excess(
        races=races.n,
        loss=whole,
        floor=floor,
        order=order,
        odds=whole - floor - order,
        flat=loss(0.0) - floor,
        best=min(float(best.fun), whole) - floor,
        multiple=float(np.exp(best.x)) if best.fun < whole else 1.0,
    )


def _times(multiple: float, scores: Floats) -> Floats:
    """Multiplied scores; a gap, at −∞, stays one, also at 0 times."""
    return np.where(
        np.isfinite(scores), multiple * np.where(np.isfinite(scores), scores, 0), scores
    )


def _log_mass(scores: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Log of the attention on the chosen places of every row."""

    def log_sum(places: NDArray[np.bool_]) -> Floats:
        there = np.where(places, scores, -np.inf)
        top = there.max(axis=1)
        return np.asarray(top + np.log(np.exp(there - top[:, None]).sum(axis=1)))

    return log_sum(chosen) - log_sum(np.isfinite(scores))
