"""What a line of the reproduction ledger is, what its verdict is, and how it is stored.

An entry stands next to the computation that gives our number.  Its verdict is computed: from the
two numbers and the kind of claim.  A line that does not agree has a reason, and a test fails when
the difference is gone, so that no reason outlives it.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from nta_book.results import stored_result
from nta_core.data.files import write_atomically
from tests.reproductions.provenance import provenance

LEDGER = Path(__file__).resolve().parents[2] / "book" / "ledger.json"
Numbers = float | Sequence[float]
Value = Numbers | str
Compute = TypeVar("Compute", bound=Callable[[], Value])


@dataclass(frozen=True)
class Kind:
    """A kind of claim, and when ours agrees with one.

    Tolerances belong to kinds, never to lines: they follow from how a number is known, were chosen
    for all lines of a kind at once, and are not changed for the sake of a line.  Outside of its
    tolerance a number is *close* up to `CLOSE` times that distance.  A bound, a trend and an
    equality hold or do not hold; nothing is close to them.

    Attributes
    ----------
    name, what, words : str
        What the ledger prints: the kind, which claims belong to it, and its tolerance.
    slack : callable, or None
        From all numbers of theirs, and one of them, to the distance that is allowed.
    holds : callable, or None
        From one number of theirs and one of ours to a verdict, where there is no distance.
    """

    name: str
    what: str
    words: str
    slack: Callable[[Sequence[float], float], float] | None = None
    holds: Callable[[float, float], bool] | None = None

    def agrees(self, theirs: Sequence[float], k: int, ours: float, *, times: float = 1.0) -> bool:
        """Whether ours agrees with the k-th number of theirs, or is within `times` its slack."""
        if self.holds is not None:
            return self.holds(theirs[k], ours)
        assert self.slack is not None
        return abs(ours - theirs[k]) <= times * self.slack(theirs, theirs[k]) * (1 + 1e-9)


CLOSE = 3.0  # times the tolerance


def _axis(theirs: Sequence[float]) -> float:
    """The power of ten that holds all numbers: about the length of the plot's axis."""
    return float(10.0 ** math.ceil(math.log10(max(map(abs, theirs)))))


EXACT = Kind(
    "counted",
    "leagues of a drawing, shares of all cases, whole numbers",
    "equal",
    holds=lambda theirs, ours: theirs == ours,
)
TREND = Kind(
    "trend",
    "a claim in words",
    "it holds in every run",
    holds=lambda theirs, ours: theirs == ours,
)
ABOVE = Kind(
    "bound from below",
    '"above 0.99"',
    "not below theirs",
    holds=lambda theirs, ours: ours >= theirs,
)
BELOW = Kind(
    "bound from above",
    '"below 0.01"',
    "not above theirs",
    holds=lambda theirs, ours: ours <= theirs,
)
SAME_RUN = Kind(
    "same data and start",
    "a number that the authors' code prints; ours from the same draws",
    "± 0.005",
    lambda all_, one: 0.005,
)
STATED = Kind(
    "stated",
    "a number in a text or a file, for other draws than ours",
    "± 2%",
    lambda all_, one: 0.02 * abs(one),
)
READ = Kind(
    "read off a plot",
    "the same, read off a plot with an axis to the next power of ten",
    "± 1% of the axis",
    lambda all_, one: 0.01 * _axis(all_),
)
ORDER = Kind(
    "order of size",
    "stated up to a constant",
    "within a factor of 3",
    holds=lambda one, ours: one / 3 <= ours <= 3 * one,
)
LIMIT = Kind(
    "limit",
    "a limit that is proved or stated; ours at the end of a run",
    "within 0.01",
    holds=lambda theirs, ours: abs(ours - theirs) <= 0.01,
)
IDENTITY = Kind(
    "identity",
    "two ways to one number",
    "within 1e-6",
    holds=lambda theirs, ours: abs(ours - theirs) <= 1e-6,
)
KINDS = (EXACT, TREND, ABOVE, BELOW, SAME_RUN, STATED, READ, ORDER, LIMIT, IDENTITY)

