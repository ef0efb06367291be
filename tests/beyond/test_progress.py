"""The progress bar: what a terminal, a log file and a quiet caller see."""

from __future__ import annotations

import io

import pytest

from nta_beyond.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_one_moving_line() -> None:
    stream = Terminal()
    with Progress(3, "reading", unit="files", stream=stream) as bar:
        for _ in range(3):
            bar.advance()
    shown = stream.getvalue()
    assert shown.count("\n") == 1
    assert shown.endswith("\n")
    assert "[########################] 100 %  3 of 3 files" in shown


def test_a_log_file_sees_a_line_per_tenth() -> None:
    stream = io.StringIO()
    with Progress(1000, "reading", stream=stream) as bar:
        for _ in range(1000):
            bar.advance()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    assert "50 %  500 of 1,000 steps  about" in lines[5]


def test_an_unknown_total_is_counted() -> None:
    stream = io.StringIO()
    with Progress(0, "reading", unit="lines", stream=stream) as bar:
        for _ in range(100):
            bar.advance()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 7
    assert lines[-1].startswith("reading  64 lines")


def test_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(2, "reading", quiet=True) as bar:
        bar.advance(2)
    assert capsys.readouterr().err == ""
