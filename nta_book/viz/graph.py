"""Priority graphs: arrows from winner to loser, leagues as boxes in the order of their level."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nta_book.errors import FigureError
from nta_book.viz.beside import place_beside
from nta_book.viz.canvas import Box, Canvas, Point, bezier
from nta_book.viz.drawing import Drawing, Panels
from nta_book.viz.given import picture
from nta_book.viz.layout import LeagueBox, Plan, free_bow, plan
from nta_book.viz.leagues import MOST_TOKENS, asked_for, league_badge, league_frame, summary
from nta_book.viz.marks import arrow, bow_point, chip, short
from nta_book.viz.marks import legend as draw_legend
from nta_book.viz.theme import ARROW, EMPHASIS, league_role
from nta_book.viz.words import counted, listing, number, plain, valued
from nta_core.boundary import reals, shown, whole

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph, TokenPriorityGraphs

Edge = tuple[int, int]
MOST_ARROWS = 160  # that are drawn one by one
MOST_TRACKS = 24
LEAN = 0.001  # decides between two ways of equal length


@picture
def priority_graph(
    graph: TokenPriorityGraph,
    *,
    highlight: Collection[Edge] = (),
    new: Collection[Edge] = (),
    faint: Collection[Edge] = (),
    scores: Mapping[int, float] | None = None,
    edge_labels: Mapping[Edge, str] | None = None,
    highlight_means: str = "decides",
    leagues: bool = True,
    legend: bool = True,
    show: Collection[int | str] = (),
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """The token-priority graph of one track, with its leagues.

    Above 24 tokens or 160 arrows it is a summary: leagues as boxes, and what was left out.

    Parameters
    ----------
    highlight : collection of (winner, loser)
        Edges on a glow, for example the deciding comparisons of the Graph-SVM.
    new : collection of (winner, loser)
        Edges that a race has just added.
    faint : collection of (winner, loser)
        Edges drawn thin, for example those that follow from others.
    scores : mapping from token to number, optional
        Written beside the tokens: scores of W_svm, or log-strengths inside a league.
    edge_labels : mapping from edge to str, optional
        Written on the edges, for example margins.
    highlight_means : str
        What the glow stands for; it goes into the legend and the alt text.
    leagues : bool
        Draw the leagues as boxes, arrows inside them dashed; without, arrows and tokens alone, as
        before chapter 3.
    legend : bool
        Explain the marks below; without, where another picture of the figure does.
    show : collection of int or str
        Tokens that a summary must name, with their leagues.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> priority_graph(token_priority_graphs(FIG3)[1]).alt
    'Priority graph after e2, two leagues, strongest first: league 1 e4; league 2 e1, e2 and e3. \
An arrow runs from winner to loser: e4 beats e2; inside a league e1 beats e2 and e3, e2 beats e1 \
and e3, e3 beats e1 and e2.'

    Explained in: chapters 2 and 3. Paper: Sec. 2.1.
    """
    named = asked_for(graph, show)
    highlight, new, faint = {*highlight}, {*new}, {*faint}
    scores, edge_labels = _numbers(scores, "scores"), _mapping(edge_labels, "edge_labels")
    if len(graph.nodes) > MOST_TOKENS or len(graph.edges) > MOST_ARROWS:
        marked = bool(highlight or new or faint or scores or edge_labels)
        return summary(graph, named, marked=marked, alt=alt, means=means)
    canvas = Canvas()
    places = plan(graph, extra=40.0 if scores else 0.0)
    ties = [edge for edge in graph.edges if leagues and edge not in graph.strict]
    for box in places.leagues if leagues else ():
        league_frame(canvas, box)
    bows = {edge: _way(graph, places, edge, boxes=leagues) for edge in graph.edges}
    for edge in sorted(graph.edges, key=lambda e: (e in new, e in highlight)):
        marks = {"faint": edge in faint, "new": edge in new, "glow": edge in highlight}
        _edge(canvas, graph, places, edge, bow=bows[edge], tie=edge in ties, **marks)
    for box in places.leagues if leagues else ():
        league_badge(canvas, box)  # above the arrows: a long one may pass here
    for label, place in _labels(graph, places, bows, edge_labels, frames=leagues):
        canvas.halo_text(place.x, place.y + 5, label, anchor="middle")
    for box in places.leagues:
        for token in box.tokens:
            x, y, width, _ = places.chips[token]
            look = {"last": token == graph.last, "opaque": True}
            role = league_role(box.rank) if leagues else "input"
            chip(canvas, x, y, graph.names[token], role=role, **look)
            if scores and token in scores:
                canvas.halo_text(x - width / 2 - 5, y + 4, number(scores[token]), anchor="end")
    entries = (
        (leagues, "league", "league, 1 on top"),
        (len(graph.edges) > len(ties), "strict", "beats"),
        (ties, "tie", "inside a league"),
        (set(graph.edges) & set(new), "new", "new"),
        (set(graph.edges) & set(highlight), "highlight", highlight_means),
        (True, "last", f"last token {short(graph.names[graph.last])} = track"),
        (scores, "number", "score"),
    )
    if legend:
        draw_legend(canvas, [(sign, words) for shown, sign, words in entries if shown])
    groups = places.leagues if leagues else ()
    seen = _words(graph, groups, ties, {"New": new, f"On a glow ({highlight_means})": highlight})
    if scores:
        known = [token for token in scores if token in places.chips]
        told = valued((graph.names[t] for t in known), (scores[t] for t in known))
        seen += f" Score: {told}."
    return canvas.drawing(seen, alt=alt, means=means, least_width=230)


@picture
def priority_graphs(
    graphs: TokenPriorityGraphs,
    *,
    highlight: Collection[tuple[int, int, int]] = (),
    new: Collection[tuple[int, int, int]] = (),
    scores: Mapping[int, Mapping[int, float]] | None = None,
    means: str = "",
) -> Panels:
    """The priority graphs of all tracks, side by side; of many, the 24 with the most arrows.

    Parameters
    ----------
    highlight, new : collection of (last, winner, loser)
        As in `priority_graph`; a `Comparison` is such a triple.
    scores : mapping from last token to (mapping from token to number), optional

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> priority_graphs(token_priority_graphs(FIG3))
    Panels(2 pictures in 2 columns)

    Explained in: chapters 2 and 3. Paper: Sec. 2.1.
    """
    if any(len(edge) != 3 for edge in (*highlight, *new)):
        raise FigureError("highlight and new hold triples (last, winner, loser)")
    numbers = _mapping(scores, "scores")
    if not graphs:
        raise FigureError("no race has a winner that runs: there is no graph to draw")
    ranked = [*graphs]
    if len(graphs) > MOST_TRACKS:
        arrows = Counter(graphs.edge_array[:, 0].tolist())
        ranked = sorted(sorted(graphs, key=lambda last: (-arrows[last], last))[:MOST_TRACKS])
    drawn: list[Drawing] = [
        priority_graph(
            graphs[last],
            highlight={(i, j) for k, i, j in highlight if k == last},
            new={(i, j) for k, i, j in new if k == last},
            scores=numbers.get(last),
            means=means,
        )
        for last in ranked
    ]
    if len(ranked) < len(graphs):
        canvas, words = (
            Canvas(),
            f"Left out: {len(graphs) - len(ranked):,} tracks with fewer arrows.",
        )
        canvas.note(0, 0, words)
        drawn.append(canvas.drawing(words))
    return Panels(drawn)


def _mapping(values: object, name: str) -> dict[Any, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise FigureError(f"{name} must be a mapping, got {shown(values)}")
    return dict(values)


def _numbers(scores: object, name: str) -> dict[int, float]:
    """A number for some tokens."""
    found = _mapping(scores, name)
    values = reals([*found.values()], name, error=FigureError)
    if values.ndim != 1:
        raise FigureError(f"{name} must give one number per token")
    return {whole(k, f"a token of {name}"): v for k, v in zip(found, values.tolist(), strict=True)}


def _edge(
    canvas: Canvas,
    graph: TokenPriorityGraph,
    places: Plan,
    edge: Edge,
    *,
    bow: float,
    tie: bool,
    faint: bool,
    new: bool,
    glow: bool,
) -> None:
    """One arrow."""
    role = "on-highlight" if glow else "ink" if new else "muted" if tie else "ink"
    width = EMPHASIS if new else 2.6 if glow else 0.8 if faint else ARROW
    start, end = _ends(graph, places, edge)
    dash = "4 3" if tie and not new else None
    arrow(canvas, start, end, bow=bow, role=role, width=width, glow=glow, dash=dash)


def _ends(graph: TokenPriorityGraph, places: Plan, edge: Edge) -> tuple[Box, Box]:
    """The chips that an arrow joins; the bar of the last token is part of its chip."""
    start, end = (
        box._replace(y=box.y + extra / 2, height=box.height + extra)
        for box, extra in (
            (places.chips[token], 7.0 if token == graph.last else 0.0) for token in edge
        )
    )
    return start, end


def _way(graph: TokenPriorityGraph, places: Plan, edge: Edge, *, boxes: bool) -> float:
    """How far an arrow bends: around the other chips, and around the boxes of other leagues."""
    obstacles = dict(places.chips)
    if boxes:  # chips have ids from 0 on, so boxes take those below
        ends = {*edge}
        others = [league.box for league in places.leagues if not ends & {*league.tokens}]
        obstacles |= {-1 - k: box for k, box in enumerate(others)}
    if edge[::-1] in graph.edges:
        return free_bow(*edge, obstacles, first=0.09)
    # Of two equal ways around, that on the own side of the picture: it crosses fewer arrows.
    start, end = (places.chips[token] for token in edge)
    lean = math.copysign(LEAN, (start.x + end.x) * (end.y - start.y))
    bow = free_bow(*edge, obstacles, first=lean)
    return 0.0 if bow == lean else bow


def _labels(
    graph: TokenPriorityGraph,
    places: Plan,
    bows: Mapping[Edge, float],
    labels: Mapping[Edge, str],
    *,
    frames: bool,
) -> Iterator[tuple[str, Box]]:
    """The words on the arrows, each with a place where it hides nothing."""
    ways = {edge: _points(*_ends(graph, places, edge), bow) for edge, bow in bows.items()}
    shown = places.leagues if frames else ()
    solid = [*places.chips.values(), *(_badge(league) for league in shown)]
    rims = [league.box for league in shown]
    for edge, bow in bows.items():
        if label := labels.get(edge):
            # a straight arrow leaves the left of its direction to the bent ones
            side = 1 if bow > 0 else -1
            others = [way for other, way in ways.items() if other != edge]
            way = ways[edge]
            place = place_beside(way, side, label, solid=solid, rims=rims, ways=others)
            solid.append(place)
            yield label, place


def _badge(league: LeagueBox) -> Box:
    """Where the number of a league stands (`league_badge`)."""
    box = league.box
    y = box.y if len(league.tokens) <= 2 else box.y + 17 - box.height / 2
    return Box(box.x - box.width / 2 + 17, y, 21, 21)


def _points(start: Box, end: Box, bow: float) -> list[Point]:
    """The way of an arrow."""
    control = bow_point(start, end, bow)
    a, b = start.border(control), end.border(control)
    return [bezier(a, control, b, k / 40) for k in range(41)]


def _words(
    graph: TokenPriorityGraph,
    leagues: Sequence[LeagueBox],
    ties: Collection[Edge],
    marked: Mapping[str, Collection[Edge]],
) -> str:
    """Leagues, arrows and what is marked among them."""
    groups = [f"league {b.label} {_named(graph, b.tokens)}" for b in leagues]
    seen = f"Priority graph after {plain(graph.names[graph.last])}"
    if groups:
        said = counted(len(groups), "league", words=4)
        seen += f", {said}, strongest first: {'; '.join(groups)}"
    seen += "."
    if len(graph.edges) > 14:
        seen += f" {len(graph.edges)} arrows run from winner to loser."
    elif graph.edges:
        between = [edge for edge in graph.edges if edge not in ties]
        parts = [_beats(graph, between), "inside a league " * bool(ties) + _beats(graph, ties)]
        seen += f" An arrow runs from winner to loser: {'; '.join(p for p in parts if p)}."
    for title, chosen in marked.items():
        shown = _beats(graph, [edge for edge in graph.edges if edge in chosen])
        seen += f" {title}: {shown}." if shown else ""
    return seen


def _beats(graph: TokenPriorityGraph, edges: Collection[Edge]) -> str:
    losers: dict[int, list[int]] = {}
    for winner, loser in sorted(edges):
        losers.setdefault(winner, []).append(loser)
    return ", ".join(
        f"{plain(graph.names[winner])} beats {_named(graph, beaten)}"
        for winner, beaten in losers.items()
    )


def _named(graph: TokenPriorityGraph, tokens: Collection[int]) -> str:
    return listing(graph.names[token] for token in tokens)
