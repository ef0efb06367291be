"""The built book in Firefox and WebKit, from a disk: used, and looked at in a narrow window.

A sample stands for all pages: one of each kind.  ``make engines`` takes every page.
An engine that is missing is named loudly; where ``NTA_ENGINES=all`` asks for it, that is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from websocket import WebSocketException

from tests.browser import checks, engines
from tests.browser.test_checks_find_faults import SOUND, site
from tests.browser.witness import with_probes
from tests.built import PAGES, built_book
from tests.every_page import EVERY_PAGE

__all__ = ["site"]  # a fixture
MADE = ["genindex.html", "search.html", "prf-prf.html"]  # by Sphinx
SAMPLE = [
    "book/index.html",  # the moving picture
    "book/05_which_w.html",  # drawings, plots, sliders, choices, a small Token Lab
    "book/13_scan_then_snap.html",  # the other lab
    "book/token_lab.html",
    "book/18_why_does_it_repeat_itself.html",  # the urn
    "book/theorems.html",
    "book/ledger.html",
    "book/api/viz.html",
    "genindex.html",
    "prf-prf.html",
]
CHOSEN = [*PAGES, *MADE] if EVERY_PAGE else SAMPLE
# Its lab is a drawing without a button.
SOUND_HERE = SOUND[: SOUND.index('<div class="nta-widget"')] + "</main></body></html>"


@pytest.fixture(scope="session")
def witnessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built book with probes."""
    folder = tmp_path_factory.mktemp("witness") / "html"
    return with_probes(built_book(), folder, CHOSEN)


#: WebKit tells no name of an error in a file of a page from a disk, nor of its notice that sizes
#: changed while they were watched: that comes on a busy machine, and is no error.
NAMELESS = "Script error."
NOTICE = "ResizeObserver loop completed with undelivered notifications."


class Engines:
    """Engines that are started when a test first wants one, and end with the last test."""

    def __init__(self, factory: pytest.TempPathFactory, serve: Callable[[Path], str]) -> None:
        self._factory, self._serve = factory, serve
        self._running: dict[str, tuple[engines.Ask, ExitStack]] = {}

    def __getitem__(self, name: str) -> engines.Ask:
        if name not in self._running:
            stack = ExitStack()
            ask = stack.enter_context(engines.ENGINES[name](self._factory.mktemp(name)))
            self._running[name] = (ask, stack)
        return self._running[name][0]

    def end(self, name: str) -> None:
        with suppress(OSError):  # it may have ended by itself
            self._running.pop(name)[1].close()

    def problems_of(self, name: str, folder: Path, page: str) -> list[str]:
        """Use a page from a disk, and over http if it has errors whose names no disk tells."""
        found = self._ask(name, f"{folder.as_uri()}/{page}")
        if any(problem.endswith(NAMELESS) for problem in found):
            found = [problem for problem in found if not problem.endswith(NAMELESS)]
            found += self._ask(name, f"{self._serve(folder)}{page}")
        return [problem for problem in found if NOTICE not in problem]

    def _ask(self, name: str, address: str) -> list[str]:
        """Use a page; an engine that breaks down has a second go, from its start."""
        try:
            return problems_of(self[name], address)
        except (AssertionError, OSError, WebSocketException):
            self.end(name)
            return problems_of(self[name], address)

    def end_all(self) -> None:
        for name in list(self._running):
            self.end(name)


@pytest.fixture(scope="session")
def running(
    tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Path], str]
) -> Iterator[Engines]:
    started = Engines(tmp_path_factory, serve)
    yield started
    started.end_all()


@pytest.mark.parametrize("page", CHOSEN)
@pytest.mark.parametrize("name", engines.ENGINES)
def test_a_page_is_used_and_fits(
    name: str, page: str, running: Engines, witnessed: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    problems = running.problems_of(name, witnessed, page)
    assert not problems, "\n".join(problems)


#: A planted fault, what it is put in place of, and a word of what is said about it.
FAULTS = {
    "uncaught error": ("<h1>", "<script>nowhere()</script><h1>", "rror"),
    "error in a file": ("<h1>", '<script src="fault.js"></script><h1>', "nowhere"),
    "console error": ("<h1>", "<script>console.error('planted')</script><h1>", "planted"),
    "missing file": ("<h1>", '<img src="lost.png" alt="lost"><h1>', "lost.png"),
    "figure that fails": ('"kind": "plotly"', '"kind": "hologram"', "hologram"),
    "dead slider": ("[range, select, box])", "[select, box])", "moves nothing: range"),
    "dead lab": ("<p><span", '<div class="nta-widget" data-state="drawn"></div><p><span', "trains"),
    "cell that fails": (
        "<h1>",
        '<div data-nta-cell="one"><button class="nta-run-run" onclick="this.nextSibling'
        '.textContent = \'NameError.\'">run</button><p class="nta-run-said"></p></div><h1>',
        "does not run: one",
    ),
    "wide box": ("<h1>", '<div style="width: 900px">wide</div><h1>', "360 px: the page scrolls"),
}


BUSY = """const [h1] = document.querySelectorAll("h1");
let times = 0;
new ResizeObserver(() => { if (times++ < 3) h1.style.width = `${200 + times}px`; }).observe(h1);"""


@pytest.mark.parametrize("name", engines.ENGINES)
def test_planted_faults_are_found_in_every_engine(
    name: str,
    running: Engines,
    site: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if not engines.is_here(name, capfd):
        return
    pages = {"sound.html": SOUND_HERE}
    for k, (sound, planted, _) in enumerate(FAULTS.values()):
        assert sound in SOUND_HERE
        pages[f"{k}.html"] = SOUND_HERE.replace(sound, planted, 1)
    (site / "fault.js").write_text("nowhere()")
    (site / "busy.js").write_text(BUSY)
    pages["busy.html"] = SOUND_HERE.replace("<h1>", '<script defer src="busy.js"></script><h1>', 1)
    for page, words in pages.items():
        (site / page).write_text(words, encoding="utf-8")
    root = with_probes(site, tmp_path / "html", pages)
    assert running.problems_of(name, root, "sound.html") == []
    assert running.problems_of(name, root, "busy.html") == []
    for k, (_, _, said) in enumerate(FAULTS.values()):
        problems = running.problems_of(name, root, f"{k}.html")
        assert any(said in problem for problem in problems), (list(FAULTS)[k], problems)


def problems_of(ask: engines.Ask, address: str) -> list[str]:
    """Use a page and look at it in a narrow window; return what is wrong."""
    wide = list(ask(address, "() => probe.use()"))
    width = checks.PHONE["width"]
    narrow = ask(address, "() => probe.useNarrowly()", width=width)
    return wide + [f"{width} px: {problem}" for problem in narrow]
