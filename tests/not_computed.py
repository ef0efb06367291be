"""Spot cells that could not be computed again, said at the end of every run of pytest.

A skipped test hides among others.  A test that could check only a part passes with a note, and the
notes are shown below everything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest

from experiments import restamp
from nta_beyond.errors import MissingCorpus

Note = tuple[str, str]  # a cell, and why it was not computed

NOTE = "not computed again"  # key of the property that such a test records


def compute_again(name: str) -> Iterator[Note]:
    """Compare the spot cells with what is stored; yield those whose corpus is not here."""
    experiment = restamp.load_experiment(name)
    for index in experiment.spot:
        try:
            found = restamp.spot_differences(name, index)
        except MissingCorpus as missing:
            if not experiment.corpora:
                raise AssertionError(f"{name} does not declare that it reads: {missing}") from None
            yield f"{name}[{index}]", str(missing)
        else:
            assert not found, "\n".join(found)


def notes(reports: Iterable[pytest.TestReport]) -> list[str]:
    """One line per reason, with all that it kept from being computed."""
    found: dict[str, list[str]] = defaultdict(list)
    for report in reports:
        for key, value in report.user_properties:
            if key == NOTE and report.when == "call":
                cell, why = value
                found[why].append(cell)
    return [f"{', '.join(sorted(cells))}: {why}" for why, cells in sorted(found.items())]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which stored numbers nobody has confirmed in this run."""
    reports = (
        report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)
    )
    if lines := notes(reports):
        terminalreporter.section("STAMPS CHECKED, SPOT CELLS NOT COMPUTED AGAIN")
        for line in lines:
            terminalreporter.line(line)
