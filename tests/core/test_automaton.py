"""The automaton against the layer it predicts, on every context of small vocabularies."""

from collections import Counter
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    FIG8,
    DataError,
    Dataset,
    EmbeddingError,
    InfeasibleGraphSVM,
    OptionError,
    UnknownToken,
    embeddings,
    random_dataset,
    token_priority_graphs,
)
from nta_core.automaton import Automaton
from nta_core.model import token_mass
from nta_core.reading import Theory
from nta_core.training import gradient_descent

# e1 beats e2 and e3 beats e2, after e2; e1 and e3 never met; e4 was never seen with e2
TWO_TOPS = Dataset([[0, 1], [2, 1], [3, 0]], [0, 2, 3], K=4)


def contexts(K, longest):
    """Every context up to a length; order matters only for the last token."""
    return [c for length in range(1, longest + 1) for c in product(range(K), repeat=length)]


@st.composite
def datasets(draw):
    K = draw(st.integers(1, 5))
    rows = draw(
        st.lists(st.lists(st.integers(0, K - 1), min_size=1, max_size=5), min_size=1, max_size=12)
    )
    return Dataset(rows, [draw(st.sampled_from(row)) for row in rows], K=K)


@st.composite
def questions(draw):
    data = draw(datasets())
    context = draw(st.lists(st.integers(0, data.K - 1), min_size=1, max_size=6))
    return data, context


def determined_by_definition(data, context):
    """Some token reaches every other token of the context, in the graph of the last token."""
    tokens = set(context)
    if len(tokens) == 1:
        return True
    graph = nx.DiGraph()
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        if sequence[-1] == context[-1]:
            graph.add_edges_from((label, token) for token in sequence)
    return tokens <= set(graph) and any(
        tokens <= nx.descendants(graph, token) | {token} for token in tokens
    )


# --------------------------------------------------------------------------- the paper's figures


def test_fig3():
    automaton = Automaton.from_dataset(FIG3)
    assert automaton.retrieve([0, 1, 2, 3, 0]) == {3}  # after e1 the order is 4 > 3 > 2 > 1
    assert automaton.retrieve([2, 1, 0]) == {2}
    assert automaton.retrieve([0, 3, 1]) == {3}
    tied = automaton.compose([2, 0, 1])
    assert tied.probabilities == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})
    assert tied.league == {0, 1, 2}
    assert tied.determined


def test_fig8():
    automaton = Automaton.from_dataset(FIG8)
    answer = automaton.compose([2, 0, 3, 1])
    root = 2**0.5
    expected = {0: 1 / (2 + root), 1: root / (2 + root), 2: 1 / (2 + root), 3: 0.0}
    assert answer.probabilities == pytest.approx(expected, abs=1e-12)
    assert answer.retrieved == {0, 1, 2}
    tickets = automaton.compose([0, 0, 0, 1]).probabilities
    assert tickets == pytest.approx({0: 3 / (3 + root), 1: root / (3 + root)}, abs=1e-12)


def test_training_sequences_keep_the_labels_league():
    for seed in range(30):
        data = random_dataset(12, 4, 6, seed=seed)
        automaton = Automaton.from_dataset(data)
        graphs = token_priority_graphs(data)
        for sequence, label in zip(data.sequences, data.labels, strict=True):
            league = graphs[sequence[-1]].component_of(label)
            answer = automaton.compose(sequence)
            assert answer.retrieved == league & set(sequence)
            assert answer.league == league
            assert answer.determined


# --------------------------------------------------------------------------- the layer


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["random", "orthonormal", "equicorrelated"])
def test_limit_agreement_on_all_contexts(seed, kind):
    """S(X(C·W_svm + W_fin)x̄) → compose(context): all 340 contexts up to length 4, K = 4."""
    data = random_dataset(10, 3, 4, kind="cyclic", seed=seed)
    E = embeddings(4, 6, kind=kind, seed=seed)
    theory, automaton = Theory.of(data, E), Automaton.from_dataset(data, E)
    C = 300.0
    W = C * theory.svm.W + theory.fin.W
    compared = 0
    for context in contexts(4, 4):
        hard = E[sorted(set(context))] @ theory.svm.W @ E[context[-1]]
        near = (hard < hard.max() - 1e-6) & (hard > hard.max() - 0.1)
        if near.any():  # at this C a gap below 0.1 is still a tie
            assert not automaton.determined(context)
            continue
        compared += 1
        expected = np.zeros(4)
        for token, p in automaton.compose(context).probabilities.items():
            expected[token] = p
        assert token_mass(W, E, context) == pytest.approx(expected, abs=1e-6)
    assert compared >= 250


