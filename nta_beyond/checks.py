"""Numbers that a caller may get wrong."""

from __future__ import annotations

import numpy as np

from nta_core.errors import OptionError


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
