"""Remove results from the chapters: what the book shows is computed when it is built.

python -m tools.strip_outputs            # clean every chapter
python -m tools.strip_outputs --check    # say which are not clean, change nothing
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_KEPT_METADATA = {"kernelspec", "language_info", "mystnb"}
_EDITOR_METADATA = {"execution", "collapsed", "scrolled", "trusted", "jupyter", "editable"}


def stripped(text: str) -> str:
    """Return the text of a notebook without outputs, counters and traces of an editor.

    Kernel and language are written plainly, so that a chapter saved on another machine differs only
    where its author changed something.
    """
    notebook = nbformat.reads(text, as_version=4)
    notebook.metadata = {k: v for k, v in notebook.metadata.items() if k in _KEPT_METADATA}
    notebook.metadata |= {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k not in _EDITOR_METADATA}
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        cell.pop("attachments", None)
    return str(nbformat.writes(notebook)) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Clean, or with ``--check`` only name, the notebooks below ``book``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args(arguments).check
    unclean = [
        (path, clean)
        for path in sorted((ROOT / "book").glob("*.ipynb"))
        if (clean := stripped(path.read_text(encoding="utf-8"))) != path.read_text(encoding="utf-8")
    ]
    for path, clean in unclean:
        print(f"{path.relative_to(ROOT)}: {'not clean' if check else 'cleaned'}")
        if not check:
            path.write_text(clean, encoding="utf-8")
    return 1 if check and unclean else 0


if __name__ == "__main__":
    sys.exit(main())
