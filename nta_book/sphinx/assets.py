"""Files every reader needs, taken from installed packages at build time: nothing is vendored."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

RUNTIME = Path(__file__).parents[1] / "page" / "runtime"
_FONTS = "output/chtml/fonts/woff-v2"


def write(app: Sphinx) -> None:
    """Prepare the static files of the book and hand them to Sphinx."""
    if app.builder.format != "html":
        return
    folder = Path(app.doctreedir) / "nta_static"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _copy_runtime(folder)
    _copy_plotly(folder)
    _copy_mathjax(folder / "mathjax")
    _write_modules(folder / "esm", _lab_modules())
    # The theme loads 1.45 MB of icons by script beside the web font that draws every one of them.
    (folder / "scripts").mkdir()
    (folder / "scripts" / "fontawesome.js").write_text("/* icons come from the web font */\n")
    app.config.html_static_path.append(str(folder))
    for style in sorted(RUNTIME.glob("*.css")):
        app.add_css_file(style.name)
    app.add_js_file("nta-book.js", loading_method="defer")


def _copy_runtime(folder: Path) -> None:
    for path in sorted(RUNTIME.iterdir()):
        if path.suffix in (".js", ".css"):
            shutil.copy(path, folder / path.name)


def _copy_plotly(folder: Path) -> None:
    """Write the plotly.js that the installed plotly carries, so that the two can never drift."""
    from plotly.offline import get_plotlyjs

    (folder / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")


def _copy_mathjax(folder: Path) -> None:
    """Copy the one MathJax script the book uses, its fonts and its optional TeX commands."""
    wanted = ("/tex-chtml.js", f"/{_FONTS}/", "/input/tex/extensions/")
    found = False
    for entry in files("sphinx-mathjax-offline") or []:
        name = entry.as_posix().partition("/static/mathjax")[2]
        if name.startswith(wanted) and "all-packages" not in name:
            target = folder / name.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(entry.locate()), target)
            found = True
    if not found:
        raise ExtensionError("MathJax not found: pip install -r requirements.txt")


def _lab_modules() -> Mapping[str, Path]:
    """Return the widget modules of the package: name -> path of its ES module."""
    if find_spec("nta_core") is None or find_spec("nta_book.lab") is None:
        return {}  # a book without widgets is still a book
    modules: Mapping[str, Path] = getattr(import_module("nta_book.lab"), "MODULES", {})
    return modules


def _write_modules(folder: Path, modules: Mapping[str, Path]) -> None:
    """Wrap ES modules as classic scripts: browsers refuse to import modules from file://."""
    folder.mkdir()
    for name, path in modules.items():
        source = json.dumps(Path(path).read_text(encoding="utf-8"))
        (folder / f"{name}.js").write_text(
            f"(window.ntaESM ||= {{}})[{json.dumps(name)}] = {source};\n", encoding="utf-8"
        )
