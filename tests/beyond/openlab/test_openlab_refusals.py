"""What the open lab refuses."""

import numpy as np
import pytest

from nta_beyond.openlab import Exam, Variant, exams, league_agreement
from nta_core import (
    DataError,
    NTAError,
    OptionError,
    SolverDidNotConverge,
    TooLarge,
    random_dataset,
)

DATA = random_dataset(24, 4, 6, kind="acyclic", seed=0)
EXAM = Exam([[0, 1]], np.array([[True, False]]))


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: Exam([[0, 1]], [[True, True]]), DataError, "nothing that must not come out"),
    (lambda: Exam([[0, 5]], [[True, False]]), DataError, "from 0 to K − 1 = 1"),
    (lambda: Exam([0], [[True]]), DataError, "shape"),
    (lambda: league_agreement([[np.nan, 1]], EXAM), DataError, "NaN"),
    (lambda: league_agreement([[2, 1]], EXAM), DataError, "no row above 1"),
    (lambda: league_agreement([[1, 0]], None), OptionError, "exam must be an? Exam"),
    (lambda: exams(None, seed=0), OptionError, "dataset must be a Dataset"),
    (lambda: exams(DATA, seed=-1), OptionError, "seed=-1"),
    (lambda: exams(random_dataset(3, 10, 40, kind="acyclic", seed=0), seed=0), TooLarge, "fewer"),
])  # fmt: skip
def test_it_is_said_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_networks_are_refused_before_they_are_made(monkeypatch):
    torch = pytest.importorskip("torch")
    from nta_beyond.openlab import OpenNetwork, train_variant

    monkeypatch.setenv("NTA_MEMORY_GB", "1")
    with pytest.raises(TooLarge, match="lower d"):
        OpenNetwork(Variant(), 3, 3, d=100_000, seeds=[0])
    for wrong in ({"K": 2.5}, {"T": 0}, {"d": 5}, {"seeds": []}, {"seeds": [-1]}):
        with pytest.raises(OptionError):
            OpenNetwork(**{"variant": Variant(), "K": 3, "T": 3, "d": 6, "seeds": [0]} | wrong)
    network = OpenNetwork(Variant(), 3, 3, d=6, seeds=[0])
    for contexts in (torch.zeros(1, 1, 3), torch.tensor([[[0, 1, 7]]]), [[[0, 1, 2]]]):
        with pytest.raises(DataError, match="contexts"):
            network(contexts)
    with pytest.raises(NTAError, match="Dataset"):
        train_variant(Variant(), [None], seeds=[0])


def test_an_overflow_names_its_step():
    pytest.importorskip("torch")
    from nta_beyond.openlab import train_variant

    with pytest.raises(SolverDidNotConverge, match=r"step \d+: the weights have left float64"):
        train_variant(Variant(mlp=True, residual=True), [DATA], seeds=[0], steps=9, step_size=1e50)
