"""Our packages in the Python of the pages: 32-bit indices, Python 3.14, many packages absent.

The oracle is the outer world: what the docstrings promise, which ``make test`` holds against the
Python of this machine, and the numbers that this machine computes for the same programs.
"""

from __future__ import annotations

import contextlib
import io
import json

import numpy as np
import pytest

from tests.book.runtime.in_wasm import Wasm

#: Packages that do not run in a browser, and modules of ours that are nothing without them.
ABSENT = {
    "torch": {
        "nta_core.model.layer",
        "nta_beyond.induction.course",
        "nta_beyond.induction.network",
        "nta_beyond.openlab.network",
        "nta_beyond.openlab.trial",
    },
    "anywidget": {"nta_book.lab"},
    "cloudpickle": {"nta_book.explore.fingerprint"},
    "ipywidgets": {"nta_book.explore.live"},
}

_IMPORT_ALL = """
import importlib, json, pkgutil
import nta_beyond, nta_book, nta_core
found = {}
for package in (nta_core, nta_beyond, nta_book):
    prefix = f"{package.__name__}."
    for module in pkgutil.walk_packages(package.__path__, prefix, onerror=lambda name: None):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except Exception as error:
            missing = getattr(error, "package", None) or getattr(error, "name", None)
            found.setdefault(missing or repr(error), []).append(module.name)
        else:
            found.setdefault("imported", []).append(module.name)
print(json.dumps(found))
"""

_DOCTESTS = """
import doctest, importlib, json, pkgutil
import nta_beyond, nta_book.exercises, nta_book.viz, nta_core
from nta_core import MissingPackage

class Runner(doctest.DocTestRunner):
    def report_start(self, *_): pass
    def report_success(self, *_): pass
    def report_failure(self, out, test, example, got):
        self.note(test, example, got)
    def report_unexpected_exception(self, out, test, example, info):
        if issubclass(info[0], (MissingPackage, ModuleNotFoundError)):
            absent.add(test.name)  # what follows lacks what this line should have given
        self.note(test, example, repr(info[1]))
    def note(self, test, example, got):
        if test.name not in absent:
            faults.append([test.name, example.source, example.want, got])

faults, absent, asked = [], set(), 0
for package in (nta_core, nta_beyond, nta_book.viz, nta_book.exercises):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        try:
            home = importlib.import_module(module.name)
        except (ModuleNotFoundError, MissingPackage):
            continue
        for test in doctest.DocTestFinder().find(home):
            asked += len(test.examples)
            Runner(optionflags=doctest.ELLIPSIS).run(test, out=lambda text: None)
print(json.dumps({"asked": asked, "faults": faults, "absent": sorted(absent)}))
"""

#: A program that uses what counts, cuts and repeats, on the paper's examples and on random data.
_NUMBERS = """
import json
import numpy as np
import nta_core as nta
from nta_beyond.chain import TokenChain, fit_odds, simulate
from nta_beyond.optimizers import stochastic_descent
from nta_beyond.text import Bigram, Corpus, Unigram, Vocabulary, read_edges, text_windows, tracks

def of_dataset(data, d, seed):
    E = nta.embeddings(data.K, d, seed=seed)
    graphs = nta.token_priority_graphs(data)
    fin = nta.finite_part(data, graphs, E)
    run = nta.gradient_descent(data, E, steps=60, step_size=0.3, normalized=False)
    W = nta.solve_graph_svm(graphs, E).W
    batch = nta.gradient_descent_batch(
        [data, data], [E, 2 * E], steps=20, step_size=0.1, normalized=False)
    return {
        "counts": data.counts.tolist(), "realizable": data.realizable_rows.tolist(),
        "leagues": {k: [sorted(part) for part in g.components] for k, g in graphs.items()},
        "svm": W.tolist(), "finite": fin.W.tolist(), "split": fin.loss,
        "luce": str({k: {j: round(s, 5) for j, s in t.items()}
                     for k, t in nta.luce_strengths(data, graphs).theta.items()}),
        "run": run.W.tolist(), "losses": run.losses.tolist(),
        "batch": [b.W.tolist() for b in batch],
        "noisy": stochastic_descent(
            data, E, steps=20, step_size=0.1, batch_size=2, normalized=False, seed=seed).W.tolist(),
        "pseudo": sorted((k, len(g.components)) for k, g in
                         nta.pseudo_graphs(data, E, run.W, threshold=0.1).items()),
        "masses": nta.attention_masses(data, run.W, E).tolist(),
        "gradient": nta.gradient(run.W, data, E).tolist(),
    }

def of_text():
    corpus = Corpus.from_text("the cat saw the dog . the dog saw a cat . a dog ran . " * 9)
    words = Vocabulary.of(corpus, 8)
    found = read_edges(corpus, words, window=4)
    windows = text_windows(corpus, words, window=4)
    bigram = Bigram(windows, found.K)
    seen = tracks(found)
    return {"races": found.races.tolist(), "bigram": bigram.probability(windows).tolist(),
            "unigram": Unigram(windows, found.K).shares.tolist(), "edges": seen.edges.tolist()}

def of_chain():
    chain = TokenChain([[1.0, 2.0, 1.0], [3.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    texts = simulate(chain, [0, 1, 2], runs=3, record=[0, 5, 20], seed=1)
    return {"next": chain.probabilities([0, 1, 2, 1]).tolist(), "texts": texts.tolist(),
            "odds": fit_odds([[2, 1], [1, 2], [2, 2]], [0, 1, 0]).theta.tolist()}

found = {"FIG3": of_dataset(nta.FIG3, 4, 0), "FIG8": of_dataset(nta.FIG8, 5, 1)}
for seed in range(4):
    data = nta.random_dataset(12, 4, 5, kind="any", seed=seed)
    found[f"random {seed}"] = of_dataset(data, 6, seed)
found |= {"text": of_text(), "chain": of_chain()}
print(json.dumps(found))
"""


