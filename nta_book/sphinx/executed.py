"""The stored outputs of chapters, each with the stamp of the code that made them.

myst-nb finds outputs by the code of a notebook alone; without the stamp a page would go on showing
what an older ``nta_core`` computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.db import NbCacheRecord

from nta_book.results.changes import Project
from nta_book.sphinx.captions import read_notebook


class Executed:
    """The jupyter-cache of a book, below its root.

    Parameters
    ----------
    root
        Folder with ``_config.yml``.
    project
        The packages that the chapters import; by default those that are installed.
    """

    def __init__(self, root: Path, project: Project | None = None) -> None:
        self.folder = root / "_build" / "executed"
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in (self.folder / "executed").glob("*"):  # jupyter-cache would stumble over it
            if not any(left.iterdir()):
                left.rmdir()  # an interruption came between making the folder and filling it
        self._cache = get_cache(str(self.folder))
        # Once: what is stored at the end of a build is what was looked at when it began.
        self._stamp = cache((project or Project()).chapter)

    def holds(self, chapter: Path) -> bool:
        """Tell whether outputs of this chapter are stored that belong to the present code."""
        record = self._record(chapter)
        return record is not None and record.data.get("stamp") == self._stamp(chapter)

    def notebook(self, chapter: Path) -> nbformat.NotebookNode | None:
        """Return a chapter with the stored outputs of the present code, if there are such."""
        if not self.holds(chapter):
            return None
        notebook = read_notebook(chapter.read_text(encoding="utf-8"))
        merged: nbformat.NotebookNode = self._cache.merge_match_into_notebook(notebook)[1]
        return merged

    def store(self, chapter: Path, notebook: nbformat.NotebookNode, seconds: float) -> None:
        """Keep the outputs of a chapter, and no older ones."""
        data = {"execution_seconds": seconds, "stamp": self._stamp(chapter)}
        bundle = CacheBundleIn(notebook, str(chapter), data=data)
        fresh = self._cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        for record in self._cache.list_cache_records():
            if record.uri == str(chapter) and record.pk != fresh.pk:
                self._cache.remove_cache(record.pk)

    def forget_old(self, chapters: Iterable[Path]) -> None:
        """Remove outputs that older code made, so that nobody takes them for present ones."""
        for chapter in chapters:
            record = self._record(chapter)
            if record is not None and not self.holds(chapter):
                self._cache.remove_cache(record.pk)

    def _record(self, chapter: Path) -> NbCacheRecord | None:
        try:
            notebook = read_notebook(chapter.read_text(encoding="utf-8"))
            record = self._cache.match_cache_notebook(notebook)
            self._cache.get_cache_bundle(record.pk)  # an interruption may leave a record alone
        except KeyError:
            return None
        return record
