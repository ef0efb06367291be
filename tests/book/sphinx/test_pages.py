"""What the extension changes on pages that the theme has made."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from nta_book.sphinx import pages
from tools.make_pdf import LINK, PLACE

APP: Any = SimpleNamespace(config=SimpleNamespace(root_doc="book/index"))
BODY = "<section><h1>Start</h1><section><h2>End</h2></section></section>"


def test_the_start_page_has_room_for_the_link_to_the_pdf_and_no_dead_link() -> None:
    page = {"body": BODY}
    pages.keep_a_place_for_the_pdf(APP, "book/index", "page.html", page, None)
    assert page["body"] == BODY.removesuffix("</section>") + f"{PLACE}\n</section>"
    assert "href" not in page["body"]
    assert page["body"].replace(PLACE, LINK).count("<a href=") == 1


def test_other_pages_have_none() -> None:
    for name, page in (("book/01_x", {"body": BODY}), ("book/index", {"body": ""}), ("search", {})):
        before = dict(page)
        pages.keep_a_place_for_the_pdf(APP, name, "page.html", page, None)
        assert page == before
