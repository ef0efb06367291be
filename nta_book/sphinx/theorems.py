"""All theorems of the book on one page, read from the chapters.

A page asks for them; while Sphinx reads it, the line is replaced::

    ```{nta-theorems}
    ```

Each theorem, lemma, proposition and corollary of a chapter comes word for word, with its
conditions, its badge and what checks it.  One without a badge, or without a ``{checked}``, stops
the build.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from nta_book.sphinx.badges import KINDS as BADGES
from nta_book.sphinx.chapterlinks import label_of_page
from nta_book.sphinx.evidence import read_all

KINDS = ("theorem", "lemma", "proposition", "corollary")
# Whose a statement is, by the work that its title cites.
_AUTHORS = {
    "li2024mechanics": "Theirs: Mechanics of next-token prediction",
    "tian2023scan": "Theirs: Scan and Snap",
    "eggenberger1923statistik": (others := "Theirs: where the field went"),
    "thrampoulidis2024implicit": others,
    "zhao2024geometry": others,
    "": "Ours",
}
_PAGE = re.compile(r"^```\{nta-theorems\}\n```$", re.MULTILINE)
_STATEMENT = re.compile(
    rf"^(?P<fence>:{{3,}}|`{{3,}})\{{prf:(?P<kind>{'|'.join(KINDS)})\}} ?(?P<title>[^\n]*)\n"
    r"(?P<body>.*?)\n(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_BADGE = re.compile(rf"\{{({'|'.join(BADGES)})\}}`[^`]+`")
_CHECKED = re.compile(r"\{checked\}`([^`]*)`")


class TheoremError(ExtensionError):
    """A statement cannot be put on the page; the message says which and why."""


@dataclass(frozen=True)
class Statement:
    """One statement, as its chapter has it.

    Attributes
    ----------
    page, kind, label, title
        Where it stands, and what the directive says; the title is MyST.
    text
        The statement with its conditions, MyST; the last line has the badge and the evidence.
    """

    page: str
    kind: str
    label: str
    title: str
    text: str

    @property
    def author(self) -> str:
        """The key of the work that the title cites, or nothing: then it is ours."""
        cited = re.search(r"\{cite(?::\w+)?\}`(\w+)`", self.title)
        return cited[1] if cited else ""

    @property
    def badges(self) -> list[str]:
        """How it is known: "proved", "measured", "open"."""
        return _BADGE.findall(self.text)


def register(app: Sphinx) -> None:
    """Let a page ask for the theorems."""
    app.connect("source-read", _expand)


def _expand(app: Sphinx, docname: str, content: list[str]) -> None:
    """Write the theorems into the page that asks for them."""
    if not _PAGE.search(content[0]):
        return
    # Chapters that are not part of this book have no page that an entry could lead to.
    inside = {Path(app.env.doc2path(name)).resolve() for name in app.env.found_docs}
    paths = sorted((Path(app.srcdir) / "book").glob("[0-9][0-9]_*.ipynb"))
    found: list[Statement] = []
    for path in paths:
        if path.resolve() in inside:
            app.env.note_dependency(str(path))
            found += statements(path)
    content[0] = _PAGE.sub(lambda match: written(found), content[0])


def statements(notebook: Path) -> Iterator[Statement]:
    """Yield the statements of a chapter; one that lacks something is an error that says what."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            for match in _STATEMENT.finditer("".join(cell["source"])):
                yield _statement(notebook.stem, match)


def _statement(page: str, match: re.Match[str]) -> Statement:
    label = re.search(r"^:label: (\S+)$", match["body"], re.MULTILINE)
    name = f'{page}: the {match["kind"]} "{match["title"]}"'
    if label is None:
        raise TheoremError(f"{name} has no label")
    text = re.sub(r"^:[a-z-]+:.*\n", "", match["body"], flags=re.MULTILINE).strip()
    if not _BADGE.search(text):
        raise TheoremError(f"{name} has no badge: end it with {{proved}}, {{measured}} or {{open}}")
    checked = _CHECKED.search(text)
    if checked is None or not read_all(checked[1]):
        raise TheoremError(f"{name} does not say what checks it: end it with {{checked}}`...`")
    if "{glue" in text:
        raise TheoremError(f"{name} shows a glued number, which only its own chapter knows")
    # An equation keeps its label in the chapter, and a cell is named with its page elsewhere.
    text = re.sub(r"(\$\$)[ ]*\([\w-]+\)$", r"\1", text, flags=re.MULTILINE)
    named = ", ".join(str(evidence) for evidence in read_all(checked[1], page))
    text = _CHECKED.sub(lambda _: f"{{checked}}`{named}`", text)
    return Statement(page, match["kind"], label[1], match["title"].strip(), text)


def written(found: list[Statement]) -> str:
    """Return the page as MyST: counts, then the statements of each author in reading order."""
    if unknown := {s.author for s in found} - set(_AUTHORS):
        raise TheoremError(f"a statement of {', '.join(sorted(unknown))}: add it to the authors")
    kinds = Counter(badge for statement in found for badge in dict.fromkeys(statement.badges))
    known = ", ".join(f"{kinds[badge]} {words}" for badge, words in BADGES.items() if kinds[badge])
    parts = [f"{len(found)} statements; badges: {known}."]
    for heading in dict.fromkeys(_AUTHORS.values()):
        chosen = [statement for statement in found if _AUTHORS[statement.author] == heading]
        if chosen:
            parts.append(f"## {heading}")
            parts += [_entry(statement) for statement in chosen]
    return "\n\n".join(parts)


def _entry(statement: Statement) -> str:
    label = label_of_page(Path(statement.page))
    where = f"{{ref}}`chapter {int(statement.page[:2])} <{label}>`"
    head = f"**{{prf:ref}}`{statement.label}`**, {where}: {statement.title}"
    return f":::::{{div}} nta-statement\n{head}\n\n{statement.text}\n:::::"
