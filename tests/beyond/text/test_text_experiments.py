"""What chapter 16 stores, on small text: against plain loops and networkx, which share no code."""

import math
from collections import Counter, defaultdict

import networkx as nx
import numpy as np
import pytest

from experiments import text_leagues, text_prediction, text_tops
from experiments.text_copying import looking_back
from experiments.texts import shuffled
from nta_beyond.text import (
    Corpus,
    PastWins,
    SpacedWords,
    TextAutomaton,
    Vocabulary,
    fit_strengths,
    grammar_text,
    text_windows,
    window_edges,
)
from nta_beyond.text.predictors import SHARES

T = 6


def text_with_gaps(articles=5, seed=0):
    rng = np.random.default_rng(seed)
    names = np.array(["<unk>", *"abcdefgh"])
    chance = np.array([0.1, *(0.9 * np.arange(8, 0, -1) / 36)])
    return Corpus.from_text(
        *(" ".join(names[rng.choice(9, size=80 + 10 * k, p=chance)]) for k in range(articles))
    ).cut_by(SpacedWords())


def windows_by_hand(corpus, T):
    """(window, next token) as words; a word that was removed is None."""
    for tokens in corpus.tokens():
        words = [None if token == "<unk>" else token for token in tokens]
        for k in range(T, len(words)):
            if words[k] is not None and words[k - 1] is not None:
                yield words[k - T : k], words[k]


def graphs_by_hand(corpus, T):
    graphs = defaultdict(nx.DiGraph)
    for window, label in windows_by_hand(corpus, T):
        if label in window:
            edges = [(label, word) for word in window if word is not None]
            graphs[window[-1]].add_edges_from(edges)
    return graphs


# ---- how often can you copy? ----


@pytest.mark.parametrize("T", [1, 2, 5, 30])
def test_looking_back_is_looking_into_the_window(T):
    corpus = text_with_gaps()
    words = Vocabulary.of(corpus)
    labels, back = looking_back(map(words.encode, corpus.tokens()), T)
    expected = [label in window for window, label in windows_by_hand(corpus, T)]
    assert (back <= T).tolist() == expected
    assert words.decode(labels).split() == [label for _, label in windows_by_hand(corpus, T)]
    if T == 5:
        assert text_windows(corpus, words, window=T).label_present.tolist() == expected


def test_places_are_those_of_the_longest_window():
    corpus = text_with_gaps()
    encode = Vocabulary.of(corpus).encode
    few = looking_back(map(encode, corpus.tokens()), 30)[1]
    many = looking_back(map(encode, corpus.tokens()), 3)[1]
    assert 0 < len(few) < len(many)


def test_a_shuffled_text_has_the_same_tokens_and_no_order():
    corpus = text_with_gaps()
    plain = [*corpus.tokens()]
    within, across = ([*shuffled(corpus, across=across).tokens()] for across in (False, True))
    assert [Counter(one) for one in within] == [Counter(one) for one in plain]
    assert [Counter(one) for one in across] != [Counter(one) for one in plain]
    assert sum(map(Counter, across), Counter()) == sum(map(Counter, plain), Counter())
    assert [len(one) for one in across] == [len(one) for one in plain]
    assert plain not in (within, across)
    words = Vocabulary.of(shuffled(corpus, across=True))
    assert "<unk>" not in words.names


# ---- leagues ----


