"""Links to explorers: ``{explorer}`its question``` leads to the place where it stands."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx

from nta_book.sphinx.usage import code_of


def register(app: Sphinx) -> None:
    """Add the role ``{explorer}``."""
    app.add_role("explorer", _explorer_role(app))


def anchor(question: str) -> str:
    """Return the id of an explorer on its page.

    >>> anchor("Which W keeps every comparison with the least length?")
    'explorer-which-w-keeps-every-comparison-with-the-least-length'
    """
    return "explorer-" + re.sub(r"[^a-z0-9]+", "-", question.lower()).strip("-")


def home(question: str, book: Path) -> Path | None:
    """Return the notebook whose code asks this question, if there is one."""
    quoted = f'"{question}"'
    for notebook in sorted(book.glob("*.ipynb")):
        if any(quoted in source and "Explorer(" in source for source in code_of(notebook)):
            return notebook
    return None


def _explorer_role(app: Sphinx):  # type: ignore[no-untyped-def]  # the signature is docutils' own
    def role(
        name: str,
        rawtext: str,
        text: str,
        lineno: int,
        inliner: Inliner,
        options: dict[str, object] | None = None,
        content: list[str] | None = None,
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        notebook = home(text, Path(app.srcdir) / "book")
        if notebook is None:
            message = inliner.reporter.warning(f"no explorer asks: {text}", line=lineno)
            return [nodes.Text(text)], [message]
        app.env.note_dependency(str(notebook))
        # All pages with explorers and all that speak of them lie in one folder.
        address = f"{notebook.stem}.html#{anchor(text)}"
        return [nodes.reference(rawtext, text, refuri=address)], []

    return role
