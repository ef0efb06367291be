"""What of Python in the page needs no browser: colours, keys, order of cells, what is kept."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import PythonLexer
from pygments.token import STANDARD_TYPES

from nta_book.page.python.runner import Page
from nta_book.sphinx.captions import read_notebook
from nta_book.viz.drawing import plotly_panel
from tests.book.page.in_node import Modules
from tests.small_book import ROOT

COLOURS = Modules("python", "highlight")
KEYS = Modules("python", "typing")
ORDER = Modules("python", "plan")
KEPT = Modules("python", "answers")
FILES = Modules("python", "files")
SHOWN = Modules("python", "outputs")
WORDS = Modules("python", "words")
STORAGE = Modules("book", "storage")

# ---- colours -------------------------------------------------------------------------------------

#: Classes of Pygments that we tell apart, and what the others count as.
TOLD_APART = ("c1", "kc", "kn", "ow", "nf", "nc", "nd", "nb", "bp", "o", "p")
STRINGS = ("s", "m")  # of every kind


def book_code() -> list[str]:
    """Every code cell of every notebook of the book."""
    notebooks = sorted((ROOT / "book").glob("*.ipynb"))
    cells = [c for path in notebooks for c in read_notebook(path.read_text("utf-8")).cells]
    return [str(cell.source) for cell in cells if cell.cell_type == "code"]


def by_letter(pieces: list[tuple[str, str]]) -> list[str]:
    return [kind for kind, piece in pieces for _ in piece]


def kind_of(name: str) -> str:
    if name in TOLD_APART:
        return name
    if name.startswith("s"):
        return "s"
    if name.startswith("m"):
        return "m"
    return "k" if name in ("k", "kr", "kd") else "rest"


def pygments_pieces(code: str) -> list[tuple[str, str]]:
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    return [
        (kind_of(STANDARD_TYPES.get(kind, "")), piece) for kind, piece in lexer.get_tokens(code)
    ]


def unlike(code: str, ours: list[list[str]]) -> list[str]:
    """The letters whose colour differs from that of Pygments; inside an f-string we draw none."""
    theirs = by_letter(pygments_pieces(code))
    mine, formatted = [], []
    for kind, piece in ours:
        mine += [kind_of(kind)] * len(piece)
        formatted += [kind_of(kind) == "s" and piece[:1].lower() in "fr"] * len(piece)
    assert len(mine) == len(theirs) == len(code)
    return [
        f"{letter!r} in {code[max(0, k - 15) : k + 15]!r}: {a} is {b}"
        for k, (letter, a, b, skip) in enumerate(zip(code, mine, theirs, formatted, strict=True))
        if a != b and not skip and not letter.isspace()
    ]


def test_code_of_the_book_has_the_colours_of_pygments() -> None:
    cells = book_code()
    assert len(cells) > 300
    ours = COLOURS.evaluate("cells => cells.map(M.pieces)", cells)
    for code, pieces in zip(cells, ours, strict=True):
        assert "".join(piece for _, piece in pieces) == code
    wrong = [
        words for code, pieces in zip(cells, ours, strict=True) for words in unlike(code, pieces)
    ]
    letters = sum(len(code) for code in cells)
    assert len(wrong) <= 0.001 * letters, wrong[:20]


def test_a_wrong_colour_is_noticed() -> None:
    code = "def f(x):\n    return 'a' if x else 1  # why"
    pieces = COLOURS.evaluate("code => M.pieces(code)", code)
    assert unlike(code, pieces) == []
    for k, (kind, _) in enumerate(pieces):
        if kind:
            spoiled = [*pieces[:k], ["nb" if kind != "nb" else "k", pieces[k][1]], *pieces[k + 1 :]]
            assert unlike(code, spoiled), pieces[k]


@pytest.mark.parametrize(
    "code", ["'", '"""', "'''a\n", "f'{", "x = 0x", "@", "1.", "é = 'é'", "\\"]
)
def test_half_written_code_is_whole(code: str) -> None:
    """While one types, code is rarely Python."""
    lines = COLOURS.evaluate("code => M.linesOf(code)", code)
    assert "\n".join("".join(piece for _, piece in line) for line in lines) == code


