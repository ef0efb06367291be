"""A hub and Colab: the first cell of a chapter brings what the chapter needs, for a mere reader.

The image holds what such places have: Jupyter's kernel and torch, and none of our packages; the
reader may not write into it.  On a hub the repository comes by nbgitpuller itself.  Colab opens the
notebook alone; its server is imitated as others use it: ``COLAB_JUPYTER_IP`` and
``KMP_TARGET_PORT`` in the environment, ``/api/sessions`` with the path ``fileId=`` and the quoted
address of the notebook on GitHub.  Git is told that this address lies here.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import quote

import nbformat
import pytest

from tests.binder.elsewhere import ROOT, Place, elsewhere
from tests.every_page import EVERY_PAGE
from tools import first_cell
from tools.other_versions import copy_checkout
from tools.refresh_constraints import pinned

ADDRESS = "https://github.com/someone/a-book"
BRANCH = "some/branch"
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
# One page that needs torch, one with text and processes; every one when asked for.
PAGES = ["15_the_open_lab", "16_does_real_text_have_leagues"]
if EVERY_PAGE:
    PAGES = [path.stem for path in NOTEBOOKS]
TORCH = pinned((ROOT / "constraints.txt").read_text())["torch"]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """The image, and a repository at an address."""
    with elsewhere() as made:
        image = made.folder / "image"
        image.mkdir()
        made.give(image)
        # Like a hub's Python, and unlike a plain environment, it looks at a reader's own packages.
        made.succeed([made.python("3.11"), "-m", "venv", "--system-site-packages", image])
        pip = [image / "bin" / "python", "-m", "pip", "install", "-q"]
        wanted = ["ipykernel", "nbclient", f"torch=={TORCH}", "nbgitpuller"]
        made.succeed([*pip, *wanted], PIP_COMPILE="1")  # readers cannot keep what they compile
        if os.geteuid() == 0:
            for path in (image, *image.rglob("*")):
                os.chown(path, 0, 0, follow_symlinks=False)
        origin = made.folder / "origin"
        origin.mkdir()
        copy_checkout(origin)
        made.give(origin)
        who = ["-c", "user.name=x", "-c", "user.email=x@x"]
        for words in (["init", "-q", "-b", BRANCH], ["add", "."], [*who, "commit", "-qm", "x"]):
            made.succeed(["git", *words], origin)
        here = f"url.file://{origin}.insteadOf"
        made.succeed(["git", "config", "--global", here, ADDRESS])
        made.succeed(["git", "config", "--global", "protocol.file.allow", "always"])
        made.variables["PATH"] = f"{image / 'bin'}:{os.environ['PATH']}"
        made.variables["PIP_CACHE_DIR"] = str(made.folder / "home" / "cache")
        yield made


@contextmanager
def server_of_colab(*paths: str) -> Iterator[dict[str, str]]:
    """The sessions as Colab's server lists them, and what its kernels are told of it."""

    class Sessions(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/api/sessions"
            self.send_response(200 if found else 404)
            self.end_headers()
            listed = [{"path": path, "name": "x.ipynb", "type": "notebook"} for path in paths]
            self.wfile.write(json.dumps(listed).encode() if found else b"")

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Sessions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {"COLAB_JUPYTER_IP": "127.0.0.1", "KMP_TARGET_PORT": str(server.server_port)}
    finally:
        server.shutdown()
        server.server_close()


def opened_from(address: str, branch: str, page: str) -> str:
    return "fileId=" + quote(f"{address}/blob/{branch}/book/{page}.ipynb", safe="")


def reader(place: Place, name: str) -> Place:
    """Another reader of the same image, with a home of their own."""
    other = object.__new__(Place)
    other.__dict__ |= place.__dict__ | {"home": place.folder / name}
    other.home.mkdir()
    shutil.copy(place.home / ".gitconfig", other.home)
    other.give(other.home)
    return other


@pytest.fixture(scope="module")
def hub(place: Place) -> Place:
    """A home into which nbgitpuller has brought the repository."""
    made = reader(place, "hub")
    made.succeed(["gitpuller", ADDRESS, BRANCH, "a-book"])
    return made


@pytest.fixture(scope="module")
def colab(place: Place) -> Place:
    made = reader(place, "colab")
    for page in PAGES:
        shutil.copy(ROOT / "book" / f"{page}.ipynb", made.home)
    made.give(made.home)
    return made


def execute(page: str) -> list[object]:
    return ["jupyter", "execute", "--timeout=900", f"{page}.ipynb"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_on_a_hub(hub: Place, page: str) -> None:
    hub.succeed(execute(page), hub.home / "a-book" / "book")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_in_colab(colab: Place, page: str) -> None:
    with server_of_colab(opened_from(ADDRESS, BRANCH, page)) as told:
        colab.succeed(execute(page), **told)


@pytest.mark.parametrize("where", ["hub", "colab"])
def test_all_that_any_page_imports_is_there(where: str, request: pytest.FixtureRequest) -> None:
    visited = request.getfixturevalue(where)
    lines = {
        ast.unparse(node)
        for path in NOTEBOOKS
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code" and cell.id != first_cell.NAME
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert len(lines) > 50
    visited.succeed(["python", "-c", "\n".join(sorted(lines))])


@pytest.mark.parametrize("where", ["hub", "colab"])
def test_the_image_keeps_its_torch_and_the_reader_wrote_only_at_home(
    where: str, request: pytest.FixtureRequest
) -> None:
    visited = request.getfixturevalue(where)
    code = "import nta_core, torch; print(nta_core.__file__, torch.__file__)"
    ours, torch = visited.succeed(["python", "-c", code]).split()
    assert Path(torch).is_relative_to(visited.folder / "image")
    if os.geteuid() == 0:
        assert Path(ours).is_relative_to(visited.home)


@pytest.mark.parametrize(
    "told", [None, "fileId=1AbCdEf", "fileId=https%3A%2F%2Fexample.org%2Fx.ipynb"]
)
def test_a_session_that_knows_no_address_says_what_to_do(place: Place, told: str | None) -> None:
    """A notebook alone in a folder; a copy in somebody's Drive; one from elsewhere."""
    cell = place.home / "cell.py"
    cell.write_text(first_cell.SOURCE)
    cell.chmod(0o644)
    if told is None:
        done = place.run(["python", cell])
    else:
        with server_of_colab(told) as variables:
            done = place.run(["python", cell], **variables)
    assert done.returncode != 0
    assert "does not know where the book comes from: pip install 'nta-core" in done.stderr


def test_without_its_first_cell_a_page_would_fail(place: Place) -> None:
    notebook = nbformat.read(ROOT / "book" / f"{PAGES[0]}.ipynb", as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.id != first_cell.NAME]
    nbformat.write(notebook, place.home / "bare.ipynb")
    (place.home / "bare.ipynb").chmod(0o644)
    done = place.run(execute("bare"))
    assert done.returncode != 0
    # The first import of the page: of our packages, or of what they would have brought.
    assert "No module named" in done.stderr + done.stdout
