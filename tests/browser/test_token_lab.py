"""The Token Lab as a reader uses it: in Chromium, over http and from a file, without a kernel."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page

from nta_book.lab import TokenLab
from nta_core import FIG3, Dataset, attention, gradient_descent

from .checks import AXE, PHONE, opened
from .lab_page import let_frames_pass, write_lab_page

ROWS = ".nl-races > li"
WORDS = ".nta-lab .nta-words"
STRICT = "d c a -> d\nc b a -> c\nb a -> b"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lab_page(tmp_path_factory.mktemp("lab") / "page")


@pytest.fixture(scope="module")
def root(folder: Path, serve: Callable[[Path], str]) -> str:
    return serve(folder)


@pytest.fixture
def page(browser: Browser, root: str) -> Iterator[Page]:
    """The full lab on FIG3; the test fails if the page complains about anything."""
    with opened(browser, root, "lab.html") as (page, complaints):
        ready(page)
        yield page
        assert complaints == []


def ready(page: Page) -> None:
    page.wait_for_selector('.nta-widget[data-state="drawn"]')


def lab(page: Page, expression: str) -> object:
    """Evaluate an expression about the lab's state, called `lab`."""
    state = "const { lab } = document.querySelector('.nta-lab').ntaLab"
    return page.evaluate(f"(() => {{ {state}; return {expression}; }})()")


def weights(page: Page) -> np.ndarray:
    flat = lab(page, "[...lab.W]")
    return np.reshape(flat, (lab(page, "lab.data.K"), -1))


def attentions(page: Page) -> list[np.ndarray]:
    """What nta_core computes from the weights of the lab, for every race."""
    W = weights(page)
    rows = lab(page, "lab.data.rows.map(row => row.tokens)")
    return [attention(W, np.eye(len(W)), tokens) for tokens in rows]


def draft(page: Page) -> list[str]:
    return str(lab(page, "lab.draft")).split("\n")


def chip(page: Page, row: int, position: int) -> Locator:
    return page.locator(ROWS).nth(row).locator(".nl-chip:not(.nl-winner)").nth(position)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True).first


def choose(page: Page, name: str) -> None:
    page.locator(".nl-menu").get_by_role("button", name=name, exact=True).click()


def settle(page: Page) -> None:
    """Wait until the labs have nothing left to do, such as writing the address."""
    labs = "[...document.querySelectorAll('.nta-lab')]"
    page.wait_for_function(f"{labs}.every(lab => lab.ntaLab.atRest())")


def address(page: Page) -> str:
    return str(page.evaluate("location.href"))


def hash_changes(page: Page, act: str) -> None:
    """Run a script that changes the part after #, and wait until the page has heard of it."""
    page.evaluate(
        f"""new Promise(done => {{
            addEventListener('hashchange', () => setTimeout(done), {{ once: true }}); {act} }})"""
    )


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_it_trains_from_a_server_and_from_a_file(
    browser: Browser, root: str, folder: Path, scheme: str
) -> None:
    address = root if scheme == "http" else folder.as_uri() + "/"
    with opened(browser, address, "lab.html") as (page, complaints):
        ready(page)
        assert page.locator(ROWS).count() == FIG3.n
        assert page.locator(".nl-track").count() == 2
        before = lab(page, "lab.now.loss")
        button(page, "▶ Train").click()
        page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.steps > 20")
        button(page, "❚❚ Pause").click()
        steps = lab(page, "lab.steps")
        let_frames_pass(page)
        assert lab(page, "lab.steps") == steps
        assert lab(page, "lab.now.loss") < before
        assert f"Step {steps}" in page.inner_text(WORDS)
        assert complaints == []


