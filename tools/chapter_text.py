"""A chapter as pieces of text: what is read, what is looked up, what is code.

Used by `chapter_measure`, which counts them, and by `tidy_notebooks`, which writes the minutes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from nta_book.sphinx.captions import taken_off

PARSER = create_md_parser(
    MdParserConfig(enable_extensions={"amsmath", "colon_fence", "deflist", "dollarmath"}),
    RendererHTML,
)
EXERCISES, NEXT = "Exercises", "Next question"
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}

_DIRECTIVE = re.compile(r"\{(?P<name>[\w:-]+)\}[ ]*(?P<title>.*)")
_OPTIONS = re.compile(r"\A(?::[\w-]+:[^\n]*(?:\n|\Z))+")
# Boxes whose body is text; a theorem is looked up, an exercise is worked at.
_BOXES = re.compile(r"admonition|dropdown|note|tip|important|warning|div|margin")
_MINUTES = re.compile(
    r"^\**\d+ minutes(?: to read, \d+ for the exercises)?\**(?= · needs )", re.MULTILINE
)


@dataclass(frozen=True)
class Piece:
    """One piece of a chapter.

    Attributes
    ----------
    kind
        ``"text"`` (paragraphs, lists and open boxes), ``"theorem"``, ``"folded"`` (the body of a
        dropdown), ``"table"``, ``"heading"``, ``"caption"``, ``"code"`` (code that is seen) or
        ``"exercise"``.
    section
        Its ``##`` heading, empty for what stands before the first.
    cell
        The name of its cell.
    text
        Markdown or code.
    """

    kind: str
    section: str
    cell: str
    text: str


@dataclass
class Chapter:
    """All pieces of a chapter, in reading order, and what cannot be read off them."""

    name: str
    sections: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    pictures: int = 0
    explorers: int = 0
    predictions: int = 0

    @property
    def number(self) -> int:
        """The number of the chapter; 0 for other pages."""
        return int(self.name[:2]) if self.name[:2].isdigit() else 0

    def before_the_exercises(self) -> Iterator[Piece]:
        """Yield what a reader meets before the exercises."""
        for piece in self.pieces:
            if piece.section == EXERCISES:
                return
            yield piece

    def lesson(self) -> Iterator[Piece]:
        """Yield everything but the exercises and the question that leads on."""
        return (p for p in self.pieces if p.section not in (EXERCISES, NEXT))


def read_chapter(path: Path) -> Chapter:
    """Return a notebook of the book as pieces."""
    return chapter_of(json.loads(path.read_text(encoding="utf-8"))["cells"], path.stem)


def chapter_of(cells: list[dict[str, Any]], name: str) -> Chapter:
    """Return the cells of a notebook as pieces."""
    chapter = Chapter(name)
    section = ""
    for cell in cells:
        source, where = "".join(cell["source"]), str(cell.get("id", ""))
        if cell["cell_type"] == "markdown":
            for block in re.split(r"^(?=## )", source, flags=re.MULTILINE):
                if block.startswith("## "):
                    section = block.partition("\n")[0][3:].strip()
                    chapter.sections.append(section)
                found = [Piece(kind, section, where, text) for kind, text in pieces_of(block)]
                chapter.pieces += found
                if section != EXERCISES:
                    chapter.predictions += len(re.findall(r"^:class: predict$", block, re.M))
        elif cell["cell_type"] == "code":
            _add_code(chapter, section, where, source, set(cell["metadata"].get("tags", ())))
    return chapter


def _add_code(chapter: Chapter, section: str, where: str, source: str, tags: set[str]) -> None:
    figure, code = taken_off(source)
    if section != EXERCISES and "remove-cell" not in tags:
        # An explorer is made by name or by a function of the explore room, and ends its cell.
        explores = bool(re.search(r"\bExplorer\(|_explorer\(", code))
        chapter.explorers += explores
        draws = bool(figure) or bool(re.search(r"^viz\.\w+\(", code, re.MULTILINE))
        chapter.pictures += draws and not explores
    if figure:
        chapter.pieces.append(Piece("caption", section, where, figure["caption"]))
    if not tags & HIDDEN and code.strip():
        chapter.pieces.append(Piece("code", section, where, code))


def pieces_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of what Markdown holds, boxes opened.

    >>> list(pieces_of("## Who?\\n\\nWe.\\n\\n:::{dropdown} Proof\\nSo.\\n:::"))
    [('heading', 'Who?'), ('text', 'We.'), ('folded', 'Proof'), ('folded', 'So.')]
    """
    tokens = PARSER.parse(text)
    table: list[str] | None = None
    for place, token in enumerate(tokens):
        if token.type in ("table_open", "table_close"):
            if table is not None:
                yield "table", " | ".join(table)
            table = [] if token.type == "table_open" else None
        elif token.type in ("fence", "colon_fence"):
            yield from _fenced(token.info.strip(), token.content)
        elif token.type == "inline":
            if table is not None:
                table.append(token.content)
            else:
                heading = tokens[place - 1].type == "heading_open"
                yield ("heading" if heading else "text"), token.content


def _fenced(info: str, body: str) -> Iterator[tuple[str, str]]:
    directive = _DIRECTIVE.match(info)
    if directive is None:
        if info != "text":
            yield "code", body
        return
    name, title = directive["name"], directive["title"]
    if name.startswith(("exercise", "solution")):
        yield "exercise", f"{title}\n\n{body}"
        return
    theorem = name.startswith("prf:")
    if not (theorem or _BOXES.fullmatch(name)):
        return  # formulas, pictures, raw markup: no text
    stated = _OPTIONS.match(body)
    folded = name == "dropdown" or bool(stated and re.search(r"^:class:.*\bdropdown\b", stated[0]))
    instead = "folded" if folded else "theorem" if theorem else ""
    if title and (theorem or folded):
        yield instead, title
    for kind, text in pieces_of(_OPTIONS.sub("", body)):
        yield (instead or kind) if kind == "text" else kind, text


# ---- words ---------------------------------------------------------------------------------------

# Where a statement comes from, and what is said with a paper's numbers, is no prose of the chapter.
_SOURCES = re.compile(r"\{(?:given|cite[\w:]*|checked|proved|measured|open)\}`[^`]*`")
_ROLE = re.compile(r"\{[\w:-]+\}`([^`<]*)(?:<[^`>]*>)?`")


def plain(text: str) -> str:
    """Return Markdown as words: roles by what they show, formulas as they are written.

    >>> plain("By {cite}`li2024`, a {term}`tie <tie>` in `W` [there](x): $W_a$, {proved}`Fig. 3`.")
    'By , a tie in W there: $W_a$, .'
    """
    text = _SOURCES.sub("", text)
    text = _ROLE.sub(lambda match: match[1].strip(), text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(`+)(.+?)\1", r"\2", text)


def count_words(text: str) -> int:
    """Return how many words a text has; a formula is one.

    >>> count_words("So $a + b$ is – in short – *two* words.")
    7
    """
    said = re.sub(r"\$[^$]+\$", " x ", plain(text))
    return sum(bool(re.search(r"\w", word)) for word in said.split())


def is_minutes(text: str) -> bool:
    """Tell whether a paragraph is the line that says how long a chapter takes."""
    return bool(_MINUTES.match(text))


def with_minutes(source: str, stated: str) -> str:
    """Return the source of a cell with the minutes of its chapter as they should be."""
    return _MINUTES.sub(stated, source, count=1)
