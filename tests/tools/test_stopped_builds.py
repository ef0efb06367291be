"""A build or an experiment that is stopped, or finds no space, loses nothing and says so first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import __main__ as experiments
from experiments import run as experiments_run
from tests.small_book import ROOT, write_small_book
from tools import build_book, execute_notebooks, run_checks

WAITING = """
import pathlib, time
from joblib import Parallel, delayed
def wait(name):
    pathlib.Path(name).touch()
    time.sleep(100)
Parallel(2)(delayed(wait)(name) for name in ({first!r}, {second!r}))
"""
EXPERIMENT = '''
import sys
from experiments import __main__, experiment, run
from experiments.experiment import Experiment

class Toy:
    """Cells that wait."""

def measure(n):
    import pathlib, time
    pathlib.Path({folder!r}, f"cell-{{n}}").touch()
    time.sleep(0 if n == 0 else 100)
    return {{"n": n}}

toy = Experiment("Toy", 1, tuple({{"n": n}} for n in range(3)), measure)
for module in (run, __main__):
    module.load_experiment = lambda name: toy
__main__.experiment_names = lambda: ["toy"]
run.present_stamp = lambda name: "stamp"
run.RESULTS, run.KEPT = (run.Path({folder!r}) / name for name in ("results", "kept"))
run._numbered = lambda name, index: (index, {{"values": measure(index), "seconds": 0.0}})
sys.exit(__main__.main(["toy"]))
'''


def _marked(mark: str) -> list[str]:
    """Processes that run with this variable."""
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if f"TEST={mark}" in line]


def _stop_when(there: list[Path], command: list[str], number: int) -> tuple[int, str]:
    """Start a command, stop it when these files are there; exit code and complaint.

    Nothing that it started may live on.
    """
    mark = f"stopped-{os.getpid()}-{time.monotonic_ns()}"
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | {"TEST": mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not all(path.exists() for path in there):
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.05)
        assert len(_marked(mark)) >= 3
        process.send_signal(number)  # to this process alone: not what Ctrl-C does, but `kill`
        _, complaint = process.communicate(timeout=60)
    until = time.monotonic() + 10
    while _marked(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _marked(mark)
    return process.returncode, complaint


STOPPED = [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)]


@pytest.mark.parametrize(("number", "code"), STOPPED)
def test_a_stopped_build_leaves_the_old_book_and_no_process(
    tmp_path: Path, number: int, code: int
) -> None:
    there = [tmp_path / "first", tmp_path / "second"]
    cell = WAITING.format(first=str(there[0]), second=str(there[1]))
    book = write_small_book(tmp_path / "it", ["# A page", cell])
    html = book / "_build" / "html"
    html.mkdir(parents=True)
    (html / "index.html").write_text("the book of yesterday")
    command = ["-m", "tools.build_book", "--root", str(book)]
    ended, complaint = _stop_when(there, command, number)
    assert ended == code
    if number != signal.SIGKILL:
        assert "interrupted" in complaint.splitlines()
        assert "untouched" in complaint.splitlines()[-1]
        assert "Traceback" not in complaint
    assert (html / "index.html").read_text() == "the book of yesterday"


@pytest.mark.parametrize(("number", "code"), STOPPED)
def test_a_stopped_experiment_leaves_its_stored_result_and_no_process(
    tmp_path: Path, number: int, code: int
) -> None:
    stored = tmp_path / "results" / "toy.json"
    stored.parent.mkdir()
    stored.write_text("the result of yesterday")
    there = [tmp_path / f"cell-{n}" for n in range(3)]
    ended, complaint = _stop_when(there, ["-c", EXPERIMENT.format(folder=str(tmp_path))], number)
    assert ended == code
    if number != signal.SIGKILL:
        assert "interrupted\nstored results are as they were" in complaint
        assert "Traceback" not in complaint
    assert stored.read_text() == "the result of yesterday"
    assert [path.name for path in stored.parent.iterdir()] == ["toy.json"]
    kept = (tmp_path / "kept" / "toy-stamp.jsonl").read_text()
    assert '"values": {"n": 0}' in kept  # what was done is not done again


def test_stopped_checks_leave_no_process(tmp_path: Path) -> None:
    there = tmp_path / "running"
    check = f"import pathlib, time; pathlib.Path({str(there)!r}).touch(); time.sleep(100)"
    command = (
        "import sys\nfrom tools import run_checks\n"
        f"run_checks.CHECKS = {{'style': run_checks.Check('waits', [['-c', {check!r}]])}}\n"
        "sys.exit(run_checks.main([]))"
    )
    assert _stop_when([there], ["-c", command], signal.SIGTERM)[0] == 143


# ---- a full disk --------------------------------------------------------------------------------

FULL = OSError(28, "No space left on device", "/x/y")


def _fail(error: BaseException):
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def _first_line(book: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert build_book.main(["--root", str(book)]) == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "THE BOOK WAS NOT BUILT" in said.splitlines()[-1]
    return said.splitlines()[0]


@pytest.mark.parametrize(
    ("module", "name", "error"),
    [
        (build_book, "_swap", FULL),
        (build_book, "write_atomically", FULL),
        (execute_notebooks.Executed, "store", FULL),
        (
            execute_notebooks.Executed,
            "store",
            RuntimeError("(sqlite3.OperationalError) database or disk is full"),
        ),
    ],
    ids=["swap", "stamp", "store", "database"],
)
def test_a_full_disk_is_the_first_line_wherever_it_is_noticed(
    tmp_path: Path,
    module: object,
    name: str,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    book = write_small_book(tmp_path, ["# A page"])
    monkeypatch.setattr(build_book, "_render", lambda *_: None)
    if name == "write_atomically":
        monkeypatch.setattr(build_book, "_swap", lambda *_: None)
    monkeypatch.setattr(module, name, _fail(error))
    assert _first_line(book, capsys).startswith(f"NO SPACE LEFT on the disk of {book}/_build")


def test_a_full_disk_in_a_chapter_is_the_first_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = "open('/dev/full', 'w').write('x' * 10_000)"
    book = write_small_book(tmp_path, ["# A page", cell])
    assert _first_line(book, capsys).startswith("NO SPACE LEFT")


def test_a_full_disk_in_sixty_lines_of_a_renderer_is_the_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    book = write_small_book(tmp_path / "book", ["# A page"])
    renderer = tmp_path / "bin" / "jupyter-book"
    renderer.parent.mkdir()
    lines = "\\n".join(["  File 'x.py', line 1"] * 60)
    renderer.write_text(
        f"#!/bin/sh\nprintf '{lines}\\nOSError: [Errno 28] No space left on device\\n'\nexit 1\n"
    )
    renderer.chmod(0o755)
    monkeypatch.setattr(build_book, "_run_chapters", lambda *_: None)
    monkeypatch.setattr(build_book, "JUPYTER_BOOK", renderer)
    assert _first_line(book, capsys).startswith("NO SPACE LEFT")


def test_another_failure_is_not_called_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    book = write_small_book(tmp_path, ["# A page"])
    monkeypatch.setattr(build_book, "_run_chapters", _fail(OSError(13, "Permission denied", "/x")))
    assert "Permission denied" in _first_line(book, capsys)
    monkeypatch.setattr(build_book, "_run_chapters", _fail(RuntimeError("a fault of ours")))
    with pytest.raises(RuntimeError, match="a fault of ours"):
        build_book.main(["--root", str(book)])


def test_a_full_disk_stops_an_experiment_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(experiments, "experiment_names", lambda: ["toy"])
    monkeypatch.setattr(experiments, "run_experiment", _fail(FULL))
    assert experiments.main(["toy"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("NO SPACE LEFT on the disk of")
    assert "stored results are as they were" in said


def test_a_line_that_broke_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    kept.write_text(
        '\n{"cell": 0, "values": 1}\n\n{"cell": 1, "val' + '\n{"cell": 2, "values": 3}\n'
    )
    assert experiments_run._read_kept(kept) == {0: {"values": 1}, 2: {"values": 3}}


def test_interrupted_checks_prove_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_checks, "run", _fail(KeyboardInterrupt()))
    assert run_checks.main([]) == 130
    assert "nothing is proved" in capsys.readouterr().err
