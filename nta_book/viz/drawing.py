"""What a picture is: a `Drawing` (SVG), a plotly figure, or `Panels` of several.

All three have one JSON form, the *panel*, which the page runtime draws:
``{"kind": "svg", "alt", "svg"}``, ``{"kind": "plotly", "alt", "figure"}`` and
``{"kind": "panels", "columns", "items"}``.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nta_book.errors import FigureError
from nta_book.viz.plain_chart import MIME as CHART
from nta_book.viz.plain_chart import PlainChart
from nta_book.viz.theme import described
from nta_core.boundary import a, entries, whole

if TYPE_CHECKING:
    import plotly.graph_objects as go

    Picture: TypeAlias = "Drawing | Panels | go.Figure"

MIME = "application/vnd.nta.drawing+json"
PLOTLY_MIME = CHART


@dataclass(frozen=True)
class Drawing:
    """An SVG picture with its alt text.

    Parameters
    ----------
    svg : str
        One ``<svg>`` element; colours only through the theme's CSS variables.
    alt : str
        What one sees and what it means.
    legend : tuple of pairs (mark, words)
        What its legend explains, if it has one; `without_legend` is then the drawing without it.

    Examples
    --------
    >>> Drawing("<svg></svg>", alt="Nothing, on purpose.")
    Drawing('Nothing, on purpose.')
    """

    svg: str
    alt: str
    legend: tuple[tuple[str, str], ...] = ()
    without_legend: str = ""

    def __post_init__(self) -> None:
        a(str, self.svg, "svg")
        described(a(str, self.alt, "alt"), alt=None)
        for pair in a(tuple, self.legend, "legend"):
            for word in a(tuple, pair, "a pair of the legend"):
                a(str, word, "a word of the legend")
        a(str, self.without_legend, "without_legend")

    def __repr__(self) -> str:
        return f"Drawing({self.alt!r})"

    def _repr_html_(self) -> str:
        return f'<div role="img" aria-label="{html.escape(self.alt)}">{self.svg}</div>'

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return _bundle(self)


@dataclass(frozen=True, init=False)
class Panels:
    """Several pictures side by side, below each other on a phone.

    Parameters
    ----------
    pictures : sequence of Drawing, plotly figure or Panels
    columns : int, optional
        The most that stand in one row; by default two (three are too small beside text).

    A legend that several of them would repeat stands below the last of them.

    Examples
    --------
    >>> one = Drawing("<svg></svg>", alt="One.")
    >>> Panels([one, one])
    Panels(2 pictures in 2 columns)
    """

    pictures: tuple[Picture, ...]
    columns: int

    def __init__(self, pictures: Sequence[Picture], *, columns: int | None = None) -> None:
        found = tuple(entries(pictures, "pictures", error=FigureError))
        if not found:
            raise FigureError("Panels needs at least one picture")
        if columns is not None:
            whole(columns, "columns", least=1, error=FigureError)
        for picture in found:
            alt_of(picture)
        object.__setattr__(self, "pictures", _with_one_legend(found))
        object.__setattr__(self, "columns", columns or min(2, len(found)))

    @property
    def alt(self) -> str:
        """The alt texts of all pictures, in order."""
        return " ".join(alt_of(picture) for picture in self.pictures)

    def __repr__(self) -> str:
        return f"Panels({len(self.pictures)} pictures in {self.columns} columns)"

    def _repr_html_(self) -> str:
        basis = max(240, 720 // self.columns - 24)
        cells = "".join(
            f'<div style="flex:1 1 {basis}px;min-width:0">{picture._repr_html_()}</div>'
            for picture in self.pictures
        )
        return f'<div style="display:flex;flex-wrap:wrap;gap:12px;max-width:960px">{cells}</div>'

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return _bundle(self)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        singles = list(walk(self))
        if in_book() or all(isinstance(picture, Drawing) for picture in singles):
            display(_bundle(self), raw=True)  # type: ignore[no-untyped-call]
        else:  # a notebook draws a plotly figure only as an output of its own
            for picture in singles:
                display(picture)  # type: ignore[no-untyped-call]


def _with_one_legend(pictures: tuple[Picture, ...]) -> tuple[Picture, ...]:
    """Take the legend from drawings whose marks another one explains, or one that comes later."""
    legends = [set(p.legend) if isinstance(p, Drawing) else set() for p in pictures]
    return tuple(
        replace(picture, svg=picture.without_legend, legend=())
        if isinstance(picture, Drawing)
        and legends[k]
        and any(legends[k] < other for other in legends)
        | any(legends[k] == other for other in legends[k + 1 :])
        else picture
        for k, picture in enumerate(pictures)
    )


def in_book() -> bool:
    """Whether the book is being built, so that outputs carry only their static form.

    Examples
    --------
    >>> in_book()
    False
    """
    return bool(os.environ.get("NTA_BOOK_BUILD"))


def _bundle(picture: Drawing | Panels) -> dict[str, Any]:
    data: dict[str, Any] = {"text/plain": repr(picture), MIME: panel(picture)}
    if not in_book():  # the book draws the panel; a notebook takes HTML
        data["text/html"] = picture._repr_html_()
    return data


def alt_of(picture: Picture) -> str:
    """The alt text of any picture.

    Raises
    ------
    FigureError
        When the object is no picture of this package, or has no alt text.

    Examples
    --------
    >>> alt_of(Drawing("<svg></svg>", alt="A box."))
    'A box.'
    """
    if isinstance(picture, Drawing | Panels | PlainChart):
        return picture.alt
    ours = type(picture).__module__.startswith("plotly.")
    alt = _alt_in(getattr(getattr(picture, "layout", None), "meta", None)) if ours else ""
    if not alt:
        raise FigureError(
            f"{type(picture).__name__} is not a picture of nta_book.viz: it carries no alt text "
            "(return a Drawing, a figure made by nta_book.viz, or Panels of them)"
        )
    return alt


def _alt_in(meta: object) -> str:
    return str(meta.get("alt") or "").strip() if isinstance(meta, Mapping) else ""


def panel(picture: Picture) -> dict[str, Any]:
    """The JSON form of a picture, as the page runtime draws it.

    Examples
    --------
    >>> panel(Drawing("<svg></svg>", alt="A box."))
    {'kind': 'svg', 'alt': 'A box.', 'svg': '<svg></svg>'}
    """
    alt = alt_of(picture)
    if isinstance(picture, Drawing):
        return {"kind": "svg", "alt": alt, "svg": picture.svg}
    if isinstance(picture, Panels):
        items = [panel(item) for item in picture.pictures]
        return {"kind": "panels", "columns": picture.columns, "items": items}
    return plotly_panel(picture.to_plotly_json())


def plotly_panel(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The panel of a chart, given as plotly's own JSON.

    Plotly writes arrays as base64 of their bytes; these stay as they are, because five digits are
    too few where a curve hardly moves.  All other numbers become short.
    """
    layout = {key: value for key, value in spec.get("layout", {}).items() if key != "template"}
    alt = _alt_in(layout.pop("meta", None))
    figure = {"data": plain_json(list(spec.get("data", []))), "layout": plain_json(layout)}
    return {"kind": "plotly", "alt": alt, "figure": figure}


def plain_json(value: Any) -> Any:
    """Numbers as JSON values: five significant digits, no NaN.

    Equal numbers of neighbouring states then stay equal, and take little space.
    """
    if isinstance(value, dict):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain_json(value.tolist())
    if isinstance(value, list | tuple):
        return [plain_json(item) for item in value]
    return _short(value) if isinstance(value, float) else value


def _short(value: float) -> float | int | None:
    if not np.isfinite(value):
        return None
    rounded = float(f"{value:.5g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded


def walk(picture: Picture) -> Iterator[Drawing | go.Figure]:
    """The single pictures of a picture, in order.

    Examples
    --------
    >>> one = Drawing("<svg></svg>", alt="One.")
    >>> len(list(walk(Panels([one, Panels([one, one])]))))
    3
    """
    if isinstance(picture, Panels):
        for item in picture.pictures:
            yield from walk(item)
    else:
        alt_of(picture)
        yield picture
