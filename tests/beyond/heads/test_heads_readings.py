"""Leagues, agreement, excess and silence of a head, against oracles that share no code."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from nta_beyond.heads import (
    Head,
    HeadError,
    agreement,
    believed_graphs,
    excess,
    head_leagues,
    head_windows,
    league_stability,
    order_and_odds,
    silence,
    silent_windows,
)
from nta_beyond.text import (
    Corpus,
    Vocabulary,
    Windows,
    fit_strengths,
    grammar_text,
    text_windows,
    window_edges,
)
from nta_core import (
    FIG3,
    FIG8,
    DataError,
    Dataset,
    OptionError,
    Theory,
    UnknownToken,
    finite_part,
    gradient_descent,
    graphs_from_edges,
    loss_value,
    luce_strengths,
    pseudo_graphs,
    random_dataset,
    token_priority_graphs,
)


def layer(W: np.ndarray, K: int = 4) -> Head:
    """The book's layer with one-hot embeddings, as a head."""
    return Head.from_arrays(np.eye(K), W, np.eye(K), scale=1.0)


def some_head(K: int, seed: int = 0, size: float = 1.0) -> Head:
    rng = np.random.default_rng(seed)
    return Head.from_arrays(
        size * rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.normal(size=(K, 5))
    )


def windows_of(data: Dataset) -> Windows:
    return Windows(np.array(data.sequences), np.array(data.labels))


# ---- leagues -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("threshold", [1e-4, 0.01, 0.2, 0.4])
def test_leagues_are_the_strong_components_of_all_duels(seed: int, threshold: float) -> None:
    head = some_head(12, seed, size=3.0)
    found = head_leagues(head, 2, threshold=threshold)
    scores, duels = head.score_matrix()[2], nx.DiGraph()
    for i, j in itertools.permutations(range(12), 2):
        mass = np.exp(scores[i]) / (np.exp(scores[i]) + np.exp(scores[j]))
        if mass > threshold:  # selected: chapter 11's rule, in a context of these two
            duels.add_edge(i, j)
    assert set(found.leagues) == {frozenset(c) for c in nx.strongly_connected_components(duels)}
    tops = [max(scores[list(league)]) for league in found.leagues]
    assert tops == sorted(tops, reverse=True)
    assert found.sizes.tolist() == [len(league) for league in found.leagues]
    for token in range(12):
        assert token in found.leagues[found.rank(token)]


@pytest.mark.parametrize("seed", range(8))
def test_a_plateau_ends_where_the_leagues_change(seed: int) -> None:
    head = some_head(9, seed, size=3.0)
    low, high = (found := head_leagues(head, 0)).plateau
    assert low <= 0.01 <= high
    inside = [low + share * (high - low) for share in (0.001, 0.5, 0.999)]
    assert all(head_leagues(head, 0, threshold=p).leagues == found.leagues for p in inside)
    beyond = [p for p in (low * 0.999, high * 1.001) if 0 < p < 0.5]
    assert all(head_leagues(head, 0, threshold=p).leagues != found.leagues for p in beyond)


def test_extreme_leagues() -> None:
    flat = Head.from_arrays(np.zeros((2, 1)), np.zeros((2, 1)), np.eye(3, 2))
    assert head_leagues(flat, 0).leagues == (frozenset({0, 1, 2}),)
    assert head_leagues(flat, 0).plateau == (0.0, 0.5)
    far = layer(np.diag([0.0, 0, 0, 1e6]))
    assert head_leagues(far, 3).plateau == (pytest.approx(0, abs=1e-300), 0.5)
    for wrong in (0, 0.5, -1, np.nan, "x"):
        with pytest.raises(OptionError, match="threshold="):
            head_leagues(flat, 0, threshold=wrong)
    with pytest.raises(UnknownToken):
        head_leagues(flat, 3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [0.0, 0.01, 0.2])
def test_believed_graphs_are_the_pseudo_graphs_of_the_core(seed: int, threshold: float) -> None:
    data = random_dataset(12, 4, 6, seed=seed)
    head = some_head(6, seed, size=4.0)
    found = believed_graphs(head, windows_of(data), threshold=threshold)
    told = pseudo_graphs(data, head.E, head.W, threshold=threshold)
    assert list(found) == list(told)
    for last in told:
        assert found[last].edges == told[last].edges
        assert found[last].components == told[last].components


