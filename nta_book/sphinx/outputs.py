"""Outputs of code cells as HTML that is alive without a kernel; dead ones are refused.

myst-nb renders every form of an output while it reads a chapter and chooses one when it writes the
page.  A renderer that finds a fault therefore only leaves a mark; ``report_faults`` turns the marks
that made it to the page into warnings, which the strict build treats as errors.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core import render as myst_nb_render
from sphinx.application import Sphinx
from sphinx.util import logging

from nta_book.explore.encode import decode
from nta_book.explore.explorer import MIME as EXPLORER
from nta_book.sphinx.explorers import anchor
from nta_book.viz.drawing import MIME as DRAWING
from nta_book.viz.drawing import PLOTLY_MIME as PLOTLY
from nta_book.viz.drawing import plotly_panel

WIDGET = "application/vnd.nta.widget+json"
KERNEL_WIDGET = "application/vnd.jupyter.widget-view+json"

_PLOT, _GAP = 420, 16  # pixels: a plot that does not say its height, and what is between panels
_CONTROL, _PRESETS, _WORDS = 40, 44, 130  # rows of an explorer; its question and sentence
_VIEW_BOX = re.compile(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"')
_STATES = re.compile(
    r' data-states="">(<script type="application/json">[^<]*</script>)'
    r'<script type="application/json" class="nta-states">([^<]*)</script>'
)
# A plot of many points: its page need not carry it.
_LARGE = re.compile(
    r'(<figure class="nta-fig"[^>]*)><script type="application/json">([^<]{2000,})</script>'
)
_PLOTLY_HTML = ("Plotly.newPlot", "plotly-graph-div", "PlotlyConfig")
_BUILDERS = ("html", "dirhtml", "singlehtml")
_LOGGER = logging.getLogger(__name__)


class OutputFault(Exception):
    """An output that would be dead, or silent for some readers, on the built page."""


def register() -> None:
    """Add our renderers to those of myst-nb (its list is made once per process)."""
    renderers = myst_nb_render.load_mime_renders()
    if ChapterOutputs not in renderers:
        renderers.append(ChapterOutputs)


class ChapterOutputs:
    """The renderer myst-nb asks first; ``None`` hands an output back to myst-nb."""

    # The smallest number wins; myst-nb gives a kernel's widgets 10 and text/html 30.
    mime_priority_overrides = [  # noqa: RUF012  # the name and form are myst-nb's
        (builder, mime, priority)
        for builder in _BUILDERS
        for priority, mime in enumerate((EXPLORER, WIDGET, DRAWING, PLOTLY), start=1)
    ]

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Element] | None:
        """Return the page form of one output, or a mark that says what is wrong with it."""
        render = _RENDERERS.get(data.mime_type)
        if inline or render is None:
            return None
        try:
            markup = render(data.content)
        except OutputFault as fault:
            cell = 0 if data.cell_index is None else data.cell_index + 1
            return [nodes.raw("", "", format="html", nta_fault=f"cell {cell}: {fault}")]
        if markup is None:
            return None
        if data.mime_type == EXPLORER:
            renderer.add_js_file("nta-explorer", "nta-explorer.js", {"defer": "defer"})
        return [nodes.raw("", markup, format="html", classes=["output", "nta-output"])]


def report_faults(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Warn, with chapter and cell, about every faulty output that was chosen for the page."""
    for node in doctree.findall(nodes.raw):
        if "nta_fault" in node:
            _LOGGER.warning("%s", node["nta_fault"], location=docname, type="nta", subtype="output")


def _is_light(panel: Mapping[str, Any]) -> bool:
    """Tell whether a picture needs no plotly.js."""
    return all(item["kind"] == "svg" for item in _leaves(panel))


def figure(panel: Mapping[str, Any]) -> str:
    """Return the markup of one picture; drawings are there at once, plots are drawn lazily."""
    fallback = html.escape(" ".join(item["alt"] for item in _leaves(panel)))
    if _is_light(panel):
        return f'<figure class="nta-fig" data-state="drawn">{_drawn(panel)}</figure>'
    return (
        f'<figure class="nta-fig" style="{_room(panel)}">{_script(panel)}'
        f"<noscript><p>{fallback}</p></noscript></figure>"
    )


def _room(panel: Mapping[str, Any]) -> str:
    """Return the style that keeps the place of a picture until it is drawn."""
    return f"--nta-wide:{_height(panel)}px;--nta-narrow:{_height(panel, stacked=True)}px"


