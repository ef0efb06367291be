"""League agreement: exact where it must be, low where it must be, and the questions are fair."""

import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest

from nta_beyond import openlab
from nta_beyond.openlab import PARTS, Exam, Variant, exams, league_agreement
from nta_core import FIG3, Automaton, DataError, Dataset, OptionError, random_dataset

KINDS = ("acyclic", "cyclic")


def both(kind, seed=0):
    data = random_dataset(24, 4, 6, kind=kind, seed=seed)
    return data, *exams(data, seed=seed)


def shares(data, exam):
    """What the automaton says, by token."""
    rule, table = Automaton.from_dataset(data), np.zeros(exam.top.shape)
    for row, context in zip(table, exam.contexts, strict=True):
        for token, p in rule.compose(context).probabilities.items():
            row[token] = p
    return table


def copying(exam):
    table = np.zeros(exam.top.shape)
    for row, context in zip(table, exam.contexts, strict=True):
        np.add.at(row, context, 1 / len(context))
    return table


@pytest.mark.parametrize("kind", KINDS)
def test_the_automaton_scores_one_and_blind_copying_zero(kind):
    data, *papers = both(kind)
    for exam in papers:
        assert league_agreement(shares(data, exam), exam) == pytest.approx(1, abs=1e-12)
        assert league_agreement(copying(exam), exam) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lookup_table_passes_what_it_has_seen_and_fails_the_rest(kind):
    data, seen, unseen = both(kind, seed=1)
    winner = dict(zip(data.sequences, data.labels, strict=True))
    table = np.eye(6)[[winner[tuple(context)] for context in seen.contexts.tolist()]]
    assert league_agreement(table, seen) == 1
    assert league_agreement(copying(unseen), unseen) == pytest.approx(0, abs=1e-12)


def test_preferring_losers_is_negative():
    _, _, exam = both("acyclic")
    reverse = copying(exam) * ~exam.top
    reverse /= reverse.sum(axis=1, keepdims=True)
    assert league_agreement(reverse, exam) == pytest.approx(-1 / 3)


def test_strangers_tables_score_near_zero():
    scores = []
    for seed in range(60):
        data = random_dataset(24, 4, 6, kind="acyclic", seed=seed)
        _, exam = exams(random_dataset(24, 4, 6, kind="acyclic", seed=1000 + seed), seed=0)
        scores.append(league_agreement(shares(data, exam), exam))
    assert abs(np.mean(scores)) < 3 * np.std(scores) / np.sqrt(60)
    assert max(scores) < 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_questions_are_determined_can_go_wrong_and_are_new(kind):
    data, seen, unseen = both(kind, seed=2)
    rule = Automaton.from_dataset(data)
    for exam in (seen, unseen):
        for context, top in zip(exam.contexts.tolist(), exam.top, strict=True):
            assert rule.determined(context)
            assert set(np.flatnonzero(top)) == rule.retrieve(context)
            assert len(set(context)) == 4
        assert ((exam.chance >= 0.25) & (exam.chance < 1)).all()
    assert {tuple(c) for c in seen.contexts.tolist()} <= set(data.sequences)
    trained = {(frozenset(x), x[-1]) for x in data.sequences}
    asked = {(frozenset(c), c[-1]) for c in unseen.contexts.tolist()}
    assert not trained & asked
    assert len(asked) == len(unseen)


def test_no_determined_unseen_context_is_forgotten():
    data, _, unseen = both("cyclic", seed=3)
    rule = Automaton.from_dataset(data)
    trained = {(frozenset(x), x[-1]) for x in data.sequences}
    wanted = {
        (frozenset(x), x[-1])
        for x in permutations(range(6), 4)
        if rule.determined(x) and len(rule.retrieve(x)) < 4
    }
    asked = {(frozenset(c), c[-1]) for c in unseen.contexts.tolist()}
    assert asked == wanted - trained


def test_the_seed_orders_the_unseen_contexts_only():
    data = random_dataset(24, 4, 6, kind="acyclic", seed=4)
    (seen, one), (again, other) = exams(data, seed=0), exams(data, seed=1)
    assert (seen.contexts == again.contexts).all()
    assert (one.contexts != other.contexts).any()
    assert (np.sort(one.contexts) == np.sort(other.contexts)).all()


def test_bad_input_is_named():
    _, _, exam = both("acyclic")
    with pytest.raises(DataError, match=r"expected \(\d+, 6\)"):
        league_agreement(np.ones((2, 6)), exam)
    empty = Exam(np.zeros((0, 4), dtype=np.int64), np.zeros((0, 6), dtype=bool))
    with pytest.raises(DataError, match="without contexts"):
        league_agreement(np.zeros((0, 6)), empty)
    for data in (FIG3, Dataset([[0, 0, 1]], [1])):
        with pytest.raises(DataError, match="different tokens"):
            exams(data, seed=0)


def test_variants_are_named_by_their_parts():
    assert Variant().name == "the paper's layer"
    assert Variant(**dict.fromkeys(PARTS, True)).parts == tuple(p for p in PARTS if p != "softmax")
    assert Variant(softmax=True).parts == ("softmax",)
    assert Variant(softmax=True, mlp=True).name == "MLP"
    for part in PARTS:
        needs = part in ("mlp", "trained_embeddings", "trained_decoder")
        assert Variant(**{part: True}).needs_softmax == needs
    with pytest.raises(OptionError, match="second_head=2"):
        Variant(second_head=2)


def test_torch_is_loaded_late_and_missed_by_name():
    code = """
import sys
import nta_core
import nta_beyond.openlab as openlab
assert "torch" not in sys.modules
sys.modules["torch"] = None
try:
    openlab.train_variant
except nta_core.MissingPackage as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("openlab.train_variant needs torch")
    assert "nta-core[torch]" in done.stdout
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        openlab.Nothing  # noqa: B018
