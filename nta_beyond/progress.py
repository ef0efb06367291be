"""One look for every progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from nta_core.errors import MissingPackage

if TYPE_CHECKING:
    from tqdm import tqdm

State = TypeVar("State")
PATIENCE = 5.0  # seconds before a training shows how far it is
IN_A_LOG = 30.0  # seconds between two lines of a bar that is not shown on a terminal


def progress_bar(label: str, *, quiet: bool = False, **options: Any) -> tqdm[Any]:
    """Return a bar of tqdm that moves on a terminal, says little in a log file, or is silent.

    Options are tqdm's: an `iterable` or a `total`, and the `unit` that is counted.

    Examples
    --------
    >>> with progress_bar("racing", total=4, unit=" races", quiet=True) as bar:
    ...     bar.update(2)
    """
    try:
        from tqdm import tqdm
    except ImportError:
        raise MissingPackage("tqdm", wanted_for="a progress bar", extra="text") from None
    nowhere = sys.stderr is None  # closed by the caller
    if not nowhere and not sys.stderr.isatty():
        options |= {"mininterval": IN_A_LOG, "maxinterval": IN_A_LOG}
    return tqdm(desc=label, disable=quiet or nowhere, **options)


def patiently(states: Iterable[State], *, steps: int) -> Iterable[State]:
    """Return the states of a training, with a bar if it takes long, on a terminal, where tqdm is.

    Examples
    --------
    >>> list(patiently("abc", steps=2))
    ['a', 'b', 'c']
    """
    try:
        from tqdm import tqdm
    except ImportError:  # nobody asked for a bar: there is none
        return states
    shown = sys.stderr is not None and sys.stderr.isatty()
    look: dict[str, Any] = {"desc": "training", "unit": " steps", "delay": PATIENCE, "leave": False}
    return tqdm(states, total=steps, **look) if shown else states
