"""Small transformers that learn a text, from the book's layer to two layers with everything on.

There is no normalisation before the attention: so the scores of a first layer without positions are
exactly e W_Q W_Kᵀ eᵀ, and what a reading of them misses is never the normalisation's fault.
Words outside the vocabulary leave gaps: nobody attends to them, and nothing is predicted from them
or of them.
"""

from __future__ import annotations

import ast
import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from experiments.experiment import ROOT
from nta_book.results.changes import bare_lines
from nta_core.boundary import Floats, Ints

CHECKPOINTS = ROOT / "_build" / "small_transformers"
CONTEXT = 32  # tokens that a network sees at once
WIDTH = 64  # of all vectors
BATCH = 64  # stretches of text per step
RATE, WARM_UP, DECAY = 5e-3, 50, 0.1  # learning rate, steps until it is reached, weight decay
EVERY = 250  # steps between two checkpoints
GAP = -1


@dataclass(frozen=True)
class Shape:
    """What a network is made of.

    Attributes
    ----------
    layers, heads : int
        How many layers, and heads in each.
    copies : bool
        The book's layer: the attention on a word is its probability, and nothing else is trained
        but attention and embeddings.
    values : bool
        Value and output matrices; without them a head passes on the vectors it attends to.
    residual : bool
        The input of a layer is added to its output.
    positions : bool
        A trained vector per place, added to the embeddings.
    mlp : bool
        Rectified units behind the attention, four per dimension.
    in_sight : bool
        Train only where the next word is in sight, as a layer that copies must.
    """

    layers: int = 1
    heads: int = 4
    copies: bool = False
    values: bool = True
    residual: bool = True
    positions: bool = False
    mlp: bool = False
    in_sight: bool = False


