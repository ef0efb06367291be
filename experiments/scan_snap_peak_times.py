"""When does attention snap? Its fastest moment against the theory's K ln M / η_Y.

Flow cells follow the exact flow of the population with one query, for attention much slower than
the decoder (η_Z/η_Y = 0.05, as the theory assumes) and not so much slower (0.5); sampled cells are
the authors' training of Syn-Small (two queries, η_Z = 1, 24 seeds).
"""

import numpy as np

import nta_beyond.scansnap as scansnap
from experiments.experiment import Experiment
from experiments.instances import grid

SEEDS = 24
STEPS = 100
RATES = ((0.5, 0.025), (2.0, 0.1), (0.5, 0.25), (2.0, 1.0))
FLOWS = tuple(
    {"kind": "flow", **classes, "eta_y": eta_y, "eta_z": eta_z}
    for classes in grid(common=(1, 10), K=(2, 4, 8), unused=(0, 200, 800))
    for eta_y, eta_z in RATES
)
SAMPLED = tuple(
    {"kind": "sampled", "K": 2, "common": 10, "unused": 0, "eta_y": eta_y, "eta_z": 1.0}
    for eta_y in (0.5, 1.0, 2.0, 5.0, 10.0)
)


def measure(
    kind: str, K: int, common: int, unused: int, eta_y: float, eta_z: float
) -> dict[str, object]:
    """Time of the fastest move and what surrounds it."""
    if kind == "sampled":
        return sampled(eta_y, eta_z)
    classes = scansnap.make_classes(K, common=common, unused=unused)
    flow = scansnap.population_flow(classes, eta_y=eta_y, eta_z=eta_z, record=600)
    scale = scansnap.snap_scale(classes, eta_y)
    peak = float(flow.speed_times[flow.speed.argmax()])
    early, late = scansnap.speed_slopes(flow)
    return {
        "M": classes.M,
        "scale": scale,
        "peak": peak,
        "ratio": peak / scale,
        "t_gamma": float(scansnap.theory_of(classes, eta_y=eta_y, eta_z=eta_z).t_gamma),
        "early_slope": early,
        "late_slope": late,
        "share_by_4": scansnap.path_share(flow, 4 * scale),
        "share_by_20": scansnap.path_share(flow, 20 * scale),
    }


def sampled(eta_y: float, eta_z: float) -> dict[str, object]:
    """Iterations of the fastest move, of the first quiet one, and how quiet the end is."""
    seeds = range(SEEDS)
    runs = scansnap.train_sampled_batch(
        scansnap.syn_small(2), seeds=seeds, eta_y=eta_y, eta_z=eta_z, steps=STEPS
    )
    snaps = [scansnap.find_snap(run) for run in runs]
    scale = scansnap.snap_scale(runs[0].classes, eta_y)
    peaks = [snap.peak for snap in snaps]
    return {
        "M": runs[0].classes.M,
        "scale": scale,
        "peak": float(np.mean(peaks)),
        "ratio": float(np.mean(peaks)) / scale,
        "peak_range": [min(peaks), max(peaks)],
        "quiet": float(np.mean([snap.quiet for snap in snaps])),
        "last_speed": max(snap.last_speed for snap in snaps),
        "share_by_30": min(scansnap.path_share(run, 30) for run in runs),
    }


EXPERIMENT = Experiment("Snap times", 13, FLOWS + SAMPLED, measure, spot=(0, len(FLOWS)))
