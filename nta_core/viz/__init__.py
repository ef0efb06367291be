"""The book's visual language in one place: every picture of every chapter is made here.

A picture is a `Drawing` (SVG), a plotly figure, or `Panels` of them, and always carries alt text.
Plotly is loaded only when a chart is drawn.

Explained in: chapter 0.
"""

from nta_core.viz.against import against_paper
from nta_core.viz.agreement import agreement
from nta_core.viz.bars import attention_bars, machine_vs_network
from nta_core.viz.basins import basins
from nta_core.viz.charts import margins, small_bars
from nta_core.viz.cloud import cloud
from nta_core.viz.curves import convergence, trajectories
from nta_core.viz.drawing import Drawing, Panels, alt_of, in_book, panel, walk
from nta_core.viz.graph import priority_graph, priority_graphs
from nta_core.viz.landscape import landscape
from nta_core.viz.leagues import condensation
from nta_core.viz.matrix import heatmap
from nta_core.viz.plane import cone
from nta_core.viz.planes import growth, plane_path
from nta_core.viz.races import race, token
from nta_core.viz.scorecard import scorecard
from nta_core.viz.simplex import triangle
from nta_core.viz.spread import spread
from nta_core.viz.strips import league_strips
from nta_core.viz.tracks import sequences, track, tracks

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
