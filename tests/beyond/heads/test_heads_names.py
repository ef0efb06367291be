"""Names of other vocabularies: each gets one of ours, no two the same, and a text the same ones."""

from __future__ import annotations

import itertools
import json
import re
from functools import partialmethod
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from nta_beyond.command import main
from nta_beyond.errors import TextFileError
from nta_beyond.heads import Head, head_windows
from nta_beyond.heads import texts as heads_texts
from nta_beyond.heads.command import read_names
from nta_beyond.heads.names import RESERVED, any_written, name_among, written_name
from nta_beyond.text import Corpus, SpacedWords, Vocabulary, grammar_text, text_windows
from nta_core import DataError
from nta_core.boundary import check_names

# What GPT-2, BERT and Pythia call some of their tokens, and what would meet their written forms.
ODD = (
    "->",
    "→",
    "⇒",
    "Ġ->",
    "   ",
    "  ",
    " ",
    "\t\t",
    "\n",
    "a\u2028",
    "\x85",
    "\u00a0b",
    "",
    "\ufeff",
)
LIKE = ("⟨", "⟩", "⟨->⟩", "⟨⟩", "⟨U+0020⟩", "⟨U+27E8⟩", "⟨U+0020×3⟩", "x⟨U+2028⟩y", "⟨U+27E8⟩->⟩")
PLAIN = ("the", "Ġthe", "##ing", "⟨x⟩", "U+0020")


def named(*names: str) -> Head:
    K = len(names)
    return Head.from_arrays(np.eye(K), np.eye(K), np.diag(np.arange(1.0, K + 1)), names=names)


def test_different_names_stay_different() -> None:
    """All texts of up to five of these pieces, among them what we write ourselves."""
    pieces = ("⟨", "⟩", "U+0020", "×2", " ", "->", "U+27E8", "\u2028")
    names = {"".join(some) for n in range(6) for some in itertools.product(pieces, repeat=n)}
    names |= {written_name(name) for name in names} | {*ODD, *LIKE, *PLAIN}
    found = {written_name(name) for name in names}
    assert len(found) == len(names)
    check_names(list(found))  # a word without spaces, no arrow
    assert all(written_name(name) == name for name in PLAIN)
    for name in (*ODD, *LIKE):
        assert any_written([written_name(name)]) == (written_name(name) != name)


def test_a_head_of_a_real_vocabulary() -> None:
    names = (*ODD, *LIKE, *PLAIN)
    head = named(*names)
    changed = sum(written_name(name) != name for name in names)
    said = f"{changed} of {len(names)}, such as ⟨->⟩ for '->'."
    assert any(note.endswith(said) for note in head.notes)
    for k, name in enumerate(names):
        assert head.names[k] == written_name(name)
        assert head.token(head.names[k]) == k
        assert head.token(name) == k or name in head.names  # what is written so is found first
    assert head.tokens(["->", "   ", "the"]).tolist() == [0, 4, names.index("the")]
    together = [0, names.index("the")]
    np.testing.assert_array_equal(head.attention(["->", "the"]), head.attention(together))
    np.testing.assert_array_equal(head.attention("-> the"), head.attention(together))
    plain = named(*PLAIN)
    assert plain.names == PLAIN
    assert not any("between ⟨" in note for note in plain.notes)
    with pytest.raises(DataError, match="is given to two tokens"):
        named("->", "->")
    with pytest.raises(DataError, match="name 1 is 3"):
        Head.from_arrays(np.eye(2), np.eye(2), np.eye(2), names=["a", 3])


def test_what_is_written_is_found_by_either_name() -> None:
    assert name_among("->", {"⟨->⟩"}) == name_among("⟨->⟩", {"⟨->⟩"}) == "⟨->⟩"
    assert name_among("⟨->⟩", {written_name("⟨->⟩")}) == written_name("⟨->⟩")


# ---- texts ---------------------------------------------------------------------------------------


def read(
    head: Head, text: str, rule: SpacedWords | None = None, window: int = 1
) -> list[list[int]]:
    corpus = Corpus.from_text(text)
    found = head_windows(head, corpus if rule is None else corpus.cut_by(rule), window=window)
    return [*map(list, np.c_[found.tokens, found.labels].tolist())]


def test_a_text_gets_the_same_names() -> None:
    """-> and → and ⇒ are three tokens, and white space that is no space divides no name."""
    head = named("a", "->", "→", "⇒", "b\u2028c", "   ", "<unk>", "\u00a0")
    text = "a -> → ⇒ b\u2028c ⟨U+0020×3⟩ a ⟨->⟩ <unk> a \u00a0 a"
    told = [0, 1, 2, 3, 4, 5, 0, 1, -1, 0, 7, 0]
    pairs = [list(pair) for pair in itertools.pairwise(told) if -1 not in pair]
    assert read(head, text, SpacedWords()) == pairs


