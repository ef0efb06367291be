"""Data: what is accepted is kept exactly, what is refused says where and why."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    FIG8,
    DataError,
    Dataset,
    EmbeddingError,
    FileError,
    OptionError,
    TextError,
    UnknownToken,
    UnrealizableLabelWarning,
    embeddings,
    random_dataset,
    token_priority_graphs,
)
from nta_core.boundary import check_context, check_embeddings, check_weights
from tests.core.test_boundary import frame

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
    wanted, table = Dataset(rows, [1, 2]), frame(rows)
    for sequences in (
        torch.tensor(rows),
        table,
        (torch.tensor(row) for row in rows),
        np.uint8(rows),
    ):
        for labels in (torch.tensor([1, 2]), frame([1, 2]), iter([1, 2])):
            assert Dataset(sequences, labels) == wanted
            sequences = rows  # what was an iterator is used up
    words = [["a", "b"], ["b", 2]]
    named = Dataset(rows, [1, 2], names="abc")
    assert Dataset(words, ["b", 2], names="abc") == named
    assert Dataset(words, frame(["b", "c"]), names="abc") == named
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
        ([[2**63]], [0], {}, DataError, "row 0 holds 9223372036854775808"),
        ([[0], [10**5000]], [0, 0], {}, DataError, "row 1 holds a int: ids are below"),
        (np.array([[2**63]], dtype=np.uint64), [0], {}, DataError, "below 2⁶³"),
        ([[0]], np.array([2**63], dtype=np.uint64), {}, DataError, "below 2⁶³"),
        ([[0, 1]], [1.0], {}, DataError, "labels must hold integers"),
        ([[0, 1]], [True], {}, DataError, "labels must hold integers"),
        ([{0, 1}], [0], {}, DataError, "row 0 is {0, 1}"),
        ([{0: 1}], [0], {}, DataError, "row 0 is {0: 1}"),
        ("ab", [0], {}, DataError, "sequences must be a list"),
        (None, [0], {}, DataError, "sequences must be a list"),
        ([[0]], None, {}, DataError, "labels must be a list"),
        (np.zeros((1, 1, 1), int), [0], {}, DataError, "one axis"),
        (np.ones((1, 2)) * 1j, [0], {}, DataError, "complex128"),
        ([["a"]], [0], {"names": ["b"]}, DataError, "row 0 holds 'a'"),
        ([[0]], [0], {"K": 2.0}, DataError, "K=2.0"),
        ([[0]], [0], {"K": True}, DataError, "K=True"),
        ([[0]], [0], {"names": ["\ufeffcat"]}, DataError, "word"),
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


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85", "\f"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_byte_order_marks_and_line_ends_make_no_second_cat(end, mark):
    lines = ["cat dog -> cat", "dog cat -> dog", "cat -> cat"]
    data = Dataset.from_text(mark + (end + mark).join(lines) + end)
    assert data == Dataset.from_text("\n".join(lines))
    assert data.names == ("cat", "dog")


@pytest.mark.parametrize("text", [b"a -> a", None, 3, ["a -> a"]])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(DataError, match="text must be a str"):
        Dataset.from_text(text)


def test_words_of_ten_thousand_digits_have_an_order():
    long = "1" * 9999
    assert Dataset.from_text(f"{long} 2 x10 x9 -> 2").names == ("2", long, "x9", "x10")


# ---- to and from a file --------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".txt", ".json", ".parquet", ".JSON"])
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=datasets())
def test_a_file_gives_back_what_it_was_given(tmp_path, suffix, data):
    path = tmp_path / f"races{suffix}"
    assert data.save(path, force=True) == path
    assert Dataset.load(str(path)) == data
    assert os.listdir(tmp_path) == [path.name]
    before = path.read_bytes()
    with pytest.raises(FileError, match="force=True replaces"):
        data.save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("a.txt", "a b -> a\na b", TextError, "line 2, column 1: no arrow"),
        ("a.txt", b"a -> a\n\xff -> a", DataError, "line 2: not UTF-8"),
        ("a.txt", "", DataError, "no races"),
        ("a.json", "{", DataError, r"does not hold an object.*line 1 column 2"),
        ("a.json", "[" * 100_000, DataError, "does not hold"),
        ("a.json", "[[0, 1]]", DataError, "does not hold"),
        ("a.json", '{"labels": [0]}', DataError, "sequences"),
        ("a.json", '{"sequences": [[0], [1.5]], "labels": [0, 0]}', DataError, "row 1 holds 1.5"),
        ("a.json", '{"sequences": [[0], [5]], "labels": [0, 0], "names": ["a"]}', UnknownToken,
         "row 1 holds token 5"),
        ("a.json", '{"sequences": [[NaN]], "labels": [0]}', DataError, "row 0 holds nan"),
        ("a.parquet", "PAR1", DataError, "two columns"),
        ("a.csv", "a", OptionError, "choose one of .txt, .json, .parquet"),
        ("a", "a", OptionError, "suffix=''"),
    ],
)  # fmt: skip
def test_bad_files_are_named_with_their_line_or_row(tmp_path, name, content, error, words):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(error, match=words):
        Dataset.load(path)


def test_parquet_of_others_is_read_or_refused_with_its_row(tmp_path):
    from pyarrow import parquet, table

    path = tmp_path / "races.parquet"
    parquet.write_table(table({"sequence": [[0, 1], [1]], "label": [1, 1], "more": [0, 0]}), path)
    assert Dataset.load(path) == Dataset([[0, 1], [1]], [1, 1])
    for sequence, words in (([[0, 1], None], "row 1 is None"), ([[0], [None]], "row 1 holds None")):
        parquet.write_table(table({"sequence": sequence, "label": [0, 0]}), path)
        with pytest.raises(DataError, match=words):
            Dataset.load(path)
    parquet.write_table(table({"text": ["a"]}), path)
    with pytest.raises(DataError, match="two columns"):
        Dataset.load(path)


def test_places_that_are_no_files_are_named(tmp_path):
    (tmp_path / "folder.txt").mkdir()
    for place in ("nowhere/a.txt", "folder.txt", "x" * 300 + ".txt"):
        for act in (Dataset.load, FIG3.save):
            with pytest.raises(FileError, match="txt"):
                act(tmp_path / place)
    for place in (None, 3, "", b"a.txt", "a\0.txt", ["a.txt"]):
        for act in (Dataset.load, FIG3.save):
            with pytest.raises(FileError, match="path must name a file"):
                act(place)
    with pytest.raises(OptionError, match="force"):
        FIG3.save(tmp_path / "a.txt", force="yes")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.txt"]


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
