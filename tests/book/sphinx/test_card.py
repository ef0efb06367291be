"""What a shared address says: the words of the page, and a picture only where it can be found."""

from __future__ import annotations

import re
from pathlib import Path

from nta_book.sphinx import card
from nta_book.sphinx.repository import Repository

ROOT = Path(__file__).resolve().parents[3]
BODY = '<h1>Title<a href="#x">#</a></h1>\n<p>One &amp; <em>"two"</em>.</p><p>Later.</p>'


def said(body: str, repository: Repository | None) -> dict[str, str]:
    tags = card.tags("A <code>title</code>", body, repository)
    return dict(re.findall(r'<meta (?:property|name)="(\S+)" content="([^"]*)">', tags))


def test_title_and_first_paragraph_are_plain_text() -> None:
    tags = said(BODY, None)
    assert tags["og:title"] == "A title"
    assert tags["og:description"] == "One &amp; &quot;two&quot;."
    assert "og:image" not in tags


def test_the_picture_has_the_address_of_the_file_in_the_public_repository() -> None:
    tags = said(BODY, Repository("https://github.com/someone/book", "main"))
    assert tags["og:image"] == f"https://github.com/someone/book/raw/main/{card.PICTURE}"
    assert (ROOT / card.PICTURE).is_file()
    assert tags["twitter:card"] == "summary_large_image"


def test_long_paragraphs_end_with_a_whole_word_and_none_is_no_fault() -> None:
    long = f"<h1>x</h1><p>{'word, ' * 60}</p>"
    description = card.first_words(long)
    assert len(description) <= card.LONGEST + 2
    assert description.endswith("word …")
    assert "og:description" not in said("<h1>x</h1>", None)
