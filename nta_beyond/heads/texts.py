"""A text cut into windows of a head's own vocabulary."""

from __future__ import annotations

import numpy as np

from nta_beyond.errors import TextFileError
from nta_beyond.heads.errors import HeadError
from nta_beyond.heads.head import Head
from nta_beyond.text import Corpus, Vocabulary, Windows, text_windows
from nta_beyond.text.windows import WINDOW
from nta_core.boundary import a, shown

MARKS = ("Ġ", "▁")  # how tokenizers write that a token begins a word: a space stands before it
MANY = 0.25  # share of names with such a mark from which on a text must have them, too


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
        already, names between spaces, is read with ``corpus.cut_by(SpacedWords())``.  Names
        that begin with ``Ġ`` or ``▁`` ask for such a text: bare words would be other tokens.
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
    words, known = _known(head, corpus)
    if not known:
        raise TextFileError(
            f"none of its words, such as {shown(words.names[0])}, is a token of the head, such as "
            f"{shown(head.names[0])}: give the head its names, or the text cut by its tokenizer",
            path=corpus.name,
        )
    kept = Vocabulary.from_counts(known)
    try:
        windows = text_windows(corpus, kept, window=window, limit=limit)
    except TextFileError:
        if words.total <= window:  # a short text: that sentence fits
            raise
        raise TextFileError(
            f"no window of {window} tokens has both its last and its next token among those of the "
            f"head: {_share(words, known)}; cut the text as the names of the head are cut",
            path=corpus.name,
        ) from None
    ids = np.array([*(place[name] for name in kept.names), -1], dtype=np.int64)
    return Windows(ids[windows.tokens], ids[windows.labels])


def coverage(head: Head, corpus: Corpus) -> str:
    """Say how much of a text is tokens of a head, in a sentence."""
    return f"{_share(*_known(head, corpus))}; the others leave gaps."


def _share(words: Vocabulary, known: dict[str, int]) -> str:
    count = sum(known.values())
    share = f"{count:,} of the {words.total:,} tokens of the text ({count / words.total:.1%})"
    return f"{share} are tokens of the head"


def _known(head: Head, corpus: Corpus) -> tuple[Vocabulary, dict[str, int]]:
    """The words of a text, and how often those came that are tokens of the head.

    A text without the marks that the names bear is refused: "the" may be a token, too, but inside a
    sentence it is "Ġthe".
    """
    place, words = set(head.names), Vocabulary.of(corpus)
    marked = [name for name in head.names if name.startswith(MARKS) and len(name) > 1]
    if len(marked) >= MANY * head.K and not any(
        name.startswith(MARKS) and len(name) > 1 for name in words.names
    ):
        raise HeadError(
            f"{corpus.name}: {len(marked):,} of {head.K:,} tokens of the head, such as "
            f"{shown(marked[0])}, begin with a mark for a space, and no word of this text does: it "
            "must be cut by the model's own tokenizer. Write its tokens between spaces and read "
            "that with --tokens spaced (in Python: corpus.cut_by(SpacedWords()))"
        )
    counts = zip(words.names, words.counts.tolist(), strict=True)
    return words, {name: count for name, count in counts if name in place}
