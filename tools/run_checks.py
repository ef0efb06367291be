"""Run every check of the project, or those named, and sum up.

python -m tools.run_checks [style types units coverage chapters book crawl elsewhere browser]
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from nta_beyond.processes import Stopped, end_with_make, family
from tools.install_browser import install_browser, missing_engines, say_missing

ROOT = Path(__file__).resolve().parents[1]
PYTEST = ["-m", "pytest", "-q", "-n", "2"]


@dataclass(frozen=True)
class Check:
    """One check: commands for this Python, and the check that must have passed before it."""

    what: str
    commands: list[list[str]]
    needs: str | None = None


# Tracing costs a third of the time: only where code is called, not where pages are looked at.
COVERED = ["--cov", "--cov-branch", "--cov-append", "--cov-report="]

CHECKS = {
    "style": Check(
        "ruff, prettier and eslint",
        [
            ["-m", "ruff", "check", "."],
            ["-m", "ruff", "format", "--check", "."],
            ["-m", "nta_book.page.bundle", "check"],
        ],
    ),
    "types": Check("mypy --strict", [["-m", "mypy"]]),
    "units": Check(
        "unit tests and doctests",
        [
            ["-m", "nta_book.page.bundle"],  # labs are imported with their scripts
            ["-m", "coverage", "erase"],
            [
                *(*PYTEST, *COVERED, "--doctest-modules", "nta_core", "nta_beyond", "nta_book"),
                *("tools", "tests", "--ignore=tests/built_book", "--ignore=tests/browser"),
                "--ignore=tests/binder",
                "--ignore=tests/graders",
            ],
        ],
    ),
    "coverage": Check(
        "branches of the packages and tools that the unit tests take, >= 95 %",
        [["-m", "coverage", "report", "--skip-covered", "--fail-under=95"]],
        needs="units",
    ),
    "chapters": Check(
        "every chapter runs (nbmake)",
        [[*PYTEST, "--nbmake", "--nbmake-timeout=300", "book", "-p", "no:cacheprovider"]],
    ),
    "book": Check("strict build of the book", [["-m", "tools.build_book"]]),
    "crawl": Check("crawl of the built pages", [[*PYTEST, "tests/built_book"]], needs="book"),
    "elsewhere": Check(
        "packages alone with every Python; chapters on Binder, a hub, Colab; nbgrader and Otter",
        [  # one process for each file; they are few, and the one with fewest tests is not short
            [
                *(*PYTEST, "--dist", "loadfile", "--no-loadscope-reorder"),
                *("tests/binder", "tests/graders"),
            ]
        ],
    ),
    "browser": Check(
        "the pages in Chromium, over http and file://; some in Firefox and WebKit",
        [[*PYTEST, "tests/browser"]],
        needs="book",
    ),
}


def run(names: list[str]) -> dict[str, str]:
    """Run checks in their order; return name -> "passed", "FAILED", "SKIPPED" or "not reached"."""
    results: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for name in names:
        check = CHECKS[name]
        print(f"\n=== {name}: {check.what}", flush=True)
        started = time.perf_counter()
        if check.needs and results.get(check.needs, "passed") != "passed":
            results[name] = "not reached"
        elif name == "browser" and install_browser() is None:
            results[name] = "FAILED" if os.environ.get("CI") else "SKIPPED"
            print(
                "NO CHROMIUM: nothing below was looked at in a browser (tools/install_browser.py)"
            )
        else:
            results[name] = "passed" if _all_pass(check.commands) else "FAILED"
        seconds[name] = time.perf_counter() - started
    print("\n=== summary")
    for name, result in results.items():
        print(f"  {result:12} {name:10} {seconds[name]:7.1f} s   {CHECKS[name].what}")
    if "browser" in results:
        say_missing(missing_engines())
    return results


def _all_pass(commands: list[list[str]]) -> bool:
    """Run all commands, also after a failure: one run should show everything that is wrong."""
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | os.environ
    codes = [
        subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=environment, check=False
        ).returncode
        for command in commands
    ]
    return not any(codes)


def main(arguments: list[str]) -> int:
    """Run the named checks, or all; 0 only when none failed."""
    unknown = [name for name in arguments if name not in CHECKS]
    if unknown:
        print(f"unknown check {unknown[0]!r}; there are {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    try:
        with family():  # what is stopped here stops everywhere
            results = run(arguments or list(CHECKS))
    except KeyboardInterrupt as stop:
        print("\ninterrupted: nothing is proved", file=sys.stderr)
        return stop.code if isinstance(stop, Stopped) else 130
    return 0 if all(result in ("passed", "SKIPPED") for result in results.values()) else 1


if __name__ == "__main__":
    end_with_make()
    sys.exit(main(sys.argv[1:]))
