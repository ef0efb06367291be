"""The role that leads to an explorer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest

from nta_book.sphinx.explorers import ExplorerRole, anchor


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    (tmp_path / "book").mkdir()
    cell = nbformat.v4.new_code_cell('Explorer("Who wins?", controls=[])')
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "book" / "page.ipynb")
    depends: list[str] = []
    env = SimpleNamespace(srcdir=str(tmp_path), note_dependency=depends.append)
    reporter = SimpleNamespace(warning=lambda text, line: f"{line}: {text}")
    settings = SimpleNamespace(env=env)
    inliner = SimpleNamespace(document=SimpleNamespace(settings=settings), reporter=reporter)

    def ask(question: str) -> tuple[list[Any], list[Any], list[str]]:
        raw = f":explorer:`{question}`"
        return (*ExplorerRole()("explorer", raw, question, 7, inliner), depends)

    return ask


def test_a_question_leads_to_the_page_that_asks_it(asked: Any) -> None:
    (link,), messages, depends = asked("Who wins?")
    assert link["refuri"] == f"page.html#{anchor('Who wins?')}" == "page.html#explorer-who-wins"
    assert link.astext() == "Who wins?"
    assert messages == []
    assert [Path(name).name for name in depends] == ["page.ipynb"]


def test_a_question_nobody_asks_is_a_warning(asked: Any) -> None:
    (text,), messages, depends = asked("Who else?")
    assert text.astext() == "Who else?"
    assert messages == ["7: no explorer asks: Who else?"]
    assert depends == []
