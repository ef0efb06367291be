"""Our curves beside the paper's numbers."""

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError

RUNS = np.array([[9.0, 5.0, 1.0], [7.0, 5.0, 3.0]])


def drawn(**options):
    known = {"paper": ([1, 100], [8, 2]), "x_title": "n", "y_title": "leagues", **options}
    return viz.against_paper([1, 10, 100], {"ours": RUNS, "limit": [8, 4, 2]}, **known)


def test_all_runs_are_thin_and_their_mean_is_thick():
    ours = [trace for trace in drawn().data if trace.name == "ours"]
    assert [trace.line.width for trace in ours] == [1, 1, 2.5]
    np.testing.assert_allclose(ours[-1].y, [8, 5, 2])
    assert [trace.showlegend for trace in ours] == [False, False, False]  # named at its end
    assert {note.text for note in drawn().layout.annotations} == {"ours", "limit"}


def test_the_papers_numbers_are_diamonds_and_stand_in_the_alt_text():
    figure = drawn(paper_name="paper, Fig. 11")
    diamonds = figure.data[-1]
    assert diamonds.marker.symbol == "diamond"
    np.testing.assert_allclose(np.column_stack([diamonds.x, diamonds.y]), [[1, 8], [100, 2]])
    alt = figure.layout.meta["alt"]
    assert "paper, Fig. 11: 8 at n = 1 and 2 at n = 100" in alt
    assert "ours, mean of 2 curves, falls from 8 to 2" in alt


def test_axes_are_logarithmic_only_when_asked():
    assert (drawn().layout.xaxis.type, drawn().layout.yaxis.type) == ("log", None)
    assert drawn(log_x=False, log_y=True).layout.yaxis.type == "log"


@pytest.mark.parametrize("paper", [([], []), (3, 4), ([1, 2], [3])])
def test_numbers_of_the_paper_must_be_points(paper):
    with pytest.raises((FigureError, ValueError)):
        drawn(paper=paper)
