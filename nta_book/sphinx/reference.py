"""The API reference: docstrings as pages, linked to the chapters that explain and use each name.

A page names rooms; while Sphinx reads it, the line is replaced by autodoc directives::

    ```{nta-api} nta_core.svm
    ```

"Explained in: chapter 5." at the end of a docstring becomes a link, so that a chapter which does
not exist stops the strict build.  "Used in" is read from the chapters' own code.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from nta_book.sphinx.chapterlinks import label_of_page, linked, said_chapters, take_explained
from nta_book.sphinx.public import comment_on, kind_of, public_names, summary_of, value_of
from nta_book.sphinx.usage import code_of, names_used

_FENCE = re.compile(r"^```\{(nta-api|nta-api-overview)\} (.+)\n```$", re.MULTILINE)
PACKAGES = ("nta_core", "nta_beyond", "nta_book")
_LOGGER = logging.getLogger(__name__)


def register(app: Sphinx) -> None:
    """Connect the reference to Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")  # has the events below
    app.connect("source-read", _expand)
    # Before napoleon, which takes everything after the last heading for a part of that section.
    app.connect("autodoc-process-docstring", _take_places, priority=400)
    app.connect("autodoc-process-docstring", _add_places, priority=600)
    app.connect("autodoc-process-signature", _leave_out_signature)
    app.connect("autodoc-skip-member", _skip_member)
    app.connect("missing-reference", _find_public)


# ---- pages ---------------------------------------------------------------------------------------


def api_pages(book: Path) -> dict[str, list[str]]:
    """Return the pages of the reference, by name, and the rooms that each of them shows."""
    return {
        page.stem: [room for match in _FENCE.findall(_read(page)) for room in match[1].split()]
        for page in sorted((book / "api").glob("*.md"))
    }


@cache
def documented(book: Path) -> set[str]:
    """Return the full path of every name that has an entry in the reference."""
    rooms = [room for page in api_pages(book).values() for room in page]
    return {path for room in rooms for path in public_names(room)}


def _expand(app: Sphinx, docname: str, content: list[str]) -> None:
    """Write what the fences ``{nta-api}`` and ``{nta-api-overview}`` stand for."""
    if docname == "book/api" or docname.startswith("book/api/"):
        book = Path(app.srcdir) / "book"
        writers = {"nta-api": _entries, "nta-api-overview": _overview}
        content[0] = _FENCE.sub(
            lambda match: "\n".join(writers[match[1]](book, match[2].split())), content[0]
        )


def _entries(book: Path, rooms: list[str]) -> list[str]:
    paths = [path for room in rooms for path in public_names(room)]
    return ["```{eval-rst}", *(line for path in paths for line in _entry(book, path)), "```"]


def _entry(book: Path, path: str) -> list[str]:
    kind = kind_of(value_of(path))
    if kind != "data":
        members = ["   :members:", "   :member-order: bysource"] if kind != "function" else []
        return [f".. auto{kind}:: {path}", *members, ""]
    module, _, name = path.rpartition(".")
    head = [f".. py:data:: {name}", f"   :module: {module}", f"   :value: {value_of(path)!r}", ""]
    return [*head, *(f"   {line}" for line in [*comment_on(path), "", *_places(book, path)]), ""]


def _overview(book: Path, pages: list[str]) -> list[str]:
    """Return one table per page: every name, as a link, with its first sentence."""
    lines: list[str] = []
    for page in pages:
        title, said = re.findall(
            r"^# (.+)\n+(.+?)(?:\. |\.?$)", _read(book / f"api/{page}.md"), re.M
        )[0]
        lines += [f"## {title}", "", f"{{doc}}`{said} <api/{page}>`", ""]
        lines += [":::{div} nta-overview", "", "| name | what it is |", "|---|---|"]
        for path in (path for room in api_pages(book)[page] for path in public_names(room)):
            said = re.sub(r"`([^`]+)`", r"*\1*", summary_of(path)).replace("|", "\\|")
            lines.append(f"| {{py:obj}}`{path.rpartition('.')[2]} <{path}>` | {said} |")
        lines += ["", ":::", ""]
    return lines


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


# ---- places in the book --------------------------------------------------------------------------

# taken before napoleon, put back after it
_EXPLAINED: dict[str, tuple[str, str]] = {}
_PROPERTIES: dict[str, list[str]] = {}


