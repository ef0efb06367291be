"""Computations behind the lines for Scan and Snap."""

from __future__ import annotations

import itertools
import json

import numpy as np

from nta_beyond.scansnap import (
    ScanSnapRun,
    TheoryCurves,
    exact_decoder,
    population_flow,
    syn_small,
    token_growth,
    train_sampled_batch,
)
from nta_book.results import stored_result
from tests.golden import DATA
from tests.reproductions.runs import Floats, shared

SEEDS = range(20)
CELLS = list(itertools.product((1, 3, 5, 10), (0.5, 1.0, 2.0, 3.0)))


@shared
def slow_decoder() -> list[ScanSnapRun]:
    return train_sampled_batch(syn_small(), seeds=SEEDS, eta_y=1, eta_z=1)


@shared
def fast_decoder() -> list[ScanSnapRun]:
    return train_sampled_batch(syn_small(), seeds=SEEDS, eta_y=10, eta_z=1)


def favourites(run: ScanSnapRun) -> Floats:
    attended = np.where(run.classes.distinct, run.attention[-1], -1.0)
    return np.asarray(attended.argmax(axis=1))


def adam_ranks() -> list[float]:
    """Mean rank by frequency (1 = rarest) of the most attended distinct token under Adam."""
    ranks = []
    for rate in (0.1, 0.5, 1.0):
        runs = train_sampled_batch(
            syn_small(), seeds=range(8), eta_y=rate, eta_z=rate, optimizer="adam", record=[100]
        )
        found = []
        for run in runs:
            for n, token in enumerate(favourites(run).astype(int)):
                own = run.classes.P[n, run.classes.distinct[n]]
                found.append(1 + int((own < run.classes.P[n, token] - 1e-12).sum()))
        ranks.append(float(np.mean(found)))
    return ranks


def fig3_curves() -> list[TheoryCurves]:
    return [TheoryCurves(K=10, M=1000, eta_y=eta_y, eta_z=0.5, C0=1.0) for eta_y in (0.5, 1, 2, 5)]


def growth(ratio: float) -> float:
    flow = population_flow(syn_small(1), eta_y=1, eta_z=ratio)
    return max(float(np.abs(token_growth(flow, n).deviation).max()) for n in range(2))


def drive_ratio(M: int) -> float:
    """Theorem 1's drive of attention over the exact one, both integrated to 30 K ln M / η_Y."""
    K, overlap = 2, 0.21
    exact = exact_decoder(K=K, M=M, overlap=overlap, eta_y=1.0)
    inside = exact.times <= 30 * K * np.log(M)
    times = exact.times[inside]
    curves = TheoryCurves(K=K, M=M, eta_y=1.0, eta_z=1.0, C0=1.0)
    theory = curves.gamma(times) * overlap / (1 - overlap**2)
    return float(np.trapezoid(theory, times) / np.trapezoid(exact.drive[inside], times))


def fig6(queries: int, eta_z: float, column: str) -> list[float]:
    cells = stored_result("scan_snap_fig6").select(queries=queries, eta_z=eta_z)
    return [cell[column] for cell in sorted(cells, key=lambda cell: cell["ratio"])]


def published(queries: int, eta_z: float) -> tuple[float, ...]:
    cells = json.loads((DATA / "scan_snap_fig6.json").read_text(encoding="utf-8"))["cells"]
    mine = [cell for cell in cells if (cell["queries"], cell["eta_z"]) == (queries, eta_z)]
    return tuple(cell["entropy"] for cell in sorted(mine, key=lambda cell: cell["ratio"]))


def loss_log() -> tuple[float, ...]:
    log = json.loads((DATA / "scan_snap_loss_log.json").read_text(encoding="utf-8"))
    return tuple(cell["loss"] for cell in log["cells"])


def text_entropies() -> Floats:
    """Mean entropy of attention on a grammar's text, shape (rates, seeds, records)."""
    cells = [cell for cell in stored_result("scan_snap_text").cells if cell["steps"] == 2000]
    rates = sorted({cell["rate"] for cell in cells})
    return np.array([[c["entropies"] for c in cells if c["rate"] == rate] for rate in rates])


# ---- how many runs are behind a stored number --------------------------------------------------


def flows() -> str:
    """Count the flows whose fastest moment is stored."""
    return f"{len(stored_result('scan_snap_peak_times').select(kind='flow'))} flows"


def seeds_of_fig6() -> str:
    """Count the seeds of a cell."""
    return f"{len(stored_result('scan_snap_fig6').cells[0]['entropies'])} seeds a cell"


def runs_on_text() -> str:
    """Count rates and seeds."""
    rates, seeds, _ = text_entropies().shape
    return f"{rates} rates, {seeds} seeds"
