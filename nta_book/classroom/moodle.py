"""Predict boxes as a quiz in Moodle's XML: options, the right one, and why the others tempt."""

from __future__ import annotations

import html
from collections.abc import Iterable
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from nta_book.classroom.plain import Labels, plain
from nta_book.sphinx.questions import Question

CATEGORY = "$course$/top/The Next-Token Automaton"


def moodle_quiz(questions: Iterable[Question], labels: Labels) -> str:
    """Return questions as the XML that Moodle imports, one category per chapter."""
    quiz = ElementTree.Element("quiz")
    page = None
    for question in questions:
        if question.page != page:
            page = question.page
            category = ElementTree.SubElement(quiz, "question", type="category")
            number = question.chapter
            name = "Start" if number is None else f"Chapter {number}"
            _text(ElementTree.SubElement(category, "category"), f"{CATEGORY}/{name}")
        _add(quiz, question, labels)
    ElementTree.indent(quiz)
    return ElementTree.tostring(quiz, encoding="unicode", xml_declaration=True) + "\n"


def _add(quiz: ElementTree.Element, question: Question, labels: Labels) -> None:
    item = ElementTree.SubElement(quiz, "question", type="multichoice")
    number = question.chapter
    place = f"{number}.{question.number}" if number is not None else str(question.number)
    _text(ElementTree.SubElement(item, "name"), f"Predict {place}: {question.cell}")
    _html(item, "questiontext", question.asked, labels)
    _html(item, "generalfeedback", question.answer, labels)
    for name, value in {
        "defaultgrade": "1",
        "penalty": "0.3333333",
        "hidden": "0",
        "idnumber": question.name,
        "single": "true",
        "shuffleanswers": "false",  # the answers speak of (a) and (b)
        "answernumbering": "abc",
    }.items():
        ElementTree.SubElement(item, name).text = value
    for letter, words in question.options.items():
        right = letter == question.right
        answer = _html(item, "answer", words, labels)
        answer.set("fraction", "100" if right else "0")
        said = question.answer if right else question.tempting[letter]
        _html(answer, "feedback", said, labels)


def _html(parent: ElementTree.Element, tag: str, words: str, labels: Labels) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, format="html")
    _text(element, as_html(plain(words, labels)))
    return element


def _text(parent: ElementTree.Element, words: str) -> None:
    ElementTree.SubElement(parent, "text").text = words


def as_html(markdown: str) -> str:
    r"""Return Markdown as HTML, with formulas as Moodle's own filters find them.

    >>> as_html("Is $a < b$ *small*?")
    '<p>Is <span class="math inline">\\(a &lt; b\\)</span> <em>small</em>?</p>'
    """
    return str(_MARKDOWN.render(markdown)).strip()


def _formula(latex: str, display: dict[str, bool]) -> str:
    left, right = (r"\[", r"\]") if display["display_mode"] else (r"\(", r"\)")
    return f"{left}{html.escape(latex, quote=False)}{right}"


_MARKDOWN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=_formula)
