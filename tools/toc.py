"""The table of contents, as files."""

from __future__ import annotations

from pathlib import Path

from sphinx_external_toc.parsing import MalformedError, parse_toc_yaml


class TocError(ValueError):
    """_toc.yml cannot be read, or names a page that does not exist."""


def toc_pages(root: Path) -> list[str]:
    """Return the pages of the book in reading order, such as ``book/02_every_sequence``."""
    try:
        return [str(name) for name in parse_toc_yaml(root / "_toc.yml")]
    except (MalformedError, OSError) as error:
        raise TocError(f"_toc.yml: {error}") from error


def toc_sources(root: Path) -> list[Path]:
    """Return the source file of every page; a page without one is an error that names it."""
    return [_source(root, page) for page in toc_pages(root)]


def _source(root: Path, page: str) -> Path:
    for suffix in (".ipynb", ".md"):
        path = root / f"{page}{suffix}"
        if path.exists():
            return path
    raise TocError(f"_toc.yml names {page}, but there is no {page}.ipynb or {page}.md")
