"""Right arguments by the name of a parameter, for `tests.garbage`.

``room:name`` and ``name: type`` stand for a parameter where a name is used differently, and
``class:Name`` for a class that no public function makes from right arguments.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from nta_core import FIG3, Comparison, random_dataset, token_priority_graphs

W = 0.1 * np.arange(16.0).reshape(4, 4)
X = np.linspace(0.1, 0.9, 3)
PAIRS = {"one": (X, X), "other": (X, 1 - X)}
SENTENCE = "the cat saw the dog and the dog saw the cat "


def text_file() -> str:
    path = Path(tempfile.gettempdir()) / "nta_garbage.txt"
    path.write_text(FIG3.to_text(), encoding="utf-8")
    return str(path)


def classes() -> Any:
    from nta_beyond.scansnap import syn_small

    return syn_small()


def attention_path() -> Any:
    from nta_beyond.scansnap import population_flow

    return population_flow(classes())


def corpus() -> Any:
    from nta_beyond.text import Corpus

    return Corpus.from_text(SENTENCE * 20, SENTENCE)


def corpora() -> Any:
    """A folder that holds a corpus of two articles, known under the name "the"."""
    from hashlib import sha256

    from nta_beyond.text.corpora import KNOWN, KnownCorpus

    text = b" \n = One = \n \n a b a \n \n = Two = \n \n b a b \n"
    place = Path(tempfile.mkdtemp()) / "the" / "part.txt"
    place.parent.mkdir()
    place.write_bytes(text)
    KNOWN["the"] = KnownCorpus("it", {place.name: sha256(text).hexdigest()}, tokenizer())
    return place.parents[1]


def results() -> Any:
    """The folder of stored results."""
    from nta_book.results import RESULTS

    return RESULTS


def tokenizer() -> Any:
    """A rule that cuts text into tokens."""
    from nta_beyond.text import SpacedWords

    return SpacedWords()


def windows() -> Any:
    from nta_beyond.text import Windows

    tokens = np.array([[0, 1, 0], [2, 1, 0], [2, 3, 0], [3, 0, 1], [1, 0, 2], [2, 0, 1]] * 4)
    return Windows(tokens, np.array([1, 2, 3, 0, 1, 2] * 4))


def edges() -> Any:
    from nta_beyond.text import window_edges

    return window_edges(windows(), ("the", "cat", "saw", "dog"))


def weights_file() -> str:
    path = Path(tempfile.gettempdir()) / "nta_garbage.safetensors"
    parts = {"q": ([2, 4], [0, 64]), "k": ([2, 4], [64, 128]), "e": ([4, 4], [128, 256])}
    told = {
        f"{name}.weight": {"dtype": "F64", "shape": shape, "data_offsets": at}
        for name, (shape, at) in parts.items()
    }
    header = json.dumps(told)
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + 2 * W.tobytes())
    return str(path)


def attention_head() -> Any:
    from nta_beyond.heads import Head

    return Head.from_arrays(W, W, np.eye(4), names=("the", "cat", "saw", "dog"))


def attention_layer() -> Any:
    return SimpleNamespace(in_proj_weight=np.vstack([W, W, W]), num_heads=2)


def unigram() -> Any:
    from nta_beyond.text import Unigram

    return Unigram(windows(), 4)


def copier() -> Any:
    from nta_beyond.text import Untrained

    return Untrained()


def contest_data() -> Any:
    from nta_beyond.scansnap import clue_or_copy_dataset

    return [clue_or_copy_dataset(0.25, cyclic=False, seed=0, n=20, T=12)]


def six_tokens() -> Any:
    return random_dataset(8, 3, 6, seed=0)


def exam() -> Any:
    from nta_beyond.openlab import exams

    return exams(six_tokens(), seed=0)[0]


def token_lab() -> Any:
    from nta_book.lab import TokenLab

    return TokenLab()


def tensor(values: Any) -> Any:
    import torch

    return torch.tensor(values)


class OneByOne:
    """Stands for a cluster: does what is submitted at once."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def submit(self, call: Callable[..., Any], *given: Any, pure: bool, **named: Any) -> OneByOne:
        def known(value: Any) -> Any:
            if isinstance(value, list):
                return [known(part) for part in value]
            return value.value if isinstance(value, OneByOne) else value

        return OneByOne(call(*map(known, given), **{key: known(v) for key, v in named.items()}))

    def result(self) -> Any:
        return self.value


