"""Strengths inside a league from the races alone: Luce's choice model, no attention.

In Luce's model token j wins a race with probability m_j s_j / Σ m_l s_l: m_j tickets, each worth
its strength s_j.  Ford (1957) showed that finite strengths exist exactly when every token can
reach every other by "beat" edges, which is what a league is.  Hunter's MM algorithm (2004) finds
them by repeating one sentence: *a token's strength is its wins, divided by the wins one ticket
of strength 1 could expect*.  This module shares nothing with `finite_part`; it is its oracle.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from nta_core.boundary import Floats, Ints, token_id
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.errors import DataError, SolverDidNotConverge, UnknownToken
from nta_core.graphs import TokenPriorityGraphs
from nta_core.soft.reduced import check_graphs

TOLERANCE = 1e-12  # distance of a log-strength from its limit, estimated
ROUNDING = 4e-15  # a step this small, relative to 1 + the spread, cannot be told from none
MAX_ROUNDS = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class LuceStrengths:
    """Log-strengths of all tokens, last token by last token.

    Attributes
    ----------
    theta : dict of dict
        ``theta[last][token]`` is a log-strength with mean zero in its league; 0 for a token that
        is alone in its league.
    graphs : TokenPriorityGraphs
        The graphs the leagues were read from.

    Explained in: chapter 6. Paper: Sec. 3 (the soft component), App. A.
    """

    theta: dict[int, dict[int, float]]
    graphs: TokenPriorityGraphs

    def log_odds(self, last: int | str, i: int | str, j: int | str) -> float:
        """Return log-strength of i minus log-strength of j; both must share a league.

        Tokens are given by id or by name.

        Examples
        --------
        >>> from nta_core import FIG8, token_priority_graphs
        >>> strengths = luce_strengths(FIG8, token_priority_graphs(FIG8))
        >>> round(strengths.log_odds(1, 1, 0), 6)  # ½ ln 2
        0.346574
        """
        name, K = self.graphs.names, self.graphs.K
        last, i, j = (token_id(token, K, name) for token in (last, i, j))
        if last not in self.theta:
            raise UnknownToken(f"token {name[last]} is never a last token, so it has no leagues")
        graph = self.graphs[last]
        if graph.component_of(i) != graph.component_of(j):
            raise DataError(
                f"after {name[last]}, {name[i]} and {name[j]} are in different leagues: odds are "
                "finite inside a league only"
            )
        return self.theta[last][i] - self.theta[last][j]

    def odds(self, last: int | str, i: int | str, j: int | str) -> float:
        """Return how many times as strong as j token i is, given the last token.

        Examples
        --------
        >>> from nta_core import FIG8, token_priority_graphs
        >>> round(luce_strengths(FIG8, token_priority_graphs(FIG8)).odds(1, 1, 0), 6)
        1.414214
        """
        return math.exp(self.log_odds(last, i, j))

    def __repr__(self) -> str:
        tied = {(row[0], row[2]) for row in self.graphs.tie_array.tolist()}
        return f"LuceStrengths({len(self.theta)} last tokens, {len(tied)} leagues with ties)"

    def _repr_html_(self) -> str:
        names = self.graphs.names
        rows = [
            (names[last], names[token], f"{math.exp(theta[token]):.4f}")
            for last, theta in self.theta.items()
            for league in self.graphs[last].components
            if len(league) > 1
            for token in sorted(league, key=lambda t: -theta[t])
        ]
        caption = "Strengths inside the leagues (geometric mean 1)"
        return html_table(
            "luce", rows, head=("last token", "tied token", "strength"), caption=caption
        )


def luce_strengths(dataset: Dataset, graphs: TokenPriorityGraphs) -> LuceStrengths:
    """Return the maximum-likelihood strengths of Luce's choice model inside every league.

    Race by race, the tokens of the winner's league compete; every occurrence of a token is one
    ticket.  The leagues are those of the dataset's `graphs`; no embeddings are involved.

    Raises
    ------
    SolverDidNotConverge
        When 20,000 rounds are not enough.

    Examples
    --------
    >>> from nta_core import FIG8, token_priority_graphs
    >>> strengths = luce_strengths(FIG8, token_priority_graphs(FIG8))
    >>> {token: round(s, 4) for token, s in strengths.theta[1].items()}
    {0: -0.1155, 1: 0.231, 2: -0.1155, 3: 0.0}

    Explained in: chapter 6. Paper: Sec. 3 (the soft component), App. A.
    """
    check_graphs(dataset, graphs)
    tied = [(k, league) for k in graphs for league in graphs[k].components if len(league) > 1]
    players = {(k, token): i for i, (k, league) in enumerate(tied) for token in sorted(league)}
    theta = {last: dict.fromkeys(graphs[last].nodes, 0.0) for last in graphs}
    if players:
        ledger = _ledger(dataset, players)
        for (last, token), strength in zip(players, _fit(ledger).tolist(), strict=True):
            theta[last][token] = strength
    return LuceStrengths(theta, graphs)


@dataclass(frozen=True, eq=False)
class _Ledger:
    """Who ran where: one line per distinct race and player, and the wins of every player."""

    race: Ints  # (lines,)
    player: Ints  # (lines,)
    tickets: Ints  # (lines,)
    repeats: Floats  # (races,) how often each race was run
    wins: Floats  # (players,)
    league_of: Ints  # (players,) numbered from 0


def _ledger(dataset: Dataset, leagues: dict[tuple[int, int], int]) -> _Ledger:
    number = {player: i for i, player in enumerate(leagues)}
    wins = np.zeros(len(leagues))
    races: Counter[tuple[tuple[int, int], ...]] = Counter()
    for sequence, label in zip(dataset.sequences, dataset.labels, strict=True):
        last = sequence[-1]
        if label in sequence and (last, label) in leagues:
            wins[number[last, label]] += 1
            tickets = sorted(Counter(sequence).items())
            rivals = [t for t in tickets if leagues.get((last, t[0])) == leagues[last, label]]
            races[tuple((number[last, token], count) for token, count in rivals)] += 1
    lines = [(i, *line) for i, race in enumerate(races) for line in race]
    race, player, entries = np.array(lines, dtype=np.intp).reshape(-1, 3).T
    repeats = np.array(list(races.values()), dtype=np.float64)
    return _Ledger(race, player, entries, repeats, wins, np.array(list(leagues.values())))


def _fit(ledger: _Ledger) -> Floats:
    """Hunter's MM rounds, with Varadhan and Roland's extrapolation (SQUAREM) league by league."""
    theta = np.zeros(len(ledger.wins))
    limit = np.ones(int(ledger.league_of.max()) + 1)
    for _ in range(MAX_ROUNDS):
        once = _mm_round(ledger, theta)
        twice = _mm_round(ledger, once)
        step, bend = once - theta, twice - 2 * once + theta
        lengths = np.sqrt([_per_league(ledger, step**2), _per_league(ledger, bend**2)])
        # steps shrink by a factor ρ per round, and this estimates 1 / (1 − ρ): what is still to go
        ratio = np.clip(lengths[0] / np.maximum(lengths[1], 1e-300), 1, 1e9)
        remaining = np.abs(step) * ratio[ledger.league_of]
        if np.all((remaining <= TOLERANCE) | (np.abs(step) <= ROUNDING * (1 + np.ptp(theta)))):
            return twice
        stretch = np.minimum(ratio, limit)
        far = stretch[ledger.league_of]
        with np.errstate(all="ignore"):  # a leap too far is NaN, and no better
            leap = _mm_round(ledger, theta + 2 * far * step + far**2 * bend)
            better = _log_likelihood(ledger, leap) >= _log_likelihood(ledger, twice)
        limit = np.where(better, 4 * limit, np.maximum(stretch / 4, 1))
        theta = np.where(better[ledger.league_of], leap, twice)
    raise SolverDidNotConverge(
        f"luce_strengths: log-strengths are {remaining.max():.0e} from their limit after "
        f"{MAX_ROUNDS} rounds, wanted {TOLERANCE:.0e}: some league is held together by very few "
        "of its races"
    )


def _mm_round(ledger: _Ledger, theta: Floats) -> Floats:
    """Wins ÷ expected wins per unit of strength, in logs; mean zero in each league."""
    value = ledger.tickets * np.exp(theta)[ledger.player]
    rate = ledger.repeats / np.bincount(ledger.race, value)
    expected = np.bincount(ledger.player, value * rate[ledger.race])
    moved = theta + np.log(ledger.wins / expected)
    return moved - (_per_league(ledger, moved) / np.bincount(ledger.league_of))[ledger.league_of]


def _per_league(ledger: _Ledger, values: Floats) -> Floats:
    return np.bincount(ledger.league_of, values).astype(np.float64)


def _log_likelihood(ledger: _Ledger, theta: Floats) -> Floats:
    """Log-likelihood of each league's races, shape (leagues,)."""
    purse = np.bincount(ledger.race, ledger.tickets * np.exp(theta)[ledger.player])
    _, first = np.unique(ledger.race, return_index=True)
    lost = np.bincount(ledger.league_of[ledger.player[first]], ledger.repeats * np.log(purse))
    return _per_league(ledger, ledger.wins * theta) - lost
