"""A page with code that runs in it: the book's own scripts and styles, the real runtime, few cells.

The markup is what myst-nb and `nta_book.sphinx.runnable` make of a chapter.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from nta_book import runtime
from nta_book.sphinx.assets import copy_page, plotly_script

DOCNAME = "book/01_chapter"
SHEETS = ("nta-book.css", "nta-type.css", "nta-print.css", "nta-predict.css")


@dataclass(frozen=True)
class Cell:
    """A cell of the page: its name, its code, what it needs, and what was stored of it."""

    id: str
    code: str
    kind: str = "cell"
    needs: tuple[str, ...] = ()
    stored: str = ""
    setup: str | None = None
    gives: tuple[str, ...] = ()
    above: str = ""  # markup before the cell
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def markup(self) -> str:
        if self.kind == "hidden":
            return ""
        more = "".join(f' {name}="{html.escape(words)}"' for name, words in self.extra.items())
        code = highlight(self.code, PythonLexer(), HtmlFormatter(wrapcode=False))
        code = code.replace("<pre>", '<pre tabindex="0">')  # as the theme does with wide code
        output = f'<div class="cell_output docutils container">{self.stored}</div>'
        return (
            f'{self.above}<div class="cell docutils container" data-nta-cell="{self.id}"'
            f' data-nta-kind="{self.kind}"{more}><div class="cell_input docutils container">'
            f'<div class="highlight-ipython3 notranslate">{code}</div></div>'
            f"{output if self.stored else ''}</div>"
        )


def write_python_page(folder: Path, *cells: Cell, before: str = "") -> Path:
    """Write ``book/01_chapter.html`` with these cells, and what it loads, into a folder."""
    static = folder / "_static"
    copy_page(static)
    (static / "plotly.min.js").write_text(plotly_script(), encoding="utf-8")
    assert runtime.write(static) is not None, "no runtime: see the warning above"
    body = before + "".join(cell.markup for cell in cells)
    styles = "".join(f'<link rel="stylesheet" href="../_static/{sheet}">' for sheet in SHEETS)
    colours = HtmlFormatter(style="tango").get_style_defs(".highlight")
    page = _PAGE.replace("STYLES", f"{styles}<style>{colours}</style>").replace("BODY", body)
    (folder / "book").mkdir(exist_ok=True)
    (folder / "book" / "01_chapter.html").write_text(page, encoding="utf-8")
    known = {
        cell.id: {"code": cell.code, "needs": list(cell.needs), "gives": list(cell.gives)}
        | ({} if cell.setup is None else {"setup": cell.setup})
        for cell in cells
    }
    content = json.dumps({"version": "1", "cells": known})
    script = f'(window.ntaCells ||= {{}})["{DOCNAME}"] = {content};'
    (static / "python" / "cells").mkdir(exist_ok=True)
    (static / "python" / "cells" / "01_chapter.js").write_text(script, encoding="utf-8")
    return folder


_PAGE = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>A chapter</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">STYLES
<style>html { background: var(--nta-paper); color: var(--nta-ink);
  --pst-color-danger: #b3261e; --pst-color-success: #00604a; --pst-color-warning: #9a3f00;
  --pst-color-surface: var(--nta-wash); }
 body { margin: 0; padding: 12px; } main { max-width: 60rem; margin: auto; }
 .highlight pre { padding: 1rem; margin: 0; overflow: auto; }</style>
<script defer src="../_static/nta-book.js"></script>
<script defer src="../_static/nta-python.js" data-nta-docname="book/01_chapter"
 data-nta-cells="cells/01_chapter.js?v=1" data-nta-run="nta-python-run.js?v=1"></script></head>
<body><main><article class="bd-article"><section id="why"><h1>Why?</h1><p>Lead.</p>
BODY<p id="end">The end.</p></section></article></main></body></html>
"""