def test_every_module_is_imported_there(wasm: Wasm) -> None:
    found = wasm.value(_IMPORT_ALL)
    imported = found.pop("imported")
    assert {name: set(modules) for name, modules in found.items()} == ABSENT
    assert {"nta_core.svm.graph_svm", "nta_book.exercises.chapter_08"} <= set(imported)
    assert not [name for name in imported if name.startswith(("nta_book.sphinx", "nta_book.runt"))]


def test_docstrings_keep_their_promises_there(wasm: Wasm) -> None:
    told = wasm.value(_DOCTESTS)
    assert told["asked"] > 500
    assert not told["faults"]
    assert len(told["absent"]) < 20


def test_the_same_numbers_there_and_here(wasm: Wasm) -> None:
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(_NUMBERS, {"__name__": "numbers"})
    same(wasm.value(_NUMBERS), json.loads(here.getvalue()))


def same(there: object, here: object, place: str = "") -> None:
    """Hold two results against each other: words and whole numbers exactly, the others closely."""
    if isinstance(here, dict):
        assert isinstance(there, dict)
        assert there.keys() == here.keys()
        for key in here:
            same(there[key], here[key], f"{place}.{key}")
    elif isinstance(here, list):
        assert isinstance(there, list)
        assert len(there) == len(here), place
        for k, pair in enumerate(zip(there, here, strict=True)):
            same(*pair, f"{place}[{k}]")
    elif isinstance(here, float):
        np.testing.assert_allclose(there, here, rtol=1e-6, atol=1e-8, err_msg=place)
    else:
        assert there == here, place


def test_numpy_there_refuses_64_bit_counts(wasm: Wasm) -> None:
    """The reason for `nta_core.indices`: without it nothing can be repeated or cut."""
    given = "import numpy as np\nlong = np.array([1, 2], dtype=np.int64)\n"
    for call in ("np.repeat([5, 6], {})", "np.add.reduceat(np.ones(4), {})"):
        refused = wasm.run(given + call.format("long"))
        assert not refused["ok"], call
        assert refused["error"]["kind"] == "TypeError"
        taken = wasm.run(
            f"{given}from nta_core.indices import as_index\n{call.format('as_index(long)')}"
        )
        assert taken["ok"], taken


_LINEAR = {
    "singular": "np.linalg.inv(np.ones((3, 3)))",
    "solve": "np.linalg.solve([[1, 2], [2, 4]], [1, 2])",
    "one of many": "np.linalg.inv(np.stack([np.eye(2), np.zeros((2, 2))]))",
    "power": "np.linalg.matrix_power(np.zeros((2, 2)), -1)",
    "indefinite": "np.linalg.cholesky(-np.eye(2), upper=True)",
    "given NaN": "np.linalg.inv(np.full((2, 2), np.nan))",
    "empty": "np.linalg.solve(np.zeros((0, 0)), np.zeros(0))",
    "sound": "np.linalg.solve(a=[[1, 2], [3, 4]], b=[1, 2])",
    "positive": "np.linalg.cholesky(2 * np.eye(2))",
}


@pytest.mark.parametrize("code", _LINEAR.values(), ids=list(_LINEAR))
def test_a_matrix_that_cannot_be_inverted_is_refused_as_here(wasm: Wasm, code: str) -> None:
    there = wasm.run(f"import numpy as np\n{code}")
    try:
        here = repr(eval(code))
    except np.linalg.LinAlgError as error:
        here = f"LinAlgError: {error}"
    if there["ok"]:
        assert there["outputs"] == [{"text/plain": here}]
    else:
        assert there["error"]["text"].endswith(here)


def test_arrays_are_printed_as_here(wasm: Wasm) -> None:
    for code in ("np.arange(3, dtype=np.int64)", "np.zeros(2, dtype=np.int8)", "np.ones(2)"):
        shown = wasm.run(f"import numpy as np\n{code}")["outputs"]
        assert shown == [{"text/plain": repr(eval(code))}]


def test_what_is_printed_without_an_end_of_line_belongs_to_its_cell(wasm: Wasm) -> None:
    assert wasm.run("print('a', end='')")["printed"] == "a"
    assert wasm.run("print('b')")["printed"] == "b\n"


def test_a_chart_needs_no_plotly_there(wasm: Wasm) -> None:
    shown = wasm.run(
        "from nta_book import viz\n"
        'viz.growth([1, 10], {"leagues": [4, 1]}, x_title="n", y_title="leagues")'
    )
    assert shown["ok"], shown
    (output,) = shown["outputs"]
    chart = output["application/vnd.plotly.v1+json"]
    assert chart["data"][0]["type"] == "scatter"
    assert chart["layout"]["meta"]["alt"]


@pytest.mark.parametrize("name", ["heads_on_text", "two_roads"])
def test_stored_results_are_there(wasm: Wasm, name: str) -> None:
    told = wasm.run(
        f"from nta_book.results import stored_result\nlen(stored_result({name!r}).cells)"
    )
    assert told["ok"], told
    assert int(told["outputs"][0]["text/plain"]) > 0
