"""Stored results belong to the present code, and their spot cells come out the same again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments import experiment as declaration
from experiments import restamp, run
from experiments.experiment import experiment_names, load_experiment
from experiments.restamp import differences
from nta_beyond.text.corpora import expected_sha256
from nta_book.errors import MissingResult
from nta_book.results import stored_result
from tests.book.results.toys import edit, planted
from tests.not_computed import NOTE, compute_again


@pytest.mark.parametrize("name", experiment_names())
def test_a_stored_result_belongs_to_the_present_code(name: str) -> None:
    assert run.is_fresh(name), f"{name} is old or missing: run make experiments"
    stored = stored_result(name)
    experiment = load_experiment(name)
    assert len(stored.cells) == len(experiment.cells)
    for cell, settings in zip(stored.cells, experiment.cells, strict=True):
        assert {key: cell[key] for key in settings} == dict(settings)


@pytest.mark.parametrize("name", experiment_names())
def test_spot_cells_come_out_the_same_again(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    assert load_experiment(name).spot, "an experiment nobody computes again proves nothing"
    for note in compute_again(name):
        record_property(NOTE, note)


@pytest.mark.parametrize("name", experiment_names())
def test_an_experiment_declares_the_corpora_that_it_reads(name: str) -> None:
    experiment = load_experiment(name)
    assert declaration.reads_corpora(name) == bool(experiment.corpora)
    for corpus in experiment.corpora:
        assert expected_sha256(corpus)


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
    """Give the machinery a project of its own, with the real packages beside it."""
    files = {"counter": str(tmp_path / "measured"), "fault": str(tmp_path / "fault")}
    with planted(TOY.format(**files), tmp_path, monkeypatch) as source:
        yield source


def test_a_stopped_run_goes_on_where_it_stopped(toy: Path) -> None:
    counter, fault = toy.parents[1] / "measured", toy.parents[1] / "fault"
    fault.touch()
    with pytest.raises(ValueError, match="a cell that fails"):
        run.run_experiment("toy", jobs=1, quiet=True)
    assert not (toy.parents[1] / "results").exists(), "half a result must not be stored"
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
    edit(toy, '"""Square."""', '"""The square of n,\n    in words."""\n\n    # why: no reason')
    assert run.is_fresh("toy")
    edit(toy, "** 2", "** 3")
    assert not run.is_fresh("toy")


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


# --- stamps after code moved --------------------------------------------------------------------


def _stored(toy: Path) -> Path:
    run.run_experiment("toy", jobs=1, quiet=True)
    return toy.parents[1] / "results" / "toy.json"


def test_a_result_whose_numbers_stayed_gets_the_new_stamp_and_nothing_else(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _stored(toy)
    before = path.read_text()
    edit(toy, "np.float64(n) ** 2", "n * np.float64(n)")
    assert not run.is_fresh("toy")
    (toy.parents[1] / "measured").write_text("")
    assert command.main(["--restamp", "--jobs", "1"]) == 0
    assert "stamped again: 1 of 1" in capsys.readouterr().out
    assert run.is_fresh("toy")
    assert (toy.parents[1] / "measured").read_text().split() == ["1"], "only the spot cell is run"
    changed = [
        line for line, old in zip(path.read_text().splitlines(), before.splitlines(), strict=True)
        if line != old
    ]  # fmt: skip
    assert len(changed) == 1
    assert "stamp" in changed[0]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("** 2", "* 1.5", "REFUSED toy: cell 1.square: stored 1.0, now 1.5"),
        ("len(leagues)}", "'two'}", "REFUSED toy: cell 1.leagues: stored 2, now 'two'"),
        ('"square":', '"cube":', "REFUSED toy: cell 1: stored {'square'"),
        ("range(4)", "range(5)", "REFUSED toy: its cells are not those that are stored"),
        ("spot=(1,)", "spot=()", "REFUSED toy: it has no spot cells"),
        ("leagues = ", "leagues = 1 / 0 + ", "REFUSED toy: cell 1: ZeroDivisionError"),
    ],
)
def test_a_result_that_cannot_be_confirmed_is_refused_and_stays(
    toy: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, complaint: str
) -> None:
    path = _stored(toy)
    before = path.read_bytes()
    edit(toy, old, new)
    assert command.main(["--restamp", "toy", "--jobs", "1"]) == 1
    said = capsys.readouterr()
    assert complaint in said.err
    assert "stamped again: 0 of 1" in said.out
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["toy.json"]
    assert not run.is_fresh("toy")


def test_a_missing_result_cannot_be_stamped(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--restamp", "--jobs", "1"]) == 1
    assert "REFUSED toy: nothing is stored" in capsys.readouterr().err
    assert not (toy.parents[1] / "results").exists()


def test_a_moved_number_of_a_real_result_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = run.read_stored("feasible_dimension")
    assert real is not None
    experiment = load_experiment("feasible_dimension")
    cell = real["cells"][experiment.spot[0]]["values"]
    key = next(key for key, value in cell.items() if isinstance(value, float | int))
    cell[key] += 1
    monkeypatch.setattr(restamp, "read_stored", lambda name: real)
    monkeypatch.setattr(restamp, "store", lambda *given: pytest.fail("written in spite of it"))
    faults = restamp.restamp(["feasible_dimension"], jobs=1, quiet=True)
    assert f"cell {experiment.spot[0]}.{key}: stored {cell[key]}" in faults["feasible_dimension"][0]


def test_cells_are_shared_between_processes() -> None:
    assert sorted(run.spread(pow, [(2, n) for n in range(6)], 2)) == [1, 2, 4, 8, 16, 32]
