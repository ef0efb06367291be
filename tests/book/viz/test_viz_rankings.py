"""Two rankings side by side: a line joins a name's two places, and only names that have two."""

import xml.etree.ElementTree as ElementTree

import pytest

from nta_book.errors import FigureError
from nta_book.viz.rankings import GAP, LINE, MOST_ROWS, rankings

LEFT, RIGHT = ["he", "she", "was"], ["was", "had", "he"]


def drawn(left=LEFT, right=RIGHT, **options):
    return rankings(left, right, left_title="head", right_title="text", **options)


def elements(drawing, tag):
    root = ElementTree.fromstring(drawing.svg)
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def lines(drawing):
    points = [line.get("points").split() for line in elements(drawing, "polyline")]
    return [tuple(float(point.split(",")[1]) for point in line) for line in points]


def test_a_line_joins_the_two_places_of_a_name():
    found = lines(drawn())
    assert found == [(0.5 * LINE, 2.5 * LINE), (2.5 * LINE, 0.5 * LINE)]  # he falls, was rises
    assert lines(drawn(right=["had", "did"])) == []


def test_names_stand_on_their_side_and_in_their_order():
    places = [(e.text, float(e.get("x")), float(e.get("y"))) for e in elements(drawn(), "text")]
    for names, x in ((LEFT, 0.0), (RIGHT, GAP)):
        column = sorted((y, name) for name, at, y in places if at == x and name in LEFT + RIGHT)
        assert [name for _, name in column] == names


def test_notes_stand_beside_their_names():
    marked = drawn(left_notes=["3.", "9.", "1."])
    heights = {e.text: e.get("y") for e in elements(marked, "text") if float(e.get("x")) <= 0}
    assert [heights[note] for note in ("3.", "9.", "1.")] == [heights[name] for name in LEFT]


def test_an_empty_note_draws_nothing():
    assert drawn(right_notes=["", "", ""]).svg == drawn().svg
    assert drawn(right_notes=["", "2.", ""]).svg != drawn().svg


def test_it_is_read_aloud():
    assert drawn().alt == "Two rankings. head: he, she, was. text: was, had, he. In both: he, was."
    assert drawn(left=["she"]).alt.endswith("In both: none.")


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"left": []}, "head: a ranking holds 1 to"),
        ({"right": ["a", "a"]}, "text: a ranking holds 1 to"),
        ({"left": [str(k) for k in range(MOST_ROWS + 1)]}, "each once"),
        ({"right_notes": ["1."]}, "text: 1 notes for 3 names"),
    ],
)
def test_what_cannot_be_drawn_is_said(options, hint):
    with pytest.raises(FigureError, match=hint):
        drawn(**options)
