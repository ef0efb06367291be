"""What every benchmark shares: the form of a result, and how a call is timed."""

import os
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Any, ParamSpec, TypedDict, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


class Row(TypedDict):
    """One line of the table; the baseline is measured in the same run."""

    what: str
    ours_s: float
    baseline_s: float | None
    ratio: float | None
    target: str
    note: str


def row(
    what: str, ours: float, baseline: float | None = None, *, target: str = "", note: str = ""
) -> Row:
    """Return one line of the table: seconds of ours, and of the baseline if there is one."""
    return Row(
        what=what,
        ours_s=ours,
        baseline_s=baseline,
        ratio=baseline / ours if baseline else None,
        target=target,
        note=note,
    )


def rows_of(name: str) -> list[Mapping[str, Any]]:
    """Run one benchmark, here and now."""
    if name != "book":  # the book may use every core; elsewhere both sides get one thread
        os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return list(import_module(f"benchmarks.bench_{name}").run())


def in_a_fresh_process(call: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """Call in a process of its own: neither threads nor peaks of memory are those of others."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(call, *args, **kwargs).result()


def median_time(call: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """Median CPU seconds of several calls (other programs' work does not count), last result."""
    result, times = call(), []  # the first call warms up: imports, cached arrays
    for _ in range(runs):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return statistics.median(times), result
