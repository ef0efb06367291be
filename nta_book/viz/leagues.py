"""Leagues: their boxes, the leagues alone, and league tables too large to draw token by token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Box, Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.layout import LeagueBox, free_bow, plan, stacked
from nta_book.viz.marks import arrow, short
from nta_book.viz.theme import LEAGUE_COLOURS, league_role
from nta_book.viz.words import listing, plain

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph

LEFT, RIGHT, EDGE = 62.0, 262.0, 330.0  # where strips begin and end; a phone shows 330 unshrunk
BAR, ROW = 18.0, 25.0
PARTS = (  # of a strip: told apart by colour, by strength and by its rim
    ("above it", "league-2", 0.55, None),
    ("the largest league", "league-1", 0.9, None),
    ("below it", "league-4", 0.22, None),
    ("beside it", "league-4", 0.0, "3 2"),
)


def league_frame(canvas: Canvas, league: LeagueBox, *, opaque: bool = False) -> None:
    """The box of a league, without its number; an opaque one hides what lies behind it."""
    role, dash = league_role(league.rank), None if league.rank <= LEAGUE_COLOURS else "6 3"
    canvas.frame(league.box, role, 0.08, width=1.4, rx=10, opaque=opaque, stroke_dasharray=dash)


def league_badge(canvas: Canvas, league: LeagueBox, *, in_corner: bool = False) -> None:
    """The number of a league, in the left of its box."""
    place = league.box
    x, y = place.x - place.width / 2 + 17, place.y
    if in_corner or len(league.tokens) > 2:
        y += 17 - place.height / 2
    canvas.circle(x, y, 10.5, fill="paper")
    canvas.circle(x, y, 10.5, fill=league_role(league.rank), fill_opacity=0.25)
    canvas.text(x, y + 4, league.label, anchor="middle", font_size=SMALL, font_weight=600)


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
    titles: dict[tuple[int, ...], str] = {}
    leagues = []
    for league in plan(graph).leagues:
        title = ", ".join(short(graph.names[token]) for token in league.tokens)
        title = title if len(title) <= 40 else f"{len(league.tokens)} tokens"
        titles[league.tokens] = title
        box = Box(0, 0, max(70.0, text_width(title) + 46), 34.0)
        leagues.append(replace(league, box=box))
    leagues = stacked(leagues, 14.0, 38.0, y=-17.0)
    boxes = {k: league.box for k, league in enumerate(leagues)}
    for pair in graph.reduced:
        i, j = (graph.components.index(graph.component_of(token)) for token in pair)
        arrow(canvas, boxes[i], boxes[j], bow=free_bow(i, j, boxes), width=2.0)
    for league in leagues:
        league_frame(canvas, league, opaque=True)
        league_badge(canvas, league, in_corner=True)
        x, y, title = league.box.x + 13, league.box.y + 4.5, titles[league.tokens]
        canvas.text(x, y, title, anchor="middle", font_weight=600)
    names = {
        group: listing(graph.names[token] for token in sorted(group)) for group in graph.components
    }
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
    return canvas.drawing(seen, alt=alt, means=means, least_width=230)


def league_strips(
    rows: Mapping[str, Sequence[int]],
    *,
    scale: int | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """How many tokens stand above, in, below and beside the largest league after each last token.

    Parameters
    ----------
    rows : mapping from name to (above, largest, below, beside)
        Numbers of tokens; a last token without a table has four zeros.
    scale : int, optional
        Number of tokens that fills the width; the longest row by default.

    Examples
    --------
    >>> league_strips({"the": (0, 40, 60, 0)}).alt
    'One strip per last token. After the: 100 tokens, 40 of them in the largest league, 0 above, \
60 below and 0 beside it.'

    Explained in: chapter 16.
    """
    if not rows or any(len(row) != 4 or min(row) < 0 for row in rows.values()):
        raise FigureError("a strip needs four counts: above, in, below and beside the league")
    full = max(scale or 0, *(sum(row) for row in rows.values()), 1)
    canvas = Canvas()
    for k, (name, row) in enumerate(rows.items()):
        canvas.text(LEFT - 8, k * ROW + 13, short(name), anchor="end", font_weight=600)
        # whole pixels: an explorer then repeats itself more, and sends less
        ends = [round(LEFT + sum(row[:part]) / full * (RIGHT - LEFT)) for part in range(5)]
        for part, (x, end) in enumerate(pairwise(ends)):
            _segment(canvas, part, x, k * ROW, end - x)
        told = f"{row[1]} of {sum(row)}" if sum(row) else "no race"
        canvas.note(EDGE, k * ROW + 13, told, anchor="end")
    _legend(canvas, len(rows) * ROW + 14)
    told = " ".join(
        f"After {name}: {sum(row)} tokens, {row[1]} of them in the largest league, {row[0]} above, "
        f"{row[2]} below and {row[3]} beside it."
        for name, row in rows.items()
    )
    return canvas.drawing(f"One strip per last token. {told}", alt=alt, means=means)


def _segment(canvas: Canvas, part: int, x: float, y: float, width: float) -> None:
    _, role, strength, dash = PARTS[part]
    look = {"stroke": role, "stroke_width": 1, "stroke_dasharray": dash}
    canvas.rect(x, y, width, BAR, fill=role, fill_opacity=strength, **look)


def _legend(canvas: Canvas, y: float) -> None:
    for k, (words, *_) in enumerate(PARTS):
        x, line = (0.0 if k % 2 == 0 else EDGE / 2), y + 20 * (k // 2)
        _segment(canvas, k, x, line - 9, 16)
        canvas.note(x + 23, line + 4, words)
