"""The Token Lab as a reader uses it: in Chromium, over http and from a file, without a kernel."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page

from nta_book.lab import TokenLab
from nta_core import FIG3, attention, gradient_descent

from .checks import AXE, ON_A_PHONE, PHONE, opened
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


def train(page: Page, steps: int) -> None:
    """Take so many steps at once, and draw."""
    ui = "document.querySelector('.nta-lab').ntaLab.ui"
    page.evaluate(f"{ui}.advance({steps}); {ui}.redraw()")


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


def set_option(page: Page, label: str, option: str) -> None:
    """Choose a setting; they are folded away until one looks for them."""
    if page.locator(".nl-settings").get_attribute("open") is None:
        page.locator(".nl-settings summary").click()
    page.locator(".nl-settings").get_by_label(label, exact=True).select_option(option)


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
        assert page.locator(".nl-track:not(.nl-weights)").count() == 2
        before = lab(page, "lab.now.loss")
        button(page, "▶ Train").click()
        page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.steps > 20")
        button(page, "❚❚ Pause").click()
        steps = lab(page, "lab.steps")
        let_frames_pass(page)
        assert lab(page, "lab.steps") == steps
        assert lab(page, "lab.now.loss") < before
        assert f"Step {steps}." in page.inner_text(WORDS)
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
    dots = "[...document.querySelectorAll('.nl-dot')].map(d => d.getAttribute('cx')).join()"
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
    assert "All six comparisons are decided" in page.inner_text(WORDS)


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
        source.scroll_into_view_if_needed()
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
    assert len(problems) == 3
    assert "Line 2, column 1: no arrow" in problems[0]
    assert "Line 4, column 10: a second arrow" in problems[1]
    assert "Line 3: zz does not run here" in problems[2]
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
        ("Steps", "shrinking", "shrinking", True),
        ("Loss", "squared", "loss", "squared"),
        ("Start", "random 3", "seed", 3),
    ],
)
def test_settings_change_the_run(
    page: Page, label: str, option: str, setting: str, value: object
) -> None:
    for _ in range(2):  # the first normalized step from zero is the same for all losses
        button(page, "Step").click()
    usual = lab(page, "[...lab.W]")
    button(page, "Reset").click()
    set_option(page, label, option)
    assert lab(page, f"lab.settings.{setting}") == value
    for _ in range(2):
        button(page, "Step").click()
    assert lab(page, "[...lab.W]") != usual


def test_a_reload_loses_nothing(page: Page) -> None:
    assert "#" not in address(page)  # looking does not touch the address
    button(page, "One tie").click()
    chip(page, 0, 0).focus()
    page.keyboard.press("ArrowUp")
    set_option(page, "Step size", "0.3")
    for _ in range(4):
        button(page, "Step").click()
    button(page, "Next token").click()
    settle(page)
    state = "[lab.draft, lab.settings, lab.steps, [...lab.W], lab.context, lab.past, lab.history]"
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


GOOD = {
    "normalized": True,
    "eta": 0.1,
    "shrinking": False,
    "loss": "log",
    "seed": None,
    "speed": 1,
}
CLOSED = {"typing": False, "film": None}


def _state(text: str = "a b -> a", **changed: object) -> str:
    """A link that the lab accepts, but for what is changed."""
    state: dict[str, object] = {
        "version": 2,
        "draft": 0,
        "settings": GOOD,
        "run": ["log", None, []],
        "context": [],
        "past": [],
        "future": [],
        "view": CLOSED,
        "pinned": None,
        "texts": [[0, 0, text]],
    }
    return _code(list((state | changed).values()))


STRETCH = [0, 0.1, 1, 0, 3]
HOSTILE = {
    "markup": "<img src=x onerror=alert(1)>",
    "not base64": "%%%",
    "not json": "abcd",
    "another shape": _code({"t": "a -> a"}),
    "another version": _state(version=1),
    "huge": "A" * 100_000,
    "a megabyte": "A" * 1_000_000,
    "half a character": "%E0%A4%A",
    "a zero byte": "%00",
    "a name of every object": "__proto__",
    "another such name": "constructor",
    "an object with such names": _code({"__proto__": {"length": 10}, "constructor": 1}),
    "settings with such names": _state(settings={"__proto__": GOOD}),
    "a speed with such a name": _state(settings={**GOOD, "speed": "__proto__"}),
    "nested": _state(context=[[[[[]]]]]),
    "huge text": _state("a " * 30_000 + "-> a"),
    "a text that grows": _state(
        texts=[[0, 0, "ab"], *([[39_999, 39_999, ""]] * 1_900)], draft=1_900
    ),
    "no text": _state(texts=[5]),
    "another text": _state(draft=7),
    "no settings": _state(settings=None),
    "bad eta": _state(settings={**GOOD, "eta": 1e9}),
    "bad speed": _state(settings={**GOOD, "speed": "constructor"}),
    "bad loss": _state(settings={**GOOD, "loss": ["log"]}),
    "bad steps": _state(run=["log", None, [[0, 0.1, 1, 0, 1e12]]]),
    "too many steps": _state(run=["log", None, [[0, 0.1, 1, 0, 60_000], [0, 1, 1, 0, 60_000]]]),
    "no run": _state(run=None),
    "a run of no races": _state("nonsense", run=["log", None, [STRETCH]]),
    "a run with another loss": _state(run=["hinge", None, [STRETCH]]),
    "bad changes": _state(past=[{}]),
    "bad context": _state(context=[{"a": 1}]),
    "long context": _state(context=["a"] * 1000),
    "bad view": _state(view={"typing": 1, "film": [0, 99]}),
    "bad pinned run": _state(pinned=["x", ["log", None, [[0]]]]),
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
    code = _state(f"{evil} a -> a", context=[evil, "a"], pinned=[evil, ["log", None, [STRETCH]]])
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
        code = _state(f"tokens: {' '.join(names)}\n{races}", context=list(names[:2]))
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


def shown(page: Page) -> list[str]:
    """What the exported Python prints, written from the numbers of the lab."""
    now = lab(page, "lab.now")
    lines = [f"step {now['steps']}"]
    for name, value in (("loss", "loss"), ("cosine", "cosine"), ("soft part", "distance")):
        lines.append(f"{name} {now[value]:.6f}")
    names, rows = lab(page, "lab.data.names"), lab(page, "lab.data.rows.map(row => row.tokens)")
    for tokens, shares in zip(rows, attentions(page), strict=True):
        pairs = zip(tokens, shares, strict=True)
        lines.append(" ".join(f"{names[k]} {share:.4f}" for k, share in pairs))
    return lines


def copied(page: Page, what: str) -> str:
    button(page, f"Copy {what}").click()
    return str(page.locator(".nl-copy").input_value())


def printed(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.splitlines()


def meters(page: Page) -> list[str]:
    return page.locator(".nl-reading b").all_inner_texts()


def test_the_python_repeats_a_run_with_all_its_changes(page: Page) -> None:
    """Races edited, tokens lost and found, steps shrunk and settings changed in the middle."""
    button(page, "One tie").click()
    set_option(page, "Start", "random 2")
    train(page, 60)
    chip(page, 0, 0).focus()
    page.keyboard.press("ArrowUp")  # d is c now, which goes on from what it knows
    train(page, 25)
    page.get_by_role("button", name="Add a token to race 1").click()
    page.locator(".nl-menu input").fill("🐭")
    page.keyboard.press("Enter")
    set_option(page, "Steps", "shrinking")
    train(page, 200)
    button(page, "Undo").click()
    train(page, 7)
    button(page, "Redo").click()
    set_option(page, "Descent", "plain")
    train(page, 11)
    button(page, "Step").click()
    program = copied(page, "Python")
    assert lab(page, "lab.recipe.length") == 5
    assert printed(program) == shown(page)
    loss, cosine, distance = (line.split()[-1] for line in printed(program)[1:4])
    assert meters(page) == [f"{float(loss):.3f}", f"{float(cosine):.4f}", f"{float(distance):.3f}"]


def test_the_python_prints_what_an_untrained_lab_shows(page: Page) -> None:
    lines = printed(copied(page, "Python"))
    assert lines[:2] == ["step 0", f"loss {lab(page, 'lab.now.loss'):.6f}"]
    assert lines[2:4] == ["cosine nan", f"soft part {lab(page, 'lab.now.distance'):.6f}"]


def test_what_was_copied_goes_when_it_is_no_longer_true(page: Page) -> None:
    copied(page, "Python")
    assert page.locator(".nl-copy").is_visible()
    button(page, "Step").click()
    assert not page.locator(".nl-copy").is_visible()


def test_a_link_restores_everything(browser: Browser, root: str, page: Page) -> None:
    """Races, changes, settings, steps, curves, context, the pinned run, what is open."""
    button(page, "One tie").click()
    set_option(page, "Start", "random 2")
    train(page, 30)
    button(page, "Pin this run").click()
    chip(page, 0, 0).focus()
    page.keyboard.press("ArrowUp")
    train(page, 45)
    set_option(page, "Steps", "shrinking")
    train(page, 5)
    button(page, "Next token").click()
    button(page, "Text").click()
    button(page, "Slow motion").click()
    for _ in range(3):
        button(page, "Next ▶").click()
    state = """[lab.draft, lab.settings, lab.steps, [...lab.W], lab.context, lab.past, lab.recipe,
        lab.now, [...lab.decided], lab.pinned.now, lab.pinned.name, lab.pinned.recipe,
        document.querySelector('.nta-lab').ntaLab.ui.view]"""
    before, link = lab(page, state), copied(page, "link")
    assert link.startswith(root + "lab.html#lab=")
    with opened(browser, root, link.removeprefix(root)) as (other, complaints):
        ready(other)
        assert lab(other, state) == before
        assert other.locator(".nl-text textarea").is_visible()
        assert "4 of 8" in other.inner_text(".nl-film")
        button(other, "Undo").click()
        assert draft(other) == before[5][-1].split("\n")
        button(other, "Step").click()
        button(page, "Undo").click()
        button(page, "Step").click()
        assert lab(other, "[...lab.W]") == lab(page, "[...lab.W]")
        assert complaints == []


def test_every_example_trains_to_its_theory(page: Page) -> None:
    names = page.locator('[aria-label="Examples"] button').all_inner_texts()
    assert names == [
        "Cat and dog",
        "Strict order",
        "One tie",
        "One upset",
        "All tied",
        "Tiny grammar",
        "The paper's four tokens",
        "Your own",
    ]
    for name in names:
        button(page, name).click()
        assert page.locator('[aria-label="Examples"] [aria-pressed=true]').inner_text() == name
        lab(page, "lab.set('eta', 1) || lab.set('normalized', false) || lab.advance(3000)")
        page.evaluate("document.querySelector('.nta-lab').ntaLab.frame()")
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
    train(page, 50)
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
    assert button(page, "▶ Train").is_disabled()
    button(page, "Text").click()
    button(page, "+ Add a race").click()
    assert lab(page, "lab.data.rows.length") == 1


def test_phone_touch_and_width(browser: Browser, root: str) -> None:
    with opened(browser, root, "lab.html", **ON_A_PHONE) as (page, complaints):
        ready(page)
        for name in ("Cat and dog", "Tiny grammar", "All tied", "The paper's four tokens"):
            button(page, name).tap()
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        chip(page, 1, 1).tap()
        page.locator(".nl-menu").get_by_role("button", name="e4", exact=True).tap()
        assert draft(page)[1] == "e3 e4 e1 -> e3"
        small = page.locator(".nta-lab :is(button, select):visible").evaluate_all(
            """all => all.filter(e => Math.min(e.offsetHeight, e.offsetWidth) < 44)
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


