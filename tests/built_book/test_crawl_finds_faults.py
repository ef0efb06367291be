"""Each check of the crawl fails on a page with the fault it looks for, and not on a sound one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.built_book import crawl

SOUND = """<!doctype html><html><head><link rel="stylesheet" href="style.css"></head><body>
<h1 id="here">A page</h1><a href="#here">up</a> <a href="https://example.org/paper">a paper</a>
<a href="../_sources/book/one.ipynb">download</a>
<a href="https://hub.example/v2/gh/a/b/main?urlpath=lab/tree/book/one.ipynb">launch</a>
<img src="logo.svg" alt="Logo">
<figure class="nta-fig"><script type="application/json">
{"kind": "plotly", "alt": "A line.", "figure": {}}</script></figure>
<figure class="nta-fig"><div class="nta-drawing" aria-label="A disc."><svg></svg></div></figure>
<section class="nta-explorer" aria-label="Who wins?"></section>
</body></html>"""

Check = Callable[[Path], list[str]]


@pytest.fixture
def html(tmp_path: Path) -> Path:
    """A built book with one sound page."""
    folder = tmp_path / "html"
    (folder / "book").mkdir(parents=True)
    (folder / "_sources" / "book").mkdir(parents=True)
    for name in ("_sources/book/one.ipynb", "book/logo.svg"):
        (folder / name).write_text("{}")
    (folder / "book" / "style.css").write_text("p { background: url(logo.svg) }")
    (folder / "book" / "one.html").write_text(SOUND)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "one.ipynb").write_text("{}")
    return folder


def checks(html: Path) -> dict[str, Check]:
    return {
        "traceback": crawl.tracebacks,
        "outside": crawl.outside_addresses,
        "link": lambda page: crawl.broken_links(page, html),
        "launch": lambda page: crawl.dead_launch_paths(page, html.parent),
        "download": crawl.missing_download,
        "alt": crawl.undescribed_pictures,
        "weight": crawl.overweight,
    }


def test_sound_page_passes(html: Path) -> None:
    page = html / "book" / "one.html"
    found = {name: check(page) for name, check in checks(html).items()}
    assert not any(found.values()), found
    assert not crawl.pages_against_toc(html, ["book/one"])
    assert not crawl.outside_addresses_of_styles(html)


@pytest.mark.parametrize(
    ("check", "sound", "fault"),
    [
        ("traceback", "<h1", '<div class="output traceback">ValueError</div><h1'),
        (
            "traceback",
            "<h1",
            '<div class="cell_output"><pre>Traceback (most recent call last)</pre></div><h1',
        ),
        (
            "traceback",
            "<h1",
            '<script type="application/vnd.jupyter.widget-view+json"></script><h1',
        ),
        ("outside", "<h1", '<script src="https://cdn.example/x.js"></script><h1'),
        ("outside", "<h1", '<img src="//cdn.example/x.png" alt="x"><h1'),
        ("outside", "<h1", "<style>@import 'https://fonts.example/x.css';</style><h1"),
        ("outside", 'href="style.css"', 'href="https://cdn.example/style.css"'),
        ("link", 'href="#here"', 'href="#nowhere"'),
        ("link", 'href="#here"', 'href="two.html"'),
        ("link", 'src="logo.svg"', 'src="lost.svg"'),
        ("link", 'href="#here"', 'href="../../book/one.ipynb"'),
        ("launch", "lab/tree/book/one.ipynb", "lab/tree/book/two.ipynb"),
        ("download", "../_sources/book/one.ipynb", "one.html"),
        ("alt", 'alt="Logo"', ""),
        ("alt", '"alt": "A line."', '"alt": " "'),
        ("alt", 'aria-label="A disc."', ""),
        ("alt", 'aria-label="Who wins?"', ""),
        ("weight", "<h1", "x" * crawl.HTML_BUDGET + "<h1"),
    ],
)
def test_planted_fault_is_found(html: Path, check: str, sound: str, fault: str) -> None:
    page = html / "book" / "faulty.html"
    assert sound in SOUND
    page.write_text(SOUND.replace(sound, fault))
    assert checks(html)[check](page)


def test_missing_and_surplus_pages_are_found(html: Path) -> None:
    assert crawl.pages_against_toc(html, ["book/one", "book/two"]) == [
        "in the toc but not built: book/two"
    ]
    assert crawl.pages_against_toc(html, []) == ["built but not in the toc: book/one"]


def test_style_sheet_that_loads_from_outside_is_found(html: Path) -> None:
    (html / "book" / "style.css").write_text("p { background: url('https://cdn.example/x.png') }")
    assert crawl.outside_addresses_of_styles(html)
