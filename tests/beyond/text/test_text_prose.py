"""The book's prose as a corpus: words stay, marks and mathematics go; and the shuffled texts."""

import json
from collections import Counter

import pytest

from experiments.prose import book_prose, fingerprint, plain, prose_of
from experiments.texts import documents, state, stretch
from nta_beyond.text import tokens_of


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("(ch-02)=\n# Every **sequence** is a `race`", "every sequence is a race"),
        (
            "see {ref}`chapter 2 <ch-02>` and {term}`leagues <league>`.",
            "see chapter 2 and leagues .",
        ),
        (
            "the norm $\\|W\\|$ grows {cite}`li2024mechanics`, as {eq}`x` says",
            "the norm grows , as says",
        ),
        ("```{admonition} Say\n:class: say\n**It ties.**\n```", "it ties ."),
        (":::{prf:lemma} A title\n:label: lem-1\nIt holds.\n:::", "it holds ."),
        ("before\n\n$$a = b,\nc = d$$\n\nafter", "before after"),
    ],
)
def test_words_stay_and_marks_go(markdown, words):
    assert tokens_of(plain(markdown)) == words.split()


def test_only_markdown_cells_are_prose(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["One ", "word."]},
        {"cell_type": "code", "source": ["print('no prose')"]},
    ]
    (tmp_path / "b.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": []}))
    assert prose_of(tmp_path / "b.ipynb") == "One word."
    assert book_prose(tmp_path) == ("One word.",)


def test_the_book_is_long_enough_and_clean():
    texts = book_prose()
    assert sum(len(tokens_of(text)) for text in texts) > 36_000
    for text in texts:
        assert "```" not in text
        assert "{ref}" not in text
    assert fingerprint(texts) != fingerprint(texts[1:])


def test_a_shuffled_text_has_the_same_words():
    plainly, mixed = documents("grammar", 500), documents("shuffled grammar", 500)
    assert Counter(plainly[0]) == Counter(mixed[0])
    assert plainly != mixed
    assert state(plainly)["corpus_hash"] != state(mixed)["corpus_hash"]


def test_a_stretch_cuts_across_documents_and_keeps_them_apart():
    whole = (("a", "b", "c"), ("d", "e"), ("f",))
    found = stretch(whole, 1, 5)
    assert [document.text for document in found.documents] == ["b c", "d e"]
