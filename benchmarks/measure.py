"""What every benchmark shares: the form of a result, and how a call is timed."""

import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Ours is seconds, or words for what is no time.  The baseline, if there is one, is seconds
    measured in the same run.  A target such as "≥ 20×" is for their ratio; whether any other was
    met, `kept` says.
    """

    what: str
    ours: float | str
    baseline: float | None = None
    target: str = ""
    note: str = ""
    kept: bool | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as long as ours the baseline takes."""
        return self.baseline / float(self.ours) if self.baseline else None

    @property
    def met(self) -> bool | None:
        """Whether the target was met; None without a target that can be missed."""
        least = re.fullmatch(r"≥\s*([\d.]+)\s*[×x]", self.target)
        return self.ratio >= float(least[1]) if least and self.ratio else self.kept


def rows_of(name: str) -> list[Row]:
    """Run one benchmark, here and now."""
    if name != "book":  # the book may use every core; elsewhere both sides get one thread
        os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return list(import_module(f"benchmarks.bench_{name}").run())


def in_a_fresh_process(call: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """Call in a process of its own: neither threads nor peaks of memory are those of others."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(call, *args, **kwargs).result()


def least_time(call: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """Least CPU seconds of several calls, and the last result.

    The work of other programs does not count, but they empty caches: they only ever add time.
    """
    result, times = call(), []  # the first call warms up: imports, cached arrays
    for _ in range(runs):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return min(times), result