LONG = (
    "tokens: elephant hippopotamuses mouse 🐭🐱🐶 onomatopoeically cat\n"
    "hippopotamuses elephant onomatopoeically -> hippopotamuses\n"
    "🐭🐱🐶 hippopotamuses elephant mouse onomatopoeically -> 🐭🐱🐶\n"
    "hippopotamuses 🐭🐱🐶 cat onomatopoeically -> hippopotamuses\n"
    "elephant mouse onomatopoeically -> elephant\n"
    "elephant hippopotamuses onomatopoeically mouse cat elephant -> mouse"
)


@pytest.mark.parametrize("width", [360, 800, 1280, 1920])
def test_no_word_is_cut_and_no_two_overlap(browser: Browser, root: str, width: int) -> None:
    options = {"viewport": {"width": width, "height": 800}}
    with opened(browser, root, "lab.html#lab=" + _state(LONG), **options) as (page, complaints):
        ready(page)
        button(page, "Slow motion").click()
        faults = page.evaluate(CUT_WORDS)
        assert faults == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # a planted fault is found
        page.add_style_tag(content=".nta-lab .nl-nm { width: 2rem; } .nl-box { width: 30px; }")
        assert len(page.evaluate(CUT_WORDS)) > 5
        assert complaints == []


#: Names wider than the box around them, and names of a picture that lie on one another.
CUT_WORDS = """() => {
    const inside = (text, box) =>
        text.left > box.left - 1 && text.right < box.right + 1 &&
        text.top > box.top - 2 && text.bottom < box.bottom + 2;
    const faults = [];
    const widthOf = node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect();
    };
    for (const chip of document.querySelectorAll('.nl-chip')) {
        const name = chip.querySelector('.nl-nm') ?? chip;
        if (!inside(widthOf(name), chip.getBoundingClientRect())) faults.push(name.textContent);
        if (name.scrollWidth > name.clientWidth + 1) faults.push(`cut: ${name.textContent}`);
    }
    for (const svg of document.querySelectorAll('.nl-board svg')) {
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].filter(text => text.textContent);
        for (const text of texts) {
            const place = text.getBoundingClientRect();
            if (!inside(place, frame)) faults.push(`out: ${text.textContent}`);
        }
        const pills = [...svg.querySelectorAll('.nl-node')].map(n => n.getBoundingClientRect());
        const boxes = [...svg.querySelectorAll('.nl-box')].map(n => n.getBoundingClientRect());
        for (const [i, a] of pills.entries()) {
            if (!boxes.some(box => inside(a, box))) faults.push(`pill ${i} is in no box`);
            for (const b of pills.slice(i + 1)) {
                const apart = a.right <= b.left || b.right <= a.left ||
                    a.bottom <= b.top || b.bottom <= a.top;
                if (!apart) faults.push(`pill ${i} lies on another`);
            }
        }
        const scale = frame.width / svg.viewBox.baseVal.width;
        if (pills.length && scale < 0.75) faults.push(`shrunk to ${scale}`);
    }
    return faults;
}"""