@pytest.mark.parametrize("seed", range(10))
def test_one_hot_scores_are_those_of_the_whole_problem(seed):
    data = random_dataset(14, 4, 5, kind="any", seed=seed)
    track_by_track = Automaton.from_dataset(data)
    at_once = Automaton.from_dataset(data, np.eye(5))
    for last in range(5):
        for ours, theirs in (
            (track_by_track.scores.hard(last), at_once.scores.hard(last)),
            (track_by_track.scores.soft(last), at_once.scores.soft(last)),
        ):
            assert ours == pytest.approx(theirs, abs=1e-9)
    for context in contexts(5, 3):
        first, second = track_by_track.compose(context), at_once.compose(context)
        assert first.probabilities == pytest.approx(second.probabilities, abs=1e-9)
        assert first.undetermined == second.undetermined


def test_determined_answers_do_not_depend_on_the_embeddings():
    data = random_dataset(10, 3, 5, kind="cyclic", seed=4)
    automata = [Automaton.from_dataset(data, embeddings(5, 7, seed=s)) for s in range(4)]
    automata.append(Automaton.from_dataset(data))
    silent_and_different = 0
    for context in contexts(5, 3):
        answers = [automaton.compose(context).probabilities for automaton in automata]
        if automata[0].determined(context):
            assert all(answer == pytest.approx(answers[0], abs=1e-9) for answer in answers)
        else:
            silent_and_different += any(answer != answers[0] for answer in answers)
    assert silent_and_different > 50  # … and the others do


def test_a_trained_layer_agrees_where_the_data_speaks():
    data = random_dataset(12, 3, 4, kind="cyclic", seed=1)
    E = embeddings(4, 4, kind="orthonormal")
    automaton = Automaton.from_dataset(data)
    W = gradient_descent(data, E, steps=20_000, step_size=1.0, normalized=False).W
    determined = [c for c in contexts(4, 3) if automaton.determined(c)]
    assert len(determined) >= 40
    for context in determined:
        mass = token_mass(W, E, context)
        for token, p in automaton.compose(context).probabilities.items():
            assert mass[token] == pytest.approx(p, abs=0.02)


# --------------------------------------------------------------------------- what the data says


@given(questions())
def test_determined_means_one_token_reaches_all(question):
    data, context = question
    automaton = Automaton.from_dataset(data)
    expected = determined_by_definition(data, context)
    assert automaton.determined(context) == expected
    assert automaton.compose(context).determined == expected


@given(questions())
def test_answers_are_distributions_over_the_context(question):
    data, context = question
    answer = Automaton.from_dataset(data).compose(context)
    assert set(answer.probabilities) == set(context)
    assert sum(answer.probabilities.values()) == pytest.approx(1, abs=1e-12)
    assert {token for token, p in answer.probabilities.items() if p > 0} == answer.retrieved
    ranked = [p for _, p in answer.ranking]
    assert all(first >= second - 1e-12 for first, second in pairwise(ranked))
    if answer.determined and len(set(context)) > 1:
        assert answer.league is not None
        assert answer.retrieved <= answer.league


@given(questions(), st.randoms(use_true_random=False))
def test_only_counts_and_the_last_token_matter(question, random):
    data, context = question
    automaton = Automaton.from_dataset(data)
    head = context[:-1]
    random.shuffle(head)
    shuffled = automaton.compose([*head, context[-1]])
    answer = automaton.compose(context)
    assert shuffled.probabilities == answer.probabilities
    assert shuffled.undetermined == answer.undetermined


@given(questions())
def test_graph_and_geometry_retrieve_the_same_where_both_speak(question):
    data, context = question
    automaton = Automaton.from_dataset(data)
    tokens = sorted(set(context))
    hard = automaton.scores.hard(context[-1])[tokens]
    by_score = {t for t, s in zip(tokens, hard, strict=True) if s > hard.max() - 1e-6}
    assert automaton.retrieve(context) == by_score


def test_unseen_last_token():
    automaton = Automaton.from_dataset(TWO_TOPS)
    answer = automaton.compose([0, 1, 3])
    assert [silence.kind for silence in answer.undetermined] == ["unseen last token", "exact tie"]
    assert answer.undetermined[0].tokens == {3}
    assert answer.probabilities == pytest.approx({0: 1 / 3, 1: 1 / 3, 3: 1 / 3})
    assert answer.league is None


def test_unseen_tokens():
    automaton = Automaton.from_dataset(TWO_TOPS)
    loser_and_stranger = automaton.compose([3, 1])
    assert [silence.kind for silence in loser_and_stranger.undetermined] == ["unseen tokens"]
    assert loser_and_stranger.undetermined[0].tokens == {3}
    assert loser_and_stranger.retrieved == {3}  # score 0 beats a known loser
    assert loser_and_stranger.league is None
    winner_and_stranger = automaton.compose([3, 0, 1])
    assert winner_and_stranger.retrieved == {0}
    assert not winner_and_stranger.determined


