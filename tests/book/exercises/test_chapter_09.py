"""The checkers of chapter 9 accept right answers, name what is wrong first, and never raise."""

import numpy as np

from nta_book.exercises import chapter_09 as check
from nta_core import FIG3, FIG8, Dataset, random_dataset
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, "roads", [[1], [2, "x"]], object(), {}, np.full((4, 4), np.nan)]
LOPSIDED = Dataset([[0, 1]] * 6 + [[2, 1]], [0] * 5 + [1, 2], K=3)


test_cube_accepts = accepts(check.cube, (15 / np.sqrt(273),), (0.908,), (np.float32(0.9078),))


test_cube_hints = refuses(
    check.cube,
    (0.954, "limit for the square"),
    (1, "theorem claims"),
    (0.5, "t = 3s"),
    (np.nan, "t = 3s"),
)


def first(run, R):
    found = np.flatnonzero(run.norms >= R)
    return int(run.steps[found[0]]) if len(found) else None


def test_matching_accepts():
    assert check.matching(first)
    assert check.matching(
        lambda run, R: next(
            (step for step, norm in zip(run.steps, run.norms, strict=True) if norm >= R), None
        )
    )


test_matching_hints = refuses(
    check.matching,
    (lambda run, R: int(run.steps[-1]), "not the last"),
    (lambda run, R: None, "right way round"),
    (lambda run, R: int(np.argmin(np.abs(run.norms - R))), "nearest"),
    (lambda run, R: int(np.argmax(run.norms >= R)), "an index is not a step"),
    (lambda run, R: int(run.steps[np.argmax(run.norms >= R)]), "return None"),
)


test_losses_accepts = accepts(
    check.losses, ({"log", "exp", "shifted"},), (["shifted", "exp", "log"],)
)


test_losses_hints = refuses(
    check.losses,
    ({"log", "linear", "exp", "shifted"}, "how a tie is split"),
    ({"log", "exp", "shifted", "square"}, "vanishes at u = 1"),
    ({"log", "exp", "shifted", "root"}, "both sides"),
    ({"log", "exp"}, "−ℓ′ of shifted"),
    ("log", "−ℓ′ of exp"),
    (set(), "missing"),
    ({"hinge"}, "none of the six"),
)


def test_apart():
    assert check.apart(LOPSIDED)
    for near in (FIG3, FIG8):
        verdict = check.apart(near)
        assert not verdict
        assert "° apart" in verdict.message
    assert "Dataset" in check.apart([[0, 1]]).message
    assert "at most 24" in check.apart(random_dataset(25, 2, 4, seed=0)).message
    assert "at most 6 tokens" in check.apart(random_dataset(3, 2, 7, seed=0)).message
    assert "ask for nothing" in check.apart(Dataset([[0]], [0])).message


test_junk_gets_a_hint = refuses_junk(JUNK, check.cube, check.matching, check.losses, check.apart)
