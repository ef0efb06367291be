"""Stored results belong to the present code, and their spot cells come out the same again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments import __main__ as command
from experiments import experiment as declaration
from experiments import freshness, run
from experiments.experiment import Experiment, experiment_names, load_experiment
from nta_book.errors import MissingResult
from nta_book.results import stored_result


def differences(stored: Any, again: Any, tolerance: float, place: str = "") -> Iterator[str]:
    """Name every place where two results differ by more than the tolerance."""
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


@pytest.mark.parametrize("name", experiment_names())
def test_a_stored_result_belongs_to_the_present_code(name: str) -> None:
    assert run.is_fresh(name), f"{name} is old or missing: run make experiments"
    stored = stored_result(name)
    experiment = load_experiment(name)
    assert len(stored.cells) == len(experiment.cells)
    for cell, settings in zip(stored.cells, experiment.cells, strict=True):
        assert {key: cell[key] for key in settings} == dict(settings)


@pytest.mark.parametrize("name", experiment_names())
def test_spot_cells_come_out_the_same_again(name: str) -> None:
    experiment = load_experiment(name)
    path = declaration.RESULTS / f"{name}.json"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert experiment.spot, "an experiment nobody computes again proves nothing"
    for index in experiment.spot:
        again = run.measure_cell(name, index)["values"]
        assert not list(differences(cells[index]["values"], again, experiment.tolerance))


def test_every_stored_file_has_its_experiment() -> None:
    assert {path.stem for path in declaration.RESULTS.glob("*.json")} == set(experiment_names())


def test_a_difference_is_found() -> None:
    assert not list(differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-9, 2]}, 1e-6))
    assert list(differences({"a": [1.0, 2]}, {"a": [1.1, 2]}, 1e-6)) == [
        ".a[0]: stored 1.0, now 1.1"
    ]
    assert list(differences([1.0], [1.0, 2.0], 1e-6))
    assert list(differences(float("nan"), 1.0, 1e-6))


# --- the machinery, on an experiment of its own -------------------------------------------------

TOY = '''"""A toy."""
from experiments.experiment import Experiment
from nta_core import token_priority_graphs, FIG3
import numpy as np
import os

def measure(n: int) -> dict[str, object]:
    """Square."""
    with open({counter!r}, "a") as log:
        log.write(f"{{n}}\\n")
    if n == 2 and os.path.exists({fault!r}):
        raise ValueError("a cell that fails")
    leagues = token_priority_graphs(FIG3)[1].components
    return {{"square": np.float64(n) ** 2, "leagues": len(leagues)}}

EXPERIMENT = Experiment("Toy", 1, tuple({{"n": n}} for n in range(4)), measure, spot=(1,))
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the machinery a project of its own, with the real package beside it."""
    folder = tmp_path / "experiments"
    folder.mkdir()
    (tmp_path / "nta_core").symlink_to(freshness.ROOT / "nta_core")
    (folder / "experiment.py").symlink_to(freshness.ROOT / "experiments" / "experiment.py")
    source = folder / "toy.py"
    files = {"counter": str(tmp_path / "measured"), "fault": str(tmp_path / "fault")}
    source.write_text(TOY.format(**files))
    for module in (declaration, run):
        monkeypatch.setattr(module, "FOLDER", folder)
        monkeypatch.setattr(module, "RESULTS", folder / "results")
    monkeypatch.setattr(run, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(freshness, "ROOT", tmp_path)
    monkeypatch.setattr(run, "load_experiment", lambda name: _declared(source))
    monkeypatch.setattr(command, "load_experiment", lambda name: _declared(source))
    freshness.bare_code.cache_clear()
    freshness._imported.cache_clear()
    yield source
    freshness.bare_code.cache_clear()
    freshness._imported.cache_clear()


def _declared(source: Path) -> Experiment:
    names: dict[str, Any] = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    found = names["EXPERIMENT"]
    assert isinstance(found, Experiment)
    return found


def _edit(source: Path, old: str, new: str) -> None:
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    freshness.bare_code.cache_clear()
    freshness._imported.cache_clear()


def test_a_stopped_run_goes_on_where_it_stopped(toy: Path) -> None:
    counter, fault = toy.parents[1] / "measured", toy.parents[1] / "fault"
    fault.touch()
    with pytest.raises(ValueError, match="a cell that fails"):
        run.run_experiment("toy", jobs=1, quiet=True)
    assert not (toy.parent / "results").exists(), "half a result must not be stored"
    kept = next((toy.parents[1] / "kept").iterdir())
    with kept.open("a") as log:
        log.write('{"cell": 3, "val')  # the power went off while this line was written
    counter.write_text("")
    fault.unlink()
    path = run.run_experiment("toy", jobs=1, quiet=True)
    assert counter.read_text().split() == ["2", "3"]
    assert [cell["square"] for cell in stored_result("toy", folder=path.parent).cells] == [
        *(0, 1, 4, 9)
    ]
    assert not list((toy.parents[1] / "kept").iterdir())


def test_only_code_makes_a_result_old(toy: Path) -> None:
    assert not run.is_fresh("toy")
    run.run_experiment("toy", jobs=1, quiet=True)
    assert run.is_fresh("toy")
    _edit(toy, '"""Square."""', '"""The square of n,\n    in words."""\n\n    # why: no reason')
    assert run.is_fresh("toy")
    _edit(toy, "** 2", "** 3")
    assert not run.is_fresh("toy")


def test_the_stamp_follows_imports_through_the_package(toy: Path) -> None:
    found = {path.relative_to(toy.parents[1]).as_posix() for path in freshness.sources(toy)}
    assert {"experiments/toy.py", "nta_core/graphs/build.py", "nta_core/data/dataset.py"} <= found
    assert not {path for path in found if "viz" in path or path == "nta_core/errors.py"}


def test_the_command_lists_refuses_and_computes(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--list"]) == 0
    assert "OLD OR MISSING" in capsys.readouterr().out
    assert command.main(["toi"]) == 2
    assert "there are: toy" in capsys.readouterr().err
    assert command.main(["--jobs", "1"]) == 0
    assert command.main([]) == 0
    assert "all 1 stored results belong to the present code" in capsys.readouterr().out


def test_one_cell_or_a_named_error(toy: Path) -> None:
    stored = stored_result("toy", folder=run.run_experiment("toy", jobs=1, quiet=True).parent)
    assert stored.one(n=3) == {"n": 3, "square": 9.0, "leagues": 2}
    assert len(stored.select(leagues=2)) == 4
    assert repr(stored).startswith("StoredResult('toy': 4 cells")
    assert stored.command == "make experiments NAME=toy"
    with pytest.raises(MissingResult, match="4 cells with leagues=2, not one"):
        stored.one(leagues=2)
    with pytest.raises(MissingResult, match="0 cells with n=7"):
        stored.one(n=7)
