"""Keep the heads of two networks, so that pages can read them without the corpus.

``python -m experiments.kept_heads`` writes ``heads_on_text.safetensors`` beside the stored results,
in half precision and in PyTorch's layout (rows are outputs), as a reader's own file would be.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from experiments.experiment import RESULTS
from experiments.heads_on_text import STEPS, WRITTEN, network
from experiments.small_transformers import SmallTransformer
from nta_core.data.files import write_atomically

KEPT = {"book": "the book's layer", "transformer": "one layer"}
FILE = RESULTS / "heads_on_text.safetensors"


def tensors(name: str, net: SmallTransformer) -> dict[str, NDArray[np.float16]]:
    """Queries and keys of the first layer, all heads below each other, and the embeddings."""
    block = net.blocks[0]
    weights = {
        "tokens.weight": net.tokens,
        "query.weight": block.query.transpose(1, 2).reshape(-1, net.tokens.shape[1]),
        "key.weight": block.key.transpose(1, 2).reshape(-1, net.tokens.shape[1]),
    }
    return {f"{name}.{part}": w.detach().numpy().astype(np.float16) for part, w in weights.items()}


def main() -> Path:
    """Write the file."""
    nets = {name: network(shape, WRITTEN, STEPS, 0) for name, shape in KEPT.items()}
    found = {key: w for name, net in nets.items() for key, w in tensors(name, net).items()}
    return write_atomically(FILE, save({key: np.ascontiguousarray(w) for key, w in found.items()}))


if __name__ == "__main__":
    print(f"stored: {main()}")
    sys.exit(0)
