"""Bring pages into the form that is kept: a change to one sentence changes one line.

    python -m tools.tidy_notebooks            # tidy every page
    python -m tools.tidy_notebooks --check    # say which are not tidy, change nothing

Text stands one sentence per line.  A cell is called by what it holds, once and for all: it keeps
its name when others are put before it, or when its words change.  Code begins with the cell of
`tools.first_cell`.  A chapter says how long it takes as `tools.chapter_measure` counts it.
(Results are removed by nbstripout; .pre-commit-config.yaml runs both.)
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import nbformat

from nta_book.sphinx.captions import taken_off
from nta_core.data.files import write_atomically
from tools.chapter_measure import stated_minutes
from tools.chapter_text import PARSER, chapter_of, with_minutes
from tools.first_cell import with_first_cell

ROOT = Path(__file__).resolve().parents[1]
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def pages() -> list[Path]:
    """Return every page of the book."""
    return sorted(path for path in (ROOT / "book").rglob("*.*") if path.suffix in (".ipynb", ".md"))


def tidied(page: Path) -> str:
    """Return the text of a page in the form that is kept."""
    text = page.read_text(encoding="utf-8")
    return tidy(text, page.stem) if page.suffix == ".ipynb" else one_sentence_per_line(text) + "\n"


def tidy(text: str, name: str = "") -> str:
    """Return the text of a notebook of this name in the form that is kept."""
    notebook = nbformat.from_dict(nbformat.v4.nbjson.reads(text))
    # A chapter saved on another machine differs only where its author changed something.
    notebook.metadata |= {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    notebook.cells = with_first_cell(notebook.cells)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = one_sentence_per_line(cell.source)
        else:
            cell.source = with_caption(cell)
    name_cells(notebook.cells)
    minutes = stated_minutes(chapter_of(notebook.cells, name))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_minutes(cell.source, minutes)
    return str(nbformat.writes(notebook)) + "\n"


def with_caption(cell: nbformat.NotebookNode) -> str:
    """Return the code of a cell with its caption on top, taken from its metadata if it is there."""
    figure, code = taken_off(cell.source)
    figure = cell.metadata.pop("mystnb", {}).get("figure", figure)
    if not figure:
        return code
    lines = [f"name: {figure['name']}", "caption: >"]
    lines += [f"  {sentence}" for sentence in sentences(figure["caption"])]
    return "".join(f"#| {line}\n" for line in lines) + code


# ---- names of cells ------------------------------------------------------------------------------

# What JupyterLab and nbformat give to a new cell.
_GIVEN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?")


def name_cells(cells: list[nbformat.NotebookNode]) -> None:
    """Name the cells that have no name of their own yet, or that of a cell before them."""
    kept: set[str] = set()
    for cell in cells:
        name = cell.get("id", "")
        if not name or _GIVEN.fullmatch(name) or name in kept:
            cell.id = ""
        else:
            kept.add(name)
    before = "start"
    for cell in cells:
        if not cell.id:
            name = wanted = _name(cell, before)
            number = 1
            while name in kept:
                number += 1
                name = f"{wanted}-{number}"
            kept.add(name)
            cell.id = name
        before = cell.id


def _name(cell: nbformat.NotebookNode, before: str) -> str:
    """Return a name after a cell's figure, heading, definition or first words."""
    if cell.cell_type == "code":
        figure, code = taken_off(cell.source)
        if "remove-cell" in cell.metadata.get("tags", []):
            return f"check-{before.removeprefix('check-')}"[:58]
        if figure:
            return figure["name"]
        found = re.search(r"^(?:def|class) (\w+)|^(\w+) = ", code, re.MULTILINE)
        if not found and code.startswith(("import ", "from ")):
            return "imports"
        return _slug(next(filter(None, found.groups())) if found else code)
    found = re.search(r"^#+ (.+)$|\{(?:exercise|(?=solution-start))(.+)", cell.source, re.MULTILINE)
    return _slug(next(filter(None, found.groups())) if found else cell.source)


def _slug(text: str) -> str:
    """Return the first words of a text as a name.

    >>> _slug("## Why do *leagues* have {an} order? Because.")
    'why-do-leagues-have-an'
    """
    words = re.findall(r"[a-z0-9]+", re.sub(r"'|-start\b", "", text).lower())
    return "-".join(words[:5])[:50] or "cell"


# ---- sentences -----------------------------------------------------------------------------------

