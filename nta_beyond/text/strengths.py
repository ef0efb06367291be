"""Strengths inside the leagues of a corpus: Luce's model with a light prior.

The automaton's odds are the maximum-likelihood strengths of `luce_strengths`.  In text a league is
often held together by a single upset, and its strengths then run far apart.  A ridge on the
log-strengths, worth a fraction of one race, keeps them in reach; as it goes to zero they become
the strengths of `luce_strengths`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nta_beyond.text.decisions import UNSEEN, LeagueTables
from nta_beyond.text.edges import TokenEdges, look_up
from nta_beyond.text.windows import Windows
from nta_core.boundary import Floats, Ints, a, number
from nta_core.errors import DataError, SolverDidNotConverge
from nta_core.model.ragged import RaggedRows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

RIDGE = 0.1
TOLERANCE = 1e-3  # difference of expected and real wins, in races


@dataclass(frozen=True, eq=False, repr=False)
class Strengths:
    """Log-strengths of all tokens on all tracks; mean zero in each league.

    Attributes
    ----------
    nodes : int64 array of shape (nodes,)
        last·K + token, sorted.
    theta : float64 array of shape (nodes,)
        Log-strength; 0 for a token without a rival in its league.

    Explained in: chapters 6 and 16. Paper: Sec. 3 (the soft component).
    """

    nodes: Ints
    theta: Floats
    K: int

    def of(self, windows: Windows) -> Floats:
        """Log-strength of every token of every window, 0 where there is none; shape (n, T)."""
        wanted = a(Windows, windows, "windows").nodes(self.K)
        return look_up(self.nodes, self.theta, wanted, 0)

    def __repr__(self) -> str:
        return f"Strengths({np.count_nonzero(self.theta):,} tokens with rivals)"


def fit_strengths(found: TokenEdges, windows: Windows, *, ridge: float = RIDGE) -> Strengths:
    """Fit the strengths to the races of some windows, given the edges of the same windows.

    Windows without their next token play no part.  `ridge` is the weight of ½ θ² per token, in
    races.  Raises `SolverDidNotConverge` when Newton's method does not come to rest.

    Examples
    --------
    >>> from nta_beyond.text import Corpus, Vocabulary, grammar_text, read_edges, text_windows
    >>> corpus = Corpus.from_text(grammar_text(2_000, seed=0))
    >>> words = Vocabulary.of(corpus)
    >>> fit_strengths(read_edges(corpus, words), text_windows(corpus, words))
    Strengths(137 tokens with rivals)

    Explained in: chapters 6 and 16.
    """
    ridge = number(ridge, "ridge", least=1e-9, most=1e9)  # 1e-9 is as good as none
    nodes = a(TokenEdges, found, "found").condensation.nodes
    theta = np.zeros(len(nodes))
    players, tickets, wins = _tickets_and_wins(found, windows)
    if len(players):
        theta[players] = _newton(tickets, wins, ridge)
    return Strengths(nodes, theta, found.K)


def _tickets_and_wins(found: TokenEdges, windows: Windows) -> tuple[Ints, csr_array, Floats]:
    """Nodes that have a rival, their tickets race by race (races, players), and their wins.

    A race is run by the tokens of its winner's league; one without a rival teaches nothing.
    """
    from scipy.sparse import csr_array

    nodes, races = found.condensation.nodes, a(Windows, windows, "windows").races()
    league = LeagueTables(found).leagues(races)
    if (league == UNSEEN).any():
        new = int((league == UNSEEN).any(axis=1).argmax())
        raise DataError(f"the edges were not read from these windows: race {new} is new to them")
    first = (races.tokens == races.labels[:, None]).argmax(axis=1)
    rows = np.arange(races.n)
    row, column = np.nonzero(league == league[rows, first][:, None])
    node = np.searchsorted(nodes, races.lasts[row] * found.K + races.tokens[row, column])
    sizes = np.bincount(found.condensation.component)
    rivals = sizes[found.condensation.component[node]] > 1
    players, player = np.unique(node[rivals], return_inverse=True)
    ones = np.ones(len(player))
    tickets = csr_array((ones, (row[rivals], player)), shape=(races.n, len(players)))
    tickets.sum_duplicates()
    run = np.flatnonzero(np.diff(tickets.indptr))
    label = np.searchsorted(nodes, races.lasts * found.K + races.labels)[run]
    wins = np.bincount(np.searchsorted(players, label), minlength=len(players))
    return players, tickets[run], wins.astype(np.float64)


def _newton(tickets: csr_array, wins: Floats, ridge: float) -> Floats:
    """Minimize Σ log Σ tickets·e^θ − wins·θ + ridge/2·θ², which is strictly convex."""
    from scipy.optimize import minimize

    rows, player = RaggedRows.of(tickets.indptr), tickets.indices
    log_tickets, size = np.log(tickets.data), len(wins)

    def risk(theta: Floats) -> tuple[float, Floats]:
        log_purses, chance = rows.softmax(theta[player] + log_tickets)
        slope = np.bincount(player, chance, minlength=size) - wins + ridge * theta
        return float(log_purses.sum() - wins @ theta + ridge / 2 * theta @ theta), slope

    def bend(theta: Floats, along: Floats) -> Floats:
        _, chance = rows.softmax(theta[player] + log_tickets)
        lead = along[player]
        lead = lead - rows.sum(chance * lead)[rows.row]
        return np.asarray(np.bincount(player, chance * lead, minlength=size) + ridge * along)

    found = minimize(risk, np.zeros(size), jac=True, hessp=bend, method="trust-krylov")
    slope = float(np.abs(risk(found.x)[1]).max())
    if not slope <= TOLERANCE:
        raise SolverDidNotConverge(
            f"strengths: expected and real wins differ by {slope:.0e} after {found.nit} rounds, "
            f"wanted {TOLERANCE:.0e}: raise the ridge"
        )
    return np.asarray(found.x)