def test_bars_ticks_and_dots_show_the_numbers(page: Page) -> None:
    for _ in range(3):
        button(page, "Step").click()
    assert lab(page, "lab.steps") == 3
    shown = page.locator(ROWS).evaluate_all(
        """rows => rows.map(row => [...row.querySelectorAll('.nl-col')].map(column => [
             new DOMMatrix(getComputedStyle(column.querySelector('.nl-fill')).transform).d,
             parseFloat(column.querySelector('.nl-tick').style.bottom) / 100]))"""
    )
    for r, (row, expected) in enumerate(zip(shown, attentions(page), strict=True)):
        assert [bar for bar, _ in row] == pytest.approx(expected, abs=2e-3)
        assert [tick for _, tick in row] == pytest.approx(lab(page, f"lab.limits[{r}]"), abs=2e-3)
    dots = "[...document.querySelectorAll('.nl-dot')].map(d => d.getAttribute('cy')).join()"
    before = page.evaluate(dots)
    button(page, "Step").click()
    assert page.evaluate(dots) != before
    button(page, "Reset").click()
    assert lab(page, "lab.steps") == 0


def test_the_bundled_module_takes_the_steps_of_nta_core(page: Page) -> None:
    lab(page, "lab.set('eta', 0.3) || lab.set('normalized', false) || lab.advance(500)")
    run = gradient_descent(
        FIG3, np.eye(FIG3.K), steps=500, step_size=0.3, normalized=False, record=[500]
    )
    np.testing.assert_allclose(weights(page), run.W, atol=1e-9)


def test_every_comparison_says_when_it_was_decided(page: Page) -> None:
    page.locator("input[type=range]").first.press("End")
    button(page, "▶ Train").click()
    page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.decided.size === 6")
    button(page, "❚❚ Pause").click()
    assert page.locator(".nl-edge.nl-decided").count() == 6
    times = [t for t in page.locator(".nl-when").all_text_contents() if t]
    assert len(times) == 4  # on the arrows that no chain implies
    assert all(t.startswith("✓") for t in times)
    assert "All 6 comparisons decided" in page.inner_text(WORDS)


def test_one_upset_merges_the_leagues_in_words(page: Page) -> None:
    button(page, "Strict order").click()
    assert draft(page) == STRICT.split("\n")
    assert "four leagues" in page.inner_text(WORDS)
    button(page, "+ Add a race").click()
    assert "No edge changed" in page.inner_text(WORDS)
    chip(page, 3, 0).click()
    choose(page, "d")  # d a -> d
    page.locator(ROWS).nth(3).locator(".nl-winner").click()
    choose(page, "a")
    assert draft(page)[3] == "d a -> a"
    assert "a beat d once" in page.inner_text(WORDS)
    assert "four leagues became one" in page.inner_text(WORDS)
    assert page.locator(".nl-box").count() == 1


def test_a_chip_is_changed_moved_removed_and_crowned_from_its_menu(page: Page) -> None:
    chip(page, 1, 0).click()
    choose(page, "e4")
    assert draft(page)[1] == "e4 e2 e1 -> e4"  # the win stays with the chip
    chip(page, 1, 1).click()
    choose(page, "★ Winner")
    assert draft(page)[1] == "e4 e2 e1 -> e2"
    chip(page, 1, 1).click()
    choose(page, "Move →")
    assert draft(page)[1] == "e4 e1 e2 -> e2"
    chip(page, 1, 2).click()
    choose(page, "Remove")
    assert draft(page)[1] == "e4 e1 -> e4"
    page.locator(ROWS).nth(1).get_by_role("button", name="Add a token to race 2").click()
    page.locator(".nl-menu input").fill("new")
    page.keyboard.press("Enter")
    assert draft(page)[1] == "new e4 e1 -> e4"
    assert "new" in lab(page, "lab.data.names")
    page.get_by_role("button", name="Run race 2 again").click()
    assert draft(page)[1:3] == ["new e4 e1 -> e4"] * 2
    page.get_by_role("button", name="Remove race 3").click()
    assert len(draft(page)) == FIG3.n