# ---- keys ----------------------------------------------------------------------------------------


def typed(key: str, text: str) -> str:
    """Press a key in a text whose selection stands between two bars, or at one."""
    before, _, rest = text.partition("|")
    chosen, bar, after = rest.partition("|")
    if not bar:
        chosen, after = "", rest
    start, end = len(before), len(before) + len(chosen)
    asked = {"text": before + chosen + after, "start": start, "end": end}
    change = KEYS.evaluate(f"({{text, start, end}}) => M.{key}(text, start, end)", asked)
    whole = asked["text"][: change["from"]] + change["insert"] + asked["text"][change["to"] :]
    first, last = change["start"], change["end"]
    shown = whole[:first] + "|" + whole[first:]
    return shown if first == last else shown[: last + 1] + "|" + shown[last + 1 :]


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("indent", "|", "    |"),
        ("indent", "ab|c", "ab  |c"),
        ("indent", "abcd|", "abcd    |"),
        ("indent", "a|bc|d", "a   |d"),
        ("indent", "|a\nb|", "    |a\n    b|"),
        ("indent", "a\n|b\n|c", "a\n    |b\n|c"),
        ("indent", "x\n|a\n\nb|", "x\n    |a\n\n    b|"),
        ("dedent", "    a|", "a|"),
        ("dedent", "  a|", "a|"),
        ("dedent", "a|", "a|"),
        ("dedent", "  |    a\n b|", "|  a\nb|"),
        ("dedent", "\ta|", "a|"),
        ("newLine", "a|", "a\n|"),
        ("newLine", "    a|b", "    a\n    |b"),
        ("newLine", "def f():|", "def f():\n    |"),
        ("newLine", "  if x:  # why|", "  if x:  # why\n      |"),
        ("newLine", "a = {1:|2}", "a = {1:\n    |2}"),
        ("newLine", "a|bc|d", "a\n|d"),
    ],
)
def test_keys(key: str, before: str, after: str) -> None:
    assert typed(key, before) == after


# ---- the order of cells --------------------------------------------------------------------------

CELLS = {
    "load": {"code": "import math", "needs": []},
    "a": {"code": "a = 1\nprint(a)", "setup": "a = 1", "needs": ["load"]},
    "b": {"code": "b = a + 1", "needs": ["load", "a"]},
    "c": {"code": "c = b", "needs": ["load", "a", "b"]},
    "other": {"code": "d = 1", "needs": []},
}
PLAN = """({id, text, cells, typed, wanted, ran, bound}) => M.planned(
  M.textsFor(id, text, cells, new Map(typed)), new Set(wanted), cells,
  { ran: new Map(ran), bound: new Map(bound) })"""


class Notebook:
    """Cells that run for real, in the order that the page plans."""

    def __init__(self, cells: dict[str, Any] = CELLS) -> None:
        self.cells = cells
        self.typed: dict[str, str] = {}
        self.start()

    def start(self) -> None:
        """A Python of its own, as the first one or after Stop."""
        self.ran: dict[str, Any] = {}
        self.bound: dict[str, str] = {}
        self.turn = 0
        self.python = Page()

    def press(self, name: str, text: str | None = None) -> list[str]:
        cell = self.cells[name]
        texts = {need: self._needed(need) for need in cell["needs"]} | {name: text or cell["code"]}
        wants = {want for text in texts.values() for want in self.python.names(text)["wants"]}
        asked = {"id": name, "text": texts[name], "cells": self.cells, "wanted": sorted(wants)}
        held = {key: list(getattr(self, key).items()) for key in ("typed", "ran", "bound")}
        order = list(ORDER.evaluate(PLAN, asked | held))
        for need in order:
            assert self._run(need, texts[need])["ok"]
        self.typed[name] = texts[name]
        self._run(name, texts[name])
        return order

    def value(self, name: str) -> Any:
        return self.python.space[name]

    def _needed(self, name: str) -> str:
        cell = self.cells[name]
        return self.typed.get(name) or str(cell.get("setup", cell["code"]))

    def _run(self, name: str, text: str) -> dict[str, Any]:
        self.turn += 1
        told = self.python.run(text, name)
        self.bound |= dict.fromkeys(told["bound"], name)
        self.ran.pop(name, None)
        if told["ok"]:
            self.ran[name] = {"text": text, "turn": self.turn, "bound": told["bound"]}
        return told


