"""Where the runtime comes from, and what is said when it cannot be had."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from nta_book import runtime
from nta_book.runtime import RuntimeFilesError, packing, source

FILES = {"pyodide.mjs": b"export {};", "python_stdlib.zip": b"a library"}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of two small files and an empty store; nothing of this machine's is touched."""
    listed = {
        "pyodide": "1.2.3",
        "lock": {},
        "carrier": {"package": "nta-test-carrier", "version": "0.1", "folder": "carrier/files"},
        "files": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in FILES.items()
        },
    }
    (tmp_path / "files.json").write_text(json.dumps(listed), encoding="utf-8")
    monkeypatch.setattr(source, "LIST", tmp_path / "files.json")
    monkeypatch.setattr(source.sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.delenv(source.FOLDER, raising=False)
    (tmp_path / "index").mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # pip asks no network, only this folder
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return tmp_path


def carrier(folder: Path, files: dict[str, bytes], *, python: str = ">=3.8") -> Path:
    """A wheel that carries files, for some versions of Python."""
    wheel = folder / "index" / "nta_test_carrier-0.1-py3-none-any.whl"
    info = "nta_test_carrier-0.1.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"carrier/files/{name}", data)
        archive.writestr("carrier/other.txt", "much that nobody here needs")
        archive.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: nta-test-carrier\nVersion: 0.1\n"
            f"Requires-Python: {python}\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def test_fetched_once_by_name_and_only_what_is_listed(small: Path) -> None:
    wheel = carrier(small, FILES)
    said: list[str] = []
    folder = source.files(said.append)
    assert {p.name: p.read_bytes() for p in folder.iterdir() if p.name != ".lock"} == FILES
    assert len(said) == 1
    assert "nta-test-carrier==0.1" in said[0]
    wheel.unlink()
    assert source.files(said.append) == folder  # no network is needed a second time
    assert len(said) == 1


def test_a_carrier_that_is_for_other_pythons_is_taken_as_well(small: Path) -> None:
    carrier(small, FILES, python="<3")
    assert (source.files(str) / "pyodide.mjs").read_bytes() == FILES["pyodide.mjs"]


def test_a_changed_file_is_fetched_again(small: Path) -> None:
    carrier(small, FILES)
    folder = source.files(str)
    (folder / "pyodide.mjs").write_bytes(b"export 66;")
    source.files(str)
    assert (folder / "pyodide.mjs").read_bytes() == FILES["pyodide.mjs"]


def test_no_network_is_said(small: Path) -> None:
    with pytest.raises(RuntimeFilesError, match=r"nta-test-carrier==0\.1.*is there a network\?"):
        source.files(str)
    assert [path.name for path in source.store().iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({**FILES, "pyodide.mjs": b"export 66;"}, "is not the file that files.json lists"),
        ({**FILES, "pyodide.mjs": b"export"}, "has 6 bytes instead of 10: it was cut"),
        ({"pyodide.mjs": FILES["pyodide.mjs"]}, "has no whole carrier/files/python_stdlib.zip"),
    ],
)
def test_a_carrier_with_other_files_is_refused(
    small: Path, files: dict[str, bytes], words: str
) -> None:
    carrier(small, files)
    with pytest.raises(RuntimeFilesError, match=words):
        source.files(str)
    assert [path.name for path in source.store().iterdir()] == [".lock"]


def test_a_cut_carrier_is_refused(small: Path) -> None:
    wheel = carrier(small, FILES)
    wheel.write_bytes(wheel.read_bytes()[:-200])
    with pytest.raises(RuntimeFilesError, match=r"nta[-_]test[-_]carrier"):
        source.files(str)


def test_a_named_folder_is_used_and_checked(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small / "official"
    monkeypatch.setenv(source.FOLDER, str(folder))
    with pytest.raises(RuntimeFilesError, match=r"NTA_PYODIDE=.*no such folder.*1\.2\.3"):
        source.files(str)
    folder.mkdir()
    with pytest.raises(RuntimeFilesError, match=r"pyodide\.mjs is missing in"):
        source.files(str)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    assert source.files(str) == folder
    (folder / "python_stdlib.zip").write_bytes(b"A library")
    with pytest.raises(RuntimeFilesError, match=r"sha256"):
        source.files(str)


def test_a_book_without_it_says_so_loudly_and_has_nothing(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    static = small / "static"
    static.mkdir()
    heard: list[str] = []
    monkeypatch.setenv(source.FOLDER, str(small / "nowhere"))
    assert runtime.write(static, warn=heard.append) is None
    assert not list(static.iterdir())
    assert len(heard) == 1
    assert heard[0].startswith("NO PYTHON IN THE PAGES: NTA_PYODIDE=")
    assert heard[0].endswith("built without Run buttons, and is otherwise the same")


def test_a_runtime_that_does_not_start_is_no_runtime(small: Path) -> None:
    (small / "pyodide.mjs").write_text("export const loadPyodide = () => { throw Error('no'); }")
    with pytest.raises(RuntimeFilesError, match="does not run under Node: Error: no"):
        packing._compiled(b"", small)


def test_the_list_names_what_the_lock_of_pyodide_names() -> None:
    """Versions in words, in file names and in the lock are one."""
    listed = source.listed()
    assert set(listed["files"]) >= {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"}
    for name in ("numpy", "scipy"):
        version = listed["packages"][name]["version"]
        assert [file for file in listed["files"] if file.startswith(f"{name}-{version}-cp314-")]
    assert all(len(file["sha256"]) == 64 for file in listed["files"].values())
    assert listed["packages"]["pyodide"]["version"] == listed["pyodide"]
