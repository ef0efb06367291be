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
    "Ours": "tolerance of its kind",
    "Runs": "time",
    "Verdict": "shown in",
}
_WIDTHS = (31, 17, 17, 17, 18)
_PAPERS = {"mechanics": "Mechanics", "scan-and-snap": "Scan and Snap", "field": "The field"}
# Each verdict: the look of its badge, the words inside, and those that may be broken behind it.
VERDICTS = {
    "reproduced": ("measured", "reproduced", ""),
    "reproduced with a parameter we chose": (
        "measured",
        "reproduced",
        " with a parameter we chose",
    ),
    "close": ("close", "close", ""),
    "not reproduced": ("open", "not reproduced", ""),
    "the statement is wrong": ("open", "wrong", " the statement, not our number"),
}


def register(app: Sphinx) -> None:
    """Add ``{nta-ledger}`` (a paper), and ``-summary``, ``-kinds`` and ``-provenance`` of it."""
    app.add_directive("nta-ledger", Ledger)
    app.add_directive("nta-ledger-summary", Summary)
    app.add_directive("nta-ledger-kinds", Kinds)
    app.add_directive("nta-ledger-provenance", Provenance)


class _FromLedger(SphinxDirective):
    def stored(self) -> Mapping[str, Any]:
        path = Path(self.env.srcdir) / "book" / "ledger.json"
        self.env.note_dependency(str(path))
        found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def lines(self) -> list[Line]:
        return list(self.stored()["entries"])


class Kinds(_FromLedger):
    """The kinds of claims with their tolerances, as the code defines them."""

    def run(self) -> list[nodes.Node]:
        """Return them as a table."""
        kinds = self.stored()["kinds"]
        rows = [row(*([nodes.paragraph("", kind[key])] for key in _KIND)) for kind in kinds]
        head = row(*([nodes.paragraph("", words)] for words in _KIND.values()))
        return [table("nta-ledger-kinds", (25, 50, 25), rows, head)]


class Provenance(_FromLedger):
    """The authors' repositories with their commits, and the versions behind every number."""

    def run(self) -> list[nodes.Node]:
        """Return the two tables."""
        known = self.stored()["provenance"]
        sources = [
            row(
                [nodes.paragraph("", _PAPERS[source["paper"]])],
                [nodes.paragraph("", "", nodes.reference("", name, refuri=source["address"]))],
                [nodes.paragraph("", "", nodes.literal("", source["commit"]))],
                [nodes.paragraph("", source["what"])],
            )
            for source in known["repositories"]
            if (name := source["address"].partition("github.com/")[2])
        ]
        head = row(*([nodes.paragraph("", text)] for text in _SOURCES))
        versions = [
            row(*([nodes.paragraph("", entry[key])] for key in _VERSIONS))
            for entry in known["versions"]
        ]
        columns = row(*([nodes.paragraph("", text)] for text in _VERSIONS.values()))
        return [
            table("nta-ledger-sources", (17, 38, 12, 33), sources, head),
            table("nta-ledger-versions", (25, 25, 25, 25), versions, columns),
        ]


_SOURCES = ("Paper", "Repository", "Commit", "What we compare with")
_VERSIONS = {
    "package": "Package",
    "pinned": "Pinned by the authors",
    "rerun": "Their code, run by us",
    "ours": "Our code",
}
_KIND = {"name": "Kind", "what": "What it is", "words": "Agrees if"}


class Summary(_FromLedger):
    """How many lines have each verdict, how long they take, and where we differ."""

    def run(self) -> list[nodes.Node]:
        """Return the counts by paper, and a link to every line that is not simply reproduced."""
        lines = self.lines()
        seconds = sum(float(line["seconds"]) for line in lines if not line["stored"])
        text = (
            f"{len(lines)} lines. Those computed by the test itself take {seconds:.0f} seconds "
            "together; the others are read from stored experiments."
        )
        return [counts(lines), nodes.paragraph("", text), *self._links(lines)]

    @staticmethod
    def _links(lines: list[Line]) -> Iterator[nodes.Node]:
        """Yield where each verdict but the first is found, one sentence per verdict."""
        for verdict in list(VERDICTS)[1:]:
            parts: list[nodes.Node] = []
            for paper, name in _PAPERS.items():
                mine = [e for e in lines if (e["verdict"], e["paper"]) == (verdict, paper)]
                for k, (figure, same) in enumerate(_by_figure(mine).items()):
                    parts.append(nodes.Text(" · " if k else f"{';' if parts else ''} {name} "))
                    words = [*_words(figure), nodes.Text(f" ({len(same)})" if same[1:] else "")]
                    parts.append(nodes.reference("", "", *words, refid=_id(same[0]), internal=True))
            if parts:
                head = nodes.strong("", f"{verdict[0].upper()}{verdict[1:]}:")
                yield nodes.paragraph("", "", head, *parts)


