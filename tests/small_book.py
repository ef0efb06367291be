"""Small books for tests: the real configuration and extension, a few cells, a temporary folder."""

from __future__ import annotations

from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parents[1]


def write_small_book(folder: Path, *chapters: list[str], repository: str = "") -> Path:
    """Write a book whose chapters are lists of cells; a cell that starts with "#" and a space, or
    with "```" or ":::", is text, every other is code.

    Parameters
    ----------
    folder
        An empty folder.
    chapters
        The first becomes ``book/index``, the next ``book/01_chapter`` and so on.
    """
    (folder / "book").mkdir(parents=True, exist_ok=True)
    (folder / "_config.yml").write_text(yaml.safe_dump(_config()), encoding="utf-8")
    names = ["index", *(f"{k:02d}_chapter" for k in range(1, len(chapters)))]
    toc = {"format": "jb-book", "root": "book/index"}
    if names[1:]:
        toc["parts"] = [{"numbered": True, "chapters": [{"file": f"book/{n}"} for n in names[1:]]}]
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc, sort_keys=False), encoding="utf-8")
    for name, cells in zip(names, chapters, strict=True):
        nbformat.write(_notebook(cells), folder / "book" / f"{name}.ipynb")
    return folder


def _config() -> dict:
    """Return our own configuration with paths that do not depend on the folder it lies in."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["logo"] = str(ROOT / config["logo"])
    config["html"]["favicon"] = str(ROOT / config["html"]["favicon"])
    del config["bibtex_bibfiles"]
    config["sphinx"]["extra_extensions"].remove("sphinxcontrib.bibtex")
    del config["sphinx"]["config"]["bibtex_reference_style"]
    config["sphinx"]["config"]["html_static_path"] = [str(ROOT / "book" / "_static")]
    return config


def _notebook(cells: list[str]) -> nbformat.NotebookNode:
    notebook = nbformat.v4.new_notebook()
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for k, source in enumerate(cells):
        text = source.startswith(("# ", "```", ":::"))
        make = nbformat.v4.new_markdown_cell if text else nbformat.v4.new_code_cell
        notebook.cells.append(make(source, id=f"cell-{k}"))
    return notebook
