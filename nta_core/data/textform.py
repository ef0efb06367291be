"""The text form of a dataset: one race per line, ``a b c -> b``.

The form is small enough to be typed by a reader and mirrored in the page's own JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nta_core.errors import DataError, TextError

ARROWS = ("->", "→")
HEADER = "tokens:"
Word = tuple[str, int]  # a word and the column it starts in, from 1


def parse(text: str) -> tuple[list[list[int]], list[int], tuple[str, ...]]:
    """Return sequences, labels and names of the text; `TextError` says where it cannot be read."""
    header: dict[str, int] | None = None
    races: list[tuple[int, list[Word], Word]] = []
    for number, words in _lines(text):
        if not any(word in ARROWS for word, _ in words):
            if words[0][0].startswith("#"):
                continue
            if words[0][0] != HEADER:
                raise TextError(
                    "no arrow: write a race as 'a b c -> b'", line=number, column=words[0][1]
                )
            if header is not None or races:
                raise TextError(
                    f"'{HEADER}' stands once, before the first race",
                    line=number,
                    column=words[0][1],
                )
            header = _vocabulary(number, words[1:])
        else:
            races.append((number, *_race(number, words)))
    if not races:
        raise DataError("no races: write at least one line such as 'a b c -> b'")
    ids = header or _occurring(races)
    sequences = [[_id(ids, word, line) for word in runners] for line, runners, _ in races]
    return sequences, [_id(ids, winner, line) for line, _, winner in races], tuple(ids)


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
        (0, int(part), "") if part[0] in "0123456789" else (1, 0, part)
        for part in re.findall(r"[0-9]+|[^0-9]+", name)
    ]
    return parts, name  # the name itself decides between e1 and e01


def _lines(text: str) -> Iterator[tuple[int, list[Word]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = [(match.group(), match.start() + 1) for match in re.finditer(r"\S+", line)]
        if words:
            yield number, words


def _vocabulary(line: int, words: list[Word]) -> dict[str, int]:
    if not words:
        raise TextError(f"'{HEADER}' names no token", line=line, column=1)
    ids: dict[str, int] = {}
    for name, column in words:
        if name in ids:
            raise TextError(f"token {name!r} is named twice", line=line, column=column)
        ids[name] = len(ids)
    return ids


def _race(line: int, words: list[Word]) -> tuple[list[Word], Word]:
    arrows = [i for i, (word, _) in enumerate(words) if word in ARROWS]
    if len(arrows) > 1:
        raise TextError("a second arrow: one race per line", line=line, column=words[arrows[1]][1])
    runners, winners = words[: arrows[0]], words[arrows[0] + 1 :]
    if not runners:
        raise TextError("no token before the arrow", line=line, column=words[arrows[0]][1])
    if not winners:
        end = words[arrows[0]][1] + len(words[arrows[0]][0])
        raise TextError("no label after the arrow: which token came next?", line=line, column=end)
    if len(winners) > 1:
        raise TextError("one label only: a race has one winner", line=line, column=winners[1][1])
    return runners, winners[0]


def _occurring(races: list[tuple[int, list[Word], Word]]) -> dict[str, int]:
    words = {word for _, runners, winner in races for word, _ in (*runners, winner)}
    return {name: i for i, name in enumerate(sorted(words, key=natural_order))}


def _id(ids: dict[str, int], word: Word, line: int) -> int:
    name, column = word
    if name not in ids:
        raise TextError(
            f"token {name!r} is not in the vocabulary ({' '.join(ids)})", line=line, column=column
        )
    return ids[name]
