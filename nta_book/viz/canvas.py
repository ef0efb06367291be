"""Paper and pencil: a `Canvas` collects SVG elements, one per line, and measures itself.

No element has an id (two drawings on a page can then never disturb each other), so arrow heads
and hatching are drawn as shapes.  Text is measured by a rule of thumb that is wide enough for the
fonts of the book.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from nta_book.viz.drawing import Drawing
from nta_book.viz.theme import FONT, FONT_SIZE, SMALL, color, described
from nta_book.viz.words import escaped, plain

FONT_STYLE = FONT.replace('"', "'")
MARGIN = 6.0
ROUND = {"paint_order": "stroke", "stroke_linejoin": "round"}  # a rim drawn behind its shape

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle by its centre and size."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, point: Point, margin: float = 0.0) -> bool:
        """Whether a point lies inside, or closer than `margin`."""
        return (
            abs(point[0] - self.x) < self.width / 2 + margin
            and abs(point[1] - self.y) < self.height / 2 + margin
        )

    def moved(self, x: float, y: float) -> Box:
        """The same rectangle elsewhere."""
        return self._replace(x=x + self.x, y=y + self.y)

    def border(self, toward: Point, gap: float = 2.0) -> Point:
        """Where the line from the centre toward a point leaves the rectangle."""
        dx, dy = toward[0] - self.x, toward[1] - self.y
        if not (dx or dy):
            return self.x, self.y
        scale = min(
            (self.width / 2 + gap) / abs(dx) if dx else math.inf,
            (self.height / 2 + gap) / abs(dy) if dy else math.inf,
        )
        return self.x + scale * dx, self.y + scale * dy


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Width of a text in pixels, by a rule of thumb (wide scripts count double)."""
    units = sum(
        0 if unicodedata.combining(c) else 1.7 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
    return 0.6 * size * units


def _value(value: object) -> str:
    if isinstance(value, float):
        text = f"{value:.1f}".removesuffix(".0")
        return "0" if text == "-0" else text
    return str(value)


class Canvas:
    """A growing list of SVG elements and the rectangle they cover."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.left = self.top = math.inf
        self.right = self.bottom = -math.inf
        self._legend: tuple[tuple[str, str], ...] = ()
        self._without = ""

    def cover(self, *points: Point) -> None:
        """Make sure that these points are on the paper."""
        for x, y in points:
            self.left, self.right = min(self.left, x), max(self.right, x)
            self.top, self.bottom = min(self.top, y), max(self.bottom, y)

    def element(self, tag: str, content: str | None = None, /, **attributes: object) -> None:
        """Add one element; colour attributes take the name of a role."""
        parts = [tag]
        for key, value in attributes.items():
            if value is None:
                continue
            if key in ("fill", "stroke") and value != "none":
                value = color(str(value))
            parts.append(f'{key.replace("_", "-")}="{_value(value)}"')
        opening = " ".join(parts)
        self.lines.append(f"<{opening}/>" if content is None else f"<{opening}>{content}</{tag}>")

    def rect(self, x: float, y: float, width: float, height: float, **look: object) -> None:
        """A rectangle by its upper left corner."""
        self.cover((x, y), (x + width, y + height))
        self.element(
            "rect", x=float(x), y=float(y), width=float(width), height=float(height), **look
        )

    def circle(self, x: float, y: float, radius: float, **look: object) -> None:
        """A circle by its centre."""
        self.cover((x - radius, y - radius), (x + radius, y + radius))
        self.element("circle", cx=float(x), cy=float(y), r=float(radius), **look)

    def path(self, points: Sequence[Point], **look: object) -> None:
        """A polyline; ``closed=True`` makes it a polygon."""
        closed = look.pop("closed", False)
        self.cover(*points)
        steps = " ".join(f"{_value(float(x))},{_value(float(y))}" for x, y in points)
        look.setdefault("fill", "none")
        self.element("polygon" if closed else "polyline", points=steps, **look)

    def curve(self, start: Point, control: Point, end: Point, **look: object) -> None:
        """A quadratic curve."""
        self.cover(*(bezier(start, control, end, t / 8) for t in range(9)))
        (a, b), (c, d), (e, f) = (
            (_value(float(x)), _value(float(y))) for x, y in (start, control, end)
        )
        look.setdefault("fill", "none")
        self.element("path", d=f"M{a},{b} Q{c},{d} {e},{f}", **look)

    def text(self, x: float, y: float, words: object, **look: object) -> None:
        """Text with its baseline at y; ``anchor`` is start, middle or end."""
        content = str(words)
        anchor = str(look.pop("anchor", "start"))
        size = look.get("font_size", FONT_SIZE)
        width = text_width(plain(content), float(str(size)))
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        self.cover((left, y - 0.8 * float(str(size))), (left + width, y + 3))
        look.setdefault("fill", "ink")
        self.element(
            "text",
            escaped(content),
            x=float(x),
            y=float(y),
            text_anchor=None if anchor == "start" else anchor,
            **look,
        )

    def note(self, x: float, y: float, words: object, **look: object) -> None:
        """Small, pale text."""
        self.text(x, y, words, font_size=SMALL, fill="muted", **look)

    def halo_text(self, x: float, y: float, words: object, **look: object) -> None:
        """Small text that stays readable across lines: a rim of paper surrounds it."""
        rim = {"stroke": "paper", "stroke_width": 4, **ROUND}
        self.text(x, y, words, **rim, font_size=SMALL, **look)

    def frame(
        self,
        box: Box,
        role: str,
        tint: float,
        *,
        width: float,
        rx: int,
        opaque: bool,
        **look: object,
    ) -> None:
        """A tinted box with rounded corners; an opaque one hides what lies behind it."""
        x, y = box.x - box.width / 2, box.y - box.height / 2
        if opaque:
            self.rect(x, y, box.width, box.height, rx=rx, fill="paper")
        rim = {"rx": rx, "fill": role, "fill_opacity": tint, "stroke": role, "stroke_width": width}
        self.rect(x, y, box.width, box.height, **rim, **look)

    def arrow_head(self, tip: Point, away_from: Point, size: float = 8.0, **look: object) -> None:
        """A triangle whose tip points along the line from `away_from`."""
        angle = math.atan2(tip[1] - away_from[1], tip[0] - away_from[0])
        wings = [
            (tip[0] - size * math.cos(angle + side), tip[1] - size * math.sin(angle + side))
            for side in (-0.42, 0.42)
        ]
        self.path([tip, *wings], closed=True, **look)

    def star(self, x: float, y: float, radius: float = 6.5, role: str = "winner") -> None:
        """The winner's star, rimmed with paper so that it stands on anything."""
        points = [
            (x + r * math.sin(k * math.pi / 5), y - r * math.cos(k * math.pi / 5))
            for k in range(10)
            for r in [radius if k % 2 == 0 else 0.45 * radius]
        ]
        self.path(points, closed=True, fill=role, stroke="paper", stroke_width=1.5, **ROUND)

    def diamond(self, x: float, y: float, radius: float = 5.0, role: str = "theory") -> None:
        """Theory's diamond."""
        points = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        self.path(points, closed=True, fill=role, stroke="paper", stroke_width=1.2)

    def hatch(self, x: float, y: float, width: float, height: float, role: str) -> None:
        """Diagonal lines inside a rectangle (drawn, not patterned: patterns need ids)."""
        strokes = []
        for start in range(-int(height // 5) * 5, int(width), 5):
            low, high = max(0.0, -float(start)), min(height, width - start)
            if high > low:
                strokes.append(
                    f"M{_value(x + start + low)},{_value(y + height - low)}"
                    f"L{_value(x + start + high)},{_value(y + height - high)}"
                )
        if strokes:
            self.element("path", d="".join(strokes), stroke=role, stroke_width=1.1, fill="none")

    def begin_legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Remember the drawing without its legend: `Panels` show one that several share once."""
        self._legend, self._without = tuple(entries), self._svg()

    def drawing(
        self, seen: str, *, alt: str | None = None, means: str = "", least_width: float = 200.0
    ) -> Drawing:
        """Close the drawing: a viewBox around everything, one unit a pixel where there is room."""
        return Drawing(
            self._svg(least_width),
            alt=described(seen, alt=alt, means=means),
            legend=self._legend,
            without_legend=self._without,
        )

    def _svg(self, least_width: float = 200.0) -> str:
        """Everything drawn so far, as an element."""
        self.cover(*([(0.0, 0.0)] if self.left > self.right else []))
        width, height = self.right - self.left + 2 * MARGIN, self.bottom - self.top + 2 * MARGIN
        shift = max(0.0, least_width - width) / 2
        box = (self.left - MARGIN - shift, self.top - MARGIN, width + 2 * shift, height)
        view = " ".join(_value(float(v)) for v in box)
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="nta-svg" viewBox="{view}" '
            f'font-size="{FONT_SIZE}" style="display:block;width:100%;max-width:{round(box[2])}px;'
            f'height:auto;margin-inline:auto;font-family:{FONT_STYLE}">'
        )
        return "\n".join([opening, *self.lines, "</svg>"])


def bezier(start: Point, control: Point, end: Point, t: float) -> Point:
    """A point of a quadratic curve, 0 ≤ t ≤ 1."""
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
    return (
        a * start[0] + b * control[0] + c * end[0],
        a * start[1] + b * control[1] + c * end[1],
    )
