"""Chapters keep to the measure, no word comes before it is explained, and every fault is found."""

from __future__ import annotations

import doctest
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tools import chapter_measure, chapter_text
from tools.chapter_measure import (
    GlossaryError,
    Measure,
    chapters,
    complaints,
    glossary,
    main,
    measure,
    stated_minutes,
    too_early,
    too_much,
    unexplained,
)
from tools.chapter_text import Chapter, chapter_of, read_chapter, with_minutes

QUESTION = """```{admonition} Predict
:class: predict
Who wins?

- (a) One.
- (b) Two.
```

```{admonition} Answer
:class: dropdown answer
(b) It is so.

- (a) It tempts.
```"""


def text(source: str, name: str = "words") -> dict:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def code(source: str, *tags: str) -> dict:
    return {"cell_type": "code", "id": "code", "metadata": {"tags": list(tags)}, "source": source}


SOUND = [
    text("# Why?\n\nOne two three.\n\n15 minutes · needs {ref}`chapter 3 <ch-03>`"),
    code("x = 1\n\ny = 2"),
    code("z = 3", "hide-input"),
    text(f"## Who?\n\nFour $a + b$.\n\n{QUESTION}\n\n{QUESTION}"),
    code("#| name: fig-x\n#| caption: >\n#|   Six seven eight.\nviz.race()", "hide-input"),
    text("## Exercises\n\nNine.\n\n```{exercise} Do\n*difficulty 1/5 · 5 min · why: so*\n```"),
    code("stub = 1"),
    text("```{exercise} More\n*difficulty 2/5 · 15 min · why: so*\n```"),
    text("## Next question\n\nThe leagues of W_svm."),
]


def sound(*more: dict, name: str = "02_who") -> Chapter:
    return chapter_of([*SOUND[:4], *more, *SOUND[4:]], name)


@pytest.mark.parametrize("module", [chapter_measure, chapter_text])
def test_examples_hold(module) -> None:
    assert not doctest.testmod(module).failed


# ---- every chapter -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_a_chapter_keeps_to_the_measure_and_explains_its_words_first(path: Path) -> None:
    found = complaints(path)
    assert not found, "\n".join([path.stem, *found])


def test_a_word_occurs_where_the_glossary_says_it_is_explained() -> None:
    assert not unexplained([read_chapter(path) for path in chapters()], glossary())


# ---- counting ------------------------------------------------------------------------------------


def test_what_counts() -> None:
    found = measure(sound())
    # "One two three", "Four x", and twice "Who wins (a) One (b) Two".
    assert (found.sections, found.words, found.code_lines, found.predictions) == (1, 17, 2, 2)
    assert found.exercise_minutes == 20
    assert not too_much(found)
    assert "1 sections, 17 running words, 2 lines of code, 2 predictions" in str(found)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("Two words.", 2),
        ("- A\n- list", 2),
        ("1. One sentence.", 2),
        ("```{admonition} Say\n:class: say\n**Three short words.**\n```", 3),
        ("## A heading\n", 0),
        ("| a | table |\n|---|---|\n| of | words |", 0),
        ("```{math}\na b\n```\n\n$$\na b\n$$", 0),
        ("```python\nx = 1\n```", 0),
        (":::{prf:theorem} Of words\n:label: x\n\nIt is so.\n:::", 0),
        ("```{dropdown} Proof\nIt is so.\n```", 0),
        ("```{admonition} More\n:class: dropdown\nIt is so.\n```", 0),
        ("(label)=\n", 0),
    ],
)
def test_running_words(source: str, words: int) -> None:
    assert measure(sound(text(source))).words - measure(sound()).words == words


LIMITS = {
    "sections": [text(f"## Section {k}") for k in range(8)],
    "running words": [text("word " * 1400)],
    "lines of code": [code("x = 1\n" * 59)],
    "lines of code that are seen": [text("```python\n" + "x = 1\n" * 59 + "```")],
}


@pytest.mark.parametrize("what", LIMITS)
def test_a_chapter_above_a_limit_is_found(what: str) -> None:
    (said,) = too_much(measure(sound(*LIMITS[what])))
    assert what in said


def test_limits_are_the_last_allowed_values_and_later_chapters_may_have_more_words() -> None:
    full = Measure("08_x", 8, 8, 1400, 60, 2, 25, 40)
    assert not too_much(full)
    assert not too_much(replace(full, number=9, words=1700))
    for change in ({"sections": 9}, {"words": 1401}, {"code_lines": 61}, {"predictions": 1}):
        assert len(too_much(replace(full, **change))) == 1
    assert too_much(replace(full, number=9, words=1701))


def test_code_that_is_not_seen_is_free() -> None:
    for tag in ("hide-input", "remove-input", "remove-cell", "hide-cell"):
        assert measure(sound(code("x = 1\n" * 80, tag))).code_lines == 2


# ---- minutes -------------------------------------------------------------------------------------


