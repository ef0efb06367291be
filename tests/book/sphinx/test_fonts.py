"""Fonts that travel with the book: few, light, and missed without harm."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from nta_book.page.bundle import PACKAGES, PAGE, install_packages
from nta_book.sphinx import assets, fonts


@pytest.fixture(scope="module", autouse=True)
def _packages() -> None:
    install_packages()


def test_every_font_that_the_sheet_names_is_there_and_all_are_light(tmp_path: Path) -> None:
    assert fonts.write(tmp_path)
    sheet = (tmp_path / fonts.SHEET).read_text(encoding="utf-8")
    named = re.findall(r"url\((\S+?)\)", sheet)
    assert len({*named}) == 10
    assert {*Counter(named).values()} == {2}  # once for pages from a disk, once for served ones
    files = {tmp_path / name for name in named}
    assert files == {*(tmp_path / fonts.FOLDER).iterdir()}
    assert all(path.read_bytes().startswith(b"wOF2") for path in files)
    assert sum(path.stat().st_size for path in files) < 300_000
    assert set(fonts.PRELOADED) <= {*named}


def test_the_type_of_the_page_is_the_one_that_is_shipped() -> None:
    style = (PAGE / "book" / "nta-type.css").read_text(encoding="utf-8")
    for face in fonts.FACES:
        stack = re.search(rf"--nta-{face.variable}:([^;]+);", style)
        assert stack is not None
        first = f'var(--nta-served-{face.variable}, "{face.family}"), "{face.family} stand-in"'
        assert stack[1].strip().startswith(first)


def test_without_the_packages_the_faces_of_the_machine_stand_in(tmp_path: Path) -> None:
    assert fonts.missing(tmp_path / "nowhere") == [face.package for face in fonts.FACES]
    assert not fonts.write(tmp_path, tmp_path / "nowhere")
    sheet = (tmp_path / fonts.SHEET).read_text(encoding="utf-8")
    assert "url(" not in sheet
    assert sheet.count("local(") == 18
    assert not (tmp_path / fonts.FOLDER).exists()


def test_licences_are_those_of_the_packages() -> None:
    for face in fonts.FACES:
        folder = PACKAGES / "@fontsource-variable" / face.package
        assert '"license": "OFL-1.1"' in (folder / "package.json").read_text(encoding="utf-8")
        assert fonts.LICENCE.upper().startswith("SIL OPEN FONT LICENSE")


def test_a_page_on_a_server_asks_for_the_main_fonts_at_once() -> None:
    page = {"pathto": lambda path, _: f"../{path}"}
    fonts.preload(None, "", "", page, None)  # type: ignore[arg-type]
    assert page["metatags"].count("woff2'") == 4  # three files and their type
    assert all(f"'../_static/{path}'" in str(page["metatags"]) for path in fonts.PRELOADED)


def test_plotly_is_the_light_one_only_in_the_right_version(tmp_path: Path) -> None:
    light = assets.plotly_script()
    assert len(light) < 1_600_000
    folder = tmp_path / "plotly.js-cartesian-dist-min"
    folder.mkdir()
    old = light.replace(f"v{assets._version(light)}", "v1.0.0", 1)
    (folder / "plotly-cartesian.min.js").write_text(old, encoding="utf-8")
    assert len(assets.plotly_script(tmp_path)) > 4_000_000
    assert len(assets.plotly_script(tmp_path / "nowhere")) > 4_000_000
