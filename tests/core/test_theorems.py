"""Every lemma and theorem about training, as a numerical statement that can fail.

Names follow the paper (Mechanics of Next Token Prediction with Self-Attention, AISTATS 2024).
Where a statement needs a correction, a test shows the data that makes it necessary.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from nta_beyond.optimizers import constrained_minimum
from nta_beyond.paths import regularization_path
from nta_core import FIG3, FIG8, Dataset, embeddings, random_dataset, token_priority_graphs
from nta_core.model import Readout, cosine, token_mass
from nta_core.soft import active_subspace, cyclic_subspace, finite_part
from nta_core.svm import solve_graph_svm
from nta_core.training import (
    Objective,
    gradient_descent,
    gradient_descent_batch,
    loss_value,
    random_start,
)
from tests.golden import load

SHAPES = [(6, 4, 6, 8), (4, 6, 7, 8), (24, 4, 6, 8), (6, 9, 5, 8)]
KINDS = ["random", "orthonormal", "equicorrelated"]


class Case:
    """A dataset with everything the theory says about it."""

    def __init__(self, data: Dataset, E: np.ndarray) -> None:
        self.data, self.E = data, E
        self.graphs = token_priority_graphs(data)
        self.svm = solve_graph_svm(self.graphs, E).W
        self.soft = cyclic_subspace(self.graphs, E)
        self.active = active_subspace(self.graphs, E)
        self.finite = finite_part(data, self.graphs, E).W
        self.risk = Objective(data, E)

    @property
    def has_order(self) -> bool:
        return len(self.graphs.strict_array) > 0

    def reduced_risk(self, W: np.ndarray) -> float:
        """L̄: of every sequence keep the label's league; the query stays the last token."""
        total = 0.0
        for sequence, label in zip(self.data.sequences, self.data.labels, strict=True):
            league = self.graphs[sequence[-1]].component_of(label)
            kept = [token for token in sequence if token in league]
            scores = self.E[kept] @ W @ self.E[sequence[-1]]
            own = np.array(kept) == label
            total -= np.log(np.exp(scores)[own].sum() / np.exp(scores).sum())
        return total / self.data.n


@cache
def mixed_cases() -> list[Case]:
    cases = []
    for i in range(24):
        n, T, K, d = SHAPES[i % 4]
        kind = KINDS[i % 3]
        cases.append(Case(random_dataset(n, T, K, seed=i), embeddings(K, d, kind=kind, seed=i)))
    return cases


@cache
def drawn(kind: str, shape: tuple[int, int, int, int], embedding: str, count: int) -> list[Case]:
    """Random data of one kind that has some strict order."""
    n, T, K, d = shape
    cases: list[Case] = []
    seed = 0
    while len(cases) < count:
        data = random_dataset(n, T, K, kind=kind, seed=seed)
        case = Case(data, embeddings(K, d, kind=embedding, seed=seed))
        seed += 1
        if case.has_order:
            cases.append(case)
    return cases


def trained(cases: list[Case], **options) -> list[np.ndarray]:
    runs = gradient_descent_batch([c.data for c in cases], [c.E for c in cases], **options)
    return [run.W for run in runs]


