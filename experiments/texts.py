"""The texts that are read: the book's prose, the grammar's text, and both of them shuffled.

A shuffled text has the same words as often, and no grammar: what it lacks, word order made.
"""

from functools import cache

import numpy as np

from experiments.prose import book_prose, fingerprint
from nta_beyond.text import Corpus, Tracks, grammar_text, tokens_of

CORPORA = ("book", "grammar", "shuffled book", "shuffled grammar")
SEED = 0

Documents = tuple[tuple[str, ...], ...]


@cache
def documents(corpus: str, tokens: int) -> Documents:
    """The tokens of a corpus, document by document; `tokens` is the grammar's least number."""
    if corpus.startswith("shuffled "):
        whole = documents(corpus.removeprefix("shuffled "), tokens)
        words = [token for document in whole for token in document]
        order = np.random.default_rng(SEED).permutation(len(words))
        return (tuple(words[k] for k in order),)
    texts = book_prose() if corpus == "book" else (grammar_text(tokens, seed=SEED),)
    return tuple(tuple(tokens_of(text)) for text in texts)


def stretch(whole: Documents, begin: int, end: int) -> Corpus:
    """Tokens begin … end − 1 of some documents, which stay apart."""
    pieces, seen = [], 0
    for document in whole:
        piece = document[max(begin - seen, 0) : max(end - seen, 0)]
        if piece:
            pieces.append(" ".join(piece))
        seen += len(document)
    return Corpus.from_text(*pieces)


def row_after(table: Tracks, name: str, keys: tuple[str, ...]) -> list[int]:
    """Some numbers of the table after a word; all 0 before its first race."""
    known = any(table.names[last] == name for last in table.lasts)
    return [table.row(name)[key] if known else 0 for key in keys]


def state(whole: Documents) -> dict[str, object]:
    """Which text was read: the book's prose changes with every edit of a chapter."""
    return {
        "corpus_tokens": sum(map(len, whole)),
        "corpus_hash": fingerprint(tuple(" ".join(document) for document in whole)),
    }
