"""What chapters 13 and 14 say, by oracles that share none of our code: scipy's ODE solvers on the
equations written out with all M columns, and torch's autograd on sequences position by position.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.special import softmax

from nta_beyond.scansnap import (
    TheoryCurves,
    clue_or_copy_dataset,
    exact_decoder,
    make_classes,
    population_flow,
    snap_scale,
    syn_small,
)
from nta_beyond.scansnap.gradient import make_batch, slope
from nta_book.results import stored_result


def decoder_drives(weights, M, times, *, modified):
    """How strongly class 1 pushes the attention of class 0, attention held still, at `times`.

    The decoder has all M columns and starts from zero; its gradient is the true one, or that of
    Lemma 3.  The drive is minus the coefficient of f_1 in Y (e_0 − α_0).
    """
    f = np.array(weights, dtype=float)
    f /= np.linalg.norm(f, axis=1, keepdims=True)
    K, L = f.shape
    taught = np.linalg.solve(f @ f.T, f) if modified else f

    def residual(Y):
        return np.eye(M)[:K] - softmax(f @ Y, axis=1)

    def rate(_, flat):
        return (taught.T @ residual(flat.reshape(L, M)) / K).ravel()

    done = solve_ivp(
        rate, (0, times[-1]), np.zeros(L * M), t_eval=times, method="LSODA", rtol=1e-8, atol=1e-10
    )
    drives = []
    for flat in done.y.T:
        Y = flat.reshape(L, M)
        g = Y @ residual(Y)[0]
        drives.append(-np.linalg.lstsq(f.T, g)[0][1])
    return np.array(drives)


def two_classes(overlap):
    """Weights of two classes whose features have this overlap: one common token, one each."""
    common, own = np.sqrt([overlap, 1 - overlap])
    return [[common, own, 0], [common, 0, own]]


@pytest.mark.parametrize("M", [100, 400])
def test_the_modified_gradient_has_the_drive_of_theorem_1(M):
    overlap, unit = 0.3, 2 * np.log(M)
    times = unit * np.array([0.3, 1.0, 3.0, 20.0])
    found = decoder_drives(two_classes(overlap), M, times, modified=True)
    beta = overlap / (1 - overlap**2)
    stated = beta * TheoryCurves(2, M, eta_y=1.0, eta_z=1.0).gamma(times)
    assert np.abs(found / stated - 1).max() < 8 / M  # "up to terms of order 1/M"
    true = decoder_drives(two_classes(overlap), M, times, modified=False)
    assert np.abs(true / stated - 1).max() > 0.5  # the true gradient would be noticed


@pytest.mark.parametrize(
    ("overlap", "M", "factor"), [(0.21, 333, 20.4), (0.722, 34, 3.0), (0.722, 334, 7.3)]
)
def test_the_peak_of_the_theory_is_too_high_by_the_factor_the_book_gives(overlap, M, factor):
    times = 2 * np.log(M) * np.linspace(0.1, 4, 118)
    true = decoder_drives(two_classes(overlap), M, times, modified=False)
    ours = exact_decoder(2, M, overlap=overlap, record=times).drive
    np.testing.assert_allclose(ours, true, rtol=2e-4)
    beta = overlap / (1 - overlap**2)
    theory = beta * TheoryCurves(2, M, eta_y=1.0, eta_z=1.0).gamma(times)
    assert theory.max() / true.max() == pytest.approx(factor, rel=0.01)


def test_attention_creeps_as_another_solver_says():
    classes = syn_small(1)
    P, K, M, L = classes.P, classes.K, classes.M, classes.L
    times = snap_scale(classes, 1.0) * np.geomspace(100, 10_000, 21)

    def rate(_, state):
        z, Y = state[:L], state[L:].reshape(L, M)
        a = P * np.exp(z)
        f = a / np.linalg.norm(a, axis=1, keepdims=True)
        residual = np.eye(M)[:K] - softmax(f @ Y, axis=1)
        g = residual @ Y.T
        pull = (f * (g - f * (f * g).sum(axis=1, keepdims=True))).sum(axis=0)
        return np.concatenate([0.5 * pull / K, (f.T @ residual / K).ravel()])

    start = np.zeros(L + L * M)
    done = solve_ivp(
        rate, (0, times[-1]), start, t_eval=times, method="LSODA", rtol=1e-8, atol=1e-11
    )
    theirs = done.y[:L].T
    ours = population_flow(classes, eta_y=1.0, eta_z=0.5, record=times).Z_path[:, 0]
    np.testing.assert_allclose(ours, theirs, atol=2e-6)
    clock = np.log(times)
    speed = np.abs(np.gradient(theirs, clock, axis=0)).sum(axis=1) / times
    exponent = np.gradient(np.log(speed), clock)[2:-2]
    assert (np.diff(exponent) > 0).all()
    assert -1.3 < exponent[0] < exponent[-1] < -1.1


def attend(z, tokens, bias):
    """Attention by token, position by position, and divided by its length; shape (n, tokens)."""
    b = torch.softmax(z[tokens] + bias, dim=1)
    a = (torch.nn.functional.one_hot(tokens, len(z)).double() * b[..., None]).sum(dim=1)
    return a, a / a.norm(dim=1, keepdim=True)


def test_a_bias_by_position_is_a_weight_of_the_counts():
    rng = np.random.default_rng(0)
    classes = make_classes(2, common=2, distinct=2)
    L, T, n = classes.L, 9, 5
    tokens, answers = rng.integers(L, size=(n, T)), rng.integers(2, size=n)
    bias = -0.3 * np.arange(T)[::-1]
    z = torch.tensor(rng.normal(size=L), requires_grad=True)
    Y = torch.tensor(rng.normal(size=(L, 3)), requires_grad=True)
    _, f = attend(z, torch.tensor(tokens), torch.tensor(bias))
    loss = torch.nn.functional.cross_entropy(f @ Y, torch.tensor(answers))
    loss.backward()
    counts = np.stack([np.bincount(row, np.exp(bias), L) for row in tokens])
    queries = np.zeros(n, dtype=np.int64)
    batch = make_batch(counts, queries, answers, np.full(n, 1 / n), Q=1, C=3)
    ours = slope(z.detach().numpy()[None], Y.detach().numpy(), batch, np.ones(3))
    assert float(ours.loss) == pytest.approx(loss.item(), rel=1e-12)
    np.testing.assert_allclose(ours.Z[0], z.grad.numpy(), atol=1e-14)
    np.testing.assert_allclose(ours.Y, Y.grad.numpy(), atol=1e-14)


@pytest.mark.parametrize(
    ("cyclic", "scale", "eta_y", "copied"),
    [(False, 5.0, 2.0, False), (True, 5.0, 2.0, False), (False, 0.0, 2.0, True)],
)
def test_the_stored_controls_come_out_of_torch(cyclic, scale, eta_y, copied):
    data = clue_or_copy_dataset(0.25, cyclic=cyclic, seed=0)
    rows = torch.tensor(data.tokens.reshape(data.n, -1))[:, :-1]  # the query is no key
    targets = torch.tensor(data.targets)

    def train(Y, rate):
        z = torch.zeros(12, dtype=torch.float64, requires_grad=True)
        Y = Y.clone().requires_grad_()
        groups = [{"params": [z], "lr": 2.0}, {"params": [Y], "lr": rate}]
        optimizer = torch.optim.SGD(groups)
        for _ in range(1000):
            optimizer.zero_grad()
            _, f = attend(z, rows, torch.zeros(rows.shape[1], dtype=torch.float64))
            torch.nn.functional.cross_entropy(f @ Y, targets).backward()
            optimizer.step()
        return z.detach(), Y.detach()

    z, Y = train(scale * torch.eye(12, dtype=torch.float64), eta_y)
    if copied:
        z, _ = train(Y, 0.0)
    a, _ = attend(z, rows, torch.zeros(rows.shape[1], dtype=torch.float64))
    settings = {"cyclic": cyclic, "scale": scale, "eta_y": eta_y, "copied": copied}
    stored = stored_result("scan_snap_controls").one(**settings)["labels"][0]
    assert float(a[:, :2].sum(dim=1).mean()) == pytest.approx(stored, abs=2e-6)