VERDICTS = (
    "reproduced",
    "reproduced with a parameter we chose",
    "close",
    "not reproduced",
    "the statement is wrong",
)


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
    kind : Kind
        What kind of claim it is, and so when the two agree.
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
    chosen : str
        The parameter that the paper does not give, and our value.
    differs : str
        Why ours does not agree; then it must not.
    wrong : str
        Why not our number but their statement is at fault; then ours must not agree.
    block : str
        Lines of one block are folded into one on the page, under this name.
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
    kind: Kind
    runs: str | Callable[[], str]
    chapter: int
    digits: int = 3
    stored: str = ""
    says: str = ""
    chosen: str = ""
    differs: str = ""
    wrong: str = ""
    block: str = ""
    readings: bool = False

    def verdict(self, ours: Value) -> str:
        """How a reader should take this line: one of `VERDICTS`."""
        if self.agrees(ours):
            return VERDICTS[1] if self.chosen else VERDICTS[0]
        if self.wrong:
            return VERDICTS[4]
        return VERDICTS[2] if self.agrees(ours, times=CLOSE) else VERDICTS[3]

    def agrees(self, ours: Value, *, times: float = 1.0) -> bool:
        """Whether every number agrees, or one of the readings, or the words."""
        if isinstance(self.theirs, str) or isinstance(ours, str):
            return self.theirs == ours
        theirs, found = _numbers(self.theirs), _numbers(ours)
        if len(theirs) != len(found):
            raise ValueError(f"theirs are {len(theirs)} numbers, ours {len(found)}")
        enough = any if self.readings else all
        return enough(self.kind.agrees(theirs, k, v, times=times) for k, v in enumerate(found))

    def unexplained(self, ours: Value) -> str:
        """Return what is wrong with the reasons of this line, given our number."""
        if self.agrees(ours):
            return "it agrees now: take its reason away" if self.differs or self.wrong else ""
        if bool(self.differs) == bool(self.wrong):
            return f"theirs {self.theirs}, ours {ours}, {self.kind.words}: give one reason"
        return ""

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
            "kind": self.kind.name,
            "tolerance": self.kind.words,
            "runs": self.runs if isinstance(self.runs, str) else self.runs(),
            "seconds": round(seconds, 2),
            "stored": self.stored,
            "verdict": self.verdict(ours),
            "chosen": self.chosen,
            "why": self.differs or self.wrong,
            "block": self.block,
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

    The docstring of the decorated function says what is computed.  Further paragraphs begin with
    "Differs:" (why ours does not agree), "Wrong:" (why the statement is at fault) or "Chosen:"
    (the parameter that the paper does not give).
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
        kind: Kind,
        runs: str | Callable[[], str],
        **more: Any,
    ) -> Callable[[Compute], Compute]:
        """Return the decorator for one line; the arguments are fields of an `Entry`."""

        def add(compute: Compute) -> Compute:
            what, *notes = [" ".join(t.split()) for t in (compute.__doc__ or "").split("\n\n")]
            said = {note.split(": ")[0].lower(): note.partition(": ")[2] for note in notes}
            if not set(said) <= {"differs", "wrong", "chosen"}:
                raise ValueError(f"the docstring of {key} has a paragraph of no known kind")
            known = {"key": key, "figure": figure, "theirs": theirs, "source": source, "kind": kind}
            fields = {**known, "what": what, **said, **self._usual, **more}
            self.append(Entry(**fields, runs=runs, ours=compute))
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
    """Store kinds, sources and lines, one line per row, so that a change shows as a changed row."""
    rows = ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    kinds = [{"name": kind.name, "what": kind.what, "words": kind.words} for kind in KINDS]
    head = {"kinds": kinds, "provenance": provenance()}
    said = "".join(
        f'"{name}": {json.dumps(value, ensure_ascii=False)},\n' for name, value in head.items()
    )
    write_atomically(path, f'{{{said}"entries": [\n{rows}\n]}}\n')


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
