"""The cells that are needed run by themselves, and no others are brought along."""

import json
from pathlib import Path

import pytest

from nta_book.slicing import names_of, needed_cells

BOOK = Path(__file__).parents[2] / "book"


@pytest.mark.parametrize(
    ("code", "given", "changed", "wanted"),
    [
        ("x = y", "x", "", "y"),
        ("x = x + 1", "x", "", "x"),
        ("x += 1", "", "x", "x"),
        ("a, (b, *c) = d", "a b c", "", "d"),
        ("import numpy as np, os.path", "np os", "", ""),
        ("for i in rows:\n    total = i", "", "i total", "rows"),
        ("for i in rows:\n    print(i, j)", "", "i", "j rows"),
        ("for i in (c for b in a for c in b):\n    print(i)", "", "i", "a"),
        ("while any(f(c) for c in rows):\n    pass", "", "", "f rows"),
        ("with open(f) as g:\n    x = g", "x", "g", "f"),
        ("try:\n    f()\nexcept E as e:\n    x = e", "", "e x", "E f"),
        ("[i for i in rows if i < k]", "", "", "k rows"),
        ("def f(a, b=c):\n    return a + g + h\ng = 1", "f g", "", "c h"),
        ("class A(B):\n    x = y", "A", "", "B y"),
        ("rows.append(1)", "", "rows", "rows"),
        ("W[0, k] = 1", "", "W", "W k"),
        ("a.b.c = d", "", "a", "a d"),
        ("f'{x:.2f} {len(y)}'", "", "", "x y"),
        ("lambda t: t + u", "", "", "u"),
    ],
)
def test_names_of_a_cell(code, given, changed, wanted):
    names = names_of(code)
    assert (names.given, names.changed, names.wanted) == (
        set(given.split()),
        set(changed.split()),
        set(wanted.split()),
    )


def test_what_is_bound_in_a_branch_is_bound():
    names = names_of("if a:\n    b = 1\nimport c\nd.append(e)\nfor f in a:\n    pass")
    assert names.bound == {"b", "c", "f"}


@pytest.mark.parametrize(
    ("earlier", "code", "places"),
    [
        (["x = 1", "x = 2"], "x", [1]),
        (["x = []", "x.append(1)"], "x", [0, 1]),
        (["x = 0", "if y:\n    x = 1", "y = 2"], "x", [0, 1]),
        (["import a", "def f():\n    return a.b", "g = 1"], "f()", [0, 1]),
        (
            ["k = 1", "def f():\n    return k", "k = 2"],
            "f()",
            [0, 1, 2],
        ),  # f may have run in between
    ],
)
def test_what_changes_a_name_is_needed(earlier, code, places):
    assert needed_cells(earlier, code)[0] == places


def test_a_name_that_nobody_gives_is_named():
    assert needed_cells(["x = 1"], "x + nobody")[1] == {"nobody"}


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("0[1-8]_*.ipynb")), ids=lambda p: p.stem)
def test_every_cell_of_a_chapter_has_its_names_from_the_cells_it_needs(chapter):
    cells = [c for c in json.loads(chapter.read_text())["cells"] if c["cell_type"] == "code"]
    codes = ["".join(cell["source"]) for cell in cells]
    for place, code in enumerate(codes):
        missing = needed_cells(codes[:place], code)[1] - {"_"}
        assert not missing, f"{cells[place]['id']}: {sorted(missing)}"
