"""Leagues: their boxes, and the leagues alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Box, Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.layout import LeagueBox, free_bow, plan, stacked
from nta_book.viz.marks import arrow, legend, short
from nta_book.viz.theme import ARROW, league_role
from nta_book.viz.words import listing, plain, plural
from nta_core.boundary import entries, token_id

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph

MOST_TOKENS = 24  # that are drawn one by one
MOST_LEAGUES, MOST_NAMES = 16, 24  # of a summary: boxes, and tokens that may be asked for
TITLE = 26  # characters in a box of it


def league_frame(canvas: Canvas, league: LeagueBox, *, opaque: bool = False) -> None:
    """The box of a league, without its number; an opaque one hides what lies behind it."""
    role = league_role(league.rank)
    canvas.frame(league.box, role, 0.08, width=ARROW, rx=10, opaque=opaque)


def league_badge(canvas: Canvas, league: LeagueBox, *, in_corner: bool = False) -> None:
    """The number of a league, in the left of its box."""
    place = league.box
    x, y = place.x - place.width / 2 + 17, place.y
    if in_corner or len(league.tokens) > 2:
        y += 17 - place.height / 2
    canvas.circle(x, y, 10.5, fill="paper")
    canvas.circle(x, y, 10.5, fill=league_role(league.rank), fill_opacity=0.25)
    canvas.text(x, y + 4, league.label, anchor="middle", font_size=SMALL, font_weight=600)


@picture
def condensation(
    graph: TokenPriorityGraph,
    *,
    show: Collection[int | str] = (),
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """The leagues alone, in their order: what is left of the graph when leagues are single points.

    Of more than 24 tokens it draws a summary: the largest leagues, those of the tokens in `show`
    (ids or names), and what was left out.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> condensation(token_priority_graphs(FIG3)[1]).alt
    'The leagues after e2 as single boxes, strongest on top: e4; e1, e2 and e3. \
Steps: e4 above e1, e2 and e3.'

    Explained in: chapter 3. Paper: Sec. 2.1.
    """
    named = asked_for(graph, show)
    if len(graph.nodes) > MOST_TOKENS:
        return summary(graph, named, alt=alt, means=means)
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
        arrow(canvas, boxes[i], boxes[j], bow=free_bow(i, j, boxes), width=ARROW)
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


def asked_for(graph: TokenPriorityGraph, show: object) -> list[int]:
    """The tokens to be named in a summary, by id or name."""
    tokens = [token_id(one, len(graph.names), graph.names) for one in entries(show, "show")]
    for token in tokens:
        graph.component_of(token)  # or it says that the graph has no such node
    if len(tokens) > MOST_NAMES:
        raise FigureError(f"show: {len(tokens)} tokens, at most {MOST_NAMES} can be named")
    return tokens


def summary(
    graph: TokenPriorityGraph,
    show: Sequence[int],
    *,
    marked: bool = False,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """A graph too large to be drawn: leagues as boxes, some names, and what was left out.

    Drawn are the leagues of the tokens in `show` and of the last token, the first, the last, and
    the largest; an arrow between them stands for a chain of wins.
    """
    named = [*dict.fromkeys([*show, *({graph.last} & {*graph.home})])]
    everyone = plan(graph).leagues
    wanted = {0, len(everyone) - 1} | {
        k for k, league in enumerate(everyone) if {*named} & {*league.tokens}
    }
    order = sorted(
        range(len(everyone)), key=lambda k: (k not in wanted, -len(everyone[k].tokens), k)
    )
    chosen = [everyone[k] for k in sorted(order[: max(MOST_LEAGUES, len(wanted))])]
    titles, names = [], 0
    for league in chosen:
        title, count = _title(graph, [t for t in named if t in league.tokens], league.tokens)
        titles.append(title)
        names += count
    leagues = stacked(
        [
            replace(league, box=Box(0, 0, max(70.0, text_width(title) + 52), 36.0))
            for league, title in zip(chosen, titles, strict=True)
        ],
        *(14.0, 34.0),
    )
    canvas, boxes = Canvas(), {k: league.box for k, league in enumerate(leagues)}
    steps = _steps(graph, chosen)
    for i, j in steps:
        arrow(canvas, boxes[i], boxes[j], bow=free_bow(i, j, boxes), width=ARROW)
    for league, title in zip(leagues, titles, strict=True):
        league_frame(canvas, league, opaque=True)
        league_badge(canvas, league, in_corner=True)
        place = league.box
        canvas.text(place.x + 13, place.y + 4.5, title, anchor="middle", font_weight=600)
        if graph.last in league.tokens:
            left, bottom = place.x - place.width / 2, place.y + place.height / 2
            canvas.rect(left + 8, bottom + 3, place.width - 16, 4, rx=1.5, fill="last")
    track = short(graph.names[graph.last])
    signs = [("league", "league, 1 on top"), ("strict", "beats, also by a chain")]
    legend(canvas, [*signs, ("last", f"with {track}, the last token")])
    said = f"{plural(len(graph.nodes), 'token')}, {plural(len(everyone), 'league')}, "
    said += f"{plural(len(graph.edges), 'arrow')}: a summary."
    gone = [plural(len(everyone) - len(chosen), "league")] if len(everyone) > len(chosen) else []
    gone += [f"{len(graph.nodes) - names} names", "single arrows"]
    left_out = f"Left out: {listing([*gone, *['marks and scores'] * marked])}."
    middle, y = (canvas.left + canvas.right) / 2, canvas.bottom + 20
    for line in (said, left_out):
        canvas.note(middle, y, line, anchor="middle")
        y += 17
    told = "; ".join(
        f"{league.label} ({title})" for league, title in zip(chosen, titles, strict=True)
    )
    seen = f"Priority graph after {plain(graph.names[graph.last])} in summary. {said} "
    seen += f"Leagues, strongest first: {told}. "
    above = [f"{chosen[i].label} above {chosen[j].label}" for i, j in steps]
    seen += f"Steps: {', '.join(above)}. " if above else "No order between them. "
    return canvas.drawing(seen + left_out, alt=alt, means=means, least_width=300)


def _title(
    graph: TokenPriorityGraph, named: Sequence[int], tokens: Sequence[int]
) -> tuple[str, int]:
    """What stands in the box of a league: asked names first, how many more; and the names shown."""
    shown: list[str] = []
    for token in dict.fromkeys([*named, *tokens]):
        name = short(graph.names[token])
        if shown and token not in named and len(", ".join([*shown, name])) > TITLE:
            break
        shown.append(name)
    more = len(tokens) - len(shown)
    if len(", ".join(shown)) > 2 * TITLE:  # many were asked for in one league
        shown = shown[:3]
        more = len(tokens) - 3
    return ", ".join(shown) + (f" + {more:,}" if more else ""), len(shown)


def _steps(graph: TokenPriorityGraph, chosen: Sequence[LeagueBox]) -> list[tuple[int, int]]:
    """Pairs of these leagues, upper and lower, that no third of them stands between."""
    groups = [frozenset(league.tokens) for league in chosen]
    place = {group: k for k, group in enumerate(groups)}
    below = [{place[g] for g in graph.below(group) if g in place} for group in groups]
    return [
        (i, j)
        for i, under in enumerate(below)
        for j in sorted(under)
        if not any(j in below[k] for k in under)
    ]
