"""The command ``nta``: one subcommand for each thing that is done from a terminal.

A subcommand is a function that adds its own parser and sets ``run``, what to do with the options.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from nta_beyond.text.command import add_text
from nta_core import __version__
from nta_core.errors import NTAError

SUBCOMMANDS = (add_text,)  # one line for each
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 means done, 1 something that cannot be used, 2 a wrong option."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except NTAError as error:
        print(f"nta: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nnta: interrupted, nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nta",
        description="The Next-Token Automaton at the command line.",
        epilog="'nta COMMAND --help' explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"nta {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in SUBCOMMANDS:
        add(commands)
    return parser
