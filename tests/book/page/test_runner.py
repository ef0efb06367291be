"""What the page's Python says of a cell: outputs as a notebook shows them, errors in the reader's
own lines.  What differs in the Python of the pages is asked there (``tests/book/runtime``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from IPython.lib.pretty import pretty

from nta_book.page.python import runner
from nta_book.page.python.runner import Page

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
def run(page: Page) -> Run:
    def one(code: str, cell: str = "a") -> dict[str, Any]:
        return json.loads(json.dumps(page.run(code, cell), default=str))

    return one


def error(run: Run, code: str, cell: str = "a") -> dict[str, Any]:
    told = run(code, cell)
    assert not told["ok"]
    return told["error"]


# ---- values --------------------------------------------------------------------------------------


def test_the_last_value_is_shown_and_kept(run: Run) -> None:
    assert run("x = 3\nx + 1")["outputs"] == [{"text/plain": "4"}]
    assert run("_ * 2")["outputs"] == [{"text/plain": "8"}]
    assert run("y = 1") == {"ok": True, "outputs": [], "notes": [], "bound": ["y"]}
    assert run("_")["outputs"] == [{"text/plain": "8"}]
    assert run("None")["outputs"] == []
    assert run("assert _ == 8")["ok"]


@pytest.mark.parametrize("code", ["5;", "5 ; # quiet", "5;  "])
def test_a_semicolon_hides_it(run: Run, code: str) -> None:
    assert run(code)["outputs"] == []


def test_a_semicolon_in_a_text_hides_nothing(run: Run) -> None:
    assert run("'a;'  # b;")["outputs"] == [{"text/plain": "'a;'"}]


def test_lines_break_as_in_a_notebook(run: Run) -> None:
    value = {f"name {k}": list(range(12)) for k in range(6)}
    assert run(repr(value))["outputs"][0]["text/plain"] == pretty(value)


def test_drawings_verdicts_and_tables_have_their_forms(run: Run) -> None:
    shown = run("from nta_book import viz\nfrom nta_core import FIG3\nviz.sequences(FIG3)")
    (drawing,) = shown["outputs"]
    assert drawing["application/vnd.nta.drawing+json"]["kind"] == "svg"
    assert "text/html" not in drawing
    (verdict,) = run("from nta_book.exercises import Verdict\nVerdict(True, 'a < b')")["outputs"]
    assert "nta-verdict-ok" in verdict["text/html"]
    assert verdict["text/plain"] == "ok: a < b"
    panels = run("viz.Panels([viz.sequences(FIG3), viz.sequences(FIG3)])")["outputs"]
    assert panels[0]["application/vnd.nta.drawing+json"]["kind"] == "panels"


def test_an_explorer_is_not_computed_again(run: Run) -> None:
    told = run(
        "from nta_book.explore import Explorer, Slider\n"
        "from nta_book.viz import Drawing\n"
        "drawn = []\n"
        "def render(state):\n"
        "    drawn.append(state.n)\n"
        "    return Drawing('<svg></svg>', alt='Nothing.')\n"
        "Explorer('How many?', controls=[Slider('n', range(9))], render=render,\n"
        "         words=lambda state: 'None.', alt='Nothing.')"
    )
    assert told["outputs"] == [{"text/plain": runner.EXPLORER}]
    assert run("len(drawn)")["outputs"] == [{"text/plain": "1"}]  # the start, to see that it works


def test_numbers_that_json_does_not_have_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_PAGE", Page())
    text = runner.run(
        "class Chart:\n"
        "    def _repr_mimebundle_(self, **_):\n"
        "        nan = float('nan')\n"
        "        return {'application/vnd.plotly.v1+json': {'y': [1.5, nan, (float('inf'),)]}}\n"
        "Chart()",
        "a",
    )

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    (shown,) = json.loads(text, parse_constant=refuse)["outputs"]
    assert shown["application/vnd.plotly.v1+json"] == {"y": [1.5, None, [None]]}


def test_display_shows_in_order(run: Run) -> None:
    shown = run("for k in range(3):\n    display(k)\n'last'")["outputs"]
    assert [one["text/plain"] for one in shown] == ["0", "1", "2", "'last'"]


def test_what_was_shown_before_an_error_stays(run: Run) -> None:
    told = run("display(1)\n1 / 0")
    assert not told["ok"]
    assert told["outputs"] == [{"text/plain": "1"}]


def test_too_much_is_cut_with_a_sentence(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = run("'x' * 300_000")["outputs"]
    assert text["text/plain"].endswith("200,002 more characters are not shown.")
    told = run("for k in range(150): display(k)")
    assert len(told["outputs"]) == 100
    assert told["notes"] == ["50 more outputs are not shown."]
    assert run("while_printed = [print('y' * 999) for _ in range(500)]; print('end')")["ok"]
    printed = capsys.readouterr().out
    assert len(printed) < 201_000
    assert printed.endswith("characters is not shown.\n")
    (table,) = run("class Table:\n    def _repr_html_(self): return '<td>' * 2_000_000\nTable()")[
        "outputs"
    ]
    assert table["text/html"] == "<p>A table of 8,000,000 characters is not shown.</p>"


def test_cells_share_names_and_a_page_can_forget(run: Run, page: Page) -> None:
    run("from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int", "a")
    assert run("import pickle; pickle.loads(pickle.dumps(Point(3))).x", "b")["outputs"]
    assert sys.modules["__main__"] is not page.module
    assert "NameError" in error(lambda *a: Page().run(*a), "Point")["text"]


# ---- errors --------------------------------------------------------------------------------------


def test_a_syntax_error_shows_its_line(run: Run) -> None:
    told = error(run, "x = 1\nfor k in range(3)\n    pass")
    assert (told["kind"], told["line"], told["message"]) == ("SyntaxError", 2, "expected ':'")
    assert told["text"] == (
        "your cell, line 2\n    for k in range(3)\n                     ^\n"
        "SyntaxError: expected ':'"
    )
    assert "belong to Jupyter" in error(run, "%timeit 1")["text"]


def test_an_error_shows_the_readers_lines_only(run: Run) -> None:
    run("def halve(x):\n    return 1 / x", "first")
    told = error(run, "y = 2\nhalve(0)", "second")
    assert told["line"] == 2
    assert told["text"] == (
        "your cell, line 2\n    halve(0)\na cell above, line 2, in halve\n    return 1 / x\n"
        "ZeroDivisionError: division by zero"
    )


@pytest.mark.parametrize(("code", "kind"), [("1 / 0", "ZeroDivisionError"), ("x =", "SyntaxError")])
def test_a_cell_that_another_needs_is_not_called_the_readers(
    page: Page, code: str, kind: str
) -> None:
    told = page.run(code, "above", is_needed=True)["error"]
    assert told["kind"] == kind
    assert told["text"].startswith(f"a cell above, line 1\n    {code}\n")


@pytest.mark.parametrize(
    ("code", "wants", "lacks"),
    [
        ("def f(): return a + b\nc = 1", "a b", "b"),
        ("b = 2\nb + a + print(c)", "a c", "c"),
        ("d = 1\ndef f(): return d", "d", ""),  # what it reads when it is called
        ("try:\n    e\nexcept NameError:\n    e = 1", "NameError e", "e"),
        ("b = = 2", "", ""),
        ("b\0", "", ""),
    ],
)
def test_what_code_lacks_is_told_before_it_runs(
    page: Page, run: Run, code: str, wants: str, lacks: str
) -> None:
    run("a = 1")
    told = page.names(code)
    assert set(told["wants"]) | {"NameError"} == set(wants.split()) | {"NameError"}
    assert told["lacks"] == lacks.split()


@pytest.mark.parametrize(
    ("code", "bound"),
    [
        ("b = a\nprint(b)\nb", "b"),
        ("a = a", "a"),  # as it was, and yet it is this cell's
        ("def f():\n    global g\n    g = 2\nf()", "f g"),
        ("exec('h = 3')", "h"),
        ("rows.append(4)", ""),
        ("del a", "a"),
        ("c = 1\n1 / 0", "c"),
        ("for k in []: d = 1", "d k"),
        ("b = = 2", ""),
    ],
)
def test_the_names_that_a_cell_bound_are_told(run: Run, code: str, bound: str) -> None:
    run("a, rows = 1, []")
    assert run(code, "b")["bound"] == bound.split()


def test_an_error_of_ours_is_said_without_our_insides(run: Run) -> None:
    told = error(run, "from nta_core import Dataset\n\nDataset([[0, 1]], [5], K=2)")
    assert (told["kind"], told["line"]) == ("UnknownToken", 3)
    own, _, said = told["text"].partition("UnknownToken: ")
    assert own == "your cell, line 3\n    Dataset([[0, 1]], [5], K=2)\n"
    assert said == told["message"]


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("def f(): return f()\nf()", "RecursionError", "what stops it?"),
        ("raise MemoryError", "MemoryError", "no more memory"),
        ("import sys\nsys.exit(3)", "SystemExit", "cannot end the page's Python"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "was stopped"),
        ("import torch_of_nobody", "ModuleNotFoundError", "JupyterLab or on Binder"),
        ("raise ExceptionGroup('two', [ValueError(1), TypeError(2)])", "ExceptionGroup", "two"),
        (
            "class Odd(Exception):\n  def __str__(self): 1 / 0\nraise Odd",
            "Odd",
            "ZeroDivisionError",
        ),
    ],
)
def test_errors_of_every_kind_are_answers(run: Run, code: str, kind: str, words: str) -> None:
    told = error(run, code)
    assert told["kind"] == kind
    assert words in told["text"]
    assert len(told["text"]) < 3000
    assert run("1")["outputs"] == [{"text/plain": "1"}]


def test_a_repr_that_fails_is_an_error_of_the_cell(run: Run) -> None:
    told = error(run, "class Bad:\n    def __repr__(self): return 1 / 0\nBad()")
    assert told["kind"] == "ZeroDivisionError"


def test_a_name_that_needs_an_absent_package_hides_no_other(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    for name in ("trial", "network"):
        monkeypatch.delitem(sys.modules, f"nta_beyond.openlab.{name}", raising=False)
    told = run("from nta_beyond.openlab import PARTS, train_variant as train\nlen(PARTS)")
    assert told["ok"]
    assert told["outputs"] == [{"text/plain": "8"}]
    assert told["notes"][0].startswith("train_variant: torch is not here.")
    used = error(run, "train(3)")
    assert (used["kind"], used["missing"], used["line"]) == ("MissingPackage", "torch", 1)
    assert "pip" not in used["text"], "a page has none"
    assert "train" in run("train")["outputs"][0]["text/plain"]


@pytest.mark.parametrize(
    ("said", "missing", "advice"),
    [
        ("OSError(138, 'emscripten does not support processes.')", "processes", "another program"),
        ('RuntimeError("can\'t start new thread")', "processes", "another program or thread"),
        ("ValueError('array is too big; `arr.size` …')", None, "take something smaller"),
        ("ValueError('too many values to unpack')", None, "unpack"),
        ("OSError('no such file')", None, "no such file"),
    ],
)
def test_what_a_browser_cannot_do_is_said(
    run: Run, said: str, missing: str | None, advice: str
) -> None:
    told = error(run, f"raise {said}")
    assert told["missing"] == missing
    assert advice in told["text"].splitlines()[-1]


# ---- the place of a notebook ---------------------------------------------------------------------

_INSTALLED = """
import json
from nta_book.page.python import runner
runner.install()
cells = [
    "from myst_nb import glue\\nglue('n', 3)",
    "from IPython.display import HTML, display\\ndisplay(HTML('<b>x</b>'))",
    "input('name?')",
    "import numpy as np\\nnp.arange(2, dtype=np.int64)",
    "import warnings\\ndef old():\\n    warnings.warn('Odd.')",
    "old()",
    "warnings.warn_explicit('Deep.', UserWarning, '/lib/ours.py', 3)",
    "mine = 1",
]
told = [json.loads(runner.run(code, f"cell {k}")) for k, code in enumerate(cells)]
runner.reset()
told.append(json.loads(runner.run("mine", "a")))
print(json.dumps(told))
"""


def test_what_a_notebook_has_is_there() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INSTALLED], capture_output=True, text=True, check=True
    )
    glued, html, asked, array, *_, forgotten = json.loads(done.stdout)
    assert done.stderr.splitlines() == [
        "a cell above, line 3: UserWarning: Odd.",
        "UserWarning: Deep.",
    ]
    assert glued == {"ok": True, "outputs": [], "notes": [], "bound": ["glue"]}
    assert html["outputs"][0]["text/html"] == "<b>x</b>"
    assert "cannot ask" in asked["error"]["text"]
    assert array["outputs"] == [{"text/plain": "array([0, 1])"}]
    assert forgotten["error"]["kind"] == "NameError"
