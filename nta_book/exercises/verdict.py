"""What a checker answers: ok, or one hint."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec

import numpy as np
from numpy.typing import ArrayLike

P = ParamSpec("P")


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer of a checker; truthy when the exercise is solved.

    Examples
    --------
    >>> hint("the winner comes first")
    hint: the winner comes first
    >>> bool(ok("every edge is there"))
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


def ok(message: str) -> Verdict:
    """Return the verdict "solved", with a sentence worth remembering.

    Examples
    --------
    >>> ok("a label outside the context can never be produced")
    ok: a label outside the context can never be produced
    """
    return Verdict(True, message)


def hint(message: str) -> Verdict:
    """Return the verdict "not yet", with one hint.

    Examples
    --------
    >>> bool(hint("look at the last token"))
    False
    """
    return Verdict(False, message)


def checker(check: Callable[P, Verdict]) -> Callable[P, Verdict]:
    """Turn any error that a reader's answer causes into a hint that names it.

    Examples
    --------
    >>> @checker
    ... def half(answer):
    ...     return ok("one half") if 1 / answer == 2 else hint("its inverse should be two")
    >>> half(0.5), half(0)
    (ok: one half, hint: checking your answer stopped with ZeroDivisionError: division by zero)
    """

    @functools.wraps(check)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        try:
            return check(*args, **kwargs)
        except Exception as error:  # the reader's own function may raise anything
            return hint(f"checking your answer stopped with {type(error).__name__}: {error}")

    return guarded


def close(answer: ArrayLike, expected: ArrayLike, *, tolerance: float = 1e-3) -> bool:
    """Whether an answer has the expected shape and numbers.

    Examples
    --------
    >>> close([0.5, 0.25], [0.5, 0.2501]), close([0.5], [0.5, 0.25])
    (True, False)
    """
    a, b = np.asarray(answer, dtype=float), np.asarray(expected, dtype=float)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=tolerance))