def test_a_winner_that_does_not_run_is_met_while_typing(page: Page) -> None:
    button(page, "Text").click()
    area = page.locator(".nl-text textarea")
    area.fill("")
    area.press_sequentially("the cat chases the -> mouse")
    problem = page.locator(".nl-text li")
    assert "mouse does not run here" in problem.inner_text()
    assert "One race lacks its winner and teaches nothing." in page.inner_text(WORDS)
    problem.get_by_role("button", name="Let mouse run").click()
    assert area.input_value() == "mouse the cat chases the -> mouse"
    assert page.locator(".nl-text li").count() == 0
    assert lab(page, "lab.problem.used") == 1
    button(page, "Text").click()
    page.locator(".nl-winner").click()
    page.locator(".nl-menu input").fill("cheese")
    page.keyboard.press("Enter")
    assert page.locator(".nl-menu").count() == 0  # the key pressed nothing else
    assert "cheese does not run here" in page.locator(ROWS).first.inner_text()
    button(page, "Let cheese run").click()
    assert draft(page) == ["cheese mouse the cat chases the -> cheese"]


def test_places_are_counted_from_the_top_and_what_is_open_is_said(page: Page) -> None:
    """x was never beaten, and only z lies below it: it may stand anywhere but last."""
    button(page, "Text").click()
    page.locator(".nl-text textarea").fill("a b z -> a\nb z -> b\nx z -> x")
    track = page.locator(".nl-track").first
    titles = track.locator(".nl-box + text").all_text_contents()
    assert titles == ["1–2nd", "1–3rd", "2–3rd", "4th"]
    assert "From the top: 1–2nd a, 1–3rd x, 2–3rd b, 4th z." in track.inner_text()
    assert "no race compares a with x, x with b, not even" in track.inner_text()
    assert track.locator(".nl-apart").count() == 1  # between a and x, which share a row


