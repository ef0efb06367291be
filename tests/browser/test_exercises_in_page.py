"""Exercises of the built book, answered where they stand: stub refused, solution accepted.

Chromium answers every exercise of every chapter, Firefox and WebKit a few.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from nta_book.sphinx.captions import taken_off
from nta_book.sphinx.pagecells import page_cells
from tests.browser import checks, engines
from tools.install_browser import find_browser
from tools.toc import toc_sources

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
PAGES = [
    path
    for path in toc_sources(ROOT)
    if path.suffix == ".ipynb" and "{exercise}" in path.read_text(encoding="utf-8")
]
TURN = re.compile(r"^`{3,}\{(exercise|solution-start|solution-end)\}", re.M)
PATIENCE = 240_000  # ms for one verdict on a busy machine
LOAD = """() => new Promise((done, no) => {
  if (globalThis.ntaPythonRun) return done(true);
  const own = document.querySelector('script[src*="nta-python.js"]');
  const script = document.createElement('script');
  script.src = own.src.replace('nta-python.js', 'nta-python-run.js');
  script.onload = () => done(true);
  script.onerror = () => no(new Error('no script'));
  document.head.append(script);
})"""
RUN = "([id, text]) => ntaPythonRun.runCell(id, text ?? undefined)"


@dataclass(frozen=True)
class Exercise:
    """The cell that calls the checker, and what the solution puts there."""

    stub: str
    solution: str


def exercises(page: Path) -> list[Exercise]:
    """The exercises of a page, read from its notebook: the last cell of each calls its checker."""
    found: list[Exercise] = []
    stub, solution, inside = "", [], ""
    for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for turn in TURN.findall(source):
                if turn == "solution-end":
                    found.append(Exercise(stub, "\n\n".join(solution)))
                stub, solution = (stub, []) if turn == "solution-start" else ("", [])
                inside = turn
        elif "remove-cell" not in cell["metadata"].get("tags", []):
            if inside == "exercise":
                stub = cell["id"]
            elif inside == "solution-start":
                solution.append(taken_off(source)[1])
    return found


def verdict(result: dict[str, Any]) -> tuple[bool | None, str]:
    """Whether the checker accepted, and what it said; None when there was no verdict."""
    if not result["ok"]:
        return None, f"{result.get('cell', '')} {result['error']}"
    said = "".join(output.get("text/html", "") for output in result["outputs"])
    kind = re.search(r'class="nta-verdict nta-verdict-(ok|hint)"', said)
    words = " ".join(unescape(re.sub(r"<[^>]*>", "", said)).split())
    return (kind[1] == "ok" if kind else None), words


@pytest.fixture(scope="module")
def address(serve: Callable[[Path], str]) -> str:
    if not (HTML / "_static" / "python" / "manifest.json").exists():
        pytest.fail("the book was built without Python for its pages: see the end of make book")
    return serve(HTML)


@pytest.fixture(scope="module")
def reader(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """One reader who goes from page to page: what was loaded once comes from the cache.

    A browser with a profile, as readers have one: private windows keep no large files.
    """
    with browser.browser_type.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=find_browser(),
        args=["--no-sandbox", "--disable-gpu"],
        viewport=checks.DESK,  # type: ignore[arg-type]
    ) as context:
        yield context


def wrong_verdicts(page: Page, tasks: list[Exercise]) -> list[str]:
    """Run stub and solution of each exercise; return what came out otherwise than it should."""
    problems = []
    page.evaluate(LOAD)
    page.set_default_timeout(PATIENCE)
    for task in tasks:
        mark = page.locator(f'[data-nta-cell="{task.stub}"]')
        if mark.count() != 1 or mark.get_attribute("data-nta-kind") != "exercise":
            problems.append(f"{task.stub} is not marked as an exercise")
            continue
        stored = " ".join((mark.locator(".nta-verdict").first.text_content() or "").split())
        solved, words = verdict(page.evaluate(RUN, [task.stub, None]))
        if solved is not False or words != stored:
            problems.append(f"stub {task.stub}: {solved}, {words!r}; the kernel said {stored!r}")
        solved, words = verdict(page.evaluate(RUN, [task.stub, task.solution]))
        if solved is not True:
            problems.append(f"solution {task.stub}: {solved}, {words!r}")
        shown = mark.locator(".nta-verdict-ok").count()
        if solved and not shown:
            problems.append(f"{task.stub}: the page does not show the verdict")
    return problems


@pytest.mark.parametrize("source", PAGES, ids=lambda path: path.stem)
def test_stub_is_refused_and_solution_accepted(
    source: Path, address: str, reader: BrowserContext
) -> None:
    page = reader.new_page()
    page.goto(f"{address}book/{source.stem}.html", wait_until="load")
    tasks = exercises(source)
    marked = page.locator('[data-nta-kind="exercise"]').count()
    assert tasks
    assert marked >= len(tasks)
    problems = wrong_verdicts(page, tasks)
    page.close()
    assert not problems, "\n".join(problems)


def test_every_exercise_of_the_book_is_known() -> None:
    count = sum(path.read_text(encoding="utf-8").count("{exercise}") for path in PAGES)
    assert sum(len(exercises(path)) for path in PAGES) == count > 70
    for path in PAGES:
        kinds = {cell.id: cell.kind for cell in page_cells(path).values()}
        assert all(kinds[task.stub] == "exercise" for task in exercises(path))


def test_from_a_disk(browser: Browser) -> None:
    source = PAGES[1]
    with checks.opened(browser, f"{HTML.as_uri()}/", f"book/{source.stem}.html") as (page, _):
        assert not wrong_verdicts(page, exercises(source)[:1])


ASKED = f"""async () => {{
  await ({LOAD})();
  const run = {RUN};
  return [await run(['STUB', null]), await run(['STUB', SOLUTION])];
}}"""


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_in_another_engine(
    engine: str, address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(engine, capfd):
        return
    with engines.ENGINES[engine](tmp_path) as ask:
        for source in (PAGES[1], PAGES[-1]):
            task = exercises(source)[0]
            script = ASKED.replace("STUB", task.stub).replace("SOLUTION", json.dumps(task.solution))
            stub, solution = ask(f"{address}book/{source.stem}.html", script)
            assert verdict(stub)[0] is False, stub
            assert verdict(solution)[0] is True, solution


# ---- planted faults ------------------------------------------------------------------------------


@pytest.fixture
def opened(address: str, reader: BrowserContext) -> Iterator[Page]:
    page = reader.new_page()
    page.goto(f"{address}book/{PAGES[1].stem}.html", wait_until="load")
    yield page
    page.close()


def test_a_checker_that_accepts_everything_is_found(opened: Page) -> None:
    (first, *_) = exercises(PAGES[1])
    opened.evaluate(LOAD)
    kind = "from nta_book.exercises.verdict import Verdict\n"
    everything = f"{kind}\nclass check:\n    def __getattr__(self, name):\n"
    everything += "        return lambda *a, **k: Verdict(True, 'fine')\ncheck = check()\n"
    stub = opened.locator(f'[data-nta-cell="{first.stub}"] .cell_input pre').text_content()
    opened.evaluate(RUN, [first.stub, f"{everything}{stub}"])
    planted = Exercise(first.stub, first.solution)
    script = "(id) => { const run = ntaPythonRun.runCell; ntaPythonRun.runCell = (i, text) => "
    script += "run(i, text ?? STUB); }".replace("STUB", json.dumps(f"{everything}{stub}"))
    opened.evaluate(script)
    assert any("stub" in problem for problem in wrong_verdicts(opened, [planted]))


def test_a_wrong_solution_is_found(opened: Page) -> None:
    (first, *_) = exercises(PAGES[1])
    planted = Exercise(first.stub, "1 / 0")
    assert any("solution" in problem for problem in wrong_verdicts(opened, [planted]))


def without_needs(route: Route) -> None:
    text = route.fetch().text()
    route.fulfill(status=200, body=re.sub(r'"(needs|gives)":\[[^\]]*\]', r'"\1":[]', text))


def broken(route: Route) -> None:
    route.fulfill(status=200, body=b"not an archive")


@pytest.mark.parametrize(
    ("pattern", "spoil"), [("**/cells/*.js*", without_needs), ("**/python/numpy*", broken)]
)
def test_a_missing_need_and_a_broken_file_are_found(
    address: str, browser: Browser, pattern: str, spoil: Callable[[Route], None]
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route(pattern, spoil)
    page.goto(f"{address}book/{PAGES[1].stem}.html", wait_until="load")
    problems = wrong_verdicts(page, exercises(PAGES[1])[:1])
    context.close()
    assert problems
