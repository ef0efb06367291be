"""What a release needs: that everything says the same version, and the files that go with it.

python -m tools.release check v0.1.0      # does the tag name what is here?
python -m tools.release files dist        # PDF, wheel and archive; `make pdf` comes before
python -m tools.release notes             # what CHANGELOG.md says of this version
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from nta_core import __version__
from tools import base_install
from tools.make_pdf import NAME as PDF

ROOT = Path(__file__).resolve().parents[1]


def disagreements(tag: str, root: Path = ROOT) -> list[str]:
    """Return what does not fit the version of the packages."""
    problems = []
    if tag != f"v{__version__}":
        problems.append(f"the tag is {tag}, nta_core is {__version__}: a release is v{__version__}")
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    if str(cited) != __version__:
        problems.append(f"CITATION.cff says {cited}, nta_core is {__version__}")
    heading = _heading(root)
    if heading is None:
        problems.append(f"CHANGELOG.md has no heading for {__version__}")
    elif "unreleased" in heading:
        problems.append(f"CHANGELOG.md says “{heading.lstrip('# ')}”: put the date there")
    return problems


def _heading(root: Path) -> str | None:
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(__version__)}\b.*$", text, re.MULTILINE)
    return found[0] if found else None


def notes(root: Path = ROOT) -> str:
    """Return what the list of changes says of this version."""
    heading = _heading(root)
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return "" if heading is None else re.split(r"^## ", text.partition(heading)[2], flags=re.M)[0]


def files(folder: Path, root: Path = ROOT) -> None:
    """Put the PDF, the wheel and the archive of the sources into a folder."""
    book = root / "_build" / "html" / PDF
    if not book.is_file():
        raise base_install.Failed(f"{book} is not there: make pdf")
    folder.mkdir(parents=True, exist_ok=True)
    older = [path for pattern in ("*.whl", "*.tar.gz", PDF) for path in folder.glob(pattern)]
    if set(folder.iterdir()) - set(older):
        raise base_install.Failed(f"{folder} holds other files: name a new or an empty folder")
    for path in older:
        path.unlink()
    base_install.build(sys.executable, folder, root)
    shutil.copy(book, folder)


def main(arguments: list[str] | None = None) -> int:
    """Check, make the files, or print the notes."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check").add_argument("tag")
    commands.add_parser("files").add_argument("folder", type=Path)
    commands.add_parser("notes")
    options = parser.parse_args(arguments)
    if options.command == "notes":
        print(notes().strip())
        return 0
    try:
        if options.command == "files":
            files(options.folder.resolve())
            return 0
    except base_install.Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    problems = disagreements(options.tag)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
