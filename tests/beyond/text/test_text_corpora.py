"""Published corpora by name: where they are looked for, what they are, what is refused."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import pytest

from nta_beyond.errors import ChangedCorpus, MissingCorpus, TextFileError
from nta_beyond.text import (
    Corpus,
    SpacedWords,
    Vocabulary,
    Words,
    named_corpus,
    read_edges,
    text_windows,
)
from nta_beyond.text import corpora as module
from nta_beyond.text.corpora import KnownCorpus
from nta_beyond.text.corpus import TextFile
from nta_core import OptionError, UnknownToken

ONE = """
 = The first article =

 The cat saw the <unk> and the cat → ran .

 = = A section = =

 x is
 = 1 <unk> and k =
 so the cat ran .

"""
TWO = """
 = Another =

 The dog saw 3 @.@ 5 <unk> .
"""
FILES = {"valid.txt": ONE + TWO, "test.txt": TWO}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of corpora that holds one of two parts, in the form of WikiText."""
    place = tmp_path / "tiny-wiki"
    place.mkdir()
    for name, text in FILES.items():
        spaced = text.replace("\n\n", "\n \n").replace(" =\n", " = \n")  # as WikiText ends lines
        (place / name).write_text(spaced, encoding="utf-8")
    hashes = {name: hashlib.sha256((place / name).read_bytes()).hexdigest() for name in FILES}
    known = KnownCorpus("Tiny, from a shelf", hashes, SpacedWords())
    monkeypatch.setattr(module, "KNOWN", {"tiny-wiki": known})
    monkeypatch.setenv(module.VARIABLE, str(tmp_path))
    return tmp_path


def test_a_corpus_is_found_below_the_folder_of_corpora(folder, monkeypatch):
    tiny = named_corpus("tiny-wiki")
    assert tiny.parts == ("valid.txt", "test.txt")
    assert tiny.tokens == sum(len(text.split()) for text in FILES.values())
    raw = b"".join((folder / "tiny-wiki" / part).read_bytes() for part in tiny.parts)
    assert tiny.sha256[""] == hashlib.sha256(raw).hexdigest()
    assert repr(tiny) == f"NamedCorpus(tiny-wiki: 3 articles, {tiny.tokens} tokens)"
    record = tiny.record()
    assert record["sha256"] == tiny.sha256[""]
    assert record["tokens"] == tiny.tokens
    assert set(record["files"]) == set(tiny.parts)
    monkeypatch.delenv(module.VARIABLE)
    assert named_corpus("tiny-wiki", folder) == tiny


def test_articles_begin_with_their_titles_and_a_formula_begins_none(folder):
    tiny = named_corpus("tiny-wiki")
    titles = ["The first article", "Another"]
    assert [article.title for article in tiny.articles("valid.txt")] == titles
    assert [article.title for article in tiny.articles()] == [*titles, "Another"]
    whole = (folder / "tiny-wiki" / "valid.txt").read_text(encoding="utf-8")
    stretches = [article.text for article in tiny.articles("valid.txt")]
    assert "".join(text.read(0, text.size) for text in stretches) == whole
    # without the rule of the empty lines the formula would be a title
    assert sum(line.startswith(" = ") for line in whole.splitlines()) == 4


def test_windows_do_not_reach_from_one_article_into_the_next(folder):
    corpus = named_corpus("tiny-wiki").corpus("valid.txt")
    assert len(corpus.documents) == 2
    apart = Corpus.from_text(*(" ".join(tokens) for tokens in corpus.tokens()))
    found = text_windows(corpus, words := Vocabulary.of(corpus), window=3)
    expected = text_windows(apart.cut_by(SpacedWords()), words, window=3)
    assert found.tokens.tolist() == expected.tokens.tolist()
    together = Corpus((TextFile(folder / "tiny-wiki" / "valid.txt", "utf-8"),), SpacedWords())
    assert text_windows(together, words, window=3).n > found.n


def test_a_piece_of_an_article_knows_what_stands_before_it(folder):
    corpus = named_corpus("tiny-wiki").corpus()
    for size in (1, 7, 40):
        before: dict[object, list[str]] = {}
        for chunk in corpus.chunks(size):
            seen = before.setdefault(chunk.document, [])
            for count in (1, 3, 50):
                assert chunk.lead(count) == seen[-count:]
            seen += chunk.tokens()
        assert [*before.values()] == [*corpus.tokens()]