def test_a_token_that_stands_twice_has_twice_the_mass() -> None:
    flat, data = layer(np.zeros((4, 4))), Dataset([[0, 0, 1, 2]], [0], K=4)
    found = believed_graphs(flat, windows_of(data), threshold=0.3)
    assert found[2].components == (frozenset({0}), frozenset({1}), frozenset({2}))
    told = pseudo_graphs(data, flat.E, flat.W, threshold=0.3)
    assert found[2].edges == told[2].edges == ((0, 1), (0, 2))


def test_gaps_take_no_part_in_a_window() -> None:
    head = some_head(4)
    holes = Windows(np.array([[-1, 0, 1], [2, -1, 1]]), np.array([0, 2]))
    short = Dataset([[0, 1], [2, 1]], [0, 2], K=4)
    told = pseudo_graphs(short, head.E, head.W)
    assert believed_graphs(head, holes)[1].edges == told[1].edges
    assert np.isneginf(head.window_scores(holes)).tolist() == (holes.tokens < 0).tolist()


# ---- stability -----------------------------------------------------------------------------------


def test_noise_leaves_firm_leagues_and_moves_thin_ones() -> None:
    gap = math.log(99)
    thin = layer(np.diag([gap + 1e-6, 0, 0, 0]))
    firm = layer(np.diag([3 * gap, 0, 0, 0]))
    for head, same in ((thin, False), (firm, True)):
        found = league_stability(head, [0], precision=1e-3, draws=40)
        assert bool(found.same[0] == 1) is same
        assert found.leagues.tolist() == [2]
        assert found.largest.tolist() == [3]
    stored = league_stability(thin, draws=3)
    assert stored.precision == 2.0**-53
    assert stored.same.tolist() == [1, 1, 1, 1]


def test_rand_is_the_share_of_pairs_that_agree() -> None:
    """Counted pair by pair on the noisy heads themselves."""
    head, rng = some_head(10, 3, size=3.0), np.random.default_rng(5)
    noisy = head.rounded(rng, precision=0.3)
    found = league_stability(head, [4], precision=0.3, draws=1, seed=5)
    homes = [head_leagues(one, 4) for one in (head, noisy)]
    pairs = list(itertools.combinations(range(10), 2))
    agree = [len({(h.rank(i) == h.rank(j)) for h in homes}) == 1 for i, j in pairs]
    assert found.rand[0] == pytest.approx(np.mean(agree))
    assert found.same[0] == float(set(homes[0].leagues) == set(homes[1].leagues))


# ---- agreement -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_on_a_chain_agreement_is_kendalls_tau(seed: int) -> None:
    head, order = some_head(8, seed), np.random.default_rng(seed).permutation(8)
    chain = graphs_from_edges({3: list(itertools.combinations(order.tolist(), 2))}, K=8)
    found = agreement(head, chain)
    rank = np.empty(8)
    rank[order] = np.arange(8, 0, -1)
    tau = stats.kendalltau(head.scores(3), rank).statistic
    assert found.tau[0] == pytest.approx(tau)
    assert 2 * found.share - 1 == pytest.approx(tau)
    assert found.rho[0] == pytest.approx(stats.spearmanr(head.scores(3), rank).statistic)
    assert found.explained[0] == pytest.approx(max(found.rho[0], 0) ** 2)


@pytest.mark.parametrize("seed", range(4))
def test_agreement_counts_pairs_and_levels(seed: int) -> None:
    data = random_dataset(40, 4, 7, seed=seed)
    head, graphs = some_head(7, seed), token_priority_graphs(data)
    found = agreement(head, graphs)
    from_windows = agreement(head, window_edges(windows_of(data), head.names))
    S = head.score_matrix()
    for i, last in enumerate(found.lasts.tolist()):
        graph = graphs[last]
        right = [S[last, winner] > S[last, loser] for winner, loser in graph.strict]
        assert found.right[i] == pytest.approx(np.mean(right))
        assert found.pairs[i] == len(graph.strict)
        nodes = list(graph.nodes)
        levels = [graph.level(token) for token in nodes]
        tau = stats.kendalltau(S[last, nodes], levels).statistic
        assert found.tau[i] == pytest.approx(tau)
    assert set(found.lasts) == {last for last in graphs if graphs[last].strict}
    assert from_windows.share == pytest.approx(found.share)
    assert from_windows.right.tolist() == found.right.tolist()
    races = [sum(x[-1] == last for x in data.sequences) for last in from_windows.lasts]
    assert from_windows.races.tolist() == races


