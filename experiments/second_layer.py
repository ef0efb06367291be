"""What does a second attention layer learn from texts that each have a chain of their own?

One layer and two, with and without positions, are trained on ever new texts.  Loss, distance from
three simple rules, and the parts of the weights are followed.
"""

import numpy as np
import torch

from experiments.experiment import Experiment
from nta_beyond.induction import Course, train_induction

SEEDS = tuple(range(8))
T, STEPS, LOOKS = 64, 1000, 40
MODELS = (
    {"layers": 2, "positions": True, "K": 5},
    {"layers": 2, "positions": True, "K": 3},
    {"layers": 2, "positions": False, "K": 5},
    {"layers": 1, "positions": True, "K": 5},
    {"layers": 1, "positions": False, "K": 5},
)
# A short training first: the one that is computed again.
SHORT = {**MODELS[0], "seed": 0, "steps": 40, "looks": 2}
CELLS = (
    SHORT,
    *({**m, "seed": s, "steps": STEPS, "looks": LOOKS} for m in MODELS for s in SEEDS),
)
EXAMPLE = "abcabdabcabeabca"  # behind a always b, behind b three different ones
SHOWN = 2  # every second look is kept as a picture


def measure(
    layers: int, positions: bool, K: int, seed: int, steps: int, looks: int
) -> dict[str, object]:
    """Train one network; of the first seeds keep the attention on an example, too."""
    course = train_induction(
        layers, K, T, positions=positions, seed=seed, steps=steps, records=looks
    )
    values: dict[str, object] = {"at": course.steps}
    values |= {name: np.round(measured, 4) for name, measured in course.measured.items()}
    values["tables"] = {
        name: np.round(weights[-1], 3).tolist() for name, weights in course.weights.items()
    }
    if seed == 0 and layers == 2 and positions and K == 5:
        values["pictures"] = pictures(course)
    return values


def pictures(course: Course) -> list[list[list[list[float]]]]:
    """Attention of both layers on the example at every second look; the sink is the last column."""
    text = torch.tensor([["abcde".index(letter) for letter in EXAMPLE]])
    return [
        [np.round(look[0].numpy(), 3).tolist() for look in course.network_at(at).attention(text)]
        for at in range(0, len(course.steps), SHOWN)
    ]


TITLE = "One layer and two, on texts from ever new Markov chains"
EXPERIMENT = Experiment(TITLE, 21, CELLS, measure, tolerance=1e-3)