def test_one_step_in_slow_motion(page: Page) -> None:
    train(page, 4)
    button(page, "Slow motion").click()
    film = page.locator(".nl-film")
    page.get_by_label("Race in slow motion").select_option("e3 e2 e1 → e3")
    scenes = []
    for _ in range(8):
        scenes.append(film.locator("h4").inner_text().split(" · ")[1])
        button(page, "Next ▶").click()
    assert scenes == [
        *("The race", "Scores", "Softmax", "Mean", "Loss", "Push", "All races", "Moved")
    ]
    assert lab(page, "lab.steps") == 5  # beyond the last frame the step is taken
    taken = lab(page, "[...lab.W]")
    for _ in range(3):
        button(page, "◀ Back").click()
    assert lab(page, "lab.steps") == 4  # and taken back
    assert film.locator("h4").inner_text() == "7 of 8 · All races"
    rows = film.locator(".nl-numbers tbody tr").all_inner_texts()
    step = lab(page, "lab.dissect(1)")
    assert len(rows) == 3
    for row, runner in zip(rows, step["runners"], strict=True):
        moved = row.split("\t")[-1].replace("−", "-")
        assert float(moved) == pytest.approx(runner["move"], abs=6e-4)
    pointed = page.locator(".nl-heat td.nl-pointed")
    assert pointed.count() == lab(page, "[...lab.dissect(1).moves].filter(by => by).length")
    film.locator("h3").click()
    button(page, "◀ Back").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert lab(page, "[...lab.W]") == taken
    button(page, "▶ Play").click()
    page.wait_for_function("document.querySelector('.nl-film h4').textContent.startsWith('3')")
    button(page, "❚❚ Pause").click()
    button(page, "Close").click()
    assert not film.is_visible()
    assert page.locator(".nl-board .nl-weights").is_visible()


