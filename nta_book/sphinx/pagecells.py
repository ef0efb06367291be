"""The code cells of a page: which can run in the reader's browser, and what each needs before it.

Everything is read from the code, as `nta_book.slicing` reads it.  What a cell needs is less than
the cells before it: every import is a piece of its own, and a cell that is needed for its names
runs without the picture it closes with and without its checks.  An exercise has at hand what its
solution uses, numpy, and all that the page imports from `nta_core` and `nta_beyond`.

A cell is heavy, and stays as the build left it, when

- it ends with an explorer or a lab, whose states were computed when the book was built,
- it has a tag such as ``needs-torch``, for a package that the browser's Python has not, or
- it has the tag ``slow``: more than a few seconds in a browser;
- or when it needs such a cell.

Authors set these tags where the code stands; the tests run all other cells in that Python, and ask
of a tag that its cell does not run there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nta_book.slicing import names_of, needed_cells
from nta_book.sphinx.captions import taken_off

#: The tag of a cell that takes more than a few seconds in a browser.
SLOW = "slow"
#: How the tag of a cell begins that needs a package which the browser's Python has not.
NEEDS = "needs-"
_CALLED = {"torch": "PyTorch", "processes": "more than one process"}
_TURN = re.compile(r"^(?:`{3,}|:{3,})\{(exercise|solution-start|solution-end)\}", re.MULTILINE)
_UNSEEN = {"remove-cell", "remove-input"}
_ALWAYS = {"_", "display"}  # what Jupyter gives
_USUAL = ("import numpy", "from nta_core ", "from nta_beyond.")
_SEEN = {"exercise": "exercise", "solution": "cell", "": "cell"}


class CellsError(ValueError):
    """A cell of a page uses a name that no cell before it gives; the message says which."""


@dataclass(frozen=True)
class Cell:
    """One code cell of a page.

    Attributes
    ----------
    id
        Its name in the notebook; an import has its own text for a name.
    code
        As the reader sees it, without its caption.
    setup
        What is left of it when only its names are needed.
    kind
        ``exercise``, ``cell``, ``heavy``, or ``hidden`` for what the page does not show.
    why
        Of a heavy cell: a sentence.
    needs
        Names of the cells that must have run, in their order.
    gives
        Names that it gives to a reader who asks for them further down; none if it cannot run, or
        belongs to an exercise.
    """

    id: str
    code: str
    setup: str
    kind: str
    why: str = ""
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A cell as it stands in the notebook, or an import of one."""

    id: str
    code: str
    setup: str
    place: int  # of the cell in the notebook; -1 for an import
    home: str = ""  # the exercise that it belongs to
    role: str = ""  # in its exercise: "exercise" or "solution"
    tags: frozenset[str] = frozenset()

    @property
    def usual(self) -> bool:
        """Whether it is an import that a reader's own answer may well use."""
        return self.place < 0 and not self.home and self.code.startswith(_USUAL)


def page_cells(notebook: Path, prebuilt: Iterable[int] = ()) -> dict[int, Cell]:
    """Return what the page of a notebook knows of its code, by the place in the notebook.

    Imports have negative places, and come first.

    Parameters
    ----------
    notebook
        The file.
    prebuilt
        Places of cells whose output is an explorer or a lab.

    Raises
    ------
    CellsError
        When a cell that is seen uses a name that no cell gives.
    """
    pieces = list(_pieces(json.loads(notebook.read_text(encoding="utf-8"))["cells"]))
    drawn = set(prebuilt)
    found: dict[int, Cell] = {}
    imports: dict[str, Cell] = {}
    for place, piece in enumerate(pieces):
        if piece.place < 0:
            line = Cell(piece.id, piece.code, piece.code, "hidden", gives=_gives(piece))
            imports.setdefault(piece.id, line)
            continue
        seen = not piece.tags & _UNSEEN
        before = [one for one in pieces[:place] if one.home in ("", piece.home)]
        wanted = _wanted(piece, pieces) if seen else piece.setup
        places, missing = needed_cells([one.setup for one in before], wanted)
        at_hand = piece.role == "exercise"
        needed = [one for k, one in enumerate(before) if k in places or (at_hand and one.usual)]
        if missing - _ALWAYS:
            names = ", ".join(sorted(missing - _ALWAYS))
            raise CellsError(f"{notebook.name}, cell {piece.id}: no cell before it gives {names}")
        why = _why(piece, needed, prebuilt=piece.place in drawn) if seen else ""
        kind = ("heavy" if why else _SEEN[piece.role]) if seen else "hidden"
        ids = tuple(dict.fromkeys(one.id for one in needed))
        gives = () if _why(piece, needed, prebuilt=False) else _gives(piece)
        found[piece.place] = Cell(piece.id, piece.code, piece.setup, kind, why, ids, gives)
    return {-1 - k: cell for k, cell in enumerate(imports.values())} | found


