"""Every picture, on good and odd data: well formed, described, safe, and in the palette."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.canvas import Box, Canvas, text_width
from nta_book.viz.drawing import MIME, plain_json
from nta_book.viz.marks import short
from nta_book.viz.theme import ROLES, mark
from nta_core import FIG3, Comparison, Dataset, graphs_from_edges, token_priority_graphs
from nta_core.errors import OptionError, UnknownToken
from tests.book.viz import zoo

PICTURES = zoo.everything()
IDS = [name for name, _ in PICTURES]
DRAWINGS = [
    (f"{name} {k}", single)
    for name, picture in PICTURES
    for k, single in enumerate(viz.walk(picture))
    if isinstance(single, viz.Drawing)
]
CHARTS = [(name, picture) for name, picture in PICTURES if hasattr(picture, "to_plotly_json")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("picture", [p for _, p in PICTURES], ids=IDS)
def test_every_picture_is_described_and_has_a_panel(picture: Any) -> None:
    for single in viz.walk(picture):
        assert len(viz.alt_of(single)) > 12
        assert "$" not in viz.alt_of(single)
        panel = viz.panel(single)
        shown = panel.get("svg") or json.dumps(panel["figure"], allow_nan=False)
        assert "$" not in shown
        assert '<b>&"' not in shown
        assert "><b>&<" not in shown


@pytest.mark.parametrize("drawing", [d for _, d in DRAWINGS], ids=[n for n, _ in DRAWINGS])
def test_drawings_are_sound_xml_in_the_palette(drawing: viz.Drawing) -> None:
    root = ElementTree.fromstring(drawing.svg)
    assert root.tag == f"{SVG}svg"
    elements = list(root.iter())
    assert not [e for e in elements if "id" in e.attrib], "ids would clash on a page"
    assert {e.tag.removeprefix(SVG) for e in elements} <= {
        "svg", "g", "rect", "circle", "path", "polyline", "polygon", "text"
    }  # fmt: skip
    for element in elements:
        for key in ("fill", "stroke"):
            value = element.get(key, "none")
            role = re.fullmatch(r"var\(--nta-([\w-]+), (#\w{6})\)", value)
            assert value == "none" or (role and ROLES[role[1]].light == role[2]), value
        if element.tag == f"{SVG}text":
            assert float(element.get("font-size", root.get("font-size", "0"))) >= 11
    assert zoo.colours(drawing.svg) <= {shade.light for shade in ROLES.values()}
    assert "nan" not in drawing.svg
    assert "inf" not in re.sub(r">[^<]*<", "><", drawing.svg)


@pytest.mark.parametrize("drawing", [d for _, d in DRAWINGS], ids=[n for n, _ in DRAWINGS])
def test_everything_stays_inside_the_view_box(drawing: viz.Drawing) -> None:
    root = ElementTree.fromstring(drawing.svg)
    left, top, width, height = (float(v) for v in root.get("viewBox", "").split())
    for element in root.iter(f"{SVG}text"):
        size = float(element.get("font-size", 13))
        room = text_width(element.text or "", size)
        anchor = element.get("text-anchor", "start")
        start = float(element.get("x", 0)) - {"start": 0, "middle": room / 2, "end": room}[anchor]
        assert left <= start
        assert start + room <= left + width + 0.1
        assert top <= float(element.get("y", 0)) <= top + height
    for element in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(element.get(key, 0)) for key in ("x", "y", "width", "height"))
        assert left <= x
        assert x + w <= left + width
        assert top <= y
        assert y + h <= top + height


@pytest.mark.parametrize("name", ["FIG3", "FIG8"])
def test_drawings_of_the_running_example_fit_a_phone(name: str) -> None:
    for title, picture in zoo.drawings_of(zoo.DATA[name]):
        for single in viz.walk(picture):
            width = float(re.search(r'viewBox="\S+ \S+ (\S+)', single.svg)[1])
            # 328 px on a 360 px phone: type of 13 px is never below 12
            assert width <= 352, (title, width)


@pytest.mark.parametrize("name", ["FIG3", "FIG8"])
def test_drawings_have_two_sizes_of_type_and_are_never_enlarged(name: str) -> None:
    for title, picture in zoo.drawings_of(zoo.DATA[name]):
        for single in viz.walk(picture):
            sizes = set(re.findall(r'font-size="(\S+)"', single.svg))
            assert sizes <= {"14.5", "13"}, (title, sizes)
            width = float(re.search(r'viewBox="\S+ \S+ (\S+)', single.svg)[1])
            largest = float(re.search(r"max-width:(\d+)px", single.svg)[1])
            assert abs(largest - width) <= 0.5, title


@pytest.mark.parametrize("chart", [c for _, c in CHARTS], ids=[n for n, _ in CHARTS])
def test_charts_have_titles_no_background_and_palette_colours(chart: Any) -> None:
    layout = chart.layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert not layout.template.layout.to_plotly_json()
    assert layout.meta["alt"]
    spec = json.dumps(viz.panel(chart))
    assert zoo.colours(spec) <= {mark(role) for role in ROLES}
    for trace in chart.data:
        for values in (trace.x, trace.y, getattr(trace, "z", None)):
            if isinstance(values, np.ndarray) and values.dtype.kind == "f":
                assert values.dtype == np.float32
                assert len(values) <= 160


def test_markup_in_names_is_text_on_chips_and_in_labels() -> None:
    drawing = viz.sequences(zoo.MARKUP)
    texts = [e.text for e in ElementTree.fromstring(drawing.svg).iter(f"{SVG}text")]
    assert "<b>&" in texts
    assert any(text.startswith('say"＄x＄') and text.endswith("…") for text in texts if text)
    chart = viz.small_bars(zoo.MARKUP.names, [1, 2], y_title="W<sub>svm</sub> <i>")
    assert chart.data[0].x[0] == "&lt;b&gt;&amp;"
    assert chart.layout.yaxis.title.text == "W<sub>svm</sub> &lt;i&gt;"
    assert "W_svm" in chart.layout.meta["alt"]


def test_alt_texts_say_the_facts() -> None:
    first = token_priority_graphs(FIG3.subset([0]))[0]
    assert viz.priority_graph(first, new=[(1, 0)]).alt == (
        "Priority graph after e1, two leagues, strongest first: league 1 e2; league 2 e1. "
        "An arrow runs from winner to loser: e2 beats e1. New: e2 beats e1."
    )
    graphs = token_priority_graphs(FIG3)
    alt = viz.priority_graph(graphs[0], highlight=[(3, 2)], new=[(1, 0)], scores={0: -1.5}).alt
    assert (
        "four leagues, strongest first: league 1 e4; league 2 e3; league 3 e2; league 4 e1" in alt
    )
    assert "e3 beats e1 and e2" in alt
    assert "New: e2 beats e1." in alt
    assert "On a glow (decides): e4 beats e3." in alt
    assert "Score: e1 −1.5." in alt
    star = token_priority_graphs(Dataset([[0, 1, 2]], [2]))[2]
    assert "league 2a e1; league 2b e2" in viz.priority_graph(star).alt
    assert "6 times" not in viz.track(FIG3, 0).alt
    assert "e1 e2 e1 → e2, 2 times" in viz.track(zoo.REPEATED, 0).alt
    assert viz.track(zoo.REPEATED, 3).alt == "Track e4, 0 races."
    many = token_priority_graphs(Dataset([[*range(5)], [*range(5)]], [0, 4]))[4]
    assert "inside a league e1 beats e5" in viz.priority_graph(many).alt
    crowd = token_priority_graphs(zoo.TWELVE)[11]
    assert "arrows run from winner to loser" not in viz.priority_graph(crowd).alt
    full = token_priority_graphs(Dataset([[*range(5)]] * 5, [*range(5)]))[4]
    assert "20 arrows run from winner to loser." in viz.priority_graph(full).alt
    unran = viz.race(Dataset([[0, 0]], [1], K=2), 0).alt
    assert "wins without running" in unran


def test_means_and_alt_reach_the_reader() -> None:
    assert viz.race(FIG3, 0, means="Only the winner counts.").alt.endswith(
        "Only the winner counts."
    )
    assert viz.race(FIG3, 0, alt="Mine.").alt == "Mine."
    with pytest.raises(FigureError, match="alt text"):
        viz.race(FIG3, 0, alt="")


def test_upto_and_highlight_show() -> None:
    assert viz.sequences(FIG3, upto=2).svg.count('opacity=".3"') == FIG3.n - 2
    assert viz.sequences(FIG3, highlight=[1]).svg.count("--nta-highlight") == 1
    assert viz.track(FIG3, 0, upto=1).alt == "Track e1, 1 race: e1 e2 e1 → e2."
    assert viz.sequences(FIG3, rows=[]).alt == "No sequences."
    assert "and so on" in viz.sequences(Dataset([[0]] * 13, [0] * 13)).alt


def test_marks_of_a_graph_are_drawn() -> None:
    graph = token_priority_graphs(FIG3)[1]
    plain = viz.priority_graph(graph).svg
    assert "--nta-highlight" not in plain
    assert 'stroke-dasharray="4 3"' in plain  # ties
    assert "--nta-highlight" in viz.priority_graph(graph, highlight=[(3, 1)]).svg
    assert "0.25" in viz.priority_graph(graph, edge_labels={(3, 1): "0.25"}).svg
    assert plain.count("--nta-last") == 2  # the chip and the legend
    tied = token_priority_graphs(FIG3.subset([3, 4, 5]))[1]
    assert "share a league, e1, e2 and e3" in viz.condensation(tied).alt
    apart = graphs_from_edges({0: [(0, 0), (1, 1)]}, K=2)[0]
    assert "No order between them" in viz.condensation(apart).alt
    crowd = Dataset([[*range(12)]] * 12, [*range(12)], names=[f"token{k}" for k in range(12)])
    assert "12 tokens" in viz.condensation(token_priority_graphs(crowd)[11]).svg


def test_arrows_avoid_chips_in_between() -> None:
    graph = token_priority_graphs(FIG3)[0]  # a chain: two arrows skip a league
    curves = re.findall(r'd="M(\S+),\S+ Q(\S+),\S+ (\S+),', viz.priority_graph(graph).svg)
    bent = [abs(float(c) - float(a)) > 15 for a, c, _ in curves]
    assert sorted(bent) == [False, False, False, True, True]


def test_bars_have_the_heights_of_the_data() -> None:
    mass = np.zeros((1, 3))
    mass[0] = [0.25, 0.75, 0]
    data = Dataset([[0, 1, 2]], [1])
    svg = viz.attention_bars(data, mass).svg
    heights = [float(h) for h in re.findall(r'width="20" height="(\S+?)"', svg)]
    assert heights == [16.0, 48.0, 0.0]
    assert (
        "the largest difference is 50 points"
        in viz.attention_bars(data, mass, theory=[[0.75, 0.25, 0]]).alt
    )
    both = viz.machine_vs_network({"a": 1.0}, {"a": 0.5, "b": 0.5})
    assert "a 100% and 50%, b 0% and 50%" in both.alt
    widths = [float(w) for w in re.findall(r'width="(\S+?)" height="15"', both.svg)]
    assert widths == [200.0, 100.0, 0.0, 100.0]


def test_the_output_stands_where_its_weights_say() -> None:
    for weights, where in (
        ([1, 0, 0], "near a"), ([0.5, 0.5, 0], "between a and b"),
        ([1 / 3] * 3, "at the centre"), ([0.4, 0.3, 0.3], "nearest to a, not far from the centre"),
    ):  # fmt: skip
        assert f"stands {where}:" in viz.triangle("abc", weights).alt
    corner = viz.triangle("abc", [1, 0, 0]).svg
    assert re.search(r'<circle cx="0" cy="-110" r="8"', corner)
    assert viz.triangle("a", [1]).alt.startswith("A point with corner a. The output stands there")
    assert "polygon" in viz.triangle("abcde", [0.2] * 5).alt
    assert "-1" not in viz.triangle("ab", [0.5, 0.5], trail=np.empty((0, 2))).alt


def test_the_cone_is_the_feasible_region() -> None:
    alt = viz.cone([[1, 0], [-1, 0]], labels=["p", "q"], solution=None).alt
    assert "No weights here keep them all" in alt
    assert "margins p 2, q 0.5" in viz.cone(np.eye(2), labels="pq", point=[2, 0.5]).alt
    square = viz.cone(np.eye(2), labels="pq", reach=2.0).svg
    points = re.search(r'<polygon points="([^"]+)" fill="var\(--nta-practice', square)[1]
    corners = {tuple(float(v) for v in point.split(",")) for point in points.split()}
    assert corners == {(52.5, -52.5), (105.0, -52.5), (105.0, -105.0), (52.5, -105.0)}
    assert "p" in viz.cone([[0, 0], [1, 1]], labels=["p", "q"]).alt  # a wall that is nowhere
    assert viz.cone([[0.01, 0]], labels=["far"], solution=[100, 0]).svg.count(">far<") == 0
    assert viz.cone([[0.01, 0]], labels=["far"], solution=[100, 0]).alt.endswith("length 100.")
    near_rim = viz.cone([[0.34, 0]], labels=["rim"])
    assert ">rim<" in near_rim.svg


def test_charts_show_their_data() -> None:
    values = {Comparison(0, 1, 0): 2.0, Comparison(0, 2, 1): 0.5}
    chart = viz.margins(values, "abc", support=[Comparison(0, 2, 1)])
    assert chart.data[0].x.tolist() == [0.5, 2.0]
    assert chart.data[0].marker.pattern.shape == ("/", "")
    assert chart.layout.shapes[0].x0 == chart.layout.shapes[0].x1 == 1
    assert "1 lies below it. 1 hatched" in chart.layout.meta["alt"]
    assert viz.margins(values, "abc").layout.meta["alt"].endswith("1 lies below it.")
    heat = viz.heatmap(
        np.zeros((13, 2)),
        rows=[str(k) for k in range(13)],
        columns="ab",
        row_title="token",
        column_title="last token",
    )
    assert heat.data[0].showscale
    assert not heat.layout.annotations
    small = viz.heatmap([[1, -2]], rows="a", columns="bc", row_title="r", column_title="c")
    assert [note.text for note in small.layout.annotations] == ["1", "−2"]
    runs = viz.convergence([0, 1, 10], [[9, 1, 2], [9, 3, 4]], x_title="t", y_title="y")
    assert [len(trace.x) for trace in runs.data] == [2, 2, 2]  # step 0 has no place on a log axis
    assert runs.data[-1].y.tolist() == [2.0, 3.0]
    assert runs.data[0].line.width < runs.data[-1].line.width
    assert "rises from 2 to 3; the runs end between 2 and 4" in runs.layout.meta["alt"]
    stack = viz.trajectories(
        [1, 2], {"a": [1, 1], "b": [[1, 2], [3, 4]]}, log_time=False, limits={"b": 5}, now=2
    )
    assert stack.layout.yaxis2.domain[1] < stack.layout.yaxis.domain[0]
    assert stack.layout.xaxis.type is None
    assert [shape.yref for shape in stack.layout.shapes] == ["y domain", "y2 domain", "y2"]
    assert (
        "a stays at 1. b, mean of 2 curves, rises from 2 to 3; theory says 5."
        in (stack.layout.meta["alt"])
    )
    path = viz.plane_path({"GD": ([0, 1, 2], [0, 5, 6])}, x_title="x", y_title="y", now=1)
    assert path.data[1].y.tolist() == [0, 5]
    assert not path.layout.showlegend
    two = {"A": ([0, 1], [0, 5]), "B": ([3, 1], [9, 5])}
    assert viz.plane_path(two, x_title="x", y_title="y").layout.showlegend
    sides = {"A": "left", "B": "right"}
    named = viz.plane_path(two, x_title="x", y_title="y", named_at_start=sides)
    assert [name.xanchor for name in named.layout.annotations] == ["right", "left"]
    assert not named.layout.showlegend
    beside = [(name.text, name.x, name.y, name.yanchor) for name in named.layout.annotations]
    assert beside == [("A", 0, 0, "top"), ("B", 3, 9, "bottom")]
    grown = viz.growth([1, 2], {"n": [1, 1e4]}, x_title="n", y_title="c")
    assert grown.layout.yaxis.dtick == 1
    assert grown.layout.xaxis.dtick is None


@pytest.mark.parametrize(("call", "message"), [
    (lambda: viz.attention_bars(FIG3, [[1.0]]), "expected"),
    (lambda: viz.attention_bars(FIG3, np.full((7, 4), np.nan)), "NaN"),
    (lambda: viz.machine_vs_network({}, {}), "no tokens"),
    (lambda: viz.triangle("ab", [1]), "one weight per corner"),
    (lambda: viz.cone([[1, 0]], labels=[]), "1 comparisons but 0 labels"),
    (lambda: viz.heatmap([[1]], rows="ab", columns="a", row_title="r", column_title="c"), "2 row"),
    (lambda: viz.heatmap([[np.inf]], rows="a", columns="a", row_title="r", column_title="c"),
     "infinite"),
    (lambda: viz.margins({}, "ab"), "no strict pair"),
    (lambda: viz.small_bars("ab", [1], y_title="y"), "2 labels"),
    (lambda: viz.small_bars("ab", [1, 2], y_title="y", theory=[1]), "2 labels"),
    (lambda: viz.small_bars("ab", [1, np.nan], y_title="y"), "NaN"),
    (lambda: viz.spread("a", {"s": [[0, np.nan, 1]]}, x_title="x"), "NaN"),
    (lambda: viz.trajectories([1], {}), "at least one series"),
    (lambda: viz.trajectories([0], {"a": [1]}), "above 0"),
    (lambda: viz.trajectories([1], {"a": [1, 2]}), "a has shape"),
    (lambda: viz.plane_path({}, x_title="x", y_title="y"), "one path"),
    (lambda: viz.plane_path({"p": ([1], [1, 2])}, x_title="x", y_title="y"), "one shape"),
    (lambda: viz.growth([1], {}, x_title="x", y_title="y"), "one series"),
    (lambda: viz.Panels([]), "at least one picture"),
    (lambda: viz.Panels([viz.token("a")], columns=0), "columns=0"),
    (lambda: viz.panel("a string"), "str is not a picture"),
    (lambda: viz.Drawing("<svg/>", alt=" "), "no alt text"),
])  # fmt: skip
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        call()


def test_rows_and_tracks_outside_the_data_are_named() -> None:
    with pytest.raises(OptionError, match="rows 0…6"):
        viz.race(FIG3, 7)
    with pytest.raises(UnknownToken, match="0…3"):
        viz.track(FIG3, 4)


def test_a_foreign_figure_is_refused() -> None:
    import plotly.graph_objects as go

    with pytest.raises(FigureError, match="carries no alt text"):
        viz.Panels([go.Figure()])


def test_forms_for_notebook_and_book(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = viz.token('"<b>"')
    bundle = drawing._repr_mimebundle_()
    assert bundle[MIME]["kind"] == "svg"
    assert 'role="img" aria-label="The token &quot;&lt;b&gt;' in bundle["text/html"]
    panels = viz.Panels([drawing, drawing], columns=1)
    assert panels._repr_mimebundle_()["text/html"].count("<svg") == 2
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    assert set(drawing._repr_mimebundle_()) == {"text/plain", MIME}
    assert panels._repr_mimebundle_()[MIME]["items"][0]["alt"] == drawing.alt


def test_a_notebook_shows_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda what, raw=False: shown.append(what))
    chart = viz.small_bars("a", [1], y_title="y")
    mixed = viz.Panels([viz.token("a"), chart])
    mixed._ipython_display_()
    assert [type(what).__name__ for what in shown] == ["Drawing", "Figure"]
    shown.clear()
    viz.Panels([viz.token("a")])._ipython_display_()
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    mixed._ipython_display_()
    assert [what[MIME]["kind"] for what in shown] == ["panels", "panels"]


def test_numbers_become_short_json() -> None:
    assert plain_json({"a": (np.float32(0.1), np.int64(2), float("inf"), "x", None, True)}) == {
        "a": [0.1, 2, None, "x", None, True]
    }
    assert plain_json(123456.789) == 123460


def test_canvas_measures() -> None:
    assert Box(0, 0, 10, 10).border((0, 0)) == (0, 0)
    assert text_width("é") == text_width("e\u0301")
    assert short("a" * 14) == "a" * 14
    assert ElementTree.fromstring(Canvas().drawing("Nothing.").svg).get("viewBox")


def test_small_bars_share_an_axis_when_asked() -> None:
    assert viz.small_bars("a", [0.2], y_title="y", limits=(0, 1)).layout.yaxis.range == (0, 1)
    assert viz.small_bars("a", [0.2], y_title="y").layout.yaxis.range is None


def test_curves_to_be_compared_share_their_range() -> None:
    curves = {"one": [0.0, 1.0], "other": [5.0, 9.0]}
    free = viz.trajectories([1, 2], curves)
    fixed = viz.trajectories([1, 2], curves, within=(0, 10))
    assert free.layout.yaxis.range is None
    assert fixed.layout.yaxis.range == fixed.layout.yaxis2.range == (0, 10)


def test_a_short_log_axis_names_its_numbers_in_full() -> None:
    few = viz.growth([0.5, 1, 2, 5], {"n": [1, 2, 3, 4]}, x_title="ratio", y_title="c")
    assert few.layout.xaxis.ticktext == ("0.5", "1", "2", "5")
    many = viz.growth(range(3, 40), {"n": range(3, 40)}, x_title="d", y_title="c")
    assert many.layout.xaxis.ticktext == ("5", "10", "20")
    wide = viz.growth([1, 10_000], {"n": [1, 2]}, x_title="n", y_title="c")
    assert wide.layout.xaxis.dtick == 1