def test_leagues_are_the_components_that_networkx_finds(monkeypatch):
    corpus = text_with_gaps()
    monkeypatch.setattr(text_leagues, "whole_text", lambda tokens, order: corpus)
    whole = len([*windows_by_hand(corpus, 16)])
    monkeypatch.setattr(text_leagues, "SIZES", (100, whole))
    found = text_leagues.measure("words", 0, "as written")
    graphs = graphs_by_hand(corpus, 16)
    components = {last: [*nx.strongly_connected_components(g)] for last, g in graphs.items()}
    largest = [max(map(len, parts)) for parts in components.values()]
    entries = sum(len(graph) for graph in graphs.values())
    assert found["n"] == [100, whole]
    assert found["tables"][-1] == len(graphs)
    assert found["entries"][-1] == entries
    assert found["leagues"][-1] == sum(map(len, components.values()))
    assert found["in_largest"][-1] == pytest.approx(sum(k for k in largest if k > 1) / entries)
    never = sum(not graph.out_degree(word) for graph in graphs.values() for word in graph)
    assert found["never_won"][-1] == never
    assert found["leagues"][0] != found["leagues"][-1]


def test_floors_are_counted_race_by_race():
    corpus = text_with_gaps(2, seed=3)
    words = Vocabulary.of(corpus)
    windows = text_windows(corpus, words, window=T)
    found = window_edges(windows, words.names)
    strengths, races = fit_strengths(found, windows), windows.races()
    graphs = graphs_by_hand(corpus, T)
    tied = 0
    for last, graph in graphs.items():
        seen = [(set(w), label) for w, label in windows_by_hand(corpus, T) if w[-1] == last]
        run = [(window, label) for window, label in seen if label in window]
        won = Counter(label for _, label in run)
        ran = Counter(word for window, _ in run for word in window)
        table = text_tops.floors(found, strengths, races, last)
        assert table["races"] == len(run)
        assert table["tokens"] == len(graph)
        assert sum(floor["tokens"] for floor in table["floors"].values()) == len(graph)
        leagues = nx.condensation(graph)
        parts = nx.get_node_attributes(leagues, "members")
        largest = max(parts.values(), key=len)
        largest = largest if len(largest) > 1 else set()
        top = {w for k, part in parts.items() if not leagues.in_degree(k) for w in part}
        shown = {name: floor["words"] for name, floor in table["floors"].items()}
        sizes = {name: floor["tokens"] for name, floor in table["floors"].items()}
        assert sizes["league"] == len(largest)
        assert sizes["never beaten"] == len(top - largest)
        assert sizes["never won"] == sum(won[word] == 0 for word in graph)
        assert table["floors"]["never won"]["once"] == sum(
            not won[word] and ran[word] == 1 for word in graph
        )
        for name, rows in shown.items():
            assert all(row[1:3] == [won[row[0]], ran[row[0]]] for row in rows)
            assert [row[1:3] for row in rows] == sorted(
                (row[1:3] for row in rows), key=lambda pair: (-pair[0], -pair[1])
            )
            if name != "league":
                assert all(row[3] == 1 for row in rows if won[row[0]] == 0)
        tied += len(largest) > 0
    assert tied > 3
    assert text_tops.floors(found, strengths, races.pick(slice(0)), "a")["races"] == 0


# ---- decisions ----


def decided_by_hand(graph, window):
    """The league that stands above all others present, or None; and the words that it leaves."""
    present = {word for word in window if word is not None}
    if not present <= set(graph):
        return None, present
    for word in present:
        below = nx.descendants(graph, word)
        league = {other for other in below if word in nx.descendants(graph, other)} | {word}
        if present <= below | {word} | league:
            return league, league & present
    return None, present


def test_decisions_are_those_of_a_walk_through_the_graph():
    seen, asked = text_with_gaps(1), text_with_gaps(4, seed=9)
    words = Vocabulary.of(seen)
    windows, new = (text_windows(corpus, words, window=T) for corpus in (seen, asked))
    said = TextAutomaton(window_edges(windows, words.names), windows).tables.decide(new)
    graphs, kinds = graphs_by_hand(seen, T), Counter()
    for k, (window, _) in enumerate(windows_by_hand(asked, T)):
        alone = len({*window} - {None}) == 1
        league, left = decided_by_hand(graphs.get(window[-1], nx.DiGraph()), window)
        assert said.left[k] == len(left)
        if not alone:
            assert said.decided[k] == (league is not None)
            assert said.size[k] == (len(league) if league else 0)
            assert said.untied[k] == (league is not None and len(left) == 1)
        kinds[bool(said.decided[k]), bool(said.untied[k])] += 1
    assert min(kinds[True, True], kinds[True, False], kinds[False, False]) > 2
    assert said.league_size == pytest.approx(said.size[said.size > 0].mean())
    assert f", mean league {said.league_size:.1f} tokens, " in repr(said)


