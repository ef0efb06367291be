"""Which words become tokens: the most frequent ones, numbered by frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nta_beyond.errors import TextFileError, texts
from nta_beyond.text.corpus import Advance, Corpus
from nta_beyond.text.tokens import GAP
from nta_core.boundary import MAX_K, Ints, a, check_names, entries, integers, shown, whole
from nta_core.data.tables import html_table
from nta_core.errors import DataError, OptionError, UnknownToken

SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """The words that count, most frequent first.

    Words outside the vocabulary leave a *gap*: they keep their place in a window, but they do not
    run, win, or name a track.  So the graphs of a smaller vocabulary are those of a larger one,
    cut down to fewer tokens.

    Attributes
    ----------
    names : tuple of str
        Token k is called ``names[k]``.
    counts : int64 array of shape (K,)
        How often each token occurs, falling; equal counts in alphabetical order.
    total : int
        Tokens of the corpus, gaps included.

    Examples
    --------
    >>> words = Vocabulary.of(Corpus.from_text("The cat sat. The cat ran."), size=3)
    >>> words
    Vocabulary(3 of 5 words, covering 75% of 8 tokens)
    >>> words.names, words.encode(["the", "dog", "."])
    (('.', 'cat', 'the'), array([ 2, -1,  0]))
    >>> words.token("cat"), words.decode([2, 1, -1])
    (1, 'the cat ·')

    Explained in: chapter 16.
    """

    names: tuple[str, ...]
    counts: Ints
    total: int
    words: int  # distinct words of the corpus, kept or not

    def __post_init__(self) -> None:
        names = check_names(self.names)
        counts = integers(self.counts, "counts")
        if not names or counts.shape != (len(names),) or counts.min() < 1:
            raise DataError("a vocabulary has at least one name, and one positive count for each")
        whole(self.total, "total", least=sum(counts.tolist()))
        whole(self.words, "words", least=len(names))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "counts", counts)

    @classmethod
    def of(
        cls, corpus: Corpus, size: int | None = None, *, advance: Advance | None = None
    ) -> Vocabulary:
        """Count the words of a corpus, piece by piece, and keep the most frequent.

        Memory follows the number of distinct words; `advance` is told the bytes of every piece
        that was read.  All words are kept unless `size` says how many.  Raises `TextFileError`
        when the corpus holds no token at all.
        """
        counts: Counter[str] = Counter()
        for chunk in a(Corpus, corpus, "corpus").chunks(advance=advance):
            counts.update(chunk.tokens())
        return cls.from_counts(counts, size, source=corpus.name, gaps=corpus.tokenizer.gaps)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int],
        size: int | None = None,
        *,
        source: str = "the text",
        gaps: Sequence[str] = (),
    ) -> Vocabulary:
        """Keep the most frequent of counted words; those of `gaps` count as tokens, never as words.

        Examples
        --------
        >>> Vocabulary.from_counts({"cat": 3, "<unk>": 1}, gaps=["<unk>"])
        Vocabulary(1 of 1 words, covering 75% of 4 tokens)
        """
        if size is not None:
            whole(size, "vocabulary", least=1)
        if not isinstance(counts, Mapping):
            raise OptionError(f"counts must map words to numbers, got {shown(counts)}")
        if not counts:
            raise TextFileError("it holds white space and no word", path=source)
        texts([*counts], "counts")
        never = set(texts(gaps, "gaps"))
        words = {word: count for word, count in counts.items() if word not in never}
        if not words:
            raise TextFileError("all its words were removed and marked as unknown", path=source)
        kept = len(words) if size is None else min(len(words), size)
        if kept > MAX_K:
            raise OptionError(
                f"{len(words):,} different words are more than {MAX_K:,}: set a vocabulary size"
            )
        for word, count in counts.items():
            whole(count, f"counts[{shown(word)}]", least=1)
        whole(sum(counts.values()), "the sum of all counts")
        order = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))
        names, times = zip(*order[:kept], strict=True)
        return cls(names, np.array(times, dtype=np.int64), sum(counts.values()), len(words))

    @property
    def K(self) -> int:
        """Number of words kept."""
        return len(self.names)

    @property
    def coverage(self) -> float:
        """Share of the corpus' tokens that are in the vocabulary."""
        return float(self.counts.sum()) / self.total

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    def encode(self, tokens: Sequence[str]) -> Ints:
        """Return token ids, −1 for a gap, shape (len(tokens),)."""
        words = texts(tokens, "tokens")
        return np.array([self._ids.get(word, -1) for word in words], dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> str:
        """Write token ids as words, gaps as a raised dot."""
        known = [whole(k, "token", least=-1, most=self.K - 1) for k in entries(ids, "ids")]
        return " ".join(GAP if k < 0 else self.names[k] for k in known)

    def token(self, name: str) -> int:
        """Return the id of a word."""
        if not isinstance(name, str) or name not in self._ids:
            kept = f"the {self.K:,} most frequent words" if self.words > self.K else "the text"
            lower = isinstance(name, str) and name.lower() in self._ids
            hint = f"; did you mean {shown(name.lower())}?" if lower else ""
            raise UnknownToken(f"{shown(name)} is not among {kept}{hint}")
        return self._ids[name]

    def __repr__(self) -> str:
        return (
            f"Vocabulary({self.K:,} of {self.words:,} words, "
            f"covering {self.coverage:.0%} of {self.total:,} tokens)"
        )

    def _repr_html_(self) -> str:
        pairs = zip(self.names[:SHOWN], self.counts[:SHOWN].tolist(), strict=True)
        rows = ((name, f"{count:,}") for name, count in pairs)
        return html_table("vocabulary", rows, head=("token", "times"), caption=repr(self))
