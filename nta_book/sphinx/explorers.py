"""Links to explorers: ``{explorer}`its question``` leads to the place where it stands."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from nta_book.sphinx.usage import code_of


def register(app: Sphinx) -> None:
    """Add the role ``{explorer}``."""
    app.add_role("explorer", ExplorerRole())


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


class ExplorerRole(SphinxRole):
    """The question of an explorer as a link to it; a question that no page asks is a warning."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link."""
        notebook = home(self.text, Path(self.env.srcdir) / "book")
        if notebook is None:
            message = self.inliner.reporter.warning(
                f"no explorer asks: {self.text}", line=self.lineno
            )
            return [nodes.Text(self.text)], [message]
        self.env.note_dependency(str(notebook))
        # All pages with explorers and all that speak of them lie in one folder.
        address = f"{notebook.stem}.html#{anchor(self.text)}"
        return [nodes.reference(self.rawtext, self.text, refuri=address)], []
