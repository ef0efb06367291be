"""Run every ``benchmarks/bench_*.py``, or those that are named, and print one table.

A benchmark is a module with ``run()``, which returns rows: what was measured, ours, the baseline
measured in the same run, their ratio, the target and whether it was met.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import in_a_fresh_process, rows_of

HEAD = ("what", "ours", "baseline", "ratio", "target", "met?", "note")


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a row as text."""
    ratio = row.get("ratio")
    return (
        str(row["what"]),
        str(row.get("ours") or _seconds(row.get("ours_s"))),
        _seconds(row.get("baseline_s")),
        f"{ratio:.1f}x" if ratio else "-",
        str(row.get("target") or "-"),
        {True: "yes", False: "NO", None: "-"}[met(row)],
        str(row.get("note") or ""),
    )


def met(row: Mapping[str, Any]) -> bool | None:
    """Whether the target was met: as the row says, or by comparing a ratio with "≥ 20×".

    >>> met({"target": "≥ 20×", "ratio": 30.0}), met({"target": "≥ 20×", "ratio": 3.0})
    (True, False)
    >>> met({"target": "", "ratio": 3.0}) is None
    True
    """
    if "met" in row:
        return bool(row["met"])
    least = re.fullmatch(r"≥\s*([\d.]+)\s*[×x]", str(row.get("target", "")))
    return row["ratio"] >= float(least[1]) if least and row.get("ratio") else None


def _seconds(value: float | None) -> str:
    """Return a duration in the unit one would say it in."""
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


def main() -> int:
    """Measure and print; 1 when a target was missed."""
    files = sorted(Path(__file__).parent.glob("bench_*.py"))
    known = [path.stem.removeprefix("bench_") for path in files]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=known, help="default: all of them")
    rows: list[Mapping[str, Any]] = []
    for name in parser.parse_args().names or known:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += in_a_fresh_process(rows_of, name)
    table = [HEAD, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print("  ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)).rstrip())
    return 1 if any(met(row) is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
