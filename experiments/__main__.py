"""Compute stored results: ``python -m experiments [name ...]``, see ``--help``."""

import argparse
import sys

from experiments.experiment import experiment_names, load_experiment
from experiments.restamp import restamp
from experiments.run import is_fresh, run_experiment


def main(arguments: list[str] | None = None) -> int:
    """Compute the experiments named, or those whose stored result is missing or old."""
    options = _parser().parse_args(arguments)
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
        for name in wanted:
            print(f"stored: {run_experiment(name, jobs=options.jobs)}")
    return 0


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
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
