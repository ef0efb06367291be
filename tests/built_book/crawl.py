"""What must hold for every built page, as functions that return the problems they find."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from bs4 import BeautifulSoup, Tag

HTML_BUDGET = 1_500_000  # bytes of one page's HTML
GENERATED = {
    "index",
    "genindex",
    "search",
    "py-modindex",
    "prf-prf",
}  # pages Sphinx adds to those of the toc
_LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}
_NOT_LOADED = {"next", "prev", "index", "search", "canonical", "author", "copyright", "license"}
_CSS_ADDRESS = re.compile(r"""(?:url\(\s*|@import\s+)["']?(?P<address>(?:https?:)?//[^"')\s]+)""")


def built_pages(html: Path) -> list[Path]:
    """Return every HTML page of the book, helper files of the theme left out."""
    return sorted(p for p in html.rglob("*.html") if "_static" not in p.relative_to(html).parts)


@lru_cache(maxsize=256)
def soup(page: Path) -> BeautifulSoup:
    """Return a page as a tree."""
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def pages_against_toc(html: Path, toc: Iterable[str]) -> list[str]:
    """Every page of the table of contents is built, and nothing else is."""
    built = {p.relative_to(html).with_suffix("").as_posix() for p in built_pages(html)}
    wanted = set(toc)
    return [f"in the toc but not built: {name}" for name in sorted(wanted - built)] + [
        f"built but not in the toc: {name}" for name in sorted(built - wanted - GENERATED)
    ]


def tracebacks(page: Path) -> list[str]:
    """No output shows an error, and no output waits for a kernel."""
    found = [node.get_text()[:80] for node in soup(page).select(".output.traceback")]
    found += [
        text.get_text()[:80]
        for text in soup(page).select(".cell_output pre")
        if "Traceback (most recent call last)" in text.get_text()
    ]
    waiting = soup(page).select('script[type*="vnd.jupyter"]')
    return [f"a traceback: {text}" for text in found] + [
        f"needs a kernel: {w}"[:80] for w in waiting
    ]


def outside_addresses(page: Path) -> list[str]:
    """Nothing the page loads by itself comes from elsewhere; links a reader may follow can."""
    addresses = [address for _, address in _loaded(page)]
    addresses += [m["address"] for m in _CSS_ADDRESS.finditer(str(soup(page).select("style")))]
    return [f"loads {a}" for a in addresses if urlsplit(a).netloc]


def outside_addresses_of_styles(html: Path) -> list[str]:
    """The same for style sheets."""
    return [
        f"{css.relative_to(html)} loads {match['address']}"
        for css in sorted(html.rglob("*.css"))
        for match in _CSS_ADDRESS.finditer(css.read_text(encoding="utf-8"))
    ]


def _loaded(page: Path) -> Iterator[tuple[Tag, str]]:
    for name, attribute in _LOADED.items():
        for tag in soup(page).find_all(name):
            if tag.get(attribute) and not _NOT_LOADED.intersection(tag.get("rel") or ()):
                yield tag, str(tag[attribute])


def broken_links(page: Path, html: Path) -> list[str]:
    """Every address inside the book leads to a file, and every anchor to an element."""
    addresses = {address for _, address in _loaded(page)}
    addresses |= {str(a["href"]) for a in soup(page).find_all("a", href=True)}
    return [f"dead link: {a}" for a in sorted(addresses) if not _leads_somewhere(a, page, html)]


def _leads_somewhere(address: str, page: Path, html: Path) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(html.resolve()):
        return False
    if not parts.fragment or target.suffix != ".html":
        return True
    name = unquote(parts.fragment)
    return soup(target).find(attrs={"id": name}) is not None or name == "top"


def dead_launch_paths(page: Path, root: Path) -> list[str]:
    """A launch button opens a notebook that exists in the repository."""
    problems = []
    for link in soup(page).select('a[href*="urlpath="], a[href*="colab.research.google.com"]'):
        address = urlsplit(str(link["href"]))
        query = parse_qs(address.query)
        if "urlpath" in query:
            path = query["urlpath"][0].removeprefix("lab/tree/")
            if "repo" in query:  # nbgitpuller puts the clone into a folder of its name
                path = path.removeprefix(query["repo"][0].rpartition("/")[2] + "/")
        else:  # /github/someone/a-book/blob/main/book/index.ipynb
            path = "book/" + address.path.rpartition("/book/")[2]
        if not (root / path).is_file():
            problems.append(f"launch button opens {path}, which does not exist")
    return problems


def missing_download(page: Path) -> list[str]:
    """A chapter can be downloaded as a notebook."""
    links = [urlsplit(str(a["href"])) for a in soup(page).find_all("a", href=True)]
    here = [link for link in links if not link.netloc and link.path.endswith(".ipynb")]
    return [] if here else ["no notebook to download"]


def undescribed_pictures(page: Path) -> list[str]:
    """Every picture, explorer and widget says in words what it shows."""
    problems = [f"image without alt: {i.get('src')}" for i in soup(page)("img") if not i.get("alt")]
    for figure in soup(page).select("figure.nta-fig"):
        panel = _panel(figure, page)
        alts = (
            [leaf.get("alt") for leaf in _leaves(panel)]
            if panel
            else [drawing.get("aria-label") for drawing in figure.select(".nta-drawing")]
        )
        if not alts or not all(str(alt or "").strip() for alt in alts):
            problems.append(f"figure without alt text: {str(figure)[:80]}")
    for part in soup(page).select("section.nta-explorer, div.nta-widget"):
        if not str(part.get("aria-label") or "").strip():
            problems.append(f"explorer without a name: {str(part)[:80]}")
    return problems


def _panel(figure: Tag, page: Path) -> dict | None:
    """What a figure draws: it stands in the page, or in a script of its own beside the others."""
    if name := figure.get("data-panel"):
        book = next(folder for folder in page.parents if (folder / "_static").is_dir())
        script = (book / "_static" / "states" / f"{name}.js").read_text(encoding="utf-8")
        return json.loads(script.partition(" = ")[2].rstrip().removesuffix(";"))
    payload = figure.find("script", type="application/json")
    return json.loads(payload.string) if payload else None


def _leaves(panel: dict) -> Iterator[dict]:
    if panel["kind"] == "panels":
        for item in panel["items"]:
            yield from _leaves(item)
    else:
        yield panel


def overweight(page: Path) -> list[str]:
    """The HTML of a page stays within its budget."""
    size = page.stat().st_size
    return [f"{size:,} bytes of HTML, budget {HTML_BUDGET:,}"] if size > HTML_BUDGET else []
