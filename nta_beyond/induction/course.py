"""Training one layer or two on texts from ever new chains, and reading what became of the parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from nta_beyond.errors import still_finite
from nta_beyond.induction.chains import (
    bigram,
    divergence,
    graded_texts,
    markov_texts,
    mean_loss,
    random_chains,
    unigram,
)
from nta_beyond.induction.network import InductionNetwork
from nta_beyond.progress import patiently
from nta_beyond.recording import watched
from nta_core.boundary import Floats, Ints, number, seed_of, whole

MOST_STEPS = 10_000_000
MEASURES = (
    *("loss", "from_uniform", "from_unigram", "from_bigram"),
    *("previous", "matching", "table", "place", "match"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Course:
    """One training, looked at from time to time.

    All measures are taken on texts that no training sees, over all of their tokens.

    Attributes
    ----------
    steps : int64 array of shape (t,)
        When it was looked at.
    measured : dict of float64 arrays of shape (t,)
        ``loss`` is the mean log-loss.  ``from_uniform``, ``from_unigram`` and ``from_bigram`` are
        divergences from three ways to predict.  ``previous`` is the first layer's mean attention
        on the token before, ``matching`` the share of the last layer's attention (sink aside) on
        tokens that stood after the present one.  ``table`` is the spread of the first layer's
        table of tokens: the mean over query tokens of the standard deviation of its scores.
        ``place`` is the lead of distance 1 over the mean of the others, ``match`` that of equal
        tokens over different ones in what the last layer asks of the first.  Those of a part that
        the network lacks are 0.
    weights : dict of float64 arrays of shape (t, ...)
        The parameters of the network at these steps, by their names.
    network : InductionNetwork
        As trained.

    Explained in: chapter 21.
    """

    steps: Ints
    measured: dict[str, Floats]
    weights: dict[str, Floats]
    network: InductionNetwork = field(compare=False)

    def network_at(self, look: int) -> InductionNetwork:
        """Return the network as it was when it was looked at for the `look`-th time, from 0."""
        whole(look, "look", most=len(self.steps) - 1)
        of = self.network
        past = InductionNetwork(of.layers, of.K, of.T, positions=of.positions)
        past.load_state_dict({name: torch.tensor(w[look]) for name, w in self.weights.items()})
        return past

    def __repr__(self) -> str:
        layers = "two layers" if self.network.layers == 2 else "one layer"
        first, last = (self.measured["loss"][at] for at in (0, -1))
        return f"Course({layers}, {self.steps[-1]} steps: loss {first:.3f} to {last:.3f})"


def train_induction(
    layers: int,
    K: int,
    T: int,
    *,
    positions: bool = True,
    seed: int = 0,
    steps: int = 100,
    step_size: float = 2.0,
    batch_size: int = 32,
    records: int = 8,
) -> Course:
    """Train a network by plain gradient steps, every one on new texts from new chains.

    On Ctrl-C, `Interrupted` carries the course until then.

    Parameters
    ----------
    layers, K, T, positions
        The network, as in `InductionNetwork`; texts have T tokens.
    seed : int
        Draws the start and the texts.
    steps, step_size, batch_size : int, float, int
        How long, how far at once, and on how many texts.
    records : int
        How often it is looked at, evenly; also before the first step.

    Examples
    --------
    >>> train_induction(2, 3, 32, steps=20, batch_size=8)
    Course(two layers, 20 steps: loss 1.090 to 1.087)

    Explained in: chapter 21.
    """
    network = InductionNetwork(layers, K, T, positions=positions, seed=seed)
    whole(T, "T", least=2)
    whole(steps, "steps", least=1, most=MOST_STEPS)
    whole(batch_size, "batch_size", least=1, most=100_000)
    whole(records, "records", least=1, most=MOST_STEPS)
    step_size = number(step_size, "step_size", above=0, most=1e50)
    at = np.unique(np.linspace(0, steps, records + 1).round()).astype(np.int64)
    graded = graded_texts(K, T)
    rules = [np.full((*graded.shape, K), 1 / K), unigram(graded, K), bigram(graded, K)]

    def look(step: int) -> tuple[list[float], dict[str, Floats]]:
        weights = {name: p.detach().numpy().copy() for name, p in network.named_parameters()}
        still_finite(step, *weights.values())
        return _measures(network, graded, rules), weights

    def make(when: Ints, seen: list[tuple[list[float], dict[str, Floats]]]) -> list[Course]:
        measured = dict(zip(MEASURES, np.array([values for values, _ in seen]).T, strict=True))
        names = [name for name, _ in network.named_parameters()]
        weights = {name: np.stack([kept[name] for _, kept in seen]) for name in names}
        return [Course(when, measured, weights, network)]

    descent = _descent(network, steps, step_size, batch_size, seed)
    return watched(patiently(descent, steps=steps), at, look, make)[0]


def _descent(
    network: InductionNetwork, steps: int, step_size: float, batch_size: int, seed: int
) -> Iterator[int]:
    """Train; yields the number of each step before it, and that of the last one after it."""
    entropy = seed_of(seed)
    rng = np.random.default_rng(None if entropy is None else [entropy, 1])  # apart from the start
    free = [p for p in network.parameters() if p.requires_grad]
    for step in range(steps):
        yield step
        chains = random_chains(batch_size, network.K, seed=rng)
        texts = torch.tensor(markov_texts(chains, network.T, seed=rng))
        given = network(texts)[:, :-1].gather(-1, texts[:, 1:, None])
        pulls = torch.autograd.grad(-given.log().mean(), free)
        still_finite(step, *(pull.numpy() for pull in pulls))
        with torch.no_grad():
            for p, pull in zip(free, pulls, strict=True):
                p.sub_(pull, alpha=step_size)
    yield steps


@torch.no_grad()
def _measures(network: InductionNetwork, texts: Ints, rules: list[Floats]) -> list[float]:
    asked = torch.tensor(texts)
    given = np.asarray(network(asked))
    looks = network.attention(asked)
    values = [mean_loss(given, texts), *(divergence(rule, given) for rule in rules)]
    behind = asked[:, :-1, None] == asked[:, None, :]  # [n, s, t]: token t stood before s + 1
    on = looks[-1][:, :, 1:-1].transpose(1, 2)  # the attention that t gives to place s + 1
    given_away = float(looks[-1][..., :-1].sum())  # 0 where the sink takes everything
    matching = float((on * behind).sum()) / given_away if given_away else 0.0
    lead = network.place[1] - (network.place.sum() - network.place[1]) / (network.T - 1)
    if network.layers == 1:
        return [*values, 0.0, matching, 0.0, lead.item(), 0.0]
    previous = looks[0].diagonal(offset=-1, dim1=1, dim2=2).mean().item()
    spread = network.first.std(dim=0, correction=0).mean().item()
    return [*values, previous, matching, spread, lead.item(), _lead(network.match)]


def _lead(match: Tensor) -> float:
    """Mean of the diagonal minus mean of the rest."""
    K = len(match)
    return (match.trace() * K / (K * K - K) - match.sum() / (K * K - K)).item()
