"""The layer as a torch module, for readers who think in modules and for checks by autograd."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from nta_core.boundary import check_embeddings, check_weights, integers, one_of, token_id
from nta_core.errors import DataError
from nta_core.model.readout import HEADS


class SelfAttention(nn.Module):
    """One self-attention layer f(X) = Xᵀ softmax(X W x̄), with W its only parameter.

    No positional encoding, no value matrix, no scaling: the model of the paper.

    Parameters
    ----------
    E : array of shape (K, d)
        Token embeddings; fixed.
    W : array of shape (d, d), optional
        Merged key-query matrix at the start; zero by default (uniform attention).
    head : {"tied", "general"}
        What `logits` reads: attention mass per token, or E f.

    Examples
    --------
    >>> import numpy as np, torch
    >>> layer = SelfAttention(np.eye(2), np.diag([0.0, np.log(3)]))
    >>> layer(torch.tensor([0, 1])).tolist()
    [0.25, 0.75]
    >>> [tuple(p.shape) for p in layer.parameters()]
    [(2, 2)]

    Explained in: chapter 1. Paper: Sec. 2, eq. 1.
    """

    E: Tensor

    def __init__(self, E: ArrayLike, W: ArrayLike | None = None, *, head: str = "tied") -> None:
        super().__init__()
        one_of(head, "head", HEADS)
        checked = check_embeddings(E)
        d = checked.shape[1]
        start = np.zeros((d, d)) if W is None else check_weights(W, d)
        self.head = head
        self.register_buffer("E", torch.tensor(checked))
        self.W = nn.Parameter(torch.tensor(start))

    def attention(self, context: Tensor) -> Tensor:
        """Attention weights of contexts of shape (..., T), one per position."""
        X = self.E[self._ids(context)]
        query = X[..., -1, :] @ self.W.T  # rows of W x̄
        return torch.softmax((X @ query[..., None])[..., 0], dim=-1)

    def forward(self, context: Tensor) -> Tensor:
        """Output Xᵀ softmax(X W x̄), shape (..., d)."""
        ids = self._ids(context)
        return (self.attention(ids)[..., None, :] @ self.E[ids])[..., 0, :]

    def logits(self, context: Tensor) -> Tensor:
        """What the head reads, shape (..., K).

        Examples
        --------
        >>> import numpy as np, torch
        >>> SelfAttention(np.eye(3)).logits(torch.tensor([0, 1, 0, 0])).tolist()
        [0.75, 0.25, 0.0]
        """
        if self.head == "general":
            return self.forward(context) @ self.E.T
        ids = self._ids(context)
        weights = self.attention(ids)
        mass = weights.new_zeros((*ids.shape[:-1], len(self.E)))
        return mass.scatter_add(-1, ids, weights)

    def _ids(self, context: Tensor) -> Tensor:
        ids = integers(context, "a context")
        if not (ids.ndim and ids.size):
            raise DataError("a context needs at least one token: the last one is the query")
        for extreme in (ids.min(), ids.max()):
            token_id(extreme, len(self.E))
        return torch.as_tensor(ids, device=self.E.device)
