"""Build the book and serve it on this machine only.

python -m tools.serve_book --port 8000
"""

from __future__ import annotations

import argparse
import errno
import io
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

from nta_beyond.processes import end_with_make
from tools import build_book

HOST = "127.0.0.1"


class BookHandler(SimpleHTTPRequestHandler):
    """Files of the book: types that do not depend on the machine, and no stale copies."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".css": "text/css",
        ".svg": "image/svg+xml",
        ".woff": "font/woff",
        ".woff2": "font/woff2",
        ".ipynb": "application/x-ipynb+json",
    }

    timeout = 30  # seconds; half a request does not hold its thread for ever

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Answer an address that names no possible file like one that names none."""
        try:
            return super().send_head()
        except (ValueError, OSError):  # %00, half a character, a name longer than names are
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def end_headers(self) -> None:
        """Ask browsers to check for a newer page: the book may be rebuilt while it is read."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet: the address printed at the start should remain in sight."""


class BookServer(ThreadingHTTPServer):
    """A server that does not mind readers who leave before the end of a page."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Report what is wrong with the server, not with the line."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def open_server(html: Path, port: int) -> ThreadingHTTPServer:
    """Return a server bound to the port; the pages are read when they are asked for.

    Raises
    ------
    OSError
        The port is taken or not allowed.
    """
    return BookServer((HOST, port), partial(BookHandler, directory=str(html)))


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted; a taken port is noticed before the build, not after it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=_port, default=8000)
    port = parser.parse_args(arguments).port
    try:
        server = open_server(build_book.ROOT / "_build" / "html", port)
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error})"
        print(
            f"port {port} {why}: choose another, e.g. make serve PORT={port + 1}", file=sys.stderr
        )
        return 1
    with server:
        if failed := build_book.main([]):
            return failed
        print(
            f"\nThe book is at  http://{HOST}:{server.server_port}/  (Ctrl-C stops it)", flush=True
        )
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nstopped")
    return 0


def _port(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"PORT must be a number from 1 to 65535, not {text!r}")
    return int(text)


if __name__ == "__main__":
    end_with_make()
    sys.exit(main())
