"""The check of numbers in the prose finds planted ones, and leaves alone what has an origin."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from nta_book.explore.explorer import MIME as EXPLORER
from tools import check_numbers
from tools.check_numbers import strays


def text(source: str) -> dict:
    return nbformat.v4.new_markdown_cell(source)


def code(source: str = "run()", prints: str = "", *, tags: tuple[str, ...] = (), **data) -> dict:
    outputs = [nbformat.v4.new_output("stream", text=prints)] if prints else []
    if data:
        outputs.append(nbformat.v4.new_output("execute_result", data))
    return nbformat.v4.new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})


def numbers(*cells: dict) -> list[str]:
    return [stray.number for stray in strays({"cells": list(cells)})]


@pytest.mark.parametrize(
    "sentence",
    [
        "The mean ends at 0.987.",
        "The mean ends at $0.987$.",
        "The mean ends at $\\approx 0.987$.",
        "It is .987 {proved}`Theorem 2`.",
        "Known {measured}`cosine 0.987`.",
        "| cosine | 0.987 |",
        "1. The mean is 0.987.",
        "```{admonition} Say\n:class: say\n**It is 0.987.**\n```",
        "For 0.987 see {ref}`chapter 4 <ch-04>`.",
        "We trained 987 layers.",
        "A factor of 8.",
        "In 7 of 20 runs.",
        "In 98.7% of the runs, see Fig. 5.",
        "They end at lengths between 69 and 115.",
        "Half of 50,000 tokens and 2,000 steps.",
    ],
)
def test_a_planted_number_is_found(sentence):
    assert numbers(text(sentence), code(prints="0.9 and 33"))


@pytest.mark.parametrize(
    "sentence",
    [
        "A formula $x = 0.987$, and $$ y = 0.987 $$ (eq-1)",
        "Code `steps=987`, a role {glue:text}`mean:.3f`, {numref}`Fig. 987 <x>`.",
        "The paper says 0.987 {cite}`li2024mechanics`.",
        'The paper says "above 0.987".',
        "[0.987](https://example.org/987)",
        "Chapters 2 and 14, Figs. 9–11, Theorem 2, race 13, Assumption 2 and step 40.",
        "Three tokens e13 and x_987 on 2 tracks.",
        "(a) 0.1 · (b) 0.5 · (c) 0.9",
        "```{exercise} Odds\n:label: ex-1\n\n*difficulty 3/5 · 20 min*\n\nLet it be 0.987.\n```",
        "Given are {given}`50 datasets` with {given}`0.987`.",
        "<!-- 0.987 -->",
        "Soudry et al. (2018) and Ji in 2020.",
        "```python\nx = 0.987\n```",
    ],
)
def test_what_needs_no_origin_is_left_alone(sentence):
    assert not numbers(text(sentence))


@pytest.mark.parametrize(
    ("sentence", "printed"),
    [
        ("It is 0.99.", "mean 0.9871"),
        ("It is 98.7 %.", "share 0.987"),
        ("It is 98.7 percent.", "98.7 %"),
        ("After 4,000 steps.", "4000 steps"),
        ("About 800 runs.", "772"),
        ("A slope of −1.35.", "-1.35"),
        ("An error of 2.3e−5.", "2.31e-05"),
    ],
)
def test_the_prose_may_round_what_is_printed(sentence, printed):
    assert not numbers(text(sentence), code(prints=printed))
    assert numbers(text(sentence), code(prints="0.123"))


def test_rounding_is_no_licence():
    assert numbers(text("It is 0.99."), code(prints="0.984")) == ["0.99"]
    assert numbers(text("There are 800 runs."), code(prints="772")) == ["800"]


def test_what_is_hidden_shows_nothing():
    sentence = text("It is 0.987.")
    assert not numbers(sentence, code("x = 0.987"))
    assert not numbers(sentence, code(prints="0.987", tags=("hide-input",)))
    assert not numbers(sentence, code(prints="0.987", tags=("remove-input",)))
    assert numbers(sentence, code("x = 0.987", tags=("remove-input",)))
    assert numbers(sentence, code("assert x == 0.987", prints="0.987", tags=("remove-cell",)))
    assert numbers(sentence, code(prints="0.987", tags=("remove-output",)))


def test_a_number_may_be_repeated_below_but_not_announced_above():
    cell = code(prints="0.987")
    assert not numbers(text("## A\n\nx"), cell, text("## B\n\nAs we saw, 0.987."))
    assert numbers(text("## A\n\nAs we shall see, 0.987."), text("## B\n\nx"), cell) == ["0.987"]


def test_what_is_given_once_stays_given() -> None:
    given = text("## A\n\nEach cell has {given}`50 datasets`.")
    assert not numbers(given, text("## B\n\nIt holds {measured}`50 datasets`."))
    assert numbers(text("## A\n\nIt holds {measured}`50 datasets`."), text("## B"), given) == ["50"]


def test_an_explorer_counts_in_its_own_section_only():
    cell = code(**{EXPLORER: {"states": {"tree": {"o": {"words": {"t": ["It is 0.987."]}}}}}})
    assert not numbers(text("## A\n\nIt says 0.987."), cell)
    assert numbers(text("## A\n\nx"), cell, text("## B\n\nIt says 0.987.")) == ["0.987"]


def test_a_picture_counts_by_what_is_written_in_it():
    plot = {"data": [{"y": [0.987], "name": "mean 0.91"}], "layout": {"meta": {"alt": "0.93"}}}
    svg = {"kind": "svg", "svg": '<svg x="0.987"><text y="0.93">0.92</text></svg>', "alt": "0.93"}
    cells = [code(**{"application/vnd.plotly.v1+json": plot}), code(**{"application/x+json": svg})]
    assert not numbers(text("Here 0.91 and 0.92."), *cells)
    assert numbers(text("Here 0.987 and 0.93."), *cells) == ["0.987", "0.93"]


def test_what_glue_keeps_is_not_shown():
    assert numbers(
        text("It is 0.987."), code(**{"application/papermill.record/text/plain": "0.987"})
    )


def test_a_caption_is_prose():
    figure = {
        "mystnb": {"figure": {"name": "fig-x", "caption": "After Fig. 4. The mean is 0.987."}}
    }
    cell = code()
    cell["metadata"] |= figure
    assert numbers(cell) == ["0.987"]


def test_the_command_lists_them(tmp_path, monkeypatch, capsys):
    notebook = {"cells": [text("The mean ends at 0.987.")]}
    monkeypatch.setattr(check_numbers.Executed, "notebook", lambda self, chapter: notebook)
    monkeypatch.setattr(check_numbers, "ROOT", tmp_path)
    assert check_numbers.main([str(Path("book/04_x.ipynb"))]) == 1
    assert "0.987" in capsys.readouterr().out
    notebook["cells"].append(code(prints="0.9871"))
    assert check_numbers.main([str(Path("book/04_x.ipynb"))]) == 0
