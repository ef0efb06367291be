"""Formulas, set by MathJax when the book is built: a page has them at once, and without a script.

MathJax runs in Node (``nta_book/page/typeset.js``).  What it makes of a formula is the HTML that it
would make in a browser, with the formula as MathML for those who hear it; the sizes of its letters
are written down, so that nothing moves when its fonts arrive.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Sequence
from os.path import relpath
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math
from sphinx.util import logging

from nta_book.page.bundle import PACKAGES, BundleError, answer_of_node

#: The name of the renderer, for ``html_math_renderer`` in ``_config.yml``.
RENDERER = "typeset"
#: The folder of MathJax's letters among the static files of the book.
FOLDER = "mathjax"
# By itself maths follows the x-height of the letters around it, which a build cannot know.
_SCALE = 1.08
_OPTIONS = {"matchFontHeight": False, "scale": _SCALE}
_LETTERS = PACKAGES / "mathjax" / "es5" / "output" / "chtml" / "fonts" / "woff-v2"
_FORMULA = re.compile(
    r'(<(span|div) [^>]*class="(?:[^"]* )?math notranslate nohighlight"[^>]*>'
    r'(?:\s*<span class="eqno">.*?</span>)?)([^<]+)(</\2>)',
    re.DOTALL,
)
_DELIMITED = re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL)
# What all formulas would say alike, and what only MathJax itself would read.
_UNREAD = re.compile(
    rf' (?:style="font-size: {_SCALE:.0%}; position: relative;"|data-mjx-texclass="[^"]*"'
    r'|texclass="ORD"|display="inline"|unselectable="on"|xmlns="http://www.w3.org/1998/Math/MathML")'
)
_ERROR = re.compile(r'<mjx-merror data-mjx-error="([^"]*)"')
_LOGGER = logging.getLogger(__name__)


class Page(NamedTuple):
    """What MathJax makes of a page: its formulas, one by one, and their style sheet."""

    formulas: list[str]
    style: str


def register(app: Sphinx) -> None:
    """Connect to Sphinx: it writes formulas as TeX, and at the end all pages are set at once."""
    app.add_html_math_renderer(RENDERER, (html_visit_math, None), (html_visit_displaymath, None))
    app.connect("build-finished", typeset_pages)


def write(folder: Path) -> None:
    """Copy the letters of MathJax."""
    if not _LETTERS.is_dir():
        raise ExtensionError("MathJax not found: python -m nta_book.page.bundle")
    shutil.copytree(_LETTERS, folder / FOLDER)


def typeset_pages(app: Sphinx, exception: Exception | None) -> None:
    """Set the formulas of all pages; what MathJax refuses is a warning with its page."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    waiting = {}
    for path in sorted(out.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        found = [_read(match) for match in _FORMULA.finditer(text)]
        if found:
            waiting[path] = (text, found)
    if not waiting:
        return
    try:
        pages = typeset([found for _, found in waiting.values()])
    except BundleError as error:
        raise ExtensionError(str(error)) from error
    for (path, (text, found)), page in zip(waiting.items(), pages, strict=True):
        for (tex, _), formula in zip(found, page.formulas, strict=True):
            if wrong := _ERROR.search(formula):
                where = path.relative_to(out).with_suffix("").as_posix()
                _LOGGER.warning("%s: %s", html.unescape(wrong[1]), tex.strip(), location=where)
        letters = relpath(out / "_static" / FOLDER, path.parent)
        path.write_text(_with_formulas(text, page, letters), encoding="utf-8")


def typeset(pages: Sequence[Sequence[tuple[str, bool]]]) -> list[Page]:
    """Set pages of formulas: TeX, and whether it stands on a line of its own."""
    asked = {"options": {**_OPTIONS, "fontURL": FOLDER}, "pages": pages}
    answer: list[dict[str, Any]] = json.loads(answer_of_node("typeset.js", json.dumps(asked)))
    return [Page(**page) for page in answer]


def _read(match: re.Match[str]) -> tuple[str, bool]:
    """Return the TeX of a formula on a page, and whether it stands on a line of its own."""
    text = html.unescape(match[3].strip())
    delimited = _DELIMITED.fullmatch(text)
    return (delimited[1] if delimited else text), match[2] == "div"


def _with_formulas(text: str, page: Page, letters: str) -> str:
    formulas = iter(page.formulas)
    body = _FORMULA.sub(
        lambda match: f"{match[1]}{_UNREAD.sub('', next(formulas))}{match[4]}", text
    )
    style = f"{page.style}mjx-container{{font-size:{_SCALE:.0%};position:relative}}"
    style = re.sub(r"\n\s*", "", style).replace(f'url("{FOLDER}/', f'url("{letters}/')
    return body.replace("</head>", f"<style>{style}</style>\n</head>", 1)
