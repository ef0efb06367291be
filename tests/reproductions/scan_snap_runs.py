"""Computations behind the lines for Scan and Snap."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import softmax

from nta_beyond.scansnap import (
    ScanSnapRun,
    TheoryCurves,
    exact_decoder,
    population_flow,
    snap_scale,
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


def ratio_of_peaks(M: int) -> float:
    """Largest drive of Theorem 1 over the largest true one; no cut of an integral matters."""
    K, overlap = 2, 0.21
    exact = exact_decoder(K=K, M=M, overlap=overlap, eta_y=1.0)
    theory = TheoryCurves(K=K, M=M, eta_y=1.0, eta_z=1.0).gamma(exact.times)
    return float(overlap / (1 - overlap**2) * theory.max() / exact.drive.max())


def leads_of_the_steps() -> list[Floats]:
    """h*(s) − h(s) in units of 2η_Y/M for s = 0 … 5000 and the ten curves of Fig. 8."""
    gaps = []
    for M, rates in ((50, (0.1, 0.2, 0.5, 1.0, 2.0)), (1000, (0.2, 0.5, 1.0, 2.0, 4.0))):
        for eta_y in rates:
            steps = [0.0]
            for _ in range(5000):
                steps.append(steps[-1] + eta_y / (M - 1 + float(np.exp(M * steps[-1]))))
            curve = TheoryCurves(K=1, M=M, eta_y=eta_y, eta_z=1.0).h(np.arange(5001))
            gaps.append((np.array(steps) - curve) * M / (2 * eta_y))
    return gaps


def other_rows(sign: float) -> float:
    """Largest entry of FᵀẎ outside row n, relative to row n, for random classes."""
    rng = np.random.default_rng(0)
    F = rng.dirichlet(np.ones(12), size=4).T
    F /= np.linalg.norm(F, axis=0)
    E_prime = sign * (np.eye(4) - np.linalg.inv(F.T @ F))
    moves = F.T @ (F - F @ E_prime)  # column n: how the logits of every class move
    return float(np.abs(moves - np.diag(np.diag(moves))).max() / np.diag(moves).min())


def distance_from_lemma_4() -> float:
    """Integrate the modified gradient with all M columns; nothing of ours but the formula."""
    K, M, overlaps = 3, 2015, np.zeros((3, 11))
    overlaps[:, :2] = 1.0
    for n in range(K):
        overlaps[n, 2 + 3 * n : 5 + 3 * n] = (0.1, 0.55, 1.0)
    f = overlaps / np.linalg.norm(overlaps, axis=1, keepdims=True)
    inverse = np.linalg.inv(f @ f.T)

    def residual(Y: Floats) -> Floats:
        return np.eye(M)[:K] - softmax(f @ Y, axis=1)

    def rate(_: float, flat: Floats) -> Floats:
        return ((inverse @ f).T @ residual(flat.reshape(-1, M)) / K).ravel()

    end = 2 * K * np.log(M)
    done = solve_ivp(rate, (0, end), np.zeros(11 * M), rtol=1e-8, atol=1e-10)
    Y = done.y[:, -1].reshape(-1, M)
    g = residual(Y) @ Y.T
    pull = (f * (g - f * (f * g).sum(axis=1, keepdims=True))).sum(axis=0)
    visits = M * end / K + 1
    h = brentq(lambda h: np.exp(M * h) + (M - 1) * M * h - visits, 0, np.log(visits) / M)
    gamma = (M - 1) ** 2 * h / (M - 1 + np.exp(M * h))
    beta = -inverse * (1 - np.eye(K))
    inner = (beta * (f @ f.T)).sum(axis=1, keepdims=True)
    formula = gamma * (f * (inner * f - beta @ f)).sum(axis=0)
    return float(np.abs(pull - formula).max() / np.abs(formula).max())


def speed_exponents() -> tuple[Floats, Floats]:
    """Times from 10² to 10⁶ snap scales, and the exponent of the speed of attention there."""
    classes = syn_small(1)
    unit = snap_scale(classes, 1.0)
    flow = population_flow(classes, eta_y=1.0, eta_z=0.5, until=2e6 * unit, record=400)
    clock = np.log(flow.speed_times[1:])
    slopes = np.gradient(np.log(flow.speed[1:]), clock)
    times = unit * 10.0 ** np.arange(2, 7)
    return times, np.interp(np.log(times), clock, slopes)


def recall_falls() -> Floats:
    """Fall of the recall from the lowest to the highest threshold; sizes by η_Z by ratio."""
    stored = stored_result("scan_snap_recall")
    falls = [
        [
            [
                cell["recalls"][0] - cell["recalls"][-1]
                for cell in stored.select(queries=queries, eta_z=eta_z)
            ]
            for eta_z in (0.5, 1.0, 2.0, 3.0)
        ]
        for queries in (1, 3, 5, 10)
    ]
    return np.array(falls)


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
    """Mean entropy of the theory's attention on WikiText-2, shape (rates, seeds, records)."""
    return _by_rate(stored_result("scan_snap_text").select(steps=2000))


def entropies_of_fig10() -> Floats:
    """Mean entropy of the transformer's attention, shape (rates, seeds, snapshots)."""
    return _by_rate(_on_wikitext(steps=500))[..., 0]


def entropies_of_fig7() -> list[Floats]:
    """Mean entropy of the first layer's attention, per run: its snapshots."""
    return [np.array(cell["entropies"])[:, 0] for cell in _on_wikitext(steps=1500)]


def moves_of_fig7() -> list[Floats]:
    """How far the first layer's attention moved between snapshots, per run."""
    return [np.array(cell["moves"])[:, 0] for cell in _on_wikitext(steps=1500)]


def _on_wikitext(steps: int) -> Sequence[Mapping[str, Any]]:
    return stored_result("scan_snap_wikitext").select(steps=steps, positions=True)


def _by_rate(cells: Sequence[Mapping[str, Any]]) -> Floats:
    """Entropies of equally many seeds a rate."""
    rates = sorted({cell["rate"] for cell in cells})
    return np.array([[c["entropies"] for c in cells if c["rate"] == rate] for rate in rates])


# ---- how many runs are behind a stored number --------------------------------------------------


def flows() -> str:
    """Count the flows whose fastest moment is stored."""
    return f"{len(stored_result('scan_snap_peak_times').select(kind='flow'))} flows"


def seeds_of_fig6() -> str:
    """Count the seeds of a cell."""
    return f"{len(stored_result('scan_snap_fig6').cells[0]['entropies'])} seeds a cell"


def seeds_of_recall() -> str:
    """Count the settings of the recalls."""
    return f"{len(stored_result('scan_snap_recall').cells)} settings"


def runs_on_text() -> str:
    """Count rates and seeds of the theory's layer."""
    rates, seeds, _ = text_entropies().shape
    return f"{rates} rates, {seeds} seeds"


def runs_of_fig10() -> str:
    """Count rates and seeds of the transformer."""
    rates, seeds, _ = entropies_of_fig10().shape
    return f"{rates} rates, {seeds} seeds"


def long_runs_of_fig7() -> str:
    """Count those that are long enough to come to rest."""
    return _by_layers(_on_wikitext(steps=1500))


def _by_layers(cells: Sequence[Mapping[str, Any]]) -> str:
    layers = [cell["layers"] for cell in cells]
    return f"{layers.count(1)} with one layer, {layers.count(3)} with three"
