"""Print the built book into one PDF and link it from the start page.

    python -m tools.make_pdf [--without-solutions] [--code seen|all|no]

All pages stand in the order of the table of contents, each printed by Chromium as a reader would
print it; the solutions of the exercises are gathered at the end.
"""

from __future__ import annotations

import argparse
import html as markup
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from sphinx_external_toc.api import SiteMap
from sphinx_external_toc.parsing import MalformedError, parse_toc_yaml

from nta_beyond.processes import Stopped, end_with_make, family, is_full_disk
from nta_core.data.files import write_atomically
from tools.install_browser import find_browser
from tools.join_pdf import Printed, count_pages, join

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[1]
NAME = "the-next-token-automaton.pdf"
CODE = ("seen", "all", "no")  # what the pages show, folded code as well, none
#: Written by nta_book.sphinx.pages into the start page: where the link appears.
PLACE = '<p class="nta-carry" hidden></p>'
LINK = f'<p class="nta-carry"><a href="../{NAME}">The whole book as one PDF</a></p>'
SOLUTIONS = "book/sheets_with_solutions"  # at the end
LEFT_OUT = "book/sheets_without_solutions"  # every task stands in its chapter
PATIENCE = 60_000  # milliseconds until a page must be drawn

_HREF = re.compile(r'href="([^"]*)"')
_DRAWN = """async ({ solutions, code }) => {
  const page = document.documentElement;
  page.classList.add("nta-book-on-paper");
  page.dataset.ntaSolutions = solutions ? "yes" : "no";
  page.dataset.ntaCode = code;
  await globalThis.nta?.drawAll();
  const parts = [...document.querySelectorAll(".nta-fig, .nta-explorer, .nta-widget")];
  const drawn = () => parts.every((el) => ["drawn", "error"].includes(el.dataset.state));
  while (!drawn()) await new Promise((done) => setTimeout(done, 50));
  return parts
    .filter((el) => el.dataset.state === "error")
    .map((el) => el.getAttribute("aria-label") ?? el.className);
}"""
# Chromium names a place of the printed file only if the page itself links there.  The links take
# no room: at the end of a full page they would begin another.
_NAME_PLACES = """(anchors) => {
  const box = document.createElement("div");
  box.style.cssText = "position:absolute;top:0;font-size:1px;line-height:1px;color:transparent";
  for (const anchor of anchors) {
    if (!document.getElementById(anchor)) continue;
    const link = document.createElement("a");
    link.href = `#${encodeURIComponent(anchor)}`;
    link.textContent = ".";
    box.append(link);
  }
  document.querySelector("article").append(box);
}"""
_SECTIONS = """() => [...document.querySelectorAll("article section[id] > h2")].map((h) => {
  const words = h.cloneNode(true);
  words.querySelector(".headerlink")?.remove();
  return [h.parentElement.id, words.textContent.trim()];
})"""


class PdfError(Exception):
    """No PDF was made; the message says why."""


@dataclass(frozen=True)
class Choice:
    """What goes on paper beside text and pictures."""

    solutions: bool = True
    code: str = "seen"

    @property
    def name(self) -> str:
        """The name of the file: each choice has one of its own."""
        code = {"seen": "", "all": "-with-all-code", "no": "-without-code"}[self.code]
        return NAME.replace(".pdf", f"{'' if self.solutions else '-without-solutions'}{code}.pdf")


@dataclass(frozen=True)
class Entry:
    """A page in the table of contents; `part` is the heading of the part that it begins."""

    page: str
    depth: int
    part: str = ""


def contents(root: Path) -> list[Entry]:
    """Return the pages in the order of the printed book."""
    try:
        toc = parse_toc_yaml(root / "_toc.yml")
    except (MalformedError, OSError) as error:
        raise PdfError(f"_toc.yml: {error}") from error
    found = [Entry(toc.root.docname, 0), *_below(toc, toc.root.docname, 0)]
    kept = [entry for entry in found if entry.page not in (SOLUTIONS, LEFT_OUT)]
    last = [Entry(SOLUTIONS, 0, "Solutions") for entry in found if entry.page == SOLUTIONS]
    return kept + last


