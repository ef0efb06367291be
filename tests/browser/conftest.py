"""One browser and one server for all pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.built import built_book
from tools.install_browser import find_browser
from tools.serve_book import open_server


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with _launched(playwright, find_browser()) as launched:
        yield launched


@pytest.fixture(scope="session")
def touched(playwright: Playwright) -> Iterator[Browser]:
    """A whole Chromium: the one without windows does not turn a tap into a click."""
    with _launched(playwright, find_browser(whole=True)) as launched:
        yield launched


@contextmanager
def _launched(playwright: Playwright, path: str | None) -> Iterator[Browser]:
    if path is None:
        pytest.fail("no Chromium: python -m tools.install_browser")
    launched = playwright.chromium.launch(
        executable_path=path,
        args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    )
    yield launched
    launched.close()


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    with open_server(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """Return a function that serves a folder and gives its address."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(_serving(folder))


@pytest.fixture(scope="session")
def book(serve: Callable[[Path], str]) -> str:
    """Address of the built book."""
    return serve(built_book())