def test_incomparable_leagues_and_exact_ties():
    automaton = Automaton.from_dataset(TWO_TOPS)
    answer = automaton.compose([0, 2, 1])
    kinds = [silence.kind for silence in answer.undetermined]
    assert kinds == ["incomparable leagues", "exact tie"]
    assert answer.undetermined[0].tokens == {0, 2}
    assert answer.retrieved == {0, 2}


def test_incomparable_leagues_that_geometry_ranks():
    # e3 > e4 > e2 and e1 > e2: e1 and e3 never met, but e3 stands on a longer chain
    data = Dataset([[0, 1], [3, 1], [2, 3, 1]], [0, 3, 2])
    answer = Automaton.from_dataset(data).compose([0, 2, 1])
    assert [silence.kind for silence in answer.undetermined] == ["incomparable leagues"]
    assert answer.undetermined[0].tokens == {0, 2}
    assert answer.retrieved == answer.league == {2}


def test_all_reasons_at_once():
    answer = Automaton.from_dataset(TWO_TOPS).compose([0, 2, 3, 1])
    assert [s.kind for s in answer.undetermined] == [
        "unseen tokens",
        "incomparable leagues",
        "exact tie",
    ]


def test_a_single_token_is_always_determined():
    automaton = Automaton.from_dataset(TWO_TOPS)
    answer = automaton.compose([3, 3, 3])
    assert answer.determined
    assert answer.probabilities == {3: 1.0}
    assert answer.league is None
    assert automaton.explain([3]).splitlines()[1] == "Retrieve: e4 is the only token there is."


def test_a_chain_through_absent_tokens_decides():
    chain = Dataset([[0, 1, 3], [1, 2, 3]], [0, 1])
    automaton = Automaton.from_dataset(chain)
    assert automaton.determined([0, 2, 3])
    assert automaton.retrieve([0, 2, 3]) == {0}
    graph = token_priority_graphs(chain)[3]
    assert graph.top({0, 2}) == (frozenset({0}),)
    assert graph.top({2, 3}) == (frozenset({2}), frozenset({3}))


def test_large_vocabulary_without_a_k_by_k_matrix():
    data = Dataset([[5, 90_000, 70_000], [90_000, 5, 70_000]], [5, 90_000], K=100_000)
    answer = Automaton.from_dataset(data).compose([5, 90_000, 70_000, 99_999])
    assert answer.undetermined[0].kind == "unseen last token"
    answer = Automaton.from_dataset(data).compose([5, 90_000, 99_999, 70_000])
    assert answer.retrieved == {5, 90_000}
    assert [silence.kind for silence in answer.undetermined] == ["unseen tokens"]


# --------------------------------------------------------------------------- generation


@given(questions(), st.integers(0, 2**32 - 1))
def test_generation_stays_in_the_context_and_repeats_with_its_seed(question, seed):
    data, context = question
    automaton = Automaton.from_dataset(data)
    text = automaton.generate(context, 8, seed=seed)
    assert text[: len(context)] == tuple(context)
    assert len(text) == len(context) + 8
    assert set(text) == set(context)
    assert text == automaton.generate(context, 8, seed=seed)
    for end in range(len(context), len(text)):
        assert text[end] in automaton.retrieve(text[:end])


def test_samples_follow_the_probabilities():
    automaton = Automaton.from_dataset(FIG8)
    rng = np.random.default_rng(0)
    drawn = Counter(automaton.sample([0, 0, 2, 3, 1], seed=rng) for _ in range(4000))
    for token, p in automaton.compose([0, 0, 2, 3, 1]).probabilities.items():
        assert drawn[token] / 4000 == pytest.approx(p, abs=0.03)
    assert automaton.sample([0, 1], seed=7) == automaton.sample([0, 1], seed=7)


def test_hard_retrieval_generates_a_loop():
    swap = Dataset([[0, 1], [1, 0]], [0, 1])  # after e2 comes e1, after e1 comes e2
    assert Automaton.from_dataset(swap).generate([0, 1], 5, seed=3) == (0, 1, 0, 1, 0, 1, 0)


def test_zero_steps_give_the_context_back():
    assert Automaton.from_dataset(FIG3).generate(np.array([2, 1]), 0, seed=0) == (2, 1)


# --------------------------------------------------------------------------- words and errors