def _by_figure(lines: list[Line]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(str(line["figure"]), []).append(line)
    return found


def counts(lines: list[Line]) -> nodes.table:
    """Return how many lines of each paper have each verdict; rows and columns add up."""
    papers = list(dict.fromkeys(str(line["paper"]) for line in lines))
    found = Counter((line["verdict"], line["paper"]) for line in lines)
    if unknown := {line["verdict"] for line in lines} - set(VERDICTS):
        raise ValueError(f"a verdict that the ledger does not know: {sorted(unknown)}")

    def cells(head: str, numbers: list[int]) -> nodes.row:
        return row(*([nodes.paragraph("", str(text))] for text in (head, *numbers, sum(numbers))))

    rows = [cells(verdict, [found[verdict, paper] for paper in papers]) for verdict in VERDICTS]
    totals = [sum(found[verdict, paper] for verdict in VERDICTS) for paper in papers]
    heads = ["Verdict", *(_PAPERS[paper] for paper in papers), "All"]
    widths = (40, *[20] * (len(papers) + 1))
    head = row(*([nodes.paragraph("", text)] for text in heads))
    return table("nta-ledger-counts", widths, [*rows, cells("all", totals)], head)


class Ledger(_FromLedger):
    """The lines of one paper; lines of a block are folded into one."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table, and one to unfold for each block."""
        paper = self.arguments[0]
        lines = [line for line in self.lines() if line["paper"] == paper]
        if not lines:
            raise self.error(f"no line of the ledger is about {paper!r}")
        return list(tables(lines))


def tables(lines: list[Line]) -> Iterator[nodes.Node]:
    """Yield the table of all lines, one row per block, and the folded tables of the blocks."""
    heads = [[nodes.paragraph("", k), *([_small(v)] if v else [])] for k, v in COLUMNS.items()]
    blocks: dict[str, list[Line]] = {}
    for line in lines:
        if line["block"]:
            blocks.setdefault(line["block"], []).append(line)
    rows = []
    for line in lines:
        if not line["block"]:
            rows.append(_row(line))
        elif line is blocks[line["block"]][0]:
            rows.append(_block_row(line["block"], blocks[line["block"]]))
    yield table("nta-ledger", _WIDTHS, rows, row(*heads))
    for name, folded in blocks.items():
        words = f"{name}: its {len(folded)} lines"
        yield nodes.raw("", f"<details><summary>{words}</summary>", format="html")
        head = row(*[[node.deepcopy() for node in cell] for cell in heads])
        yield table("nta-ledger", _WIDTHS, [_row(line) for line in folded], head)
        yield nodes.raw("", "</details>", format="html")


def _block_row(name: str, lines: list[Line]) -> nodes.row:
    """Return the line that stands for a block: how many of its lines have which verdict."""
    found = Counter(str(line["verdict"]) for line in lines)
    verdicts = [
        nodes.paragraph("", "", badge(*VERDICTS[kind]), nodes.Text(f" {found[kind]}"))
        for kind in VERDICTS
        if found[kind]
    ]
    said = [nodes.strong("", "", *_words(f"{name}:"))]
    return row(
        [nodes.paragraph("", "", *said, nodes.Text(f" {len(lines)} lines, folded below"))],
        [nodes.paragraph("", ""), _small(lines[0]["source"])],
        [nodes.paragraph("", ""), _small(lines[0]["tolerance"])],
        [nodes.paragraph("", lines[0]["runs"]), _small(_time(lines[0]), breakable=True)],
        verdicts,
    )


def _row(line: Line) -> nodes.row:
    what = [nodes.strong("", "", *_words(f"{line['figure']}:")), *_words(f" {line['what']}")]
    cells = [
        [nodes.paragraph("", "", *what)],
        [nodes.paragraph("", "", *_words(line["theirs"])), _small(line["source"])],
        [nodes.paragraph("", "", *_words(line["ours"])), _small(line["tolerance"])],
        [nodes.paragraph("", line["runs"]), _small(_time(line), breakable=True)],
        [
            nodes.paragraph("", "", badge(*VERDICTS[line["verdict"]])),
            nodes.paragraph("", "", _chapter(int(line["chapter"])), classes=["nta-aside"]),
        ],
    ]
    if line["chosen"]:
        cells[0].append(_small(f"We chose {line['chosen']}"))
    if line["why"]:
        cells[0].append(_small(line["why"]))
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

    >>> "".join(node.astext() for node in _words("2η_Y, 1 · 2")) == "2ηY, 1\\u00a0· 2"
    True
    """
    symbol = r"(?<![A-Za-z_])([WSBCceη])_(svm|fin|[A-Za-z])(?![A-Za-z_])"
    parts = re.split(symbol, text.replace(" · ", "\u00a0· "))
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
