"""The first cell of every notebook of the book, the same in all of them.

A hub and Colab open a chapter where our packages are not installed.  The cell then brings them:
from the folder above, if the whole repository was cloned (nbgitpuller), else from the address that
Colab's own server says the notebook was opened from.  No address is written down anywhere.  On the
page the cell is not shown; where the packages are installed it does nothing.

`tools.tidy_notebooks` puts it in its place and renews it.
"""

from __future__ import annotations

import nbformat

NAME = "bring-the-packages"
SOURCE = """\
# Brings the packages of this book where they are missing: on a hub, in Colab.  Elsewhere, nothing.
import importlib.metadata
import importlib.util

if importlib.util.find_spec("nta_book") is None:
    import json, os, re, site, subprocess, sys, urllib.parse, urllib.request  # noqa: E401

    address = f"file://{urllib.parse.quote(os.path.abspath('..'))}"
    if not os.path.exists("../pyproject.toml"):  # only the notebook was opened: Colab knows whence
        ip, port = os.environ.get("COLAB_JUPYTER_IP"), os.environ.get("KMP_TARGET_PORT")
        sessions = ip and urllib.request.urlopen(f"http://{ip}:{port}/api/sessions", timeout=30)
        opened = urllib.parse.unquote(json.load(sessions)[0]["path"] if sessions else "")
        found = re.search(r"(https://github\\.com/[^/]+/[^/]+)/blob/(.+)/book/", opened)
        if found is None:
            todo = "pip install 'nta-core[chapters,torch] @ git+ADDRESS OF ITS REPOSITORY'"
            raise RuntimeError(f"This session does not know where the book comes from: {todo}")
        address = f"git+{found[1]}@{found[2]}"
    extras = "chapters" if importlib.util.find_spec("torch") else "chapters,torch"
    wanted = f"nta-core[{extras}] @ {address}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", wanted], check=True)
    site.addsitedir(site.getusersitepackages())  # where pip puts what it may not put elsewhere
    importlib.invalidate_caches()
    numpy = sys.modules.get("numpy")
    if numpy and numpy.__version__ != importlib.metadata.version("numpy"):
        raise RuntimeError("A newer numpy came while one was in use: restart, run all again.")"""


def with_first_cell(cells: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Return the cells with the first one in its place: before any code that uses our packages.

    Notebooks that use none of them have none.
    """
    others = [cell for cell in cells if cell.get("id") != NAME]
    code = [k for k, cell in enumerate(others) if cell.cell_type == "code"]
    if not any("nta_" in others[k].source for k in code):
        return others
    cell = nbformat.v4.new_code_cell(SOURCE, id=NAME, metadata={"tags": ["remove-cell"]})
    return [*others[: code[0]], cell, *others[code[0] :]]
