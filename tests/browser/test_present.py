"""Pages as slides: by key, by hand, by link; nothing cut, nothing lost, everything still alive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from nta_book.explore import Explorer, Slider
from nta_book.sphinx import outputs
from nta_book.sphinx.assets import copy_page
from nta_book.viz import token
from tests.browser import checks
from tests.built import built_book

CHAPTERS = ["book/03_ties_and_leagues.html", "book/05_which_w.html"]
SCREENS = {"projector": (1280, 720), "large": (1920, 1080), "phone": (360, 740)}
TURN = Explorer(
    "How far?",
    controls=[Slider("n", [1, 2, 3, 4])],
    render=lambda s: token(str(s.n)),
    words=lambda s: f"It is {s.n}.",
    alt="A token.",
)
PAGE = f"""<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>A chapter</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="nta-book.css"><link rel="stylesheet" href="nta-explorer.css">
<link rel="stylesheet" href="nta-predict.css"><link rel="stylesheet" href="nta-print.css">
<script defer src="nta-book.js"></script><script defer src="nta-explorer.js"></script></head>
<body><nav id="aside">Elsewhere</nav><main><div class="article-header-buttons"></div>
<article class="bd-article"><section id="top"><h1>Which way?<a class="headerlink">#</a></h1>
<p>The lead.</p>
{outputs.explorer(TURN.payload)}
<p>More words, for reading. <input type="text" aria-label="name"></p>
<section id="one"><h2>A question</h2><p>Before it.</p>
<div class="nta-predict" id="predict-1" data-right="b" data-page="p" data-number="1">
<div class="predict admonition"><p class="admonition-title">Predict</p><p>Which one?</p>
<ul><li>(a) this</li><li>(b) that</li></ul></div>
<div class="answer admonition"><p class="admonition-title">Answer</p><p>Because it is.</p>
<div class="nta-predict-reason nta-a"><p>It tempts.</p></div></div></div>
<div class="nta-predict-rest"><p>After it.</p>
<figure id="fig"><div><figure class="nta-fig" data-state="drawn"><svg width="300" height="200">
<circle r="90" cx="150" cy="100"/></svg></figure></div><figcaption>A circle.</figcaption></figure>
<div class="say admonition"><p>Remember this.</p></div></div></section>
<section id="two"><h2>Only words</h2><p>First.</p><ul><li>Second.</li></ul></section>
<section id="exercises"><h2>Exercises</h2><div class="exercise admonition"><p>Do it.</p></div>
</section></section></article></main></body></html>"""
TITLES = ["Which way?"] * 2 + ["A question"] * 3 + ["Only words"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slides")
    copy_page(folder)
    return folder


@pytest.fixture
def opened(browser: Browser, site: Path) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page, ours or one of the book."""
    contexts = []

    def open_page(
        html: str | Path = PAGE, *, after: str = "", screen: str = "projector", **options: Any
    ) -> Page:
        if isinstance(html, str):
            (site / f"page{len(contexts)}.html").write_text(html, encoding="utf-8")
            html = site / f"page{len(contexts)}.html"
        width, height = SCREENS[screen]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.goto(html.as_uri() + after)
        return page

    yield open_page
    for context in contexts:
        assert not [trouble for page in context.pages for trouble in page.troubles]
        context.close()


def present(page: Page, first: int = 1) -> int:
    """Press the key, wait for a slide and return the number of slides."""
    page.keyboard.press("p")
    on_slide(page, first)
    return int(page.inner_text(".nta-present-bar span").split("/")[1])


def on_slide(page: Page, number: int) -> None:
    page.wait_for_selector(f'html[data-nta-slide="{number}"]')


def shown(page: Page) -> list[str]:
    return list(
        page.eval_on_selector_all("[data-nta-slide=on]", "all => all.map(e => e.innerText)")
    )


def faults_of_slide(page: Page) -> list[str]:
    """Nothing sticks out at the side, and on a projector nothing is cut at the foot."""
    faults = []
    wide = """() => [...document.querySelectorAll('[data-nta-slide=on]')]
        .flatMap((on) => [on, ...on.querySelectorAll('*')])
        .filter((e) => e.getClientRects().length && !e.closest('pre, mjx-container, .nta-plot *'))
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => `${e.tagName}.${e.className}`)"""
    faults += [f"sticks out: {what}" for what in page.evaluate(wide)[:1]]
    if not page.evaluate("probe_narrow()"):
        faults.append("the page scrolls sideways")
    cut = "ntaPresent.isCut(document.querySelector('article'))"
    if page.evaluate("innerWidth") > 700 and page.evaluate(cut):
        faults.append("the slide is cut")
    return faults


def watch(page: Page) -> None:
    """Put what is asked of a page on it; plots and formulas draw their insides anew at will."""
    page.evaluate(
        """() => {
            globalThis.probe_narrow = () =>
                document.documentElement.scrollWidth <= innerWidth + 1;
            globalThis.own = () => [...document.querySelectorAll(
                'article *:not(svg *, .nta-plot, .nta-plot *, mjx-container, mjx-container *)')];
        }"""
    )


