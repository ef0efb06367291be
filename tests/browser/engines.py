"""Firefox and WebKit, each spoken to in the protocol it brings: no driver has to be downloaded.

Firefox answers WebDriver BiDi on a web socket, WebKitGTK's driver answers WebDriver over http.
Both are asked for one thing only, the value of a script in a page.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import pytest
from websocket import WebSocket, create_connection

from tools.install_browser import find_engine, say_missing

_PATIENCE = 60.0  # seconds for an engine to start on a busy machine
_SIZE = (1280, 900)


class Ask(Protocol):
    """Evaluate a script in the page at an address, or where one is already.

    With a width the page is opened in a window, or a frame, of so many pixels.
    """

    def __call__(self, address: str, script: str, *, width: int | None = None) -> Any: ...


@contextmanager
def in_firefox(folder: Path) -> Iterator[Ask]:
    """Start Firefox with a profile of its own in a folder."""
    found = find_engine("Firefox")
    assert found
    (program,) = found
    port = _free_port()
    command = [program, "--headless", "--no-remote", "--profile", str(folder)]
    command += [f"--remote-debugging-port={port}", "about:blank"]
    with _running(command, {"HOME": str(folder)}):
        socket_ = _patiently(lambda: _connect(f"ws://127.0.0.1:{port}/session"))
        numbers = count()

        def say(method: str, **parameters: object) -> Any:
            return _answer(socket_, next(numbers), method, parameters)

        say("session.new", capabilities={})
        context = say("browsingContext.getTree")["contexts"][0]["context"]

        def ask(address: str, script: str, *, width: int | None = None) -> Any:
            if address:
                size = {"width": width or _SIZE[0], "height": _SIZE[1]}
                say("browsingContext.setViewport", context=context, viewport=size)
                say("browsingContext.navigate", context=context, url=address, wait="complete")
            reply = say(
                "script.evaluate",
                expression=f"(async () => JSON.stringify(await ({script})()))()",
                target={"context": context},
                awaitPromise=True,
            )
            assert reply["type"] == "success", reply.get("exceptionDetails", {}).get("text")
            return json.loads(reply["result"]["value"])

        yield ask
        say("session.end")
        socket_.close()


@contextmanager
def in_webkit(folder: Path) -> Iterator[Ask]:
    """Start WebKitGTK's small browser on a screen of its own."""
    found = find_engine("WebKit")
    assert found
    driver, browser, screen = found
    display, port = f":{90 + os.getpid() % 900}", _free_port()
    quiet = {"HOME": str(folder), "DISPLAY": display, "NO_AT_BRIDGE": "1"}
    quiet |= {"XDG_RUNTIME_DIR": str(folder), "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
    quiet |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    size = f"{_SIZE[0]}x{_SIZE[1]}x24"
    with (
        _running([screen, display, "-screen", "0", size, "-nolisten", "tcp"], quiet),
        _running([driver, f"--port={port}"], quiet),
    ):
        root = f"http://127.0.0.1:{port}"
        options = {"binary": browser, "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        session = _patiently(lambda: _post(f"{root}/session", {"capabilities": wanted}))
        here = f"{root}/session/{session['sessionId']}"
        _post(f"{here}/timeouts", {"script": 180_000, "pageLoad": 60_000})

        def ask(address: str, script: str, *, width: int | None = None) -> Any:
            if address:
                _post(f"{here}/frame", {"id": None})  # out of the frame of the last page
                framed = _frame(folder, address, width) if width else address
                _post(f"{here}/url", {"url": framed})
            if address and width:
                _post(f"{here}/frame", {"id": 0})
            asked = f"""const done = arguments[0];
                ({script})().then(
                    answer => done(['ok', JSON.stringify(answer)]),
                    error => done(['no', String(error)]));"""
            kind, answer = _post(f"{here}/execute/async", {"script": asked, "args": []})
            assert kind == "ok", answer
            return json.loads(answer)

        yield ask
        request = urllib.request.Request(here, method="DELETE")
        urllib.request.urlopen(request, timeout=_PATIENCE).close()


#: The engines that are not Chromium, and how each is started in a folder of its own.
ENGINES: dict[str, Callable[[Path], AbstractContextManager[Ask]]] = {
    "Firefox": in_firefox,
    "WebKit": in_webkit,
}


def is_here(name: str, capfd: pytest.CaptureFixture[str]) -> bool:
    """Tell whether an engine can be started; say loudly when it cannot.

    ``NTA_ENGINES=all`` asks for every engine: a missing one is a failure.  Without it a machine
    that cannot have one still tests the rest, and ``tools.run_checks`` names the missing one below
    its summary.
    """
    if find_engine(name):
        return True
    with capfd.disabled():
        missing = say_missing([name])
    if os.environ.get("NTA_ENGINES") == "all":
        pytest.fail(missing)
    warnings.warn(missing, stacklevel=2)
    return False


def _frame(folder: Path, address: str, width: int) -> str:
    """Write a page that shows another in a frame: the window itself cannot be as narrow."""
    page = folder / "frame.html"
    size = f'width="{width}" height="{_SIZE[1] - 200}"'
    style = "<style>body { margin: 0 } iframe { border: 0 }</style>"
    page.write_text(f'<!doctype html>{style}<iframe {size} src="{address}"></iframe>')
    return page.as_uri()


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    """Run a program until the end of the block, however the block ends."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, env=os.environ | environment, stdout=quiet, stderr=quiet
    ) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _connect(address: str) -> WebSocket:
    return create_connection(address, timeout=4 * _PATIENCE, suppress_origin=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _patiently(attempt: Callable[[], Any]) -> Any:
    """The value of a function as soon as it has one: an engine takes a while to answer."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return attempt()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def _answer(connection: WebSocket, number: int, method: str, parameters: object) -> Any:
    """Send a command of BiDi; events that come in between are not ours."""
    connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
    while True:
        reply = json.loads(connection.recv())
        if reply.get("id") == number:
            assert reply["type"] == "success", reply
            return reply["result"]


def _post(address: str, body: object) -> Any:
    """A command of WebDriver; what it refuses is raised with its reason."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=4 * _PATIENCE) as reply:
            return json.load(reply)["value"]
    except urllib.error.HTTPError as refusal:
        raise AssertionError(refusal.read().decode()[:500]) from None
