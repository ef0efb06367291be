"""After code has moved: are the stored numbers still those of the present code?

The spot cells of a result are computed again.  If they come out the same, the result gets the
stamp of the present code; if a number moved, it is named and the file stays as it is.  So it does
where a corpus that the experiment reads is not at hand: nobody has computed anything again.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from experiments.experiment import load_experiment
from experiments.reading import unconfirmed
from experiments.run import measure_cell, read_stored, spread, store
from nta_beyond.progress import progress_bar


def restamp(names: Sequence[str], *, jobs: int = 2, quiet: bool = False) -> dict[str, list[str]]:
    """Renew the stamps of stored results that the present code still computes.

    Parameters
    ----------
    names
        Experiments.
    jobs
        Processes that compute spot cells.
    quiet
        Show no progress.

    Returns
    -------
    dict
        For every experiment what speaks against it: nothing, when its stamp was renewed.
    """
    faults = {name: list(_faults_of_shape(name)) for name in names}
    spots = [(n, i) for n in names if not faults[n] for i in load_experiment(n).spot]
    waiting = Counter(name for name, _ in spots)
    with progress_bar("spot cells", total=len(spots), unit=" cells", quiet=quiet) as bar:
        for name, found in spread(_check, spots, jobs):
            faults[name] += found
            waiting[name] -= 1
            bar.update()
            if not waiting[name] and not faults[name]:
                _renew(name)
    return faults


def differences(stored: Any, again: Any, tolerance: float, place: str = "") -> Iterator[str]:
    """Name every place where two results differ by more than the tolerance.

    >>> list(differences({"loss": [1.0, 2]}, {"loss": [1.1, 2]}, 1e-6))
    ['.loss[0]: stored 1.0, now 1.1']
    """
    if isinstance(stored, dict) and isinstance(again, dict) and stored.keys() == again.keys():
        for key in stored:
            yield from differences(stored[key], again[key], tolerance, f"{place}.{key}")
    elif isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        for index, pair in enumerate(zip(stored, again, strict=True)):
            yield from differences(*pair, tolerance, f"{place}[{index}]")
    elif isinstance(stored, float | int) and isinstance(again, float | int):
        if not abs(stored - again) <= tolerance * max(1.0, abs(stored)):
            yield f"{place}: stored {stored}, now {again}"
    elif stored != again:
        yield f"{place}: stored {stored!r}, now {again!r}"


def spot_differences(name: str, index: int) -> list[str]:
    """Compute one cell again and name where it differs from what is stored."""
    stored = read_stored(name)
    assert stored is not None
    again = measure_cell(name, index)["values"]
    cell = stored["cells"][index]["values"]
    return list(differences(cell, again, load_experiment(name).tolerance, f"cell {index}"))


def _faults_of_shape(name: str) -> Iterator[str]:
    """Name what no spot cell would show."""
    experiment, stored = load_experiment(name), read_stored(name)
    if stored is None:
        yield "nothing is stored"
    elif not experiment.spot:
        yield "it has no spot cells to compute again"
    elif [cell["settings"] for cell in stored["cells"]] != json.loads(
        json.dumps([dict(cell) for cell in experiment.cells])
    ):
        yield "its cells are not those that are stored"
    else:
        yield from unconfirmed(stored, experiment.corpora)


def _check(name: str, index: int) -> tuple[str, list[str]]:
    try:
        return name, spot_differences(name, index)
    except Exception as error:  # whatever it is: this result cannot be confirmed, others can
        return name, [f"cell {index}: {type(error).__name__}: {error}"]


def _renew(name: str) -> None:
    stored = read_stored(name)
    assert stored is not None
    values = [cell["values"] for cell in stored["cells"]]
    store(name, load_experiment(name), values, stored["seconds"], stored.get("corpora", ()))
