"""The Scan and Snap lab as a reader uses it: in Chromium, without a kernel."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

from nta_book.lab import ScanSnapLab, TokenLab
from nta_book.lab.scan_snap_lab import PRESETS

from . import engines
from .checks import AXE, ON_A_PHONE, opened
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


@pytest.fixture
def small(page: Page) -> Page:
    """The paper's test, seen to its end."""
    button(page, PRESETS["syn-small"][0]).click()
    slider(page, "Time").press("End")
    return page


@pytest.fixture(scope="module")
def root(folder: Path, serve: Callable[[Path], str]) -> str:
    return serve(folder)


@pytest.fixture
def page(browser: Browser, root: str) -> Iterator[Page]:
    """The lab at its default; the test fails if the page complains about anything."""
    with opened(browser, root, "lab.html") as (page, complaints):
        ready(page)
        yield page
        assert complaints == []


def ready(page: Page) -> None:
    page.wait_for_selector('.nta-widget[data-state="drawn"] svg[aria-label]')
    page.wait_for_function(  # the first layout tells the picture its width
        """() => { const stage = document.querySelector('.ns-stage');
            const room = Math.max(260, Math.min(1100, Math.floor(stage.clientWidth)));
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
                             root.querySelector(".ns-stage > svg").getAttribute("aria-label")];
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
        assert page.locator(".ns-bar").count() == 4
        assert page.locator(".ns-bar.ns-common").count() == 1
        assert lab(page, "lab.time") == 0
        said = page.inner_text(WORDS)
        assert said.startswith("Step 0: nothing is trained yet. Theory puts the turn")
        assert "✗" not in page.inner_text(".nta-scan")  # it opens where theory holds
        assert "all four hold" in page.inner_text(".ns-theorybox")
        button(page, PRESETS["syn-small"][0]).click()
        assert lab(page, "lab.time") == 0
        slider(page, "Time").press("End")
        assert page.locator(".ns-bar").count() == 20
        said = page.inner_text(WORDS)
        assert (
            "a10 leads the distinct tokens, the most frequent one: it rose from 6% to 16%" in said
        )
        assert "Attention on the 10 common tokens fell from 65% to 40%." in said
        assert "fastest at step 8 (theory said 6.6)" in said
        assert "since step 33 it has moved at less than a tenth of that speed" in said
        numbers = page.inner_text(".ns-cards")
        assert re.search(r"Entropy\s+1\.98\s+start 2\.15", numbers)
        assert re.search(r"Common, c1 to c10\s+40%\s+start 65%", numbers)
        assert numbers.count("less is better") == 1
        assert complaints == []


def test_bars_and_ticks_show_the_numbers(small: Page) -> None:
    page = small

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
    assert "Attention follows the frequencies" in page.inner_text(WORDS)


def test_every_picture_is_another_one_and_follows_time(page: Page) -> None:
    seen = set()
    for view in VIEWS:
        button(page, view).click()
        assert button(page, view).get_attribute("aria-pressed") == "true"
        slider(page, "Time").press("End")
        end = drawn(page)
        label = page.locator(".ns-stage > svg").get_attribute("aria-label")
        slider(page, "Time").press("ArrowLeft")
        assert drawn(page) != end, view
        seen.add(label)
    assert len(seen) == len(VIEWS)
    assert "The decoder gives the right answer" in page.inner_text(WORDS)


def test_every_slider_trains_anew_and_moves_the_picture(page: Page) -> None:
    more(page)
    for name in SLIDERS:
        button(page, PRESETS["syn-small"][0]).click()
        slider(page, "Time").press("End")
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


def test_the_worst_of_all_rates_is_still_numbers(small: Page) -> None:
    page = small
    for name in ("Decoder rate ηY", "Attention rate ηZ", "Classes K"):
        slider(page, name).press("End")
    for optimizer in ("Adam", "plain descent", "momentum 0.9"):
        page.get_by_label("Optimizer", exact=True).select_option(optimizer)
        healthy(page)


@pytest.mark.parametrize(
    ("label", "option", "setting", "value"),
    [
        ("Optimizer", "plain descent", "optimizer", "plain"),
        ("Train for", "1000 steps", "steps", 1000),
    ],
)
def test_choices_train_anew(
    small: Page, label: str, option: str, setting: str, value: object
) -> None:
    page = small
    picture = drawn(page)
    page.get_by_label(label, exact=True).select_option(option)
    assert lab(page, f"lab.settings.{setting}") == value
    assert drawn(page) != picture


def test_the_other_class_has_its_own_tokens(small: Page) -> None:
    page = small
    slider(page, "Classes K").press("End")
    page.get_by_label("Class", exact=True).select_option("8")
    assert "i10 leads" in page.inner_text(WORDS)
    slider(page, "Classes K").press("Home")
    assert page.get_by_label("Class", exact=True).input_value() == "2"
    assert "b10 leads" in page.inner_text(WORDS)


def test_queries_never_outnumber_the_classes(small: Page) -> None:
    page = small
    more(page)
    slider(page, "Classes K").press("End")
    slider(page, "Queries").press("End")
    assert lab(page, "lab.settings.queries") == 8
    slider(page, "Classes K").press("Home")
    assert lab(page, "lab.settings.queries") == 2
    slider(page, "Queries").press("End")
    assert lab(page, "lab.settings.queries") == 2


def test_a_shared_token_rises_or_sinks_with_its_weight(small: Page) -> None:
    page = small
    more(page)
    weight = slider(page, "Weight r of the shared token")
    assert weight.is_disabled()
    page.get_by_label("One shared token, weights 1 and r").check()
    assert lab(page, "lab.settings.shared") == 0.3
    assert page.locator(".ns-bar.ns-shared").count() == 1
    weight.press("Home")
    weight.press("ArrowRight")
    assert "rises like a distinct token" in page.inner_text(WORDS)
    weight.press("End")
    assert "sinks like a common token" in page.inner_text(WORDS)
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
    said, settings, question = PRESETS[name]
    button(page, said).click()
    assert lab(page, "lab.settings") == settings
    assert lab(page, "lab.time") == 0
    assert page.inner_text(".ns-question") == question
    slider(page, "Time").press("End")
    assert page.locator('[aria-label="Examples"] [aria-pressed=true]').inner_text() == said
    tags = page.locator(".ns-tags").inner_text()
    expected = {
        "syn-small": "✗ Classes overlap too much\n|λ₁(E)| = 0.72 ≥ 1/K = 0.5",
        "syn-small-10": "✓ Fast decoder\nηZ/ηY = 0.1 ≤ 0.1",
        "one-common": "✓ Classes overlap little",
        "adam": "✗ No plain descent\nthis run: Adam",
        "shared": "✗ Slow decoder\nηZ/ηY = 0.5 > 0.1",
    }
    assert expected[name] in tags
    if name == "one-common":
        assert "✗" not in tags
    if name == "adam":
        assert "a7 leads the distinct tokens, though a10 is more frequent" in page.inner_text(WORDS)
    if name == "shared":
        assert "r = 0.3 is its flip" in page.inner_text(WORDS)
    healthy(page)


def test_reset_goes_back_to_what_the_page_began_with(page: Page) -> None:
    before = drawn(page)
    button(page, PRESETS["syn-small"][0]).click()
    slider(page, "Decoder rate ηY").press("End")
    pressed = '[aria-label="Examples"] [aria-pressed=true]'
    assert page.locator(pressed).inner_text() == PRESETS["syn-small-10"][0]
    slider(page, "Classes K").press("ArrowRight")
    assert page.locator(pressed).count() == 0
    assert page.inner_text(".ns-question").startswith("Your own settings")
    slider(page, "Time").press("End")
    button(page, "Logits").click()
    button(page, "Reset").click()
    assert lab(page, "lab.settings") == PRESETS["one-common"][1]
    assert drawn(page) == before


def test_the_time_axis_is_logarithmic_or_linear(page: Page) -> None:
    log = button(page, "Log time")
    button(page, "Logits").click()
    assert log.get_attribute("aria-pressed") == "true"
    assert "log scale" in page.locator(".ns-stage").inner_text()
    picture = drawn(page)
    slider(page, "Time").press("ArrowRight")
    assert lab(page, "lab.time") == 1  # a key goes to the next step, however far it is
    slider(page, "Time").press("ArrowLeft")
    log.click()
    assert log.get_attribute("aria-pressed") == "false"
    assert drawn(page) != picture
    assert "log scale" not in page.locator(".ns-stage").inner_text()
    assert "every step gets the same room" in page.inner_text(".ns-see")
    slider(page, "Time").press("ArrowRight")
    assert lab(page, "lab.time") == 3
    button(page, "Step").click()
    assert lab(page, "lab.time") == 6


def test_scan_and_snap_are_named_and_the_measured_turn_appears_when_it_is_reached(
    page: Page,
) -> None:
    def seen() -> list[bool]:
        return [page.locator(f".{kind} .ns-mark").is_visible() for kind in BARS]

    def left(selector: str) -> float:
        box = page.locator(selector).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2

    def named() -> list[int]:
        said = page.locator(".ns-strip").inner_text().split()
        return [said.count(word) for word in ("theory", "scan", "snap")]

    assert named() == [1, 1, 1]  # theory's: the run has not begun
    assert seen() == [True, False]
    peak, predicted = lab(page, "lab.snap.peak"), lab(page, "lab.marks.snap")
    assert "turn ?" in page.inner_text(".ns-measured")
    while lab(page, "lab.time") <= peak:
        assert seen() == [True, False]
        assert "fastest" not in page.inner_text(WORDS)
        button(page, "Step").click()
    assert seen() == [True, True]
    assert f"fastest at step {peak} (theory said {predicted:.2g})" in page.inner_text(WORDS)
    assert page.inner_text(".ns-measured output") == f"turn {peak}"
    for view in VIEWS[1:]:
        button(page, view).click()
        words = page.locator(".ns-stage .ns-phase").all_text_contents()
        assert words == ["scan", "snap"], view
        assert page.locator(".ns-diamond").count() == 1
        assert page.locator(".ns-dot").is_visible()
    # the marks stand where the slider's thumb would stand at that time
    lab(page, "lab.goto(lab.snap.peak)")
    page.evaluate("document.querySelector('.nta-scan').ntaLab.move()")
    assert not page.locator(".ns-dot").is_visible()  # it is measured when it has passed
    slider(page, "Time").press("End")
    assert named() == [1, 2, 2]
    assert abs(left(".ns-measured .ns-mark") - place_of_thumb(page, peak)) < 1.5
    assert abs(left(".ns-predicted .ns-mark") - place_of_thumb(page, predicted)) < 1.5


BARS = ("ns-predicted", "ns-measured")


def place_of_thumb(page: Page, time: float) -> float:
    return float(
        page.evaluate(
            """time => { const root = document.querySelector(".nta-scan");
            const { left, width } = root.querySelector(".ns-time input").getBoundingClientRect();
            const thumb = parseFloat(getComputedStyle(root).getPropertyValue("--thumb"));
            return left + thumb / 2 + (width - thumb) * root.ntaLab.lab.placeOf(time); }""",
            time,
        )
    )


def test_lines_are_seen_up_to_now(page: Page) -> None:
    for view in VIEWS[1:]:
        button(page, view).click()
        curtain = page.locator(".ns-stage > svg > svg")
        slider(page, "Time").press("Home")
        assert float(curtain.get_attribute("width") or "nan") <= 52, view  # left of the axis
        slider(page, "Time").press("End")
        assert float(curtain.get_attribute("width") or "nan") > 300, view


def test_words_and_colours_agree_about_the_shared_token(page: Page) -> None:
    button(page, PRESETS["shared"][0]).click()
    slider(page, "Time").press("End")
    shares = lab(page, "[...lab.attention[lab.at][0]]")
    heights = page.evaluate(
        """() => [...document.querySelectorAll(".ns-stage > svg > rect.ns-bar")].map(bar =>
            [bar.getAttribute("class"), +bar.getAttribute("height")])"""
    )
    grey = [height for kind, height in heights if "ns-common" in kind]
    striped = [height for kind, height in heights if "ns-shared" in kind]
    assert (len(grey), len(striped)) == (10, 1)
    scale = grey[0] / shares[0]
    said = float(re.findall(r"common tokens fell from \d+% to (\d+)%", page.inner_text(WORDS))[0])
    assert sum(grey) / scale == pytest.approx(said / 100, abs=0.005)
    assert striped[0] / scale == pytest.approx(shares[-1], abs=0.001)
    assert page.locator(".ns-stage g .ns-common").count() > 5  # its stripes
    assert "Striped: the shared token" in page.inner_text(".ns-about")


def test_train_longer_goes_on_and_the_longest_run_says_so(page: Page) -> None:
    longer = button(page, "Train longer")
    assert not longer.is_visible()
    for steps in (300, 1000):
        slider(page, "Time").press("End")
        assert "“Train longer” goes on" in page.inner_text(WORDS)
        longer.click()
        assert lab(page, "lab.settings.steps") > steps
        assert abs(lab(page, "lab.time") - steps) <= 30  # it goes on from there
        assert page.evaluate("document.activeElement.textContent") == "▶ Play"
    slider(page, "Time").press("End")
    assert not longer.is_visible()
    assert "3000 steps are the most this lab takes" in page.inner_text(WORDS)
    assert button(page, "Step").is_disabled()


def rest(page: Page) -> None:
    page.wait_for_function("document.querySelector('.nta-scan').ntaLab.atRest()")


STATE = "[lab.settings, lab.view, lab.n, lab.axis, lab.time]"


def test_a_reload_and_a_link_restore_everything(browser: Browser, page: Page, root: str) -> None:
    rest(page)
    assert page.evaluate("location.hash") == ""  # who only looks keeps a clean address
    button(page, PRESETS["shared"][0]).click()
    slider(page, "Classes K").press("ArrowRight")
    page.get_by_label("Class", exact=True).select_option("2")
    button(page, "Growth χ").click()
    button(page, "Log time").click()
    for _ in range(7):
        slider(page, "Time").press("ArrowRight")
    rest(page)
    before, words = lab(page, STATE), page.inner_text(WORDS)
    assert before[1:] == ["growth", 1, "linear", 21]
    page.reload()
    ready(page)
    assert lab(page, STATE) == before
    assert page.inner_text(WORDS) == words
    page.evaluate("location.hash = '#a-heading'")
    page.wait_for_function("history.state?.ntaScan")  # nobody reloads before the jump is heard of
    page.reload()
    ready(page)
    assert lab(page, STATE) == before  # the history remembers what the address lost
    button(page, "Copy link").click()
    link = page.get_by_label("The link", exact=True).input_value()
    assert link.startswith(f"{root}lab.html#scan=example=shared&K=3&")
    assert page.locator("dialog.nta-share [role=img]").count() == 1  # as a QR code, too
    page.keyboard.press("Escape")
    with opened(browser, root, link.removeprefix(root)) as (other, complaints):
        ready(other)
        assert lab(other, STATE) == before
        assert other.inner_text(WORDS) == words
        assert complaints == []


def test_a_damaged_link_is_refused_with_a_sentence_that_stays(browser: Browser, root: str) -> None:
    with opened(browser, root, "lab.html#scan=example=adam&K=99") as (page, complaints):
        ready(page)
        let_frames_pass(page)
        said = page.inner_text(WORDS)
        assert said == "The link was not loaded: its settings are out of range."
        assert lab(page, "lab.settings") == PRESETS["one-common"][1]
        button(page, "Step").click()
        assert page.inner_text(WORDS).startswith("Step 1 of 300")
        page.evaluate("location.hash = '#scan=example=adam&step=50'")
        page.wait_for_function(
            "document.querySelector('.nta-scan').ntaLab.lab.settings.optimizer === 'adam'"
        )
        assert lab(page, "lab.time") == 50
        assert complaints == []


@pytest.mark.parametrize("name", PRESETS)
def test_copied_python_prints_what_the_page_shows(page: Page, name: str) -> None:
    button(page, PRESETS[name][0]).click()
    for _ in range(20):
        slider(page, "Time").press("ArrowRight")
    page.get_by_label("Class", exact=True).select_option("2")
    button(page, "Copy Python").click()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(page.locator(".nl-copy").input_value(), "copied", "exec"), {})
    said = dict(row.split(" ", 1) for row in out.getvalue().splitlines())
    shown = page.locator(".ns-card > :is(span, b)").all_inner_texts()
    leader, share = said["leader"].split()
    assert shown[:2] == [f"Leader {leader}", f"{100 * float(share):.0f}%"]
    numbers = dict(zip(shown[::2], shown[1::2], strict=True))
    common = next(value for label, value in numbers.items() if label.startswith("Common"))
    assert common == f"{100 * float(said['common']):.0f}%"
    assert numbers["Entropy"] == f"{float(said['entropy']):.2f}"
    loss, speed = (float(numbers[k].replace("−", "-")) for k in ("Loss", "Speed"))
    assert loss == pytest.approx(float(said["loss"]), rel=0.05, abs=1e-6)
    assert speed == pytest.approx(float(said["speed"]), rel=0.05)
    assert said["step"] == f"{lab(page, 'lab.time')} of {lab(page, 'lab.settings.steps')}, class 2"
    slider(page, "Time").press("ArrowRight")
    assert not page.locator(".nl-copy").is_visible()  # what was copied is no longer what is shown


def test_play_walks_from_the_start_to_the_end(page: Page) -> None:
    button(page, "▶ Play").click()
    page.wait_for_function("document.querySelector('.nta-scan').ntaLab.lab.frame > 3")
    assert lab(page, "lab.time") < 300
    button(page, "❚❚ Pause").click()
    frame = lab(page, "lab.frame")
    let_frames_pass(page)
    assert lab(page, "lab.frame") == frame
    assert page.inner_text(WORDS).startswith(f"Step {lab(page, 'lab.time')} of 300")
    button(page, "▶ Play").click()  # goes on from there
    page.wait_for_function(f"document.querySelector('.nta-scan').ntaLab.lab.frame > {frame}")
    slider(page, "Time").press("End")  # a hand on the slider stops it
    let_frames_pass(page)
    assert lab(page, "lab.isOver")
    assert button(page, "▶ Play").count() == 1


def test_play_stops_at_the_end_and_with_reduced_motion_it_takes_few_steps(
    browser: Browser, root: str
) -> None:
    with opened(browser, root, "lab.html", reduced_motion="reduce") as (page, complaints):
        ready(page)
        lab(page, "lab.lookAt(0.85)")
        button(page, "▶ Play").click()
        page.wait_for_function("document.querySelector('.nta-scan').ntaLab.lab.isOver")
        page.wait_for_selector("text=▶ Play")
        assert "Step 300 of 300" in page.inner_text(WORDS)
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
    with opened(browser, root, "lab.html", **ON_A_PHONE) as (page, complaints):
        ready(page)
        page.locator(".nta-scan summary").tap()
        button(page, "Growth χ").tap()
        for said, *_ in PRESETS.values():
            button(page, said).tap()
            assert page.evaluate(_OUTSIDE, VIEWS) == [], said
        small = page.locator(".nta-scan :is(button, select, input, summary):visible").evaluate_all(
            """all => all.map(e => e.type === "checkbox" ? e.parentElement : e)
                         .filter(e => Math.min(e.offsetHeight, e.offsetWidth) < 44)
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


#: Use the lab by its buttons and keys, and report what it shows.
USE = """async () => {
    const until = async (holds, what) => {
        for (let i = 0; i < 600; i++) {
            if (holds()) return;
            await new Promise(done => setTimeout(done, 50));
        }
        throw new Error(`waited in vain: ${what}`);
    };
    const $ = at => document.querySelector(at);
    await until(() => $('.nta-widget')?.dataset.state === 'drawn', 'the lab');
    const { lab, atRest } = $('.nta-scan').ntaLab;
    const press = name => {
        const found = [...document.querySelectorAll('.nta-scan button')]
            .find(b => b.textContent === name);
        found.dispatchEvent(new Event('pointerdown', { bubbles: true }));
        found.click();
    };
    const seen = { opened: [lab.time, $('.nta-words').textContent] };
    press('▶ Play');
    await until(() => lab.frame > 3, 'play');
    press('❚❚ Pause');
    press('Adam');
    seen.views = [];
    for (const view of ['Logits', 'Speed', 'Growth χ', 'Decoder', 'Attention']) {
        press(view);
        seen.views.push($('.ns-stage > svg').getAttribute('aria-label'));
    }
    const time = $('.ns-time input');
    const right = () => time.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
    for (let i = 0; i < 30; i++) right();
    press('Copy Python');
    seen.python = $('.nl-copy').value;
    seen.shown = [...document.querySelectorAll('.ns-card > b')].map(b => b.textContent);
    await until(atRest, 'rest');
    seen.address = location.href;
    seen.time = lab.time;
    const { left, width } = time.getBoundingClientRect();
    const mark = $('.ns-measured .ns-mark').getBoundingClientRect();
    const thumb = parseFloat(getComputedStyle($('.nta-scan')).getPropertyValue('--thumb'));
    seen.off = Math.abs(mark.left + mark.width / 2
        - (left + thumb / 2 + (width - thumb) * lab.placeOf(lab.snap.peak)));
    seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return seen;
}"""

AGAIN = """async () => {
    for (let i = 0; i < 600 && !document.querySelector('.nta-scan'); i++) {
        await new Promise(done => setTimeout(done, 50));
    }
    const { lab } = document.querySelector('.nta-scan').ntaLab;
    return [lab.settings.optimizer, lab.time];
}"""


@pytest.mark.parametrize("name", engines.ENGINES)
def test_the_lab_lives_in_another_engine(
    name: str, root: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    with engines.ENGINES[name](tmp_path) as ask:
        seen = ask(f"{root}lab.html", USE)
        again = ask(seen["address"], AGAIN)
    assert seen["opened"][0] == 0
    assert seen["opened"][1].startswith("Step 0: nothing is trained yet")
    assert len(set(seen["views"])) == 5
    assert seen["off"] < 1.5
    assert seen["wide"] <= 0
    assert again == ["adam", seen["time"]]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(seen["python"], "copied", "exec"), {})
    said = dict(row.split(" ", 1) for row in out.getvalue().splitlines())
    assert said["leader"].split()[0] == "a7"
    assert seen["shown"][0] == f"{100 * float(said['leader'].split()[1]):.0f}%"
    assert seen["shown"][2] == f"{float(said['entropy']):.2f}"
