"""Our runs beside the numbers a paper prints.

Explained in: chapters 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure
from nta_book.viz.lines import DASHES, HUES, axis, bundle, checked, course, said, ticks
from nta_book.viz.theme import described, mark
from nta_book.viz.words import listing, number
from nta_core.data import Floats

if TYPE_CHECKING:
    import plotly.graph_objects as go


def against_paper(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    paper: tuple[ArrayLike, ArrayLike],
    x_title: str,
    y_title: str,
    log_x: bool = True,
    log_y: bool = False,
    paper_name: str = "paper",
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Our runs, all thin and their mean thick, with the paper's numbers as diamonds.

    Parameters
    ----------
    x : array of shape (t,)
    series : mapping from name to array of shape (t,) or (runs, t)
    paper : (x, y), arrays of equal length
        What the paper states or what one reads off its plot.
    paper_name : str
        How the diamonds are called in the legend.

    Examples
    --------
    >>> fig = against_paper([1, 10], {"ours": [[4, 1], [4, 3]]}, paper=([10], [2]),
    ...                     x_title="n", y_title="leagues")
    >>> fig.layout.meta["alt"]
    'Curves over n (log scale), leagues up. ours, mean of 2 curves, falls from 4 to 2. \
Diamonds, paper: 2 at n = 10.'

    Explained in: chapters 3 and 4. Paper: Figs. 5 and 11.
    """
    size = np.asarray(x, dtype=np.float64)
    marks = np.asarray(paper, dtype=np.float64)
    if not series or marks.ndim != 2 or not marks.size:
        raise FigureError("against_paper needs at least one series and one number of the paper")
    traces: list[dict[str, Any]] = []
    told = []
    for k, (name, values) in enumerate(series.items()):
        runs = checked(values, size, name)
        hue, dash = mark(HUES[k % len(HUES)]), DASHES[k % len(DASHES)]
        drawn = bundle(size, runs, hue, name=name)
        drawn = [{**trace, "showlegend": False} for trace in drawn[:-1]] + drawn[-1:]
        drawn[-1] = {**drawn[-1], "line": {**drawn[-1]["line"], "dash": dash}}
        traces += drawn
        told.append(course(name, runs, None))
    diamonds = dots(marks[0], marks[1], symbol="diamond", size=11, color=mark("theory"))
    traces.append({**diamonds, "name": paper_name})
    heights = np.concatenate([np.asarray(trace["y"]) for trace in traces])
    listed = listing([f"{number(b)} at {x_title} = {number(a)}" for a, b in marks.T])
    seen = f"Curves over {said(x_title, log_x)}, {said(y_title, log_y)} up. {' '.join(told)}"
    return figure(
        traces,
        described(f"{seen} Diamonds, {paper_name}: {listed}.", alt=alt, means=means),
        showlegend=True,
        xaxis=axis(x_title, log=size if log_x else None) | _ticks(size),
        yaxis=axis(y_title, log=heights if log_y else None),
    )


def _ticks(size: Floats) -> dict[str, Any]:
    """Few places are named themselves: a log axis from 2 to 32 would say 2 3 … 9 10 2 3."""
    return ticks(size) if len(size) <= 7 else {}
