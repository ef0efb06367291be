"""Word pieces: byte-pair encoding, trained on the text itself.

The words of a text are found first, by a rule of `tokens`; then each is cut into pieces that are
frequent in this text.  A piece never crosses the border of a word, so pieces refine words: what
changes between the two readings is the grain, not the text.  The first piece of a word begins with
▁, and pieces are written in letters, not in bytes, so that a league table can be read.  A letter
that the training text does not have leaves a gap.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nta_beyond.errors import TextFileError
from nta_beyond.text.tokens import SpacedWords, Words, as_name
from nta_core.boundary import a, needs, shown, whole
from nta_core.errors import OptionError

if TYPE_CHECKING:
    from nta_beyond.text.corpus import Corpus

BEGIN = "▁"  # stands before the first piece of a word
NO_PIECE = "<?>"  # letters of which no piece is made
LARGEST = 1_000_000  # pieces


@dataclass(frozen=True, repr=False)
class WordPieces:
    """Byte-pair encoding of words: the most frequent words stay whole, others are spelt.

    Made by `WordPieces.trained`; needs the package tokenizers.

    Attributes
    ----------
    words : Words or SpacedWords
        The rule that finds the words.
    model : str
        Pieces and merges, in the JSON form of the package tokenizers.

    Examples
    --------
    >>> from nta_beyond.text import Corpus
    >>> corpus = Corpus.from_text("low lower lowest slow slower slowest " * 9)
    >>> pieces = WordPieces.trained(corpus, 16)
    >>> pieces
    WordPieces(16 pieces of Words())
    >>> pieces.cut("slower low")
    ['▁slowe', 'r', '▁low']
    >>> next(corpus.cut_by(pieces).tokens())[:3]
    ['▁low', '▁lowe', 'r']

    Explained in: chapter 16.
    """

    words: Words | SpacedWords
    model: str

    def __post_init__(self) -> None:
        if not isinstance(self.words, Words | SpacedWords):
            raise OptionError(f"words={shown(self.words)}: must be Words() or SpacedWords()")
        a(str, self.model, "model")
        self._tokenizer  # noqa: B018  # a model that is none is refused here, not by a worker

    @classmethod
    def trained(cls, corpus: Corpus, size: int) -> WordPieces:
        """Merge the most frequent neighbours of a corpus until there are `size` pieces.

        The letters of the text are pieces in any case.  The same text gives the same pieces,
        whatever the order of its words.

        Parameters
        ----------
        corpus : Corpus
            Its rule finds the words; it is read once, piece by piece.
        size : int
            Pieces in all; fewer when the text has no more to merge.
        """
        from nta_beyond.text.corpus import Corpus  # which knows this module

        words = a(Corpus, corpus, "corpus").tokenizer
        if isinstance(words, WordPieces):
            raise OptionError("corpus: it is cut into pieces already; cut it by words")
        whole(size, "size", least=1, most=LARGEST)
        package = needs("tokenizers", wanted_for="WordPieces", extra="text")
        learner = package.Tokenizer(package.models.BPE(unk_token=NO_PIECE))
        learner.pre_tokenizer = package.pre_tokenizers.WhitespaceSplit()
        trainer = package.trainers.BpeTrainer(
            vocab_size=size + 1, special_tokens=[NO_PIECE], show_progress=False
        )
        learner.train_from_iterator(_words(corpus, words.gaps), trainer)
        pieces = cls(words, learner.to_str())
        if not pieces.size:
            raise TextFileError("it holds no word to make pieces of", path=corpus.name)
        return pieces

    @property
    def gaps(self) -> tuple[str, ...]:
        """Tokens that are never pieces."""
        return (*self.words.gaps, NO_PIECE)

    @property
    def size(self) -> int:
        """Number of pieces."""
        return len(json.loads(self.model)["model"]["vocab"]) - 1

    def cut(self, text: str) -> list[str]:
        """Return the pieces of a text."""
        known = self._known
        found: list[str] = []
        for word in self.words.cut(text):
            if word not in known:
                known[word] = self._spelt(word)
            found += known[word]
        return found

    def _spelt(self, word: str) -> list[str]:
        if word in self.words.gaps:
            return [word]
        return [as_name(token.value) for token in self._tokenizer.model.tokenize(BEGIN + word)]

    @cached_property
    def _known(self) -> dict[str, list[str]]:
        """Words met so far: a text repeats them, and each is spelt once."""
        return {}

    @cached_property
    def _tokenizer(self) -> Any:
        package = needs("tokenizers", wanted_for="WordPieces", extra="text")
        try:
            return package.Tokenizer.from_str(self.model)
        except Exception as error:  # the package raises nothing narrower
            raise OptionError(f"model: no byte-pair encoding in JSON form ({error})") from None

    def __getstate__(self) -> dict[str, object]:
        return {"words": self.words, "model": self.model}  # a process spells for itself

    def __repr__(self) -> str:
        return f"WordPieces({self.size:,} pieces of {self.words!r})"


def _words(corpus: Corpus, gaps: tuple[str, ...]) -> Iterator[str]:
    """The words of a corpus, marked, a piece of it at a time."""
    for chunk in corpus.chunks():
        yield " ".join(BEGIN + word for word in chunk.tokens() if word not in gaps)
