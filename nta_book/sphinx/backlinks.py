"""From a chapter to the API reference: the functions it uses, listed and linked."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from nta_book.sphinx.chapterlinks import label_of_page
from nta_book.sphinx.reference import PACKAGE, canonical, documented
from nta_book.sphinx.usage import code_of, names_used


def register(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.connect("doctree-read", add_backlinks)


def add_backlinks(app: Sphinx, doctree: nodes.document) -> None:
    """Close a chapter with its functions, and link the first mention of each in its text."""
    source = Path(app.env.doc2path(app.env.docname))
    if "book/api" not in app.env.found_docs or label_of_page(source) is None:
        return  # a book without a reference has nothing to link to
    names = set(documented(Path(app.srcdir) / "book"))
    _link_mentions(doctree, names)
    used = {canonical(path, names) for path in names_used(code_of(source), PACKAGE)} - {None}
    section = next(iter(doctree.findall(nodes.section)), None)
    if used and section is not None:
        section += _closing(sorted(map(str, used), key=lambda path: _last(path).lower()))


def _closing(paths: list[str]) -> nodes.container:
    paragraph = nodes.paragraph("", "Functions used on this page: ")
    for k, path in enumerate(paths):
        paragraph += nodes.Text(", " if k else "")
        paragraph += _reference(path, nodes.literal("", _last(path)))
    paragraph += nodes.Text(".")
    return nodes.container("", paragraph, classes=["nta-functions"])


def _link_mentions(doctree: nodes.document, names: set[str]) -> None:
    """Turn the first mention of each name in the running text into a link, once per page."""
    by_word = {path.removeprefix(f"{PACKAGE}."): path for path in sorted(names)}
    seen: set[str] = set()
    for literal in list(doctree.findall(nodes.literal)):
        path = by_word.get(literal.astext().removesuffix("()"))
        if path is not None and path not in seen and _in_prose(literal):
            seen.add(path)
            literal.replace_self(_reference(path, literal.deepcopy()))


def _in_prose(node: nodes.Node) -> bool:
    """Tell whether a node stands in a sentence: a link in a heading would run through the toc."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.title, nodes.caption, nodes.reference, pending_xref)):
            return False
    return True


def _reference(path: str, content: nodes.literal) -> pending_xref:
    options = {"refdomain": "py", "reftype": "obj", "refexplicit": True, "refwarn": True}
    return pending_xref("", content, reftarget=path, **options)


def _last(path: str) -> str:
    return path.rpartition(".")[2]
