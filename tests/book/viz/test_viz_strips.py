"""Strips of league tables: widths are counts, words tell them, wrong rows are refused."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from nta_book.errors import FigureError
from nta_book.viz import league_strips


def widths(drawing):
    found = re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="18"', drawing.svg)
    return [float(width) for width in found]


def test_widths_are_shares_of_the_scale():
    drawing = league_strips({"the": (10, 40, 40, 10), ".": (0, 0, 50, 0)})
    assert widths(drawing)[:8] == [20, 80, 80, 20, 0, 0, 100, 0]
    half = league_strips({"the": (10, 40, 40, 10)}, scale=200)
    assert widths(half)[:4] == [10, 40, 40, 10]


def test_a_word_without_races_says_so():
    empty, full = league_strips({"a": (0, 0, 0, 0)}), league_strips({"a": (1, 2, 3, 4)})
    assert "no race" in empty.svg
    assert "2 of 10" in full.svg
    assert len(empty.svg.splitlines()) == len(full.svg.splitlines())  # explorers send differences
    assert "no race" not in full.svg


def test_words_and_names():
    drawing = league_strips({"<b>": (1, 2, 3, 4)}, means="It means something.")
    assert "&lt;b&gt;" in drawing.svg
    ElementTree.fromstring(drawing.svg)
    assert "10 tokens, 2 of them in the largest league" in drawing.alt
    assert drawing.alt.endswith("It means something.")


@pytest.mark.parametrize("rows", [{}, {"a": (1, 2, 3)}, {"a": (1, -2, 3, 4)}])
def test_wrong_rows_are_refused(rows):
    with pytest.raises(FigureError, match=r"four counts|0 or more"):
        league_strips(rows)
