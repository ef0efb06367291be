"""Token-priority graphs: what the data says beats what, one graph per last token.

Every race adds an edge from its winner to each runner.  Tokens that beat each other in a circle
form a *league* (a strongly connected component); between leagues the order is strict.  One
integer key per edge, one sort, and one pass of scipy's component search do all of it, so the
cost follows the number of distinct edges and not the number of sequences.
"""

from nta_core.graphs.build import graphs_from_edges, token_priority_graphs
from nta_core.graphs.graph import Comparison, TokenPriorityGraph, TokenPriorityGraphs
