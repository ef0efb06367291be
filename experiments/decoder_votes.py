"""Who wins attention once the head learns?  Three ways to say it before attention has moved.

On every dataset of "Clue or copy": the token that the max-margin head over still attention votes
for most strongly (no training at all), the best voter of a head trained for 1,000 steps over still
attention, and the most frequent token of one label only.  Held against the token that the layer of
Scan and Snap, both parts trained from zero, attends to most.
"""

from collections.abc import Iterator

import numpy as np

from experiments.decoder_steps import votes
from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.decoder import Language, NotSeparable, margin_part, train_head
from nta_beyond.scansnap import clue_or_copy_dataset, train_scanning
from nta_beyond.scansnap.clue_or_copy import NAMES, QUERY
from nta_core import Dataset
from nta_core.boundary import Floats

RHOS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
STEPS, RATE = 1000, 2.0
CELLS = (
    *grid(cyclic=(False, True), rho=RHOS, seeds=[10]),
    {"cyclic": False, "rho": 0.25, "seeds": 1},
)


def measure(cyclic: bool, rho: float, seeds: int) -> dict[str, object]:
    """Favourites by name, label A then B of each seed; "" where there is no max-margin head."""
    datasets = [clue_or_copy_dataset(rho, cyclic=cyclic, seed=seed) for seed in range(seeds)]
    scans = train_scanning(datasets)
    languages = [still(data) for data in datasets]
    found = zip(datasets, languages, strict=True)
    heads = [train_head(one, steps=STEPS, step_size=RATE, record=[STEPS]).W for one in languages]
    return {
        "scans": [name for side in scans for name in side.favourites],
        "margin": [name for data, one in found for name in favourites(data, margin(one))],
        "head": [
            name for data, W in zip(datasets, heads, strict=True) for name in favourites(data, W)
        ],
        "frequent": [name for data in datasets for name in frequent(data)],
    }


def still(data: Dataset) -> Language:
    """What a head sees behind uniform attention over all tokens but the query, at length 1."""
    counts = data.counts.astype(np.float64)
    counts[:, QUERY] = 0
    features = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    return Language(features, np.eye(len(NAMES))[data.targets], words=NAMES)


def margin(language: Language) -> Floats | None:
    try:
        return margin_part(language).W
    except NotSeparable:
        return None


def favourites(data: Dataset, W: Floats | None) -> Iterator[str]:
    """For each label the token of its sequences with the best vote for the right word."""
    for label in (0, 1):
        seen = data.counts[data.targets == label].sum(axis=0) > 0
        seen[QUERY] = False
        vote = None if W is None else votes(W.T, data.counts.astype(np.float64), data.targets)
        yield "" if vote is None else NAMES[int(np.where(seen, vote, -np.inf).argmax())]


def frequent(data: Dataset) -> Iterator[str]:
    """For each label the most frequent token that occurs with it only: chapter 14's rule."""
    both = [data.counts[data.targets == label].sum(axis=0) for label in (0, 1)]
    for own, other in (both, both[::-1]):
        loyal = np.where(other == 0, own, 0)
        loyal[QUERY] = 0
        yield NAMES[int(loyal.argmax())]


EXPERIMENT = Experiment(
    "Votes of a head over still attention", 20, CELLS, measure, spot=(len(CELLS) - 1,),
    tolerance=1e-5,
)  # fmt: skip
