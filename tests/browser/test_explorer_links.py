"""The state of an explorer in the address, and the dialog that passes it on, from a disk."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zxingcpp
from playwright.sync_api import Browser, Page

from nta_book.explore import Choice, Explorer, Slider, Switch
from nta_book.sphinx import outputs
from nta_book.sphinx.assets import copy_page
from nta_book.sphinx.explorers import anchor
from nta_book.viz import token

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Links</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="nta-book.css"><link rel="stylesheet" href="nta-explorer.css">
<script defer src="nta-book.js"></script><script defer src="nta-explorer.js"></script></head>
<body><main><h1>Links</h1><p><a href="#a-section">down</a></p><div style="height: 3000px"></div>
BODY<h2 id="a-section">A section</h2><div style="height: 3000px"></div></main></body></html>
"""


def explorer(question: str) -> Explorer:
    return Explorer(
        question,
        controls=[
            Slider("C", [-1, -0.5, 0, 2], default=0),
            Choice("data", {"Fig. 3": 0, "one & two": 1}),
            Switch("theory"),
        ],
        render=lambda s: token(f"{s.C} {s.data}{s.theory}"),
        words=lambda s: f"C is {s.C}, data {s.data}, {s.theory}.",
        alt="A token.",
    )


FIRST, SECOND = explorer("Where to?"), explorer("And where from?")
START = "C is 0, data 0, False."


def section(shown: Explorer) -> str:
    return f"{outputs.explorer(shown.payload)}<p>Some words.</p>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("links")
    copy_page(folder)
    body = section(FIRST) + '<div style="height: 3000px"></div>' + section(SECOND)
    (folder / "page.html").write_text(PAGE.replace("BODY", body), encoding="utf-8")
    gated = f'<div class="nta-predict-rest" hidden>{section(FIRST)}</div>'
    (folder / "gated.html").write_text(PAGE.replace("BODY", gated), encoding="utf-8")
    return folder


