"""Names that other vocabularies have and ours cannot: arrows, white space, nothing at all.

A name here is a word without spaces, and ``->`` stands between a sequence and its label.  What is
none is written between ⟨ and ⟩, in such a way that different names stay different.
"""

from __future__ import annotations

import re
from collections.abc import Collection

RESERVED = ("", "->", "→")
_FOREIGN = re.compile(r"([\s\ufeff\ud800-\udfff])\1*")
# A name that looks as if it had been written so: it is written so, too, or two names could meet.
_ALIKE = re.compile(r"⟨(?=(?:U\+[0-9A-F]{4,6}(?:×[0-9]+)?|->|→)?⟩)")


def written_name(name: str) -> str:
    """Return the name under which a token of another vocabulary is known here.

    Examples
    --------
    >>> [written_name(name) for name in ("cat", "->", "", "   ", "a\u2028")]
    ['cat', '⟨->⟩', '⟨⟩', '⟨U+0020×3⟩', 'a⟨U+2028⟩']
    """
    if name in RESERVED:
        return f"⟨{name}⟩"
    return _FOREIGN.sub(_run, _ALIKE.sub("⟨U+27E8⟩", name))


def name_among(name: str, names: Collection[str]) -> str:
    """Return what a token is called here, given that name or the one it has in its vocabulary."""
    return name if name in names else written_name(name)


def any_written(names: Collection[str]) -> bool:
    """Whether some of these names, of a head, were another vocabulary's and are written here."""
    return any(_ALIKE.search(name) for name in names)


def _run(found: re.Match[str]) -> str:
    times = f"×{len(found[0])}" if len(found[0]) > 1 else ""
    return f"⟨U+{ord(found[1]):04X}{times}⟩"
