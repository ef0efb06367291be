"""What must hold for built pages whose code runs in them, as functions that return the problems."""

from __future__ import annotations

import json
from pathlib import Path

from bs4 import BeautifulSoup

from tests.built_book.crawl import soup

MOST_BEFORE = 15_000  # bytes that a page gains before the first Run: script and marks
MOST_AFTER = 28_000_000  # bytes that the first Run loads
_HEAD = "(window.ntaCells ||= {})["


def page_cells(page: Path, html: Path) -> dict[str, dict]:
    """Return the cells that a page finds at its first Run; nothing if it has no script for them."""
    script = soup(page).select_one("script[data-nta-cells]")
    if script is None:
        return {}
    name = str(script["data-nta-cells"]).partition("?")[0]
    text = (html / "_static" / "python" / name).read_text(encoding="utf-8")
    docname, _, content = text.removeprefix(_HEAD).partition("] = ")
    if json.loads(docname) != script["data-nta-docname"]:
        return {}
    return dict(json.loads(content.rstrip().removesuffix(";"))["cells"])


def unrunnable_marks(page: Path, html: Path) -> list[str]:
    """Every mark has its code on the page, its cell in the file, and what it needs there too."""
    tree, cells = soup(page), page_cells(page, html)
    problems = []
    for mark in tree.select("[data-nta-cell]"):
        name, kind = str(mark["data-nta-cell"]), str(mark["data-nta-kind"])
        own = mark.find("div", class_="cell_input", recursive=False)
        code = own or tree.select_one(f'[data-nta-input="{name}"]')
        if code is None or code.find("pre") is None:
            problems.append(f"{name} has no code on the page")
        elif kind != "heavy" and cells.get(name, {}).get("code", "").strip() != _text(code):
            problems.append(f"{name} runs other code than it shows")
        if kind == "heavy" and not mark.get("data-nta-why"):
            problems.append(f"{name} does not say why it does not run")
        missing = [need for need in cells.get(name, {}).get("needs", ()) if need not in cells]
        problems += [f"{name} needs {need}, which is not there" for need in missing]
    return problems


def _text(code: BeautifulSoup) -> str:
    (pre,) = code.select("pre")
    return pre.get_text().strip()


def exercises_without_a_mark(page: Path) -> list[str]:
    """Every exercise is followed by a cell that can be run and checked, before the next one."""
    tree = soup(page)
    problems = []
    for box in tree.select("div.exercise.admonition"):
        after = box.find_all_next(
            lambda tag: (
                (tag.get("data-nta-kind") == "exercise" or "exercise" in tag.get("class", ()))
                and not tag.find_parent(class_="exercise")
            ),
            limit=1,
        )
        if not after or after[0].get("data-nta-kind") != "exercise":
            problems.append(f"no cell to answer {box.get('id')}")
    if tree.select("div.exercise.admonition") and len(tree.select("p.nta-run-hint")) < 1:
        problems.append("no sentence on how to answer")
    return problems


def gained(page: Path, html: Path) -> int:
    """Return the bytes that a page has more than it would have without Python."""
    tree = soup(page)
    script = tree.select_one("script[data-nta-cells]")
    if script is None:
        return 0
    file = (page.parent / str(script["src"]).partition("?")[0]).resolve()
    names = ("data-nta-cell", "data-nta-kind", "data-nta-why", "data-nta-input")
    marks = sum(
        len(f' {name}="{tag[name]}"'.encode()) for name in names for tag in tree.select(f"[{name}]")
    )
    hints = sum(len(str(hint).encode()) for hint in tree.select(".nta-run-hint"))
    return file.stat().st_size + len(str(script).encode()) + marks + hints


def loaded_by_the_first_run(html: Path) -> int:
    """Return the bytes of Python for the pages, with the largest file of cells."""
    folder = html / "_static" / "python"
    files = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    most = max(path.stat().st_size for path in (folder / "cells").glob("*.js"))
    return sum((folder / file["name"]).stat().st_size for file in files) + most
