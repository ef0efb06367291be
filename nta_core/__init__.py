"""What one self-attention layer learns from next-token prediction, computed.

The names below are the public interface; what the functions return is described in their rooms.
`SelfAttention` is loaded on first use, because torch takes seconds and nothing else needs it.

>>> from nta_core import FIG3, token_priority_graphs
>>> token_priority_graphs(FIG3)[1].components
(frozenset({3}), frozenset({0, 1, 2}))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nta_core import model
from nta_core.automaton import Automaton
from nta_core.data import FIG3, FIG8, Dataset, embeddings, random_dataset
from nta_core.errors import (
    DataError,
    EmbeddingError,
    FileError,
    InfeasibleGraphSVM,
    MissingPackage,
    NTAError,
    OptionError,
    SolverDidNotConverge,
    TextError,
    TooLarge,
    UnknownToken,
    UnrealizableLabelWarning,
)
from nta_core.graphs import (
    Comparison,
    TokenPriorityGraph,
    TokenPriorityGraphs,
    graphs_from_edges,
    token_priority_graphs,
)
from nta_core.model import HEADS, LOSSES, Readout, attention, attention_masses, cosine, token_mass
from nta_core.reading import Theory, decompose, pseudo_graphs
from nta_core.soft import active_subspace, cyclic_subspace, finite_part, luce_strengths
from nta_core.svm import feasible_split, solve_graph_svm
from nta_core.training import (
    Objective,
    Run,
    gradient,
    gradient_descent,
    gradient_descent_batch,
    loss_value,
    random_start,
)

if TYPE_CHECKING:
    from nta_core.model import SelfAttention

__version__ = "0.1.0"

__all__ = [
    "FIG3",
    "FIG8",
    "HEADS",
    "LOSSES",
    "Automaton",
    "Comparison",
    "DataError",
    "Dataset",
    "EmbeddingError",
    "FileError",
    "InfeasibleGraphSVM",
    "MissingPackage",
    "NTAError",
    "Objective",
    "OptionError",
    "Readout",
    "Run",
    "SelfAttention",
    "SolverDidNotConverge",
    "TextError",
    "Theory",
    "TokenPriorityGraph",
    "TokenPriorityGraphs",
    "TooLarge",
    "UnknownToken",
    "UnrealizableLabelWarning",
    "active_subspace",
    "attention",
    "attention_masses",
    "cosine",
    "cyclic_subspace",
    "decompose",
    "embeddings",
    "feasible_split",
    "finite_part",
    "gradient",
    "gradient_descent",
    "gradient_descent_batch",
    "graphs_from_edges",
    "loss_value",
    "luce_strengths",
    "pseudo_graphs",
    "random_dataset",
    "random_start",
    "solve_graph_svm",
    "token_mass",
    "token_priority_graphs",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name == "SelfAttention":
        return model.SelfAttention
    raise AttributeError(f"module 'nta_core' has no attribute {name!r}")
