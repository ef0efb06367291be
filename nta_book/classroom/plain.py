"""The book's Markdown as Markdown that every notebook shows.

Exercises point at equations, figures and theorems of their chapter.  In a notebook of its own such
a reference leads nowhere: an equation is written out below the text, the others are called by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nta_book.errors import AssignmentError
from nta_book.sphinx.captions import taken_off

_ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?P<words>[^`<]*?)(?: ?<(?P<label>[^>`]+)>)?`")
_EQUATION = re.compile(r"\$\$\s*(?P<latex>[^$]+?)\s*\$\$ \((?P<label>eq-[\w-]+)\)")
_MATH = re.compile(r"```\{math\}\n:label: (?P<label>\S+)\n(?P<latex>.*?)\n```", re.DOTALL)
_STATEMENT = re.compile(r"\{prf:\w+\} (?P<title>.+)\n:label: (?P<label>\S+)")
_TARGET = re.compile(r"^\((?P<label>[\w-]+)\)=\n#+ (?P<title>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Labels:
    """What the labels of the book stand for: formulas, and names of everything else."""

    formulas: dict[str, str]
    names: dict[str, str]

    @classmethod
    def of(cls, notebooks: Iterable[Path]) -> Labels:
        """Return the labels that these notebooks set."""
        formulas: dict[str, str] = {}
        names: dict[str, str] = {}
        for notebook in notebooks:
            for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
                source = "".join(cell["source"])
                if cell["cell_type"] == "markdown":
                    for form in (_EQUATION, _MATH):
                        formulas |= {m["label"]: m["latex"].strip() for m in form.finditer(source)}
                    for kind in (_STATEMENT, _TARGET):
                        names |= {m["label"]: f"“{m['title']}”" for m in kind.finditer(source)}
                elif figure := taken_off(source)[0]:
                    sentence = figure["caption"].partition(". ")[0].rstrip(".")
                    names[figure["name"]] = f"the figure “{sentence}”"
        return cls(formulas, names)


def plain(text: str, labels: Labels) -> str:
    """Return MyST without roles.

    >>> plain("Derive {eq}`eq-a` ({ref}`chapter 4 <ch-04>`).", Labels({"eq-a": "a = b"}, {}))
    'Derive the formula below (chapter 4).\\n\\n$$a = b$$'

    Raises
    ------
    AssignmentError
        When the text refers to something that these labels do not know, or shows a glued number.
    """
    formulas: list[str] = []

    def words(match: re.Match[str]) -> str:
        label = match["label"] or match["words"]
        if match["role"].startswith("glue"):
            raise AssignmentError(f"the text shows {label}, a number that only its page knows")
        if match["role"] == "eq":
            formulas.append(_known(labels.formulas, label))
            return "the formula below"
        if match["role"] in {"ref", "numref", "prf:ref"}:
            return match["words"] if match["label"] else _known(labels.names, label)
        return match["words"]

    return "\n\n".join([_ROLE.sub(words, text), *(f"$${formula}$$" for formula in formulas)])


def _known(names: dict[str, str], label: str) -> str:
    if label not in names:
        raise AssignmentError(f"the text refers to {label}, which is nowhere in the chapters")
    return names[label]
