"""Attention bars: who is orange, and that no word stands on another when rows wrap."""

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np

from nta_book import viz
from nta_book.viz.canvas import Box, text_width
from nta_core import Dataset

REPEATED = Dataset([[0, 0, 1, 2, 3], [3, 3, 1, 1, 2], [0, 1, 1, 0, 2]], [1, 3, 0], K=4)


def words(svg):
    """The texts of a drawing with the boxes they need to be read apart: a line and a blank each."""
    found = []
    for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        size = float(element.get("font-size", 14.5))
        width, x, y = text_width(element.text, size), float(element.get("x")), element.get("y")
        shift = {"middle": 0.0, "end": -width / 2, None: width / 2}[element.get("text-anchor")]
        found.append(
            (element.text, Box(x + shift, float(y) - 0.35 * size, width + size, 1.25 * size))
        )
    return found


def collisions(svg):
    return [
        (one, other)
        for (one, a), (other, b) in combinations(words(svg), 2)
        if abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2
    ]


def bars(dataset):
    mass = dataset.counts / dataset.counts.sum(axis=1, keepdims=True)
    return viz.attention_bars(dataset, mass).svg


def test_counts_do_not_stand_on_the_number_of_the_next_race():
    svg = bars(REPEATED)
    assert "×2" in svg
    assert not collisions(svg)


def test_a_collision_would_be_found():
    svg = bars(REPEATED)
    below = re.search(r'y="([\d.-]+)"[^>]*>2</text>', svg)[1]  # the number of the second race
    mark = re.search(r'(<text x=")[\d.-]+(" y=")[\d.-]+("[^>]*>×2<)', svg)
    assert collisions(svg.replace(mark[0], f"{mark[1]}0{mark[2]}{below}{mark[3]}"))


def test_the_label_alone_is_orange():
    data = Dataset([[0, 1, 2]], [1])
    svg = viz.attention_bars(data, np.full((1, 3), 1 / 3)).svg
    heights = re.findall(r'width="20" height="[\d.]+" fill="var\(--nta-([\w-]+)', svg)
    assert heights == ["practice", "winner", "practice"]


def test_a_single_race_has_no_number():
    alone, both = REPEATED.subset([0]), REPEATED.subset([0, 1])
    assert [text for text, _ in words(bars(both)) if text in "12"] == ["1", "2"]
    assert [text for text, _ in words(bars(alone)) if text in "12"] == []


def test_no_zero_stands_on_the_mark_of_theory():
    data, mass = Dataset([[0, 1]], [0]), [[1.0, 0.001]]
    shown = [
        [text for text, _ in words(viz.attention_bars(data, mass, theory=theory).svg)]
        for theory in (None, [[1.0, 0.0]], [[0.5, 0.5]])
    ]
    assert ["0" in texts for texts in shown] == [True, False, True]
