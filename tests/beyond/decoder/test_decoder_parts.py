"""The two parts of a head against solvers that share none of their code."""

import cvxpy
import numpy as np
import pytest
from scipy.optimize import minimize

from nta_beyond.decoder import (
    HeadTheory,
    Language,
    NotSeparable,
    head_loss,
    margin_part,
    odds_part,
    train_head,
)
from nta_beyond.decoder.parts import comparisons
from nta_core import DataError, Dataset, EmbeddingError, embeddings

TALK = {
    "a cup of": {"tea": 3, "milk": 1},
    "a pot of": {"tea": 1, "milk": 1},
    "a slice of": {"cake": 2},
    "out came the": {"sun": 3, "rain": 1},
    "down came the": {"rain": 2},
}


def random_language(seed, *, m=5, d=6, V=6, S=3, full=False):
    """Random contexts in general position, supports of S words, odds uniform on the simplex."""
    rng = np.random.default_rng(seed)
    odds = np.zeros((m, V))
    for row in odds:
        size = V if full else S
        row[rng.permutation(V)[:size]] = rng.dirichlet(np.ones(size))
    shares = rng.dirichlet(10 * np.ones(m))
    return Language(rng.standard_normal((m, d)), odds, shares=shares)


LANGUAGES = [Language.from_counts(TALK), *(random_language(seed) for seed in range(4))]


def by_cvxpy(language):
    """NTP-SVM as the paper writes it, every pair of words by itself."""
    V, d = len(language.words), language.contexts.shape[1]
    W = cvxpy.Variable((V, d))
    rules = []
    for h, inside in zip(language.contexts, language.supports, strict=True):
        logits = W @ h
        first, *others = np.flatnonzero(inside).tolist()
        rules += [logits[first] == logits[z] for z in others]
        rules += [
            logits[z] - logits[v] >= 1 for z in (first, *others) for v in np.flatnonzero(~inside)
        ]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(W)), rules)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return W.value, problem.status


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_margin_part_is_the_quadratic_programme_of_the_paper(language):
    theirs, status = by_cvxpy(language)
    assert status == "optimal"
    assert pytest.approx(theirs, abs=1e-6) == margin_part(language).W


@pytest.mark.parametrize("language", LANGUAGES)
def test_supports_are_tied_and_stand_one_above_all_other_words(language):
    logits = language.contexts @ margin_part(language).W.T
    for row, inside in zip(logits, language.supports, strict=True):
        assert np.ptp(row[inside]) < 1e-9
        if not inside.all():
            assert row[inside].min() - row[~inside].max() > 1 - 1e-9


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_odds_part_meets_all_log_odds_when_contexts_are_independent(language):
    part = odds_part(language)
    logits = language.contexts @ part.W.T
    for row, p in zip(logits, language.odds, strict=True):
        inside = p > 0
        off = row[inside] - np.log(p[inside])
        assert np.ptp(off) < 1e-9
    assert part.compatible
    assert np.abs(part.project(part.W) - part.W).max() < 1e-12  # it lies in F
    assert abs(np.vdot(part.W, margin_part(language).W)) < 1e-9  # and the parts are orthogonal


def test_odds_that_no_head_can_meet_are_the_minimum_inside_the_supports():
    language = random_language(3, m=8, d=2, V=4, full=True)  # 24 log-odds in 8 - 2 dimensions
    part = odds_part(language)
    assert not part.compatible

    def risk(x):
        return head_loss(language, x.reshape(4, 2))

    oracle = minimize(risk, np.zeros(8), method="BFGS", options={"gtol": 1e-10})
    assert head_loss(language, part.W) == pytest.approx(oracle.fun, abs=1e-9)
    assert pytest.approx(odds_part(language).project(oracle.x.reshape(4, 2)), abs=1e-4) == part.W


def test_more_contexts_than_dimensions_may_contradict_each_other():
    rows = [[1.0], [1.0], [-1.0]]  # one dimension; the first two contexts are one and the same
    language = Language(rows, [[1, 0], [0, 1], [0, 1]], names=["left", "same", "right"])
    with pytest.raises(NotSeparable) as refusal:
        margin_part(language)
    assert set(refusal.value.contexts) == {"left", "same"}
    assert by_cvxpy(language)[1].startswith("infeasible")


def test_every_word_everywhere_leaves_no_margin():
    language = random_language(0, full=True)
    part = margin_part(language)
    assert part.norm == 0
    assert not part.deciding
    assert np.isnan(HeadTheory.of(language).decompose(np.ones_like(part.W)).cosine)


def test_one_word_each_leaves_no_odds():
    part = odds_part(random_language(0, S=1))
    assert part.W.any() == 0
    assert part.basis.shape == (0, 6, 6)


