"""Reading text: tokens, files, vocabularies and windows, whole or in pieces."""

import pickle
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_beyond.errors import TextFileError
from nta_beyond.text import Corpus, Vocabulary, Windows, text_windows, tokens_of
from nta_beyond.text import windows as windows_module
from nta_beyond.text.corpus import Chunk, TextFile
from nta_core import OptionError, UnknownToken


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The CAT, the dog.", ["the", "cat", ",", "the", "dog", "."]),
        ("don't l’été rock'n'roll", ["don't", "l'été", "rock'n'roll"]),
        ("'quoted' dogs' tails", ["'", "quoted", "'", "dogs", "'", "tails"]),
        ("W_fin = 3.14", ["w", "_", "fin", "=", "3", ".", "14"]),
        ("a → b", ["a", "⇒", "b"]),
        ("co\u00adop\u200beration \ufeffx", ["cooperation", "x"]),
        ("e\u0301te\u0301", ["été"]),
        ("नमस्ते דָּבָר", ["नमस्ते", "דָּבָר"]),
        ("  \n\t ", []),
    ],
)
def test_the_rule_of_the_tokens(text, tokens):
    assert tokens_of(text) == [unicodedata.normalize("NFC", token) for token in tokens]


@given(st.text())
def test_every_token_can_be_the_name_of_one(text):
    for token in tokens_of(text):
        assert token.split() == [token]
        assert token not in ("->", "→")


@given(st.lists(st.text(alphabet="ab.’é\u0301", max_size=6), max_size=30), st.integers(1, 40))
def test_pieces_give_the_same_tokens_as_the_whole(words, size):
    text = " ".join(words)
    corpus = Corpus.from_text(text)
    pieces = [token for chunk in corpus.chunks(size) for token in chunk.tokens()]
    assert pieces == tokens_of(text)


@given(words=st.lists(st.text(alphabet="aé.", max_size=5), max_size=40), size=st.integers(1, 30))
def test_a_piece_of_a_file_knows_what_stands_before_it(words, size, tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "words.txt"
    path.write_text(" ".join(words), encoding="utf-8")
    before = []
    for chunk in _chunks(path, size):
        for count in (1, 3, 50):
            assert chunk.lead(count) == before[-count:]
        before += chunk.tokens()
    assert before == tokens_of(" ".join(words))


def _chunks(path, size):
    file = TextFile(path, "utf-8")
    begin = 0
    while begin < file.size:
        end = file.boundary(min(begin + size, file.size))
        yield Chunk(file, begin, end)
        begin = end


def test_a_missing_an_empty_and_a_blank_file_are_named(tmp_path):
    with pytest.raises(TextFileError, match=r"nothing\.txt: there is no such file"):
        Corpus.open(tmp_path / "nothing.txt")
    (tmp_path / "empty.txt").touch()
    with pytest.raises(TextFileError, match="the file is empty"):
        Corpus.open(tmp_path / "empty.txt")
    (tmp_path / "blank.txt").write_text(" \n\n")
    with pytest.raises(TextFileError, match="white space and no word"):
        Vocabulary.of(Corpus.open(tmp_path / "blank.txt"))


def test_a_folder_is_read_in_order_and_without_its_empty_files(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.md").write_text("two")
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "c.txt").touch()
    (tmp_path / "picture.png").write_bytes(b"\0")
    corpus = Corpus.open(tmp_path)
    assert [token for chunk in corpus.chunks() for token in chunk.tokens()] == ["one", "two"]
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "notes.rst").write_text("three")
    with pytest.raises(TextFileError, match=r"needs a non-empty file named \*\.txt or \*\.md"):
        Corpus.open(tmp_path / "d")


def test_a_binary_file_is_no_text(tmp_path):
    (tmp_path / "picture.txt").write_bytes(b"PNG\0\1\2")
    with pytest.raises(TextFileError, match="zero bytes"):
        Vocabulary.of(Corpus.open(tmp_path / "picture.txt"))


def test_a_wrong_encoding_is_named_with_its_line_and_the_right_one_reads(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("first line\nsecond caf\xe9 line".encode("latin-1"))
    with pytest.raises(TextFileError, match=r"line 2 cannot be read as utf-8 \(byte 0xe9") as error:
        Vocabulary.of(Corpus.open(path))
    assert "encoding='latin-1'" in str(error.value)
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.path) == (str(error.value), path)
    assert "café" in Vocabulary.of(Corpus.open(path, encoding="latin-1")).names


def test_encodings_that_cannot_be_cut_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(OptionError, match="unknown"):
        Corpus.open(tmp_path / "a.txt", encoding="klingon")
    with pytest.raises(OptionError, match="white space is not ASCII"):
        Corpus.open(tmp_path / "a.txt", encoding="utf-16")
    assert Corpus.open(tmp_path / "a.txt", encoding="utf-8-sig").size == 1


def test_a_file_that_vanishes_is_named(tmp_path):
    path = tmp_path / "gone.txt"
    path.write_text("here today")
    corpus = Corpus.open(path)
    chunks = list(corpus.chunks())
    path.unlink()
    with pytest.raises(TextFileError, match="cannot be read: No such file"):
        chunks[0].tokens()


