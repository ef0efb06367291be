"""A copy of a book whose pages carry the probes: eyes for engines that let nobody look inside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from tests.browser.checks import PROBES


def with_probes(html: Path, folder: Path, names: Iterable[str]) -> Path:
    """Mirror a built book by links; the pages named begin with one more script, the probes."""
    shutil.copytree(html, folder, copy_function=os.symlink)
    shutil.copy(PROBES, folder / PROBES.name)
    for name in names:
        words = (html / name).read_text(encoding="utf-8")
        home = "../" * name.count("/")
        eyes = f'<script src="{home}{PROBES.name}"></script>'
        (folder / name).unlink()
        (folder / name).write_text(words.replace("<head>", f"<head>{eyes}", 1), encoding="utf-8")
    return folder
