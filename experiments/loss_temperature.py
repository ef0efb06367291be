"""Does a temperature inside the softmax give the tied tokens back?"""

import itertools

from experiments.experiment import Experiment
from experiments.loss_head_board import SIZES, cell, measure

TEMPERATURES = (0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 5.0, 20.0)
PAIRS = (("cross-entropy", "tied"), ("cross-entropy", "general"), ("squared-softmax", "tied"))
CELLS = tuple(
    cell(pair, SIZES[0], temperature=t) for pair, t in itertools.product(PAIRS, TEMPERATURES)
)

TITLE = "Cross-entropy with a temperature: right league, one token"
# the tolerance: on cyclic data rounding may flip one of 200 runs; the spot: a cell that
# comes out the same on another processor (in cell 17 its rounding flips one run)
EXPERIMENT = Experiment(TITLE, 10, CELLS, measure, spot=(18,), tolerance=0.01)
