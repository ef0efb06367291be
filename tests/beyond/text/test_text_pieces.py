"""Word pieces: they spell the text, the same way every time, and gaps stay gaps."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_beyond.errors import TextFileError
from nta_beyond.text import (
    Corpus,
    SpacedWords,
    Vocabulary,
    WordPieces,
    Words,
    grammar_text,
    read_edges,
    text_windows,
    window_edges,
)
from nta_beyond.text.pieces import BEGIN, NO_PIECE
from nta_core import MissingPackage, OptionError

TEXT = grammar_text(2_000, seed=0)
CORPUS = Corpus.from_text(TEXT)
PIECES = WordPieces.trained(CORPUS, 120)


def joined(pieces: list[str]) -> list[str]:
    """Words put together again from their pieces."""
    return "".join(pieces).split(BEGIN)[1:]


def test_pieces_spell_the_words_of_the_text():
    assert joined(PIECES.cut(TEXT)) == Words().cut(TEXT)
    assert len(PIECES.cut(TEXT)) > len(Words().cut(TEXT))
    assert PIECES.size == 120
    assert set(PIECES.cut(TEXT)) <= set(json.loads(PIECES.model)["model"]["vocab"])


def test_more_pieces_are_longer_ones():
    lengths = [len(WordPieces.trained(CORPUS, size).cut(TEXT)) for size in (60, 120, 400)]
    assert lengths == sorted(lengths, reverse=True)
    every = WordPieces.trained(CORPUS, 100_000)
    assert every.cut(TEXT) == [BEGIN + word for word in Words().cut(TEXT)]


@given(st.permutations(sorted(set(Words().cut(TEXT)))[:60]))
def test_the_order_of_the_words_does_not_matter(words):
    trained = WordPieces.trained(Corpus.from_text(" ".join(words)), 70)
    assert trained.model == WordPieces.trained(Corpus.from_text(" ".join(sorted(words))), 70).model


def test_another_process_trains_the_same_pieces():
    code = (
        "from nta_beyond.text import *\n"
        "corpus = Corpus.from_text(grammar_text(2_000, seed=0))\n"
        "print(WordPieces.trained(corpus, 120).model)"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert other.stdout.decode("utf-8").strip() == PIECES.model


@given(st.lists(st.text(alphabet="ab.é-> ", max_size=6), max_size=30), st.integers(1, 40))
def test_chunks_give_the_same_pieces_as_the_whole(words, size):
    text = " ".join(words)
    corpus = Corpus.from_text(text).cut_by(PIECES)
    pieces = [piece for chunk in corpus.chunks(size) for piece in chunk.tokens()]
    assert pieces == PIECES.cut(text)


@given(st.text(alphabet="abc->→ ", max_size=60))
def test_every_piece_can_be_the_name_of_a_token(text):
    spaced = Corpus.from_text("a->b a→b -> → ab->-> " * 4, text).cut_by(SpacedWords())
    for size in (8, 12, 200):
        pieces = WordPieces.trained(spaced, size)
        Vocabulary.of(spaced.cut_by(pieces))


def test_letters_that_were_never_seen_and_removed_words_leave_gaps():
    spaced = Corpus.from_text("low lower <unk> lowest " * 5).cut_by(SpacedWords())
    pieces = WordPieces.trained(spaced, 30)
    assert pieces.cut("<unk> low") == ["<unk>", "▁low"]
    assert NO_PIECE in pieces.cut("löw")
    names = Vocabulary.of(spaced.cut_by(pieces)).names
    assert not {"<unk>", NO_PIECE, "<"} & set(names)
    assert Vocabulary.of(spaced.cut_by(pieces)).encode(pieces.cut("<unk> low ö")).tolist()[0] == -1
    as_word = WordPieces.trained(spaced.cut_by(SpacedWords(unknown=())), 30)
    assert "".join(as_word.cut("<unk>")) == "▁<unk>"


def test_edges_of_pieces_streaming_and_in_memory_are_the_same():
    corpus = CORPUS.cut_by(PIECES)
    words = Vocabulary.of(corpus)
    streamed = read_edges(corpus, words, window=12)
    held = window_edges(text_windows(corpus, words, window=12), words.names)
    assert np.array_equal(streamed.keys, held.keys)
    assert np.array_equal(streamed.windows, held.windows)


def test_a_copy_in_another_process_spells_for_itself():
    PIECES.cut("the cat")
    again = pickle.loads(pickle.dumps(PIECES))
    assert again == PIECES
    assert "_known" not in vars(again)
    assert again.cut(TEXT) == PIECES.cut(TEXT)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingPackage, match=r"WordPieces needs .* pip install 'nta-core\[text\]'"):
        WordPieces.trained(CORPUS, 100)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: WordPieces.trained(CORPUS, 0), OptionError, "size=0"),
        (lambda: WordPieces.trained("text", 10), OptionError, "corpus must be a Corpus"),
        (lambda: WordPieces.trained(CORPUS.cut_by(PIECES), 10), OptionError, "pieces already"),
        (lambda: WordPieces.trained(Corpus.from_text(" "), 10), TextFileError, "no word to make"),
        (lambda: WordPieces(Words(), "{}"), OptionError, "no byte-pair encoding"),
        (lambda: WordPieces(Words(), '{"model": {}}'), OptionError, "no byte-pair encoding"),
        (lambda: WordPieces(None, PIECES.model), OptionError, r"words=None: must be Words\(\)"),
    ],
)
def test_it_is_said_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()
