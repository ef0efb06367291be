"""Chains that only their own text tells: what a second attention layer adds, in a small model.

`chains` draws texts, each from a Markov chain of its own, and predicts them from counts; `limits`
computes, exactly, the least loss of a model that forgets the order of its context; `network` is one
attention layer or two, with positions in the first; `course` trains them and reads their parts;
`information` compares the first gradient with what neighbouring tokens tell about each other.
torch is loaded only when a network is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nta_beyond.induction.chains import (
    bigram,
    cycle_texts,
    divergence,
    graded_texts,
    markov_texts,
    mean_loss,
    random_chains,
    unigram,
)
from nta_beyond.induction.information import alikeness, chi_square_information, first_gradient
from nta_beyond.induction.limits import Limits, chain_limits, cycle_limits
from nta_core.boundary import needs

if TYPE_CHECKING:
    from nta_beyond.induction.course import Course, train_induction
    from nta_beyond.induction.network import InductionNetwork


def __getattr__(name: str) -> Any:
    # Late, because torch takes seconds to load and the counting does not need it.
    if name not in ("Course", "InductionNetwork", "train_induction"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    needs("torch", wanted_for=f"induction.{name}", extra="torch")
    from nta_beyond.induction import course

    return getattr(course, name)
