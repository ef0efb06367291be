"""Two pages printed into one PDF by the real browser: words, pictures, numbers, links."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pypdfium2
import pytest
from plotly.offline import get_plotlyjs
from pypdf import PdfReader

from nta_book.sphinx.assets import copy_page
from tests.browser.test_print import PAGE, blank_figures
from tools import make_pdf
from tools.install_browser import find_browser

SECTION = (
    '<section id="a-section"><h2>A section<a class="headerlink">#</a></h2><p>It ends here.</p>'
    '<div class="exercise admonition"><p>Try it.</p></div>'
    '<div class="solution admonition"><p>Thus.</p></div>'
    '<div class="cell"><div class="cell_input"><pre>answer = 42</pre></div></div></section>'
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    html = tmp_path / "_build" / "html"
    copy_page(html / "book")
    (html / "book" / "plotly.min.js").write_text(get_plotlyjs(), encoding="utf-8")
    toc = "format: jb-book\nroot: book/index\nchapters:\n- file: book/one\n"
    (tmp_path / "_toc.yml").write_text(toc)
    (tmp_path / "_config.yml").write_text("title: A small book\n")
    first = f'<p>Read <a href="one.html#a-section">the section</a>.</p>{make_pdf.PLACE}'
    for name, more in (("index", first), ("one", SECTION)):
        page = PAGE.replace("</article>", f"{more}</article>").replace("Paper", f"Page {name}")
        (html / "book" / f"{name}.html").write_text(page, encoding="utf-8")
    return tmp_path


def printed(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: this one may hold a browser already."""
    command = [sys.executable, "-m", "tools.make_pdf", "--root", str(root), *options]
    here = Path(make_pdf.__file__).parents[1]
    return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)


def pages_of(path: Path, first: int, end: int) -> pypdfium2.PdfDocument:
    """Return some pages of a file as a file."""
    some = pypdfium2.PdfDocument.new()
    some.import_pages(pypdfium2.PdfDocument(path), list(range(first, end)))
    return some


def test_a_book_of_two_pages(book: Path) -> None:
    assert find_browser(), "no Chromium: python -m tools.install_browser"
    done = printed(book)
    assert done.returncode == 0, done.stderr
    path = book / "_build" / "html" / make_pdf.NAME
    reader = PdfReader(path)
    texts = [" ".join(sheet.extract_text().split()) for sheet in reader.pages]
    assert "A small book" in texts[0]
    start, other = (next(k for k, t in enumerate(texts) if f"Page {n} Words" in t)
                    for n in ("index", "one"))  # fmt: skip
    assert f"Page index {start + 1} Page one {other + 1}" in texts[1]  # the contents
    assert all(text.endswith(str(k)) for k, text in enumerate(texts[1:], start=2))
    assert "Try it." in " ".join(texts)
    assert "Thus." not in " ".join(texts)  # solutions have a page of their own
    assert not blank_figures(pages_of(path, start, other), ["Fig. 1.1"])
    assert [line["/Title"] for line in reader.outline[:3]] == ["Contents", "Page index", "Page one"]
    targets = [note.get_object()["/Dest"][0].get_object()
               for sheet in reader.pages for note in sheet.get("/Annots", [])]  # fmt: skip
    section = next(k for k, text in enumerate(texts) if "It ends here." in text)
    assert reader.pages[section].get_object() in targets
    assert not any("file:" in str(sheet.get("/Annots")) for sheet in reader.pages)


def test_solutions_and_code_by_choice(book: Path) -> None:
    html = book / "_build" / "html"
    (html / f"{make_pdf.SOLUTIONS}.html").write_text(PAGE.replace("Words.", "It is solved."))
    with (book / "_toc.yml").open("a") as toc:
        toc.write(f"- file: {make_pdf.SOLUTIONS}\n")
    assert printed(book, "--without-solutions", "--code", "no").returncode == 0
    (path,) = html.glob("*.pdf")
    assert path.name == "the-next-token-automaton-without-solutions-without-code.pdf"
    words = " ".join(sheet.extract_text() for sheet in PdfReader(path).pages)
    assert "Try it." in words
    assert "It is solved." not in words
    assert "answer = 42" not in words
    assert make_pdf.PLACE in (html / "book" / "index.html").read_text()  # the whole one is linked
    assert "up to date" in printed(book, "--without-solutions", "--code", "no").stdout
    assert printed(book).returncode == 0
    words = " ".join(sheet.extract_text() for sheet in PdfReader(html / make_pdf.NAME).pages)
    assert "It is solved." in words
    assert "answer = 42" in words


def test_a_page_with_a_broken_picture_is_refused(book: Path) -> None:
    (book / "_build" / "html" / "book" / "plotly.min.js").unlink()
    done = printed(book)
    assert done.returncode == 1
    assert "a picture could not be drawn" in done.stderr
    assert not [*book.rglob("*.pdf")]