# ---- bits ----


@pytest.fixture(scope="module")
def prediction():
    parts = [grammar_text(n, seed=seed) for seed, n in enumerate((1_500, 500))]
    tests = [grammar_text(400, seed=seed) for seed in (5, 6, 7)]
    corpora = *(Corpus.from_text(part) for part in parts), Corpus.from_text(*tests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_prediction, "held_out", lambda tokens: corpora)
        patch.setattr(text_prediction, "STEPS", (5, 10))
        return corpora, text_prediction.measure("words", 40, T)


def hand_windows(corpus, kept):
    for article, tokens in enumerate(corpus.tokens()):
        words = [token if token in kept else None for token in tokens]
        for k in range(T, len(words)):
            if words[k] is not None and words[k - 1] is not None:
                yield article, words[k - T : k], words[k]


def test_bits_of_a_cache_and_of_bigrams_are_those_of_plain_loops(prediction):
    corpora, stored = prediction
    counts = Counter(token for tokens in corpora[0].tokens() for token in tokens)
    kept = [w for w, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:40]]
    learnt, chosen, test = ([*hand_windows(corpus, {*kept})] for corpus in corpora)
    assert stored["windows"] == [len(learnt), len(chosen), len(test)]
    nexts = Counter(label for _, _, label in learnt)
    unigram = {w: (nexts[w] + 1) / (len(learnt) + 40) for w in kept}
    pairs = Counter((window[-1], label) for _, window, label in learnt)
    lasts = Counter(window[-1] for _, window, _ in learnt)

    def bigram(window, word, mu):
        return (pairs[window[-1], word] + mu * unigram[word]) / (lasts[window[-1]] + mu)

    def bits(windows, share):
        return [-math.log2(share(window, label)) for _, window, label in windows]

    def total(mu):
        return sum(bits(chosen, lambda w, y: bigram(w, y, mu)))

    mu = min((2.0**power for power in range(-3, 10)), key=total)
    plain = bits(test, lambda w, y: bigram(w, y, mu))
    assert stored["all"]["bigram"]["bits"] == pytest.approx(np.mean(plain))
    lent = stored["all"]["unigram cache"]["lent"]

    def cache(window, label):
        places = [word for word in window if word is not None]
        return (1 - lent) * places.count(label) / len(places) + lent * bigram(window, label, mu)

    cached = bits(test, cache)
    assert stored["all"]["unigram cache"]["bits"] == pytest.approx(np.mean(cached))
    saved, error = stored["all"]["unigram cache"]["saved"]
    gains = np.subtract(plain, cached)
    articles = np.array([article for article, _, _ in test])
    assert saved == pytest.approx(gains.mean())
    sums = [(gains[articles == k] - gains.mean()).sum() for k in range(3)]
    assert error == pytest.approx(math.sqrt(3 / 2 * sum(s * s for s in sums)) / len(gains))
    races = [one for one in test if one[2] in one[1]]
    assert stored["label_share"] == pytest.approx(len(races) / len(test))

    def in_sight(window, label):
        places = [word for word in window if word is not None]
        return places.count(label) / len(places)

    def windowed(share, lender):
        def mixed(window, label):
            among = sum(bigram(window, word, mu) for word in {*window} - {None})
            return (1 - share) * bigram(window, label, mu) / among + share * lender(window, label)

        return mixed

    def least(windows, lender):
        grid = np.mean([bits(windows, windowed(share, lender)) for share in SHARES], axis=1)
        return SHARES[int(grid.argmin())]

    asked = [one for one in chosen if one[2] in one[1]]
    for lender, found in (
        (in_sight, stored["races"]["bigram in the window"]["bits"]),
        (lambda window, label: unigram[label], stored["unigram_lends"]["bigram in the window"]),
    ):
        share = least(asked, lender)
        assert found == pytest.approx(np.mean(bits(races, windowed(share, lender))))
    assert stored["races"]["unigram cache"]["lent"] == 0  # nobody lends to himself
    assert stored["races"]["unigram cache"]["bits"] == pytest.approx(np.mean(bits(races, in_sight)))


