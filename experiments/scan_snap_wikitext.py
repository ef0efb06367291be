"""Does attention grow sparse on WikiText-2, and sparser with the rate? Figs. 7 and 10.

The transformer of the authors' notebook: embeddings of 200 with sinusoidal positions, one or three
encoder layers (one head, an MLP of 200, residual, LayerNorm, dropout 0.3), a linear decoder; SGD on
20 streams in stretches of 35 tokens, gradients clipped at 0.5.  Theirs trains on the training part
of the corpus; ours on its test part, and attention is looked at on the validation part.  Words that
occur less than three times become ``<unk>``: the corpus's own rule, applied to what is read.
"""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.text import SpacedWords, named_corpus

WIDTH, STREAMS, STRETCH, DROPOUT, CLIP = 200, 20, 35, 0.3, 0.5
LEAST, UNKNOWN = 3, "<unk>"
PARTS = ("test.txt", "valid.txt")  # to train on, and to look at
SNAPSHOTS = 11  # equally spaced, the first before training
# Fig. 7: one and three layers, the MLP of the first at twice the rate, as in the notebook
FIG7 = grid(positions=[True], layers=(1, 3), rate=[5], mlp_rate=[10], seed=[0], steps=[1500])
FIG10 = grid(  # Fig. 10: one layer, five rates
    positions=[True], layers=[1], rate=range(1, 6), mlp_rate=[0], seed=range(3), steps=[500]
)
# What the theory is about: no positions
BAG = grid(positions=[False], layers=[1], rate=(1, 5), mlp_rate=[0], seed=[0], steps=[500])
SHORT = grid(positions=[True], layers=[1], rate=[5], mlp_rate=[10], seed=[0], steps=[5])


def measure(
    positions: bool, layers: int, rate: float, mlp_rate: float, seed: int, steps: int
) -> dict[str, Any]:
    """Entropy of attention in every layer, its largest share, and how far it moved, over time."""
    torch.manual_seed(seed)
    text, held_out, words = read()
    model = Transformer(words, layers, positions)
    first = model.blocks[0]
    mlp = [*first.linear1.parameters(), *first.linear2.parameters()]
    others = [p for p in model.parameters() if not any(p is q for q in mlp)]
    groups = [{"params": mlp, "lr": mlp_rate or rate}, {"params": others, "lr": rate}]
    optimizer = torch.optim.SGD(groups, lr=rate)
    seen = torch.split(streams(held_out)[: 2 * STRETCH], STRETCH)
    times = np.linspace(0, steps, min(SNAPSHOTS, steps + 1)).astype(int).tolist()
    batches, losses, pictures = stretches(streams(text)), [], []
    for step in range(steps + 1):
        if step in times:
            pictures.append(look(model, seen))
            losses.append(held_out_loss(model, held_out))
        if step < steps:
            model.train()
            inputs, targets = next(batches)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
    return {"times": times, "words": words, "losses": losses, **summary(np.array(pictures))}


def read() -> tuple[Tensor, Tensor, int]:
    """Token ids of the two parts, and the size of the vocabulary of the first."""
    corpus = named_corpus("wikitext-2")
    parts = (corpus.corpus(file).cut_by(SpacedWords(unknown=())) for file in PARTS)
    test, valid = (list(chain.from_iterable(part.tokens())) for part in parts)
    kept = [word for word, count in Counter(test).most_common() if count >= LEAST]
    number = {word: i for i, word in enumerate(kept)}
    unknown = number[UNKNOWN]
    ids = [torch.tensor([number.get(word, unknown) for word in part]) for part in (test, valid)]
    return ids[0], ids[1], len(kept)


def streams(ids: Tensor) -> Tensor:
    """The text cut into streams that are read side by side, shape (tokens, streams)."""
    length = len(ids) // STREAMS
    return ids[: length * STREAMS].view(STREAMS, length).t().contiguous()


