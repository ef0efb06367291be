"""Names and numbers as people read them: on a chip, in a plotly label, in alt text.

Explained in: chapter 0.
"""

from __future__ import annotations

import html
import re

_SCRIPT = re.compile(r"&lt;(/?su[bp])&gt;")


def plain(name: object) -> str:
    """A name as plain text: one line, and no dollar sign, which would start a formula.

    Examples
    --------
    >>> plain("a\\nb $5")
    'a b ＄5'

    Explained in: chapter 0.
    """
    return " ".join(str(name).replace("$", "＄").split()) or "␣"


def escaped(name: object) -> str:
    """A name made safe for markup, for SVG text as for plotly's labels.

    Examples
    --------
    >>> escaped("<b>")
    '&lt;b&gt;'

    Explained in: chapter 0.
    """
    return html.escape(plain(name))


def titled(text: str) -> str:
    """An author's title for plotly: escaped, but W<sub>svm</sub> keeps its index.

    Examples
    --------
    >>> titled("W<sub>svm</sub> & <b>")
    'W<sub>svm</sub> &amp; &lt;b&gt;'

    Explained in: chapter 0.
    """
    return _SCRIPT.sub(r"<\1>", escaped(text))


def spoken(text: str) -> str:
    """An author's title for alt text: W<sub>svm</sub> is read as W_svm.

    Examples
    --------
    >>> spoken("‖W<sub>svm</sub>‖<sup>2</sup>")
    '‖W_svm‖^2'

    Explained in: chapter 0.
    """
    for tag, sign in (("<sub>", "_"), ("<sup>", "^"), ("</sub>", ""), ("</sup>", "")):
        text = text.replace(tag, sign)
    return plain(text)


def listing(items: list[str]) -> str:
    """Join names as prose.

    Examples
    --------
    >>> listing(["a"]), listing(["a", "b", "c"])
    ('a', 'a, b and c')

    Explained in: chapter 0.
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def number(value: float, digits: int = 3) -> str:
    """A number for people: few digits, a true minus sign.

    Examples
    --------
    >>> number(-0.25), number(12345.678), number(float("inf"))
    ('−0.25', '12300', '∞')

    Explained in: chapter 0.
    """
    value = float(value)
    if value != value:
        return "?"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    rounded = float(f"{value:.{digits}g}")
    text = f"{rounded:.6g}" if abs(rounded) < 1e6 else f"{rounded:.{digits - 1}e}"
    return text.replace("-", "−") if rounded else "0"
