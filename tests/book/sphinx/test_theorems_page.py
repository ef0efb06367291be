"""All theorems on one page: what a statement must have, and evidence that exists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nta_book.sphinx import theorems
from nta_book.sphinx.evidence import Evidence, read_all
from nta_book.sphinx.theorems import TheoremError, statements, written

ROOT = Path(__file__).parents[3]
GOOD = """Words before.

:::{prf:theorem} The path (Theorem 4 of {cite}`li2024mechanics`)
:label: thm-4

Let the data be acyclic.
Then

$$ x = 1 . $$ (eq-04-x)

{proved}`Theorem 4` {checked}`fig-x, ledger theorem-4`
:::

Words after. {open}`no badge of the theorem`
"""


def chapter(folder: Path, text: str, name: str = "04_strict_order") -> Path:
    path = folder / f"{name}.ipynb"
    cells = [
        {"cell_type": "markdown", "source": [text], "metadata": {}, "id": "text"},
        {
            "cell_type": "code",
            "source": ["#| name: fig-x\n", "#| caption: >\n", "#|   A picture.\n", "x"],
            "metadata": {},
            "id": "picture",
        },
    ]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


def test_a_statement_comes_word_for_word(tmp_path: Path) -> None:
    (found,) = statements(chapter(tmp_path, GOOD))
    assert (found.label, found.kind, found.author) == ("thm-4", "theorem", "li2024mechanics")
    assert found.text.startswith("Let the data be acyclic.\nThen\n\n$$ x = 1 . $$")
    assert "eq-04-x" not in found.text, "an equation has one label, and the chapter has it"
    assert "{checked}`04_strict_order: fig-x, ledger theorem-4`" in found.text
    assert found.badges == ["proved"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("{proved}`Theorem 4` ", "", "has no badge"),
        ("{checked}`fig-x, ledger theorem-4`", "", "what checks it"),
        ("{checked}`fig-x, ledger theorem-4`", "{checked}` `", "what checks it"),
        (":label: thm-4\n", "", "has no label"),
        ("acyclic", "{glue:text}`x`", "glued"),
    ],
)
def test_a_planted_fault_is_refused(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in GOOD
    with pytest.raises(TheoremError, match=fault):
        list(statements(chapter(tmp_path, GOOD.replace(old, new))))


def test_definitions_are_no_theorems(tmp_path: Path) -> None:
    assert not list(statements(chapter(tmp_path, GOOD.replace("prf:theorem", "prf:definition"))))


def test_the_page_keeps_theirs_and_ours_apart(tmp_path: Path) -> None:
    ours = GOOD.replace(" (Theorem 4 of {cite}`li2024mechanics`)", ", repaired")
    ours = ours.replace("thm-4", "thm-x").replace("{proved}", "{open}")
    found = [*statements(chapter(tmp_path, GOOD)), *statements(chapter(tmp_path, ours))]
    page = written(found)
    assert "2 statements; badges: 1 proved, 1 open." in page
    assert page.index("## Theirs: Mechanics") < page.index("`thm-4`") < page.index("## Ours")
    assert page.index("## Ours") < page.index("`thm-x`")


def test_an_author_whom_nobody_knows_is_refused(tmp_path: Path) -> None:
    strange = GOOD.replace("li2024mechanics", "nobody2030")
    with pytest.raises(TheoremError, match="nobody2030"):
        written(list(statements(chapter(tmp_path, strange))))


# ---- evidence ------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    chapter(tmp_path / "book", GOOD)
    lines = {"entries": [{"key": "theorem-4", "paper": "mechanics", "figure": "Theorem 4"}]}
    (tmp_path / "book" / "ledger.json").write_text(json.dumps(lines), encoding="utf-8")
    (tmp_path / "test_a.py").write_text("def test_b():\n    assert True\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("fig-x", ""),
        ("picture", ""),
        ("04_strict_order: fig-x", ""),
        ("ledger theorem-4", ""),
        ("test_a.py::test_b", ""),
        ("fig-y", "no cell fig-y"),
        ("text", "no cell text"),
        ("05_which_w: fig-x", "no cell fig-x"),
        ("ledger theorem-5", "no line theorem-5"),
        ("test_a.py::test_c", "no test test_c"),
        ("test_z.py::test_b", "no file test_z.py"),
    ],
)
def test_evidence_that_is_gone_is_named(root: Path, text: str, fault: str) -> None:
    found = Evidence.read(text, page="04_strict_order").fault(root)
    assert fault in found
    assert bool(fault) == bool(found)


def test_evidence_is_written_as_it_is_read() -> None:
    text = "04_strict_order: fig-x, ledger theorem-4, tests/a.py::test_b"
    assert ", ".join(map(str, read_all(text))) == text


@pytest.mark.parametrize("path", sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb")), ids=str)
def test_statements_of_the_book_have_all_they_need(path: Path) -> None:
    for statement in statements(path):
        checked = theorems._CHECKED.search(statement.text)
        assert checked is not None
        faults = [e.fault(ROOT) for e in read_all(checked[1])]
        assert not any(faults), f"{statement.label}: {[f for f in faults if f]}"
