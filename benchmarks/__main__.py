"""Run every ``benchmarks/bench_*.py``, or those that are named, and print one table.

A benchmark is a module with ``run()``, which returns rows: what was measured, ours, the baseline
measured in the same run, their ratio, the target and whether it was met.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.measure import Row, in_a_fresh_process, rows_of

HEAD = ("what", "ours", "baseline", "ratio", "target", "met?", "note")


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as text.

    >>> [cells(Row("a sort", 1.0, base, target="≥ 20×"))[3:6] for base in (30.0, 3.0)]
    [('30.0x', '≥ 20×', 'yes'), ('3.0x', '≥ 20×', 'NO')]
    >>> [cells(row)[1:6] for row in (Row("a page", "1 MB", kept=True), Row("a sort", 0.5))]
    [('1 MB', '-', '-', '-', 'yes'), ('500 ms', '-', '-', '-', '-')]
    """
    return (
        row.what,
        _seconds(row.ours),
        _seconds(row.baseline),
        f"{row.ratio:.1f}x" if row.ratio else "-",
        row.target or "-",
        {True: "yes", False: "NO", None: "-"}[row.met],
        row.note,
    )


def _seconds(value: float | str | None) -> str:
    """Return a duration in the unit one would say it in; words stay as they are."""
    if value is None or isinstance(value, str):
        return value or "-"
    unit, size = next((u for u in (("s", 1.0), ("ms", 1e-3)) if value >= u[1]), ("µs", 1e-6))
    return f"{value / size:.3g} {unit}"


def chosen(arguments: list[str] | None = None) -> list[str]:
    """Return the benchmarks that were named on the command line, or all of them."""
    files = sorted(Path(__file__).parent.glob("bench_*.py"))
    known = [path.stem.removeprefix("bench_") for path in files]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"default: all of {', '.join(known)}")
    names: list[str] = parser.parse_args(arguments).names
    for name in set(names) - set(known):
        parser.error(f"no benchmark {name!r}; there are {', '.join(known)}")
    return names or known


def main() -> int:
    """Measure and print; 1 when a target was missed."""
    rows: list[Row] = []
    for name in chosen():
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += in_a_fresh_process(rows_of, name)
    table = [HEAD, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print("  ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)).rstrip())
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
