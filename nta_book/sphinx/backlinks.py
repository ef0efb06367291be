"""From a chapter to the API reference: the functions it uses, listed and linked."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from nta_book.sphinx.chapterlinks import label_of_page
from nta_book.sphinx.markup import link
from nta_book.sphinx.reference import documented, entry_of
from nta_book.sphinx.usage import code_of, names_used

# Chapters import this room as a whole, so that their text says viz.race, and race is a word.
_BY_ROOM = "nta_book.viz."


def register(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.connect("doctree-read", add_backlinks)


def add_backlinks(app: Sphinx, doctree: nodes.document) -> None:
    """Close a chapter with its functions, and link the first mention of each in its text."""
    source = Path(app.env.doc2path(app.env.docname))
    if "book/api" not in app.env.found_docs or label_of_page(source) is None:
        return  # a book without a reference has nothing to link to
    names = documented(Path(app.srcdir) / "book")
    link_mentions(doctree, names)
    used = {entry for path in names_used(code_of(source)) if (entry := entry_of(path, names))}
    section = next(iter(doctree.findall(nodes.section)), None)
    if used and section is not None:
        section += _closing(sorted(used, key=lambda path: _last(path).lower()))


def _closing(paths: list[str]) -> nodes.container:
    paragraph = nodes.paragraph("", "Functions used on this page: ")
    for k, path in enumerate(paths):
        paragraph += nodes.Text(", " if k else "")
        paragraph += link("py:obj", path, nodes.literal("", _last(path)))
    paragraph += nodes.Text(".")
    return nodes.container("", paragraph, classes=["nta-functions"])


def link_mentions(doctree: nodes.document, names: set[str]) -> None:
    """Turn the first mention of each name in the running text into a link, once per page."""
    by_word = {
        path.removeprefix("nta_book.") if path.startswith(_BY_ROOM) else _last(path): path
        for path in sorted(names)
    }
    for literal in list(doctree.findall(nodes.literal)):
        word = literal.astext().removesuffix("()")
        if word in by_word and _in_prose(literal):
            literal.replace_self(link("py:obj", by_word.pop(word), literal.deepcopy()))


def _in_prose(node: nodes.Node) -> bool:
    """Tell whether a node stands in a sentence: a link in a heading would run through the toc."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.title, nodes.caption, nodes.reference, pending_xref)):
            return False
    return True


def _last(path: str) -> str:
    return path.rpartition(".")[2]
