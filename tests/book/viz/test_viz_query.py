"""The triangle of chapter 1 marks the query: the last token, and where scores pull the output."""

import re

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError

EVEN = [1 / 3, 1 / 3, 1 / 3]


def arrow(aim):
    """Direction of the arrow, or None when there is none."""
    svg = viz.triangle("abc", EVEN, aim=aim).svg
    shafts = [line for line in svg.splitlines() if 'stroke="var(--nta-ink' in line]
    if not shafts:
        return None
    numbers = re.findall(r"-?\d+(?:\.\d+)?", re.search(r' points="([^"]+)"', shafts[0])[1])
    x0, y0, x1, y1 = map(float, numbers[:4])
    return np.degrees(np.arctan2(y0 - y1, x1 - x0)) % 360  # counted as on paper, upwards


def test_the_arrow_points_at_the_best_corner_or_between_two():
    assert arrow([1, 0, 0]) == pytest.approx(90, abs=1)  # the first corner is on top
    assert arrow([0, 1, 0]) == pytest.approx(330, abs=1)
    assert arrow([1, 1, 0]) == pytest.approx(30, abs=1)


@pytest.mark.parametrize("aim", [None, [0, 0, 0], [2, 2, 2]])
def test_equal_scores_pull_nowhere(aim):
    assert arrow(aim) is None


def test_the_last_token_carries_its_bar_and_is_read_out():
    drawing = viz.triangle("abc", EVEN, last=1, aim=[0, 2, 2])
    assert 'fill="var(--nta-last' in drawing.svg
    assert 'fill="var(--nta-last' not in viz.triangle("abc", EVEN).svg
    assert drawing.alt.endswith("The last token is b. Scores pull it towards b and c.")


def test_one_score_per_corner():
    with pytest.raises(FigureError, match="one score per corner"):
        viz.triangle("abc", EVEN, aim=[1, 2])
