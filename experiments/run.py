"""Compute an experiment's cells, show progress, keep what is done, store the result at the end."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed

from experiments.experiment import RESULTS, ROOT, Experiment, load_experiment, present_stamp
from experiments.reading import Record, changed_since, read_corpora
from nta_beyond.progress import progress_bar
from nta_core.data.files import write_atomically

KEPT = ROOT / "_build" / "experiments"  # cells of runs that were stopped before their end
_DIGITS = 12

Outcome = dict[str, Any]
Result = TypeVar("Result")


def is_fresh(name: str) -> bool:
    """Tell whether the stored result of an experiment belongs to the present code and corpora."""
    found = read_stored(name)
    if found is None or found["stamp"] != present_stamp(name):
        return False
    return not any(changed_since(found, load_experiment(name).corpora))


def read_stored(name: str) -> dict[str, Any] | None:
    """Return what is stored of an experiment, as it stands in its file."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def run_experiment(name: str, *, jobs: int = 2, quiet: bool = False) -> Path:
    """Compute every cell of an experiment that is not known yet, and store the result.

    Raises `MissingCorpus` or `ChangedCorpus`, before anything is computed, when a text that it
    reads is not here, or is another one.
    """
    experiment = load_experiment(name)
    corpora = read_corpora(experiment.corpora)
    kept = KEPT / f"{name}-{present_stamp(name)}{_mark(corpora)}.jsonl"
    known = _read_kept(kept)
    missing = [(name, i) for i in range(len(experiment.cells)) if i not in known]
    kept.parent.mkdir(parents=True, exist_ok=True)
    with (
        kept.open("a", encoding="utf-8") as log,
        progress_bar(name, total=len(missing), unit=" cells", quiet=quiet) as bar,
    ):
        for index, outcome in spread(_numbered, missing, jobs):
            known[index] = outcome
            # A line of its own, also behind one that broke off when the disk was full.
            log.write("\n" + json.dumps({"cell": index, **outcome}) + "\n")
            log.flush()  # a run that is stopped goes on from here
            bar.update()
    values = [known[index]["values"] for index in range(len(experiment.cells))]
    seconds = sum(outcome["seconds"] for outcome in known.values())
    path = store(name, experiment, values, seconds, corpora)
    kept.unlink()
    return path


def measure_cell(name: str, index: int) -> Outcome:
    """Compute one cell: its values as JSON keeps them, and the seconds it took."""
    experiment = load_experiment(name)
    started = time.perf_counter()
    values = experiment.measure(**experiment.cells[index])
    return {"values": _plain(values), "seconds": time.perf_counter() - started}


def spread(
    work: Callable[..., Result], calls: Iterable[tuple[Any, ...]], jobs: int
) -> Iterator[Result]:
    """Share calls between processes and yield each result as soon as it is there."""
    # Each process gets its share of the cores, so that their libraries do not fight for them.
    pool = Parallel(jobs, return_as="generator_unordered", batch_size=1)
    yield from pool(delayed(work)(*call) for call in calls)


def store(
    name: str,
    experiment: Experiment,
    values: Sequence[Any],
    seconds: float,
    corpora: Sequence[Record] = (),
) -> Path:
    """Write the result in one step: a reader sees the old file or the new one, never half of it."""
    result = {
        "title": experiment.title,
        "chapter": experiment.chapter,
        "command": f"make experiments NAME={name}",
        "stamp": present_stamp(name),
        "seconds": round(seconds, 1),
        **({"corpora": list(corpora)} if corpora else {}),
        "cells": [
            {"settings": dict(cell), "values": value}
            for cell, value in zip(experiment.cells, values, strict=True)
        ],
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    return write_atomically(RESULTS / f"{name}.json", _lines(result))


def _mark(corpora: Sequence[Record]) -> str:
    """A short hash of the texts: cells of a stopped run belong to what it read."""
    whole = "".join(record["sha256"] for record in corpora)
    return f"-{hashlib.sha256(whole.encode()).hexdigest()[:8]}" if corpora else ""


def _numbered(name: str, index: int) -> tuple[int, Outcome]:
    return index, measure_cell(name, index)


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
