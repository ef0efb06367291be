"""Mechanics of next-token prediction: its figures with the log-loss, and its toy graphs."""

from __future__ import annotations

from functools import partial

import numpy as np

from nta_book.results import stored_result
from nta_core import FIG3, FIG8, Dataset, token_priority_graphs
from tests.reproductions import runs
from tests.reproductions.entry import ABOVE, BELOW, EXACT, READ, SAME_RUN, STATED, Lines, Value

ENTRIES = line = Lines("mechanics")


def _order(dataset: Dataset, track: int) -> str:
    """Return the leagues of a track, strongest first, tokens numbered from 1 as in the paper."""
    leagues = token_priority_graphs(dataset)[track].components
    named = ("{" + ", ".join(str(token + 1) for token in sorted(part)) + "}" for part in leagues)
    return " > ".join(named)


def _arrow(dataset: Dataset) -> str:
    ((winner, loser),) = {
        (w + 1, x + 1) for w, x in token_priority_graphs(dataset)[1].strict if 3 in (w, x)
    }
    return f"{winner} ⇒ {loser}"


def _large(what: str) -> list[float]:
    """Last record of the runs at the size of Figs. 9 and 10."""
    cells = stored_result("large_vocabulary").select(kind="cyclic", eta=0.05, start="zero")
    return [cell[what][-1] for cell in cells]


def _large_runs() -> str:
    return f"{len(_large('cosine'))} runs"


def _datasets() -> str:
    """Count the datasets of one dimension."""
    return f"{len(stored_result('feasible_dimension').select(d=2))} datasets"


def _datasets_per_d() -> str:
    return f"{_datasets()} per d"


def _feasible(reading: str, *dims: int) -> list[float]:
    cells = stored_result("feasible_dimension")
    return [float(np.mean([cell[reading] for cell in cells.select(d=d)])) for d in dims]


@line("fig-3-track-1", "Fig. 3", "{4} > {3} > {2} > {1}", "the drawing", EXACT, "exact", chapter=3)
def fig_3_track_1() -> Value:
    """leagues of track 1"""
    return _order(FIG3, 0)


@line("fig-3-track-2", "Fig. 3", "{4} > {1, 2, 3}", "the drawing", EXACT, "exact", chapter=3)
def fig_3_track_2() -> Value:
    """leagues of track 2"""
    return _order(FIG3, 1)


@line("fig-8-track-2", "Fig. 8", "{1, 2, 3} > {4}", "the drawing", EXACT, "exact", chapter=2)
def fig_8_track_2() -> Value:
    """leagues of track 2"""
    return _order(FIG8, 1)


@line("fig-8-same-data", "Fig. 8", _arrow(FIG3), "stated in its caption", EXACT, "exact", chapter=2)
def fig_8_same_data() -> Value:
    """ "the same data as Fig. 3": the arrow between the two leagues of track 2

    Wrong: The two drawings hold different sequences: in Fig. 3 token 4 wins, in Fig. 8 it
    loses.
    """
    return _arrow(FIG8)


@line("fig-4a", "Fig. 4a", 0.987, "read off the plot", READ, "100 datasets", chapter=7)
def fig_4a() -> Value:
    """mean cosine of W and W_svm after 4,000 normalized steps of 0.01; n=6, T=4, K=6, d=8"""
    return runs.fig4a()


soft = partial(line, source="read off the plot", chapter=7)


@soft("fig-4b-start", "Fig. 4b", (0.24, 0.24), kind=READ, runs="100 datasets", readings=True)
def fig_4b_start() -> Value:
    """mean distance of the soft part at the start: from the limit, and from the authors' iterate

    Differs: The paper's is between the two.
    """
    return [distances[0] for distances in runs.fig4b()]


@soft("fig-4b-peak", "Fig. 4b", (0.54, 0.54), kind=READ, runs="100 datasets", readings=True)
def fig_4b_peak() -> Value:
    """the highest mean distance, near step 450 in the paper: from the limit, and from the iterate

    Differs: In the setting that the paper states the hump is lower and comes sooner, on the
    authors' own draws too. So neither the yardstick nor the draws explain it.
    """
    return [max(distances) for distances in runs.fig4b()]


