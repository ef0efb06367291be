"""Join the readable parts of each lab into the one module that is shipped.

The widget contract wants a single file without imports, and a page wants a light one; a reader
wants short files with comments.  So the parts are written for reading, and
``python -m nta_book.lab.join`` writes ``token_lab.esm.js`` and ``scan_snap_lab.esm.js`` from them:
imports between the parts, comments and spaces that mean nothing are dropped, and nothing is
renamed.  A test keeps both in step.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SHARED = (HERE / "shared" / "elements.js",)
BASE = HERE / "shared" / "base.css"


@dataclass(frozen=True)
class Lab:
    """One module: its title, the folder of its parts, their order, its style sheet, its file."""

    title: str
    folder: Path
    order: tuple[str, ...]
    style: Path
    module: Path

    @property
    def parts(self) -> tuple[Path, ...]:
        """Files to join, those that all labs share first."""
        return SHARED + tuple(self.folder / f"{name}.js" for name in self.order)


TOKEN_LAB = Lab(
    "The Token Lab",
    HERE / "parts",
    (
        *("text", "graphs", "theory", "descent", "share", "words", "lab"),
        *("pictures", "chips", "views", "page"),
    ),
    HERE / "parts" / "lab.css",
    HERE / "token_lab.esm.js",
)
SCAN_SNAP_LAB = Lab(
    "The Scan and Snap explorer",
    HERE / "scan_snap",
    (
        *("settings", "classes", "dynamics", "theory", "reading", "experiment", "words"),
        *("charts", "views", "page"),
    ),
    HERE / "scan_snap" / "scan_snap.css",
    HERE / "scan_snap_lab.esm.js",
)
LABS = (TOKEN_LAB, SCAN_SNAP_LAB)

# One pattern per thing whose inside must stay as it is; what remains is code.
_TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<regex>(?:(?<=[(,=:\[!&|?{};>])|(?<=[(,=:\[!&|?{};>]\s))
                  /(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+/[a-z]*)
      | (?P<template>`)
      | (?P<code>.)""",
    re.VERBOSE | re.DOTALL,
)
_IMPORT = re.compile(r"^import [^;]*;$", re.MULTILINE)
_TIGHT = re.compile(r" ?([{}()\[\];,:?=<>&|!*]) ?")


def joined(lab: Lab) -> str:
    """Return the module of a lab as it should be shipped.

    Examples
    --------
    >>> joined(TOKEN_LAB).startswith("// The Token Lab")
    True

    Explained in: the Token Lab.
    """
    sheets = "\n".join(sheet.read_text("utf-8") for sheet in (BASE, lab.style))
    code = "\n".join(_IMPORT.sub("", part.read_text("utf-8")) for part in lab.parts)
    where = lab.folder.relative_to(HERE.parents[1]).as_posix()
    banner = f"// {lab.title}, joined from {where}: change the parts, not this file.\n"
    style = json.dumps(squeezed_style(sheets), ensure_ascii=False)
    return f"{banner}const CSS={style};\n{squeezed(code)}"


def squeezed(code: str) -> str:
    """Drop comments and needless white space; strings, templates and patterns stay as they are.

    Examples
    --------
    >>> squeezed('const a = [ 1,  2 ];  // why\\n\\n  f("x  =  y");\\n')
    'const a=[1,2];\\nf("x  =  y");\\n'

    Explained in: the Token Lab.
    """
    kept: list[str] = []  # code between the literals, and the literals, in turn
    pieces = [""]
    position = 0
    while position < len(code):
        match = _TOKEN.match(code, position)
        assert match is not None  # the last alternative takes anything
        kind, text = match.lastgroup, match.group()
        if kind == "template":
            text = code[position : _template_end(code, position)]
        position += len(text)
        if kind == "code":
            pieces[-1] += text
        elif kind != "comment":
            kept.append(text)
            pieces.append("")
    spaced = [_tight(piece) for piece in pieces]
    body = "".join(a + b for a, b in zip(spaced, [*kept, ""], strict=True))
    return re.sub(r"\n+", "\n", body).lstrip("\n")


def _tight(piece: str) -> str:
    piece = re.sub(r"[ \t]*\n\s*", "\n", piece)
    return _TIGHT.sub(r"\1", re.sub(r"[ \t]+", " ", piece))


def _template_end(code: str, start: int) -> int:
    """Position after the template literal that opens at `start`, nested ones included."""
    position, depth = start + 1, 0
    while depth or code[position] != "`":
        if code[position] == "\\":
            position += 1
        elif code.startswith("${", position):
            depth += 1
            position += 1
        elif depth and code[position] == "{":
            depth += 1
        elif depth and code[position] == "}":
            depth -= 1
        elif depth and code[position] == "`":
            position = _template_end(code, position) - 1
        position += 1
    return position + 1


def squeezed_style(style: str) -> str:
    """Drop the comments and the needless white space of a style sheet.

    Examples
    --------
    >>> squeezed_style("/* why */ .a { & b :hover { top: 0; left: calc(1px + 2px) } }")
    '.a{& b :hover{top:0;left:calc(1px + 2px)}}'

    Explained in: the Token Lab.
    """
    plain = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    tight = re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", plain))
    return re.sub(r": ", ":", tight).strip()


if __name__ == "__main__":
    for lab in LABS:
        lab.module.write_text(joined(lab), "utf-8")
