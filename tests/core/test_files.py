"""Files that appear whole or not at all, whatever happens in between."""

import contextlib
import os
import signal
import socket
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nta_core.data.files import draft_of, write_atomically


@settings(max_examples=40, deadline=None)
@given(before=st.none() | st.binary(max_size=50), data=st.binary() | st.text())
def test_a_file_holds_what_was_written_and_nothing_lies_beside_it(tmp_path_factory, before, data):
    place = tmp_path_factory.mktemp("files") / "kept"
    if before is not None:
        place.write_bytes(before)
    assert write_atomically(place, data) == place
    assert place.read_bytes() == (data if isinstance(data, bytes) else data.encode())
    assert os.listdir(place.parent) == ["kept"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("before", [None, "precious"])
def test_a_draft_that_breaks_off_changes_nothing(tmp_path, error, before):
    place = tmp_path / "kept"
    if before:
        place.write_text(before)

    def break_off():
        with draft_of(place) as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)):
        break_off()
    assert os.listdir(tmp_path) == (["kept"] if before else [])
    assert not before or place.read_text() == before


def test_a_full_disk_is_noticed_before_the_old_file_is_touched(tmp_path):
    place = tmp_path / "kept"
    place.write_text("precious")
    code = (
        "import resource, signal, sys\n"
        "from nta_core.data.files import write_atomically\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_atomically(sys.argv[1], b'x' * 5000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, place], capture_output=True, check=False)
    assert b"File too large" in done.stderr
    assert place.read_text() == "precious"
    assert os.listdir(tmp_path) == ["kept"]


def test_a_killed_writer_leaves_the_old_file(tmp_path):
    place = tmp_path / "kept"
    place.write_text("precious")
    code = (
        "import sys, time\n"
        "from nta_core.data.files import draft_of\n"
        "with draft_of(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); print('now', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, place], stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"now\n"
        writer.send_signal(signal.SIGKILL)
    assert place.read_text() == "precious"


def test_an_existing_file_can_be_protected_also_against_a_faster_writer(tmp_path):
    place = tmp_path / "kept"
    with pytest.raises(FileExistsError), draft_of(place, replace=False) as file:  # noqa: PT012
        file.write(b"slow")
        place.write_text("faster")
    with pytest.raises(FileExistsError, match="it is there"):
        write_atomically(place, "x", replace=False)
    assert place.read_text() == "faster"
    assert os.listdir(tmp_path) == ["kept"]
    write_atomically(tmp_path / "new", "x", replace=False)
    assert (tmp_path / "new").read_text() == "x"
    assert (tmp_path / "new").stat().st_nlink == 1


def test_a_link_stays_a_link_and_rights_stay_rights(tmp_path):
    (tmp_path / "folder").mkdir()
    place, link = tmp_path / "folder" / "kept", tmp_path / "link"
    place.write_text("old")
    place.chmod(0o640)
    link.symlink_to(place)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert place.read_text() == "new"
    assert place.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket"])  # devices are of the same kind
def test_only_a_regular_file_is_replaced(tmp_path, kind):
    place = tmp_path / kind
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        with contextlib.chdir(tmp_path), socket.socket(socket.AF_UNIX) as listener:
            listener.bind(kind)  # such names must be short
    before = os.stat(place).st_ino
    with pytest.raises(FileExistsError, match="it is no file"):
        write_atomically(place, "x")
    assert os.stat(place).st_ino == before
