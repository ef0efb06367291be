"""Can the heads of small transformers be read, and do they say what the data's tables say?"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments import head_measures as measures
from experiments.experiment import Experiment
from experiments.head_measures import Text
from experiments.small_transformers import CONTEXT, Shape, SmallTransformer, trained
from nta_beyond.heads import silent_windows
from nta_beyond.text import Vocabulary, fit_strengths, named_corpus, text_windows, window_edges
from nta_core.boundary import Floats, Ints

WORDS = 800
HELD_OUT = 12  # articles at the end of the corpus, never trained on
STEPS = 1_500
FEW = 20  # steps of the networks that tests train anew
SEEDS = (0, 1, 2)
EVERY = 8  # windows, for what is slow
SHOWN = ("he", "the", "of", "in", "had", "New", "three")  # last tokens whose rankings are kept
TOP = 12  # words of a ranking that are kept

SHAPES = {
    "the book's layer": Shape(heads=1, copies=True, values=False, residual=False),
    "a decoder, in sight": Shape(heads=1, values=False, residual=False, in_sight=True),
    "one layer, in sight": Shape(in_sight=True),
    "a decoder": Shape(heads=1, values=False, residual=False),
    "a residual": Shape(heads=1, values=False),
    "one layer": Shape(),
    "one layer, places": Shape(positions=True),
    "two layers": Shape(layers=2),
    "two layers, places": Shape(layers=2, positions=True),
    "two layers, places, MLP": Shape(layers=2, positions=True, mlp=True),
}
ONCE = ("a residual",)  # one seed is enough: only one question is asked of it
CONTROLS = (
    *("the book's layer", "one layer", "one layer, places"),
    *("two layers, places", "two layers, places, MLP"),
)
BRIEFLY = ("the book's layer", "two layers, places, MLP")  # the least and the most of all parts
WRITTEN, SHUFFLED = "as written", "shuffled"


def _cells() -> tuple[dict[str, object], ...]:
    """The text alone, untrained networks, trained ones; at the end those that tests train again."""
    return (
        {"shape": "the text", "text": WRITTEN, "steps": 0, "seed": 0},
        *({"shape": shape, "text": WRITTEN, "steps": 0, "seed": 0} for shape in CONTROLS),
        *(
            {"shape": shape, "text": WRITTEN, "steps": STEPS, "seed": seed}
            for shape in SHAPES
            for seed in (SEEDS[:1] if shape in ONCE else SEEDS)
        ),
        *({"shape": shape, "text": SHUFFLED, "steps": STEPS, "seed": 0} for shape in CONTROLS),
        *({"shape": shape, "text": WRITTEN, "steps": FEW, "seed": 0} for shape in BRIEFLY),
    )


@cache
def wikitext() -> Text:
    """The corpus: its tables, and the articles that nobody learns from."""
    whole = named_corpus("wikitext-2").corpus()
    cut = len(whole.documents) - HELD_OUT
    learnt, unread = whole.pick(slice(0, cut)), whole.pick(slice(cut, None))
    words = Vocabulary.of(learnt, WORDS)
    windows = text_windows(learnt, words, window=CONTEXT)
    found, some = window_edges(windows, words.names), windows.pick(slice(None, None, EVERY))
    return Text(
        documents=[words.encode(tokens) for tokens in learnt.tokens()],
        unread=[words.encode(tokens) for tokens in unread.tokens()],
        names=words.names,
        windows=windows,
        found=found,
        strengths=fit_strengths(found, windows),
        some=some,
        some_found=window_edges(some, words.names),
        asked=text_windows(unread, words, window=CONTEXT),
    )


@cache
def follower_counts() -> Floats:
    """How often each word came right after each other, in what is learnt from."""
    return measures.followers(wikitext().documents, WORDS)


@cache
def kin() -> Floats:
    """Which words have the same followers."""
    return measures.kinship(follower_counts())


def network(shape: str, text: str, steps: int, seed: int) -> SmallTransformer:
    """The network of a cell; trained if it is not yet."""
    documents = wikitext().documents
    if text == SHUFFLED:  # words and gaps are dealt out at random, the articles keep their lengths
        mixed = np.random.default_rng(0).permutation(np.concatenate(documents))
        documents = np.split(mixed, np.cumsum([len(one) for one in documents])[:-1])
    if steps == FEW:  # trained anew each time, whatever was kept of another time
        with TemporaryDirectory() as folder:
            return trained(
                SHAPES[shape], documents, WORDS, seed=seed, steps=steps, folder=Path(folder)
            )
    return trained(SHAPES[shape], documents, WORDS, seed=seed, steps=steps)


def measure(shape: str, text: str, steps: int, seed: int) -> dict[str, object]:
    """Read the heads of one network; or, without one, say what the text itself offers.

    Heads of a first layer are read with the embeddings; those above with the mean of what their
    layer reads at a word, for the embeddings explain little of their scores (``fit_table``).
    """
    if shape == "the text":
        return _the_text()
    read, net = wikitext(), network(shape, text, steps, seed)
    heads = {
        (layer, number): measures.head_of(net, layer, number, read.names)
        for layer in range(net.shape.layers)
        for number in range(net.shape.heads)
    }
    done, inputs = measures.in_text(net, heads, read), measures.mean_inputs(net, read)
    rows = []
    for (layer, number), embedded in heads.items():
        row: dict[str, object] = {"layer": layer, "head": number, **done[layer, number]}
        head = embedded
        if layer:
            head = measures.head_of(net, layer, number, read.names, inputs=inputs[layer])
            row["silent_embedded"] = float(silent_windows(embedded, read.asked).mean())
        row |= measures.beside_tables(head, read, kin()) | measures.read_as_layer(head, read)
        if steps != FEW:  # after so few, neighbours are nearer than another machine's rounding
            row["top"] = [_top(head.scores(last)) for last in SHOWN]
        if not net.shape.copies:
            row["copying"] = measures.copying(net, layer, number)
        rows.append(row)
    values: dict[str, object] = {"bits": measures.bits(net, read.unread), "heads": rows}
    if not net.shape.copies:
        said = measures.table_head(measures.after_one_word(net), read.names)
        values["after_one_word"] = measures.beside_tables(said, read, kin())
    return values


def _the_text() -> dict[str, object]:
    """Vocabulary, baselines in bits, tables after some words, and rankings without a network."""
    read, counts = wikitext(), follower_counts()
    frequency = np.log(np.bincount(np.concatenate(read.documents) + 1)[1:])
    rankings = {
        "frequency": np.tile(frequency, (WORDS, 1)),
        "bigram": np.log(counts + 1),
        "kin": kin(),
    }
    return {
        "names": read.names,
        "tokens": sum(map(len, read.documents)),
        "unread": sum(map(len, read.unread)),
        "words": float((np.concatenate(read.documents) >= 0).mean()),
        "races": read.found.races.sum(),
        "windows": read.found.windows.sum(),
        "pairs": measures.strict_pairs(read.found),
        "bits": measures.bits_of_counts(counts, read.unread),
        "rankings": {
            name: measures.beside_tables(measures.table_head(table, read.names), read, kin())
            for name, table in rankings.items()
        },
        "shown": SHOWN,
        "tables": [measures.table_after(read, last) for last in SHOWN],
        "kin": [_top(kin()[read.names.index(last)]) for last in SHOWN],
    }


def _top(scores: Floats) -> Ints:
    """The tokens with the highest scores, best first."""
    return np.asarray(np.argsort(-scores, kind="stable")[:TOP])


CELLS = _cells()
EXPERIMENT = Experiment(
    "Heads of small transformers on text",
    17,
    CELLS,
    measure,
    spot=(0, *(i for i, cell in enumerate(CELLS) if cell["steps"] == FEW)),
    tolerance=1e-4,
    corpora=("wikitext-2",),
)
