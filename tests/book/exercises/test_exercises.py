"""The machinery of the exercises: verdicts never raise, and hide nothing."""

from nta_book.exercises import checker, close, hint, ok


def test_a_verdict_reads_well_and_escapes_what_a_reader_typed():
    assert repr(ok("yes")) == "ok: yes"
    assert repr(hint("no")) == "hint: no"
    assert ok("yes")
    assert not hint("no")
    assert "<script>" not in hint("<script>")._repr_html_()
    assert "nta-verdict-ok" in ok("yes")._repr_html_()
    assert "nta-verdict-hint" in hint("no")._repr_html_()


def test_an_answer_that_raises_becomes_a_hint_that_names_the_error():
    @checker
    def calls(answer):
        answer()
        return ok("called")

    def typo():
        return undefined_name  # noqa: F821

    assert calls(lambda: 0)
    verdict = calls(typo)
    assert not verdict
    assert "NameError" in verdict.message
    assert "undefined_name" in verdict.message


def test_close_compares_shapes_and_numbers():
    assert close([1, 2], [1, 2.0005])
    assert not close([1, 2], [1, 2.5])
    assert not close([1, 2], [[1, 2]])
    assert not close(1.0, 1.1, tolerance=0.05)