def test_counts_of_constraints_are_those_of_the_paper():
    language = LANGUAGES[1]
    tied, strict = comparisons(language.supports)
    m, V, inside = 5, 6, int(language.supports.sum())
    assert len(strict) == m * V - inside
    assert len(tied) == inside - m


@pytest.mark.parametrize("language", LANGUAGES)
def test_theorem_2_descent_settles_on_the_odds_and_turns_to_the_margin(language):
    theory = HeadTheory.of(language)
    start = np.random.default_rng(0).standard_normal(theory.margin.W.shape)
    for W0 in (None, start):
        run = train_head(language, steps=10_000, W0=W0, record=(100, 10_000))
        early, late = map(theory.decompose, run.path)
        assert late.odds_distance < 0.5 * early.odds_distance
        assert late.cosine > max(0.85, early.cosine)
        assert late.C > early.C
        assert language.entropy < run.losses[1] < run.losses[0]


def test_a_head_is_read_as_what_it_is_made_of():
    theory = HeadTheory.of(LANGUAGES[0])
    for C in (0.5, 3.0):
        read = theory.decompose(C * theory.margin.W + theory.odds.W)
        assert pytest.approx(C) == read.C
        assert read.odds_distance < 1e-9
        assert read.residual < 1e-9
    assert theory.decompose(np.zeros_like(theory.margin.W)).residual == np.inf


def test_attention_held_still_makes_the_contexts():
    data = Dataset([[0, 1, 2], [1, 0, 2], [0, 0, 2], [2, 1, 2]], [0, 1, 1, 0])
    E = embeddings(3, 4, seed=0)
    uniform = Language.from_dataset(data, E)
    assert len(uniform.names) == 3  # the first two hold the same tokens
    together = [uniform.odds[i] for i, name in enumerate(uniform.names) if "e1 e2" in name]
    assert together[0] == pytest.approx([0.5, 0.5, 0])
    which = uniform.names.index("e1 e1 e3")
    assert uniform.contexts[which] == pytest.approx((2 * E[0] + E[2]) / 3)
    hard = Language.from_dataset(data, np.eye(3), W=60 * np.diag([3.0, 2.0, 1.0]) @ np.ones((3, 3)))
    assert hard.contexts.max(axis=1) == pytest.approx(1)  # all attention on the strongest token


@pytest.mark.parametrize(
    ("contexts", "odds", "more", "error", "says"),
    [
        ([1.0, 2.0], [[1, 0]], {}, EmbeddingError, "one vector per row"),
        (np.eye(2), [[1, 0]], {}, DataError, "2 rows"),
        (np.eye(2), [[1, 0], [0.5, 0.4]], {}, DataError, "add up to 1"),
        (np.eye(2), [[1, 0], [1.5, -0.5]], {}, DataError, "add up to 1"),
        (np.eye(2), [[1, 0], [0, 1]], {"shares": [1, 0]}, DataError, "never occurs"),
        (np.eye(2), [[1, 0], [0, 1]], {"shares": [1]}, DataError, "one number per context"),
        (np.eye(2), [[1, 0], [0, 1]], {"names": ["one"]}, DataError, "one per context"),
    ],
)
def test_what_is_no_language_is_refused(contexts, odds, more, error, says):
    with pytest.raises(error, match=says):
        Language(contexts, odds, **more)


def test_empty_counts_are_refused():
    for counts in ({}, {"a": {}}, {"": {"tea": 1}}, {"a": {"tea": 0}}, {"a": {"tea": -1}}):
        with pytest.raises((DataError, ValueError)):
            Language.from_counts(counts)


def test_everything_says_what_it_is():
    language = LANGUAGES[0]
    theory = HeadTheory.of(language)
    assert repr(language) == "Language(5 contexts in 9 dimensions, 5 words, entropy 0.4204)"
    assert "a cup of" in language._repr_html_()
    assert "–" in language._repr_html_()  # a word that never follows
    assert repr(theory.odds).endswith("all log-odds met)")
    assert "missed by" in repr(odds_part(random_language(3, m=8, d=2, V=4, full=True)))
    assert "pairs decide" in repr(theory)
    parts = theory.decompose(theory.margin.W)
    assert "cosine=1.00000" in repr(parts)
    assert "W<sub>mm</sub>" in parts._repr_html_()


def test_the_deciding_pairs_hold_the_margin_up():
    language = LANGUAGES[0]
    part = margin_part(language)
    logits = language.contexts @ part.W.T
    for context, word in part.deciding:
        j, v = language.names.index(context), language.words.index(word)
        assert logits[j][language.supports[j]].min() - logits[j, v] == pytest.approx(1)