def test_needs_run_once_and_in_order() -> None:
    page = Notebook()
    assert page.press("c") == ["load", "a", "b"]
    assert page.press("c") == []
    assert page.press("other") == []
    assert page.press("b") == []
    assert page.press("c") == [], "b was run as it was before"


def test_what_the_reader_ran_counts_and_what_depends_on_it_runs_again() -> None:
    page = Notebook()
    page.press("c")
    page.press("a", "a = 5")
    assert page.press("c") == ["b"], "b was made of the old a"
    page.typed.pop("a")  # Reset
    assert page.press("c") == ["a", "b"]
    page.start()  # Stop
    page.typed["a"] = "a = 7"
    assert page.press("c") == ["load", "a", "b"]
    assert page.ran["a"]["text"] == "a = 7"


FIRST = {
    "x": {"code": "x = 1\nfor k in range(3):\n    y = k", "needs": []},
    "f": {"code": "def f():\n    return x", "needs": ["x"]},
    "more": {"code": "x = x + 1", "needs": ["x"]},
    "last": {"code": "last = 10 * x", "needs": ["x", "more"]},
    "calls": {"code": "told = f()", "needs": ["x", "f"]},
    "own": {"code": "mine = x", "needs": ["x"]},
    "task": {"code": "answer = 1", "needs": []},
}


def test_a_name_that_another_cell_bound_is_bound_again_where_it_is_needed() -> None:
    page = Notebook(FIRST)
    page.press("own")
    page.press("task", "x = 50")
    assert page.press("own") == ["x"]
    assert page.value("mine") == 1
    page.press("task", "x = 1")  # to what it was, and yet it is another's
    page.press("task", "x = 2")
    page.press("own")
    assert page.value("mine") == 1
    page.press("task", "def g():\n    global x\n    x = 3\ng()\n1 / 0")
    assert page.press("own") == ["x"], "also by a function, also before an error"
    page.press("task", "del x")
    assert page.press("own") == ["x"]


def test_a_name_that_nobody_wants_may_be_bound_by_anybody() -> None:
    page = Notebook(FIRST)
    page.press("own")
    page.press("task", "for k in range(9):\n    y = mine = k")
    assert page.press("own") == []


def test_a_cell_that_changes_what_it_needs_does_it_once() -> None:
    page = Notebook(FIRST)
    for _ in range(2):
        page.press("more")
        assert page.value("x") == 2
    assert page.press("last") == []
    assert page.press("last") == []
    page.press("task", "x = 7")
    assert page.press("last") == ["x", "more"]
    assert page.value("last") == 20


def test_what_a_function_reads_when_it_is_called_counts() -> None:
    page = Notebook(FIRST)
    page.press("calls")
    page.press("more")
    page.press("calls")
    assert page.value("told") == 1


ALSO = """([name, id]) => {
  const needs = ["import x"];
  const cells = { "import x": { needs: [], gives: ["x"] }, first: { needs: [], gives: ["n", "m"] },
    a: { needs: ["first"], gives: ["n"] }, b: { needs }, c: { needs: [...needs, "b"] },
    below: { needs: [], gives: ["z"] } };
  return [M.needAlso(name, id, cells), M.needAlso(name, id, cells), cells.b.needs, cells.c.needs];
}"""


