"""The machinery of the exercises: verdicts never raise, and hide nothing."""

from nta_book.exercises import Verdict, checker, close


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


def test_close_compares_shapes_and_numbers():
    assert close([1, 2], [1, 2.0005])
    assert not close([1, 2], [1, 2.5])
    assert not close([1, 2], [[1, 2]])
    assert not close(1.0, 1.1, tolerance=0.05)
