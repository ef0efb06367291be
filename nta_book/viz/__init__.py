"""The book's visual language in one place: every picture of every chapter is made here.

A picture is a `Drawing` (SVG), a plotly figure, or `Panels` of them, and always carries alt text.
Plotly is loaded only when a chart is drawn.
"""

from nta_book.viz.attention_map import attention_map
from nta_book.viz.bars import attention_bars, machine_vs_network
from nta_book.viz.crosstable import cross_table
from nta_book.viz.curves import against_paper, convergence, growth, trajectories
from nta_book.viz.drawing import Drawing, Panels, alt_of, in_book, panel, walk
from nta_book.viz.fields import basins, heatmap, landscape
from nta_book.viz.floors import league_floors
from nta_book.viz.forecast import forecast
from nta_book.viz.graph import priority_graph, priority_graphs
from nta_book.viz.leagues import condensation
from nta_book.viz.matrices import matrices
from nta_book.viz.measures import margins, small_bars, spread
from nta_book.viz.plane import cone
from nta_book.viz.points import agreement, cloud, dumbbells, plane_path
from nta_book.viz.races import race, sequences, token, track, tracks
from nta_book.viz.rankings import rankings
from nta_book.viz.scorecard import scorecard, shortfalls
from nta_book.viz.simplex import triangle
from nta_book.viz.slopes import slopes
