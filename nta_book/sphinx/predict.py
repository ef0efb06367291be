"""Predict boxes become questions: box, answer and what follows, ready to be asked by the page.

In the book's source a Predict box is followed by its Answer (`questions` reads the form).  On the
page both stand in one block, and the rest of the section in another::

    <div class="nta-predict" id="predict-..." data-name="..." data-right="b" data-of="...">
      <div class="admonition predict"> question and options </div>
      <div class="admonition answer"> why, and why the others tempt </div>
    </div>
    <div class="nta-predict-rest"> what follows, up to the end of the section </div>

Everything is open; ``predict.js`` makes radio buttons of the options and hides the rest until one
is chosen.  A box that cannot be asked stops the build.

A page may ask for a list of all questions; while Sphinx reads it, the line is replaced::

    ```{nta-questions}
    ```
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxRole

from nta_book.sphinx.chapterlinks import label_of_page
from nta_book.sphinx.questions import Question, QuestionError, questions

# Before the page is painted: hide what follows a question.  Scripts that wait for the page have run
# when it is complete; if ours did not, nothing stays hidden.
_EARLY = (
    "document.documentElement.classList.add('nta-asking');"
    "addEventListener('DOMContentLoaded',()=>{if(!globalThis.nta?.openPredictions)"
    "document.documentElement.classList.remove('nta-asking')})"
)
_LIST = re.compile(r"^```\{nta-questions\}\n```$", re.MULTILINE)


class prediction(nodes.General, nodes.Element):  # type: ignore[misc]  # small as in docutils
    """A question with its answer."""


def register(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.add_node(prediction, html=(_open, _close))
    app.add_role("question", QuestionRole())
    app.connect("source-read", _expand)
    app.connect("doctree-resolved", _join)
    app.connect("html-page-context", _ask_early)


def _open(translator: Any, node: prediction) -> None:
    data = {f"data-{key}": node[key] for key in ("name", "right", "of")}
    translator.body.append(translator.starttag(node, "div", CLASS="nta-predict", **data))


def _close(translator: Any, node: prediction) -> None:
    translator.body.append("</div>\n")


def anchor(question: Question) -> str:
    """Return the id of a question on its page."""
    return f"predict-{question.cell}"


def fingerprint(question: Question) -> str:
    """Return what changes with a question: an old choice says nothing about a new question."""
    said = "\n".join([question.asked, *question.options.values(), question.right])
    return hashlib.sha256(said.encode()).hexdigest()[:8]


def asked_on(page: Path) -> list[Question]:
    """Return the questions of a page; one that cannot be asked stops the build."""
    if page.suffix != ".ipynb":
        return []
    try:
        return questions(page)
    except QuestionError as error:
        raise ExtensionError(str(error)) from error


# ---- blocks --------------------------------------------------------------------------------------


def _join(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Join every Predict box with its Answer, and gather what follows in the section."""
    boxes = [
        node for node in doctree.findall(nodes.admonition) if "predict" in node.get("classes", ())
    ]
    if not boxes:
        return
    asked = asked_on(Path(app.env.doc2path(docname)))
    if len(asked) != len(boxes):
        raise ExtensionError(
            f"{docname}: {len(boxes)} Predict boxes on the page, {len(asked)} in its text cells"
        )
    # From the end, so that what follows a question is complete when an earlier one gathers it.
    for box, question in reversed(list(zip(boxes, asked, strict=True))):
        _join_one(box, question)


def _join_one(box: nodes.Element, question: Question) -> None:
    parent = box.parent
    place = parent.index(box)
    answer, *after = parent.children[place + 1 :]
    answer["classes"] = ["answer"]
    _name_reasons(answer, question)
    parent.remove(answer)
    block = prediction(
        "",
        ids=[anchor(question)],
        name=question.name,
        right=question.right,
        of=fingerprint(question),
    )
    parent.replace(box, block)
    block.extend([box, answer])
    rest = nodes.container("", classes=["nta-predict-rest"])
    # A label in front of the next heading belongs to that heading.
    while after and isinstance(after[-1], nodes.target):
        after.pop()
    for node in after:
        if isinstance(node, nodes.section) and isinstance(parent.parent, nodes.document):
            break  # a question in front of the first heading: the sections stay open
        parent.remove(node)
        rest += node
    if rest.children:
        parent.insert(place + 1, rest)


def _name_reasons(answer: nodes.Element, question: Question) -> None:
    """Turn the list of an answer into blocks that carry the letter they speak of."""
    lists = [node for node in answer.children if isinstance(node, nodes.bullet_list)]
    for items in lists:
        reasons = [
            nodes.container("", *item.children, classes=["nta-predict-reason", f"nta-{letter}"])
            for item, letter in zip(items.children, question.tempting, strict=True)
        ]
        answer.replace(items, reasons)


def _ask_early(app: Sphinx, name: str, template: str, page: dict[str, Any], tree: object) -> None:
    """Add the script that hides what follows before it can be seen."""
    if 'class="nta-predict"' in (page.get("body") or ""):
        app.add_js_file(None, body=_EARLY, priority=0)


# ---- the list of all questions -------------------------------------------------------------------


def _expand(app: Sphinx, docname: str, content: list[str]) -> None:
    """Write the questions of the book into the page that asks for them."""
    asked_on(Path(app.env.doc2path(docname)))  # a malformed box is said before anything is made
    if not _LIST.search(content[0]):
        return
    pages = []
    for name in sorted(app.env.found_docs):
        path = Path(app.env.doc2path(name))
        if path.suffix == ".ipynb" and label_of_page(path):
            app.env.note_dependency(str(path))
            pages.append((path, asked_on(path)))
    content[0] = _LIST.sub(lambda match: "\n\n".join(_listed(pages)), content[0])


def _listed(pages: list[tuple[Path, list[Question]]]) -> Iterator[str]:
    for path, asked in pages:
        if asked:
            yield f"## {_title(path)}"
            yield "\n".join(
                f"{q.number}. {_last_sentence(q.asked)} {{question}}`{q.page}:{q.number}`"
                for q in asked
            )


def _title(page: Path) -> str:
    """Return the title of a page, with its number if it is a chapter."""
    text = page.read_text(encoding="utf-8")
    title = next(
        line
        for cell in json.loads(text)["cells"]
        for line in "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "markdown" and line.startswith("# ")
    )
    number = f"{int(page.stem[:2])}. " if page.stem[:2].isdigit() else ""
    return f"{number}{title[2:]}"


def _last_sentence(asked: str) -> str:
    """Return the sentence that asks; texts are kept one sentence per line."""
    return [line.strip() for line in asked.splitlines() if line.strip()][-1]


class QuestionRole(SphinxRole):
    """``{question}`05_which_w:2` ``: a link to a question, with what the page must know of it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link."""
        page, _, number = self.text.partition(":")
        path = Path(self.env.srcdir) / "book" / f"{page}.ipynb"
        question = asked_on(path)[int(number) - 1]
        data = {
            "name": question.name,
            "right": question.right,
            "of": fingerprint(question),
            "chapter": str(question.chapter or label_of_page(path)),
        }
        attributes = " ".join(f'data-{key}="{html.escape(value)}"' for key, value in data.items())
        where = f"{question.chapter}.{number}" if question.chapter else number
        # All pages with questions and the page that lists them lie in one folder.
        link = f'<a class="nta-question" href="{page}.html#{anchor(question)}" {attributes}>'
        return [nodes.raw(self.rawtext, f"{link}Question {where}</a>", format="html")], []
