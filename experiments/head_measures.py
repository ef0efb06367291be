"""What is measured of a head: its table beside the data's tables, and beside what it does in text.

The data offers two tables.  *Who follows*: the league tables of chapter 16, in which a word stands
above those that it beat as the next word.  *Who is kin*: words are alike if the same words follow
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.stats import rankdata
from torch import Tensor

from experiments.small_transformers import (
    GAP,
    Block,
    SmallTransformer,
    repeated,
    stretches,
    visible,
)
from nta_beyond.heads import (
    Head,
    agreement,
    excess,
    league_stability,
    order_and_odds,
    silent_windows,
)
from nta_beyond.text import Strengths, TokenEdges, Windows
from nta_core.boundary import Floats, Ints

ASKED = 200  # the most frequent last tokens: the tables after the others hold few races
PERMUTATIONS = 5
EARLIEST = 8  # places before it see too few words to be asked where they look
ADDED = 100.0  # counts that the unigram adds to a row of the bigram


@dataclass(frozen=True, eq=False)
class Text:
    """A text that was read for its tables, and another one to test on.

    Attributes
    ----------
    documents : sequence of int64 arrays
        Token ids of the text that networks learn from, −1 for a gap.
    unread : sequence of int64 arrays
        The same of articles that nobody learnt from.
    names : tuple of str
        The vocabulary.
    windows, found, strengths : Windows, TokenEdges, Strengths
        Its windows, their tables, and the odds inside the leagues.
    some, some_found : Windows, TokenEdges
        A part of its windows, for what is slow, and the edges of these.
    asked : Windows
        Windows of the other text.
    """

    documents: Sequence[Ints]
    unread: Sequence[Ints]
    names: tuple[str, ...]
    windows: Windows
    found: TokenEdges
    strengths: Strengths
    some: Windows
    some_found: TokenEdges
    asked: Windows

    @property
    def K(self) -> int:
        """Vocabulary size."""
        return len(self.names)


def followers(documents: Sequence[Ints], K: int) -> Floats:
    """How often word j came right after word k: shape (K, K)."""
    pairs = np.concatenate([np.stack([one[:-1], one[1:]]) for one in documents], axis=1)
    last, following = pairs[:, (pairs != GAP).all(axis=0)]
    return np.bincount(last * K + following, minlength=K * K).reshape(K, K).astype(np.float64)


def kinship(counts: Floats) -> Floats:
    """How alike the followers of two words are, from 0 to 1: shape (K, K).

    The cosine of the rows of positive pointwise mutual information, the usual measure.
    """
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=counts > 0)
    rows = np.log(np.maximum(ratio, 1.0))
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return np.asarray(rows @ rows.T)


def rank_correlation(scores: Floats, table: Floats) -> float:
    """Mean of Spearman's ρ over last tokens, each row without the last token itself.

    0 where one of the two does not rank at all.
    """
    found = []
    for last, (one, other) in enumerate(zip(scores, table, strict=True)):
        others = np.arange(len(one)) != last
        ranks = [rankdata(row[others]) for row in (one, other)]
        if min(np.ptp(rank) for rank in ranks) > 0:
            found.append(np.corrcoef(ranks)[0, 1])
    return float(np.mean(found)) if found else 0.0


def table_head(scores: Floats, names: tuple[str, ...]) -> Head:
    """Any K × K table of scores as a head: row = last token."""
    unit = np.eye(len(scores))
    return Head.from_arrays(unit, scores.T, unit, scale=1.0, names=names, positions="none")


def beside_tables(head: Head, text: Text, kin: Floats) -> dict[str, float]:
    """A head's table beside the two tables of the data, with the controls."""
    asked = range(ASKED)
    pairs = agreement(head, text.found, lasts=asked, permutations=PERMUTATIONS)
    renamed = head.shuffled(0)
    rows = head.score_rows(asked)
    return {
        "right": pairs.share,
        "right_swapped": pairs.share_swapped,
        "right_permuted": pairs.share_permuted,
        "right_renamed": agreement(renamed, text.found, lasts=asked, permutations=1).share,
        "explained": pairs.mean("explained"),
        "explained_permuted": pairs.mean("explained_permuted"),
        "kin": rank_correlation(rows, kin[:ASKED]),
        "kin_renamed": rank_correlation(renamed.score_rows(asked), kin[:ASKED]),
        "favourites": favourites(rows),
    }


def table_after(text: Text, last: str) -> dict[str, object]:
    """The data's table after a word: its tokens from the top, and the races that each has won.

    Higher leagues first; inside a league by strength.
    """
    graph, token = text.found.condensation, text.names.index(last)
    here = graph.nodes // text.K == token
    level = graph.levels[graph.component[here]]
    order = np.lexsort((-text.strengths.theta[here], -level))
    races = text.windows.races()
    wins = np.bincount(races.labels[races.lasts == token], minlength=text.K)
    tokens = (graph.nodes[here] % text.K)[order]
    return {"tokens": tokens, "level": level[order], "wins": wins[tokens]}


