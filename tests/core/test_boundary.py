"""The boundary itself: what it lets through is what was meant, what it refuses it names."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    Automaton,
    DataError,
    Dataset,
    EmbeddingError,
    MissingPackage,
    OptionError,
    TooLarge,
    UnknownToken,
    attention,
    attention_masses,
    graphs_from_edges,
    random_dataset,
    token_mass,
    token_priority_graphs,
)
from nta_core import boundary as b

STRANGE = [None, "2", b"2", 1j, np.complex64(1), object(), [1], {}, np.array([1.0]), int]
STRANGE += [np.timedelta64(1, "D"), np.datetime64("2020"), datetime.date(2020, 1, 1), True]
STRANGE += [np.bool_(True), torch.ones(2), float("nan"), float("inf"), Decimal("NaN"), 10**400]


def frame(values):
    """A data frame or a column, numbered from behind: order counts, not what rows are called."""
    of = pd.DataFrame if np.ndim(values) == 2 else pd.Series
    return of(values, index=range(len(values))[::-1])


# ---- single values -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", STRANGE)
def test_strange_values_are_no_numbers(value):
    with pytest.raises(OptionError, match=r"x=.*finite number"):
        b.number(value, "x")
    with pytest.raises(OptionError, match=r"x=.*integer"):
        b.whole(value, "x")
    if not isinstance(value, (bool, np.bool_)):
        with pytest.raises(OptionError, match=r"x=.*True or False"):
            b.flag(value, "x")


@pytest.mark.parametrize(
    "value",
    [2, 2.0, np.int8(2), np.float16(2), Fraction(2), Decimal(2), np.array(2), torch.tensor(2.0)],
)
def test_numbers_of_every_kind_are_numbers(value):
    assert b.number(value, "x") == 2.0
    assert type(b.number(value, "x")) is float


def refusal(check, *given, **bounds):
    """What a check says, or nothing."""
    try:
        assert check(*given, **bounds) == given[0]
    except OptionError as error:
        return str(error)


@given(st.integers() | st.floats(allow_nan=False), st.floats(-10, 10), st.floats(-10, 10))
def test_bounds_are_those_that_were_asked_for(value, low, high):
    finite = abs(value) < 1.8e308
    for said, fits in (
        (refusal(b.number, value, "x", least=low, most=high), low <= value <= high),
        (refusal(b.number, value, "x", above=low, below=high), low < value < high),
    ):
        assert (not said) == (finite and fits)
        assert not said or (f"{low:g}" in said and f"{high:g}" in said)


@given(st.integers(), st.integers(-5, 5), st.integers(-5, 5))
def test_whole_numbers_keep_their_bounds(value, least, most):
    said = refusal(b.whole, value, "n", least=least, most=most)
    assert (not said) == (least <= value <= most)
    assert not said or said.endswith(f"must be an integer, from {least} to {most}")


def test_ids_beyond_63_bits_and_negative_seeds():
    assert b.whole(2**63 - 1, "n") == 2**63 - 1
    for value in (2**63, np.uint64(2**63)):
        with pytest.raises(OptionError, match="below 2⁶³"):
            b.whole(value, "n")
    assert b.seed_of(2**128) == 2**128  # what secrets.randbits(128) may give
    assert b.seed_of(None) is None
    rng = np.random.default_rng(0)
    assert b.generator(rng) is rng
    for seed in (-1, 1.0, "0", [0]):
        with pytest.raises(OptionError, match="seed="):
            b.generator(seed)


def test_a_choice_is_of_one_kind():
    assert b.one_of(np.str_("log"), "loss", ("log", "squared")) == "log"
    assert b.one_of(1, "n", (1, 2)) == 1
    for value in ("LOG", None, ["log"], np.array(["log", "log"]), b"log"):
        with pytest.raises(OptionError, match=r"loss=.*choose one of log, squared"):
            b.one_of(value, "loss", ("log", "squared"))
    with pytest.raises(OptionError):
        b.one_of(True, "n", (1, 2))
    with pytest.raises(DataError, match="dataset must be a Dataset, got 3"):
        b.a(Dataset, 3, "dataset", error=DataError)


# ---- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [[[1, 2]], ((1, 2),), torch.tensor([[1.0, 2.0]], requires_grad=True), frame([[1, 2]]),
     [[Fraction(1), Decimal(2)]], np.array([[1, 2]], dtype=np.float16)],
)  # fmt: skip
def test_arrays_of_every_kind_are_read(values):
    found = b.reals(values, "E")
    assert found.dtype == np.float64
    assert found.tolist() == [[1.0, 2.0]]


def test_data_frames_are_read_as_their_arrays():
    rows, labels = np.array(FIG3.sequences[:2]), np.array(FIG3.labels[:2])
    wanted = Dataset(rows, labels, K=4)
    assert Dataset(frame(rows), frame(labels), K=4) == wanted
    words = frame([FIG3.names[k] for k in labels])
    assert Dataset(frame(rows), words, names=frame(FIG3.names)) == wanted
    table = np.array(FIG3.names)[rows]
    for named in (table, table.astype(object), frame(table), frame(rows).astype(object)):
        assert Dataset(named, words, names=FIG3.names) == wanted
    with pytest.raises(DataError, match=r"row 0 holds 'e\d', which is no token id"):
        Dataset(frame(table), labels)
    E, W = np.eye(4), 0.1 * np.arange(16.0).reshape(4, 4)
    found = token_mass(frame(W), frame(E), frame(rows[0]))
    np.testing.assert_array_equal(found, token_mass(W, E, rows[0]))
    holes = frame(E).where(E > 0)
    with pytest.raises(EmbeddingError, match=r"E has a NaN or infinite entry, the first at \(0, 1"):
        token_mass(W, holes, rows[0])
    with pytest.raises(DataError):  # pandas makes numbers with a gap floats
        Dataset(frame(rows).where(rows > 0), labels)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1j]], "real numbers"),
        ([["1"]], "real numbers"),
        ([[None]], "real numbers"),
        ([[1], [1, 2]], "cannot be read as an array"),
        (np.ma.masked_less([1.0, 2.0], 1.5), "masked"),
        ([[0, np.nan]], r"NaN or infinite entry, the first at \(0, 1\)"),
        (np.full(1, "1e4000", dtype=np.longdouble), "infinite"),
        (np.zeros(1, dtype="M8[D]"), "real numbers"),
        (iter([1.0]), "real numbers"),
    ],
)
def test_what_is_no_real_number_is_refused(values, words):
    with pytest.raises(EmbeddingError, match=words):
        b.reals(values, "E")


@pytest.mark.parametrize("values", [[0.0], [True], ["0"], [2**63], [2**70], [1j], [None], 0.5])
def test_what_is_no_integer_is_refused(values):
    with pytest.raises(DataError, match="integers below 2⁶³"):
        b.integers(values, "ids")
    assert b.integers([], "ids").dtype == b.integers(np.uint8([3]), "ids").dtype == np.int64


def test_extreme_embeddings_and_weights_are_refused_before_they_overflow():
    for size in (1e308, 1e51, 1e-200):
        with pytest.raises(EmbeddingError, match="divide E by it"):
            b.check_embeddings(size * np.eye(2))
    with pytest.raises(EmbeddingError, match="leave float64"):
        b.check_weights(1e101 * np.eye(2), 2)
    at_the_border = attention(1e100 * np.eye(2), 1e50 * np.eye(2), [0, 1])
    assert at_the_border.tolist() == [0.0, 1.0]
    for bad in (np.zeros((0, 3)), np.zeros((3, 0)), 1.0, [1.0], np.zeros((1, 2, 2))):
        with pytest.raises(EmbeddingError, match="one row per token"):
            b.check_embeddings(bad)


def test_lists_are_lists():
    for values in (
        [1, 2],
        (1, 2),
        range(1, 3),
        iter([1, 2]),
        np.array([1, 2]),
        torch.tensor([1, 2]),
    ):
        assert b.entries(values, "rows") == [1, 2]
    for values in ("ab", b"ab", {1, 2}, {1: 2}, 3, None, np.eye(2), np.array(3)):
        with pytest.raises(DataError, match="rows must"):
            b.entries(values, "rows")


def test_an_endless_list_ends(monkeypatch):
    monkeypatch.setattr(b, "LONGEST", 1000)
    with pytest.raises(DataError, match="more than 1,000 entries"):
        b.entries(iter(int, 1), "rows")
    assert len(b.entries(iter(range(1000)), "rows")) == 1000


def test_rows_are_ids_or_a_mask():
    assert b.check_rows([0, -1], 3).tolist() == [0, 2]
    assert b.check_rows(np.array([True, False, True]), 3).tolist() == [0, 2]
    for bad in ([3], [-4], [], [[0]], [True], [0.0], ["0"], None):
        with pytest.raises(DataError):
            b.check_rows(bad, 3)
    with pytest.raises(DataError, match="row 100: choose among the rows 0…6"):
        FIG3.subset([100])
    assert FIG3.subset([-1]) == FIG3.subset([6])


# ---- tokens by id or name ------------------------------------------------------------------------


def test_tokens_are_called_by_id_or_name_also_mixed():
    W, E = np.diag([0.0, 1, 2, 3]), np.eye(4)
    wanted = token_mass(W, E, [2, 3, 0])
    for context in (
        ["e3", "e4", "e1"],
        ["e3", 3, 0],
        "e3 e4 e1",
        frame([2, 3, 0]),
        torch.tensor([2, 3, 0]),
    ):
        np.testing.assert_array_equal(token_mass(W, E, context), wanted)
    np.testing.assert_array_equal(token_mass(W, E, "c d a", names="abcd"), wanted)
    np.testing.assert_array_equal(attention(W, E, "c d a", names="abcd"), wanted[[2, 3, 0]])
    with pytest.raises(UnknownToken, match=r"'e1' is not in the vocabulary 0…3 \(a, b, c, d\)"):
        attention(W, E, ["e1"], names="abcd")
    graphs = token_priority_graphs(FIG3)
    assert graphs["e2"] is graphs[1] is graphs[np.int64(1)]
    assert "e2" in graphs
    assert "e9" not in graphs
    assert None not in graphs
    assert graphs["e2"].level("e4") == graphs[1].level(3)
    assert graphs[1].comparable("e4", 0)
    assert graphs[1].top(["e1", 3]) == graphs[1].top({0, 3})
    assert graphs[1].below(["e4"]) == graphs[1].below({3})
    assert graphs_from_edges({"b": [("a", "b"), (1, "c")]}, 3, "abc")[1].edges == ((0, 1), (1, 2))
    assert Automaton.from_dataset(FIG3).sample("e3 e4 e1", seed=0) == 3
    assert FIG3.token("e4") == FIG3.token(3) == 3


@pytest.mark.parametrize("bad", [99, -1, 0.0, True, "e5", None, [0], 2**64, b"e1", np.float64(1)])
def test_what_is_no_token_is_refused(bad):
    graphs = token_priority_graphs(FIG3)
    for ask in (graphs.__getitem__, graphs[1].level, graphs[1].component_of, FIG3.token):
        with pytest.raises(UnknownToken, match="not in the vocabulary 0…3"):
            ask(bad)
    with pytest.raises(UnknownToken, match=r"vocabulary|integers"):
        graphs_from_edges({0: [(bad, 1)]}, 4)
    with pytest.raises(KeyError):
        graphs[bad]


def test_float_ids_are_not_rounded():
    with pytest.raises(UnknownToken, match=r"got 0\.9"):
        graphs_from_edges({0: [(0.9, 1)]}, 3)
    for edges in ({0: [(1,)]}, {0: [(1, 2, 0)]}, {0: [3]}, {0: 3}, {0: "ab"}, [(0, 1)], None):
        with pytest.raises(DataError, match="edge"):
            graphs_from_edges(edges, 3)


BAD_NAMES = [["a", "b", "a"], ["a", "b"], ["a", "", "c"], ["a", "b c", "d"], ["a", 1, "c"], 3]


@pytest.mark.parametrize("names", [*BAD_NAMES, ["\ufeffa", "b", "c"], ["\ud800", "b", "c"]])
def test_names_differ_and_are_words(names):
    with pytest.raises(DataError, match="name"):
        b.check_names(names, 3)
    with pytest.raises(DataError, match="name"):
        graphs_from_edges({}, 3, names)


# ---- room and packages ---------------------------------------------------------------------------


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setenv("NTA_MEMORY_GB", "0.1")
    with pytest.raises(TooLarge, match=r"cloud needs 1 GB and 0.1 GB are free: take less"):
        b.room_for(1e9, "the cloud", instead="take less")
    b.room_for(0.09e9, "the cloud", instead="take less")
    data = Dataset([[0, 1999]] * 10_000, [0] * 10_000)
    for ask in (
        lambda: data.counts,
        lambda: attention_masses(data, np.eye(1), np.ones((2000, 1))),
        lambda: random_dataset(10**9, 4, 6, seed=0),
        lambda: Automaton.from_dataset(FIG3).generate([0], 2**62, seed=0),
    ):
        with pytest.raises(TooLarge, match="GB are free"):
            ask()
    monkeypatch.setenv("NTA_MEMORY_GB", "much")
    with pytest.raises(OptionError, match="NTA_MEMORY_GB='much'"):
        b.room_for(1e9, "the cloud", instead="take less")
    monkeypatch.delenv("NTA_MEMORY_GB")
    assert 1e6 < b.memory_left() < 1e15


def test_a_missing_package_is_named_and_a_broken_one_is_not_hidden(tmp_path, monkeypatch):
    with pytest.raises(
        MissingPackage, match=r"a picture needs no_such_thing.*nta-core\[pictures\]"
    ):
        b.needs("no_such_thing", wanted_for="a picture", extra="pictures")
    (tmp_path / "half_there.py").write_text("import no_such_thing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_thing"):
        b.needs("half_there", wanted_for="a picture", extra="pictures")


@given(st.recursive(st.integers() | st.text(), st.lists))
def test_a_message_stays_short(value):
    assert len(b.shown(value)) <= 120
    assert b.shown([value] * 10**5) == b.shown([value] * 10**5)


def test_a_message_never_fails():
    class Hostile:
        def __repr__(self):
            raise RuntimeError

    assert "Hostile" in b.shown(Hostile())
    assert b.shown(10**5000) == "a int"
    assert b.shown([1, 2]) == "[1, 2]"
