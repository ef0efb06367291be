"""Priority graphs: arrows from winner to loser, leagues as boxes in the order of their level."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from nta_book.viz.canvas import Canvas
from nta_book.viz.drawing import Drawing, Panels
from nta_book.viz.layout import Plan, free_bow, plan
from nta_book.viz.leagues import league_badge, league_frame
from nta_book.viz.marks import arrow, chip, legend, short
from nta_book.viz.theme import league_role
from nta_book.viz.words import counted, listing, number, plain, valued

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph, TokenPriorityGraphs

Edge = tuple[int, int]


def priority_graph(
    graph: TokenPriorityGraph,
    *,
    highlight: Collection[Edge] = (),
    new: Collection[Edge] = (),
    faint: Collection[Edge] = (),
    scores: Mapping[int, float] | None = None,
    edge_labels: Mapping[Edge, str] | None = None,
    highlight_means: str = "decides",
    score_means: str = "score",
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """The token-priority graph of one track, with its leagues.

    Parameters
    ----------
    highlight : collection of (winner, loser)
        Edges on a glow, for example the deciding comparisons of the Graph-SVM.
    new : collection of (winner, loser)
        Edges that a race has just added.
    faint : collection of (winner, loser)
        Edges drawn thin, for example those that follow from others.
    scores : mapping from token to number, optional
        Written below the tokens: scores of W_svm, or log-strengths inside a league.
    edge_labels : mapping from edge to str, optional
        Written on the edges, for example margins.
    highlight_means, score_means : str
        What the glow and the numbers stand for; they go into the legend and the alt text.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> priority_graph(token_priority_graphs(FIG3)[1]).alt
    'Priority graph after e2, two leagues, strongest first: league 1 e4; league 2 e1, e2 and e3. \
An arrow runs from winner to loser: e4 beats e2; inside a league e1 beats e2 and e3, e2 beats e1 \
and e3, e3 beats e1 and e2.'

    Explained in: chapters 2 and 3. Paper: Sec. 2.1.
    """
    canvas = Canvas()
    places = plan(graph, extra=40.0 if scores else 0.0)
    for box in places.leagues:
        league_frame(canvas, box)
    for edge in sorted(graph.edges, key=lambda e: (e in new, e in highlight)):
        _edge(
            canvas,
            graph,
            places,
            edge,
            faint=edge in faint,
            new=edge in new,
            glow=edge in highlight,
            label=(edge_labels or {}).get(edge),
        )
    for box in places.leagues:
        league_badge(canvas, box)  # above the arrows: a long one may pass here
    _chips(canvas, graph, places, scores or {})
    legend(canvas, _entries(graph, highlight, new, score_means if scores else "", highlight_means))
    seen = _words(graph, places, highlight, new, highlight_means)
    if scores:
        known = [token for token in scores if token in places.chips]
        told = valued((graph.names[t] for t in known), (scores[t] for t in known))
        seen += f" {score_means.capitalize()}: {told}."
    return canvas.drawing(seen, alt=alt, means=means, least_width=230)


def priority_graphs(
    graphs: TokenPriorityGraphs,
    *,
    highlight: Collection[tuple[int, int, int]] = (),
    new: Collection[tuple[int, int, int]] = (),
    scores: Mapping[int, Mapping[int, float]] | None = None,
    means: str = "",
) -> Panels:
    """The priority graphs of all tracks, side by side.

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
    return Panels(
        [
            priority_graph(
                graph,
                highlight={(i, j) for k, i, j in highlight if k == last},
                new={(i, j) for k, i, j in new if k == last},
                scores=(scores or {}).get(last),
                means=means,
            )
            for last, graph in graphs.items()
        ]
    )


def _chips(
    canvas: Canvas, graph: TokenPriorityGraph, places: Plan, scores: Mapping[int, float]
) -> None:
    rank_of = {token: box.rank for box in places.leagues for token in box.tokens}
    for token, place in places.chips.items():
        role = league_role(rank_of[token])
        last = token == graph.last
        chip(canvas, place.x, place.y, graph.names[token], role=role, last=last, opaque=True)
        if token in scores:
            x, text = place.x - place.width / 2 - 5, number(scores[token])
            canvas.halo_text(x, place.y + 4, text, anchor="end")


def _edge(
    canvas: Canvas,
    graph: TokenPriorityGraph,
    places: Plan,
    edge: Edge,
    *,
    faint: bool,
    new: bool,
    glow: bool,
    label: str | None,
) -> None:
    winner, loser = edge
    tie = graph.component_of(winner) == graph.component_of(loser)
    mutual = tie and (loser, winner) in graph.edges
    bow = free_bow(winner, loser, places.chips, first=0.09 if mutual else 0.0)
    role = "on-highlight" if glow else "winner" if new else "muted" if tie else "ink"
    width = 2.6 if new or glow else 0.8 if faint else 1.5
    start, end = places.chips[winner], places.chips[loser]
    if winner == graph.last:  # the bar below the chip is part of it
        start = start._replace(y=start.y + 3.5, height=start.height + 7)
    if loser == graph.last:
        end = end._replace(y=end.y + 3.5, height=end.height + 7)
    x, y = arrow(
        canvas,
        start,
        end,
        bow=bow,
        role=role,
        width=width,
        glow=glow,
        dash="4 3" if tie and not new else None,
    )
    if label:
        canvas.halo_text(x + 5, y + 4, label)


def _entries(
    graph: TokenPriorityGraph,
    highlight: Collection[Edge],
    new: Collection[Edge],
    score_means: str,
    highlight_means: str,
) -> list[tuple[str, str]]:
    entries = [("league", "league, 1 on top")]
    inside = {(i, j) for i, j in graph.edges if graph.component_of(i) == graph.component_of(j)}
    if set(graph.edges) - inside:
        entries.append(("strict", "beats"))
    if inside:
        entries.append(("tie", "inside a league"))
    if set(graph.edges) & set(new):
        entries.append(("new", "new"))
    if set(graph.edges) & set(highlight):
        entries.append(("highlight", highlight_means))
    entries.append(("last", f"last token {short(graph.names[graph.last])} = track"))
    if score_means:
        entries.append(("number", score_means))
    return entries


def _words(
    graph: TokenPriorityGraph,
    places: Plan,
    highlight: Collection[Edge],
    new: Collection[Edge],
    highlight_means: str,
) -> str:
    """Leagues, arrows and what is marked among them."""
    said = counted(len(graph.components), "league", words=4)
    groups = [f"league {b.label} {_named(graph, b.tokens)}" for b in places.leagues]
    seen = f"Priority graph after {plain(graph.names[graph.last])}, {said}"
    seen += f", strongest first: {'; '.join(groups)}." if groups else "."
    strict = _beats(graph, graph.strict)
    inside = _beats(graph, [e for e in graph.edges if e not in graph.strict])
    if len(graph.edges) > 14:
        seen += f" {len(graph.edges)} arrows run from winner to loser."
    elif graph.edges:
        parts = [strict, f"inside a league {inside}" if inside else ""]
        seen += f" An arrow runs from winner to loser: {'; '.join(p for p in parts if p)}."
    for title, chosen in (("New", new), (f"On a glow ({highlight_means})", highlight)):
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
