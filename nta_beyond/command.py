"""The command ``nta``: one subcommand for each thing that is done from a terminal.

A subcommand is a function that adds its own parser and sets ``run``, what to do with the options.
Whatever goes wrong gets one sentence on the error output and one of the exit codes below.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from nta_beyond.heads.command import add_head
from nta_beyond.processes import Stopped, stoppable
from nta_beyond.text.command import add_text
from nta_core import __version__
from nta_core.errors import NTAError

SUBCOMMANDS = (add_text, add_head)  # one line for each
UNUSABLE = 1
EXIT_CODES = """
exit codes:
    0  done
    1  a text, a head or a file that cannot be read, used or written
    2  a wrong option
  130  interrupted (Ctrl-C); 143, 129: terminated, terminal closed
  141  the reader of the output, such as 'head', has closed it

'nta COMMAND --help' explains a command.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; ``nta --help`` lists them."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a name that the terminal cannot show is no reason to stop
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = argparse.Namespace(written=None)
    try:
        with stoppable():
            try:
                _parser().parse_args(arguments, options)
                options.run(options)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()  # here, where a full disk can still be named
    except NTAError as error:
        return _say(str(error), UNUSABLE)
    except BrokenPipeError:
        _drop_output()
        return _say("the output was closed before its end", 128 + signal.SIGPIPE)
    except OSError as error:
        _drop_output()
        place = "standard output" if error.filename is None else error.filename
        return _say(f"{place}: {error.strerror or error}", UNUSABLE)
    except MemoryError:
        return _say("the memory is full: keep fewer words, or choose a smaller window", UNUSABLE)
    except KeyboardInterrupt as stop:
        kept = f"{options.written} is complete" if options.written else "nothing was written"
        return _say(f"interrupted, {kept}", stop.code if isinstance(stop, Stopped) else 130)
    return 0


def _say(sentence: str, code: int) -> int:
    """Print a sentence, if there is anywhere to print it, and return the code."""
    with suppress(OSError):
        print(f"nta: {sentence}", file=sys.stderr, flush=True)
    return code


def _drop_output() -> None:
    """Forget what could not be printed: Python would try again, and complain, when it ends."""
    with suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nta",
        description="The Next-Token Automaton at the command line.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"nta {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in SUBCOMMANDS:
        add(commands)
    return parser
