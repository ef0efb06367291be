"""A priority graph with and without its leagues, and arrows that keep out of other boxes."""

from __future__ import annotations

import re

import pytest

from nta_book import viz
from nta_book.viz.beside import _apart, _on_rim
from nta_book.viz.canvas import SMALL, Box, bezier, text_width
from nta_book.viz.graph import _badge, _ends, _points, _way
from nta_book.viz.layout import LeagueBox, Plan, plan
from nta_book.viz.marks import bow_point
from nta_core import FIG3, Dataset, TokenPriorityGraph, random_dataset, token_priority_graphs

GRAPHS = token_priority_graphs(FIG3)


def test_before_leagues_there_are_arrows_and_tokens_alone() -> None:
    drawing = viz.priority_graph(GRAPHS[1], leagues=False)
    assert drawing.alt == (
        "Priority graph after e2. An arrow runs from winner to loser: e1 beats e2 and e3, "
        "e2 beats e1 and e3, e3 beats e1 and e2, e4 beats e2."
    )
    assert "league" not in drawing.svg
    assert "stroke-dasharray" not in drawing.svg
    with_leagues = viz.priority_graph(GRAPHS[1])
    assert "league, 1 on top" in with_leagues.svg
    assert "stroke-dasharray" in with_leagues.svg


def test_a_second_graph_of_a_figure_needs_no_legend() -> None:
    with_legend, without = (
        viz.priority_graph(GRAPHS[0], legend=wanted) for wanted in (True, False)
    )
    assert "league, 1 on top" in with_legend.svg
    assert "league, 1 on top" not in without.svg
    assert without.alt == with_legend.alt


def test_a_new_arrow_is_thick_and_does_not_take_the_winners_colour() -> None:
    arrows = re.findall(r'<path d="M[^"]* Q[^>]*>', viz.priority_graph(GRAPHS[0], new=[(3, 2)]).svg)
    assert len(arrows) == len(GRAPHS[0].edges)
    assert sum('stroke-width="4"' in arrow for arrow in arrows) == 1
    assert not any("--nta-winner" in arrow for arrow in arrows)


def crossed(graph: TokenPriorityGraph, places: Plan, *, boxes: bool) -> list[tuple[int, int]]:
    """Arrows that run through the box of a league to which neither of their ends belongs."""
    found = []
    for edge in graph.edges:
        start, end = (places.chips[token] for token in edge)
        control = bow_point(start, end, _way(graph, places, edge, boxes=boxes))
        way = [bezier((start.x, start.y), control, (end.x, end.y), k / 40) for k in range(1, 40)]
        others = [league for league in places.leagues if not {*edge} & {*league.tokens}]
        if any(inside(league, x, y) for league in others for x, y in way):
            found.append(edge)
    return found


def inside(league: LeagueBox, x: float, y: float) -> bool:
    box = league.box
    return abs(x - box.x) < box.width / 2 and abs(y - box.y) < box.height / 2


@pytest.mark.parametrize("n", [6, 9])
def test_arrows_go_around_the_boxes_of_leagues_between(n: int) -> None:
    races = random_dataset(30, 3, 6, same_last=True, seed=0).subset(range(n))
    for graph in (GRAPHS[0], token_priority_graphs(races)[0]):
        assert not crossed(graph, plan(graph), boxes=True)


def test_without_looking_at_boxes_they_would_be_crossed() -> None:
    assert crossed(GRAPHS[0], plan(GRAPHS[0]), boxes=False)


def label_places(drawing: viz.Drawing, label: str) -> list[tuple[float, float]]:
    """Where the words stand, in the coordinates of the drawing."""
    found = re.findall(rf'<text x="([-\d.]+)" y="([-\d.]+)"[^>]*>{label}</text>', drawing.svg)
    return [(float(x), float(y)) for x, y in found]


def test_words_on_an_arrow_stand_beside_it_and_off_the_chips() -> None:
    graph, edge = GRAPHS[1], (3, 1)
    places = plan(graph)
    [(x, y)] = label_places(viz.priority_graph(graph, edge_labels={edge: "here"}), "here")
    start, end = (places.chips[token] for token in edge)
    middle = (start.x + end.x) / 2
    assert 10 < abs(x - middle) < 40  # the arrow is straight and nearly upright
    assert start.y < y < end.y
    chip = places.chips[0]  # e1 stands left of the arrow, so the words are on its right
    assert x > middle > chip.x


def test_on_two_arrows_that_lead_back_the_words_part() -> None:
    data = Dataset([[0, 1]] * 2, [0, 1])
    graph = token_priority_graphs(data)[1]
    drawing = viz.priority_graph(graph, edge_labels={(0, 1): "there", (1, 0): "back"})
    [(_, there)], [(_, back)] = (label_places(drawing, words) for words in ("there", "back"))
    assert abs(there - back) > 20


# A tie above two leagues, with words on every arrow: the tightest drawing of the book.
ODD = token_priority_graphs(
    Dataset([[0, 1, 0], [2, 1, 0], [2, 3, 0], [2, 3, 0]], labels=[1, 2, 3, 2])
)[0]


def ways(graph: TokenPriorityGraph, side: int = 1) -> dict[tuple[int, int], list]:
    """The points of every arrow; with side -1 those that are not tied bend the other way."""
    places, found = plan(graph), {}
    for edge in graph.edges:
        bow = _way(graph, places, edge, boxes=True) * (side if edge in graph.strict else 1)
        found[edge] = _points(*_ends(graph, places, edge), bow)
    return found


def in_the_way(graph: TokenPriorityGraph, label: str, x: float, y: float) -> list[str]:
    """What words at a place would touch."""
    places, box = plan(graph), Box(x, y - 5, text_width(label, SMALL), 10)
    solid = [*places.chips.values(), *map(_badge, places.leagues)]
    found = ["solid" for other in solid if _apart(box, other) < 0]
    found += ["rim" for league in places.leagues if _on_rim(box, league.box)]
    points = [point for way in ways(graph).values() for point in way]
    return found + ["arrow" for point in points if _apart(box, Box(*point, 0, 0)) < 0]


def test_words_on_arrows_touch_no_rim_no_arrow_and_no_chip() -> None:
    words = {edge: f"{100 + k}" for k, edge in enumerate(ODD.edges)}
    drawing = viz.priority_graph(ODD, edge_labels=words)
    for label in words.values():
        [(x, y)] = label_places(drawing, label)
        assert not in_the_way(ODD, label, x, y), label


def test_words_just_beside_the_middle_of_their_arrow_would_touch_something() -> None:
    there, back, across = (ways(ODD)[edge][20] for edge in ((2, 3), (3, 2), (2, 1)))
    assert "rim" in in_the_way(ODD, "100", there[0], there[1] - 12 + 5)
    assert "rim" in in_the_way(ODD, "100", back[0], back[1] + 12 + 5)
    assert "arrow" in in_the_way(ODD, "100", *across)


def meetings(arrows: dict[tuple[int, int], list]) -> set[frozenset[tuple[int, int]]]:
    """Pairs of arrows that come close to one another before their ends."""
    return {
        frozenset({one, other})
        for one in arrows
        for other in arrows
        if one < other
        for x, y in arrows[one][:34]
        if any(abs(x - u) + abs(y - v) < 4 for u, v in arrows[other][:34])
    }


def test_long_arrows_go_around_on_their_own_side_and_meet_no_other() -> None:
    assert not meetings(ways(ODD))


def test_on_the_other_side_they_would_meet() -> None:
    assert meetings(ways(ODD, side=-1))
