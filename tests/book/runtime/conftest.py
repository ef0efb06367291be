"""One packed runtime, and one Python that runs it, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nta_book import runtime
from tests.book.runtime.in_wasm import Wasm


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder ``python`` of a book."""
    folder = tmp_path_factory.mktemp("static")
    assert runtime.write(folder) is not None, "no runtime: see the warning above"
    return folder / "python"


@pytest.fixture(scope="session")
def wasm(packed: Path) -> Iterator[Wasm]:
    """The Python of the pages."""
    python = Wasm(packed)
    yield python
    python.close()
