"""Training a head: the gradient against torch, the rules of descent, free contexts."""

import numpy as np
import pytest

from nta_beyond.decoder import Language, free_contexts, head_gradient, head_loss, train_head
from nta_core import EmbeddingError, OptionError, SolverDidNotConverge
from tests.beyond.decoder.test_decoder_parts import LANGUAGES, TALK, random_language
from tests.beyond.interrupting import interrupted


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gradient_is_that_of_autograd(language):
    torch = pytest.importorskip("torch")
    shape = len(language.words), language.contexts.shape[1]
    W = np.random.default_rng(1).standard_normal(shape)
    leaf = torch.tensor(W, requires_grad=True)
    logits = torch.tensor(language.contexts) @ leaf.T
    each = -(torch.tensor(language.odds) * torch.log_softmax(logits, dim=1)).sum(dim=1)
    loss = (torch.tensor(language.shares) * each).sum()
    loss.backward()
    assert head_loss(language, W) == pytest.approx(loss.item(), abs=1e-12)
    assert head_gradient(language, W) == pytest.approx(leaf.grad.numpy(), abs=1e-12)


def test_the_loss_is_convex_and_above_the_entropy():
    language = LANGUAGES[1]
    rng = np.random.default_rng(0)
    for _ in range(20):
        A, B = 3 * rng.standard_normal((2, 6, 6))
        middle = head_loss(language, (A + B) / 2)
        assert middle <= (head_loss(language, A) + head_loss(language, B)) / 2
        assert middle > language.entropy


def test_plain_descent_with_its_own_step_never_climbs():
    run = train_head(random_language(5), steps=300, record=None)
    assert (np.diff(run.losses) <= 1e-15).all()
    assert run.path.shape == (301, 6, 6)


def test_a_normalized_step_has_its_length_and_adam_its_size():
    language = random_language(6)
    steps = {}
    for method in ("normalized", "adam"):
        run = train_head(language, steps=1, step_size=0.1, method=method, record=None)
        steps[method] = run.path[1] - run.path[0]
    assert np.linalg.norm(steps["normalized"]) == pytest.approx(0.1)
    assert np.abs(steps["adam"]) == pytest.approx(0.1, abs=1e-4)


def test_ctrl_c_keeps_the_run_until_then():
    def train():
        return train_head(LANGUAGES[0], steps=50, record=(0, 10, 50))

    stop = interrupted("nta_beyond.decoder.descent:slope", 31, train)
    (run,) = stop.runs
    assert run.steps.tolist() == [0, 10, 29]
    assert run.losses[-1] < run.losses[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": "newton"}, "choose one of"),
        ({"method": "adam"}, "needs one"),
        ({"step_size": 0.0}, "above 0"),
        ({"record": []}, "at least one"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, says):
    with pytest.raises(OptionError, match=says):
        train_head(LANGUAGES[0], steps=3, **options)


def test_a_head_of_another_size_is_refused():
    with pytest.raises(EmbeddingError, match="shape"):
        head_loss(LANGUAGES[0], np.eye(3))
    with pytest.raises(EmbeddingError, match="leave float64"):
        head_loss(LANGUAGES[0], np.full((5, 9), 1e200))


def test_the_largest_numbers_that_are_allowed_stay_finite():
    language = Language([[1e50]], [[0.5, 0.5]])
    run = train_head(language, steps=50, step_size=1e50, W0=[[1e100], [0]])
    assert np.isfinite(run.losses).all()


RIDGES = (1e-1, 1e-2, 1e-4, 1e-6)


def test_free_contexts_are_at_a_minimum_of_the_regularized_loss():
    language = Language.from_counts(TALK)
    for end in free_contexts(language, ridges=RIDGES[:3]):
        whole = Language(end.contexts, language.odds, shares=language.shares)
        slope = head_gradient(whole, end.W) + end.ridge * end.W
        assert np.abs(slope).max() < 1e-3 * end.ridge * np.abs(end.W).max()


def test_a_ridge_where_rounding_hides_the_minimum_is_refused():
    language = Language.from_counts(TALK)
    steps = np.geomspace(1e-1, 1e-7, 13).tolist()
    for end in free_contexts(language, ridges=steps):
        whole = Language(end.contexts, language.odds, shares=language.shares)
        slope = head_gradient(whole, end.W) + end.ridge * end.W
        assert np.abs(slope).max() < 0.02 * end.ridge * np.abs(end.W).max()
    with pytest.raises(SolverDidNotConverge, match=r"ridge 1e-08: take larger ridges"):
        free_contexts(language, ridges=[1e-1, 1e-8])


def test_contexts_of_one_support_collapse_and_others_do_not():
    language = Language.from_counts(TALK)
    ends = free_contexts(language, ridges=RIDGES)
    alike = [end.cosines[0, 1] for end in ends[1:]]  # a cup of, a pot of
    overlapping = ends[-1].cosines[3, 4]  # out came the, down came the: rain is in both
    assert alike == sorted(alike)
    assert alike[-1] > 0.9 > 0.8 > overlapping
    assert all(end.cosines[0, 3] < 0 for end in ends)  # nothing in common


def growing(logits, supports):
    """Logits with the odds inside each support taken out."""
    means = (logits * supports).sum(1, keepdims=True) / supports.sum(1, keepdims=True)
    return np.where(supports, means, logits)


def test_the_growing_part_is_the_nuclear_norm_margin():
    cvxpy = pytest.importorskip("cvxpy")
    language = Language.from_counts(TALK)
    m, V = language.odds.shape
    L = cvxpy.Variable((m, V))
    rules = []
    for j, inside in enumerate(language.supports):
        first, *others = np.flatnonzero(inside).tolist()
        rules += [L[j, first] == L[j, z] for z in others]
        rules += [L[j, first] - L[j, v] >= 1 for v in np.flatnonzero(~inside)]
    cvxpy.Problem(cvxpy.Minimize(cvxpy.normNuc(L)), rules).solve(solver="SCS", eps=1e-8)
    assert L.value[0] == pytest.approx(L.value[1], abs=1e-4)  # equal supports, equal columns
    cosines = []
    for end in free_contexts(language, ridges=RIDGES):
        part = growing(end.logits, language.supports)
        cosines.append(np.vdot(part, L.value) / np.linalg.norm(part) / np.linalg.norm(L.value))
    assert cosines[-1] > 0.99
    assert cosines[-1] > cosines[1]


@pytest.mark.parametrize("ridges", [[], [1e-3, 1e-2], [-1.0], [0.0]])
def test_ridges_fall(ridges):
    with pytest.raises(OptionError):
        free_contexts(LANGUAGES[0], ridges=ridges)
