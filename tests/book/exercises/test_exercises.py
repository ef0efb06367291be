"""The machinery of the exercises: wrong answers never raise, and verdicts hide nothing."""

import linecache

import pytest

from nta_book.errors import MissingResult
from nta_book.exercises import Verdict, checker, close
from nta_core import MissingPackage


def test_a_verdict_reads_well_and_escapes_what_a_reader_typed():
    ok, hint = Verdict(True, "yes"), Verdict(False, "no <script>")
    assert repr(ok) == "ok: yes"
    assert repr(hint) == "hint: no <script>"
    assert ok
    assert not hint
    assert "<script>" not in hint._repr_html_()
    assert "nta-verdict-ok" in ok._repr_html_()
    assert "nta-verdict-hint" in hint._repr_html_()


def test_the_first_hint_counts_and_nothing_runs_after_it():
    @checker
    def positive(answer):
        if answer is None:
            yield "give a number"
        if answer < 0:
            yield f"{answer} is too small"
        return "positive"

    assert repr(positive(None)) == "hint: give a number"
    assert repr(positive(-1)) == "hint: -1 is too small"
    assert repr(positive(1)) == "ok: positive"


def test_an_answer_that_raises_becomes_a_hint_that_names_the_error():
    @checker
    def calls(answer):
        answer()
        yield from ()
        return "called"

    def typo():
        return undefined_name  # noqa: F821

    assert calls(lambda: 0)
    verdict = calls(typo)
    assert not verdict
    assert "NameError" in verdict.message
    assert "undefined_name" in verdict.message
    # Python turns this one into a RuntimeError on its way out of a generator
    assert (
        calls(lambda: next(iter([]))).message == "checking your answer stopped with StopIteration: "
    )


@pytest.mark.parametrize("name", ["<cell a>", "/any/ipykernel_1/23.py"])
def test_the_line_of_the_answer_that_raises_is_named(name):
    """In a page and in Jupyter; what the checker itself calls is no line of the reader's."""

    @checker
    def calls(answer):
        close(answer(), [1.0])
        yield from ()
        return "called"

    code = (
        "def typo():\n    return undefined_name\n"
        "def deep():\n    return deep()\n"
        "def text():\n    return 'x'\n"
    )
    given = {}
    exec(compile(code, name, "exec"), given)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    assert calls(given["typo"]).message.endswith("(line 2: return undefined_name)")
    deep = calls(given["deep"]).message
    assert "(line 4: return deep())" in deep
    assert deep.endswith("what stops it?")
    assert "line" not in calls(given["text"]).message


@pytest.mark.parametrize(
    "fault",
    [
        ImportError("cannot import name 'qr' from 'scipy.linalg'"),
        ModuleNotFoundError("No module named 'torch'", name="torch"),
        MissingPackage("cvxpy", wanted_for="graph_svm_reference", extra="reference"),
        MissingResult("no stored result 'x'"),
        MemoryError(),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_broken_installation_is_no_hint(fault):
    """Planted: were it a hint, right answers and wrong ones would look alike, and both wrong."""

    @checker
    def asks(answer):
        if answer() != 1:
            yield "not one"
        return "one"

    @checker
    def compares(answer):
        if not close(answer, [1.0]):
            yield "not one"
        return "one"

    class Broken:
        def __array__(self, *_, **__):
            raise fault

    def answer():
        raise fault

    for ask, given in ((asks, answer), (compares, Broken())):
        with pytest.raises(type(fault)) as raised:
            ask(given)
        assert raised.value is fault


def test_close_compares_shapes_and_numbers():
    assert close([1, 2], [1, 2.0005])
    assert not close([1, 2], [1, 2.5])
    assert not close([1, 2], [[1, 2]])
    assert not close(1.0, 1.1, tolerance=0.05)
