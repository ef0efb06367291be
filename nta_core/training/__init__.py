"""Training by closed-form gradients on token counts: exact, batched, without autograd.

`gradient_descent` is the paper's algorithm and returns a `Run`; `Objective` is the risk.
"""

from nta_core.training.descent import gradient_descent, gradient_descent_batch, random_start
from nta_core.training.objective import Objective, gradient, loss_value
from nta_core.training.run import Interrupted, Run
