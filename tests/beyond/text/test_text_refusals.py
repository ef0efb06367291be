"""What the text room refuses, and that it says what is wrong and what to do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_beyond import text
from nta_beyond.text import Corpus, Vocabulary, Windows, read_edges
from nta_core import DataError, NTAError, OptionError, TooLarge, UnknownToken

SEEN = Windows([[0, 1], [1, 0], [1, 1]], [0, 0, 1])
CORPUS = Corpus.from_text("the cat saw the dog and the dog saw the cat")
WORDS = Vocabulary.of(CORPUS)
EDGES = read_edges(CORPUS, WORDS, window=4)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: Windows([[0, 1]], [0, 1]), DataError, r"got shapes \(1, 2\) and \(2,\)"),
    (lambda: Windows([[0, -1]], [0]), DataError, "window 0"),
    (lambda: Windows([[0.5, 1]], [0]), DataError, "tokens must hold integers"),
    (lambda: Windows(np.array([[2**63]], dtype=np.uint64), [0]), DataError, "below 2⁶³"),
    (lambda: SEEN.pick([7]), OptionError, "ids below 3"),
    (lambda: SEEN.nodes(1), UnknownToken, "window 0 has token 1"),
    (lambda: SEEN.dataset(["a", "a"]), DataError, "two tokens"),
    (lambda: text.Bigram(SEEN, 2, mu=-1), OptionError, "mu=-1"),
    (lambda: text.Unigram(SEEN, 1), UnknownToken, "outside the vocabulary 0…0"),
    (lambda: text.Mixed(text.Untrained(), None, 0.5), OptionError, "other must have the methods"),
    (lambda: text.Mixed(text.Untrained(), text.Untrained(), 2), OptionError, "share=2"),
    (lambda: text.TrainedLayer(np.eye(2), np.eye(3)), NTAError, "W must have shape"),
    (lambda: text.tokens_of(b"bytes"), OptionError, "text must be a str"),
    (lambda: Corpus.from_text(3), OptionError, "text must be a str"),
    (lambda: Corpus.open("a\0b"), OptionError, "no file can have such a name"),
    (lambda: Corpus.open(".", encoding="rot13"), OptionError, "unknown"),
    (lambda: Corpus.open(".", encoding="utf-16"), OptionError, "not ASCII's"),
    (lambda: Corpus.open(".", patterns=["/absolute"]), NTAError, "cannot be searched"),
    (lambda: list(CORPUS.chunks(advance=3)), OptionError, "advance=3"),
    (lambda: Vocabulary.from_counts({"a": 0}), OptionError, "counts"),
    (lambda: Vocabulary.from_counts({"a": 1.5}), OptionError, "counts"),
    (lambda: WORDS.decode([99]), OptionError, "token=99"),
    (lambda: WORDS.encode("the cat"), OptionError, "tokens must be a list"),
    (lambda: EDGES.after(99), UnknownToken, "last token 99"),
    (lambda: text.fit_strengths(EDGES, SEEN), DataError, "not read from these windows"),
    (lambda: text.grammar_text(10, seed=-1), OptionError, "seed=-1"),
    (lambda: text.grammar_text(10**15, seed=0), TooLarge, "grammar_paragraphs"),
    (lambda: text.token_edges(5), OptionError, "a Corpus or a Dataset"),
    (lambda: text.tracks(None), OptionError, "found must be a TokenEdges"),
    (lambda: text.write_parquet(EDGES, "/no/such/folder/x"), NTAError, "does not exist"),
])  # fmt: skip
def test_it_is_said_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_window_too_wide_for_the_memory_is_refused_before_it_is_cut(monkeypatch):
    monkeypatch.setenv("NTA_MEMORY_GB", "0.2")
    long = Corpus.from_text("a b " * 30_000)
    words = Vocabulary.of(long)
    with pytest.raises(TooLarge, match="choose a smaller window"):
        text.text_windows(long, words, window=5_000)
    with pytest.raises(OptionError, match="window="):
        text.text_windows(long, words, window=10**30)


def test_marks_and_line_ends_make_no_words_of_their_own():
    plain = Vocabulary.of(Corpus.from_text("the cat\nthe dog"))
    odd = Vocabulary.of(Corpus.from_text("\ufeffthe cat\r\nthe dog"))
    assert odd.names == plain.names


def test_tensors_and_frames_are_windows_too():
    torch = pytest.importorskip("torch")
    same = Windows(torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 1]))
    assert np.array_equal(same.tokens, SEEN.tokens[:2])
    assert text.window_edges(same, "ab").K == 2


@given(st.lists(st.integers(-2, 4), min_size=4, max_size=4), st.integers(-2, 4))
def test_every_pair_of_windows_is_made_or_refused(tokens, label):
    """Whatever the ids: a finite answer of every predictor, or a named error."""
    try:
        windows = Windows([tokens], [label])
        chances = [
            predictor.probability(windows)
            for predictor in (text.Unigram(windows, 3), text.Bigram(windows, 3), text.Untrained())
        ]
    except NTAError:
        assert min(*tokens, label) < -1 or label < 0 or tokens[-1] < 0 or max(*tokens, label) > 2
    else:
        assert all(0 <= chance[0] <= 1 for chance in chances)