def _below(toc: SiteMap, page: str, depth: int) -> Iterator[Entry]:
    """Give the pages below one, with the heading of a part at its first page."""
    for part in toc[page].subtrees:
        heading = part.caption or ""
        for name in map(str, part.items):
            yield Entry(name, depth, heading)
            yield from _below(toc, name, depth + 1)
            heading = ""


def anchors(html: Path, pages: list[str]) -> dict[str, set[str]]:
    """Return, for the address of every page, the anchors on it that some page links to."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        address = (html / f"{page}.html").as_uri()
        for href in _HREF.findall((html / f"{page}.html").read_text(encoding="utf-8")):
            target, _, anchor = urljoin(address, markup.unescape(href)).partition("#")
            if anchor and urlsplit(target).scheme == "file":
                wanted[target].add(unquote(anchor))
    return wanted


def print_book(root: Path, entries: list[Entry], page: Page, choice: Choice) -> bytes:
    """Print all pages of ``root/_build/html`` and return them as one file."""
    html = root / "_build" / "html"
    wanted = anchors(html, [entry.page for entry in entries])
    printed = []
    for k, entry in enumerate(entries, start=1):
        print(f"\rprinting page {k} of {len(entries)} ", end="", flush=True)
        printed.append(print_page(html, entry, wanted, page, choice))
    print(flush=True)
    named = re.search(r"^title: *(.+)$", _read(root / "_config.yml"), re.MULTILINE)
    title = named[1].strip("'\"") if named else "The book"
    front = _front(title, printed, page, first=1)
    # Now that its length is known, the numbers in it can be right.
    front = _front(title, printed, page, first=1 + count_pages(front))
    cover = Printed(address="about:contents", title="Contents", pdf=front)
    return join([cover, *printed], title=title)


def print_page(
    html: Path, entry: Entry, wanted: dict[str, set[str]], page: Page, choice: Choice
) -> Printed:
    """Print one page with everything on it drawn."""
    address = (html / f"{entry.page}.html").as_uri()
    page.goto(address, wait_until="load")
    try:
        faults = page.evaluate(_DRAWN, asdict(choice))
    except Exception as error:
        raise PdfError(f"{entry.page}.html did not come to rest: {error}") from error
    if faults:
        raise PdfError(f"{entry.page}.html: a picture could not be drawn: {faults[0]}")
    sections = [(str(anchor), str(words)) for anchor, words in page.evaluate(_SECTIONS)]
    page.evaluate(_NAME_PLACES, sorted(wanted[address] | {anchor for anchor, _ in sections}))
    return Printed(
        address=address,
        title=page.title().rpartition(" — ")[0] or page.title(),
        pdf=_pdf(page),
        depth=entry.depth,
        sections=sections,
        part=entry.part,
    )


def _pdf(page: Page) -> bytes:
    return page.pdf(prefer_css_page_size=True, format="A4", print_background=True)


def _front(title: str, printed: list[Printed], page: Page, *, first: int) -> bytes:
    """Print the title and the table of contents; `first` is the number of the first page."""
    lines = []
    for item in printed:
        if item.part:
            lines.append(f"<h2>{markup.escape(item.part)}</h2>")
        lines.append(
            f'<p style="margin-left:{1.2 * item.depth}em"><a href="{item.address}">'
            f"{markup.escape(item.title)}</a><span>{first}</span></p>"
        )
        first += count_pages(item.pdf)
    page.goto("about:blank")
    page.set_content(_FRONT.format(title=markup.escape(title), lines="\n".join(lines)))
    return _pdf(page)


_FRONT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
@page {{ size: A4; margin: 20mm 18mm }}
body {{ font: 11pt/1.5 "Source Serif 4", Charter, Georgia, serif; color: #1b1f24 }}
header {{ break-after: page; padding-top: 80mm; text-align: center }}
h1 {{ font-size: 30pt; line-height: 1.2; margin: 0 0 8mm }}
h2 {{ font-size: 11pt; margin: 4mm 0 1mm; break-after: avoid }}
p {{ margin: 0; display: flex; gap: 1em; justify-content: space-between }}
header p {{ display: block }}
a {{ color: inherit; text-decoration: none }}
</style></head><body><header><h1>{title}</h1>
<p>The book on paper. The pictures that move stand still here, at their start.</p></header>
<h2 style="font-size:16pt">Contents</h2>{lines}</body></html>"""


