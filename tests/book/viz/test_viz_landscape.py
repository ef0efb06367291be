"""A loss over a plane: the relief, the marked places and the way of a run."""

import json

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.theme import ROLES, mark, tint
from tests.book.viz import zoo

X, Y = [-1.0, 0.0, 1.0], [0.0, 2.0]
LOSS = [[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]]


def drawn(loss=LOSS, **options):
    return viz.landscape(X, Y, loss, x_title="along W<sub>svm</sub>", y_title="across", **options)


def test_the_relief_keeps_the_grid_and_the_order_of_heights():
    relief = drawn().data[0]
    assert relief.type == "contour"
    np.testing.assert_allclose(relief.x, X)
    np.testing.assert_allclose(relief.y, Y)
    np.testing.assert_allclose(relief.z, (np.array(LOSS) - 1) * 40)
    assert (relief.z.min(), relief.z.max()) == (relief.zmin, relief.zmax)


def test_the_scale_names_the_lowest_and_the_highest_loss():
    fine = drawn(np.array(LOSS) * 1e-4).data[0]
    assert fine.colorbar.ticktext == ("0.0001", "0.0006")
    assert tuple(fine.colorbar.tickvals) == (fine.zmin, fine.zmax)
    flat = drawn(np.zeros((2, 3))).data[0]
    assert (flat.z == 0).all()


def test_points_have_symbols_and_names():
    fig = drawn(points={"end of the run": (0, 1), "theory": (1, 0)})
    _, end, theory = fig.data
    assert (end.name, end.marker.symbol) == ("end of the run", "circle")
    assert (theory.name, theory.marker.symbol) == ("theory", "diamond")
    assert fig.layout.showlegend
    assert not drawn().layout.showlegend


def test_the_path_is_a_line_below_the_points():
    fig = drawn(path=[[0, 0], [0.5, 1.0]], points={"end": (0.5, 1.0)})
    way = fig.data[1]
    assert way.mode == "lines"
    np.testing.assert_allclose(way.y, [0, 1])


def test_the_alt_text_says_where_it_is_deep():
    alt = drawn(points={"end": (0, 0)}, means="One valley.").layout.meta["alt"]
    assert alt.startswith(
        "Map of the loss, along W_svm across and across up: from 1 at (0, 0) to 6"
    )
    assert "end lies at (0, 0)." in alt
    assert alt.endswith("One valley.")


def test_colours_come_from_the_palette():
    spec = json.dumps(viz.panel(drawn(points={"a": (0, 0), "b": (0, 1), "c": (1, 0)})))
    assert zoo.colours(spec) <= {mark(role) for role in ROLES}
    assert tint("input", 0.6) in spec


@pytest.mark.parametrize(
    "options",
    [
        {"loss": [[1.0, 2.0]]},
        {"loss": np.full((2, 3), np.nan)},
        {"path": [1.0, 2.0]},
        {"path": np.zeros((0, 2))},
        {"points": dict.fromkeys("abcd", (0, 0))},
    ],
)
def test_what_cannot_be_drawn_is_refused(options):
    with pytest.raises(FigureError):
        drawn(**options)


def test_a_map_needs_two_rows_and_columns():
    with pytest.raises(FigureError, match="at least two rows"):
        viz.landscape([0.0, 1.0], [0.0], [[1.0, 2.0]], x_title="x", y_title="y")