def test_everything_about_a_chip_can_be_done_with_keys(page: Page) -> None:
    chip(page, 1, 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")  # e2 becomes e3
    assert draft(page)[1] == "e3 e3 e1 -> e3"
    page.keyboard.press("ArrowUp")
    assert draft(page)[1] == "e3 e2 e1 -> e3"
    page.keyboard.press("w")
    assert draft(page)[1] == "e3 e2 e1 -> e2"
    page.keyboard.press("Alt+ArrowLeft")
    assert draft(page)[1] == "e2 e3 e1 -> e2"
    page.keyboard.press("Delete")
    assert draft(page)[1] == "e3 e1 -> e3"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "e3, 1 of 2"
    )
    page.keyboard.press("Enter")
    assert page.evaluate("!!document.activeElement.closest('.nl-menu')")
    page.keyboard.press("Escape")
    assert page.locator(".nl-menu").count() == 0
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "e3, 1 of 2"
    )
    for _ in range(5):
        page.keyboard.press("Control+z")
    assert draft(page)[1] == "e3 e2 e1 -> e3"
    page.keyboard.press("Control+Shift+z")
    assert draft(page)[1] != "e3 e2 e1 -> e3"


def test_chips_are_dragged_inside_a_row_to_another_and_to_the_winner(page: Page) -> None:
    def drag(source: Locator, target: Locator, side: float) -> None:
        a, b = source.bounding_box(), target.bounding_box()
        page.mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
        page.mouse.down()
        page.mouse.move(a["x"] + a["width"] / 2 + 12, a["y"] + a["height"] / 2, steps=2)
        page.mouse.move(b["x"] + side * b["width"], b["y"] + b["height"] / 2, steps=4)
        page.mouse.up()
        page.evaluate("new Promise(done => setTimeout(done))")  # a drop waits for the click

    drag(chip(page, 1, 0), chip(page, 1, 1), 0.9)
    assert draft(page)[1] == "e2 e3 e1 -> e3"
    drag(chip(page, 2, 1), chip(page, 1, 0), 0.1)
    assert draft(page)[1] == "e4 e2 e3 e1 -> e3"  # copied: row 3 keeps its own
    assert draft(page)[2] == "e3 e4 e1 -> e4"
    drag(chip(page, 1, 0), page.locator(ROWS).nth(1).locator(".nl-winner"), 0.5)
    assert draft(page)[1] == "e4 e2 e3 e1 -> e4"
    assert page.locator(".nl-menu, .nl-ghost").count() == 0


def test_text_mode_marks_bad_lines_and_uses_the_rest(page: Page) -> None:
    button(page, "Text").click()
    page.locator(".nl-text textarea").fill("a b c -> b\na b\nq r -> zz\nc a -> c -> a")
    problems = page.locator(".nl-text li").all_inner_texts()
    assert len(problems) == 2
    assert "Line 2, column 1: no arrow" in problems[0]
    assert "Line 4, column 10: a second arrow" in problems[1]
    assert "Two lines cannot be read" in page.inner_text(WORDS)
    assert lab(page, "lab.data.rows.length") == 2
    page.locator(".nl-text li button").nth(1).click()
    assert page.evaluate("document.activeElement.selectionStart") == len(
        "a b c -> b\na b\nq r -> zz\nc a -> c "
    )
    button(page, "Text").click()
    rows = page.locator(ROWS)
    assert rows.count() == 4
    assert "Line 2" in rows.nth(1).inner_text()
    assert "zz does not run here" in rows.nth(2).inner_text()
    field = rows.nth(1).locator("input")
    field.fill("a b -> a")
    field.press("Enter")
    assert draft(page)[1] == "a b -> a"
    assert lab(page, "lab.data.rows.length") == 3