# ---- two chapters of the book ----


@pytest.mark.parametrize("screen", ["projector", "phone"])
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_from_the_first_slide_to_the_last(
    opened: Callable, name: str, screen: str
) -> None:
    page = opened(built_book() / name, screen=screen)
    watch(page)
    page.evaluate("nta.drawAll()")
    checks._wait(page, "document.querySelectorAll('.nta-explorer:not([data-index])').length === 0"
                 " && document.querySelectorAll('.nta-fig:not([data-state])').length === 0",
                 seconds=30)  # fmt: skip
    page.evaluate("scrollTo(0, 0); window.before = own()")
    total = present(page)
    assert total >= 10
    faults, seen = [], set()
    for number in range(1, total + 1):
        on_slide(page, number)
        page.wait_for_timeout(200)  # plots follow
        faults += [f"slide {number}: {fault}" for fault in faults_of_slide(page)]
        seen.add(" ".join(shown(page)))
        page.keyboard.press("ArrowRight" if number % 2 else "PageDown")
    assert not faults
    assert len(seen) == total
    page.keyboard.press("Home")
    on_slide(page, 1)
    page.keyboard.press("Escape")
    page.locator(".nta-present-bar").wait_for(state="detached")
    assert page.evaluate(
        """() => { const after = own();
            const mine = (el) => window.before.includes(el);
            return window.before.filter((el) => el.isConnected).length === window.before.length
                && after.filter(mine).every((el, i) => el === window.before[i]); }"""
    )
    assert not page.locator("[data-nta-slide], .nta-present-bar").count()
    assert not page.get_attribute("article", "style")


def test_an_explorer_of_a_chapter_lives_on_its_slide(opened: Callable) -> None:
    page = opened(built_book() / CHAPTERS[1], after="?present=2")
    on_slide(page, 2)
    slider = page.locator("[data-nta-slide=on].nta-explorer input[type=range]").first
    before = page.inner_html("[data-nta-slide=on] .nta-picture")
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_function(
        "before => document.querySelector('[data-nta-slide=on] .nta-picture').innerHTML !== before",
        arg=before,
    )
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("html", "data-nta-slide") == "2"
    page.keyboard.press("PageDown")  # as remotes do
    on_slide(page, 3)


# ---- a page with one of everything ----


def test_what_becomes_a_slide(opened: Callable) -> None:
    page = opened()
    titles = "ntaPresent.slidesOf(document.querySelector('article')).map(s => s.title)"
    assert present(page) == len(TITLES)
    assert page.evaluate(titles) == TITLES
    texts = []
    for number in range(1, len(TITLES) + 1):
        on_slide(page, number)
        texts.append(" ".join(shown(page)))
        assert not page.get_by_text("Elsewhere").is_visible()
        said = f"Slide {number} of {len(TITLES)}: {TITLES[number - 1]}"
        assert page.inner_text(".nta-present-said") == said
        page.keyboard.press(" ")
    wanted = ["The lead.", "How far?", "Which one?", "A circle.", "Remember this.", "Second."]
    assert all(text in slide for text, slide in zip(wanted, texts, strict=True))
    assert "Do it." not in " ".join(texts)


def test_a_prediction_is_answered_on_its_slide(opened: Callable) -> None:
    page = opened(after="?present=3")
    on_slide(page, 3)
    assert not page.get_by_text("Because it is.").is_visible()
    page.get_by_text("(b) that").click()
    page.get_by_text("Because it is.").wait_for()
    page.keyboard.press("PageDown")
    on_slide(page, 4)


def test_what_follows_an_unanswered_prediction_can_be_shown_and_stays_hidden_on_the_page(
    opened: Callable,
) -> None:
    page = opened(after="?present=4")
    on_slide(page, 4)
    assert page.get_by_text("A circle.").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".nta-predict-rest").get_attribute("hidden") is not None


def test_by_hand(opened: Callable) -> None:
    page = opened(has_touch=True, screen="phone")
    page.get_by_role("button", name="Present this page").click()
    on_slide(page, 1)
    swipe = """([from, to]) => { const at = (x) => [new Touch({ identifier: 1,
            target: document.querySelector('h1'), clientX: x, clientY: 300 })];
        const h1 = document.querySelector('h1');
        h1.dispatchEvent(new TouchEvent('touchstart',
            { bubbles: true, touches: at(from), changedTouches: at(from) }));
        h1.dispatchEvent(new TouchEvent('touchend',
            { bubbles: true, changedTouches: at(to) })); }"""
    page.evaluate(swipe, [300, 60])
    on_slide(page, 2)
    page.evaluate(swipe, [60, 300])
    on_slide(page, 1)
    page.evaluate(swipe, [60, 70])  # a tap
    page.get_by_role("button", name="Next slide").click()
    on_slide(page, 2)
    page.get_by_role("button", name="All slides").click()
    page.get_by_role("button", name="Only words").click()
    on_slide(page, 6)
    assert page.get_by_role("button", name="Next slide").is_disabled()
    page.get_by_role("button", name="Leave the slides").click()
    assert not page.locator(".nta-present-bar").count()


