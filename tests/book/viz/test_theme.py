"""The palette is readable on both papers, and the rule about alt text holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nta_book.errors import FigureError
from nta_book.viz import charts, theme, words
from nta_book.viz.theme import ROLES
from nta_core import LOSSES
from nta_core.errors import OptionError
from tests.book.page.in_node import Modules

CSS = Path(__file__).parents[3] / "nta_book/page/book/nta-book.css"
PALETTE = CSS.with_name("palette.js")
MARKS = [role for role in ROLES if role not in ("paper", "line", "highlight", "on-highlight")]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two hex colours as WCAG 2 defines it, from 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(value: str) -> float:
    channels = (int(value[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("role", MARKS)
def test_marks_stand_out_on_both_papers(role: str) -> None:
    for side in ("light", "dark"):
        shade, paper = getattr(ROLES[role], side), getattr(ROLES["paper"], side)
        assert contrast(shade, paper) >= 3, (role, side)
    assert contrast(theme.mark(role), ROLES["paper"].dark) >= 3  # plotly has one value for both


@pytest.mark.parametrize("role", ["ink", "muted", "theory"])
@pytest.mark.parametrize("side", ["light", "dark"])
def test_text_is_readable_on_paper(role: str, side: str) -> None:
    assert contrast(getattr(ROLES[role], side), getattr(ROLES["paper"], side)) >= 4.5


def blend(top: str, below: str, strength: float) -> str:
    pairs = [(int(top[i : i + 2], 16), int(below[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(strength * a + (1 - strength) * b):02X}" for a, b in pairs)


@pytest.mark.parametrize("side", ["light", "dark"])
def test_text_is_readable_on_tints(side: str) -> None:
    paper, ink = getattr(ROLES["paper"], side), getattr(ROLES["ink"], side)
    for role in MARKS:
        chip = blend(getattr(ROLES[role], side), paper, 0.25)  # the strongest tint under text
        assert contrast(ink, chip) >= 4.5, role
    glow = ROLES["highlight"]
    assert contrast(getattr(ROLES["on-highlight"], side), getattr(glow, side)) >= 4.5
    for role in ("winner", "league-1"):  # heat map cells at half strength
        assert contrast(ink, blend(theme.mark(role), paper, 0.5)) >= 4.5


def test_the_books_stylesheet_has_exactly_these_values() -> None:
    css = re.sub(r"/\*.*?\*/", "", CSS.read_text(encoding="utf-8"), flags=re.DOTALL)
    for selector, side in (("html", "light"), ('html[data-theme="dark"]', "dark")):
        blocks = re.findall(rf"(?:^|\}})\s*{re.escape(selector)}\s*\{{(.*?)\}}", css, re.DOTALL)
        values = dict(re.findall(r"(--nta-[\w-]+):\s*([^;]+);", " ".join(blocks)))
        for role, shade in ROLES.items():
            assert values[theme.variable(role)].strip().upper() == getattr(shade, side), role


def test_the_page_knows_every_mark_of_plotly() -> None:
    script = PALETTE.read_text(encoding="utf-8")
    known = dict(re.findall(r'"(#[0-9a-f]{6})": "([\w-]+)"', script))
    assert known == {theme.mark(role).lower(): role for role in ROLES}
    assert len(known) == len(ROLES)  # two roles with one mark could not be told apart


def test_plots_take_the_colours_of_the_theme() -> None:
    page = Modules("book", "palette")
    shades = {role: shade.dark for role, shade in ROLES.items()}
    figure = {
        "line": {"color": theme.mark("theory"), "width": 2},
        "marker": {"color": [theme.mark("winner"), "#123456"]},
        "fill": theme.tint("practice", 0.4),
        "x": {"bdata": theme.mark("winner"), "dtype": "f4"},
        "y": [1, 2],
        "text": ["#D55E00 is a name, too long for a colour", None],
    }
    drawn = page.evaluate(
        "([part, dark]) => M.inTheme(part, (role) => dark[role])", [figure, shades]
    )
    red, green, blue = (int(ROLES["practice"].dark[i : i + 2], 16) for i in (1, 3, 5))
    assert drawn == figure | {
        "line": {"color": ROLES["theory"].dark, "width": 2},
        "marker": {"color": [ROLES["winner"].dark, "#123456"]},
        "fill": f"rgba({red},{green},{blue},0.4)",
    }


def test_losses_keep_their_colour_whatever_their_place() -> None:
    for k, name in enumerate(LOSSES):
        assert charts.hue(k, name) == charts.hue(k + 1, name) == theme.mark(f"loss-{name}")
    measured = [charts.hue(k, "share") for k in range(4)]
    assert measured == [theme.mark(role) for role in ("practice", *theme.COMPARISONS)]
    meanings = {theme.mark(theme.league_role(rank)) for rank in (1, 2, 3, 4)}
    meanings |= {theme.mark("winner"), theme.mark("last")}
    assert not meanings & {*measured, *(charts.hue(0, name) for name in LOSSES)}


def test_the_yardstick_is_right() -> None:
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


def test_unknown_roles_are_refused() -> None:
    with pytest.raises(OptionError, match="winner"):
        theme.color("nobody")


def test_alt_text_is_required() -> None:
    with pytest.raises(FigureError, match="no alt text"):
        theme.described("seen", alt="  ")
    with pytest.raises(FigureError, match="LaTeX"):
        theme.described("seen", alt="the weight $W$")
    assert theme.described("seen", alt="said", means="so.") == "said so."


def test_names_and_numbers_for_people() -> None:
    assert words.plain("") == "␣"
    assert words.listing([]) == ""
    assert words.listing(["a", "b"]) == "a and b"
    assert [words.number(x) for x in (0.0, -1e-12, float("nan"), float("-inf"), 2.5e9)] == [
        "0", "−1e−12", "?", "−∞", "2.50e+09"
    ]  # fmt: skip
