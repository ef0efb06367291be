"""The ledger as a page: counts that add up, long blocks folded, verdicts that are known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from docutils import nodes

from nta_book.sphinx import ledger

BOOK = Path(__file__).parents[3] / "book"
STORED = json.loads((BOOK / "ledger.json").read_text(encoding="utf-8"))
LINES = STORED["entries"]


def cells(table: nodes.table) -> list[list[str]]:
    """The words of a table, head included."""
    rows = table.findall(nodes.row)
    return [[entry.astext() for entry in row.findall(nodes.entry)] for row in rows]


def line(**changes: object) -> dict[str, object]:
    return LINES[0] | changes


def test_the_head_counts_add_up() -> None:
    _head, *rows, last = cells(ledger.counts(LINES))
    numbers = [[int(number) for number in row[1:]] for row in rows]
    assert [int(number) for number in last[1:]] == [
        sum(column) for column in zip(*numbers, strict=True)
    ]
    assert all(sum(row[:-1]) == row[-1] for row in numbers)
    assert int(last[-1]) == len(LINES)
    found = Counter(line["verdict"] for line in LINES)
    assert {row[0]: int(row[-1]) for row in rows} == {v: found[v] for v in ledger.VERDICTS}


def test_a_verdict_that_nobody_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="nearly"):
        ledger.counts([*LINES, line(verdict="nearly")])


def test_the_page_knows_the_verdicts_of_the_code() -> None:
    from tests.reproductions.entry import VERDICTS

    assert tuple(ledger.VERDICTS) == VERDICTS


def test_lines_of_a_block_are_folded_into_one() -> None:
    block = [line(key=f"b{k}", block="Fig. 6", verdict="reproduced") for k in range(3)]
    lines = [line(key="a"), *block, line(key="d", block="Fig. 6", verdict="close"), line(key="c")]
    table, before, folded, after = ledger.tables(lines)
    rows = cells(table)
    assert len(rows) == 1 + 3
    assert "4 lines, folded below" in rows[2][0]
    assert rows[2][-1].split() == ["reproduced", "3", "close", "1"]
    assert (before.astext()[:9], after.astext()) == ("<details>", "</details>")
    ids = [row["ids"] for row in folded.findall(nodes.row) if row["ids"]]
    assert len(ids) == 4


def test_a_parameter_we_chose_and_a_reason_are_shown() -> None:
    said = line(chosen="T = 32.", why="The paper does not say.", verdict="close")
    (table,) = ledger.tables([said])
    assert "We chose T = 32." in cells(table)[1][0]
    assert "The paper does not say." in cells(table)[1][0]


def test_no_long_block_is_left_unfolded() -> None:
    """Nobody reads more than six lines of one figure one after another."""
    shown = Counter((line["paper"], line["figure"]) for line in LINES if not line["block"])
    assert max(shown.values()) <= 6, shown.most_common(1)


def test_every_source_has_a_commit_and_every_number_its_versions() -> None:
    known = STORED["provenance"]
    papers = {entry["paper"] for entry in LINES}
    # lines of the field repeat statements of many papers, and compare with no code of theirs
    assert {source["paper"] for source in known["repositories"]} == papers - {"field"}
    assert all(len(source["commit"]) >= 7 for source in known["repositories"])
    versions = {entry["package"]: entry for entry in known["versions"]}
    assert {"cvxpy", "numpy", "torch"} <= {n for n, entry in versions.items() if entry["pinned"]}
    assert all(entry["pinned"] or entry["ours"] for entry in versions.values())
