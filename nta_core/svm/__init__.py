"""Graph-SVM: the hard half of what attention learns.

`graph_svm` states the question and holds the answer; `rows` writes the comparisons down; `core`
chooses the route: `least_distance` (small) or `projected_cg` (large) find the answer, `optimum`
makes it optimal, and `exact` checks it in whole numbers before it is shown; `split` is for data no
W satisfies.
"""

from nta_core.svm.graph_svm import GraphSVM, solve_graph_svm
from nta_core.svm.split import FeasibleSplit, feasible_split