def test_past_wins_are_counted_by_hand_and_rule_where_the_tables_are_silent():
    seen, asked = text_with_gaps(1), text_with_gaps(4, seed=9)
    words = Vocabulary.of(seen)
    windows, new = (text_windows(corpus, words, window=T) for corpus in (seen, asked))
    automaton = TextAutomaton(window_edges(windows, words.names), windows)
    copier = PastWins(windows, words.K)
    shares = copier.probability(new)
    wins = Counter((window[-1], y) for window, y in windows_by_hand(seen, T) if y in window)
    kinds = Counter()
    for k, (window, label) in enumerate(windows_by_hand(asked, T)):
        won = [wins[window[-1], word] if word is not None else 0 for word in window]
        weights = won if any(won) else [float(word is not None) for word in window]
        hit = sum(w for w, word in zip(weights, window, strict=True) if word == label)
        assert shares[k] == pytest.approx(hit / sum(weights))
        kinds[any(won)] += 1
    assert min(kinds.values()) > 0
    assert len(kinds) == 2
    silent = ~automaton.tables.decide(new).decided
    assert silent.sum() > 2
    assert shares[silent] == pytest.approx(automaton.probability(new)[silent])


def test_what_the_tables_save_is_counted_from_past_wins(prediction):
    _, stored = prediction
    gain = {who: stored["all"][who]["saved"][0] for who in ("automaton", "past wins")}
    saved, error = stored["tables_save"]
    assert saved == pytest.approx(gain["automaton"] - gain["past wins"])
    assert error > 0


def test_every_step_at_which_the_layer_may_stop_is_stored(prediction):
    steps, losses = zip(*prediction[1]["layer"], strict=True)
    assert steps == (5, 10)
    assert losses[1] < losses[0]


def test_classes_of_decisions_add_up(prediction):
    _, stored = prediction
    decisions, windows = stored["decisions"], stored["windows"][2]
    classes = [decisions["silent"], *decisions["by_league"]]
    decided = sum(one["windows"] for one in decisions["by_league"])
    assert decisions["decided"] == pytest.approx(decided / windows)
    assert decisions["untied"] == pytest.approx(sum(one["untied"] for one in classes) / windows)
    assert decisions["by_league"][0]["untied"] == decisions["by_league"][0]["windows"]
    assert decisions["silent"]["untied"] == 0
    assert 0 < decisions["untied"] < decisions["decided"] < 1
    races = sum(one["races"] for one in classes)
    bits = sum(one["bits"]["automaton"] for one in classes)
    assert races <= stored["label_share"] * windows + 0.5
    if races == round(stored["label_share"] * windows):
        assert bits / races == pytest.approx(stored["races"]["automaton"]["bits"])
    assert {"tables_save"} <= classes[0].keys()
    for one in classes:
        if one["tables_save"] is None:  # too few articles have a say
            continue
        saved, error = one["tables_save"]
        gain = one["bits"]["past wins"] - one["bits"]["automaton"]
        assert saved == pytest.approx(gain / one["races"], abs=1e-12)
        assert error >= 0


def test_the_odds_tell_tied_words_apart(prediction):
    odds = prediction[1]["odds"]
    assert odds["odds"][0] < odds["even"][0]