@pytest.fixture
def opened(browser: Browser, site: Path) -> Iterator[Callable[..., Page]]:
    contexts = []

    def open_page(hash_: str = "", name: str = "page.html", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 900, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("console", lambda m: page.troubles.append(m.text) if m.type == "error" else None)
        page.goto((site / name).as_uri() + hash_)
        return page

    yield open_page
    for context in contexts:
        assert not [trouble for page in context.pages for trouble in page.troubles]
        context.close()


def words(page: Page, shown: Explorer = FIRST) -> str:
    page.wait_for_selector(f"#{anchor(shown.question)}[data-state=drawn]")
    return page.inner_text(f"#{anchor(shown.question)} .nta-words")


def address(page: Page) -> str:
    page.wait_for_timeout(400)  # until the reader has come to rest
    return str(page.evaluate("location.hash"))


def top_of(page: Page, shown: Explorer) -> float:
    box = page.locator(f"#{anchor(shown.question)}").bounding_box()
    assert box is not None
    return box["y"]


def test_moving_a_control_writes_the_address_and_no_history(opened: Callable) -> None:
    page = opened()
    page.locator(f"#{anchor(FIRST.question)}").scroll_into_view_if_needed()
    assert words(page) == START
    assert address(page) == ""
    before = page.evaluate("history.length")
    page.get_by_role("slider").first.press("Home")
    assert address(page) == "#explorer-where-to?C=-1"
    page.get_by_role("radio", name="one & two").first.check(force=True)
    page.get_by_role("checkbox").first.check()
    assert address(page) == "#explorer-where-to?C=-1&data=one+%26+two&theory=on"
    page.get_by_role("button", name="reset").first.click()
    assert address(page) == "#explorer-where-to"
    assert page.evaluate("history.length") == before


def test_a_link_restores_the_state_and_scrolls_there(opened: Callable) -> None:
    page = opened("#explorer-and-where-from?C=-0.5&data=one+%26+two&theory=on")
    assert words(page, SECOND) == "C is -0.5, data 1, True."
    page.wait_for_function("scrollY > 3000")
    assert abs(top_of(page, SECOND)) < 100
    assert not page.locator(".nta-note:visible").count()
    slider = page.get_by_role("slider").last
    assert slider.get_attribute("aria-valuetext") == "−0.5"


def test_a_link_on_the_page_is_followed(opened: Callable) -> None:
    page = opened()
    page.evaluate("location.hash = '#explorer-where-to?C=2'")
    assert words(page) == "C is 2, data 0, False."
    page.evaluate("location.hash = '#explorer-where-to?theory=on'")
    page.wait_for_function("document.querySelector('.nta-words').textContent.includes('True')")
    assert words(page) == "C is 0, data 0, True."


def test_a_page_loaded_again_looks_as_it_did(opened: Callable) -> None:
    page = opened()
    for shown, key in ((FIRST, "Home"), (SECOND, "End")):
        page.locator(f"#{anchor(shown.question)}").scroll_into_view_if_needed()
        words(page, shown)
        page.locator(f"#{anchor(shown.question)} input[type=range]").press(key)
        address(page)
    assert address(page) == "#explorer-and-where-from?C=2"
    page.reload()
    page.evaluate("nta.drawAll()")
    assert words(page, FIRST).startswith("C is -1")
    assert words(page, SECOND).startswith("C is 2")


@pytest.mark.parametrize(
    ("hash_", "said"),
    [
        ("#explorer-where-to?C=77&nonsense&theory=on", "C=77, nonsense"),
        ("#explorer-where-to?%zz=%E0%A4&C=", "C"),
        ("#explorer-nobody-asked?C=2", "an explorer that this page does not have"),
    ],
)
def test_a_damaged_link_is_a_sentence(opened: Callable, hash_: str, said: str) -> None:
    page = opened(hash_)
    page.evaluate("nta.drawAll()")
    words(page)
    assert said in page.inner_text(".nta-note:visible")
    if "theory=on" in hash_:
        assert words(page) == "C is 0, data 0, True."  # what it does understand
        page.get_by_role("slider").first.press("End")
        assert not page.locator(".nta-note:visible").count()


def test_ordinary_anchors_work_as_ever(opened: Callable) -> None:
    page = opened()
    page.get_by_role("link", name="down").click()
    page.wait_for_function("scrollY > 5000")
    page = opened("#explorer-where-to")
    page.wait_for_function("scrollY > 2000")
    assert not page.locator(".nta-note:visible").count()
    page = opened("#%zz")
    assert page.evaluate("scrollY") == 0


def test_a_link_opens_what_hides_its_explorer(opened: Callable) -> None:
    page = opened("#explorer-where-to?C=2", "gated.html")
    assert words(page) == "C is 2, data 0, False."
    assert page.locator(f"#{anchor(FIRST.question)}").is_visible()


def read_code(page: Page) -> list[str]:
    """Read the QR code as a camera sees it, with a decoder that nobody here wrote."""
    shot = base64.b64encode(page.locator(".nta-share").screenshot()).decode()
    width, height, grey = page.evaluate(
        """async (shot) => {
            const image = new Image();
            image.src = `data:image/png;base64,${shot}`;
            await image.decode();
            const { width, height } = image;
            const context = new OffscreenCanvas(width, height).getContext("2d");
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(0, 0, width, height);
            return [width, height, [...data.filter((_, i) => i % 4 === 1)]];
        }""",
        shot,
    )
    picture = np.array(grey, dtype=np.uint8).reshape(height, width)
    return [code.text for code in zxingcpp.read_barcodes(picture)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_link_is_copied_and_drawn_as_a_code(opened: Callable, theme: str) -> None:
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    page.locator(f"#{anchor(FIRST.question)}").scroll_into_view_if_needed()
    words(page)
    page.get_by_role("slider").first.press("End")
    page.get_by_role("button", name="link").first.click()
    wanted = page.url.split("#")[0] + "#explorer-where-to?C=2"
    page.get_by_text("The link is copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == wanted
    assert page.get_by_label("The link", exact=True).input_value() == wanted
    assert read_code(page) == [wanted]
    assert "a file on this machine" in page.inner_text(".nta-share")
    page.keyboard.press("Escape")
    assert not page.locator(".nta-share").count()
    assert page.evaluate("document.activeElement.className") == "nta-link"


def test_without_a_clipboard_the_link_is_selected(opened: Callable) -> None:
    page = opened()
    page.evaluate("""() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        return nta.shareLink('https://example.org/x.html#lab=abc');
    }""")
    page.get_by_text("Press Ctrl+C to copy the link.").wait_for()
    assert page.evaluate("getSelection().toString()") == "https://example.org/x.html#lab=abc"
    assert read_code(page) == ["https://example.org/x.html#lab=abc"]
    assert "on this machine" not in page.inner_text(".nta-share")


def test_a_link_too_long_for_a_code_says_so(opened: Callable) -> None:
    page = opened()
    page.evaluate("nta.shareLink(`https://example.org/#lab=${'x'.repeat(5000)}`)")
    page.get_by_text("It is too long for a QR code.").wait_for()
    assert not page.locator(".nta-code").count()


def test_a_code_of_another_link_is_noticed(opened: Callable) -> None:
    """The decoder does read the picture: a changed picture is another link or none."""
    page = opened()
    page.evaluate("nta.shareLink('https://example.org/one')")
    page.locator(".nta-code path, .nta-code rect").first.wait_for()
    page.evaluate("document.querySelector('.nta-code svg').style.clipPath = 'inset(0 50% 0 0)'")
    assert read_code(page) != ["https://example.org/one"]
