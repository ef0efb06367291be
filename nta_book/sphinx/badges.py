"""Three badges say how a statement is known: proved, measured here, open.

A fourth role says of a number in the prose that it is given, see `register`.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

KINDS = {"proved": "proved", "measured": "measured here", "open": "open"}


def register(app: Sphinx) -> None:
    """Add the roles ``{proved}``, ``{measured}`` and ``{open}``.

    ``{measured}`text``` prints the badge "measured here" followed by the text: which theorem, how
    many runs, or what is missing.

    ``{given}`0.99``` looks like its text.  It marks what is not computed in the chapter, a setting
    or a number that a paper reports, for ``tools.check_numbers``, which looks for the origin of
    every other.
    """
    for kind in KINDS:
        app.add_role(kind, BadgeRole())
    app.add_generic_role("given", nodes.inline)


class BadgeRole(SphinxRole):
    """A badge by the name of its role."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the badge and its text."""
        return [badge(self.name, KINDS[self.name], f" {self.text}")], []


def badge(kind: str, words: str, text: str = "") -> nodes.inline:
    """Return a badge of one of the three kinds."""
    inside = nodes.inline("", words, classes=["nta-badge-kind"])
    return nodes.inline("", "", inside, nodes.Text(text), classes=["nta-badge", f"nta-{kind}"])
