"""Which start ends in which graph? Fig. 3 with silent tokens, from a grid of starts.

Silent tokens belong to the vocabulary but to no sequence.  They change nothing for a loss that
reads the attention on the label, and much for a loss with a softmax over the vocabulary.
"""

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import train
from nta_core import FIG3, Dataset

LEADS = [round(-4 + 0.5 * i, 1) for i in range(17)]  # lead of e1, and of e3, over e2 at the start
SETTINGS = (
    *(("squared-softmax", silent) for silent in (2, 0, 1, 4)),
    *((loss, 2) for loss in ("log", "squared", "cross-entropy")),
)
CELLS = tuple(
    {"loss": loss, "silent": silent, "e3": lead} for loss, silent in SETTINGS for lead in LEADS
)


def measure(loss: str, silent: int, e3: float) -> dict[str, object]:
    """Trained scores of e1 to e4 on both tracks, one row per lead of e1 at the start.

    Embeddings are one-hot, so W holds the scores, and the tied head is the general one.
    """
    K = FIG3.K + silent
    data = Dataset(FIG3.sequences, FIG3.labels, K=K)
    starts = np.zeros((len(LEADS), K, K))
    starts[:, 0, 1], starts[:, 2, 1] = LEADS, e3
    many = len(LEADS)
    runs = train([data] * many, [np.eye(K)] * many, starts, loss)
    trained = np.array([run.W for run in runs]).round(4)
    return {"e1": LEADS, "after_e1": trained[:, :4, 0], "after_e2": trained[:, :4, 1]}


TITLE = "Fig. 3 with silent tokens: where each start ends"
EXPERIMENT = Experiment(TITLE, 11, CELLS, measure, spot=(2,), tolerance=1e-3)
