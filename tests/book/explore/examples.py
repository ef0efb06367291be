"""Two small explorers that the tests of this room share."""

from __future__ import annotations

from typing import Any

import numpy as np

from nta_book import viz
from nta_book.explore import Choice, Explorer, Slider, Switch
from nta_core import FIG3

COUNTS = FIG3.counts


def mass(strictness: float) -> np.ndarray:
    weights = COUNTS * np.exp(strictness * np.arange(4))
    return weights / weights.sum(axis=1, keepdims=True)


def example(**changes: Any) -> Explorer:
    declaration: dict[str, Any] = {
        "controls": [
            Slider("C", [0, 1, 2.5], label="strictness", default=1, live=(0, 2.5, 0.5), play=True),
            Choice("rows", {"first": (0, 1), "rest": (2, 3, 4)}, label="show"),
            Switch("theory"),
        ],
        "render": lambda s: viz.Panels([
            viz.attention_bars(FIG3, mass(s.C), rows=s.rows, theory=mass(9) if s.theory else None),
            *([viz.small_bars("ab", [s.C, 1], y_title="C")] if s["theory"] else []),
        ]),
        "words": lambda s: f"At C = {s.C} of {len(s.rows)}.",
        "alt": "Attention bars.",
        "presets": {"hard": {"C": 2.5}, "all": {"C": 0, "rows": (2, 3, 4), "theory": True}},
        **changes,
    }  # fmt: skip
    return Explorer("How strict?", **declaration)


def simple(render: Any, **changes: Any) -> Explorer:
    options = {
        "controls": [Slider("n", range(4))],
        "words": lambda s: f"n = {s.n}",
        "alt": "A chip.",
    }
    return Explorer("Which chip?", render=render, **{**options, **changes})
