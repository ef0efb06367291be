"""Three badges say how a statement is known: proved, measured here, open."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx

KINDS = {"proved": "proved", "measured": "measured here", "open": "open"}


def register(app: Sphinx) -> None:
    """Add the roles ``{proved}``, ``{measured}`` and ``{open}``.

    ``{measured}`text``` prints the badge "measured here" followed by the text: which theorem, how
    many runs, or what is missing.
    """
    for kind in KINDS:
        app.add_role(kind, _badge_role(kind))


def _badge_role(kind: str):  # type: ignore[no-untyped-def]  # the signature is docutils' own
    def role(
        name: str,
        rawtext: str,
        text: str,
        lineno: int,
        inliner: Inliner,
        options: dict[str, object] | None = None,
        content: list[str] | None = None,
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        badge = nodes.inline(rawtext, "", classes=["nta-badge", f"nta-{kind}"])
        badge += nodes.inline("", KINDS[kind], classes=["nta-badge-kind"])
        badge += nodes.Text(f" {text}")
        return [badge], []

    return role
