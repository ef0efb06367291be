"""What a line of the reproduction ledger is, when it counts as reproduced, and how it is stored.

An entry stands next to the computation that gives our number.  A test asserts that the rule holds;
for an entry that is *not* reproduced it asserts that the stated difference still stands, so that
such a line cannot outlive its reason.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from nta_book.results import stored_result

LEDGER = Path(__file__).resolve().parents[2] / "book" / "ledger.json"
Numbers = float | Sequence[float]
Value = Numbers | str
Compute = TypeVar("Compute", bound=Callable[[], Value])


@dataclass(frozen=True)
class Rule:
    """When ours agrees with theirs.

    Attributes
    ----------
    words : str
        The tolerance, as the ledger prints it.
    holds : callable
        From one number of theirs and the number of ours to a verdict.
    """

    words: str
    holds: Callable[[float, float], bool]


def within(tolerance: float) -> Rule:
    """Each number differs by at most the tolerance."""
    return Rule(f"± {tolerance:g}", lambda theirs, ours: abs(ours - theirs) <= tolerance)


def within_share(share: float, *, least: float = 0.0) -> Rule:
    """Each number differs by at most a share of theirs (or by `least`, where theirs is small)."""
    words = f"± {share:.0%}" + (f" or {least:g}" if least else "")
    return Rule(words, lambda theirs, ours: abs(ours - theirs) <= max(share * abs(theirs), least))


def within_factor(factor: float) -> Rule:
    """Each number is of the order of theirs."""
    return Rule(
        f"within a factor of {factor:g}",
        lambda theirs, ours: theirs / factor <= ours <= theirs * factor,
    )


def at_least() -> Rule:
    """No number is below theirs."""
    return Rule("at least theirs", lambda theirs, ours: ours >= theirs)


def at_most() -> Rule:
    """No number is above theirs."""
    return Rule("at most theirs", lambda theirs, ours: ours <= theirs)


EQUAL = Rule("equal", lambda theirs, ours: theirs == ours)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the ledger.

    Attributes
    ----------
    key : str
        A name for tests and for the page's anchor.
    paper : str
        "mechanics" or "scan-and-snap".
    figure, what : str
        Where theirs stands, and what it is, with the setting.
    theirs : number, numbers or words
        What the paper says.
    source : str
        How we know: "stated", "read off the plot", "the authors' notebook", ...
    ours : callable without arguments
        The computation; its result has the form of `theirs`.
    rule : Rule
        When the two agree.
    digits : int
        Decimals that are stored and compared between runs.
    runs : str or callable without arguments
        How many runs are behind ours; counted, where they are stored.
    chapter : int
        Where the book shows it.
    stored : str
        The stored experiment that ours is read from, if any.
    says : str
        A claim in words; then theirs and ours are the share of runs in which it holds.
    differs : str
        Why it is not reproduced; then the rule must fail.
    readings : bool
        The numbers of ours are readings of one number of theirs: one that agrees is enough.
    """

    key: str
    paper: str
    figure: str
    what: str
    theirs: Value
    source: str
    ours: Callable[[], Value]
    rule: Rule
    runs: str | Callable[[], str]
    chapter: int
    digits: int = 3
    stored: str = ""
    says: str = ""
    differs: str = ""
    readings: bool = False

    @property
    def badge(self) -> str:
        """How a reader should take this line."""
        if self.differs:
            return "not reproduced"
        return "proved" if self.figure.startswith(("Theorem", "Lemma")) else "reproduced"

    def agrees(self, ours: Value) -> bool:
        """Whether the rule holds for every number, for one of the readings, or for the words."""
        if isinstance(self.theirs, str) or isinstance(ours, str):
            return self.theirs == ours
        theirs, found = _numbers(self.theirs), _numbers(ours)
        pairs = zip(theirs, found, strict=True)
        enough = any if self.readings else all
        return enough(self.rule.holds(a, b) for a, b in pairs)

    def record(self, ours: Value, seconds: float) -> dict[str, object]:
        """Return the line as it is stored."""
        return {
            "key": self.key,
            "paper": self.paper,
            "figure": self.figure,
            "what": self.what,
            "theirs": self.says or _quoted(self.theirs, self.digits),
            "source": self.source,
            "ours": _held(ours) if self.says else _shown(ours, self.digits),
            "values": ours if isinstance(ours, str) else [round(v, 9) for v in _numbers(ours)],
            "tolerance": "" if self.says else self.rule.words,
            "runs": self.runs if isinstance(self.runs, str) else self.runs(),
            "seconds": round(seconds, 2),
            "stored": self.stored,
            "badge": self.badge,
            "differs": self.differs,
            "chapter": self.chapter,
        }

    def timed(self) -> tuple[Value, float]:
        """Compute ours, and how long that took (of one core): now, or when it was stored."""
        started = time.process_time()
        ours = self.ours()
        if self.stored:
            return ours, stored_result(self.stored).seconds
        return ours, time.process_time() - started


