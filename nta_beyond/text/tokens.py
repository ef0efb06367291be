"""From characters to tokens: documented rules, and a corpus says by which one it is cut.

`Words`, the rule for text as people write it:

1. Invisible marks (soft hyphen, zero-width characters, byte-order mark) are removed, a curly
   apostrophe becomes a straight one, and the arrow → becomes ⇒, because → separates a sequence
   from its label in the text form of a dataset.
2. The text is put into Unicode's composed form (NFC) and lower-cased.
3. A *word* is a run of letters and digits, with the marks that sit on them, and with apostrophes
   inside it: ``don't`` is one token.  Every other visible character is a token of its own:
   ``next-token`` is three, ``3.14`` is three, ``W_fin`` is three.

Scripts without spaces between words come out as long "words": cut them before.

`SpacedWords`, the rule for text that others have cut already: what stands between spaces is a
token, as it stands.  A mark for words that were removed (WikiText's ``<unk>``) is no word but
stands for thousands of different ones: it leaves a gap, as any word outside the vocabulary does.
As a word it would be in nearly every window, and win races that no word of the language won.

Every rule cuts pieces of a text as it cuts the whole, wherever white space lets it be divided.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from nta_beyond.errors import texts
from nta_core.boundary import a

GAP = "·"  # how a word outside the vocabulary is shown

_INVISIBLE = (0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF)
_REPLACED = dict.fromkeys(_INVISIBLE, "") | {0x2019: "'", 0x2192: "⇒"}
_FIRST_MARK, _END_OF_PLANE = 0x300, 0x10000


def tokens_of(text: str) -> list[str]:
    """Cut a text into tokens: lower-cased words, and punctuation marks one by one.

    Examples
    --------
    >>> tokens_of("Don't stop: the next-token game costs 3.14 €!")
    ["don't", 'stop', ':', 'the', 'next', '-', 'token', 'game', 'costs', '3', '.', '14', '€', '!']

    Explained in: chapter 16.
    """
    if not a(str, text, "text").isascii():
        text = unicodedata.normalize("NFC", text.translate(_REPLACED))
    return _pattern().findall(text.lower())


@dataclass(frozen=True)
class Words:
    """Lower-cased words, and punctuation marks one by one: what `tokens_of` does.

    Examples
    --------
    >>> Words().cut("The cat sat.")
    ['the', 'cat', 'sat', '.']

    Explained in: chapter 16.
    """

    @property
    def gaps(self) -> tuple[str, ...]:
        """Tokens that are never words: none."""
        return ()

    def cut(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return tokens_of(text)


@dataclass(frozen=True)
class SpacedWords:
    """What stands between spaces, as it stands: for text that was cut into tokens before.

    Only an arrow, -> or →, becomes ⇒.

    Attributes
    ----------
    unknown : tuple of str
        Marks that stand for words somebody removed.  They leave gaps; with ``unknown=()`` they are
        words like all others.

    Examples
    --------
    >>> SpacedWords().cut("The <unk> sat , 3 @.@ 5 m away .")
    ['The', '<unk>', 'sat', ',', '3', '@.@', '5', 'm', 'away', '.']

    Explained in: chapter 16.
    """

    unknown: tuple[str, ...] = ("<unk>",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unknown", tuple(texts(self.unknown, "unknown")))

    @property
    def gaps(self) -> tuple[str, ...]:
        """Tokens that are never words."""
        return self.unknown

    def cut(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return list(map(as_name, a(str, text, "text").split()))


def as_name(token: str) -> str:
    """Return the token under a name that it may have in the text form of a dataset."""
    return "⇒" if token in ("->", "→") else token


@cache
def _pattern() -> re.Pattern[str]:
    """The rule as one regular expression; marks of all scripts are looked up once."""
    marks = [
        chr(code)
        for code in range(_FIRST_MARK, _END_OF_PLANE)
        if unicodedata.category(chr(code)).startswith("M")
    ]
    letters, on_letters = r"[^\W_]+", f"[{''.join(marks)}]+"
    return re.compile(rf"{letters}(?:{on_letters}[^\W_]*|'(?=[^\W_]){letters})*|\S")
