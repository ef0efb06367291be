"""Forecasts: the band, what was held back, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.theme import mark

X = [1.0, 10.0, 100.0]
BAND = [[1, 2, 4], [8, 10, 15], [40, 100, 300]]


def drawn(**given: Any) -> Any:
    right: dict[str, Any] = {
        **{"fitted": ([1, 10], [2, 11]), "across": X, "band": BAND},
        **{"x_title": "tokens", "y_title": "edges"},
    }
    return viz.forecast(**right | given)


def test_the_band_is_filled_between_its_ends() -> None:
    low, high, law, dots = drawn().data
    assert high.fill == "tonexty"
    assert np.allclose([low.y, law.y, high.y], np.transpose(BAND))
    assert dots.marker.color == mark("practice")
    assert drawn().layout.xaxis.type == drawn().layout.yaxis.type == "log"


@pytest.mark.parametrize("low", [0.62, 0.84, 1.0, 3.3])
@pytest.mark.parametrize("factor", [1.7, 2.5, 8.0, 1e4])
def test_a_reader_can_tell_the_scale(low: float, factor: float) -> None:
    band = np.outer([1.0, 1.0, 1.0], [low, low * factor**0.5, low * factor])
    places = np.array(drawn(band=band, fitted=([1.0], [low])).layout.yaxis.tickvals)
    assert len(places) >= 3
    assert (np.diff(np.log(places)) > np.log(factor) / 12).all()


@pytest.mark.parametrize(("height", "word"), [(39, "outside"), (41, "inside"), (301, "outside")])
def test_it_is_said_whether_it_came_true(height: float, word: str) -> None:
    chart = drawn(later=([10, 100], [1, height]))
    assert len(chart.data) == 5
    assert f"{height} at 100, {word} the band" in chart.layout.meta["alt"]
    assert "2 hollow dots were measured later" in chart.layout.meta["alt"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"band": BAND[:2]}, "band has shape"),
        ({"band": np.fliplr(BAND)}, "low, law, high"),
        ({"across": X[::-1]}, "grows across"),
        ({"fitted": ([1, 2], [1])}, "fitted needs arrays x and y of one length"),
        ({"later": ([], [])}, "later needs arrays"),
        ({"fitted": ([0, 1], [1, 2])}, "must be above 0"),
        ({"later": ([100], [-1])}, "must be above 0"),
    ],
)
def test_what_is_no_forecast_is_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(FigureError, match=complaint):
        drawn(**given)
