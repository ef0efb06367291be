"""Points in a plane of two measurements."""

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError

GROUPS = {"one": ([0.0, 1.0, 2.0], [1.0, 0.5, 0.2]), "two": ([3.0], [0.4])}


def drawn(groups=GROUPS, **options):
    return viz.cloud(groups, x_title="loss", y_title="agreement", **options)


def test_every_group_is_a_symbol_of_its_own():
    one, two = drawn().data
    assert one.marker.symbol != two.marker.symbol
    assert one.marker.color != two.marker.color
    np.testing.assert_allclose(one.y, [1, 0.5, 0.2])
    assert drawn().layout.showlegend
    assert not drawn({"one": GROUPS["one"]}).layout.showlegend


def test_names_stand_beside_their_points_and_inside():
    names = drawn(named={"left <b>": (0.0, 1.0), "right": (3.0, 0.4)}).data[-1]
    assert list(names.text) == ["left &lt;b&gt;", "right"]
    assert list(names.textposition) == ["middle right", "middle left"]
    np.testing.assert_allclose(names.x, [0, 3])


def test_the_rule_is_drawn_and_told():
    chart = drawn(x_rule=1.5)
    assert [shape.x0 for shape in chart.layout.shapes] == [1.5]
    assert "A dashed line stands at loss 1.5" in chart.layout.meta["alt"]
    assert not drawn().layout.shapes


def test_the_alt_text_says_how_the_points_lie():
    alt = drawn(named={"best": (0.0, 1.0)}, means="Less is more.").layout.meta["alt"]
    assert "one: 3 points, loss 0 to 2, agreement 0.2 to 1, correlation −0.99." in alt
    assert "two: 1 point, loss 3 to 3, agreement 0.4 to 0.4." in alt
    assert alt.endswith("Named: best at 0, 1. Less is more.")


@pytest.mark.parametrize("groups", [{}, {"a": ([], [])}, {"a": ([1, 2], [1])}, {"a": (1.0, 1.0)}])
def test_groups_must_be_points(groups):
    with pytest.raises(FigureError):
        drawn(groups)
