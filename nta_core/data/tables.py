"""Tables for people: how the things of this package show themselves in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable


class Html(str):
    """A text that is HTML already and is not escaped."""


def html_table(
    kind: str,
    rows: Iterable[Iterable[str]],
    *,
    head: Iterable[str] = (),
    caption: str = "",
    hidden: int = 0,
) -> str:
    """Return rows of texts as an HTML table of the class ``nta-<kind>``.

    Texts are escaped, unless they are `Html`; a last line says how many rows are `hidden`.

    Examples
    --------
    >>> html_table("luce", [["<a>", "1.5"]], head=["token", "strength"])[-52:]
    '</tr><tr><td>&lt;a&gt;</td><td>1.5</td></tr></table>'
    """
    titles = [*head]
    lines = [_line(titles, "th")] if titles else []
    lines += [_line(row, "td") for row in rows]
    if hidden > 0:
        lines.append(f'<tr><td colspan="{len(titles) or 1}">… and {hidden} more</td></tr>')
    title = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    return f'<table class="nta-{kind}">{title}{"".join(lines)}</table>'


def _line(cells: Iterable[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{_escaped(cell)}</{tag}>" for cell in cells) + "</tr>"


def _escaped(text: str) -> str:
    return text if isinstance(text, Html) else html.escape(text)