class Block(nn.Module):
    """One layer: attention, perhaps an MLP."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        d, part = WIDTH, (shape.heads, WIDTH, WIDTH // shape.heads)
        self.shape = shape
        self.query, self.key = _normal(*part, std=d**-0.5), _normal(*part, std=d**-0.5)
        if shape.values:
            self.value = _normal(*part, std=d**-0.5)
            self.out = _normal(shape.heads, WIDTH // shape.heads, d, std=d**-0.5)
        if shape.mlp:
            self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.ReLU(), nn.Linear(4 * d, d))

    def scores(self, x: Tensor) -> Tensor:
        """Scores of shape (n, heads, T, T): row = place that asks, column = place that is read."""
        asked, offered = x[:, None] @ self.query, x[:, None] @ self.key
        return asked @ offered.transpose(-1, -2) / math.sqrt(self.query.shape[-1])

    def attention(self, x: Tensor, seen: Tensor) -> Tensor:
        """The softmax of the scores over the places that may be seen."""
        return torch.softmax(self.scores(x).masked_fill(~seen[:, None], -torch.inf), dim=-1)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """Outputs of shape (n, T, d)."""
        look = self.attention(x, seen)
        if self.shape.values:
            out = (look @ (x[:, None] @ self.value) @ self.out).sum(dim=1)
        else:
            out = (look @ x[:, None]).mean(dim=1)
        if self.shape.residual:
            out = x + out
        return out + self.mlp(out) if self.shape.mlp else out


class SmallTransformer(nn.Module):
    """A causal language model over K words; the book's layer if it copies."""

    def __init__(self, shape: Shape, K: int, *, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.shape = shape
        self.tokens = _normal(K, WIDTH, std=WIDTH**-0.5)
        if shape.positions:
            self.places = _normal(CONTEXT, WIDTH, std=0.5 * WIDTH**-0.5)
        self.blocks = [Block(shape) for _ in range(shape.layers)]
        self.trained = nn.ModuleList(self.blocks)  # only this makes their weights parameters
        if not shape.copies:
            self.decoder = nn.Parameter(torch.zeros(K, WIDTH))
            self.bias = nn.Parameter(torch.zeros(K))

    def inputs(self, tokens: Tensor) -> list[Tensor]:
        """What each layer reads, and at the end what the last one writes; each (n, T, d)."""
        x = self.tokens[tokens.clamp(min=0)] * (tokens != GAP)[..., None]
        if self.shape.positions:
            x = x + self.places[: tokens.shape[1]]
        found = [x]
        for block in self.blocks:
            found.append(block(found[-1], visible(tokens)))
        return found

    def losses(self, tokens: Tensor, following: Tensor, asked: Tensor) -> Tensor:
        """−log p of the following words, in nats, at the places that are asked: shape (places,)."""
        if self.shape.copies:
            look = self.blocks[0].attention(self.inputs(tokens)[0], visible(tokens)).mean(dim=1)
            mass = (look * (tokens[:, None, :] == following[:, :, None])).sum(dim=-1)
            return -torch.log(mass[asked])
        logits = self.inputs(tokens)[-1][asked] @ self.decoder.T + self.bias
        return nn.functional.cross_entropy(logits, following[asked], reduction="none")

    def answerable(self, tokens: Tensor, following: Tensor) -> Tensor:
        """Where to ask: last and next token are words and, where the shape says so, in sight."""
        asked = (tokens != GAP) & (following != GAP)
        in_sight = self.shape.copies or self.shape.in_sight
        return asked & repeated(tokens, following) if in_sight else asked


def visible(tokens: Tensor) -> Tensor:
    """Who sees whom, shape (n, T, T): words at earlier places, and everybody itself."""
    T = tokens.shape[1]
    earlier = torch.ones(T, T, dtype=torch.bool).tril()
    return (earlier & (tokens != GAP)[:, None, :]) | torch.eye(T, dtype=torch.bool)


def repeated(tokens: Tensor, following: Tensor) -> Tensor:
    """Where the next word is in sight, shape (n, T)."""
    earlier = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
    return ((tokens[:, None, :] == following[:, :, None]) & earlier).any(dim=-1)


def stretches(documents: Sequence[Ints]) -> Tensor:
    """All documents cut into stretches of CONTEXT tokens and the one behind: (n, CONTEXT + 1)."""
    rows = [
        document[begin : begin + CONTEXT + 1]
        for document in documents
        for begin in range(0, len(document) - CONTEXT, CONTEXT)
    ]
    return torch.from_numpy(np.stack(rows))


def trained(
    shape: Shape,
    documents: Sequence[Ints],
    K: int,
    *,
    seed: int,
    steps: int,
    folder: Path = CHECKPOINTS,
) -> SmallTransformer:
    """Train a network on documents of token ids; a run that was stopped goes on.

    A checkpoint is named by all that it depends on: shape, seed, steps, every token, and this code.
    """
    network = SmallTransformer(shape, K, seed=seed)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=DECAY
    )
    path = folder / f"{_key(shape, documents, K, seed, steps)}.pt"
    begin = 0
    if path.is_file():
        kept = torch.load(path, weights_only=True)
        network.load_state_dict(kept["network"])
        optimizer.load_state_dict(kept["optimizer"])
        begin = kept["step"]
    long = [document for document in documents if len(document) > CONTEXT]
    share = np.array([len(document) - CONTEXT for document in long], dtype=float)
    for step in range(begin, steps):
        # a generator of its own for every step: a run that goes on draws what it would have drawn
        rng = np.random.default_rng([seed, step])
        rows = torch.from_numpy(_draw(long, share / share.sum(), rng))
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP) * (1 - step / steps)
        tokens, following = rows[:, :-1], rows[:, 1:]
        loss = network.losses(tokens, following, network.answerable(tokens, following)).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % EVERY == 0 or step + 1 == steps:
            _keep(path, network, optimizer, step + 1)
    return network.eval()


def _draw(documents: Sequence[Ints], share: Floats, rng: np.random.Generator) -> Ints:
    """BATCH stretches of CONTEXT + 1 tokens, every place of the text as likely as any other."""
    chosen = rng.choice(len(documents), size=BATCH, p=share)
    begins = [rng.integers(len(documents[i]) - CONTEXT) for i in chosen]
    pairs = zip(chosen, begins, strict=True)
    return np.stack([documents[i][begin : begin + CONTEXT + 1] for i, begin in pairs])


def _keep(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    beside = path.with_suffix(f".{os.getpid()}")
    torch.save(state, beside)
    beside.replace(path)  # a run that is stopped here leaves the old checkpoint whole


def _key(shape: Shape, documents: Sequence[Ints], K: int, seed: int, steps: int) -> str:
    found = hashlib.sha256(f"{_code()} {asdict(shape)} {K} {seed} {steps}".encode())
    for document in documents:
        found.update(document.tobytes() + b"|")
    return found.hexdigest()[:24]


@cache
def _code() -> str:
    """This module without its comments: all that turns a text into weights stands here."""
    text = Path(__file__).read_text(encoding="utf-8")
    return "\n".join(filter(None, bare_lines(text, ast.parse(text))))


def _normal(*shape: int, std: float) -> nn.Parameter:
    return nn.Parameter(torch.randn(*shape) * std)