def _room_around(content: Mapping[str, Any], panel: Mapping[str, Any]) -> str:
    """Return the style that keeps the place of a whole explorer, its controls two in a row."""
    controls = len(content["controls"])
    words = _WORDS + (_PRESETS if content["presets"] else 0)
    wide = _height(panel) + _CONTROL * -(-controls // 2) + words
    narrow = _height(panel, stacked=True) + _CONTROL * controls + words
    return f"--nta-wide-whole:{wide}px;--nta-narrow-whole:{narrow}px"


def _height(panel: Mapping[str, Any], *, stacked: bool = False) -> int:
    """Return the pixels that a picture will take, its panels in columns or one below the other."""
    if panel["kind"] == "plotly":
        return int(panel["figure"]["layout"].get("height") or _PLOT)
    if panel["kind"] == "svg":
        drawn = _VIEW_BOX.search(panel["svg"])
        return round(float(drawn[2])) if drawn else 0
    across = 1 if stacked else int(panel["columns"])
    heights = [_height(item, stacked=stacked) for item in panel["items"]]
    rows = [max(heights[k : k + across]) for k in range(0, len(heights), across)]
    return sum(rows) + _GAP * (len(rows) - 1)


def _drawn(panel: Mapping[str, Any]) -> str:
    """Return drawings as they will look, in the same elements that nta-book.js makes."""
    if panel["kind"] == "svg":
        label = html.escape(panel["alt"])
        view = _VIEW_BOX.search(panel["svg"])
        wide = f' style="--nta-drawn:{float(view[1]):g}px"' if view else ""
        return (
            f'<div class="nta-drawing" role="img" aria-label="{label}"{wide}>{panel["svg"]}</div>'
        )
    items = "".join(f'<div class="nta-panel">{_drawn(item)}</div>' for item in panel["items"])
    return f'<div class="nta-panels" style="--nta-columns:{int(panel["columns"])}">{items}</div>'


def _leaves(panel: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if panel["kind"] == "panels":
        for item in panel["items"]:
            yield from _leaves(item)
    else:
        yield panel


def _require_alt(panel: Mapping[str, Any]) -> Mapping[str, Any]:
    for item in _leaves(panel):
        if not str(item.get("alt") or "").strip():
            raise OutputFault(
                "a figure without a description (layout.meta['alt']): make it with nta_book.viz, "
                "which asks what one sees and what it means"
            )
    return panel


def _plotly(content: Mapping[str, Any]) -> str:
    return figure(_require_alt(plotly_panel(content)))


def _drawing(content: Mapping[str, Any]) -> str:
    return figure(_require_alt({"kind": "svg", **content}))


def explorer(content: Mapping[str, Any]) -> str:
    """Return the markup of an explorer: what its first state needs, and all states behind it."""
    label = html.escape(content["question"])
    start = 0
    for control in content["controls"]:  # states are counted like digits
        start = start * len(control["values"]) + control["default"]
    told = {key: content[key] for key in ("question", "alt", "controls", "presets")}
    first = decode(content["states"], start)
    told["first"] = {"state": start, "light": _is_light(first["panel"]), **first}
    return (
        f'<section class="nta-explorer" id="{anchor(content["question"])}" aria-label="{label}"'
        f' style="{_room(first["panel"])};{_room_around(content, first["panel"])}" data-states="">'
        f"{_script(told)}{_script(content['states'], 'nta-states')}"
        f"<noscript><p>{label} (This explorer needs JavaScript.)</p></noscript></section>"
    )


def _widget(content: Mapping[str, Any]) -> str:
    module, label = html.escape(content["module"]), html.escape(content["label"])
    return (
        f'<div class="nta-widget" role="group" data-module="{module}" aria-label="{label}">'
        f"{_script(content['state'])}"
        f"<noscript><p>{label} (This explorer needs JavaScript.)</p></noscript></div>"
    )


def _kernel_widget(content: Mapping[str, Any]) -> str:
    raise OutputFault(
        "a widget that is dead without a kernel: use nta_book.explore.Explorer or a BookWidget"
    )


def _html(content: str) -> None:
    if any(word in content for word in _PLOTLY_HTML):
        raise OutputFault(
            "a plotly figure as HTML, which loads scripts from outside: "
            "end the cell with the figure itself"
        )


def _script(value: object, name: str = "") -> str:
    """Return JSON for the page; "<" is escaped because "</script>" and "<!--" would end it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    named = f' class="{name}"' if name else ""
    return f'<script type="application/json"{named}>{text}</script>'


def keep_states_apart(app: Sphinx, exception: Exception | None) -> None:
    """Move the states of explorers, and large plots, into scripts that come when they are wanted.

    Scripts, not JSON: browsers refuse to read data from a disk.
    """
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "states"
    folder.mkdir(parents=True, exist_ok=True)

    def keep(code: str) -> str:
        name = hashlib.sha256(code.encode()).hexdigest()[:16]
        script = f'(window.ntaStates ||= {{}})["{name}"] = {code};\n'
        (folder / f"{name}.js").write_text(script, encoding="utf-8")
        return name

    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        moved = _STATES.sub(lambda found: f' data-states="{keep(found[2])}">{found[1]}', text)
        moved = _LARGE.sub(lambda found: f'{found[1]} data-panel="{keep(found[2])}">', moved)
        if moved != text:
            page.write_text(moved, encoding="utf-8")


_RENDERERS: dict[str, Callable[[Any], str | None]] = {
    PLOTLY: _plotly,
    DRAWING: _drawing,
    EXPLORER: explorer,
    WIDGET: _widget,
    KERNEL_WIDGET: _kernel_widget,
    "text/html": _html,
}
