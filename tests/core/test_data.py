"""Data: what is accepted is kept exactly, what is refused says where and why."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    FIG8,
    DataError,
    Dataset,
    EmbeddingError,
    OptionError,
    TextError,
    UnknownToken,
    UnrealizableLabelWarning,
    embeddings,
    random_dataset,
    token_priority_graphs,
)
from nta_core.boundary import check_context, check_embeddings, check_weights

names = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=4).filter(
    lambda name: name not in ("->", "→") and name.split() == [name]
)


@st.composite
def datasets(draw):
    K = draw(st.integers(1, 7))
    rows = draw(
        st.lists(st.lists(st.integers(0, K - 1), min_size=1, max_size=6), min_size=1, max_size=8)
    )
    labels = [draw(st.integers(0, K - 1)) for _ in rows]
    called = draw(st.one_of(st.none(), st.lists(names, min_size=K, max_size=K, unique=True)))
    return Dataset(rows, labels, K=K, names=called)


@given(datasets())
def test_text_form_is_an_inverse(data):
    again = Dataset.from_text(data.to_text())
    assert again == data
    assert hash(again) == hash(data)


@given(datasets())
def test_arrays_agree_with_the_tuples(data):
    for i, (sequence, label) in enumerate(zip(data.sequences, data.labels, strict=True)):
        assert data.lasts[i] == sequence[-1]
        assert data.counts[i].tolist() == [sequence.count(k) for k in range(data.K)]
        assert data.realizable_rows[i] == (label in sequence)
    assert data.realizable == all(
        label in sequence for sequence, label in zip(data.sequences, data.labels, strict=True)
    )
    assert data.rows.tolist() == [i for i, s in enumerate(data.sequences) for _ in s]


def test_it_is_frozen_hashable_and_pickles():
    with pytest.raises(AttributeError):
        FIG3.K = 5
    with pytest.raises(ValueError, match="read-only"):
        FIG3.tokens[0] = 1
    assert {FIG3: "a"}[pickle.loads(pickle.dumps(FIG3))] == "a"
    assert FIG3 != FIG8
    assert FIG3 != "FIG3"
    assert FIG3.subset([0, 1]).names == FIG3.names


def test_the_papers_toys_have_four_tokens_and_two_tracks():
    assert (FIG3.n, FIG3.K, set(FIG3.lasts.tolist())) == (7, 4, {0, 1})
    assert FIG8.sequences[3:] == ((2, 0, 1), (2, 3, 1), (2, 0, 1), (0, 3, 1))


def test_arrays_and_lists_give_the_same_dataset():
    rows = [[0, 1], [1, 2]]
    assert Dataset(np.array(rows), np.array([1, 2])) == Dataset(rows, (1, 2))
    assert Dataset([np.array([0, 1]), (1, 2)], [1, 2]) == Dataset(rows, [1, 2])


@pytest.mark.parametrize(
    ("sequences", "labels", "keywords", "error", "words"),
    [
        ([], [], {}, DataError, "at least one"),
        (np.zeros((0, 3), int), [], {}, DataError, "no sequences"),
        ([[0, 1], []], [0, 0], {}, DataError, "row 1 is empty"),
        ([[0, 1], 5], [0, 0], {}, DataError, "row 1 is 5"),
        ([[0, 1], "ab"], [0, 0], {}, DataError, "from_text"),
        ([[0, 1.5]], [0], {}, DataError, "row 0 holds 1.5"),
        ([[0, True]], [0], {}, DataError, "row 0 holds True"),
        (np.array([[0.0, 1.0]]), [0], {}, DataError, "float64"),
        ([[0, 1]], [0, 1], {}, DataError, "1 sequences need 1 labels"),
        ([[0, 1]], ["a"], {}, DataError, "integers"),
        ([[0, -1]], [0], {}, UnknownToken, "row 0 holds token -1"),
        ([[0, 1], [0, 4]], [0, 0], {"K": 3}, UnknownToken, "row 1 holds token 4"),
        ([[0, 1], [0, 1]], [0, 3], {"K": 3}, UnknownToken, "row 1 has label 3"),
        ([[0]], [0], {"K": 0}, DataError, "K=0"),
        ([[0]], [0], {"K": 2, "names": ["a"]}, DataError, "1 names for K=2"),
        ([[0]], [0], {"names": ["a b"]}, DataError, "'a b'"),
        ([[0]], [0], {"names": [" a"]}, DataError, "' a'"),
        ([[0, 1]], [0], {"names": ["a", "a"]}, DataError, "two tokens"),
        ([[0]], [0], {"names": ["->"]}, DataError, "->"),
        ([[3_000_000]], [0], {}, DataError, "relabel"),
    ],
)
def test_nonsense_is_refused_with_the_row(sequences, labels, keywords, error, words):
    with pytest.raises(error, match=words):
        Dataset(sequences, labels, **keywords)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a b c", 1, 1, "no arrow"),
        ("a b -> a\n  a b a", 2, 3, "no arrow"),
        ("a -> b -> c", 1, 8, "second arrow"),
        ("-> a", 1, 1, "before the arrow"),
        ("a b ->", 1, 7, "after the arrow"),
        ("a b -> a b", 1, 10, "one winner"),
        ("tokens: a b\na c -> a", 2, 3, "'c' is not in the vocabulary"),
        ("tokens: a a\na -> a", 1, 11, "twice"),
        ("tokens:\na -> a", 1, 1, "no token"),
        ("a -> a\ntokens: a", 2, 1, "before the first race"),
    ],
)
def test_bad_text_is_refused_with_line_and_column(text, line, column, words):
    with pytest.raises(TextError, match=words) as caught:
        Dataset.from_text(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_text_skips_blanks_and_comments_and_orders_names_naturally():
    data = Dataset.from_text("# races\n\n e10 e2 → e2 \n# e1 -> e2\n")
    assert data.names == ("#", "e1", "e2", "e10")  # a line with an arrow is a race
    assert data.sequences == ((3, 2), (0, 1))
    with pytest.raises(DataError, match="at least one line"):
        Dataset.from_text("# nothing\n")


def test_names_with_markup_are_escaped_and_long_data_is_cut():
    data = Dataset([[0, 1]] * 20, [0] * 20, names=["<b>x</b>", "&"])
    page = data._repr_html_()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page
    assert "8 more" in page
    assert data.token("&") == 1
    with pytest.raises(UnknownToken, match="'y'"):
        data.token("y")
    with pytest.raises(DataError, match="no row"):
        data.subset([False] * 20)


def test_unrealizable_labels_are_allowed_and_reported():
    data = Dataset([[0, 1], [0, 1]], [0, 2])
    assert not data.realizable
    assert repr(data) == "Dataset(2 sequences, K=3, 1 labels not in their sequence)"
    with pytest.warns(UnrealizableLabelWarning, match=r"1 of 2 .* \(rows 1\)"):
        graphs = token_priority_graphs(data)
    assert graphs[1].edges == ((0, 1),)


def test_embeddings_and_weights_are_checked():
    assert check_embeddings([[1, 2]], 1).dtype == np.float64
    assert check_weights(np.eye(2), 2).shape == (2, 2)
    for bad in ([[1.0, np.nan]], [["a"]], np.eye(3), np.ones(1), np.ones((1, 0))):
        with pytest.raises(EmbeddingError):
            check_embeddings(bad, 1)
    with pytest.raises(EmbeddingError, match=r"\(2, 2\)"):
        check_weights(np.eye(3), 2)
    with pytest.raises(EmbeddingError, match=r"first at \(0, 1\)"):
        check_weights([[0, np.inf], [0, 0]], 2)


def test_contexts_are_checked():
    assert check_context([0, 1, 0], 2).tolist() == [0, 1, 0]
    for bad in ([], [[0]], [0.5]):
        with pytest.raises(DataError):
            check_context(bad, 2)
    with pytest.raises(UnknownToken, match="token 2"):
        check_context([0, 2], 2)


@pytest.mark.parametrize("same_last", [False, True])
@pytest.mark.parametrize(("n", "T", "K"), [(30, 4, 6), (30, 1, 3), (30, 8, 5), (200, 4, 900)])
def test_random_races_have_the_papers_shape(n, T, K, same_last):
    data = random_dataset(n, T, K, same_last=same_last, seed=3)
    assert data.realizable
    assert np.diff(data.offsets).tolist() == [T] * n
    if T <= K:
        assert data.counts.max() == 1
    else:
        assert data.counts.min() >= 1
    if same_last:
        assert set(data.lasts.tolist()) == {0}
    assert data == random_dataset(n, T, K, same_last=same_last, seed=3)
    assert data != random_dataset(n, T, K, same_last=same_last, seed=4) or T == 1


@pytest.mark.parametrize("seed", range(20))
def test_kinds_are_what_they_say(seed):
    def largest(kind):
        graphs = token_priority_graphs(random_dataset(6, 4, 6, kind=kind, seed=seed))
        return max(len(league) for graph in graphs.values() for league in graph.components)

    assert largest("acyclic") == 1
    assert largest("cyclic") > 1


def test_impossible_draws_end_with_a_reason():
    with pytest.raises(DataError, match="no cyclic dataset"):
        random_dataset(1, 4, 6, kind="cyclic", seed=0)
    with pytest.raises(OptionError, match="any, acyclic, cyclic"):
        random_dataset(1, 4, 6, kind="cycle", seed=0)
    with pytest.raises(DataError, match="n=0"):
        random_dataset(0, 4, 6, seed=0)


def test_embedding_kinds():
    for kind in ("random", "orthonormal", "equicorrelated"):
        gram = (E := embeddings(5, 7, kind=kind, rho=0.3, seed=2)) @ E.T
        assert np.allclose(np.diag(gram), 1)
        if kind != "random":
            expected = 0.0 if kind == "orthonormal" else 0.3
            assert np.allclose(gram[~np.eye(5, dtype=bool)], expected)
    assert not np.allclose(embeddings(5, 7, seed=1), embeddings(5, 7, seed=2))
    assert embeddings(1, 1, kind="equicorrelated", rho=-0.5).shape == (1, 1)
    for keywords, error in (
        ({"kind": "orthonormal"}, EmbeddingError),
        ({"kind": "spherical"}, OptionError),
    ):
        with pytest.raises(error):
            embeddings(5, 4, **keywords)
    with pytest.raises(OptionError, match="rho"):
        embeddings(5, 5, kind="equicorrelated", rho=-0.3)
    with pytest.raises(EmbeddingError):
        embeddings(0, 5)


def test_every_public_name_is_there():
    import nta_core

    for name in nta_core.__all__:
        assert getattr(nta_core, name) is not None
        assert name in dir(nta_core)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = nta_core.nothing


def test_without_torch_everything_but_the_torch_layer_works():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from nta_core import *\n"
        "import nta_core\n"
        "assert set(nta_core.__all__) <= set(globals())\n"
        "try:\n"
        "    SelfAttention([[1.0]])\n"
        "except MissingPackage as error:\n"
        "    print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("SelfAttention needs torch, which is not installed")


def test_no_public_name_is_hidden_by_a_module_of_the_same_name():
    code = (
        "import types, nta_core\n"
        "names = [n for n in nta_core.__all__ if n != 'SelfAttention']\n"
        "for name in names: getattr(nta_core, name)\n"
        "print([n for n in names if isinstance(getattr(nta_core, n), types.ModuleType)])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