def test_names_are_text_and_never_markup(page: Page) -> None:
    button(page, "Text").click()
    evil = '<img/src=x> "><b>'
    page.locator(".nl-text textarea").fill(f"{evil} a -> a\n<script>x</script> nonsense")
    button(page, "Text").click()
    assert page.locator(".nta-lab img, .nta-lab b b, .nta-lab script").count() == 0
    assert "<img/src=x>" in lab(page, "lab.data.names")
    assert page.locator(".nl-chip").first.get_attribute("aria-label").startswith("<img/src=x>")


def test_play_answers_generates_and_admits_what_is_open(page: Page) -> None:
    play = page.locator(".nl-play")
    assert play.locator("tbody tr").count() == 2  # the last race, e2 e4 e2
    assert "Retrieve e4. The data decides" in play.inner_text()
    values = play.locator("tbody td").all_inner_texts()
    assert values == ["0%", "67%", "100%", "33%"]  # untrained, the network only counts
    play.locator(".nl-chip").last.click()
    choose(page, "e3")
    assert "Undetermined: no race ends in e3" in play.inner_text()
    play.locator(".nl-chip").last.click()
    choose(page, "e1")  # e2 e4 e1: e4 beats e2 only through e3
    assert "The data decides" in play.inner_text()
    button(page, "Next token").click()
    assert lab(page, "lab.context.length") == 4
    button(page, "Eight more").click()
    assert lab(page, "lab.context.length") == 12
    assert set(lab(page, "lab.context")) <= set(range(4))
    button(page, "Another context").click()
    assert lab(page, "lab.context.length") == 4


def test_the_tiny_grammar_speaks(page: Page) -> None:
    button(page, "Tiny grammar").click()
    button(page, "Eight more").click()
    said = lab(page, "lab.context.map(t => lab.data.names[t]).slice(3)")
    after = {"the": {"cat", "dog"}, "cat": {"sat"}, "dog": {"sat"}, "sat": {"the"}}
    assert len(said) == 9
    assert all(b in after[a] for a, b in pairwise(said))


@pytest.mark.parametrize(
    ("label", "option", "setting", "value"),
    [
        ("Descent", "plain", "normalized", False),
        ("Step size", "1", "eta", 1),
        ("Loss", "squared", "loss", "squared"),
        ("Start", "random 3", "seed", 3),
    ],
)
def test_settings_change_the_run(
    page: Page, label: str, option: str, setting: str, value: object
) -> None:
    button(page, "Step").click()
    usual = lab(page, "[...lab.W]")
    button(page, "Reset").click()
    page.locator(".nl-stage").get_by_label(label, exact=True).select_option(option)
    assert lab(page, f"lab.settings.{setting}") == value
    button(page, "Step").click()
    assert lab(page, "[...lab.W]") != usual or label == "Loss"
    if label == "Loss":  # the first normalized step from zero is the same; later ones are not
        assert "squared" in page.inner_text(WORDS)


def test_a_reload_loses_nothing(page: Page) -> None:
    assert "#" not in address(page)  # looking does not touch the address
    button(page, "One tie").click()
    chip(page, 0, 0).focus()
    page.keyboard.press("ArrowUp")
    page.locator(".nl-stage").get_by_label("Step size", exact=True).select_option("0.3")
    for _ in range(4):
        button(page, "Step").click()
    button(page, "Next token").click()
    settle(page)
    state = "[lab.draft, lab.settings, lab.steps, [...lab.W].map(Math.fround), lab.context]"
    before, place = lab(page, state), address(page)
    assert "#lab=" in place
    page.reload()
    ready(page)
    assert lab(page, state) == before
    assert address(page) == place
    assert page.locator(ROWS).count() == 5


def test_a_heading_in_the_address_is_left_alone_and_loses_nothing(
    browser: Browser, root: str
) -> None:
    with opened(browser, root, "lab.html#a-heading") as (page, complaints):
        ready(page)
        assert address(page).endswith("#a-heading")
        assert "Seven races" in page.inner_text(WORDS)
        button(page, "Strict order").click()
        settle(page)
        assert "#lab=" in address(page)
        hash_changes(page, "location.hash = '#a-heading'")
        assert draft(page) == STRICT.split("\n")
        hash_changes(page, "history.back()")
        page.reload()
        ready(page)
        assert draft(page) == STRICT.split("\n")
        assert complaints == []


