"""What one self-attention layer learns from next-token prediction, computed.

The names below are the public interface.  They are imported on first use, so that
``import nta_core`` costs nothing and torch, cvxpy and plotly are loaded only where they are used.

>>> from nta_core import FIG3, token_priority_graphs
>>> token_priority_graphs(FIG3)[1].components
(frozenset({3}), frozenset({0, 1, 2}))
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "errors": (
        "DataError EmbeddingError ExplorerError FigureError InfeasibleGraphSVM MissingPackage"
        " MissingResult NTAError OptionError SolverDidNotConverge TextError TextFileError"
        " UnknownToken UnrealizableLabelWarning"
    ),
    "progress": "Progress",
    "stored": "StoredResult stored_result",
    "data": "Dataset FIG3 FIG8 embeddings",
    "generate": "random_dataset",
    "graphs": (
        "Comparison TokenPriorityGraph TokenPriorityGraphs graphs_from_edges token_priority_graphs"
    ),
    "svm": (
        "FeasibleSplit GraphSVM NormSVM feasible_split graph_svm_in_norm graph_svm_reference"
        " solve_graph_svm"
    ),
    "soft": (
        "FinitePart LuceStrengths Subspace active_subspace cyclic_subspace finite_part"
        " luce_strengths"
    ),
    "model": "HEADS LOSSES SelfAttention attention token_mass",
    "training": (
        "FactorizedRun Objective Run adam factorized_descent gradient gradient_descent"
        " gradient_descent_batch hessian_quadratic loss_value random_start stochastic_descent"
    ),
    "paths": (
        "ConstrainedMinimum Path constrained_minimum log_domain_path regularization_path"
        " split_descent"
    ),
    "reading": "Decomposition Theory decompose pseudo_graphs",
    "automaton": "Automaton Prediction Silence Standings",
    "openlab": "Exam OpenNetwork Trial Variant exams league_agreement train_variant",
    "scansnap": (
        "INGREDIENTS AttentionPath ClassOverlaps Contest ContestSide Contexts DecoderPath"
        " LayerRun ScanSnapRun SequenceClasses Snap TheoryCurves TheoryFlow TokenGrowth"
        " class_attention class_features class_overlaps clue_or_copy_contest"
        " clue_or_copy_contests clue_or_copy_dataset common_mass contexts_from_counts"
        " contexts_from_windows contexts_of distinct_entropy distinct_recall exact_decoder"
        " find_snap ingredient_masses make_classes path_share population_flow rank_agreement"
        " snap_scale speed_slopes syn_medium syn_small theory_flow theory_of token_growth"
        " train_copying train_on_contexts train_population train_sampled train_sampled_batch"
        " train_scanning"
    ),
    "text": (
        "Bigram BigramInWindow Corpus Decisions HeldOutScore LeagueTables TextAutomaton"
        " TokenEdges Tracks TrainedLayer Unigram Untrained Vocabulary Windows fit_strengths"
        " grammar_paragraphs grammar_text growing_edges held_out_scores read_edges"
        " split_windows text_windows token_edges tokens_of tracks window_blocks window_edges"
        " write_parquet"
    ),
    "explore": "Choice Explorer Slider Switch",
    "lab": "ScanSnapLab TokenLab",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'nta_core' has no attribute {name!r}")
    value = getattr(import_module(f"nta_core.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
