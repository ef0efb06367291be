"""Compute an experiment's cells, show progress, keep what is done, store the result at the end."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from experiments.experiment import FOLDER, RESULTS, Experiment, load_experiment
from experiments.freshness import ROOT, stamp
from nta_beyond.progress import progress_bar

KEPT = ROOT / "_build" / "experiments"  # cells of runs that were stopped before their end
_DIGITS = 12

Outcome = dict[str, Any]


def is_fresh(name: str) -> bool:
    """Tell whether the stored result of an experiment belongs to the present code."""
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        return False
    return bool(json.loads(path.read_text(encoding="utf-8"))["stamp"] == _stamp(name))


def run_experiment(name: str, *, jobs: int = 2, quiet: bool = False) -> Path:
    """Compute every cell of an experiment that is not known yet, and store the result."""
    experiment = load_experiment(name)
    kept = KEPT / f"{name}-{_stamp(name)}.jsonl"
    known = _read_kept(kept)
    missing = [i for i in range(len(experiment.cells)) if i not in known]
    kept.parent.mkdir(parents=True, exist_ok=True)
    with (
        kept.open("a", encoding="utf-8") as log,
        progress_bar(name, total=len(missing), unit=" cells", quiet=quiet) as bar,
    ):
        for index, outcome in _outcomes(name, missing, jobs):
            known[index] = outcome
            log.write(json.dumps({"cell": index, **outcome}) + "\n")
            log.flush()  # a run that is stopped goes on from here
            bar.update()
    path = _store(name, experiment, known)
    kept.unlink()
    return path


def measure_cell(name: str, index: int) -> Outcome:
    """Compute one cell: its values as JSON keeps them, and the seconds it took."""
    experiment = load_experiment(name)
    started = time.perf_counter()
    values = experiment.measure(**experiment.cells[index])
    return {"values": _plain(values), "seconds": time.perf_counter() - started}


def _outcomes(name: str, cells: list[int], jobs: int) -> Iterator[tuple[int, Outcome]]:
    if jobs == 1:
        yield from ((index, measure_cell(name, index)) for index in cells)
        return
    # One thread per process: two processes that share two cores need no more.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(measure_cell, name, index): index for index in cells}
        for future in as_completed(running):
            yield running[future], future.result()


def _store(name: str, experiment: Experiment, outcomes: Mapping[int, Outcome]) -> Path:
    """Write the result in one step: a reader sees the old file or the new one, never half of it."""
    result = {
        "title": experiment.title,
        "chapter": experiment.chapter,
        "command": f"make experiments NAME={name}",
        "stamp": _stamp(name),
        "seconds": round(sum(outcome["seconds"] for outcome in outcomes.values()), 1),
        "cells": [
            {"settings": dict(cell), "values": outcomes[index]["values"]}
            for index, cell in enumerate(experiment.cells)
        ],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    draft = path.with_suffix(".json.new")
    draft.write_text(_lines(result), encoding="utf-8")
    draft.replace(path)
    return path


def _lines(result: Mapping[str, Any]) -> str:
    """Return JSON with one cell per line, so that a change shows in a diff."""
    head = {key: value for key, value in result.items() if key != "cells"}
    cells = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in result["cells"])
    return f'{json.dumps(head, ensure_ascii=False, indent=1)[:-2]},\n "cells": [\n{cells}\n]}}\n'


def _read_kept(path: Path) -> dict[int, Outcome]:
    if not path.is_file():
        return {}
    known = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            outcome = json.loads(line)
        except json.JSONDecodeError:
            continue  # the line that was being written when the run was stopped
        known[outcome.pop("cell")] = outcome
    return known


def _plain(value: Any) -> Any:
    """Turn numpy numbers and arrays into what JSON holds, with twelve digits."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(f"{float(value):.{_DIGITS}g}")
    if isinstance(value, np.generic):
        return value.item()
    return value


def _stamp(name: str) -> str:
    return stamp(FOLDER / f"{name}.py")
