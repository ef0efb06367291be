"""Is a run that prefers its own answer at the lowest point of its loss, or in a valley of its own?

Each dataset is trained from many starts, small and large, and from the theory's W.  The best of
them all stands for the lowest loss there is; the usual run, from the first small start, is
compared with it.
"""

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import draw, train
from experiments.loss_head_board import FAR_OUT, HIGHER, LOWER, PAIRS

DATASETS = 100
SCALES = (1, 1, 1, 1, 5, 5, 5, 5, 20, 20, 20, 20)  # of the starts; the first is the board's own
CELLS = tuple(
    {"loss": loss, "head": head, "size": [6, 4, 6, 8], "kind": kind}
    for kind in ("cyclic", "acyclic")
    for loss, head in PAIRS
)


def measure(loss: str, head: str, size: list[int], kind: str) -> dict[str, object]:
    """Loss of the usual run, of the best of all, and of the theory's limit, per dataset."""
    d, readout = size[-1], nta.Readout(loss, head)
    data, Es = draw(size, range(DATASETS), kind=kind)
    theories = [nta.Theory.of(dataset, E) for dataset, E in zip(data, Es, strict=True)]
    limits = [FAR_OUT * theory.svm.W + theory.fin.W for theory in theories]
    starts = []
    for seed, limit in enumerate(limits):
        drawn = (nta.random_start(d, seed=seed + 1000 * k) for k in range(len(SCALES)))
        starts += [scale * W for scale, W in zip(SCALES, drawn, strict=True)] + [limit]
    each = len(SCALES) + 1
    many = [dataset for dataset in data for _ in range(each)]
    runs = train(many, [E for E in Es for _ in range(each)], starts, readout)
    ends = np.reshape([run.losses[-1] for run in runs], (DATASETS, each))
    theory = np.array(
        [nta.loss_value(W, x, E, loss=readout) for W, x, E in zip(limits, data, Es, strict=True)]
    )
    usual, best = ends[:, 0], np.minimum(ends.min(axis=1), theory)
    content, at_best = usual < theory - LOWER, usual <= best + HIGHER
    return {
        "datasets": DATASETS,
        "starts": each,
        "content": int(content.sum()),
        "content_best": int((content & at_best).sum()),
        "stuck": int((usual > theory + HIGHER).sum()),
        "best_is_theory": int((best > theory - LOWER).sum()),
        "left_theory": int((ends[:, -1] < theory - LOWER).sum()),
        "worst_gap": float((usual - best).max()),
    }


TITLE = "The usual run against the best of many starts, for every loss and head"
EXPERIMENT = Experiment(TITLE, 10, CELLS, measure, spot=(9,), tolerance=1e-3)
