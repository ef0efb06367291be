"""Checkers for chapter 13: scan, then snap."""

from functools import cache

import numpy as np

from nta_beyond.scansnap import make_classes, population_flow
from nta_book.exercises.verdict import Hints, checker, close

_PULL = 0.2 * 0.8 * 0.8 * 0.36  # β f_d (f_d f₁·f₂) for the distinct token; the common one loses it


@checker
def pull(common: float, distinct: float) -> Hints:
    """Check the first pull on the logits of a common and of a distinct token.

    >>> pull(0.046, 0.046)
    hint: one of them must fall: the pulls of a sequence sum to zero
    """
    common, distinct = float(common), float(distinct)
    if common > 0 and distinct > 0:
        yield "one of them must fall: the pulls of a sequence sum to zero"
    if common > 0:
        yield "the other class has the common token too: its part of g has a minus sign"
    if not close(distinct, _PULL, tolerance=2e-3):
        yield "project first: take f₁ (f₁ᵀ g) from g, then multiply by f₁ token by token"
    if not close(common, -_PULL, tolerance=2e-3):
        yield "the distinct token is right; the common one must balance it"
    return "what tells the classes apart rises by exactly what the common token loses"


@checker
def flip(r: float) -> Hints:
    """Check at which weight in the second class a shared token begins to sink.

    >>> flip(0.5)
    hint: at r = 0.5 the token sinks: it is still too common
    """
    r = float(r)
    if not 0 <= r <= 1:
        yield "r lies between 0 (distinct) and 1 (common)"
    if not _final_logit(max(r - 0.02, 0.0)) > 0 > _final_logit(min(r + 0.02, 1.0)):
        if _final_logit(r) < 0:
            yield f"at r = {r:g} the token sinks: it is still too common"
        yield f"at r = {r:g} the token still rises"
    return "below this weight a shared token counts as distinct: commonness has a threshold"


@checker
def sparser(slow: float, fast: float) -> Hints:
    """Check two decoder rates of which the faster ends with sparser attention.

    >>> sparser(4, 1)
    hint: the second rate must be the larger one
    """
    slow, fast = float(slow), float(fast)
    if not (np.isfinite([slow, fast]).all() and min(slow, fast) >= 0.05 and fast <= 64):
        yield "choose rates between 0.05 and 64"
    if fast <= slow:
        yield "the second rate must be the larger one"
    before, after = _entropy(slow), _entropy(fast)
    if not after < before:
        yield f"entropy {before:.3f} → {after:.3f}: you are right of the dip, go to slower rates"
    return f"entropy {before:.3f} → {after:.3f}: a faster decoder may sharpen attention"


@cache
def _final_logit(r: float) -> float:
    flow = population_flow(make_classes(2, shared=r), eta_y=1, eta_z=0.5, record=2)
    return float(flow.Z[0, -1])


@cache
def _entropy(eta_y: float) -> float:
    flow = population_flow(make_classes(8), eta_y=eta_y, eta_z=1, until=2000, record=[0.0, 2000.0])
    return float(flow.entropy[-1])
