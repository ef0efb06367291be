"""Sheets of others lose what no page and no script speaks of, and nothing else."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.errors import ExtensionError

from nta_book.sphinx.trimming import trim

SHEET = (
    '.used{color:red}.shown-by-script{color:red}.nobody{color:red}html[data-theme="dark"] p{top:0}'
    '.fa-bars{--fa:"\\f0c9"}.fa-ghost{--fa:"\\f6e2"}'
)


@pytest.fixture
def book(tmp_path: Path) -> Any:
    static = tmp_path / "_static"
    icons = files("pydata_sphinx_theme") / (
        "theme/pydata_sphinx_theme/static/vendor/fontawesome/webfonts/fa-solid-900.woff2"
    )
    pages = {
        "book/one.html": '<html data-theme="dark"><p class="used"><i class="fa-bars"></i>',
        "_static/theme.js": "const shared  =  1; // a word\nel.classList.toggle('shown-by-script')",
        "_static/plotly.min.js": "nobody",
        "_static/styles/theme.css": SHEET,
        "_static/nta-book.css": SHEET,
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (static / "fa-solid-900.woff2").write_bytes(icons.read_bytes())
    return SimpleNamespace(outdir=str(tmp_path), builder=SimpleNamespace(format="html"))


def test_only_what_is_used_stays(book: Any) -> None:
    out = Path(book.outdir)
    before = (out / "_static/fa-solid-900.woff2").stat().st_size
    trim(book, None)
    sheet = (out / "_static/styles/theme.css").read_text(encoding="utf-8")
    for kept in (".used", ".shown-by-script", "html[data-theme=dark] p", ".fa-bars"):
        assert kept in sheet
    for gone in (".nobody", ".fa-ghost"):
        assert gone not in sheet
    assert (out / "_static/nta-book.css").read_text(encoding="utf-8") == SHEET
    script = (out / "_static/theme.js").read_text(encoding="utf-8")
    assert "const shared=1" in script, "another script may ask for it by this name"
    assert "a word" not in script
    assert (out / "_static/fa-solid-900.woff2").stat().st_size < before / 50


def test_a_failed_build_is_left_alone_and_a_broken_font_is_named(book: Any) -> None:
    out = Path(book.outdir)
    trim(book, RuntimeError("the build failed"))
    assert (out / "_static/styles/theme.css").read_text(encoding="utf-8") == SHEET
    (out / "_static/fa-solid-900.woff2").write_bytes(b"no font")
    with pytest.raises(ExtensionError, match=r"trim\.js failed in Node"):
        trim(book, None)