def test_the_heat_map_shows_w(page: Page) -> None:
    train(page, 30)
    cells = page.locator(".nl-heat td span").all_inner_texts()
    numbers = [float(cell.replace("−", "-")) for cell in cells]
    assert numbers == pytest.approx(weights(page).ravel(), abs=0.0051)
    shades = page.locator(".nl-heat td").evaluate_all(
        "all => all.map(td => getComputedStyle(td).backgroundColor)"
    )
    strongest = int(np.abs(weights(page)).argmax())
    nothing = cells.index("0")
    assert shades[strongest] != shades[nothing]


def test_two_runs_are_compared(page: Page) -> None:
    set_option(page, "Step size", "1")
    for _ in range(30):
        train(page, 100)
    assert "cannot settle" in page.inner_text(WORDS)
    fixed = meters(page)
    button(page, "Pin this run").click()
    set_option(page, "Steps", "shrinking")
    button(page, "Reset").click()
    train(page, 3000)
    assert "The loss has come down to its least" in page.inner_text(WORDS)
    rows = [row.split("\t") for row in page.locator(".nl-compare tr").all_inner_texts()]
    table = {name: values for name, *values in rows}
    assert table["Steps"] == ["3,000", "3,000"]
    assert [table[name][0] for name in ("Loss", "Cosine", "Soft part")] == fixed
    assert [table[name][1] for name in ("Loss", "Cosine", "Soft part")] == meters(page)
    assert table["Loss"][1] == f"{lab(page, 'lab.infimum'):.3f}" != table["Loss"][0]
    assert "1/√t" in table["Settings"][1]
    assert page.locator(".nl-sparkpinned").first.get_attribute("d").count("L") > 20
    button(page, "Unpin").click()
    assert not page.locator(".nl-compare").is_visible()


def test_prose_becomes_races(page: Page) -> None:
    page.locator(".nl-prose summary").click()
    prose = page.locator(".nl-prose")
    prose.get_by_label("Prose to cut into races").fill("The cat sees the dog. The dog sees a cat!")
    prose.get_by_label("Window").select_option("3 words")
    use = prose.get_by_role("button", name="Use 3 races")
    use.wait_for()
    assert "10 words, 5 of them different, 7 windows of 3." in prose.inner_text()
    assert "3 (43%) hold their winner" in prose.inner_text()
    assert "cat sees the → dog" in prose.inner_text()
    train(page, 5)
    use.click()
    assert draft(page)[1:] == [
        *("the cat sees -> the", "sees the dog -> the", "the dog the -> dog")
    ]
    assert lab(page, "lab.steps") == 0


def test_limits_are_said_when_they_are_reached(page: Page) -> None:
    train(page, 99_990)
    button(page, "▶ Train").click()
    page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.isFull")
    page.wait_for_function("document.querySelector('.nl-train').disabled")
    assert "stops at 100,000 steps: press Reset" in page.inner_text(WORDS)
    assert button(page, "Step").is_disabled()
    button(page, "Reset").click()
    assert button(page, "▶ Train").is_enabled()
    button(page, "Text").click()
    page.locator(".nl-text textarea").fill("\n".join(["a b -> a"] * 120))
    button(page, "+ Add a race").click()
    assert "at most 120 races" in page.inner_text(WORDS)
    page.locator(".nl-text textarea").fill("a " * 24 + "-> a")
    button(page, "Text").click()
    page.get_by_role("button", name="Add a token to race 1").click()
    choose(page, "a")
    assert "at most 24 tokens" in page.inner_text(WORDS)