def stretches(text: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Stretches and the tokens behind each place of them, in order, for ever."""
    while True:
        for begin in range(0, len(text) - STRETCH, STRETCH):
            yield text[begin : begin + STRETCH], text[begin + 1 : begin + STRETCH + 1]


class Transformer(nn.Module):
    """The encoder of the authors' notebook, which is that of PyTorch's language-model tutorial."""

    def __init__(self, words: int, layers: int, positions: bool) -> None:
        super().__init__()
        self.positions = positions
        self.embedding = nn.Embedding(words, WIDTH)
        self.blocks = [nn.TransformerEncoderLayer(WIDTH, 1, WIDTH, DROPOUT) for _ in range(layers)]
        self.layers = nn.ModuleList(self.blocks)  # registers them
        self.decoder = nn.Linear(WIDTH, words)
        self.dropout = nn.Dropout(DROPOUT)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def embed(self, inputs: Tensor) -> Tensor:
        scaled = self.embedding(inputs) * math.sqrt(WIDTH)
        placed = scaled + waves(len(inputs)) if self.positions else scaled
        dropped: Tensor = self.dropout(placed)
        return dropped

    def forward(self, inputs: Tensor) -> Tensor:
        hidden, mask = self.embed(inputs), causal(len(inputs))
        for layer in self.blocks:
            hidden = layer(hidden, src_mask=mask)
        logits: Tensor = self.decoder(hidden)
        return logits

    def attention(self, inputs: Tensor) -> list[Tensor]:
        """Attention of every layer, shape (streams, query, key)."""
        hidden, mask, seen = self.embed(inputs), causal(len(inputs)), []
        for layer in self.blocks:
            seen.append(layer.self_attn(hidden, hidden, hidden, attn_mask=mask)[1])
            hidden = layer(hidden, src_mask=mask)
        return seen


def waves(length: int) -> Tensor:
    """Sines and cosines of the place, shape (length, 1, WIDTH)."""
    places = torch.arange(length)[:, None]
    angles = places * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10_000) / WIDTH))
    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=-1).flatten(1)[:, None]


def causal(length: int) -> Tensor:
    """No place sees what comes after it."""
    return nn.Transformer.generate_square_subsequent_mask(length)


@torch.no_grad()
def look(model: Transformer, stretches_seen: tuple[Tensor, ...]) -> np.ndarray:
    """Attention of all layers on some held-out stretches, shape (layers, streams, query, key)."""
    model.eval()
    found = [torch.stack(model.attention(inputs)) for inputs in stretches_seen]
    return torch.cat(found, dim=1).double().numpy()


@torch.no_grad()
def held_out_loss(model: Transformer, ids: Tensor) -> float:
    """Cross-entropy in nats on a part of the held-out text."""
    model.eval()
    batches = stretches(streams(ids))
    pairs = [next(batches) for _ in range(8)]
    scores = torch.cat([model(inputs).flatten(0, 1) for inputs, _ in pairs])
    return float(nn.functional.cross_entropy(scores, torch.cat([t.flatten() for _, t in pairs])))


def summary(pictures: np.ndarray) -> dict[str, Any]:
    """Per snapshot and layer: entropy as a share of that of uniform attention; the largest share;
    the mean distance (half of ℓ1) from the snapshot before."""
    queries = pictures[..., 1:, :]  # the first place sees only itself
    spread = -np.where(queries > 0, queries * np.log(np.maximum(queries, 1e-300)), 0).sum(-1)
    uniform = np.log(np.arange(2, pictures.shape[-1] + 1))
    moved = np.abs(np.diff(queries, axis=0)).sum(-1).mean(axis=(2, 3)) / 2
    return {
        "entropies": spread.mean(axis=(2, 3)),
        "relative": (spread / uniform).mean(axis=(2, 3)),
        "largest": queries.max(-1).mean(axis=(2, 3)),
        "moves": moved,
    }


EXPERIMENT = Experiment(
    "Sparse attention on WikiText-2",
    13,
    (*SHORT, *FIG10, *BAG, *FIG7),
    measure,
    tolerance=1e-3,
    corpora=("wikitext-2",),
)