@soft("fig-4b-end", "Fig. 4b", 0.01, kind=BELOW, runs="100 datasets")
def fig_4b_end() -> Value:
    """mean distance from the finite part after 4,000 steps"""
    return runs.fig4b()[0][-1]


@line(
    "fig-4b-draws",
    "Code of Fig. 4b",
    runs.authors_soft_distances(),
    "a run of the authors' code",
    SAME_RUN,
    "the authors' 10 datasets and starts",
    chapter=7,
)
def fig_4b_draws() -> Value:
    """mean distance of the soft part from the authors' iterate, on their own draws and starts, at
    steps 1, 50, 100, 200, 500 and 1,000
    """
    return runs.our_soft_distances()


@soft("fig-4b-larger", "Fig. 4b", (0.24, 0.54), kind=READ, runs="100 datasets")
def fig_4b_larger() -> Value:
    """its start and its hump near step 450 with n=10, T=6, K=d=8, for which the authors' repository
    holds such a figure too: mean distance from the iterate at steps 1 and 450

    Differs: The hump stands where the paper draws it; both numbers are higher than the paper's.

    Chosen: the setting n=10, T=6, K=d=8 instead of the stated one.
    """
    return runs.soft_distances_of_the_larger_setting()


@line("fig-5", "Fig. 5", (0.99, 0.99), "stated (above)", ABOVE, "100 datasets", chapter=4)
def fig_5() -> Value:
    """mean cosine of W and W_svm on acyclic data, from W = 0 as in chapter 4, and from random
    starts as in the authors' code; n=4, T=6, K=d=8
    """
    return runs.fig5()


@line(
    "fig-11",
    "Fig. 11",
    (10_000, 10_000, 9000, 3700, 1),
    "read off the plot",
    READ,
    "3 draws",
    chapter=3,
    digits=0,
)
def fig_11() -> Value:
    """leagues of n = 10, 10², 10³, 10⁴, 10⁵ random sequences, K = 10,000

    Differs: At n = 10³ ours are more. The paper states neither T nor the tracks.

    Chosen: T = 32, and one track.
    """
    return runs.fig11()


large = partial(line, runs=_large_runs, chapter=12, stored="large_vocabulary")
feasible = partial(line, chapter=12, stored="feasible_dimension")


@large("fig-9", "Fig. 9", 0.987, "read off the plot", READ)
def fig_9() -> Value:
    """mean cosine of W and W_svm after 8,000 steps; n=16, T=64, K=10,000, d=128

    Chosen: the step η = 0.05.
    """
    return float(np.mean(_large("cosine")))


@large("fig-10", "Fig. 10", 0.025, "stated (its plot shows about 0)", STATED)
def fig_10() -> Value:
    """mean distance from the finite part in the same runs

    Chosen: the step η = 0.05, which settles this distance.
    """
    return float(np.mean(_large("soft")))


@feasible("fig-12", "Fig. 12", (0.96, 1.0, 1.0), "read off the plot", READ, _datasets_per_d)
def fig_12() -> Value:
    """feasibility proxy at d = 8, 32, 512; n=16, T=128, K=512

    Differs: At d = 8 the share is higher; the paper gives no formula.

    Chosen: the share of comparisons with margin 1 as the proxy.
    """
    return _feasible("margin", 8, 32, 512)


@feasible(
    *("fig-12-two", "Fig. 12", (0.46,) * 5, "read off the plot", READ, _datasets),
    digits=2,
    readings=True,
)
def fig_12_two() -> Value:
    """the proxy at d = 2, in five readings: all, split, order, margin 1, label first

    Differs: The paper gives no formula, and none of our readings gives its number at d = 2.
    """
    return [
        share
        for reading in ("whole", "split", "order", "margin", "label first")
        for share in _feasible(reading, 2)
    ]
