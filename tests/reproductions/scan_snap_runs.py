"""Computations behind the lines for Scan and Snap."""

from __future__ import annotations

import itertools
import json

import numpy as np

from nta_beyond.scansnap import (
    ScanSnapRun,
    TheoryCurves,
    class_overlaps,
    exact_decoder,
    make_classes,
    population_flow,
    rank_agreement,
    syn_small,
    theory_flow,
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


def losses() -> list[float]:
    return np.mean([run.losses[:12:2] for run in slow_decoder()], axis=0).tolist()


def top_is_most_frequent() -> float:
    """Share of runs and classes whose most attended distinct token is the most frequent one."""
    return float(np.mean([favourites(run) == run.classes.top for run in slow_decoder()]))


def favourites(run: ScanSnapRun) -> Floats:
    attended = np.where(run.classes.distinct, run.attention[-1], -1.0)
    return np.asarray(attended.argmax(axis=1))


def order_of_frequency() -> float:
    """Least rank correlation of logits and frequencies over runs and classes."""
    return min(float(rank_agreement(run.Z, run.classes).min()) for run in slow_decoder())


def faster_is_less_sparse() -> float:
    pairs = zip(slow_decoder(), fast_decoder(), strict=True)
    return float(np.mean([fast.entropy[-1] > slow.entropy[-1] for slow, fast in pairs]))


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


def different_winners() -> float:
    ranks = adam_ranks()
    return float(min(abs(a - b) for a, b in itertools.combinations(ranks, 2)) > 1)


def fig3_curves() -> list[TheoryCurves]:
    return [TheoryCurves(K=10, M=1000, eta_y=eta_y, eta_z=0.5, C0=1.0) for eta_y in (0.5, 1, 2, 5)]


def fig3_shape() -> float:
    """Share of neighbouring curves where the smaller η_Y turns later and ends higher."""
    pairs = itertools.pairwise(fig3_curves())
    end = np.array([700.0])
    return float(np.mean([a.t_gamma > b.t_gamma and a.B(end) > b.B(end) for a, b in pairs]))


def fig3_height() -> float:
    return float(np.exp(2 * fig3_curves()[0].B(np.array([700.0])))[0])


def fig8_error() -> float:
    """Largest difference between h in closed form and h integrated step by step."""
    K, M, eta_y = 10, 1000, 1.0
    curves = TheoryCurves(K=K, M=M, eta_y=eta_y, eta_z=1.0, C0=1.0)
    times = np.linspace(0, 400, 4001)
    h, error = 0.0, 0.0
    for t, step in zip(times[:-1], np.diff(times), strict=True):

        def slope(value: float) -> float:
            return float(eta_y / ((M - 1) + np.exp(M * value)) / K)

        a = slope(h)
        b = slope(h + step * a / 2)
        c = slope(h + step * b / 2)
        h += step * (a + 2 * b + 2 * c + slope(h + step * c)) / 6
        error = max(error, abs(h - float(curves.h(np.array([t + step]))[0])))
    return error


def fig9_same_height() -> float:
    """Largest relative difference of B at K ln M/η_Y between pairs of rates of one ratio."""
    heights = []
    for rate in (0.1, 1.0, 5.0):
        curves = TheoryCurves(K=10, M=1000, eta_y=rate, eta_z=rate, C0=1.0)
        heights.append(float(curves.B(np.array([curves.t0_prime]))[0]))
    return float(np.ptp(heights) / heights[0])


def fates() -> list[float]:
    """Shares of recorded moves in which distinct tokens rise, and the common token falls."""
    classes = make_classes(2, common=1)
    flow = population_flow(classes, eta_y=1, eta_z=0.1)
    moves = np.diff(flow.z, axis=0)
    return [float((moves[:, classes.distinct] > 0).mean()), float((moves[:, :, 0] < 0).mean())]


def growth(ratio: float) -> float:
    flow = population_flow(syn_small(1), eta_y=1, eta_z=ratio)
    return max(float(np.abs(token_growth(flow, n).deviation).max()) for n in range(2))


def growth_in_theory() -> float:
    classes = make_classes(4, common=1, unused=300)
    flow = theory_flow(classes, eta_y=1, eta_z=0.1)
    return max(float(np.abs(token_growth(flow, n).deviation).max()) for n in range(4))


def printed_start() -> float:
    return float(TheoryCurves(K=10, M=1000, eta_y=1, eta_z=1, C0=0.1).B_printed(np.zeros(1))[0])


def drive_ratio(M: int) -> float:
    """Theorem 1's drive of attention over the exact one, both integrated to 30 K ln M / η_Y."""
    K, overlap = 2, 0.21
    exact = exact_decoder(K=K, M=M, overlap=overlap, eta_y=1.0)
    inside = exact.times <= 30 * K * np.log(M)
    times = exact.times[inside]
    curves = TheoryCurves(K=K, M=M, eta_y=1.0, eta_z=1.0, C0=1.0)
    theory = curves.gamma(times) * overlap / (1 - overlap**2)
    return float(np.trapezoid(theory, times) / np.trapezoid(exact.drive[inside], times))


def syn_small_overlap() -> float:
    return float(class_overlaps(syn_small().P).largest)


def fig6(queries: int, eta_z: float, column: str) -> list[float]:
    cells = stored_result("scan_snap_fig6").select(queries=queries, eta_z=eta_z)
    return [cell[column] for cell in sorted(cells, key=lambda cell: cell["ratio"])]


def recall_falls() -> float:
    """Share of pairs of cells where fewer tokens are recalled with the largest η_Z."""
    pairs = [
        (slow, fast)
        for queries in (1, 3, 5, 10)
        for slow, fast in zip(
            fig6(queries, 0.5, "recall_1"), fig6(queries, 3.0, "recall_1"), strict=True
        )
    ]
    return float(np.mean([slow >= fast for slow, fast in pairs]))


def snap_times() -> list[float]:
    """Least and largest time of the fastest move, in units of K ln M / η_Y, over all flows."""
    cells = stored_result("scan_snap_peak_times").select(kind="flow")
    ratios = [cell["ratio"] for cell in cells]
    return [min(ratios), max(ratios)]


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


def sparser_in_time() -> float:
    """Share of runs that end with a lower entropy than they start with."""
    entropies = text_entropies()
    return float((entropies[..., -1] < entropies[..., 0]).mean())


def sparser_with_rate() -> float:
    """Share of neighbouring rates, seed by seed, where the larger ends with a lower entropy."""
    return float((np.diff(text_entropies()[..., -1], axis=0) < 0).mean())


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
