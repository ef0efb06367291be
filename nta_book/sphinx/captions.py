"""Captions stand as comments at the top of a code cell, where an author sees them::

    #| name: fig-03-fig3
    #| caption: >
    #|   The two tracks of the paper's Fig. 3.
    #|   Dashed arrows run inside a league.

myst-nb looks for name and caption in the cell's metadata.  ``read_notebook`` puts them there and
takes the comments off the code, for the build that runs the chapters and for Sphinx alike.
"""

from __future__ import annotations

import re
from itertools import takewhile

import nbformat
import yaml  # type: ignore[import-untyped]


class CaptionError(ValueError):
    """Comments at the top of a cell that are no caption; the message quotes them."""


def read_notebook(text: str) -> nbformat.NotebookNode:
    """Return a notebook with every caption in the metadata of its cell."""
    notebook: nbformat.NotebookNode = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            figure, cell.source = taken_off(cell.source)
            if figure:
                cell.metadata["mystnb"] = {"figure": figure}
    return notebook


def taken_off(source: str) -> tuple[dict[str, str], str]:
    r"""Return the name and the caption of a cell's figure, if it has them, and its code.

    >>> taken_off("#| name: fig-x\n#| caption: >\n#|   Who wins?\n#|   A race: red.\nrace()")
    ({'name': 'fig-x', 'caption': 'Who wins? A race: red.'}, 'race()')
    """
    lines = source.splitlines(keepends=True)
    head = list(takewhile(lambda line: line.startswith("#|"), lines))
    said = yaml.safe_load("".join(re.sub(r"^#\| ?", "", line) for line in head)) if head else {}
    if head and (not isinstance(said, dict) or set(said) != {"name", "caption"}):
        raise CaptionError(f"a caption has a name and a caption, this has not: {''.join(head)}")
    return {key: str(words).strip() for key, words in said.items()}, "".join(lines[len(head) :])
