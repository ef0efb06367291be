"""Which optimizer leads to which W: what the papers behind chapter 19 state, on attention."""

from __future__ import annotations

import numpy as np

from nta_beyond.optimizers import newton_schulz
from nta_book.results import stored_result
from tests.reproductions.entry import ORDER, TREND, Entry, Lines

_line = Lines("field", chapter=19)
_NORMS = ("frobenius", "spectral", "largest", "nuclear")


def _leads(way: str, norm: str) -> list[bool]:
    """Whether a way of training has more of the best margin by its own ruler than by any other."""
    cells = stored_result("optimizer_norms").select(way=way)
    return [max(_NORMS, key=lambda other: cell[other]) == norm for cell in cells]


@_line(
    "muon-singular-values",
    "Jordan et al., muon.py",
    [0.5, 1.5],
    "a comment of the code: “something like”",
    ORDER,
    "400 values",
    digits=2,
)
def muon_singular_values() -> list[float]:
    """smallest and largest singular value after five steps, before from 0.002 to 1"""
    before = np.geomspace(0.002, 1.0, 400)
    pairs = [np.diag([x, np.sqrt(1.0 - x * x)]) for x in before]
    after = [float(newton_schulz(G)[0, 0]) for G in pairs]
    return [min(after), max(after)]


@_line(
    "steepest-margins",
    "Fan et al., abstract",
    1.0,
    "stated for linear classifiers",
    TREND,
    "80 trainings",
    says="steepest descent in a norm leads to the margin of that norm",
    stored="optimizer_norms",
)
def steepest_margins() -> float:
    """four norms, 20 datasets: the share of the best margin is largest by the norm of the steps

    Chosen: Attention, log-loss, 10,000 steps of 0.05.
    """
    return float(np.mean([_leads(norm, norm) for norm in _NORMS]))


@_line(
    "factors-nuclear",
    "Sheen et al., abstract",
    1.0,
    "stated for gradient flow, exponential loss",
    TREND,
    "20 trainings",
    says="keys and queries keep the nuclear norm short, one matrix the Frobenius norm",
    stored="optimizer_norms",
)
def factors_nuclear() -> float:
    """by which of four norms the share of the best margin is largest

    Chosen: Log-loss, normalized steps, entries of size 0.01 at the start.
    """
    return float(np.mean([_leads("keys and queries", "nuclear"), _leads("frobenius", "frobenius")]))


@_line(
    "adaptive-steps",
    "Vasudeva et al., abstract",
    1.0,
    "stated for binary classification",
    TREND,
    "20 datasets",
    says="normalized and Polyak steps turn W faster than plain descent",
    stored="optimizer_rates",
)
def adaptive_steps() -> float:
    """distance from the direction of W_svm after 10,000 steps, every step size tuned

    Chosen: Next-token log-loss, tied head, step sizes from powers of 2.
    """
    rates = stored_result("optimizer_rates")
    ends = {
        way: np.array([cell["distance"][-1] for cell in rates.select(way=way)])
        for way in ("plain", "normalized", "Polyak")
    }
    return float(np.mean(np.maximum(ends["normalized"], ends["Polyak"]) < ends["plain"]))


ENTRIES: list[Entry] = _line
