"""Clue or copy: one dataset on which the two theories of attention name different winners.

One query q, two labels A and B.  Clues a1…a3 and b1…b3 occur with one label only, junk g1…g3
with both, and the label tokens themselves stand in the context.  A layer that copies should look
at A and B; a layer with a decoder of its own should look at whatever tells A from B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_beyond.scansnap.checks import check_numbers
from nta_beyond.scansnap.gradient import attention_shares
from nta_core.data import Dataset, Floats, Ints
from nta_core.errors import OptionError

NAMES = ("A", "B", "a1", "a2", "a3", "b1", "b2", "b3", "g1", "g2", "g3", "q")
GROUPS = {"label": (0, 1), "clue": (2, 3, 4, 5, 6, 7), "junk": (8, 9, 10), "query": (11,)}
QUERY = NAMES.index("q")
_CLUES, _JUNK, _LABEL = (1.0, 2.0, 3.0), 3.0, 3.0  # weights of a context token


def clue_or_copy_dataset(
    rho: float, *, cyclic: bool, seed: int, n: int = 200, T: int = 40, share_of_a: float = 0.5
) -> Dataset:
    """Draw the dataset of the experiment.

    Contexts of T − 1 tokens are drawn with weights 1, 2, 3 for the clues of the label, 3 for
    each junk token and 3ρ for a label token, which moreover occurs at least once; q is last.

    Parameters
    ----------
    rho : float
        How frequent the label token is; at 0 it stands in each context exactly once.
    cyclic : bool
        Whether both A and B stand in every context (then each beats the other: one league) or
        only the right one (then the label beats everything).
    seed : int
        Equal seeds draw equal data.
    n, T : int
        Sequences, and tokens in each, the query included.
    share_of_a : float
        How probable label A is.

    Returns
    -------
    Dataset
        Over the twelve tokens of `NAMES`.

    Examples
    --------
    >>> data = clue_or_copy_dataset(0.25, cyclic=False, seed=0, n=3, T=8)
    >>> print(data.to_text().splitlines()[1])
    g1 g3 g3 B g2 g1 B q -> B

    Explained in: chapter 14.
    """
    labels_in = 2 if cyclic else 1
    check_numbers(rho=rho)
    if n < 1 or labels_in + 2 > T or not 0 < share_of_a < 1:
        raise OptionError(
            f"n={n}, T={T}, share_of_a={share_of_a}: at least one sequence, at least "
            f"{labels_in + 2} tokens, a share between 0 and 1"
        )
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) >= share_of_a).astype(np.int64)
    edges = np.cumsum(_weights(rho, cyclic), axis=1)
    points = rng.random((n, T - 1 - labels_in)) * edges[labels, -1:]
    drawn = (points[..., None] >= edges[labels][:, None, :]).sum(axis=2)
    present = [labels, 1 - labels][:labels_in]
    context = rng.permuted(np.column_stack([*present, drawn]), axis=1)
    rows = np.column_stack([context, np.full(n, QUERY)])
    return Dataset(rows, labels, K=len(NAMES), names=NAMES)


def _weights(rho: float, cyclic: bool) -> Floats:
    """Weight of each token in a context of label A and of label B, shape (2, 12)."""
    weights = np.zeros((2, len(NAMES)))
    weights[0, 2:5] = weights[1, 5:8] = _CLUES
    weights[:, list(GROUPS["junk"])] = _JUNK
    weights[:, :2] = _LABEL * rho if cyclic else _LABEL * rho * np.eye(2)
    return weights


@dataclass(frozen=True, eq=False, repr=False)
class ContestSide:
    """One layer's training on the dataset.

    Attributes
    ----------
    times : int64 array of shape (r,)
        Recorded steps.
    logits : float64 array of shape (r, 12)
        Attention logits of the query for every token.
    masses : dict of float64 arrays of shape (r,)
        Mean attention on "label", "clue", "junk" and "query" tokens.
    losses : float64 array of shape (r,)
        The layer's own loss.
    favourites : tuple of str
        The token that sequences of label A, and of label B, attend to most at the end.

    Explained in: chapter 14.
    """

    times: Ints
    logits: Floats
    masses: dict[str, Floats]
    losses: Floats
    favourites: tuple[str, ...]

    def __repr__(self) -> str:
        ends = ", ".join(
            f"{group} {values[0]:.3f} → {values[-1]:.3f}"
            for group, values in self.masses.items()
            if group != "query"
        )
        return f"ContestSide({ends}, loss {self.losses[-1]:.3g}, favourite {self.favourites[0]})"


def make_side(
    dataset: Dataset, counts: Ints, times: Ints, logits: Floats, losses: Floats
) -> ContestSide:
    """A side from what was recorded, and the counts (n, 12) that the layer attends to."""
    attention = attention_shares(logits[:, None], counts, np.zeros(len(counts), dtype=np.int64))
    mean = attention.mean(axis=1)
    masses = {group: mean[:, list(tokens)].sum(axis=1) for group, tokens in GROUPS.items()}
    ends = [attention[-1, dataset.targets == label] for label in np.unique(dataset.targets)]
    favourites = tuple(NAMES[int(end.mean(axis=0).argmax())] for end in ends)
    return ContestSide(times, logits, masses, losses, favourites)