def test_undo_keeps_the_focus_where_it_was(page: Page) -> None:
    focused = "document.activeElement.getAttribute('aria-label')"
    chip(page, 1, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+z")
    assert draft(page)[1] == "e3 e2 e1 -> e3"
    assert page.evaluate(focused) == "e2, 2 of 3"
    page.keyboard.press("Control+Shift+z")
    assert page.evaluate(focused).startswith("e3, 2 of 3")


def test_a_new_language_begins_at_step_zero(page: Page) -> None:
    train(page, 20)
    button(page, "Text").click()
    page.locator(".nl-text textarea").fill("x y -> x")
    assert page.locator(".nl-count").inner_text() == "step 0"
    assert lab(page, "lab.recipe") == []


def test_the_sentence_keeps_up_with_the_counter(page: Page) -> None:
    button(page, "▶ Train").click()
    page.wait_for_function("document.querySelector('.nta-lab').ntaLab.lab.steps > 5")
    both = page.evaluate(
        "['.nl-count', '.nta-words'].map(at => document.querySelector(at).textContent)"
    )
    step = both[0].removeprefix("step ")
    assert f"Step {step}." in both[1]
    button(page, "❚❚ Pause").click()


def test_a_menu_stays_on_the_screen(page: Page) -> None:
    chip(page, 6, 1).evaluate("chip => chip.scrollIntoView({ block: 'end' })")
    chip(page, 6, 1).click()
    box = page.locator(".nl-menu").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 900


@pytest.fixture(scope="module")
def opening(tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Path], str]) -> str:
    """A page that opens as the book's does: words, and the layer begins to learn."""
    return serve(write_lab_page(tmp_path_factory.mktemp("opening") / "page", TokenLab(play=True)))


def test_it_learns_on_arrival_until_someone_takes_over(browser: Browser, opening: str) -> None:
    steps = "document.querySelector('.nta-lab').ntaLab.lab.steps"
    with opened(browser, opening, "lab.html") as (page, complaints):
        ready(page)
        page.wait_for_function(f"{steps} > 5")
        assert "mouse" in lab(page, "lab.data.names")
        assert "#" not in address(page)
        button(page, "❚❚ Pause").click()
        paused = lab(page, "lab.steps")
        let_frames_pass(page, 20)
        assert lab(page, "lab.steps") == paused
        assert complaints == []
    with opened(browser, opening, "lab.html") as (page, complaints):
        ready(page)
        page.wait_for_function(f"{steps} > 5")
        lab(page, "lab.settings.speed = 4")
        button(page, "▶ Train").wait_for()  # by itself: all is decided
        longest_frame = 300  # steps at this speed in 100 ms, the most that a frame makes up for
        assert 300 <= lab(page, "lab.steps") <= 900 + longest_frame
        assert complaints == []


def test_who_prefers_little_motion_starts_training_by_hand(browser: Browser, opening: str) -> None:
    with opened(browser, opening, "lab.html", reduced_motion="reduce") as (page, complaints):
        ready(page)
        let_frames_pass(page, 20)
        assert lab(page, "lab.steps") == 0
        assert button(page, "▶ Train").is_visible()
        assert complaints == []


def test_a_reload_lands_where_one_was(browser: Browser, opening: str) -> None:
    options = {"viewport": {"width": 900, "height": 500}}
    with opened(browser, opening, "lab.html", **options) as (page, complaints):
        ready(page)
        button(page, "One tie").click()
        page.evaluate("scrollTo(0, 400)")
        settle(page)
        page.wait_for_function("history.state?.ntaTop < 0")
        top = "Math.round(document.querySelector('.nta-lab').getBoundingClientRect().top)"
        before = page.evaluate(top)
        page.reload()
        ready(page)
        assert page.evaluate(top) == pytest.approx(before, abs=2)
        assert draft(page)[0] == "d b a -> d"
        assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, root: str, theme: str) -> None:
    with opened(browser, root, "lab.html") as (page, complaints):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        ready(page)
        set_option(page, "Step size", "0.3")
        train(page, 20)
        button(page, "Pin this run").click()
        button(page, "Slow motion").click()
        for _ in range(6):
            button(page, "Next ▶").click()
        page.locator(".nl-prose summary").click()
        button(page, "Try a sample").click()
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