def test_only_the_last_tokens_that_are_asked() -> None:
    head, graphs = some_head(4), token_priority_graphs(FIG3)
    both, second = agreement(head, graphs), agreement(head, graphs, lasts=["e2"])
    assert second.lasts.tolist() == [1]
    assert second.right.tolist() == both.right[1:].tolist()
    assert order_and_odds(head, graphs, lasts=[1]).lasts.tolist() == [1]


def test_no_window_at_all() -> None:
    nothing = Windows(np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int64))
    assert len(believed_graphs(some_head(4), nothing)) == 0
    assert silent_windows(some_head(4), nothing).shape == (0,)


def test_a_trained_layer_agrees_and_its_controls_do_not() -> None:
    corpus = Corpus.from_text(grammar_text(8_000, seed=0))
    words = Vocabulary.of(corpus, 60)
    windows = text_windows(corpus, words, window=8)
    found = window_edges(windows, words.names)
    E = np.eye(words.K)
    trained = Head.from_arrays(
        E,
        gradient_descent(windows.races().dataset(words.names), E, steps=60, step_size=1.0).W,
        E,
        scale=1.0,
        names=words.names,
    )
    read = agreement(trained, found)
    assert read.share > 0.95
    assert read.share > read.share_swapped + 0.1
    assert abs(read.share_permuted - 0.5) < 0.02
    assert read.mean("explained") > 5 * read.mean("explained_permuted")
    shuffled = agreement(trained.shuffled(1), found)
    assert abs(shuffled.share - 0.5) < 0.1
    inside = order_and_odds(trained, found, fit_strengths(found, windows))
    assert inside.odds_correlation > 0.5
    between, chance = inside.mean()
    assert between > chance
    alone = excess(trained, windows, found)
    assert alone.excess < alone.flat
    assert alone.best <= alone.excess + 1e-12


def test_flat_scores_agree_by_half() -> None:
    flat = layer(np.zeros((4, 4)))
    found = agreement(flat, token_priority_graphs(FIG3))
    assert found.share == found.share_permuted == 0.5
    assert not found.tau.any()
    assert not found.explained.any()


def test_nothing_to_agree_with() -> None:
    tied = graphs_from_edges({0: [(0, 1), (1, 0)]}, K=4)
    found = agreement(layer(np.eye(4)), tied)
    assert (len(found.lasts), found.share, found.mean("tau")) == (0, 0.5, 0.0)
    assert "0 last tokens" in repr(found)


def test_tables_of_another_vocabulary_are_refused() -> None:
    head = layer(np.eye(4))
    with pytest.raises(HeadError, match="the head knows 4 tokens and the data 5"):
        agreement(head, graphs_from_edges({0: [(0, 1)]}, K=5))
    with pytest.raises(HeadError, match="token 0 is 'e1' in the head and 'a' in the data"):
        agreement(head, graphs_from_edges({0: [(0, 1)]}, K=4, names=list("abcd")))
    with pytest.raises(OptionError, match="found must be"):
        agreement(head, FIG3)


# ---- order, odds, excess -------------------------------------------------------------------------


def test_the_theorys_matrix_splits_as_the_theory_says() -> None:
    theory = Theory.of(FIG8, np.eye(4))
    found = window_edges(windows_of(FIG8), FIG8.names)
    strengths = fit_strengths(found, windows_of(FIG8), ridge=1e-9)
    read = order_and_odds(layer(7 * theory.svm.W + theory.fin.W), found, strengths)
    assert read.odds_slope == pytest.approx(1, abs=1e-3)
    assert read.odds_correlation == pytest.approx(1, abs=1e-6)
    only_order = order_and_odds(layer(7 * theory.svm.W), found, strengths)
    assert only_order.between == pytest.approx([1, 1])
    assert math.isnan(only_order.odds_correlation)
    only_odds = order_and_odds(layer(theory.fin.W), found, strengths)
    second = list(only_odds.lasts).index(1)
    assert only_odds.between[second] < 1e-6
    assert only_odds.odds_slope == pytest.approx(1, abs=1e-3)
    by_hand = luce_strengths(FIG8, token_priority_graphs(FIG8)).theta[1]
    told = dict(zip(strengths.nodes.tolist(), strengths.theta.tolist(), strict=True))
    assert [told[4 + j] for j in range(3)] == pytest.approx(
        [by_hand[j] for j in range(3)], abs=1e-4
    )


