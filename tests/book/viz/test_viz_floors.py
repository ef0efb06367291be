"""Floors of a league table: bars are shares of races won, lines match, wrong rows are refused."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from nta_book.errors import FigureError
from nta_book.viz import league_floors

TOP = {"on top": [("as", 12, 12, "12 of 12")], "ties": [("<b>", 1, 4, "1 of 4"), ("a", 0, 2, "")]}
SIZES = {"on top": 1, "ties": 1_234}


def bars(drawing):
    found = re.findall(r'<rect x="124" y="[\d.]+" width="([\d.]+)" height="11"', drawing.svg)
    return [float(width) for width in found]


def test_bars_are_shares_of_the_races_run():
    assert bars(league_floors(TOP, SIZES)) == [60, 0, 15, 0]


def test_every_floor_keeps_the_same_number_of_lines():
    few, many = (
        league_floors({"ties": TOP["ties"][:n]}, {"ties": n}, rows=3).svg.splitlines()
        for n in (0, 2)
    )
    assert len(few) == len(many)  # explorers send differences
    assert len([k for k, (a, b) in enumerate(zip(few, many, strict=True)) if a != b]) < 9


def test_the_league_alone_has_its_colour():
    plain, marked = league_floors(TOP, SIZES), league_floors(TOP, SIZES, league="ties")
    assert "league-1" not in plain.svg
    assert marked.svg.count("--nta-league-1") == 2  # fill and rim of one frame


def test_words_and_names():
    drawing = league_floors(TOP, SIZES, means="It means something.")
    ElementTree.fromstring(drawing.svg)
    assert "&lt;b&gt;" in drawing.svg
    assert "1,234 words" in drawing.svg
    assert "on top, 1 word: as won 12 of 12 races." in drawing.alt
    assert "ties, 1,234 words: <b> won 1 of 4 races, a 0 of 2." in drawing.alt
    assert drawing.alt.endswith("It means something.")


@pytest.mark.parametrize(
    ("floors", "sizes", "rows", "said"),
    [
        ({}, {}, None, "1 to 8 floors"),
        (TOP, {"ties": 2, "on top": 1}, None, "same order"),
        (TOP, SIZES, 1, "at most rows=1"),
        (TOP, SIZES, 99, "at most 12"),
        ({"a": [("w", 3, 2, "")]}, {"a": 1}, None, "won 3 of 2"),
        ({"a": [("w", 0, 0, "")]}, {"a": 1}, None, "won 0 of 0"),
        ({"a": [("w", 1, 2)]}, {"a": 1}, None, "word, wins, races, note"),
        ({"a": 3}, {"a": 1}, None, "a"),
        ([], SIZES, None, "mapping"),
        (TOP, {"on top": -1, "ties": 2}, None, "0 or more"),
    ],
)
def test_wrong_floors_are_refused(floors, sizes, rows, said):
    with pytest.raises(FigureError, match=said):
        league_floors(floors, sizes, rows=rows)