def _gives(piece: _Piece) -> tuple[str, ...]:
    return () if piece.home else tuple(sorted(names_of(piece.setup).given))


def _wanted(piece: _Piece, pieces: Sequence[_Piece]) -> str:
    """Return the code whose names must be there: an answer may use what the solution uses."""
    if piece.role != "exercise":
        return piece.code
    solution = [one for one in pieces if one.home == piece.home and one.role == "solution"]
    return "\n".join(one.code for one in (piece, *solution) if not one.tags & _UNSEEN)


def _why(piece: _Piece, needed: Sequence[_Piece], *, prebuilt: bool) -> str:
    """Return why a cell does not run in a browser; nothing if it does."""
    if prebuilt:
        return "an explorer: its states were computed when the book was built."
    tags = frozenset().union(*(one.tags for one in (piece, *needed)))
    absent = sorted(tag.removeprefix(NEEDS) for tag in tags if tag.startswith(NEEDS))
    if absent:
        names = " and ".join(_CALLED.get(name, name) for name in absent)
        return f"it needs {names}, which a browser does not have."
    if SLOW in tags:
        return "it takes more than a few seconds in a browser."
    return ""


def _pieces(cells: Sequence[dict[str, Any]]) -> Iterator[_Piece]:
    """Yield the imports and the rest of every code cell, each with the exercise it belongs to."""
    codes = [taken_off("".join(c["source"]))[1] for c in cells if c["cell_type"] == "code"]
    lines = {line for code in codes for line in imports_of(code)}
    imported = frozenset().union(*(names_of(line).given for line in lines))
    home, role, count = "", "", 0
    for place, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for turn in _TURN.findall(source):
                count += turn == "exercise"
                home = "" if turn == "solution-end" else f"exercise {count}"
                role = {"exercise": "exercise", "solution-start": "solution"}.get(turn, "")
        elif cell["cell_type"] == "code":
            code = taken_off(source)[1]
            tags = frozenset(cell["metadata"].get("tags", ()))
            for line in imports_of(code):
                yield _Piece(line, line, line, -1, home, role)
            yield _Piece(cell["id"], code, setup_of(code, imported), place, home, role, tags)


def imports_of(code: str) -> list[str]:
    r"""Return the imports at the top level of code, one line for each name.

    >>> imports_of("import numpy as np\nfrom a.b import c, d as e\nx = 1")
    ['import numpy as np', 'from a.b import c', 'from a.b import d as e']
    """
    lines = []
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for name in statement.names:
                one = type(statement)(**{**vars(statement), "names": [name]})
                lines.append(ast.unparse(one))
    return lines


def setup_of(code: str, imported: Collection[str] = ()) -> str:
    r"""Return code without imports and without statements that leave nothing behind.

    A call such as ``viz.race(x)`` leaves nothing when ``viz`` was imported; one such as
    ``rows.append(x)`` may.  What stays, stays on its line: errors name the lines of the page.

    >>> setup_of("x = 1\nassert x\nrows.append(x)\nviz.race(x)\nprint(x)\nx", {"viz"})
    'x = 1\n\nrows.append(x)'
    """
    body = ast.parse(code).body
    off = [statement for statement in body if _leaves_nothing(statement, imported)]
    if len(off) == len(body):
        return ""
    lines = code.encode().split(b"\n")
    for statement in reversed(off):
        _take_off(statement, lines)
    return b"\n".join(lines).decode().rstrip()


def _take_off(statement: ast.stmt, lines: list[bytes]) -> None:
    """Leave in the place of a statement what does nothing, on as many lines."""
    first, last = statement.lineno - 1, (statement.end_lineno or 1) - 1
    before, after = lines[first][: statement.col_offset], lines[last][statement.end_col_offset :]
    alone = not before.strip() and not after.strip(b" ;")
    lines[first : last + 1] = [before, *[b""] * (last - first)]
    lines[last] += b"" if alone else b"pass" + after


def _leaves_nothing(statement: ast.stmt, imported: Collection[str]) -> bool:
    if isinstance(statement, ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    names = names_of(ast.unparse(statement))
    return not (names.given | names.changed) - set(imported)
