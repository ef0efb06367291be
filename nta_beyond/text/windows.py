"""Windows of T tokens and the token that came next: text as races."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from nta_beyond.errors import TextFileError
from nta_beyond.text.corpus import Advance, Corpus, Document
from nta_beyond.text.vocabulary import Vocabulary
from nta_core.boundary import MAX_K, Ints, a, check_names, integers, room_for, shown, whole
from nta_core.data import Dataset
from nta_core.errors import DataError, OptionError, UnknownToken

WINDOW = 16
WIDEST = 1_000_000  # tokens of a window


@dataclass(frozen=True, eq=False, repr=False)
class Windows:
    """Windows of a text with their next tokens, in the order of the text.

    Only windows of full length whose last token and whose next token are in the vocabulary are
    kept; inside a window −1 marks a gap.  Raises `DataError` for anything else.

    Attributes
    ----------
    tokens : int64 array of shape (n, T)
        Token ids; the last column is the query.
    labels : int64 array of shape (n,)
        The token that came next.

    Examples
    --------
    >>> corpus = Corpus.from_text("a b a b c a")
    >>> found = text_windows(corpus, Vocabulary.of(corpus), window=3)
    >>> found.tokens.tolist(), found.labels.tolist()
    ([[0, 1, 0], [1, 0, 1], [0, 1, 2]], [1, 2, 0])
    >>> found
    Windows(3 windows of 3 tokens, the next one among them in 67%)
    >>> found.pick(slice(1, None)).dataset("abc").sequences
    ((1, 0, 1), (0, 1, 2))

    Explained in: chapter 16. Paper: Sec. 2, Assumption 2.
    """

    tokens: Ints
    labels: Ints

    def __post_init__(self) -> None:
        tokens, labels = integers(self.tokens, "tokens"), integers(self.labels, "labels")
        if tokens.ndim != 2 or not tokens.shape[1] or labels.shape != tokens.shape[:1]:
            raise DataError(
                f"windows are token ids of shape (n, T), with n labels: got shapes {tokens.shape} "
                f"and {labels.shape}"
            )
        known = (labels >= 0) & (tokens[:, -1] >= 0) & (tokens >= -1).all(axis=1)
        if not known.all():
            row = int(known.argmin())
            raise DataError(
                f"window {row}: its last token and its label must be tokens (0 or more), the "
                "others tokens or −1 for a gap",
                row=row,
            )
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "labels", labels)

    @property
    def n(self) -> int:
        """Number of windows."""
        return len(self.labels)

    @property
    def T(self) -> int:
        """Tokens per window."""
        return int(self.tokens.shape[1])

    @property
    def lasts(self) -> Ints:
        """Last token of each window, shape (n,)."""
        return self.tokens[:, -1]

    def within(self, K: int) -> Windows:
        """Return these windows if tokens and labels are in a vocabulary of K, or say which not."""
        whole(K, "K", least=1, most=MAX_K)
        for ids, what in ((self.tokens, "token"), (self.labels[:, None], "label")):
            if ids.size and ids.max() >= K:
                row = int(ids.max(axis=1).argmax())
                known = f"the vocabulary 0…{K - 1}"
                raise UnknownToken(f"window {row} has {what} {ids.max()}, outside {known}", row=row)
        return self

    def nodes(self, K: int) -> Ints:
        """Return last·K + token for every place, −1 for a gap, shape (n, T)."""
        _made(self.tokens, self.labels[:0]).within(K)  # whatever came next
        return np.where(self.tokens >= 0, self.lasts[:, None] * K + self.tokens, -1)

    @cached_property
    def label_present(self) -> NDArray[np.bool_]:
        """Whether each next token occurs in its window (Assumption 2), shape (n,)."""
        return np.asarray((self.tokens == self.labels[:, None]).any(axis=1))

    def races(self) -> Windows:
        """Return the windows that hold their next token; the others teach the layer nothing."""
        return self.pick(self.label_present)

    def pick(self, rows: slice | Ints | NDArray[np.bool_]) -> Windows:
        """Return the windows of these rows (a slice, ids or a mask)."""
        try:
            chosen = np.arange(self.n)[rows if isinstance(rows, slice) else np.asarray(rows)]
        except Exception:  # rows may be anything
            chosen = np.empty((0, 0), dtype=np.int64)
        if chosen.ndim != 1:
            raise OptionError(
                f"rows={shown(rows)}: a slice, a mask of {self.n} entries, or ids below {self.n}"
            )
        return _made(self.tokens[chosen], self.labels[chosen])

    def dataset(self, names: Sequence[str]) -> Dataset:
        """Return the windows as a dataset; gaps are left out, so lengths may differ."""
        called = check_names(names)
        self.within(len(called))
        gaps = bool((self.tokens < 0).any())
        rows = [row[row >= 0] for row in self.tokens] if gaps else self.tokens
        return Dataset(rows, self.labels, K=len(called), names=called)

    def __repr__(self) -> str:
        share = f", the next one among them in {self.label_present.mean():.0%}" if self.n else ""
        return f"Windows({self.n:,} windows of {self.T} tokens{share})"


def _made(tokens: Ints, labels: Ints) -> Windows:
    """Windows that were checked before, or made here."""
    windows = object.__new__(Windows)
    windows.__dict__.update(tokens=tokens, labels=labels)
    return windows


def text_windows(
    corpus: Corpus, vocabulary: Vocabulary, *, window: int = WINDOW, limit: int | None = None
) -> Windows:
    """Read all windows of a text, or the first `limit`, into memory.

    `window_blocks` yields the same windows piece by piece.  Raises `TextFileError` when the text
    has no window: too few tokens, or too small a vocabulary.

    Examples
    --------
    >>> corpus = Corpus.from_text("the cat and the dog and the cat")
    >>> text_windows(corpus, Vocabulary.of(corpus), window=4, limit=2).n
    2

    Explained in: chapter 16.
    """
    blocks, read = [], 0
    if limit is not None:
        whole(limit, "limit", least=1)
    for block in window_blocks(corpus, vocabulary, window=window):
        blocks.append(block)
        read += block.n
        if limit is not None and read >= limit:
            break
        # all of them are copied once more in the end
        room_for(8 * read * (window + 1), f"{read:,} windows", instead="read window_blocks")
    if not read:
        raise no_window(corpus, vocabulary, window)
    everything = _made(
        np.concatenate([block.tokens for block in blocks]),
        np.concatenate([block.labels for block in blocks]),
    )
    return everything if limit is None else everything.pick(slice(limit))


def window_blocks(
    corpus: Corpus, vocabulary: Vocabulary, *, window: int = WINDOW, advance: Advance | None = None
) -> Iterator[Windows]:
    """Yield the windows of a text piece by piece; memory holds one piece.

    Examples
    --------
    >>> corpus = Corpus.from_text("a b c a", "b c a b")
    >>> [block.n for block in window_blocks(corpus, Vocabulary.of(corpus), window=3)]
    [1, 1]

    Explained in: chapter 16.
    """
    whole(window, "window", least=1, most=WIDEST)
    a(Corpus, corpus, "corpus")
    a(Vocabulary, vocabulary, "vocabulary")
    document: Document | None = None
    tail = np.empty(0, dtype=np.int64)
    for chunk in corpus.chunks(advance=advance):
        if chunk.document is not document:
            document, tail = chunk.document, tail[:0]
        ids = np.concatenate([tail, vocabulary.encode(chunk.tokens())])
        yield windows_of(ids, window)
        tail = ids[-window:]


def windows_of(ids: Ints, window: int) -> Windows:
    """Return the windows of a stretch of token ids (−1 for gaps)."""
    if len(ids) <= window:
        return _made(np.empty((0, window), dtype=np.int64), np.empty(0, dtype=np.int64))
    room_for(
        9 * window * len(ids),
        f"{len(ids):,} windows of {window:,} tokens",
        instead="choose a smaller window",
    )
    tokens, labels = sliding_window_view(ids[:-1], window), ids[window:]
    kept = (tokens[:, -1] >= 0) & (labels >= 0)
    return _made(tokens[kept], labels[kept])


def no_window(corpus: Corpus, vocabulary: Vocabulary, window: int) -> TextFileError:
    """Say why a text has no window."""
    if vocabulary.total <= window:
        why = f"{vocabulary.total} tokens are too few for a window of {window} and a next token"
        return TextFileError(f"{why}: choose a smaller window", path=corpus.name)
    return TextFileError(
        f"no window of {window} tokens has both its last and its next token among the "
        f"{vocabulary.K} words kept: keep more words, or choose a smaller window",
        path=corpus.name,
    )
