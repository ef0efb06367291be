"""Predict boxes in a browser: asked, answered, kept, and open where nothing can be asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import checks
from tests.small_book import ROOT, write_small_book
from tools.build_book import build

CHAPTER = "book/01_chapter.html"
MINE = "book/your_predictions.html"
FIRST, SECOND = "#predict-who", "#predict-deep"
TOUCH = 44  # px
QUESTION = """```{admonition} Predict
:class: predict
Two tokens share the highest score $s$.
Where does the output end?

- (a) In the corner of one of them.
- (b) In the middle of their edge.
- (c) Outside the triangle.
```

```{admonition} Answer
:class: dropdown answer
(b) Growing weights multiply differences, and here is none.

- (a) Rounding could only choose if there were a difference.
- (c) The output is a mean, so it stays inside.
```"""
RICH = QUESTION.replace("their edge.", "their edge, for every $s$, as {ref}`above <ch-01>`.")
PLOT = """import plotly.graph_objects as go
go.Figure(go.Scatter(y=[1, 4, 9])).update_layout(meta={"alt": "A rising line."})"""
KEY = "nta-predictions"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built book with two questions, the second in what follows the first."""
    folder = write_small_book(tmp_path_factory.mktemp("asked"), ["# Start\n\nWords."], ["# A"])
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    cells = [
        text("(ch-01)=\n# Why?\n\nLead. {ref}`to the deep <inside>`", id="why"),
        text(f"## Who?\n\nBefore.\n\n{QUESTION}\n\nAfter the first: a wombat.", id="who"),
        code(PLOT, id="plot"),
        text(f"(inside)=\n### Deep\n\n{RICH}\n\nAfter the second: an aardvark.", id="deep"),
        text("## Next\n\nThe next section.", id="next"),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.write(notebook, folder / "book" / "01_chapter.ipynb")
    page = (ROOT / "book" / "your_predictions.md").read_text(encoding="utf-8")
    (folder / "book" / "your_predictions.md").write_text(page, encoding="utf-8")
    toc = (folder / "_toc.yml").read_text(encoding="utf-8")
    (folder / "_toc.yml").write_text(toc + "  - file: book/your_predictions\n", encoding="utf-8")
    return build(folder)


@pytest.fixture(scope="module")
def address(small: Path, serve: Callable[[Path], str]) -> str:
    return serve(small)


@pytest.fixture
def asked(browser: Browser, address: str) -> Iterator[Page]:
    with checks.opened(browser, address, CHAPTER) as (page, complaints):
        yield page
    assert not complaints


@contextmanager
def reader(browser: Browser, root: str, name: str = CHAPTER, **options: object) -> Iterator[Page]:
    """A page that may make no complaint."""
    with checks.opened(browser, root, name, **options) as (page, complaints):
        yield page
    assert not complaints


def state(page: Page, box: str = FIRST) -> str | None:
    return page.locator(box).get_attribute("data-state")


def option(page: Page, letter: str, box: str = FIRST):
    return page.locator(f'{box} input[value="{letter}"]')


def leave(page: Page, address: str = "") -> None:
    """Go to another page, or to this one again, when nothing is on its way any more."""
    page.wait_for_function(
        """() => document.querySelector(".nta-predict-rest[hidden] .nta-fig") ||
        [...document.querySelectorAll(".nta-fig")].every((e) => e.dataset.state === "drawn")"""
    )
    page.wait_for_load_state("networkidle")
    page.goto(address) if address else page.reload()


def kept(page: Page) -> dict:
    return json.loads(page.evaluate(f"localStorage.getItem('{KEY}')") or "{}").get("choices", {})


def wombat(page: Page):
    return page.get_by_text("a wombat")


def answer(page: Page, box: str = FIRST):
    return page.locator(f"{box} > .answer")


# ---- asking --------------------------------------------------------------------------------------


def test_nothing_is_told_before_the_choice(asked: Page) -> None:
    assert state(asked) == "asked"
    expect(wombat(asked)).not_to_be_visible()
    expect(answer(asked)).not_to_be_visible()
    expect(asked.get_by_text("The next section")).to_be_visible()
    expect(asked.locator("main .nta-plot")).to_have_count(0)
    group = asked.get_by_role("group", name="Where does the output end?").first
    expect(group.get_by_role("radio")).to_have_count(3)
    expect(group.get_by_role("radio", name="In the middle of their edge")).to_have_count(1)


def test_a_wrong_choice_is_told_why_it_tempts_then_the_answer(asked: Page) -> None:
    asked.locator(FIRST).get_by_text("In the corner").click()
    assert state(asked) == "wrong"
    verdict = asked.locator(f"{FIRST} [role=status]")
    expect(verdict).to_have_text("Not quite: it is (b).")
    expect(wombat(asked)).to_be_visible()
    said = answer(asked).inner_text()
    assert said.index("Rounding could only") < said.index("Growing weights")
    assert "The output is a mean" in said
    expect(asked.get_by_text("an aardvark")).not_to_be_visible()
    drawn = asked.locator("main .nta-plot .main-svg").first  # drawn when opened
    expect(drawn).to_be_visible(timeout=30_000)
    assert asked.locator("main .nta-plot").bounding_box()["width"] > 300
    expect(option(asked, "a")).to_be_focused()
    assert kept(asked)["01_chapter/who"]["first"] == "a"


def test_a_right_choice(asked: Page) -> None:
    option(asked, "b").click()
    assert state(asked) == "right"
    expect(asked.locator(f"{FIRST} [role=status]")).to_have_text("Right.")
    expect(answer(asked)).to_be_visible()


def ticks(page: Page, box: str) -> int:
    """How many marks of the right option a box shows."""
    return page.locator(f"{box} .nta-predict-option *").evaluate_all(
        """parts => parts.filter(
          (el) => getComputedStyle(el, "::after").content.includes("✓")).length"""
    )


@pytest.mark.parametrize("box", [FIRST, SECOND])
def test_the_right_option_has_one_tick_whatever_it_holds(asked: Page, box: str) -> None:
    assert ticks(asked, box) == 0
    option(asked, "a").click()
    if box == SECOND:  # maths and a link are spans of their own
        assert asked.locator(f"{box} label").nth(1).locator("span.math, a span").count() == 2
        option(asked, "a", box).click()
    assert ticks(asked, box) == 1


def test_a_tick_on_every_span_would_be_seen(asked: Page) -> None:
    option(asked, "a").click()
    option(asked, "a", SECOND).click()
    asked.add_style_tag(content=".nta-is-right span::after { content: '✓' }")
    assert ticks(asked, SECOND) > 1


def test_showing_without_choosing(asked: Page) -> None:
    asked.locator(FIRST).get_by_role("button", name="Show me without choosing").click()
    assert state(asked) == "shown"
    expect(wombat(asked)).to_be_visible()
    expect(asked.locator(f"{FIRST} .nta-predict-verdict")).to_be_focused()
    assert kept(asked)["01_chapter/who"] | {"of": ""} == {
        "of": "",
        "first": "shown",
        "chosen": "shown",
    }


def test_with_the_keyboard_only(asked: Page) -> None:
    option(asked, "a").focus()
    asked.keyboard.press("Space")
    assert state(asked) == "asked"
    asked.keyboard.press("ArrowDown")
    asked.keyboard.press("ArrowDown")
    expect(option(asked, "c")).to_be_checked()
    assert state(asked) == "asked", "moving among the options is no choice"
    asked.keyboard.press("Enter")
    assert state(asked) == "wrong"
    expect(option(asked, "c")).to_be_focused()
    asked.keyboard.press("Tab")
    expect(asked.locator(FIRST).get_by_role("button", name="Ask me again")).to_be_focused()
    asked.keyboard.press("Enter")
    assert state(asked) == "asked"
    expect(option(asked, "a")).to_be_focused()
    asked.keyboard.press("ArrowDown")
    asked.keyboard.press("Tab")
    expect(asked.locator(FIRST).get_by_role("button", name="Check")).to_be_focused()
    asked.keyboard.press("Enter")
    assert state(asked) == "right"
    expect(asked.locator(f"{FIRST} .nta-predict-verdict")).to_be_focused()
    assert kept(asked)["01_chapter/who"]["first"] == "c", "the first try stays the first"


def test_with_a_finger(browser: Browser, address: str) -> None:
    with reader(browser, address, **checks.ON_A_PHONE) as page:
        for label in page.locator(f"{FIRST} label").all():
            assert label.bounding_box()["height"] >= TOUCH
        show = page.locator(FIRST).get_by_role("button", name="Show me without choosing")
        assert show.bounding_box()["height"] >= TOUCH
        page.locator(FIRST).get_by_text("In the corner").tap()
        assert state(page) == "wrong"
        assert not checks.sideways_scroll(page)


@pytest.mark.parametrize("choose", [False, True])
def test_no_reader_is_left_out(asked: Page, choose: bool) -> None:
    if choose:
        option(asked, "a").click()
    assert not checks.inaccessible(asked) + checks.pale_words(asked)
    checks.set_theme(asked, "dark")
    assert not checks.pale_words(asked)


def test_a_second_choice_changes_nothing(asked: Page) -> None:
    option(asked, "a").click()
    asked.locator(FIRST).get_by_text("In the middle").click(force=True)
    assert state(asked) == "wrong"
    assert kept(asked)["01_chapter/who"]["chosen"] == "a"


def test_ask_me_again_hides_and_restores(asked: Page) -> None:
    before = answer(asked).text_content()
    option(asked, "c").click()
    asked.locator(FIRST).get_by_role("button", name="Ask me again").click()
    assert state(asked) == "asked"
    expect(wombat(asked)).not_to_be_visible()
    assert answer(asked).text_content() == before
    leave(asked)
    assert state(asked) == "asked"


# ---- keeping -------------------------------------------------------------------------------------


def test_a_choice_outlives_the_page(asked: Page) -> None:
    option(asked, "a").click()
    leave(asked)
    assert state(asked) == "wrong"
    expect(wombat(asked)).to_be_visible()
    expect(option(asked, "a")).to_be_checked()
    assert state(asked, SECOND) == "asked"


def test_a_choice_of_another_question_says_nothing(asked: Page) -> None:
    option(asked, "a").click()
    asked.evaluate(
        f"""() => {{ const all = JSON.parse(localStorage.getItem('{KEY}'));
        all.choices['01_chapter/who'].of = 'before';
        localStorage.setItem('{KEY}', JSON.stringify(all)); }}"""
    )
    leave(asked)
    assert state(asked) == "asked"


REFUSED = """for (const kind of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, kind, { configurable: true, get() {
    throw new DOMException("refused", "SecurityError"); } }); }"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }"


@pytest.mark.parametrize("script", [REFUSED, FULL], ids=["refused", "full"])
def test_a_storage_that_takes_nothing(browser: Browser, address: str, script: str) -> None:
    with checks.opened(browser, address, CHAPTER, first=script) as (page, complaints):
        option(page, "b").click()
        assert state(page) == "right"
        leave(page)
        assert state(page) == "asked"
        leave(page, address + MINE)
        expect(page.locator(".nta-predictions [role=status]")).to_contain_text("refuses to keep")
    # The theme's first script says that it was refused before any of ours can run.
    assert not [said for said in complaints if "refused" not in said]


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "null",
        "[]",
        '"x"',
        '{"version": 99, "choices": {"01_chapter/who": {}}}',
        '{"version": 1, "choices": {"01_chapter/who": {"of": 3, "first": "<b>", "chosen": []}}}',
        '{"version": 1, "choices": {"__proto__": {"first": "a"}, "x": null}}',
    ],
)
def test_a_storage_with_what_nobody_wrote(browser: Browser, address: str, damage: str) -> None:
    planted = (
        f"localStorage.getItem('{KEY}') ?? localStorage.setItem('{KEY}', {json.dumps(damage)})"
    )
    with reader(browser, address, first=planted) as page:
        assert state(page) == "asked"
        option(page, "b").click()
        assert kept(page)["01_chapter/who"]["first"] == "b"
        leave(page)
        assert state(page) == "right"


# ---- open where it must be -----------------------------------------------------------------------


@pytest.mark.parametrize("target", ["inside", "predict-deep"])
def test_an_address_inside_what_is_hidden_opens_it(
    browser: Browser, address: str, target: str
) -> None:
    with reader(browser, address, f"{CHAPTER}#{target}") as page:
        expect(wombat(page)).to_be_visible()
        expect(page.locator(f"#{target}")).to_be_in_viewport()
        assert state(page) == "asked", "nothing was chosen"


def test_a_link_on_the_page_opens_what_is_hidden(asked: Page) -> None:
    link = asked.get_by_role("link", name="to the deep")
    link.click()
    expect(wombat(asked)).to_be_visible()
    asked.evaluate("document.querySelector('.nta-predict-rest').hidden = true")
    link.click()  # the same address once more
    expect(wombat(asked)).to_be_visible()


def test_strange_addresses_do_no_harm(browser: Browser, address: str) -> None:
    for end in ("#%E0%A4%A", "#nowhere", "#", '#"]'):
        with reader(browser, address, CHAPTER + end) as page:
            assert state(page) == "asked"


def test_the_search_of_the_browser_finds_hidden_words(asked: Page) -> None:
    rest = asked.locator(".nta-predict-rest").first
    assert rest.get_attribute("hidden") == "until-found"
    looks = rest.evaluate(
        "e => [getComputedStyle(e).display, getComputedStyle(e).contentVisibility]"
    )
    assert looks == ["block", "hidden"]
    rest.dispatch_event("beforematch")
    expect(wombat(asked)).to_be_visible()


def test_without_scripts_everything_is_open(browser: Browser, address: str) -> None:
    with checks.opened(browser, address, CHAPTER, java_script_enabled=False) as (page, _):
        expect(wombat(page)).to_be_visible()
        expect(page.get_by_text("an aardvark")).to_be_visible()
        expect(answer(page)).to_be_visible()
        expect(answer(page)).to_contain_text("Rounding could only")
        page.goto(address + MINE)
        expect(page.get_by_role("link", name="Question 1.2")).to_be_visible()
        expect(page.locator(".nta-predictions")).to_contain_text("needs JavaScript")


def test_a_script_that_is_lost_hides_nothing(browser: Browser, address: str) -> None:
    with checks.opened(browser, address, "404.html") as (page, _):
        page.route("**/nta-book.js*", lambda route: route.abort())
        page.goto(address + CHAPTER)
        expect(wombat(page)).to_be_visible()
        expect(answer(page)).to_be_visible()


def test_nothing_flashes_by(browser: Browser, address: str) -> None:
    """What follows a question is hidden before the script of the book has run."""
    with checks.opened(browser, address, "404.html") as (page, _):
        held = []
        page.route("**/nta-book.js*", lambda route: held.append(route))
        page.goto(address + CHAPTER, wait_until="commit")
        page.wait_for_selector(FIRST)
        expect(wombat(page)).not_to_be_visible()
        expect(answer(page)).not_to_be_visible()
        held[0].continue_()
        page.wait_for_selector(f"{FIRST}[data-state]")
        expect(wombat(page)).not_to_be_visible()


def test_on_paper_everything_is_open_and_then_closed_again(asked: Page) -> None:
    asked.emulate_media(media="print")
    expect(wombat(asked)).to_be_visible()
    expect(answer(asked)).to_be_visible()
    expect(asked.get_by_role("button", name="Show me without choosing").first).not_to_be_visible()
    asked.emulate_media(media="screen")
    expect(wombat(asked)).not_to_be_visible()
    asked.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(asked.locator("main .nta-plot .main-svg").first).to_be_visible(timeout=30_000)
    asked.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(wombat(asked)).not_to_be_visible()
    assert state(asked) == "asked"


@pytest.mark.parametrize("call", ["openPredictions", "drawAll"])
def test_a_program_can_open_everything(asked: Page, call: str) -> None:
    asked.evaluate(f"nta.{call}()")
    expect(wombat(asked)).to_be_visible()
    expect(asked.get_by_text("an aardvark")).to_be_visible()
    expect(answer(asked)).to_be_visible()
    assert kept(asked) == {}, "nothing was chosen"


# ---- one's own predictions -----------------------------------------------------------------------


def row(page: Page, chapter: str) -> list[str]:
    cells = page.locator(".nta-predictions tr", has=page.locator(f"th:text-is('{chapter}')"))
    return cells.locator("td").all_inner_texts()


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_my_predictions_are_counted_saved_deleted_and_loaded(
    browser: Browser, small: Path, address: str, scheme: str, tmp_path: Path
) -> None:
    root = address if scheme == "http" else f"{small.as_uri()}/"
    with reader(browser, root, MINE) as page:
        status = page.locator(".nta-predictions [role=status]")
        expect(status).to_have_text("You have answered none of the 2 questions yet.")
        leave(page, root + CHAPTER)
        option(page, "b").click()
        option(page, "a", SECOND).click()
        leave(page, root + MINE)
        expect(status).to_contain_text("2 of 2 questions, 1 of them right at the first try")
        assert row(page, "1") == row(page, "all") == ["2", "2", "1"]
        expect(page.get_by_role("listitem").filter(has_text="Question 1.2")).to_contain_text(
            "you said (a), it is (b)"
        )
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a file").click()
        download.value.save_as(tmp_path / "mine.json")
        assert set(json.loads((tmp_path / "mine.json").read_text())["choices"]) == {
            "01_chapter/who",
            "01_chapter/deep",
        }
        page.get_by_role("button", name="Delete all").click()
        assert len(kept(page)) == 2, "one click deletes nothing"
        page.get_by_role("button", name="Really delete all?").click()
        assert page.evaluate(f"localStorage.getItem('{KEY}')") is None
        expect(status).to_contain_text("You have answered none")
        page.get_by_label("Load a file").set_input_files(tmp_path / "mine.json")
        expect(status).to_contain_text("Loaded 2 choices.")
        assert row(page, "all") == ["2", "2", "1"]
        (tmp_path / "other.json").write_text("[1, 2]")
        page.get_by_label("Load a file").set_input_files(tmp_path / "other.json")
        expect(status).to_contain_text("That file holds no predictions.")
        page.get_by_role("link", name="Question 1.2").click()
        expect(page.locator(SECOND)).to_be_in_viewport()
        expect(page.locator(SECOND)).to_have_attribute("data-state", "wrong")


def test_the_page_of_predictions_leaves_nobody_out(browser: Browser, address: str) -> None:
    with reader(browser, address, MINE) as page:
        assert not checks.inaccessible(page) + checks.pale_words(page)
        page.set_viewport_size(checks.PHONE)
        assert not checks.sideways_scroll(page)
