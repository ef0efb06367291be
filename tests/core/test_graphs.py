"""Graphs: hand-drawn partitions, and networkx as the second opinion on random data."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    FIG8,
    Comparison,
    Dataset,
    UnknownToken,
    graphs_from_edges,
    random_dataset,
    token_priority_graphs,
)
from nta_core.graphs import build


@st.composite
def datasets(draw):
    K = draw(st.integers(1, 9))
    rows = draw(
        st.lists(st.lists(st.integers(0, K - 1), min_size=1, max_size=6), min_size=1, max_size=25)
    )
    return Dataset(rows, [draw(st.sampled_from(row)) for row in rows], K=K)


def by_definition(data, last):
    """The graph of one last token, straight from the paper's sentence."""
    graph = nx.DiGraph()
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        if sequence[-1] == last:
            graph.add_edges_from((label, token) for token in sequence)
    graph.remove_edges_from(nx.selfloop_edges(graph))
    return graph


@given(datasets())
def test_every_part_agrees_with_networkx(data):
    found = token_priority_graphs(data)
    assert set(found) == {sequence[-1] for sequence in data.sequences}
    for last, graph in found.items():
        expected = by_definition(data, last)
        assert set(graph.nodes) == set(expected.nodes)
        assert set(graph.edges) == set(expected.edges)
        parts = {frozenset(c) for c in nx.strongly_connected_components(expected)}
        assert set(graph.components) == parts
        condensed = nx.condensation(expected)
        home = condensed.graph["mapping"]
        assert set(graph.strict) == {(i, j) for i, j in expected.edges if home[i] != home[j]}
        kept = [(home[i], home[j]) for i, j in graph.reduced]
        assert sorted(kept) == sorted(nx.transitive_reduction(condensed).edges)
        assert set(graph.ties) == {
            (i, j) for i, j in product(graph.nodes, repeat=2) if i < j and home[i] == home[j]
        }


@given(datasets())
def test_leagues_stand_in_a_valid_order(data):
    for graph in token_priority_graphs(data).values():
        rank = {t: r for r, league in enumerate(graph.components) for t in league}
        for i, j in graph.strict:
            assert rank[i] < rank[j]
            assert graph.level(i) > graph.level(j)
        for i, j in graph.ties:
            assert graph.level(i) == graph.level(j)
        heights = nx.condensation(graph.to_networkx())
        longest = dict.fromkeys(heights, 0)
        for c in reversed(list(nx.topological_sort(heights))):
            longest[c] = max((longest[below] + 1 for below in heights[c]), default=0)
        for token in graph.nodes:
            assert graph.level(token) == longest[heights.graph["mapping"][token]]


@given(datasets())
def test_comparable_means_reachable(data):
    for graph in token_priority_graphs(data).values():
        network = graph.to_networkx()
        for i, j in product(graph.nodes, repeat=2):
            path = nx.has_path(network, i, j) or nx.has_path(network, j, i)
            assert graph.comparable(i, j) == path


@given(datasets())
def test_arrays_hold_the_same_pairs_as_the_graphs(data):
    found = token_priority_graphs(data)
    for rows, pairs in ((found.strict_array, "strict"), (found.reduced_array, "reduced")):
        expected = [(k, i, j) for k in found for i, j in getattr(found[k], pairs)]
        assert [tuple(row) for row in rows.tolist()] == expected
    roots = {
        (k, token, min(league))
        for k, graph in found.items()
        for league in graph.components
        for token in league
        if token != min(league)
    }
    assert {tuple(row) for row in found.tie_array.tolist()} == roots
    assert found.n_components == sum(len(graph.components) for graph in found.values())


def test_fig3_as_the_paper_draws_it():
    found = token_priority_graphs(FIG3)
    first, second = found[0], found[1]
    assert first.edges == ((1, 0), (2, 0), (2, 1), (3, 0), (3, 2))
    assert first.components == ({3}, {2}, {1}, {0})
    assert first.reduced == ((1, 0), (2, 1), (3, 2))
    assert second.components == ({3}, {0, 1, 2})
    assert second.strict == ((3, 1),)
    assert repr(found) == "TokenPriorityGraphs(2 last tokens, 6 leagues, K=4)"


def test_fig8_is_not_fig3_although_its_caption_says_so():
    assert token_priority_graphs(FIG8)[0] == token_priority_graphs(FIG3)[0]
    assert token_priority_graphs(FIG8)[1].components == ({0, 1, 2}, {3})
    assert token_priority_graphs(FIG8)[1].strict == ((1, 3),)


def test_some_tokens_are_incomparable_although_the_paper_says_none_are():
    star = token_priority_graphs(Dataset([[0, 1, 2]], [2]))[2]
    assert not star.comparable(0, 1)
    assert star.level(0) == star.level(1) == 0


def test_repeating_a_race_changes_no_edge():
    twice = Dataset([*FIG3.sequences, FIG3.sequences[0]], [*FIG3.labels, FIG3.labels[0]])
    once = token_priority_graphs(FIG3)
    assert dict(token_priority_graphs(twice)) == dict(once)


@pytest.mark.parametrize("chunk", [1, 2, 7])
def test_chunks_do_not_show(monkeypatch, chunk):
    data = random_dataset(40, 5, 9, seed=5)
    expected = build.edge_keys(data)
    monkeypatch.setattr(build, "CHUNK", chunk)
    assert np.array_equal(build.edge_keys(data), expected)


def test_a_chain_of_five_keeps_its_four_steps():
    chain = {
        0: [(i, j) for i in range(5) for j in range(i + 1, 5) if (i, j) not in ((0, 3), (1, 4))]
    }
    graph = graphs_from_edges(chain, K=5)[0]
    assert len(graph.strict) == 8
    assert graph.reduced == ((0, 1), (1, 2), (2, 3), (3, 4))


def test_graphs_from_edges_and_its_refusals():
    found = graphs_from_edges({2: [(0, 1), (1, 0), (3, 3)]}, K=4, names="abcd")
    assert found[2].components == ({0, 1}, {3})
    assert found[2].names == tuple("abcd")
    assert len(graphs_from_edges({}, K=3)) == 0
    assert graphs_from_edges({}, K=3).strict_array.shape == (0, 3)
    with pytest.raises(UnknownToken, match="token 9 is not in the vocabulary 0…2"):
        graphs_from_edges({0: [(0, 9)]}, K=3)
    with pytest.raises(KeyError):
        found[0]
    assert 0 not in found
    with pytest.raises(UnknownToken, match="never occurs"):
        found[2].level(2)


def test_comparisons_read_by_name():
    pair = Comparison(1, 3, 0)
    assert (pair.last, pair.winner, pair.loser) == pair


def test_html_escapes_names():
    data = Dataset([[0, 1]], [0], names=["<i>", "&b"])
    page = token_priority_graphs(data)[1]._repr_html_()
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    assert "after &amp;b" in page


def test_deep_and_wide_graphs_are_reduced_in_one_sweep():
    rng = np.random.default_rng(0)
    order = rng.permutation(60)
    pairs = [(int(order[i]), int(order[j])) for i in range(60) for j in range(i + 1, 60)]
    chosen = [pairs[i] for i in rng.choice(len(pairs), 500, replace=False)]
    found = graphs_from_edges(dict.fromkeys((0, 7), chosen), K=60)
    expected = nx.transitive_reduction(nx.DiGraph(chosen)).edges
    assert set(found[7].reduced) == set(found[0].reduced) == set(expected)
