"""Join printed pages into one book: numbers at the foot, an outline, and links that lead inside.

Chromium writes a link to another page as an address on this disk, and names the places that a page
itself links to.  Here both become places in the one file.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from urllib.parse import unquote, urldefrag

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    Fit,
    FloatObject,
    IndirectObject,
    NameObject,
    NullObject,
    PdfObject,
)

_FOOT = 22  # points between a page's number and its lower edge
_SIZE = 9  # points of the number
_SMALLEST = 2  # points of a link: smaller ones only made Chromium name a place


@dataclass(frozen=True)
class Printed:
    """A page of the book on paper.

    Attributes
    ----------
    address
        Where it was printed from; links of other pages name it.
    title
        Of the page.
    pdf
        The printed file.
    depth
        Of its line in the outline; lines of its sections stand below it.
    sections
        Pairs of an anchor on the page and a heading.
    part
        Heading of the part that begins with this page, if one does.
    """

    address: str
    title: str
    pdf: bytes
    depth: int = 0
    sections: list[tuple[str, str]] = field(default_factory=list)
    part: str = ""


@dataclass(frozen=True)
class _Place:
    """A place in the joined file: a page, counted from 0, and a height on it."""

    page: int
    top: float | None = None


def count_pages(pdf: bytes) -> int:
    """Return the number of pages of a printed file."""
    return len(PdfReader(io.BytesIO(pdf)).pages)


def join(pages: list[Printed], *, title: str, unnumbered: int = 1) -> bytes:
    """Return all pages as one file.

    Parameters
    ----------
    title
        Of the file.
    unnumbered
        Pages at the beginning that show no number.
    """
    writer = PdfWriter()
    places: dict[str, _Place] = {}
    starts = []
    for page in pages:
        reader = PdfReader(io.BytesIO(page.pdf))
        starts.append(len(writer.pages))
        places[page.address] = _Place(starts[-1])
        for name, found in reader.named_destinations.items():
            number = reader.get_destination_page_number(found)
            if number is not None and number >= 0:
                top = found.top
                place = _Place(starts[-1] + number, None if top is None else float(top))
                places[f"{page.address}#{unquote(str(name).removeprefix('/'))}"] = place
        writer.append(reader, import_outline=False)
    _turn_links_inside(writer, pages, starts, places)
    _write_numbers(writer, unnumbered)
    _write_outline(writer, pages, starts, places)
    writer.add_metadata({"/Title": title})
    writer.page_mode = "/UseOutlines"
    writer.compress_identical_objects()
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _turn_links_inside(
    writer: PdfWriter, pages: list[Printed], starts: list[int], places: dict[str, _Place]
) -> None:
    """Let every link between pages of the book jump; one to a file that is not in it goes."""
    ends = [*starts[1:], len(writer.pages)]
    for page, start, end in zip(pages, starts, ends, strict=True):
        for sheet in writer.pages[start:end]:
            kept = ArrayObject()
            for reference in _notes(sheet):
                note = reference.get_object()
                assert isinstance(note, DictionaryObject)
                address = _address(note, page.address)
                if _is_tiny(note):
                    continue
                if address is None:  # it leaves the book
                    kept.append(reference)
                    continue
                place = places.get(address) or places.get(urldefrag(address).url)
                if place is None:
                    continue
                note.pop("/A", None)
                note[NameObject("/Dest")] = _destination(writer, place)
                kept.append(reference)
            if "/Annots" in sheet:
                sheet[NameObject("/Annots")] = kept


def _notes(sheet: PageObject) -> list[PdfObject]:
    found = sheet.get("/Annots", ArrayObject()).get_object()
    assert isinstance(found, ArrayObject)
    return list(found)


def _address(note: DictionaryObject, page: str) -> str | None:
    """Return where a link inside the book leads, or None when it leaves the book."""
    if "/Dest" in note:
        return f"{page}#{unquote(str(note['/Dest']).removeprefix('/'))}"
    uri = str(note.get("/A", {}).get("/URI", ""))
    if not uri.startswith("file:"):
        return None
    address, anchor = urldefrag(uri)
    return f"{address}#{unquote(anchor)}" if anchor else address


def _is_tiny(note: DictionaryObject) -> bool:
    left, low, right, high = (float(edge) for edge in _edges(note))
    return abs(high - low) < _SMALLEST or abs(right - left) < _SMALLEST / 4


def _edges(note: DictionaryObject) -> list[FloatObject]:
    rectangle = note["/Rect"]
    assert isinstance(rectangle, ArrayObject)
    return list(rectangle)


def _destination(writer: PdfWriter, place: _Place) -> ArrayObject:
    top = NullObject() if place.top is None else FloatObject(place.top)
    reference = writer.pages[place.page].indirect_reference
    return ArrayObject([reference, NameObject("/XYZ"), NullObject(), top, NullObject()])


def _write_numbers(writer: PdfWriter, unnumbered: int) -> None:
    """Write a number at the foot of every page, in a font that every reader has."""
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = writer._add_object(
        DictionaryObject({NameObject(key): NameObject(name) for key, name in names.items()})
    )
    # What a page has drawn may have turned it over: its state is put aside, then taken back.
    aside = _stream(writer, "q")
    for number, sheet in enumerate(writer.pages, start=1):
        if number <= unnumbered:
            continue
        width = float(sheet.mediabox.width)
        middle = width / 2 - len(str(number)) * _SIZE * 0.278  # half of what the digits take
        foot = f"Q BT 0.35 g /NtaFoot {_SIZE} Tf {middle:.2f} {_FOOT} Td ({number}) Tj ET"
        drawn = ArrayObject([aside, *_contents(sheet), _stream(writer, foot)])
        sheet[NameObject("/Contents")] = drawn
        resources = _inside(sheet, "/Resources")
        _inside(resources, "/Font")[NameObject("/NtaFoot")] = font


def _stream(writer: PdfWriter, text: str) -> IndirectObject:
    stream = DecodedStreamObject()
    stream.set_data(text.encode())
    return writer._add_object(stream)


def _contents(sheet: PageObject) -> list[PdfObject]:
    if "/Contents" not in sheet:
        return []  # an empty page
    found = sheet.raw_get("/Contents")
    listed = found.get_object()
    return list(listed) if isinstance(listed, ArrayObject) else [found]


def _inside(above: DictionaryObject, name: str) -> DictionaryObject:
    """Return a dictionary inside another, made if there is none."""
    found = above.setdefault(NameObject(name), DictionaryObject()).get_object()
    assert isinstance(found, DictionaryObject)
    return found


def _write_outline(
    writer: PdfWriter, pages: list[Printed], starts: list[int], places: dict[str, _Place]
) -> None:
    """Write parts, pages and sections as the outline that readers show beside the pages."""
    part: IndirectObject | None = None
    above: list[IndirectObject] = []  # the open line of every depth
    for page, start in zip(pages, starts, strict=True):
        if page.part:
            part, above = writer.add_outline_item(title=page.part, page_number=start), []
        del above[page.depth :]
        line = writer.add_outline_item(
            title=page.title, page_number=start, parent=above[-1] if above else part
        )
        above.append(line)
        for anchor, heading in page.sections:
            if place := places.get(f"{page.address}#{anchor}"):
                there = Fit.xyz(top=place.top)
                writer.add_outline_item(
                    title=heading, page_number=place.page, parent=line, fit=there
                )
