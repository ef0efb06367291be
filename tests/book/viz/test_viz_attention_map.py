"""The attention map: a square per pair of places, darker with more attention, frames for theory."""

import re

import pytest

from nta_book.errors import FigureError
from nta_book.viz import attention_map

SHARES = [[0.9, 0.0, 0.1], [0.25, 0.5, 0.25]]


def shades(drawing):
    """What the squares show: a shade is the root of a share."""
    found = re.findall(r'<rect[^>]*fill-opacity="([\d.]+)"', drawing.svg)
    return [round(float(shade) ** 2, 2) for shade in found]


def test_a_square_for_every_place_up_to_the_row_and_one_for_the_sink():
    assert shades(attention_map(SHARES, "ab")) == [0.9, 0.1, 0.25, 0.5, 0.25]


def test_frames_stand_where_theory_says():
    plain = attention_map(SHARES, "ab")
    framed = attention_map(SHARES, "ab", expected=[[False, False], [True, False]])
    assert plain.svg.count("--nta-theory") == 0
    assert framed.svg.count("--nta-theory") == 1
    row = [line for line in framed.svg.splitlines() if "--nta-theory" in line]
    assert 'fill-opacity="0.50"' in row[0]
    above = attention_map(SHARES, "ab", expected=[[False, True], [False, False]])
    assert "--nta-theory" not in above.svg  # nobody looks ahead


def test_every_state_of_an_explorer_has_the_same_squares():
    other = attention_map([[0, 0, 1], [0, 0, 1]], "ab")
    assert len(shades(other)) == len(shades(attention_map(SHARES, "ab")))
    assert len(other.svg.splitlines()) == len(attention_map(SHARES, "ab").svg.splitlines())


def test_what_the_last_place_looks_at_is_read_aloud():
    said = attention_map([[1, 0, 0], [0.03, 0.97, 0]], "ab", title="layer 2").alt
    assert said.startswith("Attention of 2 places, layer 2. The last one, b, looks at place 2, b")
    assert said.endswith("b: 0.97; at the sink: 0.")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attention_map([[1, 0]], "ab"), "a row per place"),
        (lambda: attention_map([], ""), "1 to 24"),
        (lambda: attention_map([[0] * 26] * 25, "a" * 25), "1 to 24"),
        (lambda: attention_map([[2, 0]], "a"), "from 0 to 1"),
        (lambda: attention_map([[-1, 0]], "a"), "from 0 to 1"),
        (lambda: attention_map([[1, 0]], "a", expected=[[1, 0]]), "per pair of places"),
    ],
)
def test_wrong_maps_are_refused(call, message):
    with pytest.raises(FigureError, match=message):
        call()
