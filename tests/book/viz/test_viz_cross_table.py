"""The cross table: cells are wins, bars are strengths on one scale, wrong tables are refused."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from nta_book.errors import FigureError
from nta_book.viz.crosstable import LANE, LINE, cross_table

WINS = [[0, 4, 0], [2, 0, 1], [0, 0, 0]]


def texts(drawing):
    root = ElementTree.fromstring(drawing.svg)
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def bars(drawing):
    found = re.findall(rf'width="([\d.]+)" height="{LINE - 20:g}"', drawing.svg)
    return [float(width) for width in found]


def test_a_cell_per_pair_and_none_on_the_diagonal():
    shown = texts(cross_table("abc", WINS, [1, 1, 1]))
    rows = [shown[shown.index(name, 5) :][1:3] for name in "abc"]
    assert rows == [["4", "–"], ["2", "1"], ["–", "0"]]  # a and c never met, c lost to b


def test_bars_share_one_scale():
    assert bars(cross_table("abc", WINS, [4, 1, 2])) == [LANE, LANE / 4, LANE / 2]
    assert bars(cross_table("abc", WINS, [4, 1, 2], most=8)) == [LANE / 2, LANE / 8, LANE / 4]
    assert bars(cross_table("abc", WINS, [0, 0, 0])) == [0, 0, 0]


def test_theory_stands_where_it_is_counted():
    plain, marked = (cross_table("abc", WINS, [4, 1, 2], theory=t) for t in (None, [2, 1, 2]))
    assert "counted" not in plain.svg + plain.alt
    assert "Diamonds, counted from the wins: a 2, b 1, c 2." in marked.alt
    assert marked.svg.count("--nta-theory") == 4  # one per token, one in the legend


def test_further_races_have_a_column_of_their_own():
    drawing = cross_table("ab", [[0, 1], [1, 0]], [1, 1], further={"all": [3, 0]})
    assert "all" in texts(drawing)
    assert drawing.alt.startswith("A table of wins: a beat b once; b beat a once; all: a 3, b 0.")


def test_every_state_of_an_explorer_has_the_same_lines():
    one, other = cross_table("abc", WINS, [1, 2, 3]), cross_table("abc", [[0] * 3] * 3, [0, 1, 0])
    assert len(one.svg.splitlines()) == len(other.svg.splitlines())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_table("abc", [[0, 1], [1, 0]], [1, 1, 1]), "one row and one column"),
        (lambda: cross_table("ab", [[0, 1], [1, 0]], [1]), "one per token"),
        (lambda: cross_table("ab", [[0, -1], [1, 0]], [1, 1]), "0 or more"),
        (lambda: cross_table("ab", [[0, 1], [1, 0]], [1, -1]), "0 or more"),
        (lambda: cross_table("ab", [[0, 1], [1, 0]], [1, 1], theory=[1]), "theory"),
        (lambda: cross_table("ab", [[0, 1], [1, 0]], [1, 1], theory=[1, -1]), "0 or more"),
        (lambda: cross_table("", [], []), "1 to 12"),
    ],
)
def test_wrong_tables_are_refused(call, message):
    with pytest.raises(FigureError, match=message):
        call()
