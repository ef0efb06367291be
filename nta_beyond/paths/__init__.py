"""Paths to infinity: minimisers on growing balls, and descent that does not stall.

`regularization_path` is the paper's Algo-RP, exact at any radius; `log_domain_path` is the same
curve by the weight λ of a ridge; `split_descent` is normalized descent freed of the ties.
"""

from nta_beyond.paths.regularization import WeightPath, log_domain_path, regularization_path
from nta_beyond.paths.split import split_descent
