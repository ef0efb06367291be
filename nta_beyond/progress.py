"""A progress bar for whatever takes longer than a reader's patience."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

_WIDTH = 24


class Progress:
    """Count work done and show it: a moving bar on a terminal, a line per tenth elsewhere.

    Parameters
    ----------
    total
        Units of work in all; 0 when unknown, then only the count is shown.
    label
        What is being done.
    unit
        What is counted, for the reader.
    stream
        Where to write; standard error by default, so that results can be piped.
    quiet
        Show nothing.

    Explained in: chapter 16.

    Examples
    --------
    >>> import io
    >>> shown = io.StringIO()
    >>> with Progress(4, "racing", unit="races", stream=shown) as bar:
    ...     bar.advance(2)
    ...     bar.advance(2)
    >>> shown.getvalue().splitlines()[-1].startswith("racing  100 %  4 of 4 races")
    True
    """

    def __init__(
        self,
        total: int,
        label: str,
        *,
        unit: str = "steps",
        stream: TextIO | None = None,
        quiet: bool = False,
    ) -> None:
        self.total, self.label, self.unit = total, label, unit
        self.done = 0
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet
        self._terminal = self._stream.isatty()
        self._shown_tenth = -1
        self._shown_at = float("-inf")
        self._started = time.perf_counter()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._quiet and self._terminal:
            self._show()
            self._stream.write("\n")

    def advance(self, amount: int = 1) -> None:
        """Record `amount` further units of work."""
        self.done += amount
        if not self._quiet and self._due():
            self._show()

    def _due(self) -> bool:
        """Ten pictures a second are enough for an eye, eleven lines for a log file."""
        if self._terminal:
            now = time.perf_counter()
            due = now - self._shown_at > 0.1
            self._shown_at = now if due else self._shown_at
            return due
        tenth = 10 * self.done // self.total if self.total else self.done.bit_length()
        due = tenth > self._shown_tenth
        self._shown_tenth = max(tenth, self._shown_tenth)
        return due

    def _show(self) -> None:
        line = f"{self.label}  {self._share()}{self.done:,} {self._of()}{self.unit}{self._left()}"
        if self._terminal:
            self._stream.write(f"\r{line:<78}")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def _share(self) -> str:
        if not self.total:
            return ""
        share = min(self.done / self.total, 1.0)
        bar = f"[{'#' * round(share * _WIDTH):<{_WIDTH}}] " if self._terminal else ""
        return f"{bar}{share:4.0%}".replace("%", " %") + "  "

    def _of(self) -> str:
        return f"of {self.total:,} " if self.total else ""

    def _left(self) -> str:
        """Estimate the time left from the pace so far."""
        if not self.total or not 0 < self.done < self.total:
            return f"  {time.perf_counter() - self._started:.0f} s"
        left = (time.perf_counter() - self._started) * (self.total - self.done) / self.done
        return f"  about {left:.0f} s left"
