"""Files every reader needs, taken from installed packages at build time: nothing is vendored."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from nta_book.page.bundle import PACKAGES, BundleError, build
from nta_book.sphinx import fonts, formulas, quick_start

_LOGGER = logging.getLogger(__name__)
_CHARTS = "plotly.js-cartesian-dist-min/plotly-cartesian.min.js"


def write(app: Sphinx) -> None:
    """Prepare the static files of the book and hand them to Sphinx."""
    if app.builder.format != "html":
        return
    folder = Path(app.doctreedir) / "nta_static"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    styles = [fonts.SHEET, *copy_page(folder)]
    if not fonts.write(folder):
        missing = ", ".join(fonts.missing())
        _LOGGER.info("fonts of the reader's machine: npm has not brought %s", missing)
    _copy_plotly(folder)
    formulas.write(folder)
    # The theme loads 1.45 MB of icons by script beside the web font that draws every one of them.
    (folder / "scripts").mkdir()
    (folder / "scripts" / "fontawesome.js").write_text("/* icons come from the web font */\n")
    app.config.html_static_path.append(str(folder))
    for style in styles:
        app.add_css_file(style)
    app.add_js_file("nta-book.js", loading_method="defer")


def copy_page(folder: Path) -> list[str]:
    """Write into a folder what `nta_book.page` bundles; return the names of its style sheets."""
    try:
        built = build()
    except BundleError as error:
        raise ExtensionError(str(error)) from error
    (folder / "esm").mkdir(parents=True)
    for path in [*built.glob("*.js"), *built.glob("*.css")]:
        shutil.copy(path, folder / path.name)
    for path in built.glob("esm/*.js"):
        (folder / "esm" / path.name).write_text(_wrapped(path), encoding="utf-8")
    return sorted(path.name for path in built.glob("*.css"))


def _copy_plotly(folder: Path) -> None:
    """Write plotly.js, without what no chart of the book uses: a third of the weight."""
    (folder / "plotly.min.js").write_text(quick_start.plotly(plotly_script()), encoding="utf-8")


def plotly_script(packages: Path = PACKAGES) -> str:
    """Return plotly.js in the version that the installed plotly speaks.

    The bundle of plain charts comes from npm; where it is missing or of another version, it is the
    whole plotly.js that the installed plotly carries.  So the two can never drift.
    """
    from plotly.offline import get_plotlyjs

    whole, light = str(get_plotlyjs()), packages / _CHARTS
    if light.is_file():
        script = light.read_text(encoding="utf-8")
        if _version(script) == _version(whole):
            return script
    _LOGGER.info("all of plotly.js: npm has not brought its version %s", _version(whole))
    return whole


def _version(script: str) -> str:
    """Return the version that a plotly.js names in its first comment."""
    found = re.search(r"plotly\.js (?:\([^)]*\) )?v([\d.]+)", script[:400])
    return found[1] if found else "unknown"


def _wrapped(module: Path) -> str:
    """Return an ES module as a classic script: browsers refuse to import modules from file://."""
    source = json.dumps(module.read_text(encoding="utf-8"))
    return f"(window.ntaESM ||= {{}})[{json.dumps(module.stem)}] = {source};\n"