@contextmanager
def opened_browser() -> Iterator[Page]:
    """Give a page of the Chromium of this machine, which may load nothing from a network."""
    path = find_browser()
    if path is None:
        raise PdfError("NO CHROMIUM: install chromium or chrome, or set CHROMIUM to its path")
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise PdfError("playwright is missing: pip install -r requirements-dev.txt") from error
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=arguments)
        except Error as error:
            raise PdfError(f"{path} does not start: {error}") from error
        context = browser.new_context(viewport={"width": 1000, "height": 1400}, offline=True)
        context.set_default_timeout(PATIENCE)
        try:
            yield context.new_page()
        finally:
            browser.close()


def make(root: Path = ROOT, *, choice: Choice = Choice(), force: bool = False) -> Path:
    """Print the book that is built and put it beside its pages; return its path.

    The start page links the file that is made where nothing is chosen.
    """
    html, stamp = root / "_build" / "html", root / "_build" / "html.stamp"
    entries = [e for e in contents(root) if choice.solutions or e.page != SOLUTIONS]
    start, target = html / f"{entries[0].page}.html", html / choice.name
    is_linked = choice != Choice() or LINK in _read(start)
    missing = [entry.page for entry in entries if not (html / f"{entry.page}.html").exists()]
    if missing or not start.exists():
        raise PdfError(f"there is no built book: {missing[0]}.html is missing.  Run: make book")
    # A new build throws the old PDF away with the old pages, so one that is there belongs to them.
    if target.exists() and is_linked and not force:
        print("the PDF is up to date", flush=True)
        return target
    before = _read(stamp)
    with opened_browser() as page:
        pdf = print_book(root, entries, page, choice)
    if _read(stamp) != before:
        raise PdfError("the book was built anew while it was printed.  Run it again")
    write_atomically(target, pdf)
    if not is_linked:
        write_atomically(start, start.read_text(encoding="utf-8").replace(PLACE, LINK))
    return target


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(arguments: list[str] | None = None) -> int:
    """Make the PDF from the command line; 0 means that it is there and linked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="folder with _config.yml")
    parser.add_argument("--without-solutions", action="store_true", help="leave solutions out")
    parser.add_argument("--code", choices=CODE, default=CODE[0], help="which code is printed")
    parser.add_argument("--force", action="store_true", help="print even when up to date")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    try:
        with family():  # no browser outlives a run that is stopped
            choice = Choice(solutions=not options.without_solutions, code=options.code)
            path = make(options.root.resolve(), choice=choice, force=options.force)
    except KeyboardInterrupt as stop:
        return _not_made("interrupted", stop.code if isinstance(stop, Stopped) else 130)
    except (PdfError, OSError) as failure:
        return _not_made(str(failure), 1)
    except Exception as failure:
        if not is_full_disk(failure):
            raise
        return _not_made(str(failure), 1)
    size, seconds = path.stat().st_size / 1e6, time.perf_counter() - started
    print(f"the book is in {path} ({size:.1f} MB, {seconds:.0f} s)")
    return 0


def _not_made(why: str, code: int) -> int:
    if is_full_disk(why):
        why = f"NO SPACE LEFT on the disk of the book, or of a temporary folder.\n\n{why}"
    print(f"{why}\n\nTHE PDF WAS NOT MADE.", file=sys.stderr)
    return code


if __name__ == "__main__":
    end_with_make()
    sys.exit(main())
