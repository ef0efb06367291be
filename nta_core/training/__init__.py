"""Training by closed-form gradients on token counts: exact, batched, without autograd.

`gradient_descent` is the paper's algorithm; `Objective` is the risk it descends; the optimizers
of the stress tests stand beside it.  All return a `Run`.
"""

from nta_core.training.descent import gradient_descent, gradient_descent_batch, random_start
from nta_core.training.objective import Objective, gradient, hessian_quadratic, loss_value
from nta_core.training.optimizers import FactorizedRun, adam, factorized_descent, stochastic_descent
from nta_core.training.run import Run

__all__ = [
    "FactorizedRun",
    "Objective",
    "Run",
    "adam",
    "factorized_descent",
    "gradient",
    "gradient_descent",
    "gradient_descent_batch",
    "hessian_quadratic",
    "loss_value",
    "random_start",
    "stochastic_descent",
]
