"""The Scan and Snap explorer as a reader uses it: in Chromium, without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

from nta_book.lab import ScanSnapLab, TokenLab
from nta_book.lab.scan_snap_lab import PRESETS

from .checks import AXE, PHONE, opened
from .lab_page import import_lab, let_frames_pass, write_lab_page

WORDS = ".nta-scan .nta-words"
VIEWS = ("Attention", "Logits", "Speed", "Growth χ", "Decoder")
SLIDERS = (
    "Decoder rate ηY",
    "Attention rate ηZ",
    "Classes K",
    "Common tokens",
    "Distinct tokens per class",
    "Queries",
    "Weight of a common token",
    "Lowest weight of a distinct token",
    "Highest weight of a distinct token",
    "Unused outputs",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lab_page(tmp_path_factory.mktemp("scan") / "page", ScanSnapLab())


@pytest.fixture(scope="module")
def root(folder: Path, serve: Callable[[Path], str]) -> str:
    return serve(folder)


@pytest.fixture
def page(browser: Browser, root: str) -> Iterator[Page]:
    """The explorer at its default; the test fails if the page complains about anything."""
    with opened(browser, root, "lab.html") as (page, complaints):
        ready(page)
        yield page
        assert complaints == []


def ready(page: Page) -> None:
    page.wait_for_selector('.nta-widget[data-state="drawn"] svg[aria-label]')
    page.wait_for_function(  # the first layout tells the picture its width
        """() => { const stage = document.querySelector('.ns-stage');
            const room = Math.max(260, Math.min(900, Math.floor(stage.clientWidth)));
            return stage.firstElementChild.getAttribute('width') == room; }"""
    )


def lab(page: Page, expression: str) -> Any:
    state = "const { lab } = document.querySelector('.nta-scan').ntaLab"
    return page.evaluate(f"(() => {{ {state}; return {expression}; }})()")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name, exact=True)


def drawn(page: Page) -> str:
    return str(page.locator(".ns-stage").inner_html())


def more(page: Page) -> None:
    page.locator(".nta-scan summary").click()


def healthy(page: Page, case: str = "") -> None:
    """No picture and no sentence holds something that is not a number."""
    pictures = page.evaluate(
        """views => { const root = document.querySelector(".nta-scan"), found = {};
            for (const view of views) {
              [...root.querySelectorAll("button")].find(b => b.textContent === view).click();
              found[view] = [root.querySelector(".ns-stage").innerHTML, root.innerText,
                             root.querySelector(".ns-stage svg").getAttribute("aria-label")];
            }
            return found }""",
        VIEWS,
    )
    for view, (picture, text, label) in pictures.items():
        words = ("NaN", "Infinity", "undefined", "null")
        assert not [bad for bad in words if bad in picture + text], (case, view)
        assert len(label) > 20


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_it_trains_from_a_server_and_from_a_file(
    browser: Browser, root: str, folder: Path, scheme: str
) -> None:
    address = root if scheme == "http" else folder.as_uri() + "/"
    with opened(browser, address, "lab.html") as (page, complaints):
        ready(page)
        assert page.locator(".ns-bar").count() == 20
        assert page.locator(".ns-bar.ns-common").count() == 10
        said = page.inner_text(WORDS)
        assert "a10 leads the distinct tokens of this class with 16% of attention" in said
        assert "Common tokens fell from 65% to 40%." in said
        assert "Entropy on the distinct tokens: 2.15 → 1.98." in said
        assert "fastest at step 8 and is below a tenth of that speed from step 33 on" in said
        assert complaints == []


def test_bars_and_ticks_show_the_numbers(page: Page) -> None:
    def heights() -> list[float]:
        return page.locator(".ns-bar").evaluate_all(
            "all => all.map(b => +b.getAttribute('height'))"
        )

    shares = lab(page, "[...lab.attention.at(-1)[0]].filter(c => c > 0)")
    scale = heights()[0] / shares[0]
    assert heights() == pytest.approx([scale * share for share in shares], abs=0.11)
    ticks = page.locator(".ns-start").evaluate_all("all => all.map(t => +t.getAttribute('y1'))")
    slider(page, "Time").press("Home")
    assert lab(page, "lab.time") == 0
    tops = page.locator(".ns-bar").evaluate_all("all => all.map(b => +b.getAttribute('y'))")
    assert tops == pytest.approx(ticks, abs=0.06)  # at the start every bar reaches its tick
    assert "Before training attention follows the frequencies" in page.inner_text(WORDS)


def test_every_picture_is_another_one_and_follows_time(page: Page) -> None:
    seen = set()
    for view in VIEWS:
        button(page, view).click()
        assert button(page, view).get_attribute("aria-pressed") == "true"
        slider(page, "Time").press("End")
        end = drawn(page)
        label = page.locator(".ns-stage svg").get_attribute("aria-label")
        slider(page, "Time").press("ArrowLeft")
        assert drawn(page) != end, view
        seen.add(label)
    assert len(seen) == len(VIEWS)
    assert "The decoder gives the right answer" in page.inner_text(WORDS)


def test_every_slider_trains_anew_and_moves_the_picture(page: Page) -> None:
    more(page)
    for name in SLIDERS:
        button(page, "Reset").click()
        control, before, picture = slider(page, name), lab(page, "lab.settings"), drawn(page)
        facts = page.inner_text(".nta-scan")
        control.press("ArrowLeft")
        if lab(page, "lab.settings") == before:  # it stood at its lower end
            control.press("ArrowRight")
        assert lab(page, "lab.settings") != before, name
        assert drawn(page) != picture, name
        assert page.inner_text(".nta-scan") != facts, name
        assert control.evaluate("e => e === document.activeElement")  # keys go on working


def test_both_ends_of_every_slider_can_be_drawn(page: Page) -> None:
    more(page)
    for name in SLIDERS:
        for end in ("Home", "End"):
            slider(page, name).press(end)
            healthy(page, f"{name}, {end}")
        button(page, "Reset").click()


def test_the_worst_of_all_rates_is_still_numbers(page: Page) -> None:
    for name in ("Decoder rate ηY", "Attention rate ηZ", "Classes K"):
        slider(page, name).press("End")
    for optimizer in ("Adam", "plain descent", "momentum 0.9"):
        page.get_by_label("Optimizer", exact=True).select_option(optimizer)
        healthy(page)


@pytest.mark.parametrize(
    ("label", "option", "setting", "value"),
    [
        ("Optimizer", "plain descent", "optimizer", "plain"),
        ("Train for", "300 steps", "steps", 300),
    ],
)
def test_choices_train_anew(
    page: Page, label: str, option: str, setting: str, value: object
) -> None:
    more(page)
    picture = drawn(page)
    page.get_by_label(label, exact=True).select_option(option)
    assert lab(page, f"lab.settings.{setting}") == value
    assert drawn(page) != picture


def test_the_other_class_has_its_own_tokens(page: Page) -> None:
    slider(page, "Classes K").press("End")
    page.get_by_label("Class", exact=True).select_option("8")
    assert "i10 leads" in page.inner_text(WORDS)
    slider(page, "Classes K").press("Home")
    assert page.get_by_label("Class", exact=True).input_value() == "2"
    assert "b10 leads" in page.inner_text(WORDS)


def test_queries_never_outnumber_the_classes(page: Page) -> None:
    more(page)
    slider(page, "Classes K").press("End")
    slider(page, "Queries").press("End")
    assert lab(page, "lab.settings.queries") == 8
    slider(page, "Classes K").press("Home")
    assert lab(page, "lab.settings.queries") == 2
    slider(page, "Queries").press("End")
    assert lab(page, "lab.settings.queries") == 2


def test_a_shared_token_rises_or_sinks_with_its_weight(page: Page) -> None:
    more(page)
    weight = slider(page, "Weight r of the shared token")
    assert weight.is_disabled()
    page.get_by_label("One shared token, weights 1 and r").check()
    assert lab(page, "lab.settings.shared") == 0.3
    assert page.locator(".ns-bar.ns-shared").count() == 1
    weight.press("Home")
    weight.press("ArrowRight")
    assert "it rises like a distinct token" in page.inner_text(WORDS)
    weight.press("End")
    assert "it sinks like a common token" in page.inner_text(WORDS)
    healthy(page)
    page.get_by_label("One shared token, weights 1 and r").uncheck()
    assert lab(page, "lab.settings.shared") is None


def test_without_a_shared_token_nothing_moves_and_it_says_so(page: Page) -> None:
    slider(page, "Common tokens").press("Home")
    assert "nothing pushes attention" in page.inner_text(WORDS)
    button(page, "Speed").click()
    assert "Nothing moves" in page.locator(".ns-stage").inner_text()


@pytest.mark.parametrize("name", PRESETS)
def test_every_example_is_the_preset_of_python(page: Page, name: str) -> None:
    said, settings = PRESETS[name]
    button(page, said).click()
    assert lab(page, "lab.settings") == settings
    assert page.locator('[aria-label="Examples"] [aria-pressed=true]').inner_text() == said
    tags = page.locator(".ns-tags").inner_text()
    expected = {
        "syn-small": "✗ Assumption 2 fails: |λ₁(E)| = 0.72 ≥ 1/K = 0.5",
        "syn-small-10": "✓ Fast decoder: ηZ/ηY = 0.1 ≤ 0.1",
        "one-common": "✓ Assumption 2 holds",
        "adam": "✗ Adam: theory has plain descent",
        "shared": "✗ Slow decoder: ηZ/ηY = 0.5 > 0.1",
    }
    assert expected[name] in tags
    if name == "one-common":
        assert "✗" not in tags
    if name == "adam":
        assert "The most frequent one, a10, has" in page.inner_text(WORDS)
    if name == "shared":
        assert "it stands at its flip" in page.inner_text(WORDS)
    healthy(page)


def test_reset_goes_back_to_what_the_page_began_with(page: Page) -> None:
    before = drawn(page)
    slider(page, "Decoder rate ηY").press("End")
    assert page.locator('[aria-label="Examples"] [aria-pressed=true]').count() == 1  # ratio 10
    slider(page, "Classes K").press("ArrowRight")
    assert page.locator('[aria-label="Examples"] [aria-pressed=true]').count() == 0
    slider(page, "Time").press("Home")
    button(page, "Reset").click()
    assert lab(page, "lab.settings") == PRESETS["syn-small"][1]
    assert drawn(page) == before


def test_the_time_axis_is_linear_or_logarithmic_for_each_picture(page: Page) -> None:
    log = button(page, "Log time")
    button(page, "Logits").click()
    assert log.get_attribute("aria-pressed") == "false"
    linear = drawn(page)
    log.click()
    assert drawn(page) != linear
    assert "log scale" in page.locator(".ns-stage").inner_text()
    button(page, "Speed").click()
    assert log.get_attribute("aria-pressed") == "true"
    log.click()
    assert "log scale" not in page.locator(".ns-stage").inner_text()
    button(page, "Logits").click()
    assert log.get_attribute("aria-pressed") == "true"  # each picture keeps its own
    slider(page, "Time").press("Home")
    slider(page, "Time").press("ArrowRight")
    assert lab(page, "lab.time") == 1
    assert lab(page, "lab.frames.length") < 60


def test_play_walks_from_the_start_to_the_end(page: Page) -> None:
    button(page, "▶ Play").click()
    page.wait_for_function("document.querySelector('.nta-scan').ntaLab.lab.frame > 3")
    assert lab(page, "lab.time") < 100
    button(page, "❚❚ Pause").click()
    frame = lab(page, "lab.frame")
    let_frames_pass(page)
    assert lab(page, "lab.frame") == frame
    assert page.inner_text(WORDS).startswith(f"Step {lab(page, 'lab.time')} of 100.")
    button(page, "▶ Play").click()  # goes on from there
    page.wait_for_function(f"document.querySelector('.nta-scan').ntaLab.lab.frame > {frame}")
    slider(page, "Time").press("End")  # a hand on the slider stops it
    let_frames_pass(page)
    assert lab(page, "lab.frame") == 100
    assert button(page, "▶ Play").count() == 1


def test_play_stops_at_the_end_and_with_reduced_motion_it_takes_few_steps(
    browser: Browser, root: str
) -> None:
    with opened(browser, root, "lab.html", reduced_motion="reduce") as (page, complaints):
        ready(page)
        lab(page, "lab.frame = 85")
        button(page, "▶ Play").click()
        page.wait_for_function("document.querySelector('.nta-scan').ntaLab.lab.frame === 100")
        page.wait_for_selector("text=▶ Play")
        assert "Step 100 of 100." in page.inner_text(WORDS)
        assert complaints == []


def test_python_and_the_reader_hear_each_other(browser: Browser) -> None:
    page = browser.new_page()
    import_lab(page, "scan_snap_lab")
    state = ScanSnapLab().page_state()
    page.evaluate(
        """state => {
          const heard = {}, model = { saved: 0, get: k => state[k], set: (k, v) => { state[k] = v },
            save_changes: () => { model.saved++ }, off: () => { model.gone = true },
            on: (names, act) => { for (const name of names.split(" ")) heard[name] = act } };
          const el = document.body.appendChild(document.createElement("div"));
          Object.assign(window, { model, heard, state, el });
          window.leave = M.default.render({ model, el });
        }""",
        state,
    )
    slider(page, "Classes K").press("ArrowRight")
    assert page.evaluate("state.settings.K") == 3
    button(page, "Logits").click()
    assert page.evaluate("[state.view, model.saved]") == ["logits", 2]
    page.evaluate(
        """() => { state.settings = { ...state.settings, eta_y: 0.8, K: 5 }; state.view = "speed";
                   heard["change:settings"]() }"""
    )
    assert lab(page, "[lab.settings.eta_y, lab.classes.K, lab.view]") == [0.8, 5, "speed"]
    assert slider(page, "Decoder rate ηY").get_attribute("aria-valuetext") == "0.8"
    assert page.evaluate("model.saved") == 2  # what Python said is not said back
    page.evaluate("leave()")
    assert page.evaluate("[model.gone, el.childElementCount]") == [True, 0]
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, root: str, theme: str) -> None:
    with opened(browser, root, "lab.html") as (page, complaints):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        ready(page)
        more(page)
        page.get_by_label("One shared token, weights 1 and r").check()
        page.evaluate(AXE)
        rules = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
        for view in VIEWS:
            button(page, view).click()
            found = page.evaluate("rules => axe.run('.nta-scan', { runOnly: rules })", rules)
            assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
        assert complaints == []


# In every picture: is the page wider than the screen, and which words leave their picture?
_OUTSIDE = """views => views.flatMap(view => {
  const root = document.querySelector(".nta-scan");
  [...root.querySelectorAll("button")].find(b => b.textContent === view).click();
  const box = root.querySelector(".ns-stage").getBoundingClientRect();
  const words = [...root.querySelectorAll(".ns-stage text")].filter(text => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
  }).map(text => `${view}: ${text.textContent}`);
  return document.documentElement.scrollWidth > innerWidth ? [...words, "too wide"] : words;
})"""


def test_phone_width_and_touch(browser: Browser, root: str) -> None:
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with opened(browser, root, "lab.html", **options) as (page, complaints):
        ready(page)
        page.locator(".nta-scan summary").tap()
        button(page, "Growth χ").tap()
        for said, _ in PRESETS.values():
            button(page, said).tap()
            assert page.evaluate(_OUTSIDE, VIEWS) == [], said
        small = page.locator(".nta-scan :is(button, select, input, summary):visible").evaluate_all(
            """all => all.filter(e => e.type !== "checkbox")
                         .filter(e => Math.min(e.offsetHeight, e.offsetWidth) < 24)
                         .map(e => e.outerHTML)"""
        )
        assert small == []
        button(page, "Adam").tap()
        assert lab(page, "lab.settings.optimizer") == "adam"
        assert complaints == []


def test_both_labs_share_a_page(
    browser: Browser, tmp_path: Path, serve: Callable[[Path], str]
) -> None:
    write_lab_page(tmp_path / "two", ScanSnapLab("adam", view="speed"), TokenLab())
    with opened(browser, serve(tmp_path / "two"), "lab.html") as (page, complaints):
        page.wait_for_selector('.nta-widget[data-state="drawn"] .nta-scan')
        page.evaluate("nta.drawAll()")
        page.wait_for_function("document.querySelectorAll('[data-state=drawn]').length === 2")
        assert button(page, "Speed").get_attribute("aria-pressed") == "true"
        assert lab(page, "lab.settings.optimizer") == "adam"
        assert complaints == []
