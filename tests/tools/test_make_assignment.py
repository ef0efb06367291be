"""The command that writes assignments: what it takes, and how it refuses."""

import json
from pathlib import Path

import pytest

from tools.make_assignment import main


def run(capsys, *arguments: object) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_exercises_by_label_by_place_and_by_chapter(tmp_path, capsys):
    code, said = run(capsys, "otter", "ex-02-1", "3.2", "5", "--out", tmp_path, "--name", "week1")
    assert code == 0
    assert "otter assign week1.ipynb dist" in said
    cells = json.loads((tmp_path / "week1.ipynb").read_text())["cells"]
    heads = [c["source"].splitlines()[0] for c in cells if c["source"].startswith("## ")]
    assert [head.split(":")[0] for head in heads] == [
        *("## Exercise 2.1", "## Exercise 3.2"),
        *(f"## Exercise 5.{k}" for k in range(1, 5)),
    ]


def test_nbgrader_gets_its_folders(tmp_path, capsys):
    assert run(capsys, "nbgrader", "1", "--out", tmp_path)[0] == 0
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"nbgrader_config.py", "source/next_token/next_token.ipynb"}


def test_a_quiz_of_one_chapter(tmp_path, capsys):
    assert run(capsys, "moodle", "2", "--out", tmp_path)[0] == 0
    text = (tmp_path / "next_token.xml").read_text()
    assert "/Chapter 2" in text
    assert "/Chapter 3" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["otter"], "name exercises"),
        (["otter", "4.9"], "did you mean 4"),
        (["otter", "ex-99"], "there is no exercise or chapter ex-99"),
        (["moodle", "99"], "no chapter 99"),
        (["otter", "1", "--name", "../up"], "letters, digits and _"),
    ],
)
def test_what_does_not_exist_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys, arguments: list[str], message: str
):
    code, said = run(capsys, *arguments, "--out", tmp_path / "new")
    assert code == 2
    assert message in said
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten_unless_forced(tmp_path, capsys):
    mine = tmp_path / "next_token.ipynb"
    mine.write_text("mine")
    code, said = run(capsys, "otter", "1", "--out", tmp_path)
    assert code == 2
    assert "--force" in said
    assert mine.read_text() == "mine"
    assert run(capsys, "otter", "1", "--out", tmp_path, "--force")[0] == 0
    assert json.loads(mine.read_text())["nbformat"] == 4


def test_a_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, said = run(capsys, "otter", "1", "--out", tmp_path / "file")
    assert code == 2
    assert "make_assignment:" in said
