"""Graph-SVM: the hard half of what attention learns.

`graph_svm` states the question and holds the answer; `rows` writes the comparisons down;
`least_distance` (small), `projected_cg` (large) and `polish` find the answer; `optimum` and
`conflict` prove it; `reference` is the paper's formulation; `split` is for data no W satisfies;
`norms` measures with other rulers.
"""

from nta_core.svm.graph_svm import GraphSVM, solve_graph_svm
from nta_core.svm.norms import NormSVM, graph_svm_in_norm
from nta_core.svm.reference import graph_svm_reference
from nta_core.svm.split import FeasibleSplit, feasible_split

__all__ = [
    "FeasibleSplit",
    "GraphSVM",
    "NormSVM",
    "feasible_split",
    "graph_svm_in_norm",
    "graph_svm_reference",
    "solve_graph_svm",
]