def _take_places(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    try:
        places = take_explained(lines)
        if places is not None:
            linked(places[0])
            _EXPLAINED[name] = places
    except ValueError as error:
        _LOGGER.warning("%s: %s", name, error, type="nta", subtype="api")
    lines[:] = without_substitutions(lines)
    if what in ("property", "attribute"):  # napoleon would take "text: text" for a type
        parsed = NumpyDocstring(lines, app.config, app, "method", name, obj, options)
        _PROPERTIES[name], lines[:] = parsed.lines(), []


def _add_places(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    lines[:] = _PROPERTIES.pop(name, lines)
    lines += ["", *_places(Path(app.srcdir) / "book", name)]


def without_substitutions(lines: list[str]) -> list[str]:
    r"""Escape the bars of |C| in sentences, which reStructuredText would take for a variable.

    >>> without_substitutions(["|C| is a size", "", ">>> 1 | 2", "3"])
    ['\\|C\\| is a size', '', '>>> 1 | 2', '3']
    """
    code = False
    escaped = []
    for line in lines:
        code = line.lstrip().startswith(">>>") or (code and bool(line.strip()))
        escaped.append(line if code else re.sub(r"(`[^`]*`)|\|", _escaped, line))
    return escaped


def _escaped(match: re.Match[str]) -> str:
    return match[1] or r"\|"


def _places(book: Path, path: str) -> list[str]:
    """Return where a name is explained and used, as one paragraph, or nothing."""
    where, paper = _EXPLAINED.get(path, ("", ""))
    pages = [label_of_page(page) for page in _users(book).get(path, [])]
    chapters = [int(label[3:]) for label in pages if label and label.startswith("ch-")]
    words = [f"Explained in {linked(where)}."] if where else []
    words += [f"Used in {said_chapters(chapters)}."] if chapters else []
    words += [f"Paper: {paper}."] if paper else []
    return [".. container:: nta-places", "", f"   {' '.join(words)}", ""] if words else []


@cache
def _users(book: Path) -> dict[str, set[Path]]:
    """Return the pages that use each name."""
    found: dict[str, set[Path]] = {}
    for notebook in book.glob("*.ipynb"):
        for path in names_used(code_of(notebook)):
            if entry := entry_of(path, documented(book)):
                found.setdefault(entry, set()).add(notebook)
    return found


def entry_of(path: str, names: set[str]) -> str | None:
    """Return the entry for a name, or for its class, wherever in the house it was imported from.

    >>> entry_of("p.svm.dual.solve", {"p.solve"}), entry_of("p.viz.x", {"p.viz.x", "p.x"})
    ('p.solve', 'p.viz.x')
    >>> entry_of("p.data.Dataset.of", {"p.Dataset"})
    'p.Dataset'
    """
    for wanted in (path, path.rpartition(".")[0]):
        *modules, name = wanted.split(".")
        for k in range(len(modules), 0, -1):
            if (shorter := ".".join([*modules[:k], name])) in names:
                return shorter
    return None


# ---- what autodoc shows --------------------------------------------------------------------------


def _leave_out_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: object, signature: str, returns: str
) -> tuple[str, str] | None:
    """Hide how a result is made: readers get it from a function, and read its attributes."""
    doc = getattr(obj, "__doc__", "") or ""
    if what in ("class", "exception") and "Parameters\n" not in doc:
        return "", ""
    return None


def _skip_member(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave out the fields of a named tuple, whose docstrings only number them."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def _find_public(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Element
) -> nodes.Element | None:
    """Lead a name to its public entry, and what has none (a module) to the page of its room."""
    if node.get("refdomain") != "py":
        return None
    book = Path(app.srcdir) / "book"
    target = _in_full(str(node.get("reftarget", "")), book)
    objects = env.get_domain("py").data["objects"]
    name = entry_of(target, set(objects))
    if name is not None:
        place = (objects[name].docname, objects[name].node_id)
    elif (page := _page_of(book, target)) is not None:
        place = (page, "")
    else:
        return None
    # A room that readers do not import has no page: its name stays a word.
    return (
        make_refnode(app.builder, str(node["refdoc"]), *place, contnode) if place[0] else contnode
    )


def _in_full(target: str, book: Path) -> str:
    """Return a bare name of another package, as docstrings write it, with its path."""
    name, dot, member = target.partition(".")
    paths = [path for path in documented(book) if path.endswith(f".{name}")]
    return f"{paths[0]}{dot}{member}" if len(paths) == 1 else target


def _page_of(book: Path, path: str) -> str | None:
    """Return the page for the room of a name or module of ours, empty without one, if it exists."""
    try:
        if not path.startswith(PACKAGES):
            return None
        resolve_name(path)
    except (AttributeError, ImportError):
        return None
    rooms = {room: page for page, listed in api_pages(book).items() for room in listed}
    pages = [f"book/api/{rooms[room]}" for room in rooms if f"{path}.".startswith(f"{room}.")]
    return next(iter(pages), "")
