"""What Scan and Snap refuses, and that nothing leaves float64 unseen."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from nta_beyond import scansnap
from nta_beyond.scansnap import SequenceClasses, TheoryCurves, make_classes, syn_small
from nta_core import FIG3, DataError, OptionError, SolverDidNotConverge, TooLarge

SMALL = syn_small()
DATA = scansnap.contexts_of(FIG3)


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: SequenceClasses([[1e308, 1e308]]), DataError, "sum to inf"),
    (lambda: SequenceClasses([[1, np.nan]]), DataError, "NaN"),
    (lambda: SequenceClasses([[1, 1j]]), DataError, "real numbers"),
    (lambda: SequenceClasses([[1, 1]], names=["a", "a"]), DataError, "two tokens"),
    (lambda: SequenceClasses([[1, 1]], names=["a", ""]), DataError, "name 1"),
    (lambda: SequenceClasses([[1, 1]], names=["a", "n1"]), DataError, "'n1' belongs to"),
    (lambda: SMALL.sample(10, seed=-1), OptionError, "seed=-1"),
    (lambda: make_classes("2"), OptionError, "K='2'"),
    (lambda: scansnap.population_flow(None), OptionError, "must be a SequenceClasses"),
    (lambda: scansnap.population_flow(SMALL, until=1e308), OptionError, "until="),
    (lambda: scansnap.population_flow(SMALL, record=[np.inf]), OptionError, "infinite"),
    (lambda: scansnap.population_flow(SMALL, eta_y=np.nan), OptionError, "eta_y=nan"),
    (lambda: scansnap.theory_flow(SequenceClasses([[1, 1], [1, 1]])), DataError, "attend alike"),
    (lambda: scansnap.class_overlaps([[1, 0], [1, 0]]), DataError, "attend alike"),
    (lambda: scansnap.class_features([0.0, 0.0]), DataError, "all zero"),
    (lambda: scansnap.class_attention(SMALL, [[0.0]]), DataError, "Z must have shape"),
    (lambda: TheoryCurves(2, 34, eta_y=1, eta_z=1).h(-1), OptionError, "times are numbers"),
    (lambda: scansnap.train_sampled_batch(SMALL, seeds=[0, -1]), OptionError, r"seeds\[1\]=-1"),
    (lambda: scansnap.train_population(SMALL, optimizer=3), OptionError, "sgd, adam"),
    (lambda: scansnap.train_population(SMALL, record=10**400), OptionError, "below 2⁶³"),
    (lambda: scansnap.train_copying([FIG3]), DataError, "clue_or_copy_dataset"),
    (lambda: scansnap.contexts_from_windows([[0, 2.5]], [0], M=3), DataError, "integers"),
    (lambda: scansnap.contexts_from_counts([[1, 1j]], [0], [0]), DataError, "real numbers"),
    (lambda: scansnap.train_on_contexts(DATA, seed=0, steps=-1, batch_size=7),
     OptionError, "steps=-1"),
    (lambda: scansnap.find_snap(scansnap.train_population(SMALL, eta_z=0)), OptionError, "moved"),
])  # fmt: skip
def test_it_is_said_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("half", [Fraction(1, 2), Decimal("0.5"), np.array(0.5)])
def test_a_rate_is_a_number_of_any_kind(half):
    """What the check returns is what is used: a fraction does not reach numpy."""
    options = {"seed": 0, "steps": 3, "batch_size": 7}
    for of in (
        lambda x: scansnap.train_population(SMALL, eta_y=x, eta_z=x, momentum=x, steps=3).Z,
        lambda x: scansnap.train_on_contexts(DATA, eta_y=x, eta_z=x, quiet=True, **options).Z,
        lambda x: TheoryCurves(2, 34, eta_y=x, eta_z=x, C0=x).h(1.0),
        lambda x: scansnap.clue_or_copy_dataset(x, cyclic=True, seed=0, share_of_a=x, n=9).tokens,
        lambda x: scansnap.snap_scale(SMALL, x),
    ):
        np.testing.assert_array_equal(of(half), of(0.5))


@pytest.mark.parametrize("call", [
    lambda: make_classes(50_000),
    lambda: SMALL.sample(10**9, seed=0),
    lambda: scansnap.train_population(SMALL, steps=10**12),
    lambda: scansnap.population_flow(SMALL, record=10**12),
    lambda: scansnap.train_sampled(syn_small(unused=2_000_000), seed=0, start="linear"),
    lambda: scansnap.train_on_contexts(
        scansnap.contexts_from_windows([[0, 1]], [0], M=50_000), seed=0, steps=1, batch_size=1),
])  # fmt: skip
def test_what_has_no_room_is_refused_before_it_is_begun(call, monkeypatch):
    monkeypatch.setenv("NTA_MEMORY_GB", "1")
    with pytest.raises(TooLarge, match="GB"):
        call()


def test_a_flow_that_takes_too_long_says_how_far_it_came(monkeypatch):
    monkeypatch.setattr("nta_beyond.scansnap.flow.EVALUATIONS", 100)
    with pytest.raises(SolverDidNotConverge, match="the flow has come to time"):
        scansnap.population_flow(SMALL)


def test_a_probability_below_float64_has_a_loss_all_the_same():
    """Steps so large that the right answer's probability underflows: the loss is its logarithm."""
    alike = SequenceClasses([[1, 1], [1, 1]], priors=[0.9, 0.1])
    run = scansnap.train_population(alike, eta_y=1e6, eta_z=0, momentum=0, steps=1)
    assert np.isfinite(run.losses).all()
    assert run.losses.max() > 745  # −log of the smallest number above 0


def test_an_overflow_names_its_step(monkeypatch):
    for room in ("steps", "layer"):  # rates that are allowed cannot overflow, so allow more
        monkeypatch.setattr(f"nta_beyond.scansnap.{room}.RATE", 1e308)
    alike = SequenceClasses([[1, 1, 1, 0], [1, 1, 0, 1]])
    with pytest.raises(SolverDidNotConverge, match=r"step \d+: the weights have left float64"):
        scansnap.train_population(alike, eta_y=1e308, eta_z=1e308, steps=99, record=[99])
    with pytest.raises(SolverDidNotConverge, match=r"step \d+: the weights have left float64"):
        scansnap.train_on_contexts(
            DATA, seed=0, steps=99, eta_y=1e308, eta_z=1e308, batch_size=7, record=[99]
        )


def test_classes_without_distinct_tokens_can_be_shown():
    run = scansnap.train_population(make_classes(2, distinct=0), steps=3)
    assert "entropy" not in repr(run)
    assert "common mass" in run._repr_html_()
    with pytest.raises(DataError, match="distinct token"):
        _ = run.entropy


def test_ranks_without_order_agree_with_nothing():
    assert scansnap.rank_agreement(np.zeros((2, 30)), SMALL).tolist() == [0.0, 0.0]


def test_the_theory_holds_until_times_without_measure():
    """e^u + (M−1)u = M η t / K + 1, also where a difference of large numbers says nothing."""
    theory = TheoryCurves(2, 34, eta_y=1, eta_z=1)
    times = np.array([1e3, 1e9, 1e12, 1e30, 1e100])
    u = 34 * theory.h(times)
    assert np.allclose(np.exp(u) + 33 * u, 34 * times / 2 + 1, rtol=1e-12)
