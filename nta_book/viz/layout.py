"""Where the leagues of a priority graph stand, and how arrows find their way between chips.

Leagues are boxes, strongest on top; leagues of one level stand side by side and break into a new
line when the page is full.  Inside a league the tokens stand in a circle, because nothing there
is first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nta_book.viz.canvas import Box
from nta_book.viz.marks import CHIP_HEIGHT, chip_width

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph

WIDEST = 316.0  # a phone's column
GAP = 16.0
FLOOR = 36.0  # between two levels: room for arrows
BADGE = 26.0  # room for the league's number
ALONG = np.array([((1 - t) ** 2, 2 * t * (1 - t), t**2) for t in (k / 24 for k in range(1, 24))])
BOWS = (0.0, 0.12, -0.12, 0.22, -0.22, 0.34, -0.34, 0.48, -0.48, 0.64, -0.64)


@dataclass(frozen=True)
class LeagueBox:
    """A league with its place on paper."""

    tokens: tuple[int, ...]
    rank: int  # 1 for the strongest level
    label: str  # the rank, with a letter when several leagues share the level
    box: Box


@dataclass(frozen=True)
class Plan:
    """All leagues and all chips of a graph with their places."""

    leagues: tuple[LeagueBox, ...]
    chips: Mapping[int, Box]


def plan(graph: TokenPriorityGraph, *, extra: float = 0.0) -> Plan:
    """Place every league and every token of a graph; `extra` is room beside each chip."""
    leagues: list[LeagueBox] = []
    inside: list[dict[int, Box]] = []
    levels = [graph.level(min(league)) for league in graph.components]
    ranks = {level: k for k, level in enumerate(sorted({*levels}, reverse=True), start=1)}
    count, beside = Counter(levels), Counter[int]()
    for league, level in zip(graph.components, levels, strict=True):
        rank = ranks[level]
        label = f"{rank}{chr(97 + beside[level] % 26)}" if count[level] > 1 else str(rank)
        beside[level] += 1
        box, places = _inside(tuple(sorted(league)), graph.names, extra)
        leagues.append(LeagueBox(tuple(sorted(league)), rank, label, box))
        inside.append(places)
    leagues = stacked(leagues, GAP, FLOOR)
    chips = {
        token: chip.moved(league.box.x, league.box.y)
        for league, places in zip(leagues, inside, strict=True)
        for token, chip in places.items()
    }
    return Plan(tuple(leagues), chips)


def stacked(
    leagues: Sequence[LeagueBox], gap: float, floor: float, *, y: float = 0.0
) -> list[LeagueBox]:
    """Leagues below `y`: a line for each rank, broken where the page is full, all centred."""
    lines: list[list[LeagueBox]] = []
    for league in leagues:
        used = sum(other.box.width + gap for other in lines[-1]) if lines else 0.0
        if not lines or lines[-1][0].rank != league.rank or used + league.box.width > WIDEST:
            lines.append([])
        lines[-1].append(league)
    placed = []
    for line in lines:
        x = -(sum(league.box.width for league in line) + gap * (len(line) - 1)) / 2
        tall = max(league.box.height for league in line)
        for league in line:
            box = league.box._replace(x=x + league.box.width / 2, y=y + tall / 2)
            placed.append(replace(league, box=box))
            x += box.width + gap
        y += tall + floor
    return placed


def _inside(
    tokens: tuple[int, ...], names: tuple[str, ...], extra: float
) -> tuple[Box, dict[int, Box]]:
    """Size of a league's box and the places of its tokens around the centre."""
    widths = {token: chip_width(names[token]) + extra for token in tokens}
    rx, ry = _radii(len(tokens), max(widths.values()))
    turn = math.pi if len(tokens) == 2 else -math.pi / 2
    around = {
        token: Box(rx * math.cos(angle), ry * math.sin(angle), widths[token], CHIP_HEIGHT)
        for k, token in enumerate(tokens)
        for angle in [turn + 2 * math.pi * k / len(tokens)]
    }
    left = max(box.width / 2 - box.x for box in around.values())
    right = max(box.width / 2 + box.x for box in around.values())
    up = max(CHIP_HEIGHT / 2 - box.y for box in around.values())
    down = max(CHIP_HEIGHT / 2 + box.y for box in around.values())
    badge = BADGE if len(tokens) <= 2 else 0.0  # a circle leaves its corners free
    shift = ((left - right + extra + badge) / 2, (up - down) / 2)
    chips = {
        token: box.moved(*shift)._replace(width=box.width - extra) for token, box in around.items()
    }
    return Box(0, 0, left + right + badge + 22, up + down + 22), chips


def _radii(count: int, width: float) -> tuple[float, float]:
    """Half axes of the ellipse on which the tokens of a league stand."""
    if count <= 2:
        return (count - 1) * (width + 46) / 2, 0.0
    rx = max(50.0 + width / 4, count * (width + 16) / (2 * math.pi))
    ry = max(40.0, count * (CHIP_HEIGHT + 16) / (2 * math.pi))
    return min(rx, (WIDEST - width - 24) / 2), ry


def free_bow(start: int, end: int, chips: Mapping[int, Box], *, first: float = 0.0) -> float:
    """How far the arrow between two chips must bend to miss all the others."""
    a, b = chips[start], chips[end]
    bows = np.array([first, *BOWS])
    boxes = np.array([box for token, box in chips.items() if token not in (start, end)])
    if not boxes.size:
        return first
    inside = np.ones((len(bows), len(ALONG), len(boxes)), dtype=bool)
    across = (b.y - a.y, a.x - b.x)
    for axis in (0, 1):  # points of every bow (bows, points), against every box
        control = (a[axis] + b[axis]) / 2 + 2 * bows * across[axis]
        s, c, e = ALONG.T
        points = s * a[axis] + c * control[:, None] + e * b[axis]
        reach = boxes[:, 2 + axis] / 2 + 4
        inside &= np.abs(points[..., None] - boxes[:, axis]) < reach
    cost = inside.sum(axis=(1, 2)) + 20 * np.abs(bows - first)
    return float(bows[cost.argmin()])
