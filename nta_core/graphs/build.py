"""From races to graphs: one integer key per edge, one sort, no loop over sequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nta_core.boundary import MAX_K, Ints, a, check_names, entries, shown, token_ids, whole
from nta_core.data import Dataset, warn_unrealizable
from nta_core.errors import DataError
from nta_core.graphs.condensation import condense
from nta_core.graphs.graph import TokenPriorityGraphs
from nta_core.graphs.keys import sorted_unique

CHUNK = 1 << 20  # sequences turned into keys at a time: bounds memory by the distinct edges


def token_priority_graphs(dataset: Dataset) -> TokenPriorityGraphs:
    """Build the token-priority graph of every last token of the data.

    A row whose label is not in its sequence plays no part (its gradient is zero) and is left out,
    with a warning.

    Parameters
    ----------
    dataset : Dataset
        Races: n sequences and their next tokens.

    Returns
    -------
    TokenPriorityGraphs
        A mapping from last token to `TokenPriorityGraph`.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> graphs = token_priority_graphs(FIG3)
    >>> graphs
    TokenPriorityGraphs(2 last tokens, 6 leagues, K=4)
    >>> graphs[0].edges
    ((1, 0), (2, 0), (2, 1), (3, 0), (3, 2))

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    warn_unrealizable(dataset)
    return TokenPriorityGraphs(condense(edge_keys(dataset), dataset.K), dataset.names)


def graphs_from_edges(
    edges: Mapping[Any, Iterable[tuple[Any, Any]]], K: int, names: Sequence[str] | None = None
) -> TokenPriorityGraphs:
    """Build graphs from edges (winner, loser) per last token, for example those a model believes.

    An edge from a token to itself only makes the token a node.

    Parameters
    ----------
    edges : mapping from int to pairs of int
        For each last token its pairs (winner, loser), by ids or names.
    K : int
        Size of the vocabulary; tokens are 0 to K − 1.
    names : sequence of K texts, optional
        What people call the tokens; e1, e2, ... by default.

    Examples
    --------
    >>> graphs_from_edges({0: [(1, 0), (0, 1), (1, 2)]}, K=3)[0].components
    (frozenset({0, 1}), frozenset({2}))

    Explained in: chapter 11. Paper: Sec. 5.
    """
    K = whole(K, "K", least=1, most=MAX_K)
    called = check_names(names, K)
    flat: list[object] = []
    for track, pairs in a(Mapping, edges, "edges", error=DataError).items():  # type: ignore[type-abstract]
        for pair in pairs if isinstance(pairs, (set, frozenset)) else entries(pairs, "edges"):
            if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
                raise DataError(f"edge {shown(pair)}: give a pair (winner, loser)")
            flat += track, *pair
    last, winner, loser = np.array(token_ids(flat, K, called), dtype=np.int64).reshape(-1, 3).T
    # self edges of both ends carry the nodes, as they do in data
    keys = [(last * K + a) * K + b for a, b in ((winner, loser), (winner, winner), (loser, loser))]
    return TokenPriorityGraphs(condense(sorted_unique(np.concatenate(keys)), K), called)


def edge_keys(dataset: Dataset) -> Ints:
    """Sorted, distinct keys (last·K + label)·K + token of the realizable rows.

    Chunks are merged when together they outweigh what is held: every key is sorted O(log) times.
    """
    K = dataset.K
    held, fresh, waiting = np.empty(0, dtype=np.int64), [], 0
    for begin, end in pairwise([*range(0, dataset.n, CHUNK), dataset.n]):
        first, stop = dataset.offsets[begin], dataset.offsets[end]
        heads = (dataset.lasts[begin:end] * K + dataset.targets[begin:end]) * K
        heads = np.where(dataset.realizable_rows[begin:end], heads, -1)
        lengths = np.diff(dataset.offsets[begin : end + 1])
        keys = np.repeat(heads, lengths)
        keep = keys >= 0
        keys += dataset.tokens[first:stop]
        fresh.append(sorted_unique(keys[keep]))
        waiting += len(fresh[-1])
        if waiting > len(held):
            held, fresh, waiting = sorted_unique(np.concatenate([held, *fresh])), [], 0
    return sorted_unique(np.concatenate([held, *fresh])) if fresh else held
