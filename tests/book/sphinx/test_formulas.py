"""Formulas are set when the book is built; what MathJax refuses is named."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nta_book.sphinx import formulas

PAGE = """<html><head><title>A page</title></head><body>
<p>Inline <span class="math notranslate nohighlight">\\(a &lt; W_{12}\\)</span> and again
<span class="math notranslate nohighlight">\\(a &lt; W_{12}\\)</span>.</p>
<div class="math notranslate nohighlight" id="equation-one">
<span class="eqno">(1)<a class="headerlink" href="#equation-one">#</a></span>\\[\\sum_i x_i\\]</div>
<div class="amsmath math notranslate nohighlight">\\begin{equation}y = 1\\end{equation}</div>
<pre>\\(not a formula\\)</pre>
</body></html>"""


def book(folder: Path, **pages: str) -> Any:
    for name, text in pages.items():
        path = folder / f"{name.replace('__', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return SimpleNamespace(outdir=str(folder), builder=SimpleNamespace(format="html"))


def mathml(page: str) -> list[str]:
    """What those who cannot see a formula are told."""
    return [re.sub(r"\s|<[^>]*>", "", text) for text in re.findall(r"<math.*?</math>", page)]


def test_every_formula_is_set_and_keeps_its_place(tmp_path: Path) -> None:
    app = book(tmp_path, book__one=PAGE, plain="<html><head></head><body>no maths</body></html>")
    formulas.typeset_pages(app, None)
    page = (tmp_path / "book/one.html").read_text(encoding="utf-8")
    assert mathml(page) == ["a&lt;W12", "a&lt;W12", "∑ixi", "y=1"]
    assert page.count('<mjx-container class="MathJax" jax="CHTML" display="true"') == 2
    assert page.index('href="#equation-one"') < page.index("∑")
    assert "<pre>\\(not a formula\\)</pre>" in page
    assert "\\[" not in page
    assert "<style" not in (tmp_path / "plain.html").read_text(encoding="utf-8")


def test_the_style_has_the_letters_of_its_page_and_finds_the_fonts(tmp_path: Path) -> None:
    one = '<head></head><span class="math notranslate nohighlight">\\(x\\)</span>'
    app = book(tmp_path, top=one, book__api__deep=one.replace("x", "y"))
    formulas.typeset_pages(app, None)
    top, deep = (
        (tmp_path / name).read_text(encoding="utf-8") for name in ("top.html", "book/api/deep.html")
    )
    assert 'url("_static/mathjax/MathJax_Math-Italic.woff")' in top
    assert 'url("../../_static/mathjax/MathJax_Math-Italic.woff")' in deep
    assert ("c1D465" in top, "c1D466" in top) == (True, False)
    assert ("c1D465" in deep, "c1D466" in deep) == (False, True)


def test_all_fonts_that_a_style_names_are_copied(tmp_path: Path) -> None:
    formulas.write(tmp_path)
    (page,) = formulas.typeset([[("x", False)]])
    named = set(re.findall(r'url\("mathjax/([^"]*)"\)', page.style))
    assert named
    assert named <= {path.name for path in (tmp_path / "mathjax").iterdir()}


@pytest.mark.parametrize(
    ("tex", "told"),
    [("\\nosuch", "Undefined control sequence"), ("{a", "missing close brace")],
)
def test_what_mathjax_refuses_is_a_warning_with_its_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, tex: str, told: str
) -> None:
    app = book(tmp_path, book__one=PAGE.replace("W_{12}", tex))
    with caplog.at_level(logging.WARNING):
        logging.getLogger("sphinx").propagate = True
        formulas.typeset_pages(app, None)
    assert sum(told in record.getMessage() for record in caplog.records) == 2
    assert "book/one" in str(vars(caplog.records[0]))


def test_a_failed_build_sets_nothing(tmp_path: Path) -> None:
    app = book(tmp_path, one=PAGE)
    formulas.typeset_pages(app, RuntimeError("the build failed"))
    assert (tmp_path / "one.html").read_text(encoding="utf-8") == PAGE