def strict_pairs(found: TokenEdges) -> int:
    """How many pairs are strict, after the last tokens that are asked."""
    head = table_head(np.zeros((found.K, found.K)), found.names)
    return int(agreement(head, found, lasts=range(ASKED), permutations=1).pairs.sum())


def favourites(rows: Floats) -> float:
    """Share of the variance of scores, row by row, that is the same after every last token."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    size = float(np.square(rows).sum())
    return float(len(rows) * np.square(rows.mean(axis=0)).sum() / size) if size else 0.0


def read_as_layer(head: Head, text: Text) -> dict[str, float]:
    """Leagues, order and odds, excess and silence: the head read as the book's layer."""
    leagues = league_stability(head, range(ASKED), draws=3, precision=1e-3)
    split = order_and_odds(head, text.found, text.strengths, lasts=range(ASKED))
    cost = excess(head, text.some, text.some_found)
    between, chance = split.mean()
    return {
        "leagues": float(leagues.leagues.mean()),
        "leagues_same": float(leagues.same.mean()),
        "between": between,
        "between_chance": chance,
        "odds_correlation": split.odds_correlation,
        "excess": cost.excess,
        "excess_flat": cost.flat,
        "excess_best": cost.best,
        "multiple": cost.multiple,
        "silent": float(silent_windows(head, text.asked).mean()),
    }


# ---- what a network does in text ------------------------------------------------------------


def bits(network: SmallTransformer, documents: Sequence[Ints]) -> dict[str, float]:
    """Bits per word of a text: of all (unless the layer copies), and of those that are in sight."""
    rows = stretches(documents)
    tokens, following = rows[:, :-1], rows[:, 1:]
    words = (tokens != GAP) & (following != GAP)
    in_sight = words & repeated(tokens, following)
    places = {"in_sight": in_sight} | ({} if network.shape.copies else {"all": words})
    with torch.no_grad():
        return {
            name: float(network.losses(tokens, following, where).mean()) / np.log(2)
            for name, where in places.items()
        }


def bits_of_counts(counts: Floats, documents: Sequence[Ints]) -> dict[str, dict[str, float]]:
    """The same for unigram and bigram, and for copying blindly what is in sight."""
    rows = stretches(documents)
    tokens, following = rows[:, :-1], rows[:, 1:]
    words = (tokens != GAP) & (following != GAP)
    in_sight = words & repeated(tokens, following)
    unigram = (counts.sum(axis=0) + 1) / (counts.sum() + len(counts))
    bigram = (counts + ADDED * unigram) / (counts.sum(axis=1, keepdims=True) + ADDED)
    seen = visible(tokens) & (tokens != GAP)[:, None, :]
    hits = seen & (tokens[:, None, :] == following[:, :, None])
    found: dict[str, dict[str, float]] = {}
    for name, where in (("all", words), ("in_sight", in_sight)):
        last, after = tokens[where].numpy(), following[where].numpy()
        found[name] = {
            "unigram": float(-np.log2(unigram[after]).mean()),
            "bigram": float(-np.log2(bigram[last, after]).mean()),
            "places": len(last),
        }
    share = hits.sum(dim=-1)[in_sight] / seen.sum(dim=-1)[in_sight]
    found["in_sight"]["copying"] = float(-torch.log2(share).mean())
    return found


def head_of(
    network: SmallTransformer,
    layer: int,
    number: int,
    names: tuple[str, ...],
    *,
    inputs: Tensor | None = None,
) -> Head:
    """A head of a network, read with the embeddings of the words, or with what else it reads."""
    block = network.blocks[layer]
    vectors = network.tokens if inputs is None else inputs
    W_Q, W_K, E = (w.detach() for w in (block.query[number], block.key[number], vectors))
    places = "added" if network.shape.positions else "none"
    return Head.from_arrays(W_Q, W_K, E, names=names, positions=places)


@torch.no_grad()
def mean_inputs(network: SmallTransformer, text: Text) -> list[Tensor]:
    """What each layer reads at a word, on average over the text: (K, d) for every layer."""
    learnt = _sample(text)
    known = network.inputs(learnt)[: network.shape.layers]
    return [_means(x, learnt, text.K)[0] for x in known]


def _sample(text: Text) -> Tensor:
    """The part of the text that means are taken over."""
    return stretches(text.documents)[::4, :-1]


def after_one_word(network: SmallTransformer) -> Floats:
    """What a network says after each word alone: its logits, shape (K, K)."""
    with torch.no_grad():
        last = network.inputs(torch.arange(len(network.tokens))[:, None])[-1][:, 0]
        return np.asarray((last @ network.decoder.T + network.bias).double().numpy())


