"""What lies beyond the theorems goes wrong in these ways; all errors are `NTAError`."""

from __future__ import annotations

import numpy as np

from nta_core.errors import DataError, OptionError


class TextFileError(DataError):
    """A text that cannot be read as one; the message begins with its `path`."""

    def __init__(self, message: str, *, path: object = None) -> None:
        # without a path when another process sends the error, whose message then has it already
        super().__init__(message if path is None else f"{path}: {message}")
        self.path = path


def check_integers(least: int, **options: object) -> None:
    """Raise `OptionError` unless all are integers, `least` or more."""
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise OptionError(f"{name}={value!r}: must be an integer, {least} or more")


def check_numbers(*, positive: bool = False, **options: float) -> None:
    """Raise `OptionError` unless all are finite and 0 or more, or positive."""
    for name, value in options.items():
        if not (np.isfinite(value) and value >= 0) or (positive and value == 0):
            wanted = "positive number" if positive else "finite number, 0 or more"
            raise OptionError(f"{name}={value!r}: must be a {wanted}")
