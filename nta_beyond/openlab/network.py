"""The growing model: the paper's layer, and a switch for every part that a transformer adds."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from nta_beyond.errors import seeds_of
from nta_beyond.openlab.variant import Variant
from nta_core.boundary import Floats, a, room_for, whole
from nta_core.errors import DataError

HIDDEN = 24  # units of an MLP
TINY = 1e-300  # the least probability: keeps a logarithm finite
SHARPNESS = 8.0  # of the softmax head at the start: one token can get e⁸ / (e⁸ + K - 1)


class OpenNetwork(nn.Module):
    """A small transformer in which every part but one attention matrix is a switch.

    With no part added its probabilities are the attention masses of `nta_core.SelfAttention`.  All
    networks of a batch are independent: the leading axis of every parameter counts seeds.

    Parameters
    ----------
    variant : Variant
        Which parts there are.
    K, T : int
        Number of tokens, and length of a context.
    d : int
        Dimension, at least K + T, so that token and position vectors are orthonormal at the start.
    seeds : sequence of int
        One network per seed; equal seeds start equally, whatever the other parts.

    Examples
    --------
    >>> import torch
    >>> network = OpenNetwork(Variant(), 3, 3, d=6, seeds=[0, 1])
    >>> probabilities = network(torch.tensor([[[0, 1, 2]], [[2, 1, 1]]]))
    >>> probabilities.shape, round(probabilities[1, 0, 0].item(), 6)
    (torch.Size([2, 1, 3]), 0.0)

    Explained in: chapter 15. Paper: Sec. 7.
    """

    def __init__(self, variant: Variant, K: int, T: int, *, d: int, seeds: Sequence[int]) -> None:
        super().__init__()
        a(Variant, variant, "variant")
        whole(K, "K", least=1)
        whole(T, "T", least=1)
        seeds = seeds_of(seeds)
        whole(d, "d", least=K + T)  # tokens and positions have a direction each
        room_for(160 * len(seeds) * d * d, f"{len(seeds)} networks, d={d:,}", instead="lower d")
        self.variant = variant
        self.by_softmax = variant.softmax or variant.needs_softmax
        frames = _per_seed(seeds, "frame", lambda rng: np.linalg.qr(rng.normal(size=(d, d)))[0])
        self.tokens = nn.Parameter(frames[:, :K].clone(), requires_grad=variant.trained_embeddings)
        self.places = nn.Parameter(
            frames[:, K : K + T], requires_grad=variant.trained_embeddings and variant.positions
        )
        scale = SHARPNESS if self.by_softmax else 1.0
        self.decoder = nn.Parameter(scale * frames[:, :K], requires_grad=variant.trained_decoder)
        depth = 2 if variant.second_layer else 1
        self.blocks = [Block(variant, d, seeds, name=str(i)) for i in range(depth)]
        self.trained = nn.ModuleList(self.blocks)  # only this makes their weights parameters

    def forward(self, contexts: Tensor) -> Tensor:
        """Next-token probabilities, shape (seeds, n, K), after contexts of shape (seeds, n, T)."""
        x = self.embed(contexts)
        for block in self.blocks[:-1]:
            x = block(x, x)
        x = self.blocks[-1](x[:, :, -1:], x)  # only the last position is read
        return self.read(x[:, :, 0])

    def embed(self, contexts: Tensor) -> Tensor:
        """Token vectors, plus position vectors if there are any: shape (seeds, n, T, d)."""
        (S, K, _), T = self.tokens.shape, self.places.shape[1]
        ids = isinstance(contexts, Tensor) and contexts.dtype == torch.int64
        if not ids or contexts.dim() != 3 or contexts.shape[::2] != (S, T):
            raise DataError(f"contexts must be a tensor of token ids of shape ({S}, n, {T})")
        if contexts.numel() and not 0 <= int(contexts.min()) <= int(contexts.max()) < K:
            raise DataError(f"contexts hold token ids from 0 to {K - 1}")
        seed = torch.arange(len(contexts))[:, None, None]
        x = self.tokens[seed, contexts]
        return x + self.places[:, None] if self.variant.positions else x

    def read(self, x: Tensor) -> Tensor:
        """Probabilities from outputs of shape (seeds, n, d).

        The paper's head reads C x.  That is a probability as long as x is an average of token
        embeddings; beyond that a softmax must make it one.
        """
        S, _, d = self.tokens.shape
        if not isinstance(x, Tensor) or x.dim() != 3 or x.shape[::2] != (S, d):
            raise DataError(f"x must be a tensor of shape ({S}, n, {d})")
        if x.dtype != torch.float64 or not bool(torch.isfinite(x).all()):
            raise DataError("x must hold finite numbers of 64 bits")
        numbers = x @ self.decoder.transpose(1, 2)
        if self.by_softmax:
            return torch.softmax(numbers, dim=-1)
        # an average also after residual sums; rounding may leave an unread token at -1e-17
        return (numbers / numbers.sum(dim=-1, keepdim=True)).clamp(min=TINY)

    @torch.no_grad()
    def rollout(self, contexts: Tensor) -> Tensor:
        """Where the attention of all layers comes from, per token: shape (seeds, n, K).

        Attention matrices are averaged over heads and multiplied over layers; a residual
        connection counts as looking at oneself, with the same weight as the attention.  An MLP, a
        trained embedding or decoder stays invisible to it.
        """
        x = self.embed(contexts)
        flow = torch.eye(contexts.shape[-1], dtype=x.dtype).expand(*contexts.shape, -1)
        for block in self.blocks:
            look = block.attention(x, x).mean(dim=1)
            if self.variant.residual:
                look = (look + torch.eye(look.shape[-1], dtype=x.dtype)) / 2
            flow, x = look @ flow, block(x, x)
        mass = x.new_zeros((*contexts.shape[:2], self.tokens.shape[1]))
        return mass.scatter_add(-1, contexts, flow[:, :, -1])


class Block(nn.Module):
    """One layer: attention heads, then perhaps an MLP, each perhaps with a residual connection."""

    def __init__(self, variant: Variant, d: int, seeds: Sequence[int], *, name: str) -> None:
        super().__init__()
        self.variant = variant
        heads = 2 if variant.second_head else 1
        self.W = nn.Parameter(_linear(seeds, f"W{name}", (heads, d, d), inputs=d))
        if variant.mlp:
            self.up = nn.Parameter(_linear(seeds, f"up{name}", (d, HIDDEN), inputs=d))
            self.bias = nn.Parameter(torch.zeros(len(seeds), 1, HIDDEN, dtype=torch.float64))
            self.down = nn.Parameter(_linear(seeds, f"down{name}", (HIDDEN, d), inputs=HIDDEN))

    def attention(self, queries: Tensor, x: Tensor) -> Tensor:
        """Attention of shape (seeds, heads, n, queries, T): softmax of x W query, as ever."""
        S, n, q, d = queries.shape
        asked = queries.reshape(S, 1, n * q, d) @ self.W.transpose(-1, -2)
        asked = asked.reshape(S, -1, n, q, 1, d)
        # a product of thousands of tiny matrices is faster as one sum over d
        return torch.softmax((asked * x[:, None, :, None]).sum(dim=-1), dim=-1)

    def forward(self, queries: Tensor, x: Tensor) -> Tensor:
        """Outputs at the positions of the queries, shape (seeds, n, queries, d)."""
        look = self.attention(queries, x).mean(dim=1)  # heads without value matrices: their mean
        out = (look[..., None] * x[:, :, None]).sum(dim=-2)
        if self.variant.residual:
            out = queries + out
        return out + self.mlp(out) if self.variant.mlp else out

    def mlp(self, x: Tensor) -> Tensor:
        """One hidden layer of rectified units, at every position alike."""
        flat = x.reshape(len(x), -1, x.shape[-1])
        return (torch.relu(flat @ self.up + self.bias) @ self.down).reshape(x.shape)


def _linear(seeds: Sequence[int], name: str, shape: tuple[int, ...], *, inputs: int) -> Tensor:
    """The usual start of a linear layer, one draw per seed."""
    bound = inputs**-0.5
    return _per_seed(seeds, name, lambda rng: rng.uniform(-bound, bound, size=shape))


def _per_seed(
    seeds: Sequence[int], name: str, draw: Callable[[np.random.Generator], Floats]
) -> Tensor:
    """Draw for each seed and name from a generator of its own: more parts change no other draw."""
    label = zlib.crc32(name.encode())
    draws = [draw(np.random.default_rng([seed, label])) for seed in seeds]
    return torch.tensor(np.stack(draws), dtype=torch.float64)