# Directives whose body is text; the body of every other, and of code, is left alone.
_TEXT = re.compile(r"\{(admonition|dropdown|exercise|solution-start|glossary|prf:\w+)\}")
_ITEM = re.compile(r" *(?:[-*+]|\d+[.)]) +")
# What must not be cut: code and roles, formulas, links.
_WHOLE = re.compile(r"(?:\{[\w:]+\})?(`+)(?:(?!\1).|\n)+?\1|\$[^$]+\$|\[[^]]*\]\([^)]*\)")
# A badge says how the sentence before it is known, and stays with it.
_BADGE = re.compile(r"\{(?:proved|measured|open)\}`[^`]*`")
_END = re.compile(r"[.?!…][\"'”’)*_\]]*(?: +☑+)*(?P<gap> +)(?=[\"'“‘(*_\[]*[A-Z0-9□Α-Ω])")
_ABBREVIATIONS = (
    *("e.g", "i.e", "cf", "vs", "al", "Fig", "Figs", "Sec", "Secs", "Eq", "Eqs", "Thm", "App"),
    *("eq", "fig", "sec", "Lem", "Def", "Prop", "Cor", "Ch", "No", "pp", "resp", "Dr", "St"),
)
_SHORT = re.compile(rf"(?:^|[\s(\[\"'*])(?:{'|'.join(map(re.escape, _ABBREVIATIONS))})\.$")
# "Theorem 2." and "3." in front of what they announce.
_NUMBERED = re.compile(r"\W*(?:[A-Z][a-z]+ )?\d+\.\W*")
# At the start of a line, these would begin something else than a sentence.
_BLOCK = re.compile(r"[-+*] |\d+[.)] |[#>|<%=~]|:{3}|`{3}|\$\$")


def one_sentence_per_line(text: str) -> str:
    """Return Markdown with every sentence of its running text on a line, rendered as before."""
    lines = text.splitlines()
    for token in reversed(PARSER.parse(text)):  # from the end, so that lines keep their places
        begin, end = token.map or (0, 0)
        if token.type == "paragraph_open":
            lines[begin:end] = _sentences_of(lines[begin:end])
        elif token.type in ("fence", "colon_fence") and _TEXT.match(token.info):
            begin, end = begin + 1, end - 1
            while begin < end and re.match(r":[\w-]+:", lines[begin]):  # an option
                begin += 1
            body = "\n".join(lines[begin:end])
            split = _definitions if token.info.startswith("{glossary}") else one_sentence_per_line
            lines[begin:end] = split(body).splitlines()
    return "\n".join(lines)


def _definitions(text: str) -> str:
    """Split what stands indented below the words of a glossary."""
    return re.sub(
        r"^ +\S.*(?:\n +\S.*)*",
        lambda found: "\n".join(_sentences_of(found[0].splitlines())),
        text,
        flags=re.MULTILINE,
    )


def _sentences_of(paragraph: list[str]) -> list[str]:
    first = paragraph[0]
    item = _ITEM.match(first)
    inside = item.end() if item else len(first) - len(first.lstrip())
    if first.startswith(">") or any(line.endswith(("  ", "\\")) for line in paragraph):
        return paragraph  # a quotation, or broken on purpose
    text = " ".join(line.strip() for line in [first[inside:], *paragraph[1:]])
    start, *rest = sentences(text)
    return [first[:inside] + start, *(" " * inside + sentence for sentence in rest)]


def sentences(text: str) -> list[str]:
    """Split running text behind its sentences.

    >>> sentences("See Fig. 3, i.e. `a. B`. It is 2.5 long. {proved}`Lemma 1` Why? $x. Y$ is.")
    ['See Fig. 3, i.e. `a. B`.', 'It is 2.5 long. {proved}`Lemma 1`', 'Why?', '$x. Y$ is.']
    >>> sentences("Theorem 2. It holds. 1. is no start.")
    ['Theorem 2. It holds. 1. is no start.']
    """
    masked = _BADGE.sub(lambda badge: "☑" * len(badge[0]), text)
    masked = _WHOLE.sub(lambda whole: "□" * len(whole[0]), masked)
    found, start = [], 0
    for end in _END.finditer(masked):
        said = masked[start : end.start("gap")]
        goes_on = _SHORT.search(said) or _NUMBERED.fullmatch(said)
        if not (goes_on or _BLOCK.match(text, end.end())):
            found.append(text[start : end.start("gap")])
            start = end.end()
    return [*found, text[start:]]


# ---- command -------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Tidy, or with ``--check`` only name, the pages below ``book``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="only these (all)")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    check, untidy = options.check, 0
    for path in [page.resolve() for page in options.pages] or pages():
        text = path.read_text(encoding="utf-8")
        if (wanted := tidied(path)) != text:
            untidy += 1
            print(f"{path.name}: {'not tidy' if check else 'tidied'}")
            if not check:
                write_atomically(path, wanted)
    return 1 if check and untidy else 0


if __name__ == "__main__":
    sys.exit(main())
