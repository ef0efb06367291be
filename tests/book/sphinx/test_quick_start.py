"""Scripts of others that start sooner: their form is still known, and strange ones stay."""

from __future__ import annotations

from pathlib import Path

import pydata_sphinx_theme
import pytest

from nta_book.sphinx import quick_start
from nta_book.sphinx.assets import plotly_script

THEME = Path(pydata_sphinx_theme.__file__).parent / (
    "theme/pydata_sphinx_theme/static/scripts/pydata-sphinx-theme.js"
)
ASKED = ("arguments.callee,", "null.error", 'Object.assign(e,"xy")')


def test_the_installed_plotly_is_unwrapped_and_asks_no_question_by_an_error() -> None:
    """In `tests/browser` it draws, and throws nothing while it starts."""
    script = plotly_script()
    quick = quick_start.plotly(script)
    assert quick.startswith("//# allFunctionsCalledOnLoad\n/**")
    for words in ("root, factory", *ASKED):
        assert words in script
        assert words not in quick
    assert 0 < len(script) - len(quick) < 1500


def test_the_installed_theme_asks_before_it_changes() -> None:
    script = THEME.read_text(encoding="utf-8")
    quick = quick_start.theme(script)
    assert quick.count("const wide=") == 1
    assert quick_start.theme(quick) == quick


@pytest.mark.parametrize("script", ["(function() { var Plotly = 1; })();", "", "try{null.other}"])
def test_a_script_of_another_form_stays_as_it_is(script: str) -> None:
    assert quick_start.plotly(script) == script
    assert quick_start.theme(script) == script
