"""The built book, which the crawl and the browsers look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.toc import toc_pages

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"
PAGES = [f"{name}.html" for name in toc_pages(ROOT)]


def built_book() -> Path:
    """Return the folder of the pages; a test that needs them fails without them."""
    if not (HTML / "index.html").exists():
        pytest.fail("there is no built book: run make book first")
    return HTML
