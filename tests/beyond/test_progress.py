"""The progress bar: what a terminal, a log file and a quiet caller see."""

from __future__ import annotations

import io
import sys

import pytest

from nta_beyond.progress import patiently, progress_bar
from nta_core.errors import MissingPackage


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, pause: float = 0.0) -> list[str]:
    """The states of a bar that counts to 1,000, as `stream` sees them in place of stderr."""
    monkeypatch.setattr(sys, "stderr", stream)
    options = {"mininterval": pause} if pause else {}
    with progress_bar("reading", total=1000, unit=" files", **options) as bar:
        for _ in range(1000):
            bar.update()
    return stream.getvalue().strip().split("\r")


def test_a_terminal_sees_one_moving_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    states = _shown(stream, monkeypatch, pause=1e-9)
    assert len(states) > 100
    assert stream.getvalue().count("\n") == 1
    assert states[-1].startswith("reading: 100%|")
    assert "1000/1000" in states[-1]
    assert "files/s" in states[-1]


def test_a_log_file_sees_the_beginning_and_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    states = _shown(io.StringIO(), monkeypatch)
    assert len(states) == 2
    assert "0/1000" in states[0]
    assert "1000/1000" in states[1]


def test_an_iterable_is_counted_as_it_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(progress_bar("reading", iterable=iter(range(7)))) == list(range(7))
    assert "reading: 7it" in stream.getvalue()


def test_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("reading", total=2, quiet=True) as bar:
        bar.update(2)
    assert capsys.readouterr().err == ""


def test_without_tqdm_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(MissingPackage, match=r"pip install 'nta-core\[text\]'"):
        progress_bar("reading", total=2)


def test_a_long_training_shows_how_far_it_is_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    monkeypatch.setattr("nta_beyond.progress.PATIENCE", 0.0)
    assert list(patiently(range(3), steps=2)) == [0, 1, 2]
    assert written.getvalue() == ""
    written = Terminal()
    monkeypatch.setattr("sys.stderr", written)
    assert list(patiently(range(3), steps=2)) == [0, 1, 2]
    assert "training" in written.getvalue()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert patiently("abc", steps=2) == "abc"
