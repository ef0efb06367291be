"""One self-attention layer: where it looks, what its head reads, and what a loss makes of it.

`attention` and `token_mass` are the layer in two lines of numpy; `Readout` names a loss and a head;
`SelfAttention` is the same layer as a torch module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nta_core.errors import MissingPackage
from nta_core.model.readout import HEADS, LOSSES, Readout, head_matrix, logits, sample_loss
from nta_core.model.weights import attention, attention_masses, cosine, token_mass

if TYPE_CHECKING:
    from nta_core.model.layer import SelfAttention


def __getattr__(name: str) -> Any:
    if name != "SelfAttention":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Late, because torch takes seconds to load and nothing else here needs it.
    try:
        from nta_core.model.layer import SelfAttention
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return _without_torch
    return SelfAttention


def _without_torch(*_: Any, **__: Any) -> None:
    """Stand for `SelfAttention`, so that ``from nta_core import *`` works without torch."""
    raise MissingPackage("torch", wanted_for="SelfAttention", extra="torch")
