"""The leagues alone: what is left of a graph when each league is a single point.

Explained in: chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nta_book.viz.canvas import Box, Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.graph import league_badge, league_box
from nta_book.viz.graphwords import names_of
from nta_book.viz.layout import WIDEST, League, free_bow, plan
from nta_book.viz.marks import arrow, short
from nta_book.viz.theme import described
from nta_book.viz.words import plain

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph


def condensation(graph: TokenPriorityGraph, *, alt: str | None = None, means: str = "") -> Drawing:
    """The leagues alone, in their order: what is left of the graph when leagues are single points.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> condensation(token_priority_graphs(FIG3)[1]).alt
    'The leagues after e2 as single boxes, strongest on top: e4; e1, e2 and e3. \
Steps: e4 above e1, e2 and e3.'

    Explained in: chapter 3. Paper: Sec. 2.1.
    """
    canvas = Canvas()
    leagues = plan(graph).leagues
    boxes = _places(graph, leagues)
    for winner, loser in graph.reduced:
        ends = [graph.components.index(graph.component_of(token)) for token in (winner, loser)]
        bow = free_bow(ends[0], ends[1], boxes)
        arrow(canvas, boxes[ends[0]], boxes[ends[1]], bow=bow, width=2.0)
    for k, league in enumerate(leagues):
        placed = replace(league, box=boxes[k])
        league_box(canvas, placed, opaque=True)
        league_badge(canvas, placed, in_corner=True)
        x, y = boxes[k].x + 13, boxes[k].y + 4.5
        canvas.text(x, y, _title(graph, league), anchor="middle", font_weight=600)
    names = {group: names_of(graph, sorted(group)) for group in graph.components}
    steps = [
        f"{names[graph.component_of(i)]} above {names[graph.component_of(j)]}"
        for i, j in graph.reduced
    ]
    track = plain(graph.names[graph.last])
    if len(names) == 1:
        seen = f"One box: all tokens after {track} share a league, {next(iter(names.values()))}."
    else:
        seen = f"The leagues after {track} as single boxes, strongest on top: "
        seen += "; ".join(names.values()) + ". "
        seen += f"Steps: {'; '.join(steps)}." if steps else "No order between them."
    return canvas.drawing(described(seen, alt=alt, means=means), least_width=230)


def _title(graph: TokenPriorityGraph, league: League) -> str:
    names = ", ".join(short(graph.names[token]) for token in league.tokens)
    return names if len(names) <= 40 else f"{len(league.tokens)} tokens"


def _places(graph: TokenPriorityGraph, leagues: Sequence[League]) -> dict[int, Box]:
    """A box for each league, a line for each rank (broken when the page is full), centred."""
    lines: list[list[tuple[int, float]]] = []
    ranks: list[int] = []
    for k, league in enumerate(leagues):
        width = max(70.0, text_width(_title(graph, league)) + 46)
        used = sum(w + 14 for _, w in lines[-1]) if lines else 0.0
        if not ranks or ranks[-1] != league.rank or used + width > WIDEST:
            lines.append([])
            ranks.append(league.rank)
        lines[-1].append((k, width))
    boxes = {}
    for number, line in enumerate(lines):
        x = -(sum(width + 14 for _, width in line) - 14) / 2
        for k, width in line:
            boxes[k] = Box(x + width / 2, 72.0 * number, width, 34.0)
            x += width + 14
    return boxes
