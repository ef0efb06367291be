"""From characters to tokens: one documented rule, the same for every file.

1. Invisible marks (soft hyphen, zero-width characters, byte-order mark) are removed, a curly
   apostrophe becomes a straight one, and the arrow → becomes ⇒, because → separates a sequence
   from its label in the text form of a dataset.
2. The text is put into Unicode's composed form (NFC) and lower-cased.
3. A *word* is a run of letters and digits, with the marks that sit on them, and with apostrophes
   inside it: ``don't`` is one token.  Every other visible character is a token of its own:
   ``next-token`` is three, ``3.14`` is three, ``W_fin`` is three.

Scripts without spaces between words come out as long "words": cut them before.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

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
