"""Computed states on disk, by the name of their content.

The folder is named by ``NTA_EXPLORER_CACHE``; without it nothing is kept.  A file appears only
when all states of an explorer are drawn, and in one step, so a build that is interrupted leaves
either everything or nothing.
"""

import json
import os
from pathlib import Path
from typing import Any

from nta_core.data.files import write_atomically


def load(name: str | None) -> Any | None:
    """What is stored under a name, or None.

    Examples
    --------
    >>> load(None)
    """
    path = _path(name)
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path else None
    except (FileNotFoundError, ValueError):  # a damaged file is as good as none
        return None


def store(name: str | None, value: Any) -> None:
    """Keep a value under a name, all at once.

    Examples
    --------
    >>> store(None, {"no folder": "no file"})
    """
    path = _path(name)
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def _path(name: str | None) -> Path | None:
    folder = os.environ.get("NTA_EXPLORER_CACHE")
    return Path(folder) / f"{name}.json" if folder and name else None
