"""Links that nobody of good will sends, and storage that lies: the pages stay what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from nta_book.explore import Explorer, Slider
from nta_book.lab import ScanSnapLab, TokenLab
from nta_book.sphinx import outputs
from nta_book.sphinx.assets import copy_page
from nta_book.viz import token
from nta_core import FIG3
from tests.browser import checks
from tests.browser.lab_page import let_frames_pass, write_lab_page
from tests.built import PAGES

HOSTILE = {
    "script": "<script>window.evil=1</script>",
    "script of an address": "javascript:window.evil=1",
    "image": '"><img src=x onerror=window.evil=1>',
    "name of every object": "__proto__",
    "another": "constructor",
    "pollution": "__proto__[evil]=1&constructor.prototype.evil=1",
    "half a character": "%E0%A4%A",
    "zero byte": "%00",
    "selector": "a:not([b=",
    "lab": "lab=<script>window.evil=1</script>",
    "lab with such a name": "lab=__proto__",
    "megabyte": "x" * 1_000_000,
    "megabyte of a lab": "lab=" + "A" * 1_000_000,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Path], str]) -> dict[str, str]:
    """The address of a page with each of the things that are alive without a kernel."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, lab in (("token", TokenLab(FIG3)), ("scan", ScanSnapLab())):
        write_lab_page(folder / name, lab)
    (folder / "explorer").mkdir()
    copy_page(folder / "explorer")
    explorer = Explorer(
        "How many?",
        controls=[Slider("n", [1, 2, 3])],
        render=lambda s: token(str(s.n)),
        words=lambda s: f"{s.n} of them.",
        alt="A token.",
    )
    (folder / "explorer" / "lab.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>x</title>'
        '<link rel="icon" href="data:,"><script defer src="nta-book.js"></script>'
        '<script defer src="nta-explorer.js"></script></head><body>'
        f"{outputs.explorer(explorer.payload)}</body></html>",
        encoding="utf-8",
    )
    root = serve(folder)
    return {name: f"{root}{name}/" for name in ("token", "scan", "explorer")}


def harm(page: Page) -> list[str]:
    """What a hostile link has done to a page: run a script, bent all objects, left a mark."""
    return list(
        page.evaluate("""() => [
            ...(window.evil === undefined ? [] : ["its script ran"]),
            ...Object.keys(Object.prototype).map((name) => `every object has ${name}`),
            ...[...document.querySelectorAll("img[src=x]")].map(() => "its picture is there"),
        ]""")
    )


def lifeless(page: Page) -> list[str]:
    """What is not drawn."""
    alive = ".nta-widget, .nta-explorer"
    page.wait_for_function(
        f"[...document.querySelectorAll('{alive}')].every(e => e.dataset.state !== 'drawing')"
    )
    states = f"[...document.querySelectorAll('{alive}')].map(e => e.dataset.state)"
    return [state for state in page.evaluate(states) if state != "drawn"]


# All links for the lab that reads them, one of each kind for what does not.
FEW = ("script", "name of every object", "half a character", "megabyte of a lab")
OPENED = [("token", link) for link in HOSTILE]
OPENED += [(kind, link) for kind in ("scan", "explorer") for link in FEW]


@pytest.mark.parametrize(("kind", "link"), OPENED)
def test_a_hostile_link_opens_the_page_and_does_nothing(
    browser: Browser, pages: dict[str, str], kind: str, link: str
) -> None:
    with checks.opened(browser, pages[kind], f"lab.html#{HOSTILE[link]}") as (page, complaints):
        page.wait_for_selector("[data-state=drawn]")
        assert harm(page) + lifeless(page) + complaints == []
        if kind == "token":
            refused = page.inner_text(".nta-words").startswith("The link was not loaded")
            assert refused == link.startswith(("lab", "megabyte of"))


def test_hostile_links_that_follow_each_other_do_nothing(
    browser: Browser, pages: dict[str, str]
) -> None:
    for kind, root in pages.items():
        with checks.opened(browser, root, "lab.html") as (page, complaints):
            page.wait_for_selector("[data-state=drawn]")
            for link in HOSTILE.values():
                page.evaluate("link => { location.hash = link; }", link)
                let_frames_pass(page, 2)
                assert harm(page) + lifeless(page) + complaints == [], (kind, link[:60])


def test_harm_is_noticed(browser: Browser, pages: dict[str, str]) -> None:
    with checks.opened(browser, pages["scan"], "lab.html") as (page, _):
        page.wait_for_selector("[data-state=drawn]")
        assert harm(page) + lifeless(page) == []
        page.evaluate("window.evil = 1; Object.prototype.evil = 1;")
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x>')")
        page.evaluate("document.querySelector('.nta-widget').dataset.state = 'error'")
        found = harm(page) + lifeless(page)
    assert found == ["its script ran", "every object has evil", "its picture is there", "error"]


# ---- pages of the book, with the scripts of the theme ------------------------------------------


@pytest.mark.parametrize("link", FEW)
def test_a_hostile_link_to_a_chapter_does_nothing(browser: Browser, book: str, link: str) -> None:
    with checks.opened(browser, book, f"{PAGES[0]}#{HOSTILE[link]}") as (page, complaints):
        for other in HOSTILE.values():
            page.evaluate("link => { location.hash = link; }", other)
            let_frames_pass(page, 2)
        assert harm(page) + complaints == []


GARBAGE = """for (const storage of [localStorage, sessionStorage]) {
  for (const name of ["mode", "theme", "pst_banner_pref", "MathJax-Menu-Settings",
                      "sidebar-scroll-top", "sphinx_highlight_terms"]) {
    if (!(name in storage)) storage.setItem(name, VALUE);
  }
}"""
LIES = {
    "script": GARBAGE.replace("VALUE", "'<script>window.evil=1</script>'"),
    "name of every object": GARBAGE.replace("VALUE", "'__proto__'"),
    "half of a JSON": GARBAGE.replace("VALUE", "'{\"closed\": '"),
    "a megabyte": GARBAGE.replace("VALUE", "'x'.repeat(400000)"),
    "full": """Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError"); };""",
    "refused": """for (const kind of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, kind, { configurable: true, get() {
            throw new DOMException("refused", "SecurityError"); } }); }""",
}
# Where storage is refused, the theme's first script says so before any of ours can run.
EXPECTED = "refused"


@pytest.mark.parametrize("lie", LIES)
def test_storage_that_lies_leaves_a_page_that_works(browser: Browser, book: str, lie: str) -> None:
    options = {"first": LIES[lie], "color_scheme": "light"}
    with checks.opened(browser, book, PAGES[0], **options) as (page, complaints):
        problems = checks.undrawn(page) + harm(page)
        for theme in ("dark", "light"):
            checks.set_theme(page, theme)
        problems += [c for c in complaints if lie != "refused" or EXPECTED not in c]
    assert problems == []


def test_a_theme_button_that_storage_has_killed_is_noticed(browser: Browser, book: str) -> None:
    """What the page mends is needed: storage that cannot be replaced kills the theme's button."""
    unmendable = LIES["refused"].replace("configurable: true", "configurable: false")
    options = {"first": unmendable, "color_scheme": "light"}
    with checks.opened(browser, book, PAGES[0], **options) as (page, _):
        checks.undrawn(page)
        with pytest.raises(AssertionError, match="never reached dark"):
            checks.set_theme(page, "dark")
