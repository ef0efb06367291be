"""What a checker answers: ok, or one hint."""

import functools
import html
import linecache
import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import ParamSpec

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import MissingResult
from nta_core.boundary import number, shown
from nta_core.errors import MissingPackage, OptionError

P = ParamSpec("P")
#: What the body of a checker is: it yields a hint at the first thing that is wrong (nothing after
#: that runs) and returns, when nothing is, a sentence worth remembering.
Hints = Generator[str, None, str]
_ENDLESS = ". A function calls itself without an end: what stops it?"
#: Signs of a broken installation: no answer, right or wrong, can be told from the others there.
_BROKEN = (ImportError, MissingPackage, MissingResult, MemoryError)


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer of a checker; truthy when the exercise is solved.

    Examples
    --------
    >>> Verdict(False, "the winner comes first")
    hint: the winner comes first
    >>> bool(Verdict(True, "every edge is there"))
    True
    """

    solved: bool
    message: str

    def __bool__(self) -> bool:
        return self.solved

    def __repr__(self) -> str:
        return f"{'ok' if self.solved else 'hint'}: {self.message}"

    def _repr_html_(self) -> str:
        kind, mark = ("ok", "✓ ok") if self.solved else ("hint", "→ hint")
        return (
            f'<p class="nta-verdict nta-verdict-{kind}"><strong>{mark}</strong> '
            f"{html.escape(self.message)}</p>"
        )


def checker(check: Callable[P, Hints]) -> Callable[P, Verdict]:
    """Answer with the first hint; any error that a reader's answer causes is a hint, too.

    What says that the installation is broken, not the answer, is no hint and goes through: a
    module that cannot be imported, a package that is missing, memory that is used up.

    Examples
    --------
    >>> @checker
    ... def half(answer):
    ...     if 1 / answer != 2:
    ...         yield "its inverse should be two"
    ...     return "one half"
    >>> half(0.5), half(0.25)
    (ok: one half, hint: its inverse should be two)
    >>> half(0)
    hint: checking your answer stopped with ZeroDivisionError: division by zero
    """

    @functools.wraps(check)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        try:
            return Verdict(False, next(check(*args, **kwargs)))
        except StopIteration as end:
            return Verdict(True, end.value)
        except _BROKEN:
            raise
        except Exception as error:  # the reader's own function may raise anything
            cause = error.__cause__  # Python renames a StopIteration that leaves a generator
            raised = cause if isinstance(cause, StopIteration) else error
            name = type(raised).__name__
            words = f"checking your answer stopped with {name}: {raised}{_place(raised)}"
            endless = isinstance(raised, RecursionError)
            return Verdict(False, words + (_ENDLESS if endless else ""))

    return guarded


def _place(error: BaseException) -> str:
    """Name the last line of a reader's cell on the way to an error; nothing if there is none."""
    for frame, number_of_line in reversed(list(traceback.walk_tb(error.__traceback__))):
        name = frame.f_code.co_filename
        if name.startswith("<cell ") or "ipykernel_" in name:  # in a page, in Jupyter
            code = linecache.getline(name, number_of_line).strip()
            return f" (line {number_of_line}: {code})"
    return ""


def close(answer: ArrayLike, expected: ArrayLike, *, tolerance: float = 1e-3) -> bool:
    """Whether an answer has the expected shape and numbers.

    Examples
    --------
    >>> close([0.5, 0.25], [0.5, 0.2501]), close([0.5], [0.5, 0.25])
    (True, False)
    """
    tolerance = number(tolerance, "tolerance", least=0)
    try:
        a, b = np.asarray(answer), np.asarray(expected, dtype=float)
        if a.dtype.kind == "c":  # numpy would drop the imaginary part
            raise TypeError
        a = a.astype(float)
    except _BROKEN:
        raise
    except Exception:  # an answer may be anything
        raise OptionError(f"an answer of real numbers is asked for, not {shown(answer)}") from None
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=tolerance))
