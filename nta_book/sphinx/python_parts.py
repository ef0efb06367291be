"""The directive ``{python-parts}``: what the Python of the pages consists of, and its licences."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nta_book import runtime
from nta_book.runtime.source import LIST


def register(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.add_directive("python-parts", PythonParts)


class PythonParts(SphinxDirective):
    """A list of packages with versions, licences and sizes, as this build has them."""

    def run(self) -> list[nodes.Node]:
        """Return the list, or the sentence that there is none."""
        self.env.note_dependency(str(LIST))
        found = runtime.told()
        if found is None:
            return [nodes.paragraph("", "This build has no Python in its pages.")]
        items = [
            nodes.list_item("", nodes.paragraph("", words(package))) for package in found.packages
        ]
        total = f"Together {found.size / 1e6:.1f} MB, loaded at the first Run of a visit."
        return [nodes.bullet_list("", *items), nodes.paragraph("", total)]


def words(package: runtime.Package) -> str:
    """One package in a line.

    >>> words(runtime.Package("numpy", "2.4.3", "BSD-3-Clause", 2_000_000))
    'numpy 2.4.3, BSD-3-Clause, 2.0 MB'
    """
    return f"{package.name} {package.version}, {package.licence}, {package.size / 1e6:.1f} MB"
