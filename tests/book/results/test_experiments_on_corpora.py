"""Results on published texts: what is stored of a text, and what holds when it is not here."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments import experiment as declaration
from experiments import restamp, run
from nta_beyond.errors import ChangedCorpus, MissingCorpus
from nta_beyond.text import SpacedWords
from nta_beyond.text import corpora as known_corpora
from nta_beyond.text.corpora import VARIABLE, KnownCorpus
from nta_book.results import stored_result
from tests.book.results.toys import edit, planted
from tests.not_computed import compute_again

ROOT = Path(__file__).resolve().parents[3]
TOY = '''"""A toy that reads."""
from experiments.experiment import Experiment
from nta_beyond.text import named_corpus

def measure(n: int) -> dict[str, object]:
    """Some cells read, others do not."""
    with open({counter!r}, "a") as log:
        log.write(f"{{n}}\\n")
    words = sum(map(len, named_corpus("tiny").corpus().tokens())) if n else 0
    return {{"words": n * words}}

EXPERIMENT = Experiment(
    "Toy", 1, tuple({{"n": n}} for n in range(3)), measure, spot=(0, 1), corpora=("tiny",)
)
'''
TEXT = " \n = Title = \n \n the cat saw the <unk> . \n"


def publish(folder: Path, text: str) -> str:
    """Write the text where it is looked for; return its sha256."""
    (folder / "tiny").mkdir(parents=True, exist_ok=True)
    (folder / "tiny" / "all.txt").write_text(text)
    return hashlib.sha256(text.encode()).hexdigest()


def know(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    """Let the name stand for the text with this sha256."""
    known = KnownCorpus("Tiny, from a shelf", {"all.txt": digest}, SpacedWords())
    monkeypatch.setattr(known_corpora, "KNOWN", {"tiny": known})


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "corpora"
    know(monkeypatch, publish(folder, TEXT))
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path) -> Iterator[Path]:
    source = TOY.format(counter=str(tmp_path / "measured"))
    with planted(source, tmp_path, monkeypatch) as path:
        yield path


@pytest.fixture
def stored(toy: Path) -> Path:
    return run.run_experiment("toy", jobs=1, quiet=True)


def test_a_result_says_which_text_it_was_made_of(stored: Path) -> None:
    (record,) = json.loads(stored.read_text())["corpora"]
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    files = {"all.txt": digest}
    assert record == {"name": "tiny", "sha256": digest, "tokens": 9, "files": files}
    assert stored_result("toy", folder=stored.parent).corpora == (record,)
    assert run.is_fresh("toy")


def test_without_its_text_an_experiment_is_refused_before_anything_is_computed(
    toy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(MissingCorpus):
        run.run_experiment("toy", jobs=1, quiet=True)
    assert command.main(["toy", "--jobs", "1"]) == 1
    said = capsys.readouterr().err
    assert "REFUSED toy: tiny is not here: get Tiny, from a shelf, and put all.txt" in said
    assert VARIABLE in said
    assert not (toy.parents[1] / "measured").exists()
    assert not (toy.parents[1] / "results").exists()


def test_the_folder_may_be_an_option(
    toy: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "/no/such/folder")
    monkeypatch.chdir(shelf.parent)
    assert command.main(["toy", "--jobs", "1", "--corpora", shelf.name]) == 0
    assert os.environ[VARIABLE] == str(shelf)
    assert run.is_fresh("toy")


def test_a_text_that_is_another_one_is_refused(
    toy: Path, shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(shelf, TEXT + "more")
    assert command.main(["toy", "--jobs", "1"]) == 1
    assert "is another text: its sha256 is" in capsys.readouterr().err


def test_cells_of_a_stopped_run_belong_to_the_text_that_it_read(
    toy: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run, "store", stopped)
        with pytest.raises(KeyboardInterrupt):
            run.run_experiment("toy", jobs=1, quiet=True)
    know(monkeypatch, publish(shelf, TEXT + "more"))
    path = run.run_experiment("toy", jobs=1, quiet=True)
    assert stored_result("toy", folder=path.parent).one(n=1)["words"] == 10


# ---- is it still so? ----------------------------------------------------------------------------


def test_with_the_text_all_spot_cells_are_computed_again(stored: Path, toy: Path) -> None:
    counter = toy.parents[1] / "measured"
    counter.write_text("")
    assert not list(compute_again("toy"))
    assert counter.read_text().split() == ["0", "1"]
    stored.write_text(stored.read_text().replace('"words": 9', '"words": 8'))
    with pytest.raises(AssertionError, match="stored 8, now 9"):
        list(compute_again("toy"))


def test_without_the_text_it_is_said_which_spot_cells_were_not_computed(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    assert run.is_fresh("toy"), "the stamp needs no text"
    ((cell, why),) = compute_again("toy")
    assert cell == "toy[1]"
    assert "tiny is not here: get Tiny, from a shelf" in why
    stored.write_text(stored.read_text().replace('"words": 0', '"words": 8'))
    with pytest.raises(AssertionError, match="stored 8, now 0"):  # this cell reads nothing
        list(compute_again("toy"))


def test_a_corpus_that_is_not_declared_is_no_excuse(
    stored: Path, toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert declaration.reads_corpora("toy")
    edit(toy, 'corpora=("tiny",)', "corpora=()")
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(AssertionError, match="toy does not declare that it reads"):
        list(compute_again("toy"))
    edit(toy, 'sum(map(len, named_corpus("tiny").corpus().tokens()))', "3")
    assert not declaration.reads_corpora("toy")


def test_a_text_that_changed_since_makes_the_result_old(
    stored: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, was = stored.read_bytes(), hashlib.sha256(TEXT.encode()).hexdigest()
    now = publish(shelf, TEXT + "more")
    with pytest.raises(ChangedCorpus, match=f"its sha256 is {now}, not {was}"):
        list(compute_again("toy"))
    know(monkeypatch, now)  # the name stands for a new edition
    assert not run.is_fresh("toy")
    assert command.main(["--restamp", "toy", "--jobs", "1"]) == 1
    said = capsys.readouterr().err
    assert f"tiny/all.txt has changed: its sha256 was {was}, and is {now} now" in said
    monkeypatch.delenv(VARIABLE)
    assert not run.is_fresh("toy"), "seen without the text, too"
    assert stored.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"tokens": 9', '"tokens": 7', "tiny has changed: its tokens was 7, is 9 now"),
        ('"name": "tiny"', '"name": "tinny"', "it was stored with tinny, and reads tiny"),
        ('"corpora"', '"chorus"', "it was stored without a corpus, and reads tiny"),
    ],
)
def test_a_record_that_does_not_fit_is_refused(
    stored: Path, toy: Path, old: str, new: str, complaint: str
) -> None:
    text = stored.read_text()
    assert old in text
    stored.write_text(text.replace(old, new))
    assert restamp.restamp(["toy"], jobs=1, quiet=True) == {"toy": [complaint]}


def test_stamps_are_renewed_only_where_the_text_is(
    stored: Path,
    toy: Path,
    shelf: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = stored.read_bytes()
    edit(toy, "n * words", "words * n")
    monkeypatch.delenv(VARIABLE)
    assert command.main(["--restamp", "--jobs", "1"]) == 1
    said = capsys.readouterr()
    assert "stamped again: 0 of 1" in said.out
    assert "REFUSED toy: it cannot be confirmed: tiny is not here" in said.err
    assert stored.read_bytes() == before
    assert command.main(["--restamp", "--jobs", "1", "--corpora", str(shelf)]) == 0
    assert run.is_fresh("toy")
    now = json.loads(stored.read_text())
    assert now.pop("stamp") != (was := json.loads(before)).pop("stamp")
    assert now == was, "nothing but the stamp is new"


# ---- said at the end of pytest ------------------------------------------------------------------

NOTED = """
from tests.not_computed import NOTE

def test_one(record_property):
    record_property(NOTE, ("toy[1]", "tiny is not here"))

def test_two(record_property):
    record_property(NOTE, ("toy[0]", "tiny is not here"))

def test_three(record_property):
    record_property("another note", ("toy[2]", "tiny is not here"))
"""


@pytest.mark.parametrize("processes", ["0", "2"])
def test_what_was_not_computed_is_said_in_the_summary(tmp_path: Path, processes: str) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_terminal_summary\n")
    (tmp_path / "test_noted.py").write_text(NOTED)
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-n", processes, "-p", "no:cacheprovider"]
    said = subprocess.run(
        [*pytest_here, f"--rootdir={tmp_path}", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout + said.stderr
    assert "SPOT CELLS NOT COMPUTED AGAIN" in said.stdout
    assert "\ntoy[0], toy[1]: tiny is not here\n" in said.stdout