def test_a_name_that_a_reader_asks_for_is_given_by_the_last_cell_above() -> None:
    more = ["import x", "first", "a"]
    assert ORDER.evaluate(ALSO, ["n", "b"]) == [True, False, more, [*more, "b"]]
    for name in ("x", "z", "nobody"):  # needed already, further down, nowhere
        assert ORDER.evaluate(ALSO, [name, "b"]) == [False, False, more[:1], [*more[:1], "b"]]
    assert ORDER.evaluate(ALSO, ["m", "c"])[3] == ["import x", "first", "b"]


def test_after_any_presses_a_cell_finds_fresh_names() -> None:
    """Whatever was run before, nothing that a cell needs is older than what it was made of."""
    for names in permutations(["a", "b", "c", "other"], 3):
        page = Notebook()
        for name in (*names, names[0], "c"):
            page.press(name)
        turns = {name: page.ran[name]["turn"] for name in page.ran}
        assert turns["load"] < turns["a"] < turns["b"] < turns["c"]


# ---- what is kept --------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=2, max_size=20, unique=True))
def test_other_texts_have_other_fingerprints(texts: list[str]) -> None:
    prints = KEPT.evaluate("texts => texts.map(M.fingerprint)", texts)
    assert len(set(prints)) == len(texts)
    assert prints == KEPT.evaluate("texts => texts.map(M.fingerprint)", texts)


@pytest.mark.parametrize(
    "text", ["", "null", "3", "[]", '{"of":1}', '{"of":"a"}', "{", '{"text":"a"}']
)
def test_what_nobody_kept_is_no_answer(text: str) -> None:
    assert KEPT.evaluate("text => M.readAnswer(text)", text) is None


MEMORY = """(full) => {
  const kept = new Map([["nta-predictions", "{}"], ["nta-answer:old", "rubbish"]]);
  globalThis.localStorage = {
    get length() { return kept.size },
    key: (k) => [...kept.keys()][k] ?? null,
    getItem: (k) => kept.get(k) ?? null,
    setItem: (k, v) => { if (full) throw new Error("full"); kept.set(k, v) },
    removeItem: (k) => kept.delete(k),
    get [Symbol.toStringTag]() { return "Storage" },
  };
  const said = [M.keepAnswer("1/a", { of: "x", text: "a = 1", ran: null })];
  said.push(M.answered(), M.answerTo("1/a"), M.answerTo("1/b"));
  M.forgetAnswers();
  said.push(M.answered(), [...kept.keys()]);
  return said;
}"""


@pytest.mark.parametrize("full", [False, True])
def test_answers_are_kept_found_and_forgotten_also_where_nothing_lasts(full: bool) -> None:
    lasts, names, answer, other, after, keys = KEPT.evaluate(MEMORY, full)
    assert lasts is not full
    assert names == ["1/a"]
    assert answer == {"of": "x", "text": "a = 1", "ran": None}
    assert other is None
    assert after == []
    assert keys == ["nta-predictions", "nta-answer:old"], "others' entries are left alone"


STORED = """([taken, room]) => {
  globalThis.document = { documentElement: { dataset: {} } };
  const make = (kept) => ({
    get length() { return kept.size },
    key: (k) => [...kept.keys()][k] ?? null,
    getItem: (k) => kept.get(k) ?? null,
    setItem: (k, v) => {
      if (!kept.has(k) && kept.size >= room) throw new Error("full");
      kept.set(k, v);
    },
    removeItem: (k) => kept.delete(k),
    get [Symbol.toStringTag]() { return "Storage" },
  });
  const kept = new Map(Object.entries(taken));
  globalThis.localStorage = make(kept);
  globalThis.sessionStorage = make(new Map());
  M.mendStorage();
  const said = [];
  const tell = (name) => said.push([localStorage.getItem(name), M.storageLasts(name)]);
  localStorage.setItem("new", "1");
  tell("old");
  tell("new");
  const names = Array.from({ length: localStorage.length }, (_, k) => localStorage.key(k));
  localStorage.removeItem("old");
  tell("old");
  localStorage.setItem("later", "2");
  tell("later");
  return [said, names.sort(), Object.fromEntries(kept)];
}"""