def test_leaving_returns_to_the_place(opened: Callable) -> None:
    tall = PAGE.replace("<p>First.</p>", '<p>First.</p><div style="height:4000px"></div>')
    page = opened(tall)
    page.evaluate("scrollTo(0, 900)")
    page.wait_for_function("scrollY > 100")
    place = page.evaluate("scrollY")
    page.keyboard.press("p")
    page.wait_for_selector("html[data-nta-slide]")
    page.keyboard.press("Escape")
    assert page.evaluate("scrollY") == place
    page.keyboard.press("p")
    page.wait_for_selector("html[data-nta-slide]")
    page.keyboard.press("Home")
    on_slide(page, 1)
    page.keyboard.press("Escape")
    box = page.get_by_text("The lead.").bounding_box()
    assert 0 <= box["y"] < 720


def test_a_link_opens_a_slide_from_a_disk(opened: Callable) -> None:
    page = opened(after="?present=2#explorer-how-far?n=3")
    on_slide(page, 2)
    assert page.inner_text(".nta-words") == "It is 3."
    page.keyboard.press("ArrowRight")
    on_slide(page, 3)
    assert page.evaluate("location.search") == "?present=3"
    page.keyboard.press("Escape")
    assert page.evaluate("location.search") == ""
    for number in ("99", "nonsense", "-1"):
        page = opened(after=f"?present={number}")
        page.wait_for_selector("html[data-nta-slide]")


def test_keys_belong_to_fields_and_dialogs(opened: Callable) -> None:
    page = opened()
    page.get_by_label("name").press("p")
    assert page.get_by_label("name").input_value() == "p"
    assert not page.locator(".nta-present-bar").count()
    page.evaluate("document.activeElement.blur()")
    present(page)
    page.keyboard.press("ArrowRight")
    on_slide(page, 2)
    page.get_by_role("button", name="link").click()
    page.get_by_label("The link", exact=True).wait_for()
    page.keyboard.press("PageDown")
    page.keyboard.press("Escape")
    page.locator(".nta-share").wait_for(state="detached")
    assert page.get_attribute("html", "data-nta-slide") == "2"


def test_full_screen_where_it_is_allowed(opened: Callable) -> None:
    page = opened()
    present(page)
    assert page.evaluate("document.fullscreenElement === document.documentElement")
    page.evaluate("document.exitFullscreen()")  # as the browser does on Escape
    page.locator(".nta-present-bar").wait_for(state="detached")
    page.evaluate(
        "() => { Element.prototype.requestFullscreen = () => Promise.reject(new Error('no')); }"
    )
    present(page)
    assert page.inner_text(".nta-present-bar span").startswith("1 /")


def test_paper_knows_no_slides(opened: Callable) -> None:
    page = opened(after="?present=3")
    on_slide(page, 3)
    page.emulate_media(media="print")
    assert page.get_by_text("Elsewhere").is_visible()
    assert page.get_by_text("Remember this.").is_visible()
    assert not page.locator(".nta-present-bar").is_visible()


def test_slides_load_when_they_are_asked_for(opened: Callable) -> None:
    page = opened()
    assert not page.locator("script[src*=nta-present]").count()
    present(page)
    assert page.locator("script[src*=nta-present]").count() == 1


@pytest.mark.parametrize(
    ("fault", "plant"),
    [
        ("the slide is cut", ('height="200"', 'height="3000"')),
        (
            "sticks out",
            ("<p>First.</p>", '<p style="min-width: 9000px">First.</p>'),
        ),
    ],
)
def test_a_slide_that_does_not_fit_is_noticed(
    opened: Callable, fault: str, plant: tuple[str, str]
) -> None:
    for html, wanted in ((PAGE, False), (PAGE.replace(*plant), True)):
        page = opened(html)
        watch(page)
        total = present(page)
        found = []
        for number in range(1, total + 1):
            on_slide(page, number)
            found += faults_of_slide(page)
            page.keyboard.press("PageDown")
        assert any(fault in problem for problem in found) == wanted


def test_what_grows_on_a_slide_is_shown_smaller(opened: Callable) -> None:
    page = opened(after="?present=4")
    on_slide(page, 4)
    watch(page)
    large = page.evaluate("document.querySelector('article').style.transform")
    page.evaluate("document.querySelector('#fig svg').setAttribute('height', 650)")
    page.wait_for_function(
        "large => document.querySelector('article').style.transform !== large", arg=large
    )
    assert not faults_of_slide(page)
