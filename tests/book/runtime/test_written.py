"""What stands in a book for its Run buttons: whole, listed, light, with its licences."""

from __future__ import annotations

import base64
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from nta_book import runtime
from nta_book.runtime import contents

MOST_BYTES = 28_000_000  # of a reader's first Run


@pytest.fixture(scope="module")
def manifest(packed: Path) -> dict:
    return json.loads((packed / "manifest.json").read_text(encoding="utf-8"))


def names(packed: Path, package: str) -> list[str]:
    with tarfile.open(packed / f"{package}.tar.xz") as archive:
        return archive.getnames()


def test_every_file_is_listed_and_as_listed(packed: Path, manifest: dict) -> None:
    for file in manifest["files"]:
        data = (packed / file["name"]).read_bytes()
        assert len(data) == file["bytes"]
        assert file["what"]
    listed = {file["name"] for file in manifest["files"]}
    there = {path.name for path in packed.iterdir() if path.is_file()}
    assert there == listed | {"manifest.json", "manifest.js"}
    assert sum(file["bytes"] for file in manifest["files"]) <= MOST_BYTES


def test_from_a_disk_it_is_the_same(packed: Path, manifest: dict) -> None:
    script = (packed / "manifest.js").read_text(encoding="utf-8")
    assert json.loads(script.removeprefix("window.ntaPython = ").rstrip(";\n")) == manifest
    for file in manifest["files"]:
        script = (packed / "disk" / f"{file['name']}.js").read_text(encoding="utf-8")
        name, text = re.fullmatch(
            r'\(window\.ntaDisk \|\|= \{\}\)\["(.+?)"\]="(.+)";\n', script
        ).groups()
        assert name == file["name"]
        assert base64.b64decode(text) == (packed / name).read_bytes()


def test_licences_go_with_the_code(packed: Path) -> None:
    for package in ("numpy", "scipy", "networkx", "ipython", "nta"):
        assert [name for name in names(packed, package) if "LICENSE" in name], package


def test_only_what_a_page_imports(packed: Path) -> None:
    ours = names(packed, "nta")
    assert "nta_book/page/python/runner.pyc" in ours
    assert "nta_book/results/data/heads_on_text.safetensors" in ours
    assert not [name for name in ours if re.match(r"nta_book/(sphinx|classroom|runtime)/", name)]
    modules = [name for name in names(packed, "ipython") if name.endswith(".pyc")]
    assert modules == ["IPython/lib/pretty.pyc"]
    for package in ("numpy", "scipy", "networkx", "nta"):
        found = names(packed, package)
        assert not [name for name in found if "/tests/" in name or name.endswith((".py", ".pyi"))]
    assert [name for name in names(packed, "numpy") if name.startswith("numpy/f2py/")]


def test_a_second_build_leaves_the_code_of_pages_and_nothing_old(tmp_path: Path) -> None:
    runtime.write(tmp_path)
    place = tmp_path / "python"
    (place / "cells").mkdir()
    mine = [place / "cells" / "01_chapter.js", place / "old.tar.xz", place / "disk" / "old.js"]
    for path in mine:
        path.write_text("old")
    written = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    runtime.write(tmp_path)
    kept = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    assert kept == {path: data for path, data in written.items() if path not in mine[1:]}


def test_two_builds_are_the_same(packed: Path, manifest: dict, tmp_path: Path) -> None:
    again = runtime.write(tmp_path)
    assert again is not None
    assert again.version == manifest["version"]
    assert again.size == sum(file["bytes"] for file in manifest["files"])


def test_a_change_of_our_code_is_a_new_version(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: dict
) -> None:
    kept = list(contents.ours())
    monkeypatch.setattr(contents, "ours", lambda: iter([*kept, ("nta_core/new.py", b"x = 1\n")]))
    changed = runtime.write(tmp_path)
    assert changed is not None
    assert changed.version != manifest["version"]
    with tarfile.open(fileobj=io.BytesIO((tmp_path / "python/nta.tar.xz").read_bytes())) as archive:
        assert "nta_core/new.pyc" in archive.getnames()


def test_versions_and_licences_are_told(tmp_path: Path) -> None:
    told = {package.name: package for package in runtime.write(tmp_path).packages}
    assert told["Pyodide"].licence == "MPL-2.0"
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", told["networkx"].version)
    assert all(package.size > 0 for package in told.values())
