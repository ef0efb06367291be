"""The palette, and the three rules every picture obeys.

*Rule one: no picture without alt text.*  `described` builds it and refuses an empty one.
*Rule two: colours have fixed roles.*  The hues are Okabe and Ito's, which people with any kind of
colour vision tell apart; orange, sky blue and yellow are too pale for white paper and are darkened
or only used as a glow.  No role is shown by colour alone: the winner also has a star, the last
token a bar below it, a league a box with its number, theory a diamond, a tie a dashed line.
*Rule three: no picture of numbers that are none.*  `finite` refuses them.

Drawings name a colour through a CSS variable with the light value as fallback, so that a page can
switch between light and dark without drawing again.  `ROLES` holds both values; the stylesheet of
the book is checked against it.  Plotly cannot read CSS variables: its marks use the light values,
which keep a contrast of 3 on both papers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_core.errors import OptionError


class Shade(NamedTuple):
    """One colour role: its hex value on light and on dark paper."""

    light: str
    dark: str


ROLES: dict[str, Shade] = {
    "paper": Shade("#FFFFFF", "#14181E"),  # what the picture stands on
    "ink": Shade("#1B1F24", "#E8EBF0"),  # text, strict arrows
    "muted": Shade("#5C6670", "#A6B0BD"),  # secondary text, ties
    "line": Shade("#C9CED6", "#48566B"),  # hairlines that carry no meaning
    "winner": Shade("#D55E00", "#F5853F"),  # the label of a sequence
    "input": Shade("#5F6B7A", "#9AA7B8"),  # every other token of it
    "last": Shade("#CC79A7", "#E29BC4"),  # the last token: the track
    "league-1": Shade("#0072B2", "#4DA6DF"),
    "league-2": Shade("#009E73", "#2CC49A"),
    "league-3": Shade("#B97F00", "#E69F00"),
    "league-4": Shade("#66758A", "#A3B1C6"),
    "practice": Shade("#3A93C8", "#56B4E9"),  # what the trained network does
    "theory": Shade("#1B1F24", "#E8EBF0"),  # what the theorem says
    "highlight": Shade("#F0E442", "#F0E442"),  # a glow behind what the text speaks of
    "on-highlight": Shade("#1B1F24", "#1B1F24"),  # text upon the glow
}
LEAGUE_COLOURS = 4
#: What plotly uses for theory: the ink would vanish on one of the two papers.
THEORY_MARK = "#707070"
FONT = 'var(--nta-font, system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif)'


def variable(role: str) -> str:
    """Name of the CSS variable of a colour role."""
    if role not in ROLES:
        raise OptionError(f"no colour role {role!r}; the roles are {', '.join(ROLES)}")
    return f"--nta-{role}"


def color(role: str) -> str:
    """A colour for a drawing: the CSS variable with its light value as fallback."""
    return f"var({variable(role)}, {ROLES[role].light})"


def mark(role: str) -> str:
    """A colour for plotly: one hex value that is readable on light and on dark paper."""
    variable(role)
    return THEORY_MARK if role in ("theory", "ink", "muted") else ROLES[role].light


def tint(role: str, strength: float) -> str:
    """A colour for plotly that lets the paper through: at half strength text on it is legible."""
    value = mark(role)
    channels = ",".join(str(int(value[i : i + 2], 16)) for i in (1, 3, 5))
    return f"rgba({channels},{strength:g})"


def league_role(rank: int) -> str:
    """Colour role of the league of a given rank (1 = strongest); ranks beyond four repeat."""
    return f"league-{(rank - 1) % LEAGUE_COLOURS + 1}"


def described(seen: str, *, alt: str | None, means: str = "") -> str:
    """The alt text of a picture: what one sees (or the author's `alt`), then what it means.

    Raises
    ------
    FigureError
        When nothing is left to read out, or when the author's text holds LaTeX.
    """
    text = " ".join(f"{seen if alt is None else alt} {means}".split())
    if not text:
        raise FigureError(
            "this picture has no alt text: pass alt=… and say what one sees and what it means"
        )
    if "$" in text:
        raise FigureError("alt text is read aloud: write words or Unicode instead of LaTeX ($…$)")
    return text


def finite(
    values: ArrayLike, shape: tuple[int, ...], what: str, expected: str
) -> NDArray[np.float64]:
    """An array of this shape that holds numbers, or an error that says what was `expected`."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise FigureError(f"{what} has shape {array.shape}, expected {expected}")
    if not array.size or not np.isfinite(array).all():
        raise FigureError(f"{what} is empty, or holds NaN or infinite values")
    return array
