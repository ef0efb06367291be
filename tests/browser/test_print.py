"""Pages on paper, printed by Chromium: every picture drawn, everything open, light, few gaps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import Browser, Page
from plotly.offline import get_plotlyjs

from nta_book.sphinx.assets import copy_page
from tests.browser import checks
from tests.built import built_book

CHAPTERS = [
    "book/05_which_w.html",
    "book/10_change_the_loss.html",
    "book/13_scan_then_snap.html",
]
ABOVE = 110  # points above a caption in which its picture must be seen
LEAST_INK = 0.004  # share of these points that are not white
LEAST_FILLED = 0.3  # share of the height of a first page that something stands on

PLOT = {
    "kind": "plotly",
    "alt": "A line that rises.",
    "figure": {"data": [{"x": [1, 2], "y": [1, 3]}], "layout": {"height": 300}},
}
PAGE = f"""<!doctype html><html lang="en" data-theme="dark"><head><meta charset="utf-8">
<title>Paper</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="nta-book.css"><link rel="stylesheet" href="nta-explorer.css">
<link rel="stylesheet" href="nta-print.css"><script defer src="nta-book.js"></script>
<style>html {{ background: var(--nta-paper); color: var(--nta-ink) }}</style></head>
<body><main><article class="bd-article"><h1>Paper</h1><p>Words.</p>
<button class="nta-no-print">train</button>
<details><summary>Folded</summary><p>What was folded.</p></details>
<div style="height: 3000px"></div>
<figure><figure class="nta-fig" style="min-height: 300px"><script type="application/json">
{json.dumps(PLOT)}</script></figure><figcaption><span class="caption-number">Fig. 1.1 </span>
A line.</figcaption></figure></article></main></body></html>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    copy_page(folder)
    (folder / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")
    return folder


@pytest.fixture
def opened(browser: Browser, site: Path) -> Iterator[Callable[..., Page]]:
    contexts = []

    def open_page(html: str | Path, **options: object) -> Page:
        if isinstance(html, str):
            (site / "page.html").write_text(html, encoding="utf-8")
            html = site / "page.html"
        look = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"} | options
        context = browser.new_context(offline=True, **look)
        contexts.append(context)
        page = context.new_page()
        page.goto(html.as_uri(), wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()


def printed(page: Page) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(page.pdf(format="A4", prefer_css_page_size=True))


def ink(sheet: pypdfium2.PdfPage) -> np.ndarray:
    """Return which points of a page are not white, one value per point of paper."""
    return sheet.render(scale=1, grayscale=True).to_numpy().reshape(-1, _width(sheet)) < 235


def _width(sheet: pypdfium2.PdfPage) -> int:
    return sheet.render(scale=1, grayscale=True).width


def blank_figures(document: pypdfium2.PdfDocument, numbers: list[str]) -> list[str]:
    """Return the captions that have no picture above them, or that are not there."""
    blank = []
    for number in numbers:
        places = [
            (sheet, found)
            for sheet in document
            for found in [sheet.get_textpage().search(number + " ").get_next()]
            if found is not None
        ]
        # A figure is also mentioned in the text: one of its places must have a picture.
        if not any(_ink_above(sheet, *found) > LEAST_INK for sheet, found in places):
            blank.append(number)
    return blank


def _ink_above(sheet: pypdfium2.PdfPage, index: int, count: int) -> float:
    box = sheet.get_textpage().get_charbox(index)
    top = int(sheet.get_height() - box[3])
    marks = ink(sheet)[max(0, top - ABOVE) : max(0, top - 2)]
    return float(marks.mean()) if marks.size else 0.0


def text_of(document: pypdfium2.PdfDocument) -> str:
    return " ".join(sheet.get_textpage().get_text_range() for sheet in document)


def captions(page: Page) -> list[str]:
    return [
        text.strip()
        for text in page.locator("figure:has(.nta-fig) .caption-number").all_text_contents()
    ]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_on_paper(opened: Callable, name: str) -> None:
    page = opened(built_book() / name)
    page.wait_for_function("!document.querySelector('.nta-fig') || globalThis.Plotly || "
                           "!document.body.innerHTML.includes('\"plotly\"')")  # fmt: skip
    theme = page.get_attribute("html", "data-theme")
    numbers = captions(page)
    document = printed(page)
    assert not blank_figures(document, numbers)
    first = ink(document[0]).any(axis=1)
    assert first.nonzero()[0].max() / len(first) > LEAST_FILLED  # not a title alone
    assert (~ink(document[0])).mean() > 0.5  # dark on white, whatever the screen shows
    questions = page.locator(".nta-explorer .nta-question").all_inner_texts()
    words = " ".join(text_of(document).split())
    assert all(question.split("?")[0] in words for question in questions)
    assert page.get_attribute("html", "data-theme") == theme
    assert not page.locator("html.nta-paper").count()


def test_a_page_on_paper_is_open_light_and_drawn(opened: Callable) -> None:
    page = opened(PAGE)
    page.wait_for_function("globalThis.Plotly")  # which comes when the page has time
    assert page.locator(".js-plotly-plot").count() == 0  # nobody has scrolled there
    document = printed(page)
    assert not blank_figures(document, ["Fig. 1.1"])
    words = text_of(document)
    assert "What was folded." in words
    assert "train" not in words
    assert (~ink(document[0])).mean() > 0.9
    assert page.get_attribute("html", "data-theme") == "dark"
    assert page.get_attribute("details", "open") is None


LATE = "print it again"


def test_a_phone_prints_words_first_and_then_the_picture(opened: Callable) -> None:
    page = opened(PAGE, **checks.ON_A_PHONE)
    page.wait_for_timeout(1000)
    assert not page.evaluate("globalThis.Plotly")  # a phone loads no plots that nobody sees
    words = text_of(printed(page))
    assert LATE in words
    page.wait_for_selector(".nta-fig[data-state=drawn]", state="attached")
    assert page.locator(".nta-late").count() == 0
    document = printed(page)
    assert LATE not in text_of(document)
    assert not blank_figures(document, ["Fig. 1.1"])


def test_a_chapter_on_paper_from_a_phone(opened: Callable) -> None:
    page = opened(built_book() / CHAPTERS[1], **checks.ON_A_PHONE)
    numbers = captions(page)
    document = printed(page)
    assert not blank_figures(document, numbers)
    assert "squared rises from" in " ".join(text_of(document).split())  # what a figure shows
    parts = ".nta-fig, .nta-explorer, .nta-widget"
    page.wait_for_function(
        f"[...document.querySelectorAll('{parts}')].every((e) => e.dataset.state === 'drawn')"
    )
    document = printed(page)
    assert LATE not in text_of(document)
    assert not blank_figures(document, numbers)


def test_printing_by_key_waits_for_the_pictures(opened: Callable) -> None:
    page = opened(PAGE.replace("<head>", "<head><script>window.print = () => { window.printed = "
        "document.querySelector('.nta-fig').dataset.state ?? 'blank'; };</script>"))  # fmt: skip
    page.keyboard.press("Control+p")
    page.wait_for_function("window.printed")
    assert page.evaluate("window.printed") == "drawn"


CHOOSING = PAGE.replace(
    "</article>",
    """<div class="cell"><div class="cell_input"><pre>seen = 1</pre></div></div>
<div class="cell"><details class="hide"><summary>Show the code</summary>
<div class="cell_input"><pre>folded = 2</pre></div></details></div>
<div class="admonition solution"><p>Thus it is solved.</p></div></article>""",
).replace("<head>", "<head><script>window.print = () => { window.printed = true; };</script>")


@pytest.mark.parametrize(
    ("choices", "there", "gone"),
    [
        ([], ["seen = 1", "Thus it is"], ["folded = 2"]),
        (["without them"], ["seen = 1"], ["folded = 2", "Thus it is"]),
        (["all, folded code as well"], ["seen = 1", "folded = 2", "Thus it is"], []),
        (["none", "without them"], ["Words."], ["seen = 1", "folded = 2", "Thus it is"]),
    ],
)
def test_what_goes_on_paper_is_chosen(
    opened: Callable, choices: list[str], there: list[str], gone: list[str]
) -> None:
    page = opened(CHOOSING)
    page.keyboard.press("Control+p")
    for words in choices:
        page.get_by_label(words).check()
    page.get_by_role("button", name="Print").click()
    page.wait_for_function("window.printed")
    words = text_of(printed(page))
    assert all(part in words for part in there)
    assert not any(part in words for part in gone)


def test_turning_back_prints_nothing_and_keeps_the_focus(opened: Callable) -> None:
    page = opened(CHOOSING)
    page.locator("button").first.focus()
    page.keyboard.press("Control+p")
    page.wait_for_selector("dialog.nta-print[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.nta-print", state="detached")
    assert page.evaluate("document.activeElement.textContent") == "train"
    page.wait_for_timeout(200)
    assert not page.evaluate("window.printed")


def test_a_plot_is_as_wide_as_the_paper(opened: Callable) -> None:
    page = opened(PAGE)
    page.wait_for_function("globalThis.Plotly")
    page.evaluate("""() => addEventListener('beforeprint', () => setTimeout(() => {}, 0))""")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("document.querySelector('.js-plotly-plot .main-svg')")
    width = "Number(document.querySelector('.js-plotly-plot .main-svg').getAttribute('width'))"
    page.wait_for_function(f"{width} <= 680")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"{width} > 680")


@pytest.mark.parametrize(
    "plant",
    [
        ('class="nta-fig" style="', 'class="nta-fig" style="visibility: hidden; '),
        ("defer src", "data-src"),
        ("Fig. 1.1", "Fig. 9.9"),
    ],
)
def test_a_blank_picture_is_noticed(opened: Callable, plant: tuple[str, str]) -> None:
    page = opened(PAGE.replace(*plant))
    page.wait_for_timeout(1000)
    assert blank_figures(printed(page), ["Fig. 1.1"]) == ["Fig. 1.1"]
