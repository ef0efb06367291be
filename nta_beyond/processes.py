"""Commands that write for long, or start others: they can be stopped, and leave nothing running.

Only the standard library is imported: this file is also the program that watches over a family.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NoReturn

_MARK = "NTA_FAMILY"  # names the families that a process belongs to; children inherit it
_PR_SET_PDEATHSIG = 1  # of Linux' prctl
_PATIENCE = 2.0  # seconds between asking a process to end and ending it
_FULL = re.compile(r"no space left|disk is full|disk quota exceeded|ENOSPC", re.IGNORECASE)


class Stopped(KeyboardInterrupt):
    """A signal that asks to end; like Ctrl-C it lets every draft be removed first.

    Attributes
    ----------
    code : int
        The exit code that tells the caller which signal it was.
    """

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.code = 128 + number


def is_full_disk(failure: object) -> bool:
    """Tell whether an error, or the report of a program, comes from a disk without space.

    >>> is_full_disk(OSError(28, "No space left on device")), is_full_disk("line 3: no such file")
    (True, False)
    """
    number = failure.errno if isinstance(failure, OSError) else None
    return number in (errno.ENOSPC, errno.EDQUOT) or bool(_FULL.search(str(failure)))


@contextmanager
def stoppable(first: Callable[[], object] | None = None) -> Iterator[None]:
    """Let a request to end be the exception `Stopped`, raised once; do something `first`."""

    def stop(number: int, _: FrameType | None) -> NoReturn:
        for other in before:
            signal.signal(other, signal.SIG_IGN)  # who tidies up is not to be stopped again
        if first is not None:
            first()
        raise Stopped(number)

    before = {}
    with suppress(ValueError):  # outside the main thread signals are somebody else's
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)  # else: nohup stays nohup
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def family() -> Iterator[None]:
    """Whatever is started inside, and by it, ends with this block, however the block ends.

    A small process of its own waits for the end; so it notices also when this one is killed.
    Members are known by a mark in their environment, which needs Linux' /proc; elsewhere only
    those end that watch their parent themselves, as the kernels of Jupyter do.
    """
    token, outer = secrets.token_hex(16), os.environ.get(_MARK)
    bare = {name: value for name, value in os.environ.items() if name != _MARK}
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, token],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # out of reach of what ends the others
        env=bare,
    )
    os.environ[_MARK] = f"{outer or ''}:{token}"
    try:
        with stoppable(first=partial(_end, token)):
            yield
    finally:
        os.environ.pop(_MARK)
        os.environ |= {} if outer is None else {_MARK: outer}
        watcher.communicate()  # closes its input, and waits until all have ended


def end_with_make() -> None:
    """Take the sudden end of ``make``, if it started this process, as a request to end (Linux)."""
    if "MAKELEVEL" in os.environ and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _end(token: str) -> None:
    """Ask all members of a family to end, then end those that did not."""
    if not re.fullmatch("[0-9a-f]{32}", token):
        raise ValueError(f"no token of a family: {token!r}")
    for number in (signal.SIGTERM, signal.SIGKILL):
        told: set[int] = set()
        until = time.monotonic() + _PATIENCE
        while (members := _members(token)) and time.monotonic() < until:
            for member in members - told:
                with suppress(OSError):  # it ended by itself
                    os.kill(member, number)
            told |= members
            time.sleep(0.02)


def _members(token: str) -> set[int]:
    """Processes whose environment bears the mark; those that ended have none.

    Without those of multiprocessing that remove what the others shared: they end as the last.
    """
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or just gone
            variables = (place / "environ").read_bytes().split(b"\0")
            marks = [value for value in variables if value.startswith(_MARK.encode())]
            tracker = b"resource_tracker" in (place / "cmdline").read_bytes()
            if not tracker and any(token.encode() in mark for mark in marks):
                found.add(int(place.name))
    return found - {os.getpid()}


if __name__ == "__main__":
    sys.stdin.buffer.read()  # until whoever holds the other end closes it, or dies
    _end(sys.argv[1])
