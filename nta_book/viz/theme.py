"""The palette, and the three rules every picture obeys.

*Rule one: no picture without alt text.*  `described` builds it and refuses an empty one.
*Rule two: colours have fixed roles.*  The hues are Okabe and Ito's, which people with any kind of
colour vision tell apart; orange, sky blue and yellow are too pale for white paper and are darkened
or only used as a glow.  No role is shown by colour alone: the winner also has a star, the last
token a bar below it, a league a box with its number, theory a diamond, a tie a dashed line.
*Rule three: no picture of numbers that are none.*  `finite` refuses them.

Drawings name a colour through a CSS variable with the light value as fallback, so that a page can
switch between light and dark without drawing again.  `ROLES` holds both values; the stylesheet of
the book is checked against it.  Plotly cannot read CSS variables: each role has a *mark*, one value
of its own with a contrast of 3 on both papers.  A notebook shows the marks as they are; the page
reads them as names and draws the colour of its theme (``page/book/palette.js``).

What has no role of its own is either measured (`practice`, one blue) or compared with what is
measured (`compare-1` to `compare-3`, tints of the ink, with the name written beside the line).
Losses keep their colour through the book: `loss_role`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_core.errors import OptionError


class Shade(NamedTuple):
    """One colour role: its hex value on light and on dark paper, and what plotly is given."""

    light: str
    dark: str
    #: Empty where the light value itself is readable on dark paper.
    mark: str = ""


ROLES: dict[str, Shade] = {
    "paper": Shade("#FFFFFF", "#14181E"),  # what the picture stands on
    "ink": Shade("#1B1F24", "#E8EBF0", "#6E7074"),  # text, strict arrows
    "muted": Shade("#5C6670", "#A6B0BD", "#6C7680"),  # secondary text, ties
    "line": Shade("#C9CED6", "#48566B"),  # hairlines that carry no meaning
    "winner": Shade("#D55E00", "#F5853F"),  # the label of a sequence, and nothing else
    "input": Shade("#5F6B7A", "#9AA7B8"),  # every other token of it
    "last": Shade("#CC79A7", "#E29BC4"),  # the last token: the track
    "league-1": Shade("#0072B2", "#4DA6DF"),
    "league-2": Shade("#009E73", "#2CC49A"),
    "league-3": Shade("#B97F00", "#E69F00"),
    "league-4": Shade("#66758A", "#A3B1C6"),
    "practice": Shade("#3A93C8", "#56B4E9"),  # what the trained network does: measurements
    "theory": Shade("#1B1F24", "#E8EBF0", "#707070"),  # what the theorem says
    "compare-1": Shade("#454E59", "#C6CDD6", "#6B7480"),  # what a measurement is compared with
    "compare-2": Shade("#717B87", "#9AA5B2"),
    "compare-3": Shade("#8B949F", "#77828F"),
    "loss-log": Shade("#3A94C8", "#56B5E9"),  # the loss of the theorems: the measurements' blue
    "loss-squared": Shade("#7A5BA8", "#B79CE0"),
    "loss-squared-softmax": Shade("#8F5D3D", "#CF9F7C"),
    "loss-cross-entropy": Shade("#9E2A4B", "#EE7A98", "#B8375C"),
    "loss-correlation": Shade("#6A7A1C", "#B3C14B"),
    "highlight": Shade("#F0E442", "#F0E442"),  # a glow behind what the text speaks of
    "on-highlight": Shade("#1B1F24", "#1B1F24", "#1B1F25"),  # text upon the glow
}
COMPARISONS = ("compare-1", "compare-2", "compare-3")
LEAGUE_COLOURS = 4
#: Widths of lines in pixels, what each is for.
GRID, ARROW, DATA, EMPHASIS = 0.75, 1.5, 2.5, 4.0
#: Sizes of type in pictures, in pixels on the screen: names of tokens, and everything else.
FONT_SIZE, SMALL = 14.5, 13.0
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
    return ROLES[role].mark or ROLES[role].light


def tint(role: str, strength: float) -> str:
    """A colour for plotly that lets the paper through: at half strength text on it is legible."""
    value = mark(role)
    channels = ",".join(str(int(value[i : i + 2], 16)) for i in (1, 3, 5))
    return f"rgba({channels},{strength:g})"


def league_role(rank: int) -> str:
    """Colour role of the league of a given rank (1 = strongest); ranks beyond four repeat."""
    return f"league-{(rank - 1) % LEAGUE_COLOURS + 1}"


def loss_role(name: object) -> str | None:
    """Colour role of a loss by the name it has in a chart, or None for what is no loss.

    Examples
    --------
    >>> loss_role("cross-entropy"), loss_role("log-loss"), loss_role("squared after softmax")
    ('loss-cross-entropy', 'loss-log', 'loss-squared-softmax')
    >>> loss_role("right league") is None
    True
    """
    words = str(name).lower().removesuffix("-loss").removesuffix(" loss").replace(" after ", "-")
    role = f"loss-{words.strip()}"
    return role if role in ROLES else None


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
