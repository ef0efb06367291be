"""Errors of what a page is made of; all are `NTAError`."""

from __future__ import annotations

from nta_core.errors import NTAError


class FigureError(NTAError):
    """A picture that a reader could not use, for example one without alt text."""


class ExplorerError(NTAError):
    """An explorer whose declaration is inconsistent, or that failed in one named state."""


class MissingResult(NTAError):
    """A stored result, or one cell of it, that is not there; the message says how to make it."""


class AssignmentError(NTAError):
    """An exercise or question that no teaching system can take; the message says why."""