@pytest.mark.parametrize("seed", range(5))
def test_excess_is_the_loss_above_the_floor_of_the_core(seed: int) -> None:
    data = random_dataset(9, 4, 5, kind="cyclic", seed=seed)
    W = np.random.default_rng(seed).normal(size=(5, 5))
    found = excess(layer(W, 5), windows_of(data), ridge=1e-9)
    floor = finite_part(data, token_priority_graphs(data), np.eye(5)).loss
    assert found.loss == pytest.approx(loss_value(W, data, np.eye(5)))
    assert found.floor == pytest.approx(floor, abs=1e-5)
    assert found.excess == pytest.approx(found.order + found.odds)
    assert found.order >= 0
    assert found.odds >= -1e-5
    flat = loss_value(np.zeros((5, 5)), data, np.eye(5)) - floor
    assert found.flat == pytest.approx(flat, abs=1e-5)
    best = min(loss_value(m * W, data, np.eye(5)) for m in np.geomspace(1e-3, 1e3, 4001))
    assert found.best == pytest.approx(best - floor, abs=1e-4)


def test_excess_needs_races_of_these_windows() -> None:
    head = layer(np.eye(4))
    with pytest.raises(DataError, match="there is no race"):
        excess(head, Windows(np.array([[0, 1]]), np.array([2])))
    windows = Windows(np.array([[0, 1]]), np.array([0]))
    with pytest.raises(DataError, match="found must hold the edges of these windows"):
        excess(head, windows, window_edges(Windows(np.array([[2, 3]]), [2]), head.names))
    strengths = fit_strengths(window_edges(windows, head.names), windows)
    with pytest.raises(DataError, match="must come from the same edges"):
        order_and_odds(head, token_priority_graphs(FIG3), strengths)


# ---- silence -------------------------------------------------------------------------------------


def test_silence_is_the_distance_from_the_frequencies() -> None:
    head, counts = some_head(6, 1), np.array([5, 1, 0, 2, 1, 1])
    found = silence(head, counts, within=0.3)
    for last in range(6):
        base = counts / counts.sum()
        share = base * np.exp(head.scores(last))
        share /= share.sum()
        assert found.moved[last] == pytest.approx(0.5 * np.abs(share - base).sum())
        there = base > 0
        assert found.bits[last] == pytest.approx(stats.entropy(share[there], base[there], base=2))
        assert found.entropy[last] == pytest.approx(stats.entropy(share, base=2))
    assert found.silent.tolist() == (found.moved <= 0.3).tolist()
    assert found.share == pytest.approx(counts[found.silent].sum() / 10)
    assert silence(layer(np.zeros((4, 4)))).share == 1


@pytest.mark.parametrize("size", [0.01, 1.0])
def test_silent_windows_move_little_attention(size: float) -> None:
    head = some_head(6, 2, size)
    windows = Windows(np.array([[0, 1, 2], [3, -1, 4], [5, 5, 5], [1, 1, 0]]), np.zeros(4, int))
    moved = []
    for row in windows.tokens:
        share = head.attention(row[row >= 0])
        moved.append(0.5 * np.abs(share - 1 / len(share)).sum())
    edges = [value + step for value in moved for step in (-1e-9, 1e-9)]
    for within in (edge for edge in edges if 0 <= edge <= 1):
        told = [value <= within for value in moved]
        assert silent_windows(head, windows, within=within).tolist() == told
    assert silent_windows(head, windows)[2]  # one token: nothing to say


@pytest.mark.parametrize("counts", [[1, 2], [0] * 6, [-1, 1, 1, 1, 1, 1], [np.nan] * 6])
def test_counts_that_are_none(counts: list) -> None:
    with pytest.raises(DataError, match="counts"):
        silence(some_head(6), counts)


# ---- texts ---------------------------------------------------------------------------------------


def test_a_text_in_the_heads_vocabulary() -> None:
    text = "the cat saw the dog and the dog saw the cat"
    names = ["dog", "zebra", "the", "saw", "cat"]
    head = Head.from_arrays(np.eye(5), np.eye(5), np.eye(5), names=names)
    found = head_windows(head, Corpus.from_text(text), window=3)
    words = text.split()
    ids = [names.index(w) if w in names else -1 for w in words]
    rows = [(ids[i : i + 3], ids[i + 3]) for i in range(len(ids) - 3)]
    told = [(row, label) for row, label in rows if row[-1] >= 0 and label >= 0]
    assert found.tokens.tolist() == [row for row, _ in told]
    assert found.labels.tolist() == [label for _, label in told]
    with pytest.raises(DataError, match="none of its words, such as 'the', is a token of the head"):
        head_windows(some_head(3), Corpus.from_text(text))
