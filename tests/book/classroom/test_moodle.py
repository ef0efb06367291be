"""The quiz for Moodle, as XML; tests/graders compares it with what another package writes."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from nta_book.classroom import Labels, moodle_quiz
from nta_book.errors import AssignmentError
from nta_book.sphinx.questions import Question

QUESTION = Question(
    page="04_strict_order",
    cell="x",
    number=2,
    asked="Is $a < b$ & so?",
    options={"a": "yes, *always*", "b": "no"},
    right="b",
    answer="Never; see {ref}`chapter 5 <ch-05>`.",
    tempting={"a": "Looks so."},
)
LABELS = Labels({}, {})


def test_a_question_has_its_options_and_why_they_tempt():
    quiz = ElementTree.fromstring(moodle_quiz([QUESTION], LABELS))
    category, question = quiz
    assert category.findtext("category/text").endswith("/Chapter 4")
    assert question.findtext("questiontext/text") == (
        '<p>Is <span class="math inline">\\(a &lt; b\\)</span> &amp; so?</p>'
    )
    answers = question.findall("answer")
    assert [answer.get("fraction") for answer in answers] == ["0", "100"]
    assert answers[0].findtext("text") == "<p>yes, <em>always</em></p>"
    assert answers[0].findtext("feedback/text") == "<p>Looks so.</p>"
    assert answers[1].findtext("feedback/text") == "<p>Never; see chapter 5.</p>"
    assert question.findtext("shuffleanswers") == "false"


def test_a_reference_to_nothing_is_refused():
    wrong = QUESTION.__class__(**{**vars(QUESTION), "asked": "By {eq}`eq-none`?"})
    with pytest.raises(AssignmentError, match="eq-none"):
        moodle_quiz([wrong], LABELS)


def test_every_chapter_begins_a_category_of_its_own():
    other = QUESTION.__class__(**{**vars(QUESTION), "page": "index"})
    quiz = ElementTree.fromstring(moodle_quiz([QUESTION, QUESTION, other], LABELS))
    names = [c.findtext("category/text") for c in quiz if c.get("type") == "category"]
    assert [Path(name).name for name in names] == ["Chapter 4", "Start"]
