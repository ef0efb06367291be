"""Words such as "chapters 4, 7 and 9" as links to chapters, and chapters as words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

# Places that are not called by a number: how a docstring says it, and the label of the page.
PLACES = {
    "the start page": "start",
    "the Token Lab": "token-lab",
    '"Beyond one machine"': "beyond-one-machine",
}
_EXPLAINED = re.compile(r"Explained in: (?P<where>.*?)\.(?: Paper: (?P<paper>.*?)\.?)?")


def label_of(chapter: int) -> str:
    """Return the label in front of a chapter's title.

    >>> label_of(5), label_of(0)
    ('ch-05', 'start')
    """
    return f"ch-{chapter:02d}" if chapter else "start"


def label_of_page(page: Path) -> str | None:
    """Return the label of a page of the book by its file, if it is a chapter or the lab.

    >>> label_of_page(Path("book/05_which_w.ipynb")), label_of_page(Path("book/index.ipynb"))
    ('ch-05', 'start')
    >>> label_of_page(Path("book/references.md")) is None
    True
    """
    if page.stem[:2].isdigit():
        return label_of(int(page.stem[:2]))
    return {"index": "start", "token_lab": "token-lab"}.get(page.stem)


def linked(where: str) -> str:
    """Return the words of an "Explained in" as reStructuredText with links.

    >>> linked("chapter 5")
    ':ref:`chapter 5 <ch-05>`'
    >>> linked("chapters 0, 4 and 7")
    ':ref:`the start page <start>`, chapters :ref:`4 <ch-04>` and :ref:`7 <ch-07>`'
    >>> linked("the Token Lab")
    ':ref:`the Token Lab <token-lab>`'
    >>> linked("chapter 8 and the Token Lab")
    ':ref:`chapter 8 <ch-08>` and :ref:`the Token Lab <token-lab>`'
    """
    named = []
    for place, label in PLACES.items():
        if place in where:
            words = place.strip('"')
            named.append(f":ref:`{words} <{label}>`")
            where = re.sub(rf"(?:,? and )?{re.escape(place)}", "", where)
    if not where and named:
        return listed(named)
    match = re.fullmatch(r"chapters? (?P<numbers>\d+(?:(?:, | and | to )\d+)*)", where)
    if match is None:
        raise ValueError(
            f'"Explained in: {where}." names no place: write "chapter 5", "chapters 4, 5 and 7" '
            f"or one of {', '.join(PLACES)}"
        )
    numbers = [int(number) for number in re.findall(r"\d+", match["numbers"])]
    if " to " in match["numbers"]:
        numbers = list(range(numbers[0], numbers[-1] + 1))
    return listed([said_chapters(numbers), *named])


def said_chapters(chapters: Iterable[int]) -> str:
    """Return chapters as words with links.

    >>> said_chapters([3])
    ':ref:`chapter 3 <ch-03>`'
    """
    numbers = sorted(set(chapters))
    start = [":ref:`the start page <start>`"] if 0 in numbers else []
    rest = [number for number in numbers if number]
    if len(rest) == 1:
        return listed([*start, f":ref:`chapter {rest[0]} <{label_of(rest[0])}>`"])
    links = [f":ref:`{number} <{label_of(number)}>`" for number in rest]
    return ", ".join([*start, f"chapters {listed(links)}"] if rest else start)


def listed(words: list[str]) -> str:
    """Return words as a list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def take_explained(lines: list[str]) -> tuple[str, str] | None:
    """Remove the paragraph "Explained in: ... Paper: ..." of a docstring and return its two parts.

    >>> lines = ["Say hello.", "", "Explained in: chapter 5. Paper: Sec. 2.2,", "Fig. 1.", ""]
    >>> take_explained(lines), lines
    (('chapter 5', 'Sec. 2.2, Fig. 1'), ['Say hello.', '', ''])
    """
    for start in range(len(lines) - 1, -1, -1):
        if lines[start].startswith("Explained in:"):
            end = next((k for k in range(start, len(lines)) if not lines[k].strip()), len(lines))
            match = _EXPLAINED.fullmatch(" ".join(line.strip() for line in lines[start:end]))
            if match is None:
                raise ValueError(f'"{" ".join(lines[start:end])}" is not "Explained in: ... ."')
            del lines[start:end]
            return match["where"], match["paper"] or ""
    return None
