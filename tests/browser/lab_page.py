"""A page that hosts the lab as the book does: the book's own runtime, style and script wrapper."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from nta_book.lab import BookWidget, TokenLab
from nta_book.page.bundle import build
from nta_book.sphinx.assets import copy_page
from nta_core.data import FIG3


def write_lab_page(folder: Path, *labs: BookWidget) -> Path:
    """Write ``lab.html`` with these labs (the full Token Lab on FIG3 if none is given)."""
    copy_page(folder)
    body = "".join(_widget(lab) for lab in labs or (TokenLab(FIG3),))
    (folder / "lab.html").write_text(_PAGE.replace("BODY", body), encoding="utf-8")
    return folder


def _widget(lab: BookWidget) -> str:
    state = json.dumps(lab.page_state()).replace("<", "\\u003c")
    return (
        f'<div class="nta-widget" role="group" data-module="{lab.module}"'
        f' aria-label="{html.escape(lab.label)}">'
        f'<script type="application/json">{state}</script></div>'
    )


@contextmanager
def opening(browser: Browser, folder: Path, drawn: str) -> Iterator[Callable[..., Page]]:
    """A function that opens ``lab.html`` of a folder and waits until `drawn`, a selector, is seen.

    Its arguments are those of a browser context; the page collects what goes wrong in `troubles`.
    """
    contexts = []

    def open_page(**options: Any) -> Page:
        size = {"viewport": {"width": 1100, "height": 800}}
        context = browser.new_context(**{**size, **options})
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.goto((folder / "lab.html").as_uri())
        page.wait_for_selector(drawn)
        return page

    yield open_page
    for context in contexts:
        context.close()


def import_lab(page: Page, name: str) -> None:
    """Put the bundled module of a lab on a page as ``window.M``."""
    page.evaluate(
        """async source => { window.M = await import(
            URL.createObjectURL(new Blob([source], { type: "text/javascript" }))) }""",
        (build() / "esm" / f"{name}.js").read_text(encoding="utf-8"),
    )


def let_frames_pass(page: Page, count: int = 8) -> None:
    """Wait for so many frames of the screen: training and playing advance once in each."""
    page.evaluate(
        """count => new Promise(done => {
            const next = () => count-- > 0 ? requestAnimationFrame(next) : done();
            next(); })""",
        count,
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The Token Lab</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="nta-book.css">
<style>html { background: var(--nta-paper); color: var(--nta-ink); }
 body { margin: 0; padding: 12px; } main { max-width: 52rem; margin: auto; }</style>
<script defer src="nta-book.js"></script></head>
<body><main><h1>The Token Lab</h1><h2 id="a-heading">A heading</h2>BODY</main></body></html>
"""