def random_weights(case: Case, seed: int, count: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    d = case.E.shape[1]
    return [rng.standard_normal((d, d)) * size for size in (0.3, 1.0, 3.0)][:count]


def hessian(case: Case, W: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Second derivatives in the coordinates of a basis, by polarization."""
    quadratic = case.risk.hessian_quadratic
    own = [quadratic(W, V) for V in basis]
    matrix = np.diag(own)
    for i in range(len(basis)):
        for j in range(i):
            both = quadratic(W, basis[i] + basis[j])
            matrix[i, j] = matrix[j, i] = 0.5 * (both - own[i] - own[j])
    return matrix


# ---------------------------------------------------------------- the landscape


def test_lemma_2_log_loss_is_convex():
    for i, case in enumerate(mixed_cases()):
        W, V, _ = random_weights(case, i)
        assert case.risk.hessian_quadratic(W, V) >= 0
        middle = case.risk.value(0.5 * (W + V))
        assert middle <= 0.5 * (case.risk.value(W) + case.risk.value(V)) + 1e-14


def test_lemma_2_log_loss_is_strictly_convex_on_the_active_subspace():
    for i, case in enumerate(mixed_cases()[:12]):
        W = random_weights(case, i)[0]
        assert np.linalg.eigvalsh(hessian(case, W, case.active.basis))[0] > 1e-8


def test_lemma_2_convexity_needs_the_log():
    """Midpoint convexity fails for each of the other losses, on a single race."""
    data, E = Dataset([[0, 1]], [0]), np.eye(2)
    high = np.array([[0.0, -8.0], [0.0, 8.0]])
    for loss in ("squared", "squared-softmax", "cross-entropy", "correlation"):
        ends = loss_value(np.zeros((2, 2)), data, E, loss=loss) + loss_value(
            2 * high, data, E, loss=loss
        )
        assert loss_value(high, data, E, loss=loss) > 0.5 * ends + 0.01


@pytest.mark.parametrize("head", ["tied", "general"])
def test_lemma_3_the_infimum_is_not_attained_but_approached(head):
    for i, case in enumerate(drawn("acyclic", (4, 6, 8, 8), "random", 6)):
        risk = Objective(case.data, case.E, loss=Readout("squared", head))  # infimum ℓ(1) = 0
        for W in random_weights(case, i):
            assert risk.value(W) > 0
        values = [risk.value(R * case.svm) for R in (1, 5, 10, 20)]
        assert values == sorted(values, reverse=True)
        assert values[-1] < 1e-6


def test_lemma_4_and_8_the_svm_lies_in_the_active_and_across_the_cyclic_subspace():
    for case in mixed_cases():
        np.testing.assert_allclose(case.active.project(case.svm), case.svm, atol=1e-11)
        np.testing.assert_allclose(case.soft.project(case.svm), 0.0, atol=1e-11)


def test_lemma_5_the_reduced_loss_sees_only_the_cyclic_subspace():
    for i, case in enumerate(mixed_cases()):
        W = random_weights(case, i)[0]
        assert case.reduced_risk(W) == pytest.approx(
            case.reduced_risk(case.soft.project(W)), abs=1e-12
        )


def test_lemma_6_the_loss_far_along_the_svm_is_the_reduced_loss():
    for i, case in enumerate(mixed_cases()):
        W = random_weights(case, i)[0]
        far = W + 60 * case.svm
        assert case.risk.value(far) == pytest.approx(case.reduced_risk(W), abs=1e-9)


def test_lemma_7_no_finite_weights_attain_the_reduced_loss():
    for i, case in enumerate(mixed_cases()):
        for W in random_weights(case, i):
            if case.has_order:
                assert case.risk.value(W) > case.reduced_risk(W)
            else:
                assert case.risk.value(W) == pytest.approx(case.reduced_risk(W), abs=1e-12)


def test_lemma_8_gradients_lie_in_the_active_subspace():
    for i, case in enumerate(mixed_cases()):
        for W in random_weights(case, i):
            slope = case.risk.gradient(W)
            np.testing.assert_allclose(case.active.project(slope), slope, atol=1e-12)


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_lemma_8_what_starts_outside_the_active_subspace_is_frozen(loss):
    for i, case in enumerate(mixed_cases()[:8]):
        start = random_start(case.E.shape[1], seed=i)
        run = gradient_descent(case.data, case.E, steps=500, step_size=0.1, W0=start, loss=loss)
        frozen, moved = start - case.active.project(start), run.W - case.active.project(run.W)
        np.testing.assert_allclose(moved, frozen, atol=1e-12)
        assert np.linalg.norm(run.W - start) > 1e-2


def test_lemma_13_every_gradient_step_gains_along_the_svm():
    for i, case in enumerate(mixed_cases()):
        for W in random_weights(case, i):
            if case.has_order:
                assert np.vdot(case.risk.gradient(W), case.svm) < 0


def test_smoothness_constants_bound_the_curvature():
    """Largest eigenvalue ≤ M² D² / 4 ≤ the paper's 2 M⁴ √T."""
    for i, case in enumerate(mixed_cases()):
        M = np.linalg.norm(case.E, axis=1).max()
        D = max(np.linalg.norm(a - b) for a in case.E for b in case.E)
        longest = int(np.diff(case.data.offsets).max())
        W = random_weights(case, i)[0]
        if i < 8:
            top = np.linalg.eigvalsh(hessian(case, W, case.active.basis))[-1]
            assert top <= M**2 * D**2 / 4 + 1e-12
        V = case.risk.gradient(W)
        V /= np.linalg.norm(V)
        assert case.risk.hessian_quadratic(W, V) <= M**2 * D**2 / 4
        assert 2 * M**4 * np.sqrt(longest) >= M**2 * D**2 / 4


# ---------------------------------------------------------------- Theorem 2


def test_theorem_2_descent_aligns_with_the_svm_and_settles_on_the_finite_part():
    cases = drawn("cyclic", (6, 4, 6, 8), "random", 10)
    records = [400, 4000, 24000]
    runs = gradient_descent_batch(
        [c.data for c in cases],
        [c.E for c in cases],
        steps=24000,
        step_size=1.0,
        normalized=False,
        record=records,
    )
    for case, run in zip(cases, runs, strict=True):
        cosines = [cosine(W, case.svm) for W in run.path]
        assert cosines[1] >= 0.92
        assert cosines[2] > cosines[1]
        assert cosines[2] > 0.95
        assert (np.diff(run.norms) > 0).all()
        off = [np.linalg.norm(case.soft.project(W) - case.finite) for W in run.path]
        assert off[2] < 0.2
        assert off[2] <= off[1] + 1e-12


def test_theorem_2_strict_order_is_the_case_without_a_finite_part():
    cases = drawn("acyclic", (6, 4, 6, 8), "orthonormal", 20)
    for case, W in zip(
        cases, trained(cases, steps=4000, step_size=1.0, normalized=False), strict=True
    ):
        assert case.soft.dim == 0
        assert np.linalg.norm(case.finite) == 0
        assert cosine(W, case.svm) >= 0.991


def test_theorem_2_attention_ends_on_the_labels_league():
    cases = drawn("cyclic", (6, 4, 6, 8), "random", 20)
    for case, W in zip(cases, trained(cases, steps=4000, step_size=0.01), strict=True):
        for sequence, label in zip(case.data.sequences, case.data.labels, strict=True):
            mass = token_mass(W, case.E, sequence)
            league = case.graphs[sequence[-1]].component_of(label)
            assert sum(mass[token] for token in league) > 0.95


def test_theorem_2_says_norms_diverge_but_one_league_stays_finite():
    """The paper asserts ‖W‖ → ∞ before it splits the cases; without strict order it is false."""
    case = Case(Dataset([[0, 1, 2]] * 6, [0, 1, 2, 2, 2, 1]), np.eye(3))
    assert np.linalg.norm(case.svm) == 0
    start = random_start(3, seed=0)
    run = gradient_descent(case.data, case.E, steps=4000, step_size=1.0, normalized=False, W0=start)
    across = run.W - case.soft.project(run.W)
    np.testing.assert_allclose(across, start - case.soft.project(start), atol=1e-12)
    np.testing.assert_allclose(case.soft.project(run.W), case.finite, atol=1e-8)
    assert np.linalg.norm(run.W) < 3
    frequencies = [token_mass(run.W, case.E, [0, 1, 2])[k] for k in range(3)]
    np.testing.assert_allclose(frequencies, [1 / 6, 2 / 6, 3 / 6], atol=1e-8)


def test_theorem_2_one_league_of_the_authors_stays_finite():
    for instance in load("single_scc"):
        run = gradient_descent(
            instance.dataset, instance.E, steps=3000, step_size=1.0, normalized=False
        )
        np.testing.assert_allclose(run.W, instance.arrays["W_fin_ref"], atol=1e-6)


def test_theorem_2_needs_a_step_below_two_over_the_smoothness():
    """'Constant step' is not enough: the risk falls for η < 2/L and bounces for a large one."""
    case = Case(Dataset([[0, 1, 2]] * 6, [0, 1, 2, 2, 2, 1]), np.eye(3))  # L ≤ 1/2
    options = {"steps": 2000, "normalized": False, "record": range(2001)}
    good = gradient_descent(case.data, case.E, step_size=3.9, **options)
    assert (np.diff(good.losses) <= 1e-15).all()
    assert np.linalg.norm(good.W - case.finite) < 1e-10
    bad = gradient_descent(case.data, case.E, step_size=20.0, **options)
    assert np.diff(bad.losses).max() > 0.1
    assert np.linalg.norm(bad.path[-100:] - case.finite, axis=(1, 2)).min() > 0.1


def test_plain_descent_never_goes_uphill_below_two_over_the_smoothness():
    cases = drawn("cyclic", (6, 4, 6, 8), "random", 20)
    runs = gradient_descent_batch(
        [c.data for c in cases],
        [c.E for c in cases],
        steps=1000,
        step_size=1.9,
        normalized=False,
        record=range(1001),
    )
    for run in runs:
        assert np.diff(run.losses).max() <= 1e-14


def test_norms_of_plain_descent_grow_like_the_logarithm_of_time():
    cases = drawn("acyclic", (6, 4, 6, 8), "orthonormal", 8)
    decades = [30, 300, 3000, 30000]
    runs = gradient_descent_batch(
        [c.data for c in cases],
        [c.E for c in cases],
        steps=decades[-1],
        step_size=1.0,
        normalized=False,
        record=decades,
    )
    for case, run in zip(cases, runs, strict=True):
        growth = np.diff(run.norms) / np.log(10)
        # e^(−margin) ~ 1/τ along W_svm: the norm gains ‖W_svm‖ per unit of log τ
        assert growth[-1] == pytest.approx(np.linalg.norm(case.svm), rel=0.08)
        assert abs(growth[2] - growth[1]) < 0.1 * growth[1]


# ---------------------------------------------------------------- normalized descent


@pytest.mark.parametrize(
    ("kind", "shape", "embedding", "least", "median"),
    [
        ("cyclic", (6, 4, 6, 8), "orthonormal", 0.98, 0.997),
        ("cyclic", (6, 4, 6, 8), "random", 0.955, 0.985),
        ("acyclic", (4, 6, 8, 8), "random", 0.970, 0.993),
        ("acyclic", (6, 4, 6, 8), "orthonormal", 0.996, 0.998),
    ],
)
def test_normalized_descent_of_the_paper_reaches_its_correlations(
    kind, shape, embedding, least, median
):
    cases = drawn(kind, shape, embedding, 20)
    cosines = [
        cosine(W, case.svm)
        for case, W in zip(cases, trained(cases, steps=4000, step_size=0.01), strict=True)
    ]
    assert min(cosines) >= least
    assert np.median(cosines) >= median


@pytest.mark.parametrize(("step_size", "steps"), [(0.01, 6000), (0.1, 3000)])
def test_constant_normalized_steps_stall_half_a_step_from_the_finite_part(step_size, steps):
    cases = drawn("cyclic", (6, 4, 6, 8), "random", 20)
    off = [
        np.linalg.norm(case.soft.project(W) - case.finite)
        for case, W in zip(cases, trained(cases, steps=steps, step_size=step_size), strict=True)
    ]
    assert np.median(off) == pytest.approx(step_size / 2, rel=0.1)


def test_normalized_descent_spends_every_step_on_strict_data():
    """‖W‖ grows by η a step until the gradient reaches rounding; no ties, no stall."""
    cases = drawn("acyclic", (4, 6, 8, 8), "random", 20)
    for case, W in zip(cases, trained(cases, steps=4000, step_size=0.01), strict=True):
        assert np.linalg.norm(W) > 0.95 * 40
        assert case.soft.dim == 0


# ---------------------------------------------------------------- regularization paths


@pytest.mark.parametrize(
    ("kind", "shape", "embedding", "least"),
    [
        ("cyclic", (6, 4, 6, 8), "random", 0.997),
        ("cyclic", (6, 4, 6, 8), "orthonormal", 0.9995),
        ("acyclic", (4, 6, 8, 8), "random", 0.997),
        ("cyclic", (24, 4, 6, 8), "orthonormal", 0.997),
    ],
)
def test_theorem_3_regularization_path_of_the_log_loss(kind, shape, embedding, least):
    radii = np.array([20.0, 100.0, 500.0])
    for case in drawn(kind, shape, embedding, 8):
        path = regularization_path(case.data, case.E, radii)
        cosines = np.array([cosine(W, case.svm) for W in path.W])
        assert cosines[1] >= least
        # 1 − cos falls like 1/R²
        assert ((1 - cosines) * radii**2).max() < 60
        off = [np.linalg.norm(case.soft.project(W) - case.finite) for W in path.W]
        assert off[0] < 0.1
        assert off[1] < 1e-5  # not yet rounding: λ ≈ e^(−100 / ‖W_svm‖) still pulls on the ties
        assert off[2] < 1e-12


# The data of the counter-example to Theorem 3: track 0 is strict, {1, 2} tie on track 3.
COUNTER = Dataset([[1, 0], [1, 2, 3], [1, 2, 3]], [1, 1, 2], K=4)
STRICT_BLOCK = np.outer([-0.5, 0.5, 0, 0], np.eye(4)[0])
TIED_BLOCK = np.outer([0, 1 / 3, 1 / 3, -2 / 3], np.eye(4)[3])


def excess(strict: float, tied: float, power: float) -> float:
    """Loss (1 − u)^power above its infimum, at margins of the two blocks; log for power 0."""
    a = np.exp(-strict) / (1 + np.exp(-strict))
    b = np.exp(-tied)
    if power == 0:
        return float(np.log1p(np.exp(-strict)) + 2 * np.log1p(b / 2))
    # ((1 + b) / (2 + b))^p − 2^(−p), without cancellation
    tail = 2.0**-power * np.expm1(power * np.log1p(b / (2 + b)))
    return float(a**power + 2 * tail)


def best_margins(radius: float, power: float) -> tuple[float, float]:
    sizes = np.linalg.norm(STRICT_BLOCK), np.linalg.norm(TIED_BLOCK)

    def value(angle: float) -> float:
        margins = radius * np.cos(angle) / sizes[0], radius * np.sin(angle) / sizes[1]
        return np.log(excess(*margins, power))

    found = minimize_scalar(value, bounds=(0.2, 1.5), method="bounded", options={"xatol": 1e-12})
    return radius * np.cos(found.x) / sizes[0], radius * np.sin(found.x) / sizes[1]


def test_theorem_3_counter_example_squared_loss_has_another_limit():
    """ℓ strictly decreasing is not enough: with ℓ'(1) = 0 the margins tend to 1 : 2, not 1 : 1."""
    case = Case(COUNTER, np.eye(4))
    np.testing.assert_allclose(case.svm, STRICT_BLOCK + TIED_BLOCK, atol=1e-12)
    assert cosine(STRICT_BLOCK / 2 + TIED_BLOCK, case.svm) == pytest.approx(0.95382, abs=1e-5)
    family = {}
    for radius in (12.0, 20.0, 60.0, 400.0):
        strict, tied = best_margins(radius, 2)
        family[radius] = cosine(strict * STRICT_BLOCK + tied * TIED_BLOCK, case.svm)
    assert family[12.0] == pytest.approx(0.9701, abs=1e-4)
    assert family[20.0] == pytest.approx(0.9642, abs=1e-4)
    assert family[60.0] == pytest.approx(0.9575, abs=1e-4)
    assert family[400.0] == pytest.approx(0.954, abs=1e-3)
    for radius in (12.0, 20.0):  # over all of W, not only on the family
        found = constrained_minimum(COUNTER, np.eye(4), radius, loss="squared")
        assert cosine(found.W, case.svm) == pytest.approx(family[radius], abs=2e-4)


def test_theorem_3_counter_example_cubic_loss_tends_to_one_to_three():
    """The flatter at u = 1, the farther off.  (−x³/(1 + x²) with x = u − 1 is the same near u = 1,
    and strictly decreasing with bounded slope on the whole line: test_theorem_four.py.)
    """
    strict, tied = best_margins(400.0, 3)
    svm = STRICT_BLOCK + TIED_BLOCK
    assert cosine(strict * STRICT_BLOCK + tied * TIED_BLOCK, svm) == pytest.approx(0.908, abs=2e-3)


def test_theorem_3_holds_for_the_log_loss_on_the_same_data():
    case = Case(COUNTER, np.eye(4))
    path = regularization_path(COUNTER, np.eye(4), [30.0, 300.0])
    assert cosine(path.W[0], case.svm) > 0.9999
    assert cosine(path.W[1], case.svm) > 0.999999
    strict, tied = best_margins(30.0, 0)
    np.testing.assert_allclose(path.W[0], strict * STRICT_BLOCK + tied * TIED_BLOCK, atol=1e-5)


def test_theorem_3_linear_loss_needs_the_bounded_set_it_assumes():
    """For −u the tied samples do not care how they share: the finite set is all of S_fin."""
    case = Case(COUNTER, np.eye(4))
    found = constrained_minimum(COUNTER, np.eye(4), 20.0, loss="correlation")
    assert cosine(found.W, case.svm) < 0.95
    assert np.linalg.norm(case.soft.project(found.W)) > 1


@pytest.mark.parametrize(("loss", "head"), [("squared", "general"), ("correlation", "general")])
def test_theorem_4_general_head_on_strict_data(loss, head):
    """C = E with unit embeddings: c_y·e_y = 1 for all labels, so (1 − u)² has one power at the end.

    Where they differ the theorem as printed is false: test_theorem_four.py.
    """
    for case in drawn("acyclic", (4, 6, 8, 8), "random", 3):
        cosines = []
        for radius in (4.0, 10.0, 25.0):
            found = constrained_minimum(
                case.data,
                case.E,
                radius,
                loss=Readout(loss, head),
                W0s=[case.svm, *random_weights(case, 0)],
            )
            cosines.append(cosine(found.W, case.svm))
        assert cosines[0] < cosines[1] < cosines[2]
        assert cosines[2] > 0.9


# ---------------------------------------------------------------- beyond the assumptions


def test_data_no_w_satisfies_has_a_finite_minimum():
    """Both graphs are acyclic, the Graph-SVM is infeasible (K = 2 > d = 1), descent ends at 0."""
    data, E = Dataset([[0, 1], [1, 0]], [0, 0]), np.array([[1.0], [-1.0]])
    run = gradient_descent(data, E, steps=3000, step_size=0.5, normalized=False, W0=[[3.0]])
    assert run.W[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert run.losses[-1] == pytest.approx(np.log(2), abs=1e-15)


def test_the_paper_calls_figures_3_and_8_the_same_data_but_they_train_apart():
    assert FIG3 != FIG8
    ends = [Case(data, np.eye(4)) for data in (FIG3, FIG8)]
    np.testing.assert_allclose(ends[0].svm[:, 1], [-0.25, -0.25, -0.25, 0.75], atol=1e-12)
    np.testing.assert_allclose(ends[1].svm[:, 1], [0.25, 0.25, 0.25, -0.75], atol=1e-12)
    trained_ends = trained(ends, steps=4000, step_size=0.01)
    assert trained_ends[0][3, 1] > 1
    assert trained_ends[1][3, 1] < -1
    assert cosine(trained_ends[0], ends[1].svm) < 0.9


def test_not_every_two_tokens_are_comparable_and_descent_leaves_them_equal():
    """The paper says any two nodes satisfy ⇒ or ≍; two losers of one race do neither."""
    data = Dataset([[0, 1, 2]], [2])
    graph = token_priority_graphs(data)[2]
    assert not graph.comparable(0, 1)
    run = gradient_descent(data, np.eye(3), steps=500, step_size=0.1)
    assert run.W[0, 2] == pytest.approx(run.W[1, 2], abs=1e-12)


def test_squared_loss_is_caught_by_cycles_not_by_strict_data():
    """Local solutions come from conflicting labels; on acyclic data they are rare."""
    strict = drawn("acyclic", (4, 6, 8, 8), "random", 15)
    tied = drawn("cyclic", (4, 6, 8, 8), "random", 15)
    means = []
    for cases in (strict, tied):
        weights = trained(
            cases,
            steps=2000,
            step_size=0.1,
            loss=Readout("squared-softmax", "general"),
            W0s=[random_start(8, seed=i) for i in range(15)],
        )
        means.append(np.mean([cosine(W, c.svm) for c, W in zip(cases, weights, strict=True)]))
    assert means[0] > 0.97
    assert means[1] < 0.85
