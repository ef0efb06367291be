"""Graphs of text: streaming against in-memory, arrays against the graphs of Part I."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_beyond.text import (
    Corpus,
    LeagueTables,
    Vocabulary,
    Windows,
    fit_strengths,
    grammar_paragraphs,
    grammar_text,
    growing_edges,
    read_edges,
    text_windows,
    tokens_of,
    tracks,
    window_edges,
)
from nta_beyond.text import corpus as corpus_module
from nta_beyond.text.edges import Gathering, tally
from nta_beyond.text.lexicon import TOPICS
from nta_core import Automaton, UnknownToken, luce_strengths, token_priority_graphs
from nta_core.errors import OptionError, SolverDidNotConverge
from nta_core.graphs.build import edge_keys


@pytest.fixture(scope="module")
def grammar():
    corpus = Corpus.from_text(grammar_text(6_000, seed=0), grammar_text(2_000, seed=1))
    words = Vocabulary.of(corpus, 120)
    return corpus, words, text_windows(corpus, words, window=8)


@st.composite
def windows(draw, *, gaps=True, n=25):
    K, T = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    token = st.integers(-1 if gaps else 0, K - 1)
    rows = draw(st.lists(st.lists(token, min_size=T, max_size=T), min_size=1, max_size=n))
    tokens = np.array(rows)
    tokens[:, -1] = np.maximum(tokens[:, -1], 0)
    labels = draw(st.lists(st.integers(0, K - 1), min_size=len(rows), max_size=len(rows)))
    return Windows(tokens, np.array(labels)), tuple("abcdef"[:K])


def test_streaming_finds_the_edges_of_the_dataset(grammar, monkeypatch):
    corpus, words, found = grammar
    monkeypatch.setattr(corpus_module, "CHUNK", 500)
    edges = read_edges(corpus, words, window=8)
    data = found.dataset(words.names)
    assert np.array_equal(edges.keys, edge_keys(data))
    assert edges.n == found.n
    assert edges.label_share == found.label_present.mean()
    assert np.array_equal(edges.windows, np.bincount(data.lasts, minlength=words.K))


def test_a_smaller_vocabulary_cuts_the_graph_down(grammar):
    corpus, _, _ = grammar
    large = read_edges(corpus, Vocabulary.of(corpus), window=8)
    small = read_edges(corpus, Vocabulary.of(corpus, 40), window=8)
    last, pair = np.divmod(large.keys, large.K**2)
    winner, loser = np.divmod(pair, large.K)
    kept = (last < 40) & (winner < 40) & (loser < 40)
    assert np.array_equal(small.keys, ((last * 40 + winner) * 40 + loser)[kept])


def test_edges_grow_prefix_by_prefix(grammar):
    corpus, words, found = grammar
    sizes = [1000, 10, 1000, 3000, 10**9]
    grown = [*growing_edges(corpus, words, sizes, window=8)]
    assert [part.n for part in grown] == [10, 1000, 3000]
    for part in grown:
        expected = window_edges(found.pick(slice(part.n)), words.names)
        assert np.array_equal(part.keys, expected.keys)
        assert np.array_equal(part.races, expected.races)


@given(st.lists(windows(), max_size=4).filter(lambda w: len({names for _, names in w}) <= 1))
def test_gathering_is_one_large_tally(parts):
    gathering = Gathering()
    for part, names in parts:
        gathering.add(tally(part, len(names)))
    total = gathering.total()
    if not parts:
        assert total is None
        return
    keys = np.unique(np.concatenate([tally(p, len(names)).keys for p, names in parts]))
    assert np.array_equal(total.keys, keys)
    assert total.windows.sum() == sum(part.n for part, _ in parts)


@given(windows())
def test_the_summary_counts_what_the_graphs_hold(drawn):
    found, names = drawn
    edges = window_edges(found, names)
    table = tracks(edges)
    assert table.lasts.tolist() == list(edges.graphs)
    for place, (last, graph) in enumerate(edges.graphs.items()):
        assert table.tokens[place] == len(graph.nodes)
        assert table.leagues[place] == len(graph.components)
        assert table.edges[place] == len(graph.edges)
        assert table.strict[place] == len(graph.strict)
        assert table.largest[place] == max(map(len, graph.components))
        assert table.races[place] == (found.races().lasts == last).sum()
        sides = [table.above[place], table.below[place], table.beside[place]]
        assert sum(sides) + table.largest[place] == table.tokens[place]
        assert sides in [
            above_below_beside(graph, league)
            for league in graph.components
            if len(league) == table.largest[place]
        ]


def above_below_beside(graph, league):
    order = nx.DiGraph(graph.edges)
    order.add_nodes_from(graph.nodes)
    one = next(iter(league))
    above = nx.ancestors(order, one) - league
    below = nx.descendants(order, one) - league
    return [len(above), len(below), len(graph.nodes) - len(above) - len(below) - len(league)]


@given(windows(gaps=False), windows())
def test_decisions_are_those_of_the_automaton(training, asked):
    found, names = training
    questions = Windows(np.minimum(asked[0].tokens, len(names) - 1), asked[0].labels)
    if not found.races().n:
        return
    automaton = Automaton.from_dataset(found.races().dataset(names))
    decisions = LeagueTables(window_edges(found, names)).decide(questions)
    for row, decided, retrieved in zip(
        questions.tokens.tolist(), decisions.decided, decisions.retrieved, strict=True
    ):
        context = [token for token in row if token >= 0]
        assert decided == automaton.determined(context)
        if decided:
            kept = {token for token, keep in zip(row, retrieved, strict=True) if keep}
            assert kept == automaton.retrieve(context)
        else:
            assert retrieved.tolist() == [token >= 0 for token in row]


@pytest.mark.filterwarnings("ignore::nta_core.errors.UnrealizableLabelWarning")
def test_strengths_become_those_of_luce_as_the_ridge_vanishes():
    rng = np.random.default_rng(0)
    tokens = rng.integers(4, size=(300, 4))
    found = Windows(tokens, tokens[np.arange(300), rng.integers(4, size=300)])
    edges = window_edges(found, "abcd")
    fitted = fit_strengths(edges, found, ridge=1e-7)
    exact = luce_strengths(found.dataset("abcd"), edges.graphs)
    for node, theta in zip(fitted.nodes.tolist(), fitted.theta, strict=True):
        assert theta == pytest.approx(exact.theta[node // 4][node % 4], abs=1e-5)
    soft = fit_strengths(edges, found, ridge=1e3)
    assert np.abs(soft.theta).max() < np.abs(fitted.theta).max() / 3
    assert fitted.of(Windows(np.array([[-1, 0]]), np.array([0])))[0, 0] == 0


def test_strengths_say_when_there_is_nothing_to_fit_or_no_end(monkeypatch):
    lonely = Windows(np.array([[0, 1]]), np.array([0]))
    edges = window_edges(lonely, "ab")
    assert not fit_strengths(edges, lonely).theta.any()
    with pytest.raises(OptionError, match="ridge=0: must be a finite number"):
        fit_strengths(edges, lonely, ridge=0)
    tied = Windows(np.array([[0, 1], [0, 1], [0, 1]]), np.array([0, 1, 1]))
    monkeypatch.setattr("nta_beyond.text.strengths.TOLERANCE", 0.0)
    with pytest.raises(SolverDidNotConverge, match="raise the ridge"):
        fit_strengths(window_edges(tied, "ab"), tied)


def test_the_graph_after_a_word(grammar):
    corpus, words, found = grammar
    edges = read_edges(corpus, words, window=8)
    data = found.races().dataset(words.names)
    assert edges.after("the") == token_priority_graphs(data)[words.token("the")]
    with pytest.raises(UnknownToken, match="'zebra' is not in the vocabulary"):
        edges.after("zebra")
    with pytest.raises(UnknownToken, match="'zebra' has no graph"):
        tracks(edges).row("zebra")
    assert "distinct edges" in edges._repr_html_()
    assert "<td>the</td>" in tracks(edges)._repr_html_()


def test_no_race_at_all_still_has_a_summary():
    edges = window_edges(Windows(np.array([[0, 1]]), np.array([2])), "abc")
    assert len(tracks(edges).lasts) == 0
    asked = Windows(np.array([[0, 1], [1, 1]]), np.array([0, 0]))
    said = LeagueTables(edges).decide(asked)
    assert said.decided.tolist() == [False, True]
    assert said.league_size == 0
    assert LeagueTables(edges).decide(asked.pick(slice(0))).share == 0


def test_words_that_never_follow_stand_alone_at_the_bottom(grammar):
    """The statement of chapter 16: leagues after k = leagues of its followers + one per other."""
    corpus, words, found = grammar
    edges = read_edges(corpus, words, window=8)
    races = found.races()
    for last, graph in edges.graphs.items():
        followers = set(races.labels[races.lasts == last].tolist())
        for token in set(graph.nodes) - followers:
            assert graph.component_of(token) == {token}
            assert graph.level(token) == 0


def test_the_grammar_is_reproducible_and_grows_at_its_end():
    short, long = grammar_text(300, seed=3), grammar_text(3_000, seed=3)
    assert long.startswith(short.rstrip("\n"))
    assert grammar_text(300, seed=4) != short
    assert 300 <= len(tokens_of(short)) < 420
    first = next(grammar_paragraphs(seed=3))
    assert short.startswith(first)
    for words in (0, True, 2.5):
        with pytest.raises(OptionError, match=r"words=.*: must be an integer, 1 or more"):
            grammar_text(words, seed=0)


def test_the_grammar_agrees_in_number_and_keeps_to_its_topic():
    text = grammar_text(20_000, seed=0)
    tokens = tokens_of(text)
    plural = {thing.many for topic in TOPICS for thing in topic.things if thing.many != thing.one}
    for noun, verb in pairwise(tokens):
        if noun in plural:
            assert verb != "is"
    places = {topic.place: topic for topic in TOPICS}
    for paragraph in text.split("\n\n"):
        found = {place for place in places if place in paragraph.split()}
        assert len(found) <= 1
