"""Other ways down the same risk, and the norms in which they measure their steps.

`stochastic_descent`, `adam` and `factorized_descent` train the layer of `nta_core` where the
paper's theorems no longer speak; `steepest_descent` measures its steps by any of four norms, `muon`
is its spectral case as it is used, `polyak_descent` and `heavy_ball` choose other step sizes.
`graph_svm_in_norm` finds the W that each of them might head for, and `constrained_minimum` the
least risk in a ball for losses without convexity.  `graph_svm_reference` is the Graph-SVM as the
paper states it, by a solver nobody here wrote.
"""

from nta_beyond.optimizers.constrained import ConstrainedMinimum, constrained_minimum
from nta_beyond.optimizers.descents import (
    Adam,
    FactorizedRun,
    adam,
    factorized_descent,
    stochastic_descent,
)
from nta_beyond.optimizers.norms import NormSVM, graph_svm_in_norm
from nta_beyond.optimizers.reference import graph_svm_reference
from nta_beyond.optimizers.steepest import (
    heavy_ball,
    muon,
    newton_schulz,
    polyak_descent,
    steepest_descent,
    steepest_direction,
)
