"""The cover is what the code draws, and a change of the picture does not go unnoticed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from nta_book.sphinx.card import HEIGHT, WIDTH
from tools import make_cover


def test_the_files_are_what_the_code_draws() -> None:
    assert make_cover.faults() == []


def test_the_cover_is_a_picture_by_itself() -> None:
    text = make_cover.cover()
    root = ET.fromstring(text)
    assert root[0].text == make_cover.ALT
    assert "tabindex" not in text  # nothing to press in a file
    assert "radio" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme:dark" in text


def test_the_card_has_the_size_that_its_tags_name() -> None:
    png = make_cover.CARD.read_bytes()
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (WIDTH, HEIGHT)
    assert len(png) < 150_000


def test_old_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cover, card = tmp_path / "cover.svg", tmp_path / "card.png"
    monkeypatch.setattr(make_cover, "COVER", cover)
    monkeypatch.setattr(make_cover, "CARD", card)
    assert len(make_cover.faults()) == 2  # missing
    cover.write_text(make_cover.cover().replace("coffee", "cocoa", 1), encoding="utf-8")
    plain = b"\x89PNG\r\n\x1a\n" + bytes(25) + b"pixels"
    card.write_bytes(make_cover.stamped(plain, "another drawing"))
    assert [fault.split()[0] for fault in make_cover.faults()] == ["cover.svg", "card.png"]
    cover.write_text(make_cover.cover(), encoding="utf-8")
    card.write_bytes(make_cover.stamped(plain, make_cover.card()))
    assert make_cover.faults() == []
