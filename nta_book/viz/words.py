"""Names and numbers as people read them: on a chip, in a plotly label, in alt text."""

import html
import re
from collections.abc import Iterable

_SCRIPT = re.compile(r"&lt;(/?su[bp])&gt;")
_COUNTS = ("no", "one", "two", "three", "four", "five", "six")


def plain(name: object) -> str:
    """A name as plain text: one line, and no dollar sign, which would start a formula."""
    return " ".join(str(name).replace("$", "＄").split()) or "␣"


def escaped(name: object) -> str:
    """A name made safe for markup, for SVG text as for plotly's labels."""
    return html.escape(plain(name))


def titled(text: str) -> str:
    """An author's title for plotly: escaped, but W<sub>svm</sub> keeps its index."""
    return _SCRIPT.sub(r"<\1>", escaped(text))


def spoken(text: str) -> str:
    """An author's title for alt text: W<sub>svm</sub> is read as W_svm."""
    for tag, sign in (("<sub>", "_"), ("<sup>", "^"), ("</sub>", ""), ("</sup>", "")):
        text = text.replace(tag, sign)
    return plain(text)


def across_and_up(x_title: str, y_title: str) -> str:
    """The two axes of a plane as read aloud."""
    return f"{spoken(x_title)} across and {spoken(y_title)} up"


def listing(names: Iterable[object]) -> str:
    """Join names as prose: a, b and c."""
    *most, last = [plain(name) for name in names] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def valued(names: Iterable[object], values: Iterable[float]) -> str:
    """Names with their numbers: a 1, b 2.5."""
    return ", ".join(f"{plain(a)} {number(b)}" for a, b in zip(names, values, strict=True))


def plural(count: int, noun: str) -> str:
    """A number of things: 1 race, 2 races."""
    return f"{count} {noun}{'s' * (count != 1)}"


def counted(count: int, noun: str, *, words: int = 6) -> str:
    """A number of things in prose, small numbers as words: no league, two leagues, 9 leagues."""
    said = _COUNTS[count] if count <= words else str(count)
    return f"{said} {noun}{'s' * (count > 1)}"


def number(value: float, digits: int = 3) -> str:
    """A number for people: few digits, a true minus sign."""
    value = float(value)
    if value != value:
        return "?"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    rounded = float(f"{value:.{digits}g}")
    text = f"{rounded:.6g}" if abs(rounded) < 1e6 else f"{rounded:.{digits - 1}e}"
    return text.replace("-", "−") if rounded else "0"


def point(x: float, y: float) -> str:
    """A place in a plane: (1, −0.5)."""
    return f"({number(x)}, {number(y)})"
