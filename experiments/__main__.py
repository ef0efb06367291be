"""Compute stored results: ``python -m experiments [name ...]``, see ``--help``."""

import argparse
import os
import signal
import sys
from pathlib import Path

from experiments.experiment import experiment_names, load_experiment
from experiments.restamp import restamp
from experiments.run import KEPT, is_fresh, run_experiment
from nta_beyond.errors import ChangedCorpus, MissingCorpus
from nta_beyond.processes import Stopped, end_with_make, family, is_full_disk
from nta_beyond.text.corpora import VARIABLE


def main(arguments: list[str] | None = None) -> int:
    """Compute the experiments named, or those whose stored result is missing or old."""
    options = _parser().parse_args(arguments)
    if options.corpora is not None:
        os.environ[VARIABLE] = str(options.corpora.resolve())  # processes inherit it
    try:
        with family():
            return _compute(options)
    except KeyboardInterrupt as stop:
        code = stop.code if isinstance(stop, Stopped) else 128 + signal.SIGINT
        return _stopped("interrupted", code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _stopped("the output was closed", 128 + signal.SIGPIPE)
    except OSError as error:
        full = f"NO SPACE LEFT on the disk of {KEPT}: " if is_full_disk(error) else ""
        return _stopped(f"{full}{error}", 1)


def _stopped(why: str, code: int) -> int:
    """Say why no result was stored, and what became of the cells."""
    kept = (
        "stored results are as they were, and the same command goes on from the cells that are done"
    )
    print(f"{why}\n{kept}", file=sys.stderr)
    return code


def _compute(options: argparse.Namespace) -> int:
    known = experiment_names()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        print(f"no experiment {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    if options.list:
        for name in known:
            state = "fresh" if is_fresh(name) else "OLD OR MISSING"
            print(f"{name:32} {state:16} {load_experiment(name).title}")
        return 0
    wanted = options.names or [name for name in known if options.all or not is_fresh(name)]
    if not wanted:
        print(f"all {len(known)} stored results belong to the present code")
    elif options.restamp:
        return _restamp(wanted, options.jobs)
    else:
        return _run(wanted, options.jobs)
    return 0


def _run(names: list[str], jobs: int) -> int:
    code = 0
    for name in names:
        try:
            print(f"stored: {run_experiment(name, jobs=jobs)}")
        except (MissingCorpus, ChangedCorpus) as error:  # others can be computed without it
            print(f"REFUSED {name}: {error}", file=sys.stderr)
            code = 1
    return code


def _restamp(names: list[str], jobs: int) -> int:
    refused = {name: faults for name, faults in restamp(names, jobs=jobs).items() if faults}
    print(f"stamped again: {len(names) - len(refused)} of {len(names)} stored results")
    for name, faults in refused.items():
        for fault in faults:
            print(f"REFUSED {name}: {fault}", file=sys.stderr)
    return 1 if refused else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=main.__doc__)
    parser.add_argument("names", nargs="*", help="experiments to compute, fresh or not")
    parser.add_argument("--all", action="store_true", help="compute everything again")
    parser.add_argument("--list", action="store_true", help="show what is stored and stop")
    parser.add_argument(
        "--restamp",
        action="store_true",
        help="after code moved: compute spot cells again, and keep results whose numbers stayed",
    )
    parser.add_argument(
        "--corpora",
        type=Path,
        metavar="FOLDER",
        help=f"folder of the published texts that are read (default: the variable {VARIABLE})",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    return parser


if __name__ == "__main__":
    end_with_make()
    sys.exit(main())
