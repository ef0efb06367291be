"""The server answers what nobody should ask with a status, and never with a traceback."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tools.serve_book import BookHandler, BookServer, open_server

SECRET = "not of the book"


class Served:
    """A book of two pages on a port, and what its server complained about."""

    def __init__(self, folder: Path) -> None:
        (folder / "html" / "book").mkdir(parents=True)
        (folder / "html" / "index.html").write_text("the front door")
        (folder / "html" / "book" / "one.html").write_text("page one" * 1_000_000)
        (folder / "secret.txt").write_text(SECRET)
        self.server = open_server(folder / "html", 0)
        self.complaints: list[BaseException | None] = []
        complain = self.server.handle_error

        def remember(request: object, address: object) -> None:
            error = sys.exception()
            complain(request, address)
            if not isinstance(error, ConnectionError):
                self.complaints.append(error)

        self.server.handle_error = remember  # type: ignore[method-assign]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def ask(self, request: bytes) -> bytes:
        """Send bytes, say that there are no more, and read the answer to its end."""
        with socket.create_connection(("127.0.0.1", self.server.server_port), 10) as line:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while piece := line.recv(1 << 16):
                    answer += piece
            except ConnectionResetError:  # refused before all was read
                pass
            return answer

    def status(self, target: bytes, method: bytes = b"GET") -> int:
        """The status of an ordinary request."""
        answer = self.ask(method + b" " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        assert SECRET.encode() not in answer
        return int(answer.split(None, 2)[1])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.server.shutdown()
    served.server.server_close()


@pytest.fixture(autouse=True)
def _no_complaint(served: Served, capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert served.complaints == []
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"/", 200),
        (b"/index.html?q=%00#x", 200),
        (b"/%00", 404),
        (b"/book/%00.html", 404),
        (b"/%", 404),
        (b"/%zz", 404),
        (b"/%ff%fe", 404),
        (b"/%ed%a0%80", 404),  # half of a pair of UTF-16
        (b"/%0d%0aX-Evil:%201", 404),
        (b"/" + b"a" * 5_000, 404),
        (b"/" + b"a/" * 20_000, 404),
        (b"/" + b"a" * 70_000, 414),
        (b"/../secret.txt", 404),
        (b"/%2e%2e/secret.txt", 404),
        (b"/..%2fsecret.txt", 404),
        (b"/book/../../secret.txt", 404),
        (b"/book/..\\..\\secret.txt", 404),
        (b"//secret.txt", 404),
        (b"http://127.0.0.1/../secret.txt", 404),
        (b"/etc/passwd", 404),
        (b"/book", 301),
        (b"/con", 404),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_address_gets_a_clean_status(served: Served, target: bytes, status: int) -> None:
    assert served.status(target) == status


def test_an_answer_has_no_line_that_the_reader_put_there(served: Served) -> None:
    for target in (b"/%0d%0aX-Evil:%201", b"/book?%0d%0aX-Evil:%201", b"//book%0d%0aX-Evil: 1"):
        assert b"\r\nX-Evil" not in served.ask(b"GET " + target + b" HTTP/1.0\r\n\r\n")


@pytest.mark.parametrize("method", [b"POST", b"PUT", b"DELETE", b"BREW", b"__init__", b"\xff"])
def test_an_unknown_method_is_refused(served: Served, method: bytes) -> None:
    assert served.status(b"/", method) == 501


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET",
        b"GET /",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHo",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500,
        b"GET / HTTP/1.1\r\nA: " + b"b" * 70_000,
        b"GET / HTTP/1.1\r\nIf-Modified-Since: yesterday\r\n\r\n",
        b"\r\n\r\n",
        b"\0" * 100,
    ],
    ids=lambda value: str(value)[:30],
)
def test_half_a_request_is_no_reason_to_complain(served: Served, half: bytes) -> None:
    served.ask(half)


def test_who_says_nothing_is_not_waited_for(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BookHandler.timeout  # a reader on a slow line has this long
    monkeypatch.setattr(BookHandler, "timeout", 0.2)
    with socket.create_connection(("127.0.0.1", served.server.server_port), 10) as line:
        line.sendall(b"GET / HT")
        assert line.recv(100) == b""  # closed by the server


def test_a_reader_who_leaves_early_is_no_fault_of_the_server(served: Served) -> None:
    for _ in range(3):
        line = socket.create_connection(("127.0.0.1", served.server.server_port), 10)
        line.sendall(b"GET /book/one.html HTTP/1.0\r\n\r\n")
        line.recv(10)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        line.close()  # with a reset
    assert served.status(b"/") == 200


def test_a_fault_of_the_server_is_reported(
    served: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(BookHandler, "do_GET", broken)
    served.ask(b"GET / HTTP/1.0\r\n\r\n")
    assert [str(error) for error in served.complaints] == ["a fault of ours"]
    served.complaints.clear()
    assert "a fault of ours" in capfd.readouterr().err
    assert isinstance(served.server, BookServer)


PIECES = st.sampled_from(
    [b"GET ", b"HEAD ", b"/", b"%00", b"..", b"%2e", b"%", b"//", b" HTTP/1.1", b"\r\n", b"\0"]
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PIECES | st.binary(max_size=6), max_size=12).map(b"".join))
@example(b"GET /%00 HTTP/1.1\r\n\r\n")
def test_any_bytes_get_an_answer_or_none(served: Served, request_: bytes) -> None:
    answer = served.ask(request_)
    assert SECRET.encode() not in answer
    assert served.complaints == []
