"""Looking at a training only at chosen steps, and losing nothing of it on Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from nta_core.boundary import Ints
from nta_core.training import Interrupted

State = TypeVar("State")
Seen = TypeVar("Seen")
Made = TypeVar("Made")


def watched(
    states: Iterable[State],
    chosen: Ints,
    look: Callable[[State], Seen],
    make: Callable[[Ints, list[Seen]], list[Made]],
) -> list[Made]:
    """Look at a training at the chosen steps, one or more, and make its runs of what was seen.

    State 0 is the start; the training does not run beyond the last chosen step.  It may be a
    generator that yields before every step; then `look` sees a state before it is changed.  On
    Ctrl-C the last whole step is looked at too, and `Interrupted` carries the runs until there.

    Examples
    --------
    >>> import numpy as np
    >>> watched("abcdef", np.array([0, 2, 3]), str.upper, lambda steps, seen: [(steps, seen)])
    [(array([0, 2, 3]), ['A', 'C', 'D'])]
    """
    due = chosen.tolist()
    seen: list[Seen] = []
    latest: tuple[int, Any] | None = None  # one name for both: Ctrl-C never comes between them
    try:
        for latest in enumerate(states):
            if latest[0] == due[len(seen)]:
                seen.append(look(latest[1]))
            if len(seen) == len(due):
                break
    except KeyboardInterrupt:
        if latest is None:
            raise  # nothing was trained
        step, state = latest
        if due[: len(seen)][-1:] != [step]:
            due[len(seen) :] = [step]
            seen.append(look(state))
        runs = make(np.array(due[: len(seen)]), seen)
        raise Interrupted(runs, step) from None
    return make(chosen, seen)


@contextmanager
def keeping(done: list[Any]) -> Iterator[None]:
    """Hand over what was done before together with what is interrupted inside.

    Examples
    --------
    >>> with keeping(["first"]):
    ...     done = ["second"]
    """
    try:
        yield
    except Interrupted as stop:
        raise Interrupted(done + stop.runs, stop.steps, stop.end) from None
