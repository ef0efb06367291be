"""Every named error of the package, with the sentence a reader gets.

One place for all of them, so that a message is written once, says *which* row, token or state is
wrong, and always says what to do about it.  All errors derive from `NTAError`, which is a
`ValueError`: code that does not know this package can still catch them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nta_core.graphs import Comparison


class NTAError(ValueError):
    """Base of every error this package raises on purpose."""

    __str__ = Exception.__str__  # also where an error is a KeyError as well, which shows a repr


class DataError(NTAError):
    """A dataset that cannot be one: the message names the row and the remedy.

    Attributes
    ----------
    row : int or None
        0-based row of the offending sequence, when one row is to blame.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class TextError(DataError):
    """The text form of a dataset cannot be read; `line` and `column` are 1-based."""

    def __init__(self, message: str, *, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}", row=None)
        self.line = line
        self.column = column


class UnknownToken(DataError, KeyError):
    """A token (id or name) that the vocabulary, or a mapping over it, does not hold."""


class EmbeddingError(NTAError):
    """Embeddings E or weights W with a wrong shape, or with NaN or infinite entries."""


class OptionError(NTAError):
    """An option outside its allowed values; the message lists them."""


class FileError(NTAError, OSError):
    """A file that cannot be read or written, or must not be replaced."""


class MissingPackage(NTAError):
    """An optional package that is not installed; the message says how to get it."""

    def __init__(self, package: str, *, wanted_for: str, extra: str) -> None:
        super().__init__(
            f"{wanted_for} needs {package}, which is not installed: pip install 'nta-core[{extra}]'"
        )
        self.package = package


class TooLarge(NTAError):
    """Work that would not fit this machine, refused before it starts; says what to use instead."""


class InfeasibleGraphSVM(NTAError):
    """No weight matrix satisfies all comparisons of the Graph-SVM.

    Attributes
    ----------
    conflict : tuple of Comparison
        An irreducible set of strict comparisons that cannot hold together (drop any one of
        them and the rest can, given the ties).
    """

    def __init__(self, conflict: Sequence[Comparison], names: Sequence[str], d: int) -> None:
        self.conflict = tuple(conflict)
        listed = "; ".join(comparison.words(names) for comparison in self.conflict[:8])
        if len(self.conflict) > 8:  # large conflicts exist; `conflict` holds all of it
            listed += f"; … and {len(self.conflict) - 8} more"
        super().__init__(
            f"no W satisfies these comparisons together in d={d} dimensions: {{{listed}}}. "
            "Use embeddings of full row rank (d ≥ K makes every dataset feasible), drop one of "
            "these sequences, or ask feasible_split(...) what gradient descent does instead."
        )


class SolverDidNotConverge(NTAError):
    """A numerical method stopped before it reached its tolerance."""


class UnrealizableLabelWarning(UserWarning):
    """A label that does not occur in its own sequence: the row plays no part in training."""