class Lines(list[Entry]):
    """Lines of one paper in the order of the ledger; each call decorates what computes the next.

    The docstring of the decorated function says what is computed; a second paragraph, which begins
    with "Differs:", says why it is not reproduced.
    """

    def __init__(self, paper: str, **usual: Any) -> None:
        super().__init__()
        self._usual = {"paper": paper, **usual}

    def __call__(
        self,
        key: str,
        figure: str,
        theirs: Value,
        source: str,
        rule: Rule,
        runs: str | Callable[[], str],
        **more: Any,
    ) -> Callable[[Compute], Compute]:
        """Return the decorator for one line; the arguments are fields of an `Entry`."""

        def add(compute: Compute) -> Compute:
            paragraphs = [" ".join(text.split()) for text in (compute.__doc__ or "").split("\n\n")]
            what, differs = (*paragraphs, "")[:2]
            said = {"what": what, "differs": differs.removeprefix("Differs: ")}
            known = {"key": key, "figure": figure, "theirs": theirs, "source": source, "rule": rule}
            self.append(Entry(**known, **said, **{**self._usual, **more}, runs=runs, ours=compute))
            return compute

        return add


def unlike(entry: Entry, now: Mapping[str, object], stored: Mapping[str, object]) -> list[str]:
    """Return the fields in which a stored line differs from the one computed now.

    Numbers may differ by one unit of the last decimal that is printed: other machines round
    otherwise.  The time is that of the machine which wrote the ledger.
    """
    free = {"seconds", "ours", "values"}
    names = [name for name in now if name not in free and now[name] != stored.get(name)]
    before, after = stored.get("values"), now["values"]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        slack = 10.0**-entry.digits
        if any(abs(a - b) > slack for a, b in zip(before, after, strict=True)):
            names.append("values")
    elif before != after:
        names.append("values")
    return names


def read_ledger(path: Path = LEDGER) -> dict[str, dict[str, object]]:
    """Return the stored lines by key."""
    lines = json.loads(path.read_text(encoding="utf-8"))["entries"] if path.exists() else []
    return {line["key"]: line for line in lines}


def write_ledger(lines: Sequence[Mapping[str, object]], path: Path = LEDGER) -> None:
    """Store the lines, one per row of the file, so that a change shows as a changed row."""
    rows = ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_text(f'{{"entries": [\n{rows}\n]}}\n', encoding="utf-8")


def _numbers(value: Numbers) -> list[float]:
    return [float(value)] if isinstance(value, int | float) else [float(v) for v in value]


def _quoted(value: Value, digits: int) -> str:
    """Return one number as the paper gives it, no digit more; several in columns of ours."""
    if isinstance(value, str):
        return value
    numbers = _numbers(value)
    if len(set(numbers)) == 1:
        return _short(f"{numbers[0]:,.6g}")
    return _shown(numbers, digits)


def _held(share: Value) -> str:
    """Return a share of runs in words."""
    if isinstance(share, str):
        return share
    return " · ".join("holds" if v == 1 else f"holds in {v:.0%}" for v in _numbers(share))


def _shown(value: Value, digits: int) -> str:
    """Return numbers as they are printed: fixed decimals, large ones with separators."""
    if isinstance(value, str):
        return value
    return " · ".join(_one(number, digits) for number in _numbers(value))


def _one(number: float, digits: int) -> str:
    if digits == 0 or number == 0:
        return f"{number:,.0f}"
    if 0 < abs(number) < 0.5 * 10.0**-digits or abs(number) >= 1e5:
        return _short(f"{number:.0e}")
    return f"{number:.{digits}f}"


def _short(number: str) -> str:
    return number.replace("e-0", "e-").replace("e+0", "e")
