"""The book's visual language in one place: every picture of every chapter is made here.

A picture is a `Drawing` (SVG), a plotly figure, or `Panels` of them, and always carries alt text.
Plotly is loaded only when a chart is drawn.

Explained in: chapter 0.
"""

from nta_book.viz.against import against_paper
from nta_book.viz.agreement import agreement
from nta_book.viz.bars import attention_bars, machine_vs_network
from nta_book.viz.basins import basins
from nta_book.viz.charts import margins, small_bars
from nta_book.viz.cloud import cloud
from nta_book.viz.curves import convergence, trajectories
from nta_book.viz.drawing import Drawing, Panels, alt_of, in_book, panel, walk
from nta_book.viz.graph import priority_graph, priority_graphs
from nta_book.viz.landscape import landscape
from nta_book.viz.leagues import condensation
from nta_book.viz.matrix import heatmap
from nta_book.viz.plane import cone
from nta_book.viz.planes import growth, plane_path
from nta_book.viz.races import race, token
from nta_book.viz.scorecard import scorecard
from nta_book.viz.simplex import triangle
from nta_book.viz.spread import spread
from nta_book.viz.strips import league_strips
from nta_book.viz.tracks import sequences, track, tracks

__all__ = [
    "Drawing",
    "Panels",
    "against_paper",
    "agreement",
    "alt_of",
    "attention_bars",
    "basins",
    "cloud",
    "condensation",
    "cone",
    "convergence",
    "growth",
    "heatmap",
    "in_book",
    "landscape",
    "league_strips",
    "machine_vs_network",
    "margins",
    "panel",
    "plane_path",
    "priority_graph",
    "priority_graphs",
    "race",
    "scorecard",
    "sequences",
    "small_bars",
    "spread",
    "token",
    "track",
    "tracks",
    "trajectories",
    "triangle",
    "walk",
]
