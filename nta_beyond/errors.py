"""Errors of what lies beyond the theorems; all are `NTAError`."""

from __future__ import annotations

from nta_core.errors import DataError


class TextFileError(DataError):
    """A text that cannot be read as one; the message begins with its `path`."""

    def __init__(self, message: str, *, path: object = None) -> None:
        # without a path when another process sends the error, whose message then has it already
        super().__init__(message if path is None else f"{path}: {message}")
        self.path = path
