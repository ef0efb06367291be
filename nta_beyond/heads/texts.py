"""A text cut into windows of a head's own vocabulary."""

from __future__ import annotations

import numpy as np

from nta_beyond.errors import TextFileError
from nta_beyond.heads.head import Head
from nta_beyond.text import Corpus, Vocabulary, Windows, text_windows
from nta_beyond.text.windows import WINDOW
from nta_core.boundary import a, shown


def head_windows(
    head: Head, corpus: Corpus, *, window: int = WINDOW, limit: int | None = None
) -> Windows:
    """Read the windows of a text in the vocabulary of a head; other words leave gaps.

    Parameters
    ----------
    head : Head
        A head whose tokens have names.
    corpus : Corpus
        The text.  Its own rule says how it is cut; a text that the model's tokenizer has cut
        already, names between spaces, is read with ``corpus.cut_by(SpacedWords())``.
    window, limit
        As in `text_windows`.

    Examples
    --------
    >>> head = Head.from_arrays(np.eye(2), np.eye(2), np.eye(2), names=["cat", "the"])
    >>> windows = head_windows(head, Corpus.from_text("the cat saw the cat"), window=2)
    >>> windows.tokens.tolist(), windows.labels.tolist()
    ([[-1, 1]], [0])

    Explained in: chapter 17.
    """
    place = {name: k for k, name in enumerate(a(Head, head, "head").names)}
    words = Vocabulary.of(corpus)
    counts = dict(zip(words.names, words.counts.tolist(), strict=True))
    known = {name: count for name, count in counts.items() if name in place}
    if not known:
        raise TextFileError(
            f"none of its words, such as {shown(words.names[0])}, is a token of the head, such as "
            f"{shown(head.names[0])}: give the head its names, or the text cut by its tokenizer",
            path=corpus.name,
        )
    kept = Vocabulary.from_counts(known)
    windows = text_windows(corpus, kept, window=window, limit=limit)
    ids = np.array([*(place[name] for name in kept.names), -1], dtype=np.int64)
    return Windows(ids[windows.tokens], ids[windows.labels])
