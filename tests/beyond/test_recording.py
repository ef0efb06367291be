"""Recording: which states of a training are looked at, and where it ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nta_beyond.recording import recorded


def test_recording_takes_the_chosen_states_and_no_step_more() -> None:
    taken = []

    def states() -> Iterator[int]:
        for step in range(100):
            taken.append(step)
            yield 10 * step

    assert list(recorded(states(), np.array([0, 3, 4, 7]))) == [0, 30, 40, 70]
    assert taken == list(range(8))
    assert list(recorded(states(), np.array([], dtype=np.int64))) == []