@torch.no_grad()
def in_text(
    network: SmallTransformer, heads: Mapping[tuple[int, int], Head], text: Text
) -> dict[tuple[int, int], dict[str, float]]:
    """What every head does in unread text: is its table what it computes, and where does it look?

    ``fit_…`` is the squared correlation of two sets of scores, each relative to the mean of its
    window: of the real ones and of what the head would compute from the words' embeddings
    (``table``), from the mean of what the layer reads at a word (``word``), at a place (``place``),
    and from the sum of both (``sum``).
    """
    tokens = stretches(text.unread)[:, :-1]
    learnt = _sample(text)
    inputs, known = network.inputs(tokens), network.inputs(learnt)
    asked = tokens != GAP
    asked[:, :EARLIEST] = False
    seen = (visible(tokens) & (tokens != GAP)[:, None, :])[asked]
    found = {}
    for layer, block in enumerate(network.blocks):
        words, places, middle = _means(known[layer], learnt, text.K)
        at_word = words[tokens.clamp(min=0)]
        rivals = {"word": at_word, "place": middle + places, "sum": at_word + places}
        scores = _rows(block, inputs[layer], asked)
        guesses = {
            name: _rows(block, x.expand_as(inputs[layer]), asked) for name, x in rivals.items()
        }
        for number in range(network.shape.heads):
            real = scores[:, number]
            table = torch.from_numpy(heads[layer, number].score_matrix())
            last = tokens.clamp(min=0)[:, :, None].expand(-1, -1, tokens.shape[1])
            rows = table[last, tokens.clamp(min=0)[:, None, :]][asked].to(real.dtype)
            fits = {"table": rows} | {name: guess[:, number] for name, guess in guesses.items()}
            look = torch.softmax(real.masked_fill(~seen, -torch.inf), dim=-1)
            found[layer, number] = {
                **{f"fit_{name}": _fit(real, guess, seen) for name, guess in fits.items()},
                **_looks(look, tokens, asked, seen),
            }
    return found


def _rows(block: Block, x: Tensor, asked: Tensor) -> Tensor:
    """Scores at the places that are asked: shape (places, heads, T)."""
    return block.scores(x).transpose(1, 2)[asked]


def _means(x: Tensor, tokens: Tensor, K: int) -> tuple[Tensor, Tensor, Tensor]:
    """Mean inputs of a layer at each word (K, d), what each place adds (T, d), and the mean (d,).

    What a place adds is what is left when the words there have been subtracted.
    """
    there = tokens != GAP
    flat, ids = x[there], tokens[there]
    times = torch.bincount(ids, minlength=K).clamp(min=1)[:, None]
    words = torch.zeros(K, x.shape[-1]).index_add(0, ids, flat) / times
    rest = (x - words[tokens.clamp(min=0)]) * there[..., None]
    places = rest.sum(dim=0) / there.sum(dim=0).clamp(min=1)[:, None]
    return words, places, flat.mean(dim=0)


def _fit(real: Tensor, guess: Tensor, seen: Tensor) -> float:
    """Squared correlation of two sets of scores, each relative to the mean of its window."""
    one, other = (_centred(scores.double(), seen) for scores in (real, guess))
    size = one.square().sum() * other.square().sum()
    return float((one * other).sum() ** 2 / size) if size > 0 else 0.0


def _centred(scores: Tensor, seen: Tensor) -> Tensor:
    scores = scores.masked_fill(~seen, 0.0)
    return (scores - scores.sum(dim=-1, keepdim=True) / seen.sum(dim=-1, keepdim=True)) * seen


def _looks(look: Tensor, tokens: Tensor, asked: Tensor, seen: Tensor) -> dict[str, float]:
    """Mean attention of a head on some places, and on the words behind earlier copies of its own.

    The last is a ratio to equal attention: what an induction head would do.
    """
    here = asked.nonzero()[:, 1]
    context = tokens[asked.nonzero()[:, 0]]
    rows = torch.arange(len(here))
    own = context[rows, here]
    same = (context == own[:, None]) & seen
    same[rows, here] = False
    behind = torch.zeros_like(same)
    behind[:, 1:] = same[:, :-1]
    behind &= seen
    some = behind.any(dim=-1)
    equal = behind.sum(dim=-1) / seen.sum(dim=-1)
    flat = seen / seen.sum(dim=-1, keepdim=True)
    return {
        "moved": float(0.5 * (look - flat).abs().sum(dim=-1).mean()),
        "on_itself": float(look[rows, here].mean()),
        "on_previous": float(look[rows, here - 1].mean()),
        "on_first": float(look[:, 0].mean()),
        "on_copies": float((look * same).sum(dim=-1)[same.any(dim=-1)].mean()),
        "behind_copies": float((look * behind).sum(dim=-1)[some].mean() / equal[some].mean()),
    }


def copying(network: SmallTransformer, layer: int, number: int) -> float:
    """Where a head puts the word it looks at: mean rank among all words, 1 = first, 0 = last."""
    block, E = network.blocks[layer], network.tokens.detach()
    if network.shape.values:
        E = E @ block.value[number].detach() @ block.out[number].detach()
    written = (E @ network.decoder.detach().T).double()
    own = written.diagonal()[:, None]
    below = (written < own).double() + 0.5 * (written == own)  # itself counts ½ among the K
    return float((below.sum(dim=1) - 0.5).mean()) / (len(written) - 1)
