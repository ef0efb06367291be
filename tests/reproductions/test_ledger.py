"""Every line of the reproduction ledger is what its computation gives today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.reproductions import (
    field_chain,
    field_decoder,
    field_optimizers,
    field_second_layer,
    mechanics_figures,
    mechanics_local,
    mechanics_statements,
    runs,
    scan_snap,
)
from tests.reproductions.entry import (
    ABOVE,
    BELOW,
    CLOSE,
    EXACT,
    IDENTITY,
    KINDS,
    LEDGER,
    LIMIT,
    ORDER,
    READ,
    SAME_RUN,
    STATED,
    VERDICTS,
    Entry,
    Lines,
    read_ledger,
    unlike,
    write_ledger,
)

ENTRIES: list[Entry] = [
    *mechanics_figures.ENTRIES,
    *mechanics_local.ENTRIES,
    *mechanics_statements.ENTRIES,
    *scan_snap.ENTRIES,
    *field_chain.ENTRIES,
    *field_optimizers.ENTRIES,
    *field_decoder.ENTRIES,
    *field_second_layer.ENTRIES,
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
    assert not entry.unexplained(ours)
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
    kind=SAME_RUN,
    runs="1 run",
    chapter=1,
    digits=2,
)


def test_kinds_refuse_what_is_too_far() -> None:
    assert LINE.agrees([0.505, 1.0])
    assert not LINE.agrees([0.506, 1.0])
    assert replace(LINE, kind=ABOVE).agrees([0.5, 1.1])
    assert not replace(LINE, kind=ABOVE).agrees([0.499, 1.1]), "a bound is a bound"
    assert not replace(LINE, kind=BELOW).agrees([0.501, 1.0])
    assert not replace(LINE, theirs="a", kind=EXACT).agrees("b")
    with pytest.raises(ValueError, match="2 numbers, ours 1"):
        LINE.agrees([0.5])
    readings = replace(LINE, theirs=(0.5, 0.5), readings=True)
    assert readings.agrees([0.9, 0.5])
    assert not readings.agrees([0.9, 0.6])


@pytest.mark.parametrize(
    ("kind", "theirs", "inside", "outside"),
    [
        (READ, 0.75, 0.759, 0.765),
        (READ, (10_000, 1), (10_100, 90), (10_000, 102)),
        (READ, 19.0, 19.9, 20.1),
        (STATED, 2.0, 2.039, 2.041),
        (STATED, 9.59, 9.78, 9.79),
        (ORDER, 1.0, 2.9, 3.1),
        (LIMIT, 0.0, 0.01, 0.011),
        (IDENTITY, 0.0, 1e-7, 2e-6),
    ],
)
def test_a_tolerance_follows_from_the_kind(kind, theirs, inside, outside) -> None:
    line = replace(LINE, kind=kind, theirs=theirs)
    assert line.agrees(inside)
    assert not line.agrees(outside)


def test_the_verdict_is_computed() -> None:
    line = replace(LINE, kind=SAME_RUN, theirs=0.5)
    chosen, wrong = replace(line, chosen="T = 32"), replace(line, wrong="it is")
    assert line.verdict(0.5) == "reproduced"
    assert chosen.verdict(0.5) == "reproduced with a parameter we chose"
    assert line.verdict(0.5 + 0.004 * CLOSE) == chosen.verdict(0.51) == "close"
    assert line.verdict(0.52) == "not reproduced"
    assert wrong.verdict(0.52) == wrong.verdict(0.51) == "the statement is wrong"
    assert replace(line, kind=ABOVE).verdict(0.4999) == "not reproduced", "no bound is nearly met"


def test_a_verdict_needs_its_reason_and_no_reason_outlives_it() -> None:
    line = replace(LINE, theirs=0.5)
    assert not line.unexplained(0.5)
    assert line.unexplained(0.6)
    assert not replace(line, differs="other draws").unexplained(0.6)
    assert not replace(line, wrong="a misprint").unexplained(0.6)
    assert replace(line, differs="other draws").unexplained(0.5)
    assert replace(line, wrong="a misprint").unexplained(0.5)
    assert replace(line, differs="other draws", wrong="a misprint").unexplained(0.6)


def test_no_line_brings_a_tolerance_of_its_own() -> None:
    assert all(any(entry.kind is kind for kind in KINDS) for entry in ENTRIES)


def test_the_book_prints_the_tolerances_of_the_code() -> None:
    stored = json.loads(LEDGER.read_text(encoding="utf-8"))["kinds"]
    assert stored == [{"name": k.name, "what": k.what, "words": k.words} for k in KINDS]


def test_every_verdict_of_the_book_is_one_of_the_five() -> None:
    assert {line["verdict"] for line in read_ledger().values()} <= set(VERDICTS)


def test_reasons_are_read_from_the_docstring() -> None:
    line = Lines("mechanics", chapter=1)

    @line("x", "Fig. 0", 1.0, "stated", STATED, "1 run")
    def ours() -> float:
        """a number,
        in two lines

        Differs: it does.

        Chosen: T = 32.
        """
        return 2.0

    (entry,) = line
    assert (entry.what, entry.differs, entry.chosen) == (
        "a number, in two lines",
        "it does.",
        "T = 32.",
    )
    ours.__doc__ = "a number\n\nBecause: it does."
    with pytest.raises(ValueError, match="no known kind"):
        line("y", "Fig. 0", 1.0, "stated", STATED, "1 run")(ours)


def test_a_number_that_drifts_is_noticed() -> None:
    before = LINE.record([0.5, 1.1], 1.0)
    assert not unlike(LINE, LINE.record([0.5, 1.109], 9.0), before)
    assert unlike(LINE, LINE.record([0.5, 1.12], 1.0), before) == ["values"]
    assert unlike(
        replace(LINE, runs="2 runs"), LINE.record([0.5, 1.1], 1.0) | {"runs": "2"}, before
    )
    assert unlike(LINE, LINE.record("words", 1.0), before) == ["ours", "values"][1:]