def test_a_full_storage_shows_and_deletes_what_it_holds() -> None:
    said, names, kept = STORAGE.evaluate(STORED, [{"old": "0"}, 1])
    assert said == [["0", True], ["1", False], [None, False], ["2", True]]
    assert names == ["new", "old"]
    assert kept == {"later": "2"}, "there was room again"


def test_a_storage_that_takes_nothing_lasts_as_long_as_the_page() -> None:
    said, names, kept = STORAGE.evaluate(STORED, [{}, 0])
    assert said == [[None, False], ["1", False], [None, False], ["2", False]]
    assert (names, kept) == (["new"], {})


# ---- loading, drawing, breaking down -------------------------------------------------------------


def test_progress_counts_bytes_and_names_what_is_missing() -> None:
    files = [
        {"name": "a.wasm", "bytes": 100, "what": "Python"},
        {"name": "b.zip", "bytes": 50, "what": "numpy"},
        {"name": "c.zip", "bytes": 50, "what": "numpy"},
    ]
    ask = "([files, loaded]) => M.progressOf(files, new Map(loaded))"
    start = FILES.evaluate(ask, [files, []])
    assert start == {"done": 0, "total": 200, "what": "Python, numpy"}
    half = FILES.evaluate(ask, [files, [["a.wasm", 100], ["b.zip", 10]]])
    assert half == {"done": 110, "total": 200, "what": "numpy"}
    end = FILES.evaluate(ask, [files, [["a.wasm", 100], ["b.zip", 50], ["c.zip", 70]]])
    assert end == {"done": 200, "total": 200, "what": ""}


def test_a_chart_becomes_the_panel_that_the_build_makes() -> None:
    chart = {
        "data": [{"type": "scatter", "y": [1, 4, 9]}],
        "layout": {"height": 300, "template": {"layout": {}}, "meta": {"alt": "A rising line."}},
    }
    ours = SHOWN.evaluate("b => M.panelOf(b)", {"application/vnd.plotly.v1+json": chart})
    assert ours == plotly_panel(chart)
    assert SHOWN.evaluate("b => M.panelOf(b)", {"text/plain": "1"}) is None
    drawing = {"alt": "A dot.", "svg": "<svg/>"}
    panel = SHOWN.evaluate("b => M.panelOf(b)", {"application/vnd.nta.drawing+json": drawing})
    assert panel == {"kind": "svg", **drawing}


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("RangeError: Array buffer allocation failed", "out of memory"),
        ("RuntimeError: abort(OOM): cannot enlarge memory", "out of memory"),
        ("RangeError: WebAssembly.Memory.grow(): Maximum memory size exceeded", "out of memory"),
        ("InternalError: too much recursion", "too deeply"),
        ("RangeError: Maximum call stack size exceeded", "too deeply"),
        ("RuntimeError: unreachable", "broke down"),
        ("PythonError: Traceback\n  File x\nTypeError: no dumps\n", "ended (TypeError: no dumps)"),
    ],
)
def test_how_python_ended_is_said_in_words(broken: str, said: str) -> None:
    assert said in WORDS.evaluate("broken => M.wordsOn(broken)", broken)


@pytest.mark.parametrize(
    ("broken", "on_disk", "said"),
    [
        ("SecurityError: refused", True, "make serve, or any static server"),
        ("SecurityError: refused", False, "Firefox, Chrome, Edge and Safari"),
        (
            "PythonError: Traceback\n  File x\nImportError: no scipy\n",
            False,
            "(ImportError: no scipy)",
        ),
        ("CompileError: WebAssembly: could not allocate memory", False, "too little memory"),
        ("RangeError: Array buffer allocation failed", True, "too little memory"),
    ],
)
def test_why_python_does_not_start_is_said_in_words(broken: str, on_disk: bool, said: str) -> None:
    words = WORDS.evaluate(
        "([broken, onDisk]) => M.wordsOnStart(broken, onDisk)", [broken, on_disk]
    )
    assert said in words
    assert "Traceback" not in words
