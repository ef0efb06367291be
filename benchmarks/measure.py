"""What every benchmark shares: the form of a result, and how a call is timed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypedDict, TypeVar

Result = TypeVar("Result")


class Row(TypedDict):
    """One line of the table; the baseline is measured in the same run."""

    what: str
    ours_s: float
    baseline_s: float | None
    ratio: float | None
    target: str
    note: str


def rows_of(name: str) -> list[Mapping[str, Any]]:
    """Run one benchmark, here and now."""
    return list(import_module(f"benchmarks.bench_{name}").run())


def median_time(call: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """Median CPU seconds of several calls (other programs' work does not count), last result."""
    result, times = call(), []  # the first call warms up: imports, cached arrays
    for _ in range(runs):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return statistics.median(times), result
