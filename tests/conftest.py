"""Settings every test shares."""

import signal

from hypothesis import settings

from tests.not_computed import pytest_terminal_summary  # noqa: F401  # a hook, found by its name

# Examples are drawn the same way in every run, and a busy machine is not a failure.
settings.register_profile("repository", deadline=None, derandomize=True)
settings.load_profile("repository")

# A shell lets what it starts in the background ignore Ctrl-C, nohup what it starts a terminal that
# is closed, and so whatever that starts in turn: the programs that tests stop would never hear.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
