"""The small signs that drawings share: the token chip, the arrow between chips, the legend."""

from collections.abc import Iterable, Sequence

from nta_book.viz.canvas import SMALL, Box, Canvas, Point, bezier, text_width
from nta_book.viz.theme import ARROW, EMPHASIS
from nta_book.viz.words import plain

CHIP_HEIGHT = 28.0
LONGEST_NAME = 14


def short(name: object) -> str:
    """A name that fits on a chip."""
    text = plain(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def chip_width(name: object) -> float:
    """Width of a token chip."""
    return max(32.0, round(text_width(short(name)) + 16.0, 1))


def chip(
    canvas: Canvas,
    x: float,
    y: float,
    name: object,
    *,
    role: str = "input",
    winner: bool = False,
    last: bool = False,
    opaque: bool = False,
) -> Box:
    """A token: a rounded box with its name, centred at (x, y).

    The winner has a star, the last token a bar below it; a chip can have both.
    """
    box = Box(x, y, chip_width(name), CHIP_HEIGHT)
    left, top = x - box.width / 2, y - box.height / 2
    tint, width = (0.2, 2.2) if winner else (0.1, 1.3)
    canvas.frame(box, "winner" if winner else role, tint, width=width, rx=7, opaque=opaque)
    canvas.text(x, y + 4.6, short(name), anchor="middle", font_weight=600)
    if last:
        canvas.rect(left, y + CHIP_HEIGHT / 2 + 3, box.width, 4, rx=1.5, fill="last")
    if winner:
        canvas.star(left + box.width - 1, top + 1)
    return box


def arrow(
    canvas: Canvas,
    start: Box,
    end: Box,
    *,
    bow: float = 0.0,
    role: str = "ink",
    width: float = ARROW,
    dash: str | None = None,
    glow: bool = False,
) -> Point:
    """An arrow between chips, bowed to its left by `bow` times its length; returns its middle."""
    control = bow_point(start, end, bow)
    a, b = start.border(control), end.border(control)
    if glow:
        canvas.curve(a, control, b, stroke="highlight", stroke_width=width + 8, stroke_opacity=0.9)
    canvas.curve(a, control, b, stroke=role, stroke_width=width, stroke_dasharray=dash)
    size = 7.0 + width
    if glow:  # a rim of glow: the head is dark, and on a dark page it would be lost
        rim = {"stroke": "highlight", "stroke_width": 5, "stroke_linejoin": "round"}
        canvas.arrow_head(b, control, size=size, fill="highlight", **rim)
    canvas.arrow_head(b, control, size=size, fill=role)
    return bezier(a, control, b, 0.5)


def bow_point(start: Box, end: Box, bow: float) -> Point:
    """Control point of the curve between two chips."""
    dx, dy = end.x - start.x, end.y - start.y
    return (start.x + end.x) / 2 + 2 * bow * dy, (start.y + end.y) / 2 - 2 * bow * dx


def chips_in_a_row(
    canvas: Canvas, x: float, y: float, names: Sequence[object], *, opaque: bool = False
) -> float:
    """A sequence of chips from x on, the last one marked; returns where it ends."""
    for position, name in enumerate(names, start=1):
        width = chip_width(name)
        last = position == len(names)
        chip(canvas, x + width / 2, y, name, last=last, opaque=opaque)
        x += width + 4
    return x - 4.0


def legend(canvas: Canvas, entries: Iterable[tuple[str, str]], *, width: float = 230.0) -> None:
    """A line of marks and words below everything drawn so far; `entries` are pairs (mark, words).

    The marks are the cases of `_mark`.
    """
    entries = list(entries)
    empty = canvas.left > canvas.right
    if not empty:
        canvas.begin_legend(entries)
    left, right = (0.0, width) if empty else (canvas.left, canvas.right)
    width = max(width, right - left)
    y = (0.0 if empty else canvas.bottom) + 22.0
    rows: list[list[tuple[str, str, float]]] = [[]]
    used = 0.0
    for kind, words in entries:
        needed = 40.0 + text_width(words, SMALL)
        if rows[-1] and used + needed > width + 10:
            rows.append([])
            used = 0.0
        rows[-1].append((kind, words, needed))
        used += needed
    for row in rows:
        x = (left + right - sum(needed for *_, needed in row) + 10) / 2
        for kind, words, needed in row:
            _mark(canvas, kind, x + 11.0, y - 4.0)
            canvas.note(x + 26.0, y, words)
            x += needed
        y += 19.0


def _mark(canvas: Canvas, kind: str, x: float, y: float) -> None:
    """The sign of one legend entry, centred at (x, y)."""
    ends = [(x - 10, y), (x + 10, y)]
    look: dict[str, object]
    match kind:
        case "bar" | "practice":
            fill = "input" if kind == "bar" else kind
            canvas.rect(x - 6, y - 6, 12, 12, fill=fill, fill_opacity=0.75, rx=2)
        case "strict" | "tie" | "new":
            role = "muted" if kind == "tie" else "ink"
            look = {"stroke": role, "stroke_width": EMPHASIS if kind == "new" else ARROW}
            look["stroke_dasharray"] = "4 3" if kind == "tie" else None
            canvas.path([(x - 10, y), (x + 5, y)], **look)
            canvas.arrow_head(ends[1], ends[0], fill=role)
        case "number":
            canvas.text(x, y + 4, "1.5", anchor="middle", font_size=SMALL)
        case "league":
            canvas.circle(x, y, 8, fill="league-1", fill_opacity=0.25)
            canvas.text(x, y + 4, "1", anchor="middle", font_size=SMALL, font_weight=600)
        case "last":
            canvas.rect(x - 9, y - 2, 18, 4, fill="last", rx=1)
        case "automaton":
            canvas.rect(x - 6, y - 6, 12, 12, fill="none", stroke="theory", stroke_width=1.4)
            canvas.hatch(x - 6, y - 6, 12, 12, "theory")
        case "highlight":
            canvas.path(ends, stroke="highlight", stroke_width=9)
            canvas.path(ends, stroke="on-highlight", stroke_width=2.4)
        case _:
            {"winner": canvas.star, "theory": canvas.diamond}[kind](x, y)