def test_explain_a_determined_context():
    assert Automaton.from_dataset(FIG8).explain([2, 0, 1]).splitlines() == [
        "The context is e3 e1 e2; its last token e2 asks.",
        "Retrieve: all tokens present are in league {e1, e2, e3}, so e1, e2 and e3 stay.",
        "Compose: strength × occurrences gives e2 41.4%, e1 29.3% and e3 29.3%.",
        "The data determines this answer.",
    ]
    assert Automaton.from_dataset(FIG3).explain([2, 0, 3, 0]).splitlines() == [
        "The context is e3 e1 e4 e1; its last token e1 asks.",
        "Retrieve: league {e4} has priority over the rest of the context, so e4 stays.",
        "The data determines this answer.",
    ]


def test_explain_an_undetermined_context():
    words = Automaton.from_dataset(TWO_TOPS).explain([0, 2, 3, 1])
    assert words.splitlines() == [
        "The context is e1 e3 e4 e2; its last token e2 asks.",
        "Retrieve: by the largest score of the shortest W, e1 and e3 stay.",
        "Compose: strength × occurrences gives e1 50.0% and e3 50.0%.",
        "The data does not determine this answer; the shortest W guesses it:",
        "- e4 never occurred in a sequence that ends with e2, so no race ranks it.",
        "- after e2, the leagues {e1} and {e3} were never compared, not even through other tokens.",
        "- e1 and e3 have exactly equal scores; in a trained layer finite leftovers, such as its "
        "start W(0), break the tie.",
    ]
    two = Automaton.from_dataset(Dataset([[0, 1]], [0], K=4)).explain([2, 3, 1])
    assert "e3 and e4 never occurred in a sequence that ends with e2, so no race ranks them" in two
    unseen = Automaton.from_dataset(TWO_TOPS).explain([0, 3])
    assert "- e4 was never a last token, so it has no league table." in unseen


def test_markup_is_escaped():
    data = Dataset([[0, 1, 1], [2, 1, 1]], [0, 2], names=["<script>", "a&b", "c", "d"])
    automaton = Automaton.from_dataset(data)
    for shown in (
        automaton._repr_html_(),
        automaton.compose([0, 2, 3, 1])._repr_html_(),
        automaton.compose([0, 1])._repr_html_(),
    ):
        assert "&lt;script&gt;" in shown
        assert "a&amp;b" in shown
        assert "<script>" not in shown
    assert "Not determined by the data" in automaton.compose([0, 2, 1])._repr_html_()
    assert "Not determined" not in automaton.compose([0, 1])._repr_html_()


def test_results_show_themselves():
    automaton = Automaton.from_dataset(FIG8)
    assert repr(automaton) == "Automaton(2 last tokens, 6 leagues, K=4)"
    assert repr(automaton.compose([3, 0, 1])) == "Prediction(e2 58.6%, e1 41.4%)"
    assert repr(automaton.compose([0, 3])) == "Prediction(e1 50.0%, e4 50.0%; undetermined)"
    many = Automaton.from_dataset(Dataset([[k] for k in range(15)], range(15)))
    assert "… and 3 more" in many._repr_html_()


@pytest.mark.parametrize("method", ["retrieve", "compose", "determined", "explain"])
def test_bad_contexts_are_refused(method):
    ask = getattr(Automaton.from_dataset(FIG3), method)
    with pytest.raises(DataError, match="at least one token"):
        ask([])
    with pytest.raises(UnknownToken, match="token 4"):
        ask([0, 4])
    with pytest.raises(UnknownToken, match="token -1"):
        ask([-1])
    for wrong in ([0.5], [np.nan], [True], [[0]], [None], [b"e1"], np.array([0.0]), {0}, 3, None):
        with pytest.raises(DataError, match=r"integers|list|one axis"):
            ask(wrong)
    for wrong in (["e5"], ["e1", "cat"], "e1 e9", [2**64], [-(2**70)], np.array(["e1", "0"])):
        with pytest.raises(UnknownToken, match="not in the vocabulary 0…3"):
            ask(wrong)
    for same in (["e3", "e4", "e1"], "e3 e4 e1", ["e3", 3, np.int8(0)], (i for i in (2, 3, 0))):
        assert ask(same) == ask([2, 3, 0])


def test_bad_options_are_refused():
    automaton = Automaton.from_dataset(FIG3)
    for steps in (-1, 1.5, True):
        with pytest.raises(OptionError, match="steps"):
            automaton.generate([0], steps, seed=0)
    with pytest.raises(DataError):
        automaton.sample([], seed=0)
    with pytest.raises(EmbeddingError, match="NaN"):
        Automaton.from_dataset(FIG3, np.full((4, 4), np.nan))
    with pytest.raises(EmbeddingError, match="shape"):
        Automaton.from_dataset(FIG3, np.eye(3))
    with pytest.raises(InfeasibleGraphSVM):
        Automaton.from_dataset(Dataset([[0, 1], [1, 0]], [0, 0]), [[1.0], [-1.0]])