def test_minutes_are_written_and_stay() -> None:
    chapter = sound()
    stated = stated_minutes(chapter)
    assert stated == "**5 minutes to read, 20 for the exercises**"
    old = SOUND[0]["source"]
    new = with_minutes(old, stated)
    assert new == old.replace("15 minutes", stated)
    assert with_minutes(new, stated) == new
    assert with_minutes("We waited 15 minutes · then.", stated) == "We waited 15 minutes · then."
    again = chapter_of([text(new), *SOUND[1:]], chapter.name)
    assert measure(again) == measure(chapter)


def test_more_to_read_takes_longer() -> None:
    before = measure(sound()).minutes
    assert measure(sound(text("word " * 1600))).minutes == before + 10
    assert measure(sound(code("x = 1\n" * 60))).minutes == before + 10
    assert measure(sound(*[code("viz.race()")] * 5, name="02_who")).minutes > before
    assert measure(sound(*[code("walk = Explorer()", "hide-input")] * 5)).minutes == before + 10


# ---- words ---------------------------------------------------------------------------------------

EARLY = {
    "in a sentence": text("Here are leagues."),
    "in another case": text("Leagues are here."),
    "in a heading": text("## Which league?"),
    "in a caption": code("#| name: fig-y\n#| caption: >\n#|   A league.\nrace()", "hide-input"),
    "in code that is seen": code("leagues = 3"),
    "in a box": text("```{admonition} Say\n:class: say\n**A league.**\n```"),
    "in an answer": text(QUESTION.replace("It is so", "By leagues")),
    "in a theorem": text(":::{prf:theorem} Of leagues\n:label: x\n\nIt is so.\n:::"),
    "in a table": text("| a | league |\n|---|---|\n| of | words |"),
    "as a link": text("A {term}`league`."),
    "as a symbol": text(r"The matrix $W_{\mathrm{svm}}$ is."),
    "as a symbol in code": code("print(W_svm)"),
    "as a symbol in HTML": code('"W<sub>svm</sub>"'),
    "as a subspace": text(r"The space $\mathcal{S}_{\mathrm{fin}}$ is."),
    "as a plain subspace": text("The space S_fin is."),
    "as an abbreviation": text("By the SVM."),
    "as an example": text("Look at Fig. 8."),
    "as an example in code": code("FIG8.names"),
    "as a name of a function": code("finite_part(data)"),
    "two words": text("The deciding pairs are few."),
}


@pytest.mark.parametrize("where", EARLY)
def test_a_word_before_it_is_explained_is_found(where: str) -> None:
    assert too_early(sound(EARLY[where]), glossary())
    assert not too_early(sound(EARLY[where], name="09_late"), glossary())


@pytest.mark.parametrize(
    "source",
    [
        "The two tie, with my support, in a window; we scan them.",
        "Its length is determined. A squared loss or the cross-entropy you know.",
        "The Next-Token Automaton is a book; Scan and Snap is a paper.",
        "By {cite}`scc2024league`, {given}`Fig. 8` of {proved}`the league of Fig. 8`.",
        "We keep track and lose track; see Fig. 30 and Fig. 8.1.",
        "15 minutes · needs {ref}`leagues <ch-03>`",
    ],
)
def test_no_complaint_about_other_words(source: str) -> None:
    assert not too_early(sound(text(source), name="01_first"), glossary())


def test_exercises_and_the_next_question_are_free() -> None:
    assert not too_early(sound(), glossary())
    assert not too_early(
        chapter_of([*SOUND[:6], text("The league."), *SOUND[6:]], "01_x"), glossary()
    )


def test_an_entry_that_its_chapter_does_not_hold_is_found() -> None:
    league = next(term for term in glossary() if term.name == "league")
    assert unexplained([sound(name="03_x")], (league,)) == ["'league' does not occur in chapter 3"]
    assert not unexplained([sound(text("A league."), name="03_x")], (league,))


def test_an_entry_that_does_not_say_where_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "glossary.ipynb"
    path.write_text(json.dumps({"cells": [text("```{glossary}\nword\n  It is.\n```")]}))
    with pytest.raises(GlossaryError, match='"word" does not end with'):
        glossary(path)


def test_the_glossary_knows_the_words_that_came_too_early() -> None:
    chapter = {term.name: term.chapter for term in glossary()}
    assert chapter["W_svm"] == chapter["Graph-SVM"] == 4
    assert chapter["deciding pair"] == 5
    assert chapter["W_fin"] == chapter["S_fin"] == chapter["Fig. 8"] == 6
    assert (chapter["Fig. 3"], chapter["league"], chapter["S_active"]) == (2, 3, 7)
    assert len(chapter) > 45


# ---- command -------------------------------------------------------------------------------------


def test_the_command_complains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "01_x.ipynb"
    path.write_text(json.dumps({"cells": SOUND}))
    assert main([str(path)]) == 0
    assert "01_x: 1 sections" in capsys.readouterr().out
    broken = [*SOUND[:3], text(f"## Who?\n\n{QUESTION.split('```{admonition} Answer')[0]}")]
    path.write_text(json.dumps({"cells": [*broken, *SOUND[4:]]}))
    assert main([str(path)]) == 1
    said = capsys.readouterr().out
    assert "1 Predict boxes, at least 2" in said
    assert "a Predict box without its Answer" in said