def _code(state: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")


GOOD = {"normalized": True, "eta": 0.1, "loss": "log", "seed": None, "speed": 1}
HOSTILE = {
    "markup": "<img src=x onerror=alert(1)>",
    "not base64": "%%%",
    "not json": "abcd",
    "another shape": _code({"t": "a -> a"}),
    "another version": _code([2, "a -> a", GOOD, 0, "", []]),
    "huge": "A" * 100_000,
    "a megabyte": "A" * 1_000_000,
    "half a character": "%E0%A4%A",
    "a zero byte": "%00",
    "a name of every object": "__proto__",
    "another such name": "constructor",
    "an object with such names": _code({"__proto__": {"length": 6}, "constructor": 1}),
    "settings with such names": _code([1, "a -> a", {"__proto__": GOOD}, 0, "", []]),
    "a speed with such a name": _code([1, "a -> a", {**GOOD, "speed": "__proto__"}, 0, "", []]),
    "nested": _code([1, "a -> a", GOOD, 0, "", [[[[[]]]]]]),
    "huge text": _code([1, "a " * 30_000 + "-> a", GOOD, 0, "", []]),
    "no text": _code([1, 5, GOOD, 0, "", []]),
    "no settings": _code([1, "a -> a", None, 0, "", []]),
    "bad eta": _code([1, "a -> a", {**GOOD, "eta": 1e9}, 0, "", []]),
    "bad speed": _code([1, "a -> a", {**GOOD, "speed": "constructor"}, 0, "", []]),
    "bad loss": _code([1, "a -> a", {**GOOD, "loss": ["log"]}, 0, "", [{}]]),
    "bad steps": _code([1, "a -> a", GOOD, 1e12, "", []]),
    "bad weights": _code([1, "a b -> a", GOOD, 3, "AAAA", []]),
    "weights not finite": _code([1, "a -> a", GOOD, 3, "AADAfw", []]),
    "bad context": _code([1, "a -> a", GOOD, 0, "", [{"a": 1}]]),
    "long context": _code([1, "a -> a", GOOD, 0, "", ["a"] * 1000]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_or_hostile_address_is_refused_with_a_sentence(
    browser: Browser, root: str, name: str
) -> None:
    with opened(browser, root, "lab.html#lab=" + HOSTILE[name]) as (page, complaints):
        ready(page)
        assert page.inner_text(WORDS).startswith("The link was not loaded: ")
        assert page.locator(".nta-lab img").count() == 0
        assert draft(page) == FIG3.to_text().split("\n")
        button(page, "Step").click()
        assert lab(page, "lab.steps") == 1
        assert complaints == []


def test_hostile_names_in_a_good_address_stay_text(browser: Browser, root: str) -> None:
    evil = "<img/src/onerror"
    code = _code([1, f"{evil} a -> a", GOOD, 0, "", [evil, "a"]])
    with opened(browser, root, "lab.html#lab=" + code) as (page, complaints):
        ready(page)
        assert evil in lab(page, "lab.data.names")
        assert page.locator(".nta-lab img").count() == 0
        assert complaints == []


NAMES_OF_OBJECTS = ("__proto__", "constructor", "hasOwnProperty", "toString", "valueOf")


def test_names_that_every_object_has_are_tokens_like_others(browser: Browser, root: str) -> None:
    """The lab with such names trains like the same lab with ordinary ones."""

    def trained(names: tuple[str, ...]) -> tuple[object, object]:
        races = "\n".join(f"{' '.join(names[k:])} {names[0]} -> {names[k]}" for k in range(1, 5))
        code = _code([1, f"tokens: {' '.join(names)}\n{races}", GOOD, 0, "", list(names[:2])])
        with opened(browser, root, "lab.html#lab=" + code) as (page, complaints):
            ready(page)
            assert lab(page, "lab.data.names") == list(names)
            for _ in range(3):
                button(page, "Step").click()
            assert page.locator(ROWS).count() == 4
            settle(page)
            found = lab(page, "[[...lab.W], lab.limits.map(row => [...row])]")
            assert page.evaluate("Object.keys(Object.prototype).length") == 0
            assert complaints == []
        return found

    assert trained(NAMES_OF_OBJECTS) == trained(("aa", "bb", "cc", "dd", "ee"))


def test_the_link_and_the_python_recreate_the_lab(browser: Browser, root: str, page: Page) -> None:
    button(page, "One tie").click()
    page.locator(".nl-stage").get_by_label("Start", exact=True).select_option("random 2")
    for _ in range(5):
        button(page, "Step").click()
    button(page, "Copy Python").click()
    program = page.locator(".nl-copy").input_value()
    scope: dict[str, object] = {}
    exec(compile(program, "copied", "exec"), scope)
    expected = lab(page, "[...lab.W]")
    run = scope["run"]
    assert list(run.W.ravel()) == pytest.approx(expected, abs=1e-12)
    assert scope["data"] == Dataset.from_text(str(lab(page, "lab.draft")))
    button(page, "Copy link").click()
    link = page.locator(".nl-copy").input_value()
    assert link.startswith(root + "lab.html#lab=")
    with opened(browser, root, link.removeprefix(root)) as (other, complaints):
        ready(other)
        assert lab(other, "lab.draft") == lab(page, "lab.draft")
        assert lab(other, "lab.steps") == 5
        assert complaints == []


def test_every_example_trains_to_its_theory(page: Page) -> None:
    names = page.locator('[aria-label="Examples"] button').all_inner_texts()
    assert names == [
        "Fig. 3",
        "Strict order",
        "One tie",
        "One upset",
        "All tied",
        "Tiny grammar",
        "Your own",
    ]
    for name in names:
        button(page, name).click()
        assert page.locator('[aria-label="Examples"] [aria-pressed=true]').inner_text() == name
        lab(page, "lab.set('eta', 1) || lab.set('normalized', false) || lab.advance(3000)")
        limits = lab(page, "lab.limits.map(row => [...row])")
        for now, limit in zip(attentions(page), limits, strict=True):
            assert np.abs(now - limit).max() < 0.02, name


def test_your_own_races_wait_while_an_example_is_shown(page: Page) -> None:
    button(page, "Your own").click()
    chip(page, 1, 0).focus()
    page.keyboard.press("ArrowDown")
    mine = draft(page)
    button(page, "All tied").click()
    button(page, "Your own").click()
    assert draft(page) == mine
    for _ in range(3):
        button(page, "Undo").click()
    assert button(page, "Redo").is_enabled()


def test_training_goes_on_from_what_was_learned_when_a_token_joins(page: Page) -> None:
    lab(page, "lab.advance(50)")
    score = lab(page, "lab.W[3 * 4 + 0]")
    page.locator(ROWS).nth(0).get_by_role("button", name="Add a token to race 1").click()
    page.locator(".nl-menu input").fill("e0")
    page.locator(".nl-menu").get_by_role("button", name="Add", exact=True).click()
    assert lab(page, "lab.data.names") == ["e0", "e1", "e2", "e3", "e4"]
    assert lab(page, "lab.W[4 * 5 + 1]") == score
    assert lab(page, "lab.steps") == 50
    page.locator(ROWS).nth(0).get_by_role("button", name="Add a token to race 1").click()
    page.locator(".nl-menu input").fill("a b")
    page.keyboard.press("Enter")
    assert "cannot name a token" in page.inner_text(WORDS)


def test_the_words_speak_of_no_race_at_all(page: Page) -> None:
    button(page, "Text").click()
    page.locator(".nl-text textarea").fill("")
    assert page.inner_text(WORDS).startswith("No race yet")
    button(page, "▶ Train").click()
    assert lab(page, "lab.steps") == 0
    button(page, "Text").click()
    button(page, "+ Add a race").click()
    assert lab(page, "lab.data.rows.length") == 1


def test_phone_touch_and_width(browser: Browser, root: str) -> None:
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with opened(browser, root, "lab.html", **options) as (page, complaints):
        ready(page)
        for name in ("Fig. 3", "Tiny grammar", "All tied"):
            button(page, name).tap()
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        button(page, "Fig. 3").tap()
        chip(page, 1, 1).tap()
        page.locator(".nl-menu").get_by_role("button", name="e4", exact=True).tap()
        assert draft(page)[1] == "e3 e4 e1 -> e3"
        small = page.locator(".nta-lab :is(button, select):visible").evaluate_all(
            """all => all.filter(e => Math.min(e.offsetHeight, e.offsetWidth) < 24)
                         .map(e => e.outerHTML)"""
        )
        assert small == []
        page.mouse.wheel(0, 1200)
        page.wait_for_function("scrollY > 0")
        box = page.locator(".nl-float").bounding_box()
        assert 0 < box["y"] < PHONE["height"]  # the train button stays in sight
        page.locator(".nl-float").tap()
        page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.steps > 3")
        assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, root: str, theme: str) -> None:
    with opened(browser, root, "lab.html") as (page, complaints):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        ready(page)
        button(page, "Step").click()
        page.evaluate(AXE)
        assert _violations(page) == []
        button(page, "Text").click()
        page.locator(".nl-text textarea").fill("a b\nb a -> a")
        button(page, "Text").click()
        chip(page, 1, 0).click()
        assert page.locator(".nl-races .nl-problem, .nl-menu").count() == 2
        assert _violations(page) == []
        assert complaints == []


def _violations(page: Page) -> list[object]:
    rules = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
    found = page.evaluate("rules => axe.run('.nta-lab', { runOnly: rules })", rules)
    return [(v["id"], [node["html"][:120] for node in v["nodes"]]) for v in found["violations"]]


def test_reduced_motion_still_trains_and_ends_up_drawn(browser: Browser, root: str) -> None:
    with opened(browser, root, "lab.html", reduced_motion="reduce") as (page, complaints):
        ready(page)
        button(page, "▶ Train").click()
        page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.steps > 10")
        button(page, "❚❚ Pause").click()
        assert page.locator(".nl-count").inner_text() == f"step {lab(page, 'lab.steps')}"
        assert complaints == []


def test_a_compact_lab_beside_a_full_one(
    browser: Browser, tmp_path: Path, serve: Callable[[Path], str]
) -> None:
    write_lab_page(
        tmp_path / "two", TokenLab(FIG3, compact=True, home="other.html"), TokenLab(FIG3)
    )
    with opened(browser, serve(tmp_path / "two"), "lab.html") as (page, complaints):
        page.wait_for_function("document.querySelectorAll('[data-state=drawn]').length === 2")
        compact = page.locator(".nta-lab").first
        assert compact.locator(".nl-play, .nl-plot, select").count() == 0
        compact.get_by_role("button", name="Strict order").click()
        settle(page)
        assert "#" not in address(page)  # a compact lab leaves the address alone
        link = compact.get_by_role("link", name="Open the full lab →")
        link.evaluate("a => a.addEventListener('click', e => e.preventDefault())")
        link.click()
        assert link.get_attribute("href").startswith("other.html#lab=")
        full = page.locator(".nta-lab").nth(1)
        full.get_by_role("button", name="All tied").click()
        settle(page)
        assert "#lab=" in address(page)
        assert complaints == []
