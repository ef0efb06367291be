"""What a command began ends with it, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_beyond import processes
from nta_beyond.processes import Stopped, family, is_full_disk, stoppable

# A head that starts a child in a session of its own, which starts another, and then waits.
GRANDCHILD = "import time; print('here', flush=True); time.sleep(60)"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {GRANDCHILD!r}])"
HEAD = f"""
import subprocess, sys
from contextlib import nullcontext
from nta_beyond.processes import family
with {{context}}():
    subprocess.run([sys.executable, "-c", {CHILD!r}], start_new_session=True)
"""


def _marked(mark: str) -> list[int]:
    """Processes that run with this variable, found by another way than the package's."""
    listed = subprocess.run(["ps", "axeww", "-o", "pid=,command="], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if f"TEST={mark}" in line]


def _gone(mark: str, seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while _marked(mark) and time.monotonic() < until:
        time.sleep(0.05)
    return not _marked(mark)


def _head(context: str, mark: str) -> subprocess.Popen[str]:
    head = subprocess.Popen(
        [sys.executable, "-c", HEAD.format(context=context)],
        env=os.environ | {"TEST": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert head.stdout.readline() == "here\n"
    assert len(_marked(mark)) >= 3
    return head


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_whoever_is_stopped_leaves_no_process_behind(number):
    mark = f"family-{os.getpid()}-{number}"
    with _head("family", mark) as head:
        head.send_signal(number)
        head.wait(timeout=20)
        assert _gone(mark)


def test_without_a_family_they_would_stay():
    mark = f"alone-{os.getpid()}"
    with _head("nullcontext", mark) as head:
        head.kill()
        head.wait(timeout=20)
        assert not _gone(mark, seconds=1)
        for left in _marked(mark):  # and so that this test leaves none
            os.kill(left, signal.SIGKILL)
    assert _gone(mark)


def test_the_end_of_the_block_is_the_end_of_all_and_of_nobody_else():
    mark = os.environ.get(processes._MARK)  # of the checks that run this test
    stranger = subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdout=subprocess.DEVNULL)
    with family():
        outer = subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdout=subprocess.PIPE)
        with family():
            inner = subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdout=subprocess.PIPE)
            assert inner.stdout.read(4) == b"here"
        assert inner.wait(timeout=10) == -signal.SIGTERM
        assert outer.poll() is None
    assert outer.wait(timeout=10) == -signal.SIGTERM
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()
    assert os.environ.get(processes._MARK) == mark


def test_who_was_started_by_make_ends_with_it(tmp_path):
    mark = f"make-{os.getpid()}"
    head = "from nta_beyond.processes import end_with_make\nend_with_make()\n"
    (tmp_path / "head.py").write_text(head + HEAD.format(context="family"))
    (tmp_path / "Makefile").write_text(f"all:\n\t@{sys.executable} {tmp_path}/head.py\n")
    with subprocess.Popen(
        ["make", "--no-print-directory"],
        cwd=tmp_path,
        env=_here() | {"TEST": mark},
        stdout=subprocess.PIPE,
        text=True,
    ) as make:
        assert make.stdout.readline() == "here\n"
        assert len(_marked(mark)) >= 4
        make.kill()
        make.wait(timeout=20)
        assert _gone(mark)


def _here() -> dict[str, str]:
    """The environment, with this checkout's packages for a process in another folder."""
    root = str(Path(processes.__file__).parents[1])
    return os.environ | {"PYTHONPATH": root}


def test_who_does_not_listen_is_ended_all_the_same(monkeypatch):
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + GRANDCHILD
    with family():
        child = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE)
        assert child.stdout.read(4) == b"here"
    assert child.wait(timeout=10) == -signal.SIGKILL


@given(st.text())
def test_nothing_but_a_token_names_a_family(text):
    with pytest.raises(ValueError, match="no token of a family"):
        processes._end(text)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_request_to_end_is_an_exception_once(number):
    tidied = []

    def work():
        with stoppable(first=lambda: tidied.append("first")):
            try:
                os.kill(os.getpid(), number)
                time.sleep(5)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)  # impatience does not stop the tidying
                tidied.append("then")

    before = signal.getsignal(number)
    with pytest.raises(Stopped) as stop:
        work()
    assert stop.value.code == 128 + number
    assert tidied == ["first", "then"]
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(
    ("failure", "full"),
    [
        (OSError(28, "whatever"), True),
        (OSError(122, "whatever"), True),
        ("(sqlite3.OperationalError) database or disk is full", True),
        ("Error: ENOSPC: write", True),
        ("OSError: [Errno 28] No space left on device: '/x'", True),
        (OSError(13, "Permission denied"), False),
        ("a disk", False),
    ],
)
def test_a_full_disk_is_recognized_by_its_number_or_its_words(failure, full):
    assert is_full_disk(failure) == full
