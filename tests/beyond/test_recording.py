"""Recording: which states of a training are looked at, where it ends, and what Ctrl-C leaves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from nta_beyond.recording import keeping, watched
from nta_core.boundary import Ints
from nta_core.training import Interrupted


def pairs(steps: Ints, seen: list[int]) -> list[list[tuple[int, int]]]:
    return [list(zip(steps.tolist(), seen, strict=True))]


def counting(stop: int = -1) -> Iterator[int]:
    """Ten times the number of each step; Ctrl-C on the way to step `stop`."""
    for step in range(100):
        if step == stop:
            raise KeyboardInterrupt
        yield 10 * step


def test_a_training_is_looked_at_when_chosen_and_goes_no_step_further() -> None:
    taken = []

    def states() -> Iterator[int]:
        for state in counting():
            taken.append(state)
            yield state

    chosen = np.array([0, 3, 4, 7])
    assert watched(states(), chosen, int, pairs) == [[(0, 0), (3, 30), (4, 40), (7, 70)]]
    assert taken == list(range(0, 80, 10))


@pytest.mark.parametrize(
    ("stop", "kept"),
    [
        (1, [(0, 0)]),
        (3, [(0, 0), (2, 20)]),
        (4, [(0, 0), (3, 30)]),
        (6, [(0, 0), (3, 30), (5, 50)]),
    ],
)
def test_an_interrupted_training_is_kept_to_its_last_whole_step(
    stop: int, kept: list[tuple[int, int]]
) -> None:
    with pytest.raises(Interrupted, match=f"after {stop - 1} steps") as caught:
        watched(counting(stop), np.array([0, 3, 9]), int, pairs)
    assert caught.value.runs == [kept]
    assert caught.value.steps == stop - 1


def test_a_look_that_is_interrupted_is_repeated() -> None:
    looks = []

    def look(state: int) -> int:
        looks.append(state)
        if looks == [0, 30]:
            raise KeyboardInterrupt
        return state

    with pytest.raises(Interrupted) as caught:
        watched(counting(), np.array([0, 3, 9]), look, pairs)
    assert caught.value.run == [(0, 0), (3, 30)]
    assert looks == [0, 30, 30]


def test_before_the_first_state_there_is_nothing_to_keep() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        watched(counting(0), np.array([0, 3]), int, pairs)
    assert not isinstance(caught.value, Interrupted)


def test_what_was_done_before_is_kept_too() -> None:
    with pytest.raises(Interrupted) as caught, keeping(["first", "second"]):
        watched(counting(5), np.array([9]), int, pairs)
    assert caught.value.runs == ["first", "second", [(4, 40)]]
    assert caught.value.steps == 4