def variant() -> Any:
    from nta_beyond.openlab import Variant

    return Variant()


def language() -> Any:
    from nta_beyond.decoder import Language

    return Language(np.eye(2), [[0.75, 0.25, 0.0], [0.0, 0.0, 1.0]])


def slider() -> Any:
    from nta_book.explore import Slider

    return Slider("C", [0, 1, 2.5])


def stored() -> Any:
    from nta_book.results import stored_result

    result = stored_result("open_lab")
    return replace(result, cells=result.cells[:1])


def drawing(name: str = "e1") -> Any:
    from nta_book import viz

    return viz.token(name)


MAKERS: dict[str, Callable[[], Any]] = {
    # the core: the paper's Fig. 3 with one-hot embeddings
    "class:Dataset": lambda: FIG3,
    "class:TokenPriorityGraphs": lambda: token_priority_graphs(FIG3),
    "class:TokenPriorityGraph": lambda: token_priority_graphs(FIG3)[1],
    "class:Comparison": lambda: Comparison(1, 3, 0),
    "A": lambda: W,
    "B": lambda: W,
    "E": lambda: np.eye(4),
    "Es": lambda: [np.eye(4)],
    "K": lambda: 4,
    "T": lambda: 4,
    "V": lambda: W,
    "W": lambda: W,
    "batch_size": lambda: 2,
    "context": lambda: [2, 0, 1],
    "contexts": lambda: np.array([[2, 0, 1]]),
    "d": lambda: 4,
    "edges": lambda: {0: [(1, 0), (0, 1), (1, 2)]},
    "i": lambda: 0,
    "j": lambda: 2,
    "label": lambda: 1,
    "labels": lambda: [1, 2],
    "last": lambda: 1,
    "lasts": lambda: np.array([0, 1]),
    "league": lambda: {3},
    "left": lambda: W[:2],
    "loss": lambda: "log",
    "mass": lambda: np.full((1, 4), 0.25),
    "n": lambda: 4,
    "name": lambda: "e1",
    "names": lambda: ["e1", "e2", "e3", "e4"],
    "path": text_file,
    "radii": lambda: [1.0, 2.0],
    "radius": lambda: 1.0,
    "row": lambda: 0,
    "rows": lambda: [0, 1],
    "seed": lambda: 0,
    "seeds": lambda: [0],
    "sequences": lambda: [[0, 1, 0], [2, 1, 0]],
    "step_size": lambda: 0.1,
    "steps": lambda: 3,
    "text": lambda: "a b a -> b",
    "token": lambda: 0,
    "tokens": lambda: [0, 2],
    "nta_core.model:labels": lambda: np.array([1]),
    # beyond the theorems
    "class:Variant": variant,
    "class:SequenceClasses": classes,
    "class:AttentionPath": attention_path,
    "class:Corpus": corpus,
    "class:SpacedWords": tokenizer,
    "class:Windows": windows,
    "class:TokenEdges": edges,
    "M": lambda: 20,
    "P": lambda: [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]],
    "Z": lambda: np.arange(classes().Q * classes().L * 1.0).reshape(classes().Q, -1),
    "answers": lambda: [2, 2],
    "attention": lambda: attention_path().attention[-1],
    "client": OneByOne,
    "contexts: Tensor": lambda: tensor([[[2, 0, 1, 3]]]),
    "x: Tensor": lambda: tensor(np.full((1, 1, 12), 0.25)),
    "copier": copier,
    "corpus": corpus,
    "gradient": lambda: W,
    "ids": lambda: [0, 1],
    "norm": lambda: "nuclear",
    "other": unigram,
    "overlap": lambda: 0.5,
    "predictors": lambda: {"copies": copier()},
    "queries": lambda: [0, 1],
    "rank": lambda: 2,
    "rho": lambda: 0.25,
    "shares": lambda: [0.5, 0.3, 0.2],
    "sizes": lambda: [40, 80],
    "t": lambda: np.array([0.5, 1.0]),
    "test": windows,
    "validation": windows,
    "windows: Ints": lambda: edges().windows,
    "run: int": lambda: 0,
    "x": lambda: X,
    "nta_beyond.chain:counts": lambda: [[1, 1], [2, 1], [1, 3]],
    "nta_beyond.chain:drawn": lambda: [0, 1, 0],
    "nta_beyond.chain:record": lambda: [0, 4],
    "nta_beyond.chain:runs": lambda: 2,
    "nta_beyond.chain:strengths": lambda: np.ones((4, 4)),
    "nta_beyond.chain:text": lambda: [0, 1],
    "texts: Tensor": lambda: tensor([[0, 1, 2, 0]]),
    "nta_beyond.induction:chains": lambda: np.full((2, 4, 4), 0.25),
    "nta_beyond.induction:lags": lambda: 2,
    "nta_beyond.induction:layers": lambda: 2,
    "nta_beyond.induction:look": lambda: 0,
    "nta_beyond.induction:model": lambda: np.full((1, 4, 4), 0.25),
    "nta_beyond.induction:probabilities": lambda: np.full((1, 4, 4), 0.25),
    "nta_beyond.induction:rule": lambda: np.full((1, 4, 4), 0.25),
    "nta_beyond.induction:texts": lambda: [[0, 1, 2, 0]],
    "class:Language": language,
    "nta_beyond.decoder:W": lambda: np.arange(6.0).reshape(3, 2),
    "nta_beyond.decoder:contexts": lambda: np.eye(2),
    "nta_beyond.decoder:counts": lambda: {"a cup of": {"tea": 3, "milk": 1}, "rain": {"sun": 1}},
    "nta_beyond.decoder:d": lambda: 3,
    "nta_beyond.decoder:names": lambda: ["a cup of", "a pot of"],
    "nta_beyond.decoder:odds": lambda: [[0.75, 0.25, 0.0], [0.0, 0.0, 1.0]],
    "nta_beyond.decoder:ridges": lambda: [0.1, 0.01],
    "nta_beyond.decoder:shares": lambda: [0.5, 0.5],
    "nta_beyond.decoder:words": lambda: ["tea", "milk", "bread"],
    "nta_beyond.openlab:d": lambda: 12,
    "nta_beyond.openlab:probabilities": lambda: np.full((len(exam()), 6), 1 / 6),
    "nta_beyond.openlab:dataset": six_tokens,
    "nta_beyond.openlab:datasets": lambda: [six_tokens()],
    "nta_beyond.scansnap:counts": lambda: [[2, 1, 0], [0, 0, 3]],
    "nta_beyond.scansnap:datasets": contest_data,
    "nta_beyond.scansnap:tokens": lambda: [[0, 1, 0], [2, 1, 0]],
    "nta_beyond.text:counts": lambda: {"the": 3, "cat": 2},
    "nta_beyond.text:documents": lambda: corpus().documents,
    "nta_beyond.text:keys": lambda: edges().keys,
    "nta_beyond.text:lasts": lambda: np.array([0, 1]),
    "nta_beyond.text:path": text_file,
    "nta_beyond.text:races": lambda: edges().races,
    "nta_beyond.text:text": lambda: SENTENCE,
    "nta_beyond.text:folder": corpora,
    "nta_beyond.text:part": lambda: "part.txt",
    "nta_beyond.text:tokenizer": tokenizer,
    "nta_beyond.text:tokens": lambda: np.array([0, 2]),
    "nta_beyond.text:name": lambda: "the",
    "class:Head": attention_head,
    "W_K": lambda: W,
    "W_Q": lambda: W,
    "module": attention_layer,
    "nta_beyond.heads:column": lambda: "right",
    "nta_beyond.heads:counts": lambda: [4, 3, 2, 1],
    "nta_beyond.heads:embedding": lambda: "e.weight",
    "nta_beyond.heads:found": edges,
    "nta_beyond.heads:key": lambda: "k.weight",
    "nta_beyond.heads:name": lambda: "q.weight",
    "nta_beyond.heads:path": weights_file,
    "nta_beyond.heads:query": lambda: "q.weight",
    "nta_beyond.heads:state": lambda: {"q.weight": W[:2], "k.weight": W[2:], "e.weight": np.eye(4)},
    "nta_beyond.heads:weight": lambda: np.ones(4),
    # the book
    "class:Slider": slider,
    "class:StoredResult": stored,
    "nta_book.results:folder": results,
    "across": lambda: [1.0, 10.0],
    "alt": lambda: "A picture.",
    "band": lambda: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    "columns": lambda: ["share"],
    "column_title": lambda: "last token",
    "controls": lambda: [slider()],
    "counts": lambda: {"edges": X + 1},
    "ends": lambda: np.zeros((3, 3), dtype=int),
    "fitted": lambda: ([1.0, 2.0], [3.0, 4.0]),
    "groups": lambda: PAIRS,
    "machine": lambda: {"e1": 0.5, "e2": 0.5},
    "matrix": lambda: W[:, :1],
    "network": lambda: {"e1": 0.4, "e2": 0.6},
    "normals": lambda: np.eye(2),
    "pairs": lambda: PAIRS,
    "paper": lambda: (X, X),
    "paths": lambda: PAIRS,
    "picture": drawing,
    "pictures": lambda: [drawing()],
    "question": lambda: "What does C do?",
    "render": lambda: lambda state: drawing(str(state)),
    "row_title": lambda: "token",
    "runs": lambda: [X, X],
    "series": lambda: {"one": np.stack([X, X])},
    "solution": lambda: [1.0, 1.0],
    "svg": lambda: "<svg></svg>",
    "value": lambda: 1,
    "values": lambda: [0, 1],
    "wins": lambda: [[0, 1], [2, 0]],
    "tables": lambda: ["a b", "a > b"],
    "tables: Mapping[str, ArrayLike]": lambda: {"W": W[:, :1]},
    "marks": lambda: {"one": [0, 1], "other": [1, 0]},
    "weights": lambda: [0.5, 0.2, 0.2, 0.1],
    "words": lambda: lambda state: f"The state is {state}.",
    "x_title": lambda: "x",
    "y": lambda: X,
    "y_title": lambda: "y",
    "class:BookWidget": token_lab,
    "rows: Mapping[str, Sequence[int]]": lambda: {"after e1": [1, 2, 1, 0]},
    "rows: Sequence[str]": lambda: ["e1", "e2", "e3", "e4"],
    "groups: Mapping[str, Rows]": lambda: {"all": {"intact": [[1, 1]], "broken": [[0.5, 0.7]]}},
    "control": lambda: "intact",
    "words: int": lambda: 20,
    "tokens: Sequence[str]": lambda: ["the", "cat"],
    "force": lambda: True,
    "values: Mapping[Comparison, float]": lambda: {Comparison(1, 3, 0): 1.0},
    "nta_book.results:name": lambda: "open_lab",
    "nta_book.lab:strengths": lambda: [1.0, 1.0, 2.0],
    "nta_book.lab:names": lambda: ["tea", "coffee", "milk"],
    "nta_book.lab:dataset": lambda: FIG3.subset([0, 1, 2]),
    "nta_book.explore:name": lambda: "C",
    "nta_book.viz:attention": lambda: [[1, 0, 0], [0.5, 0.5, 0]],
    "nta_book.viz:left": lambda: ["milk", "tea"],
    "nta_book.viz:right": lambda: ["tea", "milk"],
    "nta_book.viz:floors": lambda: {"top": [("as", 3, 4, "3 of 4")]},
    "nta_book.viz:labels": lambda: ["e1", "e2"],
    "nta_book.viz:lines": lambda: {"a1": X, "a2": X + 1},
    "nta_book.viz:loss": lambda: np.zeros((3, 3)),
    "nta_book.viz:mass": lambda: np.full((7, 4), 0.25),
    "nta_book.viz:sizes": lambda: {"top": 5},
    "nta_book.viz:steps": lambda: X,
    "nta_book.viz:n": lambda: X,
}
