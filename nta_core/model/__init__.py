"""One self-attention layer: where it looks, what its head reads, and what a loss makes of it.

`attention` and `token_mass` are the layer in two lines of numpy; `Readout` holds the losses and
heads as formulas; `SelfAttention` is the same layer as a torch module.  torch is loaded only when
`SelfAttention` is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nta_core.model.readout import (
    HEADS,
    LOSSES,
    Readout,
    check_readout,
    head_matrix,
    logits,
    sample_loss,
)
from nta_core.model.weights import attention, token_mass

if TYPE_CHECKING:
    from nta_core.model.layer import SelfAttention

__all__ = [
    "HEADS",
    "LOSSES",
    "Readout",
    "SelfAttention",
    "attention",
    "check_readout",
    "head_matrix",
    "logits",
    "sample_loss",
    "token_mass",
]


def __getattr__(name: str) -> Any:
    if name == "SelfAttention":
        # Late, because torch takes seconds to load and nothing else here needs it.
        from nta_core.model.layer import SelfAttention

        return SelfAttention
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
