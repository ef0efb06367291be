"""The pieces of a report as plain HTML and SVG: no script, no font, no address.

Everything is drawn in the colour of the text around it and one blue that reads on light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from nta_beyond.heads.leagues import HeadLeagues
from nta_beyond.heads.rankings import Agreement
from nta_beyond.heads.silences import HeadSilence

BLUE = "#0072B2"
LONGEST = 24  # characters of a token's name
TOP = 8  # tokens of a card
WIDTH, ROW = 320, 18  # of a picture, in units that become pixels on a small screen
LISTED = 5  # loudest and most silent last tokens

STYLE = """
.nta-report{line-height:1.5;overflow-wrap:anywhere}
.nta-report h2,.nta-report h3{margin:1.6em 0 .4em}
.nta-report table{border-collapse:collapse;margin:.5em 0}
.nta-report th,.nta-report td{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;
border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);font-weight:400}
.nta-report th{opacity:.8}
.nta-report svg{width:100%;max-width:24rem;height:auto;display:block}
.nta-report svg text{fill:currentColor;font-size:12px}
.nta-report .cards{display:grid;gap:1.5rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr))}
.nta-report .cards p{margin:.2em 0}
.nta-report .cards .last{font-weight:700}
"""
PAGE = """
:root{color-scheme:light dark}
body{margin:0 auto;max-width:64rem;padding:1rem;font-family:system-ui,sans-serif;
background:#fff;color:#1b1b1b}
@media (prefers-color-scheme:dark){body{background:#14181e;color:#e6e6e6}}
@media print{body{background:#fff;color:#000}}
"""


def document(title: str, sections: str) -> str:
    """A whole page."""
    name = _text(title, 200)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{PAGE}{STYLE}</style>\n</head>\n<body>\n"
        f'<main class="nta-report">\n<h1>{name}</h1>\n{sections}</main>\n</body>\n</html>\n'
    )


def fragment(title: str, sections: str) -> str:
    """The same inside somebody else's page."""
    name = _text(title, 200)
    return f'<style>{STYLE}</style><div class="nta-report"><p><b>{name}</b></p>{sections}</div>'


def points(title: str, sentences: Iterable[str], level: str) -> str:
    """A list of sentences."""
    listed = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<{level}>{escape(title)}</{level}>\n<ul>{listed}</ul>\n"


def facts(title: str, rows: Iterable[tuple[str, str]], notes: Sequence[str], level: str) -> str:
    """A table of two columns, and sentences below it."""
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
    )
    below = "".join(f"<li>{escape(note)}</li>" for note in notes)
    listed = f"<ul>{below}</ul>" if below else ""
    return f"<{level}>{escape(title)}</{level}>\n<table>{lines}</table>{listed}\n"


def cards(title: str, made: Iterable[str], level: str) -> str:
    """Cards side by side, or below each other on a small screen."""
    return f'<{level}>{escape(title)}</{level}>\n<div class="cards">{"".join(made)}</div>\n'


def card(track: HeadLeagues, steps: Sequence[tuple[float, int]]) -> str:
    """The best tokens after one last token, its leagues, and how they depend on the threshold."""
    last, low, high = track.names[track.last], *track.plateau
    several = "league" if len(track.ends) == 1 else "leagues"
    return (
        f'<section><p class="last">after {_text(last)}</p>{_bars(track)}'
        f"<p>{len(track.ends):,} {several} at threshold {track.threshold:g}, the first of "
        f"{track.sizes[0]:,}; unchanged from {low:.2g} to {high:.2g}</p>"
        f"{_staircase(steps, track.threshold, last)}</section>"
    )


def _bars(track: HeadLeagues) -> str:
    """The highest scores as bars from the mean of all; one below it is drawn hollow."""
    count, mean = min(TOP, len(track.order)), float(track.scores.mean())
    tokens, leads = track.order[:count].tolist(), track.scores[:count] - mean
    widest = max(float(np.abs(leads).max()), 1e-300)
    parts = []
    for i, (token, lead) in enumerate(zip(tokens, leads.tolist(), strict=True)):
        y, wide = ROW * i, max(120 * abs(lead) / widest, 1)
        parts.append(
            f'<text x="118" y="{y + 13}" text-anchor="end">{_text(track.names[token], 16)}</text>'
            f'<rect x="124" y="{y + 3}" width="{wide:.1f}" height="{ROW - 6}" stroke="{BLUE}" '
            f'fill="{BLUE if lead > 0 else "none"}"/>'
            f'<text x="{130 + wide:.1f}" y="{y + 13}">{_signed(lead)}</text>'
        )
    pairs = zip(tokens, leads.tolist(), strict=True)
    said = ", ".join(f"{track.names[token]} {_signed(lead)}" for token, lead in pairs)
    alt = f"Highest scores after {track.names[track.last]}, above the mean of all: {said}"
    return _svg(ROW * count, "".join(parts), alt)


def _staircase(steps: Sequence[tuple[float, int]], threshold: float, last: str) -> str:
    """How many leagues there are at which threshold."""
    low, high = math.log(steps[0][0]), math.log(steps[-1][0])
    most = max(math.log(max(count for _, count in steps)), 1e-9)

    def x(mass: float) -> float:
        return 30 + 270 * (math.log(mass) - low) / (high - low)

    def y(count: int) -> float:
        return 52 - 42 * math.log(count) / most

    line, height = f"M{x(steps[0][0]):.1f} {y(steps[0][1]):.1f}", steps[0][1]
    for mass, count in steps[1:]:
        if count != height:
            line, height = f"{line}H{x(mass):.1f}V{y(count):.1f}", count
    line += f"H{x(steps[-1][0]):.1f}"
    now, first, end = x(min(max(threshold, steps[0][0]), steps[-1][0])), steps[0][1], steps[-1][1]
    picture = (
        f'<path d="{line}" fill="none" stroke="{BLUE}" stroke-width="2"/>'
        f'<line x1="{now:.1f}" x2="{now:.1f}" y1="6" y2="56" stroke="currentColor" '
        'stroke-dasharray="3 3"/>'
        f'<text x="26" y="{y(first) + 4:.1f}" text-anchor="end">{first:,}</text>'
        f'<text x="304" y="{y(end) + 4:.1f}">{end:,}</text>'
        '<text x="30" y="70">10⁻⁶</text><text x="300" y="70" text-anchor="end">½</text>'
        '<text x="165" y="70" text-anchor="middle">threshold</text>'
    )
    alt = (
        f"Number of leagues after {last}: {first} at threshold 0.000001, rising to {end} near ½; "
        f"the dashed line is the threshold {threshold:g}"
    )
    return _svg(74, picture, alt, width=345)


def agreement_picture(table: Agreement, level: str) -> str:
    """The head beside its two controls."""
    values = {
        "strict pairs ranked rightly": (table.share, table.share_swapped, table.share_permuted),
        "ranking explained by levels": tuple(
            table.mean(f"explained{end}") for end in ("", "_swapped", "_permuted")
        ),
    }
    parts, y = [], 0
    for name, shares in values.items():
        parts.append(f'<text x="0" y="{y + 13}">{name}</text>')
        for who, share in zip(("this head", "other token", "at random"), shares, strict=True):
            y += ROW
            wide, strong = 170 * share, 1.0 if who == "this head" else 0.45
            parts.append(
                f'<text x="78" y="{y + 13}" text-anchor="end">{who}</text>'
                f'<rect x="84" y="{y + 3}" width="{max(wide, 1):.1f}" height="{ROW - 6}" '
                f'fill="{BLUE}" fill-opacity="{strong}"/>'
                f'<text x="{90 + wide:.1f}" y="{y + 13}">{share:.1%}</text>'
            )
        y += ROW + 6
    said = "; ".join(
        f"{name}: this head {own:.1%}, its scores after another last token {other:.1%}, dealt at "
        f"random {dealt:.1%}"
        for name, (own, other, dealt) in values.items()
    )
    tau = (
        f"<p>Kendall's τ of scores and levels: {table.mean('tau'):.3f} on average over "
        f"{len(table.lasts):,} last tokens, weighted by races.</p>"
    )
    return (
        f"<{level}>Does it rank as the text does?</{level}>\n{_svg(y, ''.join(parts), said)}{tau}\n"
    )


def silence_picture(quiet: HeadSilence, names: Sequence[str], level: str) -> str:
    """How much attention the head moves, over all last tokens, and the ends of the list."""
    edges = np.linspace(0, 1, 11)
    weight = np.histogram(quiet.moved, edges, weights=quiet.frequency)[0]
    shares = weight / max(weight.sum(), 1e-300)
    tallest = max(float(shares.max()), 1e-300)
    bars = "".join(
        f'<rect x="{10 + 30 * i}" y="{70 - 60 * share / tallest:.1f}" width="28" '
        f'height="{max(60 * share / tallest, 0.5):.1f}" fill="{BLUE}"/>'
        for i, share in enumerate(shares.tolist())
    )
    axis = "".join(
        f'<text x="{x}" y="86" text-anchor="{at}">{word}</text>'
        for x, at, word in ((10, "start", "0%"), (160, "middle", "moved"), (310, "end", "100%"))
    )
    said = ", ".join(f"up to {e:.0%}: {s:.0%}" for e, s in zip(edges[1:], shares, strict=True))
    alt = f"Share of the tokens by how much attention the head moves after them; {said}"
    order = np.argsort(quiet.moved, kind="stable")
    least, most = (
        ", ".join(f"{names[quiet.lasts[i]]} ({quiet.moved[i]:.0%})" for i in part.tolist())
        for part in (order[:LISTED], order[::-1][:LISTED])
    )
    rows = [
        ("asked after", f"{len(quiet.lasts):,} last tokens"),
        ("silent after", f"{quiet.silent.sum():,} of them, {quiet.share:.1%} of the tokens"),
        ("moves least after", least),
        ("moves most after", most),
    ]
    return facts("Where is it silent?", rows, (), level) + _svg(90, bars + axis, alt)


def _svg(height: float, inside: str, alt: str, *, width: int = WIDTH) -> str:
    said = escape(alt, quote=True)
    return f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="{said}">{inside}</svg>'


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _text(name: str, longest: int = LONGEST) -> str:
    """A name as HTML, cut if it is long; characters that nobody sees are shown by their number."""
    seen = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in name)
    return escape(seen if len(seen) <= longest else f"{seen[: longest - 1]}…")
