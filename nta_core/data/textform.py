"""The text form of a dataset: one race per line, ``a b c -> b``.

The form is small enough to be typed by a reader and mirrored in the page's own JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from nta_core.errors import DataError, TextError

ARROWS = ("->", "→")
HEADER = "tokens:"


class Word(NamedTuple):
    """A word, its line and the column it starts in, both from 1."""

    text: str
    line: int
    column: int

    def error(self, message: str) -> TextError:
        return TextError(message, line=self.line, column=self.column)


def parse(text: str) -> tuple[list[list[int]], list[int], tuple[str, ...]]:
    """Return sequences, labels and names of the text; `TextError` says where it cannot be read."""
    header: dict[str, int] | None = None
    races: list[tuple[list[Word], Word]] = []
    for words in _lines(text):
        if any(word.text in ARROWS for word in words):
            races.append(_race(words))
        elif words[0].text == HEADER:
            if header is not None or races:
                raise words[0].error(f"'{HEADER}' stands once, before the first race")
            header = _vocabulary(words)
        elif not words[0].text.startswith("#"):
            raise words[0].error("no arrow: write a race as 'a b c -> b'")
    if not races:
        raise DataError("no races: write at least one line such as 'a b c -> b'")
    occurring = {word.text for runners, winner in races for word in (*runners, winner)}
    ids = header or {name: i for i, name in enumerate(sorted(occurring, key=natural_order))}
    sequences = [[_id(ids, word) for word in runners] for runners, _ in races]
    return sequences, [_id(ids, winner) for _, winner in races], tuple(ids)


def write(sequences: Iterable[Sequence[int]], labels: Iterable[int], names: Sequence[str]) -> str:
    """Write races as text that `parse` reads back to the same ids and names."""
    rows = [(tuple(sequence), label) for sequence, label in zip(sequences, labels, strict=True)]
    used = {token for sequence, label in rows for token in (*sequence, label)}
    inferred = sorted((names[token] for token in used), key=natural_order)
    lines = [] if inferred == list(names) else [" ".join([HEADER, *names])]
    lines += [
        f"{' '.join(names[token] for token in sequence)} -> {names[label]}"
        for sequence, label in rows
    ]
    return "\n".join(lines)


def natural_order(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key that puts e2 before e10: runs of digits compare as numbers."""
    parts = [
        (0, len(part.lstrip("0")), part.lstrip("0")) if part[0] in "0123456789" else (1, 0, part)
        for part in re.findall(r"[0-9]+|[^0-9]+", name)
    ]
    return parts, name  # the name itself decides between e1 and e01


def _lines(text: str) -> Iterator[list[Word]]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = re.finditer(r"[^\s\ufeff]+", line)  # a byte order mark is no part of a word
        if found := [Word(match.group(), number, match.start() + 1) for match in words]:
            yield found


def _vocabulary(words: list[Word]) -> dict[str, int]:
    if len(words) == 1:
        raise words[0].error(f"'{HEADER}' names no token")
    ids: dict[str, int] = {}
    for word in words[1:]:
        if word.text in ids:
            raise word.error(f"token {word.text!r} is named twice")
        ids[word.text] = len(ids)
    return ids


def _race(words: list[Word]) -> tuple[list[Word], Word]:
    first, *more = [i for i, word in enumerate(words) if word.text in ARROWS]
    arrow, runners, winners = words[first], words[:first], words[first + 1 :]
    if more:
        raise words[more[0]].error("a second arrow: one race per line")
    if not runners:
        raise arrow.error("no token before the arrow")
    if not winners:
        end = arrow._replace(column=arrow.column + len(arrow.text))
        raise end.error("no label after the arrow: which token came next?")
    if len(winners) > 1:
        raise winners[1].error("one label only: a race has one winner")
    return runners, winners[0]


def _id(ids: dict[str, int], word: Word) -> int:
    if word.text not in ids:
        raise word.error(f"token {word.text!r} is not in the vocabulary ({' '.join(ids)})")
    return ids[word.text]