def test_far_apart_words_are_found_before_a_piece():
    text = "one " + "two" + " " * 500 + "three four"
    document = Corpus.from_text(text).documents[0]
    chunk = Chunk(document, text.index(" four"), len(text))
    assert chunk.lead(3) == ["one", "two", "three"]
    assert chunk.lead(2) == ["two", "three"]


def test_a_text_without_spaces_is_one_piece(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("x" * 200_000 + " y")
    assert [len(chunk.tokens()) for chunk in Corpus.open(path).chunks(1000)] == [1, 1]


def test_a_vocabulary_keeps_the_most_frequent_words():
    corpus = Corpus.from_text("b a b a c b d")
    words = Vocabulary.of(corpus, 2)
    assert words.names == ("b", "a")
    assert words.counts.tolist() == [3, 2]
    assert Vocabulary.from_counts({"z": 1, "y": 1, "x": 2}).names == ("x", "y", "z")
    assert (words.total, words.words, words.K) == (7, 4, 2)
    assert words.coverage == 5 / 7
    assert words.encode(["a", "z", "b"]).tolist() == [1, -1, 0]
    assert words.decode([1, -1, 0]) == "a · b"
    with pytest.raises(UnknownToken, match="'c' is not among the 2 most frequent words"):
        words.token("c")
    assert Vocabulary.of(corpus).token("d") == 3
    for size in (0, -1, True):
        with pytest.raises(OptionError, match=r"vocabulary=.*: must be an integer, 1 or more"):
            Vocabulary.of(corpus, size)
    assert "<td>b</td><td>3</td>" in words._repr_html_()
    assert "&lt;" in Vocabulary.of(Corpus.from_text("< a"))._repr_html_()


def test_too_many_words_ask_for_a_vocabulary(monkeypatch):
    monkeypatch.setattr("nta_beyond.text.vocabulary.MAX_K", 3)
    with pytest.raises(OptionError, match="set a vocabulary size"):
        Vocabulary.from_counts(dict.fromkeys("abcd", 1))
    assert Vocabulary.from_counts(dict.fromkeys("abcd", 1), 3).K == 3


def by_hand(documents, names, T):
    """Windows and labels, straight from the definition."""
    ids = {name: k for k, name in enumerate(names)}
    for text in documents:
        tokens = [ids.get(token, -1) for token in tokens_of(text)]
        for i in range(T, len(tokens)):
            if tokens[i] >= 0 and tokens[i - 1] >= 0:
                yield tokens[i - T : i], tokens[i]


texts = st.lists(st.text(alphabet="abc ", max_size=40), min_size=1, max_size=3)


@given(texts, st.integers(1, 5), st.integers(1, 3))
def test_windows_follow_the_definition(documents, T, size):
    corpus = Corpus.from_text(*documents)
    if not any(tokens_of(text) for text in documents):
        return
    words = Vocabulary.of(corpus, size)
    expected = [*by_hand(documents, words.names, T)]
    if not expected:
        with pytest.raises(TextFileError, match=r"too few|both its last and its next"):
            text_windows(corpus, words, window=T)
        return
    found = text_windows(corpus, words, window=T)
    rows = zip(found.tokens.tolist(), found.labels.tolist(), strict=True)
    assert [*rows] == expected
    assert found.label_present.tolist() == [label in row for row, label in expected]
    assert found.lasts.tolist() == [row[-1] for row, _ in expected]
    assert found.races().n == found.label_present.sum()
    data = found.dataset(words.names)
    assert data.labels == tuple(label for _, label in expected)
    assert data.sequences == tuple(tuple(t for t in row if t >= 0) for row, _ in expected)


def test_windows_can_be_limited_and_described():
    corpus = Corpus.from_text("a b a b c a")
    found = text_windows(corpus, Vocabulary.of(corpus), window=2, limit=3)
    assert (found.n, found.T) == (3, 2)
    assert found.pick(np.array([2])).tokens.tolist() == [found.tokens[2].tolist()]
    assert repr(Windows(found.tokens[:0], found.labels[:0])) == "Windows(0 windows of 2 tokens)"
    for window in (0, 2.5, True, "4"):
        with pytest.raises(OptionError, match=r"window=.*: must be an integer, from 1"):
            text_windows(corpus, Vocabulary.of(corpus), window=window)


def test_windows_are_the_same_however_the_text_is_cut():
    text = "the cat saw the dog and the dog saw the cat again " * 20
    corpus = Corpus.from_text(text)
    words = Vocabulary.of(corpus)
    whole = text_windows(corpus, words, window=5)
    small = [*_small_blocks(corpus, words, 5, 7)]
    assert np.array_equal(np.concatenate([b.tokens for b in small]), whole.tokens)


def _small_blocks(corpus, words, window, size):
    class Small(Corpus):
        def chunks(self, _size=0, *, advance=None):
            return Corpus.chunks(self, size, advance=advance)

    return windows_module.window_blocks(Small(corpus.documents), words, window=window)


def test_reading_reports_its_bytes(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one two three " * 10)
    seen = []
    corpus = Corpus.open(path)
    words = Vocabulary.of(corpus, advance=seen.append)
    assert sum(seen) == corpus.size
    seen.clear()
    list(windows_module.window_blocks(corpus, words, window=2, advance=seen.append))
    assert sum(seen) == corpus.size
    assert re.match(r"Corpus\(1 document, 140 bytes\)", repr(corpus))
    assert Corpus(()).name == "an empty corpus"
