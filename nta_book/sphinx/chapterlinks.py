"""Words such as "chapters 4, 7 and 9" as links to chapters, and chapters as words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

# Places that are not called by a number: how a docstring says it, and the label of the page.
PLACES = {
    "the Token Lab": "token-lab",
    "the start page": "start",
    '"Beyond one machine"': "beyond-one-machine",
}
_WHERE = re.compile(
    r"(?:chapters? (?P<numbers>\d+(?:(?:, | and | to )\d+)*))?"
    rf"(?:(?:^|,? and )(?P<place>{'|'.join(PLACES)}))?"
)
_EXPLAINED = re.compile(r"Explained in: (?P<where>.*?)\.(?: Paper: (?P<paper>.*?)\.?)?")


def label_of(chapter: int) -> str:
    """Return the label in front of a chapter's title.

    >>> label_of(5)
    'ch-05'
    """
    return f"ch-{chapter:02d}"


def label_of_page(page: Path) -> str | None:
    """Return the label of a page of the book by its file, if it is a chapter, the start or the lab.

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

    >>> linked("chapters 4 to 6")
    'chapters :ref:`4 <ch-04>`, :ref:`5 <ch-05>` and :ref:`6 <ch-06>`'
    >>> linked("chapter 8 and the Token Lab")
    ':ref:`chapter 8 <ch-08>` and :ref:`the Token Lab <token-lab>`'
    """
    match = _WHERE.fullmatch(where)
    if match is None or not where:
        raise ValueError(
            f'"Explained in: {where}." names no place: write "chapter 5", "chapters 4, 5 and 7" '
            f"or one of {', '.join(PLACES)}"
        )
    numbers = [int(number) for number in re.findall(r"\d+", match["numbers"] or "")]
    if " to " in where:
        numbers = list(range(numbers[0], numbers[-1] + 1))
    links = [said_chapters(numbers)] if numbers else []
    if place := match["place"]:
        links.append(f":ref:`{place.strip(chr(34))} <{PLACES[place]}>`")
    return listed(links)


def said_chapters(chapters: Iterable[int]) -> str:
    """Return chapters as words with links.

    >>> said_chapters([3])
    ':ref:`chapter 3 <ch-03>`'
    """
    numbers = sorted(set(chapters))
    if len(numbers) == 1:
        return f":ref:`chapter {numbers[0]} <{label_of(numbers[0])}>`"
    return f"chapters {listed([f':ref:`{number} <{label_of(number)}>`' for number in numbers])}"


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
