"""The book as one PDF, without a browser: what is printed in which order, joined, and refused."""

from __future__ import annotations

import errno
import io
import subprocess
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import DecodedStreamObject, NameObject, TextStringObject

from tools import make_pdf
from tools.join_pdf import Printed, join

ROOT = Path(__file__).resolve().parents[2]
TOC = """format: jb-book
root: book/index
parts:
  - caption: Part one
    chapters:
      - file: book/one
      - file: book/two
  - caption: Behind
    chapters:
      - file: book/for_teachers
        sections:
          - file: book/sheets_without_solutions
          - file: book/sheets_with_solutions
      - file: book/last
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of six pages that say little."""
    (tmp_path / "_toc.yml").write_text(TOC)
    (tmp_path / "_config.yml").write_text("title: A small book\n")
    pages = tmp_path / "_build" / "html" / "book"
    pages.mkdir(parents=True)
    for entry in make_pdf.contents(tmp_path):
        place = make_pdf.PLACE if entry.page == "book/index" else ""
        (pages / f"{Path(entry.page).name}.html").write_text(f"<p>{entry.page}</p>{place}")
    return tmp_path


def paper(pages: int, *links: str, named: str = "") -> bytes:
    """Return a PDF as Chromium prints one: with addresses on its first page, and a named place."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(width=595, height=842)
    for link in links:
        tiny = link.startswith("tiny")
        box = (50, 50, 51, 51) if tiny else (50, 50, 90, 62)
        note = Link(rect=box, url="x")
        note[NameObject("/A")][NameObject("/URI")] = TextStringObject(link)
        writer.add_annotation(0, note)
    if named:
        writer.add_named_destination(named, pages - 1)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def links_of(pdf: bytes) -> list[str | int]:
    """Return where the links of a file lead: a page, counted from 1, or an address."""
    reader = PdfReader(io.BytesIO(pdf))
    found: list[str | int] = []
    for sheet in reader.pages:
        for reference in sheet.get("/Annots", []):
            note = reference.get_object()
            if "/Dest" in note:
                target = note["/Dest"][0].get_object()
                found.append(1 + [page.get_object() for page in reader.pages].index(target))
            else:
                found.append(str(note["/A"]["/URI"]))
    return found


def test_the_order_is_that_of_the_toc_and_solutions_come_last(book: Path) -> None:
    entries = make_pdf.contents(book)
    assert [(entry.page, entry.depth, entry.part) for entry in entries] == [
        ("book/index", 0, ""),
        ("book/one", 0, "Part one"),
        ("book/two", 0, ""),
        ("book/for_teachers", 0, "Behind"),
        ("book/last", 0, ""),
        ("book/sheets_with_solutions", 0, "Solutions"),
    ]


def test_a_toc_that_cannot_be_read_is_named(book: Path) -> None:
    (book / "_toc.yml").write_text("format: jb-book\n")
    with pytest.raises(make_pdf.PdfError, match=r"_toc\.yml"):
        make_pdf.contents(book)


def test_joined_pages_have_numbers_an_outline_and_links_inside() -> None:
    pages = [
        Printed("file:///a.html", "One", paper(2, "file:///b.html#there", "file:///b.html")),
        Printed(
            "file:///b.html",
            "Two",
            paper(3, "file:///gone.html", "https://example.org/", "tiny", named="there"),
            sections=[("there", "A section"), ("nowhere", "Not printed")],
            part="A part",
        ),
        Printed("file:///c.html", "Below two", paper(1), depth=1),
    ]
    joined = join(pages, title="All")
    reader = PdfReader(io.BytesIO(joined))
    assert len(reader.pages) == 6
    assert [sheet.extract_text().strip() for sheet in reader.pages] == ["", *"23456"]
    assert reader.metadata is not None
    assert reader.metadata.title == "All"
    assert links_of(joined) == [5, 3, "https://example.org/"]
    one, part, below = reader.outline
    assert (one["/Title"], part["/Title"]) == ("One", "A part")
    two, inside = below
    assert two["/Title"] == "Two"
    assert [line["/Title"] for line in inside] == ["A section", "Below two"]
    assert [reader.get_destination_page_number(line) + 1 for line in inside] == [5, 6]


def test_a_number_is_written_upright_on_a_page_that_was_turned_over() -> None:
    """Chromium flips its pages: a number written after that would stand on its head."""
    writer = PdfWriter()
    sheet = writer.add_blank_page(width=595, height=842)
    turned = DecodedStreamObject()
    turned.set_data(b"1 0 0 -1 0 842 cm")
    sheet[NameObject("/Contents")] = writer._add_object(turned)
    out = io.BytesIO()
    writer.write(out)
    joined = join([Printed("file:///a.html", "A", out.getvalue())], title="A", unnumbered=0)
    places = []
    PdfReader(io.BytesIO(joined)).pages[0].extract_text(
        visitor_text=lambda text, cm, tm, *_: places.append((text.strip(), cm[3] * tm[3], tm[5]))
    )
    assert [(text, up > 0, y < 60) for text, up, y in places if text] == [("1", True, True)]


def test_the_link_appears_with_the_file_and_only_then(
    book: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = []

    class Browser:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(make_pdf, "opened_browser", Browser)
    monkeypatch.setattr(make_pdf, "print_book", lambda *_: calls.append(1) or b"%PDF-1.4")
    start = book / "_build" / "html" / "book" / "index.html"
    assert make_pdf.NAME not in start.read_text()
    assert make_pdf.main(["--root", str(book)]) == 0
    assert (book / "_build" / "html" / make_pdf.NAME).read_bytes() == b"%PDF-1.4"
    assert start.read_text().count(make_pdf.LINK) == 1
    assert make_pdf.main(["--root", str(book)]) == 0
    assert "up to date" in capsys.readouterr().out
    assert make_pdf.main(["--root", str(book), "--force"]) == 0
    assert start.read_text().count(make_pdf.LINK) == 1
    assert len(calls) == 2


def test_refusals_say_why_and_leave_nothing(
    book: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said() -> str:
        assert make_pdf.main(["--root", str(book)]) == 1
        assert not [*book.rglob("*.pdf"), *book.rglob("*.draft")]
        return capsys.readouterr().err

    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert "NO CHROMIUM" in said()

    class Browser:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(make_pdf, "opened_browser", Browser)

    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(make_pdf, "print_book", full)
    assert "NO SPACE LEFT" in said()

    def rebuilt(*_: object) -> bytes:
        (book / "_build" / "html.stamp").write_text("new")
        return b"%PDF-1.4"

    monkeypatch.setattr(make_pdf, "print_book", rebuilt)
    assert "built anew" in said()

    def stopped(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(make_pdf, "print_book", stopped)
    assert make_pdf.main(["--root", str(book)]) == 130
    assert "interrupted" in capsys.readouterr().err

    def wrong(*_: object) -> bytes:
        raise ValueError("a fault of ours")

    monkeypatch.setattr(make_pdf, "print_book", wrong)
    with pytest.raises(ValueError, match="a fault of ours"):
        make_pdf.main(["--root", str(book)])
    (book / "_build" / "html" / "book" / "two.html").unlink()
    assert "book/two.html is missing.  Run: make book" in said()


def test_anchors_are_gathered_from_all_pages(book: Path) -> None:
    html = book / "_build" / "html"
    (html / "book" / "one.html").write_text(
        '<a href="two.html#a%20b"></a><a href="#here"></a><a href="https://x.org/#y"></a>'
    )
    found = make_pdf.anchors(html, ["book/one", "book/two"])
    assert found[(html / "book" / "two.html").as_uri()] == {"a b"}
    assert found[(html / "book" / "one.html").as_uri()] == {"here"}
    assert len(found) == 2


@pytest.mark.parametrize(
    ("said", "code", "shown"),
    [
        ([], 0, "make_pdf"),
        (["SOLUTIONS=yes"], 0, "make_pdf"),
        (["SOLUTIONS=no"], 0, "make_pdf --without-solutions"),
        (["SOLUTIONS=No"], 2, 'SOLUTIONS is yes or no, not "No"'),
    ],
)
def test_solutions_are_left_out_or_not(said: list[str], code: int, shown: str) -> None:
    """Anything else is refused before the book is built."""
    done = subprocess.run(
        ["make", "-n", "pdf", *said], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert shown in done.stdout + done.stderr
    assert ("--without-solutions" in done.stdout) == (said == ["SOLUTIONS=no"])
    assert ("build_book" in done.stdout) == (code == 0)
