"""``python -m pytest tests/reproductions --write-ledger`` stores what the entries compute now."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-ledger", action="store_true", help="write book/ledger.json afresh")
