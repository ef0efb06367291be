"""A chart without plotly: in the page's own Python only plotly.js is at hand, and it is enough."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

MIME = "application/vnd.plotly.v1+json"
#: What plotly.js calls the numbers of a typed array.
_KINDS = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")
_WHOLE = (np.int8, np.int16, np.int32)
_AS_LISTS = ("range", "layer", "layers")  # plotly.js reads no typed array there


@dataclass(frozen=True, repr=False)
class PlainChart:
    """Traces and layout as plotly.js draws them, unchecked: what made them was tested with plotly.

    Examples
    --------
    >>> chart = PlainChart([{"type": "scatter", "y": [1, 2]}], {"meta": {"alt": "A line."}})
    >>> chart, chart.alt
    (PlainChart('A line.'), 'A line.')
    """

    data: Sequence[Mapping[str, Any]]
    settings: Mapping[str, Any]

    @property
    def alt(self) -> str:
        """Its alt text."""
        return str(self.settings["meta"]["alt"])

    @property
    def layout(self) -> SimpleNamespace:
        """The settings as attributes, as plotly's figures have them."""
        return SimpleNamespace(**self.settings)

    def __repr__(self) -> str:
        return f"PlainChart({self.alt!r})"

    def to_plotly_json(self) -> dict[str, Any]:
        """The chart in plotly's own JSON: arrays as base64 of their bytes."""
        return {"data": _json([*self.data]), "layout": _json(self.settings)}

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return {MIME: self.to_plotly_json(), "text/plain": repr(self)}

    def _repr_html_(self) -> str:
        """What is left of it where nothing draws: its words."""
        return f"<p>{html.escape(self.alt)}</p>"


def _json(value: Any, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {name: _json(item, name) for name, item in value.items() if item is not None}
    if isinstance(value, np.ndarray):
        return value.tolist() if key in _AS_LISTS else _typed(value)
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _typed(values: np.ndarray) -> Any:
    if values.dtype.kind == "i" and values.size:  # plotly.js knows no 64 bits: the fewest that do
        fits = (np.iinfo(kind) for kind in _WHOLE)
        least = next((f for f in fits if f.min <= values.min() and values.max() <= f.max), None)
        values = values if least is None or values.itemsize < 8 else values.astype(least.dtype)
    kind = values.dtype.str[1:]
    if kind not in _KINDS or not values.size:
        return values.tolist()
    typed = {"dtype": kind, "bdata": base64.b64encode(values.tobytes()).decode()}
    return typed | ({"shape": ", ".join(map(str, values.shape))} if values.ndim > 1 else {})