def test_the_arrow_of_this_books_rules() -> None:
    """They make one arrow of three: a head that has it reads it, one that has three cannot."""
    ours = named("a", "⇒")
    assert read(ours, "a -> a → a ⇒ a", SpacedWords()) == [[0, 1], [1, 0]] * 3
    assert read(ours, "A → a ⇒ a") == [[0, 1], [1, 0]] * 2
    three = named("a", "->", "→", "⇒")
    assert read(three, "a a → a ⇒ a a") == [[0, 0], [0, 0]]


@pytest.mark.parametrize("limit", [None, 1, 700])
@pytest.mark.parametrize("window", [1, 5, 16])
def test_windows_are_those_of_the_text(
    window: int, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the vocabulary of the text, block by block and document by document."""
    corpus = Corpus.from_text(*(grammar_text(n, seed=n) for n in (400, 3, 900)))
    words = Vocabulary.of(corpus, 40)
    told = text_windows(corpus, words, window=window, limit=limit)
    monkeypatch.setattr(heads_texts, "BLOCK", 50)
    monkeypatch.setattr(Corpus, "chunks", partialmethod(Corpus.chunks, 64))
    found = head_windows(named(*words.names), corpus, window=window, limit=limit)
    np.testing.assert_array_equal(found.tokens, told.tokens)
    np.testing.assert_array_equal(found.labels, told.labels)


def test_documents_shorter_than_a_window() -> None:
    head = named("a", "b")
    short = Corpus.from_text(*["a b a"] * 20)
    with pytest.raises(TextFileError, match=r"longest document has 3 .* window of 3"):
        head_windows(head, short, window=3)
    with pytest.raises(TextFileError, match=r"it has 3 tokens, too few for a window of 16"):
        head_windows(head, short.pick([0]))
    assert head_windows(head, short, window=2).n == 20
    with pytest.raises(TextFileError, match=r"no window of 2 .* 2 of the 5 .* \(40.0%\)"):
        head_windows(head, Corpus.from_text("a x b x x"), window=2)
    with pytest.raises(TextFileError, match="white space and no word"):
        head_windows(head, Corpus.from_text("  "))


# ---- files ---------------------------------------------------------------------------------------


def test_a_line_of_names_ends_with_a_newline_only(tmp_path: Path) -> None:
    names = ["a", "b\u2028c", "\x85", "\u000b", "d\re", "   ", "", "->"]
    for end, last in (("\n", ""), ("\n", "\n"), ("\r\n", "\r\n")):
        (path := tmp_path / "vocab.txt").write_bytes((end.join(names) + last).encode())
        assert read_names(path) == names
    path.write_bytes("\ufeffa\nb".encode())
    assert read_names(path) == ["a", "b"]


@pytest.mark.parametrize("kind", ["vocab.txt", "vocab.json", "tokenizer.json"])
def test_the_command_reads_a_text_in_a_real_vocabulary_once(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["the", "->", "→", "   ", "a\u2028", "Ġ", "cat", "sat"]
    rng, parts = np.random.default_rng(0), {"q.weight": (2, 4), "k.weight": (2, 4), "e": (11, 4)}
    made = {name: rng.normal(size=shape).astype(np.float32) for name, shape in parts.items()}
    save_file(made, file := tmp_path / "model.safetensors")
    numbered = {name: k for k, name in enumerate(names)}
    written = {
        "vocab.txt": "\n".join(names),
        "vocab.json": json.dumps(numbered),
        "tokenizer.json": json.dumps({"model": {"vocab": numbered}}),
    }
    (tmp_path / kind).write_text(written[kind], encoding="utf-8")
    (text := tmp_path / "tokens.txt").write_text(
        "the -> cat sat → the ⟨U+0020×3⟩ dog " * 9, "utf-8"
    )
    given = ["head", str(file), "--query", "q.weight", "--key", "k.weight", "--embedding", "e"]
    given += ["--names", str(tmp_path / kind), "--text", str(text), "--tokens", "spaced"]
    assert main([*given, "--window", "2"]) == 1
    assert "8 names for K=11 rows" in capsys.readouterr().err
    monkeypatch.setattr(heads_texts, "_words", counted := Counted(heads_texts._words))
    more = ["--padding", "3", "--window", "2", "--last=->", "--last", "⟨U+0020×3⟩"]
    assert main([*given, *more, "--last", "<row-10>"]) == 0
    assert counted.times == 1
    said = capsys.readouterr().out
    assert "63 of the 72 tokens of the text (87.5%) are tokens of the head" in said
    assert re.search(r"between ⟨ and ⟩: 4 of 11, such as ⟨->⟩ for '->'", said)


class Counted:
    def __init__(self, function: object) -> None:
        self.function, self.times = function, 0

    def __call__(self, *args: object) -> object:
        self.times += 1
        return self.function(*args)


def test_reserved_names_are_those_that_no_vocabulary_of_ours_has() -> None:
    for name in RESERVED:
        with pytest.raises(DataError):
            check_names([name])
