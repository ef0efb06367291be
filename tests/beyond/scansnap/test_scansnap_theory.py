"""Closed forms against numerical integration, theory flow against its own theorems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from nta_beyond.scansnap import (
    TheoryCurves,
    class_overlaps,
    exact_decoder,
    make_classes,
    population_flow,
    syn_small,
    theory_flow,
    theory_of,
    token_growth,
)
from nta_beyond.scansnap.flow import integrate
from nta_core import SolverDidNotConverge

SETTINGS = [
    TheoryCurves(K=10, M=1000, eta_y=0.5, eta_z=0.5),
    TheoryCurves(K=2, M=34, eta_y=1.0, eta_z=0.5, C0=0.96),
    TheoryCurves(K=1, M=100, eta_y=5.0, eta_z=2.0, C0=3.0),
]


@pytest.mark.parametrize("theory", SETTINGS)
def test_h_solves_its_differential_equation(theory):
    M, K = theory.M, theory.K
    times = np.geomspace(1e-3, 1e4, 30) * theory.t0_prime / 10
    solved = solve_ivp(
        lambda t, h: theory.eta_y / K / (M - 1 + np.exp(M * h)), (0, times[-1]), [0.0],
        t_eval=times, rtol=1e-12, atol=1e-14, method="DOP853",
    )  # fmt: skip
    np.testing.assert_allclose(theory.h(times), solved.y[0], rtol=1e-8, atol=1e-12)
    u = M * theory.h(times)
    visits = M * theory.eta_y * times / K + 1
    np.testing.assert_allclose(np.exp(u) + (M - 1) * u, visits, rtol=1e-12)


@pytest.mark.parametrize("theory", SETTINGS)
def test_Gamma_is_the_integral_of_gamma(theory):
    for t in (0.3 * theory.t0_prime, 3 * theory.t0_prime):
        area, _ = quad(theory.gamma, 0, t, epsabs=1e-12, epsrel=1e-10, limit=200)
        assert theory.Gamma(t) == pytest.approx(theory.eta_z * area, rel=1e-6)


@pytest.mark.parametrize("theory", SETTINGS)
def test_B_solves_theorem_4_from_zero(theory):
    """ż = −η_Z γ e^{4z}/C0 and Ḃ = η_Z γ e^{4z}/C0, integrated."""
    times = np.array([0.5, 1, 5]) * theory.t0_prime
    solved = solve_ivp(
        lambda t, z: -theory.eta_z * theory.gamma(t) * np.exp(4 * z) / theory.C0,
        (0, times[-1]), [0.0], t_eval=times, rtol=1e-11, atol=1e-13, method="DOP853",
    )  # fmt: skip
    np.testing.assert_allclose(theory.common_logit(times), solved.y[0], atol=1e-6)
    np.testing.assert_allclose(theory.B(times), -solved.y[0], atol=1e-6)
    assert theory.B(0) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("theory", SETTINGS)
def test_the_printed_B_misses_a_constant(theory):
    times = np.geomspace(0.01, 100, 20) * theory.t0_prime
    gap = theory.B_printed(times) - theory.B(times)
    np.testing.assert_allclose(gap, 0.25 * np.log(theory.C0), atol=1e-12)


def test_the_printed_regimes_are_the_two_ends_of_the_printed_B():
    theory = TheoryCurves(K=10, M=10_000, eta_y=1.0, eta_z=0.5)
    early, late = 0.1 * theory.t0_prime, 1e6 * theory.t0_prime
    for t in (early, late):
        assert theory.B_regimes(t) == pytest.approx(float(theory.B_printed(t)), abs=0.01)
    assert np.isnan(theory.B_regimes(1.5 * theory.t0_prime))


@pytest.mark.parametrize("theory", SETTINGS)
def test_the_drive_peaks_at_the_snap_line(theory):
    times = theory.t_gamma * np.array([0.99, 1.0, 1.01])
    drive = theory.gamma(times)
    assert drive[1] > max(drive[0], drive[2])
    assert 0.7 < theory.t_gamma / theory.t0_prime < 1.0
    assert theory.t0(0.5) == 3 * theory.t0_prime


def test_chi_of_figure_3_has_the_printed_order_but_not_its_values():
    ends = [
        float(TheoryCurves(K=10, M=1000, eta_y=y, eta_z=0.5).chi_bounds(700, 0.5)[1])
        for y in (0.5, 1, 2, 5)
    ]
    assert ends == sorted(ends, reverse=True)  # a slower decoder ends higher
    assert ends[0] == pytest.approx(45, abs=1)  # the figure's axis goes to 600


def test_beta_is_read_from_the_inverse_of_the_overlaps():
    classes = make_classes(5, common=2, distinct=4)
    o = class_overlaps(classes.P)
    f = classes.P / np.linalg.norm(classes.P, axis=1, keepdims=True)
    np.testing.assert_allclose(o.E + np.eye(5), f @ f.T, atol=1e-12)
    np.testing.assert_allclose(
        (np.diag(o.iota) - o.beta) @ (np.eye(5) + o.E), np.eye(5), atol=1e-12
    )
    assert o.beta.min() >= 0
    assert np.diag(o.beta).tolist() == [0] * 5


def test_syn_small_violates_assumption_2():
    assert class_overlaps(syn_small().P).largest == pytest.approx(0.722, abs=5e-4)
    assert not class_overlaps(syn_small().P).weak


@pytest.mark.parametrize("queries", [1, 4])
def test_the_theory_flow_obeys_theorems_2_and_3(queries):
    classes = make_classes(4, queries=queries, common=1, unused=200)
    flow = theory_flow(classes, eta_y=1, eta_z=0.1)
    z = flow.z[:, 0]
    assert (np.diff(z[:, 0]) < 0).all()  # the common token falls
    assert (np.diff(z[:, classes.distinct[0]], axis=0) > 0).all()
    growth = token_growth(flow)
    assert np.abs(growth.deviation).max() < 1e-6
    f0, B = flow.features[0, 0, growth.leader], flow.B[:, 0]
    assert (growth.chi >= np.exp(2 * f0**2 * B) - 1e-9).all()
    assert (growth.chi <= np.exp(2 * B) + 1e-9).all()
    np.testing.assert_allclose(flow.Z_path.sum(axis=2), 0, atol=1e-10)
    np.testing.assert_allclose(
        flow.gamma, TheoryCurves(4, classes.M, eta_y=1, eta_z=1).gamma(flow.times)
    )


def test_theorem_4_approximates_the_theory_flow_of_one_common_token():
    classes = make_classes(4, queries=4, common=1, unused=200)
    flow = theory_flow(classes, eta_y=1, eta_z=0.1)
    curve = theory_of(classes, eta_y=1, eta_z=0.1)
    late = flow.times > curve.t0_prime
    np.testing.assert_allclose(curve.B(flow.times[late]), flow.B[late, 0], rtol=0.2)
    rho = (classes.P[0] ** 2).sum() / classes.P[0, 0] ** 2
    assert pytest.approx(rho**2 / 3) == curve.C0


@pytest.mark.parametrize(("K", "common", "unused"), [(2, 10, 0), (2, 1, 300), (5, 3, 50)])
def test_two_numbers_describe_the_decoder_while_attention_stands_still(K, common, unused):
    classes = make_classes(K, common=common, unused=unused)
    slow = 1e-9
    times = np.linspace(0, 30 * K, 16)
    flow = population_flow(classes, eta_y=1, eta_z=slow, record=times)
    overlap = class_overlaps(classes.P).E[0, 1]
    exact = exact_decoder(K, classes.M, overlap=overlap, record=times)
    np.testing.assert_allclose(exact.own, flow.own_probability, atol=1e-6)
    np.testing.assert_allclose((K - 1) * exact.competitor, flow.leaked_probability, atol=1e-6)
    f = flow.features[0, 0, classes.top[0]]
    rate = np.diff(flow.z[:, 0, classes.top[0]]) / np.diff(times) * K / (slow * f**2)
    middle = exact_decoder(K, classes.M, overlap=overlap, record=(times[1:] + times[:-1]) / 2)
    np.testing.assert_allclose(rate[4:], middle.xi[4:], rtol=0.03)


def test_theory_and_true_drive_part_as_the_vocabulary_grows():
    """Theorem 1 rests on a modified decoder: at small overlap the true drive is far weaker."""

    def ratio(M):
        classes = make_classes(2, common=1, unused=M - 24)
        overlap = class_overlaps(classes.P)
        exact = exact_decoder(2, classes.M, overlap=overlap.E[0, 1], record=2000)
        theory = theory_of(classes, eta_y=1, eta_z=1).gamma(exact.times) * overlap.beta[0, 1]
        early = exact.times < 30 * 2 * np.log(classes.M)
        areas = [np.trapezoid(y[early], exact.times[early]) for y in (theory, exact.drive)]
        return areas[0] / areas[1]

    assert 1 < ratio(33) < 4
    assert ratio(3033) > 20


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: TheoryCurves(0, 10, eta_y=1, eta_z=1), "K=0"),
        (lambda: TheoryCurves(2, 10, eta_y=0, eta_z=1), "eta_y"),
        (lambda: theory_of(make_classes(1), eta_y=1, eta_z=1), "two"),
        (lambda: theory_of(make_classes(2, common=0), eta_y=1, eta_z=1), "common token"),
        (lambda: exact_decoder(1, 10, overlap=0.1), "K=1: must be an integer, from 2"),
        (lambda: exact_decoder(2, 10, overlap=1.0), "overlap"),
    ],
)
def test_bad_settings_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_integration_that_fails_says_where():
    with pytest.raises(SolverDidNotConverge, match="stopped"):
        list(
            integrate(lambda t, y: [y**2], [np.ones(1)], np.array([0.0, 2.0]), 1e-6)
        )  # blows up at 1


def test_the_decoder_path_describes_itself():
    assert repr(exact_decoder(2, 34, overlap=0.5)).startswith("DecoderPath(until")
