"""Clue or copy: which tokens win the attention of the two layers, and which ingredient decides?

Both layers are trained on the same 20 datasets per cell (200 sequences of 40 tokens each).
"""

from collections import Counter

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import Contest, ContestSide, clue_or_copy_contests, ingredient_masses

SEEDS = 20
RHOS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
CONTESTS = grid(kind=["contest"], cyclic=(False, True), rho=RHOS)
INGREDIENTS = grid(kind=["ingredients"], cyclic=(False, True), rho=[0.25])


def measure(kind: str, cyclic: bool, rho: float) -> dict[str, object]:
    """Masses of both layers over time, favourites and losses; or the table of ingredients."""
    if kind == "ingredients":
        masses = ingredient_masses(rho=rho, cyclic=cyclic, seeds=range(SEEDS))
        return {f"{decoder} + {loss}": mass for (decoder, loss), mass in masses.items()}
    contests = clue_or_copy_contests(rho, cyclic=cyclic, seeds=range(SEEDS))
    logits_of_a = [contest.scans.logits[-1, 0] for contest in contests]
    return {
        **side("copies", [contest.copies for contest in contests]),
        **side("scans", [contest.scans for contest in contests]),
        "scans_z_of_A": [float(min(logits_of_a)), float(max(logits_of_a))],
        "share_error": max(map(share_error, contests)),
    }


def side(name: str, sides: list[ContestSide]) -> dict[str, object]:
    """Mean masses and loss over time, favourites of label A with their numbers, extremes."""
    found: dict[str, object] = {f"{name}_times": sides[0].times.tolist()}
    for group in ("label", "clue", "junk", "query"):
        curves = np.array([one.masses[group] for one in sides])
        found[f"{name}_{group}"] = curves.mean(axis=0).round(6).tolist()
        found[f"{name}_{group}_range"] = [float(curves[:, -1].min()), float(curves[:, -1].max())]
    found[f"{name}_loss"] = np.mean([one.losses for one in sides], axis=0).round(6).tolist()
    found[f"{name}_favourites"] = dict(Counter(one.favourites[0] for one in sides))
    return found


def share_error(contest: Contest) -> float:
    """How far the copying layer's share of A among labels lies from the share of label A."""
    gap = contest.copies.logits[-1, 0] - contest.copies.logits[-1, 1]
    counts, targets = contest.dataset.counts, contest.dataset.targets
    weights = counts[:, :2] * np.exp([gap, 0.0])
    expected = (weights[:, 0] / weights.sum(axis=1)).mean()
    return float(abs(expected - (targets == 0).mean()))


EXPERIMENT = Experiment("Clue or copy", 14, CONTESTS + INGREDIENTS, measure, tolerance=1e-5)
