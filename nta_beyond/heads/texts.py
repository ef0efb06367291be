"""A text cut into windows of a head's own vocabulary."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from nta_beyond.errors import TextFileError
from nta_beyond.heads.errors import HeadError
from nta_beyond.heads.head import Head
from nta_beyond.heads.names import any_written, name_among, written_name
from nta_beyond.text import Corpus, SpacedWords, Windows
from nta_beyond.text.corpus import Chunk
from nta_beyond.text.tokens import as_name
from nta_beyond.text.windows import WIDEST, WINDOW, windows_of
from nta_core.boundary import Ints, a, room_for, shown, whole

MARKS = ("Ġ", "▁")  # how tokenizers write that a token begins a word: a space stands before it
MANY = 0.25  # share of names with such a mark from which on a text must have them, too
ARROWS = ("->", "→")  # of which the rules of this book make one
BLOCK = 1 << 16  # tokens of which windows are made at a time
_ASCII_SPACE = re.compile(r"[ \t\n\r\f\v]+")  # a name may hold other white space


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
        A name that holds a space stands there as in `Head.names`.
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
    return read_text(head, corpus).windows(window, limit)


@dataclass(frozen=True, eq=False)
class HeadText:
    """A text as token ids of a head, −1 for a gap, one array per document."""

    documents: tuple[Ints, ...]
    name: str

    @property
    def share(self) -> str:
        """How much of the text is tokens of the head, in words."""
        total = sum(map(len, self.documents))
        count = sum(int((ids >= 0).sum()) for ids in self.documents)
        share = f"{count:,} of the {total:,} tokens of the text ({count / total:.1%})"
        return f"{share} are tokens of the head"

    def windows(self, window: int = WINDOW, limit: int | None = None) -> Windows:
        """The windows of `head_windows`."""
        whole(window, "window", least=1, most=WIDEST)
        if limit is not None:
            whole(limit, "limit", least=1)
        found, read = [], 0
        for ids in self.documents:
            for begin in range(0, max(len(ids) - window, 0), BLOCK):
                found.append(block := windows_of(ids[begin : begin + BLOCK + window], window))
                read += block.n
                room_for(8 * read * (window + 1), f"{read:,} windows", instead="set a limit")
            if limit is not None and read >= limit:
                break
        if not read:
            raise self._no_window(window)
        tokens = np.concatenate([block.tokens for block in found])[:limit]
        return Windows(tokens, np.concatenate([block.labels for block in found])[:limit])

    def _no_window(self, window: int) -> TextFileError:
        if (longest := max(map(len, self.documents))) <= window:
            whose = "its longest document has" if len(self.documents) > 1 else "it has"
            return TextFileError(
                f"{whose} {longest:,} tokens, too few for a window of {window} and a next token: "
                "choose a smaller window",
                path=self.name,
            )
        return TextFileError(
            f"no window of {window} tokens has both its last and its next token among those of the "
            f"head: {self.share}; cut the text as the names of the head are cut",
            path=self.name,
        )


def read_text(head: Head, corpus: Corpus) -> HeadText:
    """Read a text once, in the vocabulary of a head.

    A text without the marks that the names bear is refused: "the" may be a token, too, but inside a
    sentence it is "Ġthe".
    """
    place = {name: k for k, name in enumerate(a(Head, head, "head").names)}
    foreign = any_written(head.names)
    numbers: dict[str, int] = {}  # of the different words of the text, as they are met
    read: list[tuple[object, list[Ints]]] = []
    for chunk in a(Corpus, corpus, "corpus").chunks():
        if not read or read[-1][0] is not chunk.document:
            read.append((chunk.document, []))
        words = _words(chunk) if foreign else chunk.tokens()
        ids = [numbers.setdefault(word, len(numbers)) for word in words]
        read[-1][1].append(np.array(ids, dtype=np.int64))
    documents = [np.concatenate(parts) for _, parts in read]
    if not numbers:
        raise TextFileError("it holds white space and no word", path=corpus.name)
    _refuse_unmarked(head, numbers, corpus.name)
    never = {*corpus.tokenizer.gaps, *_unclear(place, corpus)}
    known = np.array(
        [-1 if word in never else place.get(name_among(word, place), -1) for word in numbers]
    )
    if known.max() < 0:
        often = np.bincount(np.concatenate(documents)).argmax()
        raise TextFileError(
            f"none of its words, such as {shown([*numbers][often])}, is a token of the head, such "
            f"as {shown(head.names[0])}: give the head its names, or the text cut by its tokenizer",
            path=corpus.name,
        )
    return HeadText(tuple(known[numbered] for numbered in documents), corpus.name)


def _words(chunk: Chunk) -> list[str]:
    """The words of a text for a head that tells arrows and kinds of white space apart."""
    if not isinstance(chunk.tokenizer, SpacedWords):
        return chunk.tokens()
    text = chunk.document.read(chunk.begin, chunk.end)
    return [word for word in _ASCII_SPACE.split(text) if word]


def _unclear(place: dict[str, int], corpus: Corpus) -> tuple[str, ...]:
    """Words that stand for several tokens: the arrow of a rule that makes all arrows one."""
    several = any(written_name(arrow) in place for arrow in ARROWS)
    return (as_name("→"),) if several and not isinstance(corpus.tokenizer, SpacedWords) else ()


def _refuse_unmarked(head: Head, words: dict[str, int], text: str) -> None:
    marked = [name for name in head.names if name.startswith(MARKS) and len(name) > 1]
    if len(marked) >= MANY * head.K and not any(
        name.startswith(MARKS) and len(name) > 1 for name in words
    ):
        raise HeadError(
            f"{text}: {len(marked):,} of {head.K:,} tokens of the head, such as "
            f"{shown(marked[0])}, begin with a mark for a space, and no word of this text does: it "
            "must be cut by the model's own tokenizer. Write its tokens between spaces and read "
            "that with --tokens spaced (in Python: corpus.cut_by(SpacedWords()))"
        )
