"""The book's own prose as a corpus: what its chapters say in words.

It changes whenever a chapter is edited.  Results that use it therefore store its length and its
hash, and their freshness depends on the code alone.
"""

import hashlib
import json
import re
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1] / "book"

# What stands in a markdown cell but is not said: code and directives' options, maths, addresses.
_NOT_PROSE = (
    r"(?ms)^```+\{code.*?^```+\s*$",
    r"(?m)^\s*(?:`{3,}|:{3,}).*$",
    r"(?m)^:[a-z-]+:.*$",
    r"(?m)^\([a-z0-9-]+\)=\s*$",
    r"(?s)\$\$.*?\$\$",
    r"\$[^$\n]*\$",
    r"\{(?:cite|eq|numref|prf:ref|glue:text)[^}]*\}`[^`]*`",
    r"<[^<>\s][^<>]*>",
)
# Roles and code spans keep their words: {ref}`chapter 2 <ch-02>` is read as "chapter 2".
_MARKS = (r"\{[a-z:-]+\}(?=`)", r"[`*#|]+")


def book_prose(folder: Path = BOOK) -> tuple[str, ...]:
    """Return one text per notebook of the book, in the order of their names."""
    return tuple(
        text for path in sorted(folder.glob("*.ipynb")) if (text := prose_of(path)).strip()
    )


def prose_of(notebook: Path) -> str:
    """Return the words of a notebook's markdown cells."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    markdown = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return plain("\n\n".join(markdown))


def plain(markdown: str) -> str:
    """Strip markdown of all that is not said in words."""
    for pattern in _NOT_PROSE:
        markdown = re.sub(pattern, " ", markdown)
    for pattern in _MARKS:
        markdown = re.sub(pattern, "", markdown)
    return re.sub(r"[ \t]+", " ", markdown)


def fingerprint(texts: tuple[str, ...]) -> str:
    """Return a short hash of a corpus."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
