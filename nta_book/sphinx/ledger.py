"""The reproduction ledger as a table: the stored lines of book/ledger.json, in their order.

The lines are written by the tests that compute them (``tests/reproductions``); this module only
lays them out, and links each to its chapter.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nta_book.sphinx.badges import badge
from nta_book.sphinx.chapterlinks import label_of
from nta_book.sphinx.markup import link, row, table

Line = Mapping[str, Any]
# The head of each column, and what stands in small letters below its number.
COLUMNS = {
    "What": "",
    "Theirs": "source",
    "Ours": "tolerance",
    "Runs": "time",
    "Verdict": "shown in",
}
_WIDTHS = (31, 17, 17, 17, 18)
_PAPERS = {"mechanics": "Mechanics", "scan-and-snap": "Scan and Snap"}
_KINDS = {"reproduced": "measured", "proved": "proved", "not reproduced": "open"}


def register(app: Sphinx) -> None:
    """Add the directives ``{nta-ledger}`` (a paper) and ``{nta-ledger-summary}``."""
    app.add_directive("nta-ledger", Ledger)
    app.add_directive("nta-ledger-summary", Summary)


class _FromLedger(SphinxDirective):
    def lines(self) -> list[Line]:
        path = Path(self.env.srcdir) / "book" / "ledger.json"
        self.env.note_dependency(str(path))
        found: list[Line] = json.loads(path.read_text(encoding="utf-8"))["entries"]
        return found


class Summary(_FromLedger):
    """How many lines there are of each kind, how long they take, and where we differ."""

    def run(self) -> list[nodes.Node]:
        """Return the count, and a link to every line that is not reproduced."""
        lines = self.lines()
        kinds = Counter(str(line["badge"]) for line in lines)
        counted = ", ".join(f"{kinds[kind]} {kind}" for kind in _KINDS if kinds[kind])
        seconds = sum(float(line["seconds"]) for line in lines if not line["stored"])
        text = (
            f"{len(lines)} lines: {counted}. Those computed by the test itself take "
            f"{seconds:.0f} seconds together; the others are read from stored experiments."
        )
        return [nodes.paragraph("", text), *self._differences(lines)]

    @staticmethod
    def _differences(lines: list[Line]) -> list[nodes.Node]:
        """Return the lines that are not reproduced, one sentence per paper."""
        found: list[nodes.Node] = []
        for paper in dict.fromkeys(str(line["paper"]) for line in lines):
            differing = [line for line in lines if line["paper"] == paper and line["differs"]]
            links = [
                nodes.reference("", "", *_words(line["figure"]), refid=_id(line), internal=True)
                for line in differing
            ]
            if links:
                head = nodes.strong("", f"Not reproduced, {_PAPERS.get(paper, paper)}:")
                parts = [part for link in links for part in (nodes.Text(" · "), link)][1:]
                found.append(nodes.paragraph("", "", head, nodes.Text(" "), *parts))
        return found


class Ledger(_FromLedger):
    """The lines of one paper."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        paper = self.arguments[0]
        lines = [line for line in self.lines() if line["paper"] == paper]
        if not lines:
            raise self.error(f"no line of the ledger is about {paper!r}")
        heads = [[nodes.paragraph("", k), *([_small(v)] if v else [])] for k, v in COLUMNS.items()]
        return [table("nta-ledger", _WIDTHS, [self._row(line) for line in lines], row(*heads))]

    @staticmethod
    def _row(line: Line) -> nodes.row:
        what = [nodes.strong("", "", *_words(f"{line['figure']}:")), *_words(f" {line['what']}")]
        cells = [
            [nodes.paragraph("", "", *what)],
            [nodes.paragraph("", "", *_words(line["theirs"])), _small(line["source"])],
            [nodes.paragraph("", "", *_words(line["ours"])), _small(line["tolerance"])],
            [nodes.paragraph("", line["runs"]), _small(_time(line), breakable=True)],
            [
                nodes.paragraph("", "", badge(_KINDS[line["badge"]], line["badge"])),
                nodes.paragraph("", "", _chapter(int(line["chapter"])), classes=["nta-aside"]),
            ],
        ]
        if line["differs"]:
            cells[0].append(_small(line["differs"]))
        found = row(*cells)
        found["ids"].append(_id(line))
        return found


def _chapter(chapter: int) -> nodes.Node:
    return link("std:ref", label_of(chapter), nodes.inline("", f"chapter {chapter}"))


def _small(text: str, *, breakable: bool = False) -> nodes.paragraph:
    inside = _breakable(text) if breakable else _words(text)
    return nodes.paragraph("", "", *inside, classes=["nta-aside"])


def _id(line: Line) -> str:
    return f"ledger-{line['paper']}-{line['key']}"


def _words(text: str) -> Iterator[nodes.Node]:
    """Yield a text with W_svm and η_Y set as symbols; a dot between numbers ends its line.

    >>> "".join(node.astext() for node in _words("W_svm, 1 · 2")) == "Wsvm, 1\\u00a0· 2"
    True
    """
    parts = re.split(r"\b([WSBCη])_(svm|fin|[A-Za-z])\b", text.replace(" · ", "\u00a0· "))
    for k in range(0, len(parts), 3):
        yield nodes.Text(parts[k])
        if k + 1 < len(parts):
            yield nodes.Text(parts[k + 1])
            yield nodes.subscript("", parts[k + 2])


def _breakable(text: str) -> Iterator[nodes.Node]:
    """Yield a text whose names_with_bars may be broken behind a bar, and copied as they are."""
    *heads, last = text.split("_")
    for head in heads:
        yield nodes.Text(f"{head}_")
        yield nodes.raw("", "<wbr>", format="html")
    yield nodes.Text(last)


def _time(line: Line) -> str:
    """Return how long ours takes, and the name of the experiment where it is stored."""
    seconds = float(line["seconds"])
    if line["stored"]:
        minutes = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
        return f"{minutes}, stored as {line['stored']}"
    return f"{seconds:.1f} s" if seconds >= 0.05 else "< 0.1 s"
