"""Every line of the reproduction ledger is what its computation gives today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.reproductions import (
    mechanics_figures,
    mechanics_local,
    mechanics_statements,
    runs,
    scan_snap,
)
from tests.reproductions.entry import (
    EQUAL,
    Entry,
    at_least,
    read_ledger,
    unlike,
    within,
    write_ledger,
)

ENTRIES: list[Entry] = [
    *mechanics_figures.ENTRIES,
    *mechanics_local.ENTRIES,
    *mechanics_statements.ENTRIES,
    *scan_snap.ENTRIES,
]
COMMAND = "python -m pytest tests/reproductions --write-ledger"


@pytest.fixture(scope="module")
def computed(request: pytest.FixtureRequest) -> Iterator[dict[str, dict[str, object]]]:
    """Lines computed by this run; written to the book when asked, those not run stay."""
    lines: dict[str, dict[str, object]] = {}
    yield lines
    if request.config.getoption("--write-ledger", default=False):
        known = read_ledger() | lines
        write_ledger([known[entry.key] for entry in ENTRIES if entry.key in known])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_line(
    entry: Entry, computed: dict[str, dict[str, object]], request: pytest.FixtureRequest
) -> None:
    writing = request.config.getoption("--write-ledger", default=False)
    if writing:
        runs.forget()  # so that the time of a line does not depend on the lines before it
    ours, seconds = entry.timed()
    if entry.differs:
        assert not entry.agrees(ours), f"it is reproduced now: {ours}; say so in its entry"
    else:
        assert entry.agrees(ours), f"theirs {entry.theirs}, ours {ours}, {entry.rule.words}"
    computed[entry.key] = now = entry.record(ours, seconds)
    stored = read_ledger().get(entry.key)
    if not writing:
        assert stored, f"no such line in the book: {COMMAND}"
        assert not unlike(entry, now, stored), f"the book says something else: {COMMAND}"


def test_the_book_has_no_line_without_a_test() -> None:
    keys = [entry.key for entry in ENTRIES]
    assert len(keys) == len(set(keys))
    assert set(read_ledger()) <= set(keys), f"lines whose test is gone: {COMMAND}"


# ---- the checks can fail --------------------------------------------------------------------

LINE = Entry(
    key="x",
    paper="mechanics",
    figure="Fig. 0",
    what="a number",
    theirs=(0.5, 1.0),
    source="stated",
    ours=lambda: [0.5, 1.1],
    rule=within(0.01),
    runs="1 run",
    chapter=1,
    digits=2,
)


def test_rules_refuse_what_is_too_far() -> None:
    assert LINE.agrees([0.505, 1.0])
    assert not LINE.agrees([0.5, 1.1])
    assert replace(LINE, rule=at_least()).agrees([0.5, 1.1])
    assert not replace(LINE, rule=at_least()).agrees([0.4, 1.1])
    assert not replace(LINE, theirs="a", rule=EQUAL).agrees("b")
    with pytest.raises(ValueError, match="zip"):
        LINE.agrees([0.5])
    readings = replace(LINE, theirs=(0.5, 0.5), readings=True)
    assert readings.agrees([0.9, 0.5])
    assert not readings.agrees([0.9, 0.6])


def test_a_number_that_drifts_is_noticed() -> None:
    before = LINE.record([0.5, 1.1], 1.0)
    assert not unlike(LINE, LINE.record([0.5, 1.109], 9.0), before)
    assert unlike(LINE, LINE.record([0.5, 1.12], 1.0), before) == ["values"]
    assert unlike(
        replace(LINE, runs="2 runs"), LINE.record([0.5, 1.1], 1.0) | {"runs": "2"}, before
    )
    assert unlike(LINE, LINE.record("words", 1.0), before) == ["ours", "values"][1:]