def test_a_removed_word_leaves_a_gap_unless_asked_otherwise(folder):
    corpus = named_corpus("tiny-wiki").corpus("test.txt")
    words = Vocabulary.of(corpus)
    assert "<unk>" not in words.names
    assert words.total == len(TWO.split())
    assert words.coverage == 1 - 1 / words.total
    assert words.encode(["The", "<unk>", "@.@"])[1] == -1
    as_word = Vocabulary.of(corpus.cut_by(SpacedWords(unknown=())))
    assert "<unk>" in as_word.names
    assert as_word.total == words.total
    with pytest.raises(TextFileError, match="all its words were removed"):
        Vocabulary.of(Corpus.from_text("<unk> <unk>").cut_by(SpacedWords()))


def test_the_tokens_are_those_of_the_corpus(folder):
    first = next(named_corpus("tiny-wiki").corpus().tokens())
    assert first == ONE.replace("→", "⇒").split()
    assert Words().cut(TWO) != SpacedWords().cut(TWO)
    with pytest.raises(UnknownToken, match=r"'DOG' is not among the text; did you mean 'dog'\?"):
        Vocabulary.of(named_corpus("tiny-wiki").corpus()).token("DOG")


def test_a_corpus_in_another_process_is_the_same(folder):
    corpus = named_corpus("tiny-wiki").corpus()
    again = pickle.loads(pickle.dumps(corpus))
    assert again == corpus
    words = Vocabulary.of(corpus)
    assert (
        read_edges(again, words, window=4).keys == read_edges(corpus, words, window=4).keys
    ).all()


def test_documents_can_be_picked(folder):
    corpus = named_corpus("tiny-wiki").corpus()
    assert corpus.pick(slice(1, None)).documents == corpus.documents[1:]
    assert corpus.pick([2, 0]).documents == (corpus.documents[2], corpus.documents[0])
    assert corpus.pick([0]).tokenizer == SpacedWords()
    with pytest.raises(OptionError, match="a row=3"):
        corpus.pick([3])
    with pytest.raises(OptionError, match="a slice needs whole numbers"):
        corpus.pick(slice("a", None))


# ---- what is refused ----------------------------------------------------------------------------


def test_without_the_variable_it_is_said_what_to_get_and_where_to_put_it(folder, monkeypatch):
    monkeypatch.delenv(module.VARIABLE)
    with pytest.raises(MissingCorpus, match="not here: get Tiny, from a shelf, and put ") as no:
        named_corpus("tiny-wiki")
    assert module.VARIABLE in str(no.value)


def test_a_missing_folder_or_file_is_named(folder, tmp_path):
    with pytest.raises(MissingCorpus, match=r"tiny-wiki is not in .*elsewhere: get Tiny"):
        named_corpus("tiny-wiki", tmp_path / "elsewhere")
    (folder / "tiny-wiki" / "test.txt").unlink()
    with pytest.raises(MissingCorpus, match=r"tiny-wiki/test\.txt is not in"):
        named_corpus("tiny-wiki")


def test_a_changed_file_is_refused_with_both_hashes(folder):
    path = folder / "tiny-wiki" / "test.txt"
    expected = module.expected_sha256("tiny-wiki")["test.txt"]
    path.write_text(path.read_text(encoding="utf-8").replace("dog", "cow"), encoding="utf-8")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(ChangedCorpus, match=rf"its sha256 is {found}, not {expected}; get Tiny"):
        named_corpus("tiny-wiki")


@pytest.mark.parametrize("name", ["tiny wiki", "../tiny-wiki", "", None, 3])
def test_an_unknown_name_is_refused_with_the_known_ones(folder, name):
    with pytest.raises(OptionError, match="known corpora are tiny-wiki"):
        named_corpus(name)
    with pytest.raises(OptionError, match="known corpora are tiny-wiki"):
        module.expected_sha256(name)


def test_an_unknown_part_is_refused_with_the_known_ones(folder):
    with pytest.raises(OptionError, match=r"has the parts valid\.txt, test\.txt"):
        named_corpus("tiny-wiki").corpus("train.txt")


def test_a_tokenizer_that_is_none_is_refused():
    with pytest.raises(
        OptionError, match=r"tokenizer='spaces': must be Words\(\), SpacedWords\(\)"
    ):
        Corpus.from_text("a b").cut_by("spaces")
    with pytest.raises(OptionError, match="unknown"):
        SpacedWords(unknown="<unk>")


def test_the_known_corpora_say_where_they_are_published():
    for known in module.KNOWN.values():
        assert "http" in known.source or ".com/" in known.source
        assert all(len(digest) == 64 for digest in known.files.values())
