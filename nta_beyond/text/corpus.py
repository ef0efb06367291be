"""A corpus: plain text files, read in chunks that never cut a word.

Nothing is held but the chunk at hand, so a file may be larger than the memory.  Chunks know their
place, and any of them can be read alone, with the tokens that precede it: that is what lets
processes, or machines, share one file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nta_beyond.errors import TextFileError, path_of, texts
from nta_beyond.text.pieces import WordPieces
from nta_beyond.text.tokens import SpacedWords, Words
from nta_core.boundary import a, entries, shown, whole
from nta_core.errors import OptionError

CHUNK = 1 << 20  # bytes of text at a time
PATTERNS = ("*.txt", "*.md")  # which files of a folder are read
Advance = Callable[[int], object]  # told the bytes that were read, for a progress bar

_SPACE = re.compile(rb"[ \t\n\r\f\v]")
_LOOK = 1 << 16


@dataclass(frozen=True)
class TextFile:
    """One file; places are bytes.  A cut at ASCII white space never splits a character.

    Like every document it has a name and a size, can be read from one place to another, and says
    where the first white space at or after a place is (at its `size`, if there is none).
    """

    path: Path
    encoding: str

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def read(self, begin: int, end: int) -> str:
        raw = self._bytes(begin, end)
        if b"\0" in raw:
            raise TextFileError(
                "it holds zero bytes, so it is no plain text (UTF-16 text is to be saved as UTF-8)",
                path=self.path,
            )
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            line = self._line(begin + error.start)
            raise TextFileError(
                f"line {line} cannot be read as {self.encoding} "
                f"(byte {raw[error.start]:#04x} at {begin + error.start}): "
                "name its encoding, for example encoding='latin-1', or save it as UTF-8",
                path=self.path,
            ) from None

    def boundary(self, at: int) -> int:
        while at < self.size:
            raw = self._bytes(at, at + _LOOK)
            if found := _SPACE.search(raw):
                return at + found.start()
            at += len(raw)
        return self.size

    def _bytes(self, begin: int, end: int) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(begin)
                return file.read(end - begin)
        except OSError as error:
            raise TextFileError(f"it cannot be read: {error.strerror}", path=self.path) from None

    def _line(self, at: int) -> int:
        begins = range(0, at, CHUNK)
        return 1 + sum(self._bytes(b, min(b + CHUNK, at)).count(b"\n") for b in begins)


@dataclass(frozen=True)
class TextInMemory:
    """A string; places are characters."""

    name: str
    text: str

    @property
    def size(self) -> int:
        return len(self.text)

    def read(self, begin: int, end: int) -> str:
        return self.text[begin:end]

    def boundary(self, at: int) -> int:
        found = re.compile(r"\s").search(self.text, at)
        return found.start() if found else self.size


@dataclass(frozen=True)
class TextStretch:
    """A part of a file, such as one of its articles; places are bytes, counted from its begin."""

    file: TextFile
    begin: int
    end: int

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def size(self) -> int:
        return self.end - self.begin

    def read(self, begin: int, end: int) -> str:
        return self.file.read(self.begin + begin, self.begin + end)

    def boundary(self, at: int) -> int:
        return min(self.file.boundary(self.begin + at), self.end) - self.begin


Document = TextFile | TextInMemory | TextStretch
Tokenizer = Words | SpacedWords | WordPieces
WORDS = Words()


@dataclass(frozen=True)
class Chunk:
    """A piece of a document that begins and ends between words."""

    document: Document
    begin: int
    end: int
    tokenizer: Tokenizer = WORDS

    def tokens(self) -> list[str]:
        """The tokens of this piece."""
        return self.tokenizer.cut(self.document.read(self.begin, self.end))

    def lead(self, count: int) -> list[str]:
        """The last `count` tokens before this piece, or all there are."""
        back = 16 * count
        while (start := self.begin - back) > 0:
            start = self.document.boundary(start)  # behind a word that may be cut
            tokens = self.tokenizer.cut(self.document.read(start, self.begin))
            if len(tokens) >= count:
                return tokens[-count:]
            back *= 4
        return self.tokenizer.cut(self.document.read(0, self.begin))[-count:]


@dataclass(frozen=True)
class Corpus:
    """Documents to be read as one corpus; windows do not reach from one into the next.

    Attributes
    ----------
    documents : tuple
        Files, parts of files, or texts in memory.
    tokenizer : Words, SpacedWords or WordPieces
        The rule by which they are cut into tokens.

    Examples
    --------
    >>> corpus = Corpus.from_text("The cat sat. The cat ran.")
    >>> corpus
    Corpus(1 document, 25 bytes)
    >>> [token for chunk in corpus.chunks() for token in chunk.tokens()][:4]
    ['the', 'cat', 'sat', '.']
    >>> next(corpus.cut_by(SpacedWords()).tokens())
    ['The', 'cat', 'sat.', 'The', 'cat', 'ran.']

    Explained in: chapter 16.
    """

    documents: tuple[Document, ...]
    tokenizer: Tokenizer = WORDS

    def __post_init__(self) -> None:
        documents = tuple(entries(self.documents, "documents"))
        if not all(isinstance(document, Document) for document in documents):
            raise OptionError("a corpus is made by Corpus.open(path) or Corpus.from_text(text)")
        if type(self.tokenizer) not in (Words, SpacedWords, WordPieces):
            rules = "Words(), SpacedWords() or WordPieces.trained(corpus, size)"
            raise OptionError(f"tokenizer={shown(self.tokenizer)}: must be {rules}")
        object.__setattr__(self, "documents", documents)

    @classmethod
    def open(
        cls, path: str | Path, *, encoding: str = "utf-8", patterns: Sequence[str] = PATTERNS
    ) -> Corpus:
        """Name a plain text file, or a folder of them; nothing is read yet.

        A file may have any name; of a folder all files are taken, below it too, that match one of
        the patterns and are not empty, in the order of their paths.  The encoding must write white
        space as ASCII does.  Raises `TextFileError` when there is no such path, or nothing in it.

        Examples
        --------
        >>> Corpus.open("no such file.txt")
        Traceback (most recent call last):
        nta_beyond.errors.TextFileError: no such file.txt: there is no such file or folder
        """
        place, encoding = path_of(path), _checked(encoding)
        wanted = texts(patterns, "patterns")
        try:
            files = _files(place, wanted)
        except TextFileError:
            raise
        except (OSError, ValueError, NotImplementedError, IndexError) as error:
            raise TextFileError(f"it cannot be searched: {error}", path=place) from None
        if not files:
            named = f"the folder has no text: it needs a non-empty file named {' or '.join(wanted)}"
            raise TextFileError(named if place.is_dir() else "the file is empty", path=place)
        return cls(tuple(TextFile(file, encoding) for file in files))

    @classmethod
    def from_text(cls, *texts: str, name: str = "text") -> Corpus:
        """Take strings as documents."""
        documents = (TextInMemory(a(str, name, "name"), a(str, text, "text")) for text in texts)
        return cls(tuple(documents))

    def cut_by(self, tokenizer: Tokenizer) -> Corpus:
        """Return the same documents, cut into tokens by another rule."""
        return replace(self, tokenizer=tokenizer)

    def pick(self, rows: slice | Sequence[int]) -> Corpus:
        """Return the corpus of some documents: a slice, or their numbers."""
        count = len(self.documents)
        try:
            chosen = self.documents[rows] if isinstance(rows, slice) else None
        except (TypeError, ValueError):
            raise OptionError(f"rows={shown(rows)}: a slice needs whole numbers") from None
        if chosen is None:
            ids = [whole(row, "a row", most=count - 1) for row in entries(rows, "rows")]
            chosen = tuple(self.documents[row] for row in ids)
        return replace(self, documents=chosen)

    def tokens(self) -> Iterator[list[str]]:
        """Yield the tokens of one document after the other."""
        for document in self.documents:
            yield Chunk(document, 0, document.size, self.tokenizer).tokens()

    @property
    def size(self) -> int:
        """Bytes to be read (characters, for texts in memory)."""
        return sum(document.size for document in self.documents)

    @property
    def name(self) -> str:
        """What to call the corpus in a message."""
        more = f" and {len(self.documents) - 1} more" if len(self.documents) > 1 else ""
        return (self.documents[0].name if self.documents else "an empty corpus") + more

    def chunks(self, size: int = CHUNK, *, advance: Advance | None = None) -> Iterator[Chunk]:
        """Yield the whole corpus piece by piece, each of at least `size` bytes but the last.

        `advance` is told the bytes of every piece that was dealt with.
        """
        whole(size, "size", least=1)
        tell(advance, 0)
        for document in self.documents:
            begin, total = 0, document.size
            while begin < total:
                end = document.boundary(min(begin + size, total))
                yield Chunk(document, begin, end, self.tokenizer)
                tell(advance, end - begin)
                begin = end

    def __repr__(self) -> str:
        count = len(self.documents)
        return f"Corpus({count} document{'s' * (count != 1)}, {self.size:,} bytes)"


def tell(advance: Advance | None, done: int) -> None:
    """Tell a progress bar, if there is one, what was done; 0 to see that it can be told."""
    if advance is not None:
        try:
            advance(done)
        except TypeError as error:
            what = f"advance={shown(advance)}: must be a function that is told a number"
            raise OptionError(f"{what} ({error})") from error


def _files(place: Path, patterns: Sequence[str]) -> list[Path]:
    """The files of a folder that match and are not empty; or the one file."""
    if place.is_dir():
        found = {file for pattern in patterns for file in place.rglob(pattern)}
    elif place.exists():
        found = {place}
    else:
        raise TextFileError("there is no such file or folder", path=place)
    return sorted(file for file in found if not file.is_dir() and file.stat().st_size)


def _checked(encoding: str) -> str:
    """An encoding that this Python knows and whose white space is ASCII's."""
    try:  # some that Python knows are no encodings of text
        name = codecs.lookup(a(str, encoding, "encoding")).name.removesuffix("-sig")  # dropped
        space = " \n".encode(name)
    except OptionError:
        raise
    except (LookupError, ValueError):
        raise OptionError(f"encoding={encoding!r}: unknown; try 'utf-8' or 'latin-1'") from None
    if space != b" \n":
        raise OptionError(
            f"encoding={encoding!r}: its white space is not ASCII's; save the text as UTF-8"
        )
    return name
