"""Look ahead: does the book still build with versions other than the pinned ones?

    python -m tools.other_versions newest    # no upper bounds, but for torch and Jupyter Book
    python -m tools.other_versions escape    # Sphinx 9, and no Jupyter Book at all

Each works on a copy of the checkout in ``_build/<name>`` with an environment of its own, and blocks
nothing: what fails here is to be mended before the pins are moved.  ``newest`` is a whole strict
build.  ``escape`` is the way out of Jupyter Book 1, whose maintenance ends: its configuration is
written out for Sphinx, which renders every page without running a chapter.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from nta_beyond.processes import end_with_make, family
from tools.base_install import Failed, run
from tools.refresh_constraints import ROOT, wanted
from tools.toc import toc_sources

#: Bounds that stay: stored runs belong to one torch, and Jupyter Book 2 cannot read this book.
KEPT = ("torch", "jupyter-book")
#: What takes the place of Jupyter Book, with what it would have brought.
INSTEAD = [
    *("sphinx>=9,<10", "myst-nb>=1.4", "myst-parser>=5", "sphinx-book-theme>=1.4"),
    *("sphinx-external-toc", "sphinx-copybutton", "sphinx-multitoc-numbering", "linkify-it-py"),
]
#: Extensions of Jupyter Book's own list that this book does not use or cannot have without it.
LEFT = ("jupyter_book", "sphinx_thebe", "sphinx_comments")


def open_ended(requirements: list[Requirement]) -> list[str]:
    """Return the requirements without upper bounds.

    >>> open_ended([Requirement("numpy>=2.2,<3"), Requirement("torch==2.13.0")])
    ['numpy>=2.2', 'torch==2.13.0']
    """
    for requirement in requirements:
        if requirement.name not in KEPT:
            lower = [str(bound) for bound in requirement.specifier if bound.operator == ">="]
            requirement.specifier = SpecifierSet(",".join(lower))
    return [str(requirement) for requirement in requirements]


def without_jupyter_book(requirements: list[Requirement]) -> list[str]:
    """Return what the pages need when Sphinx builds them alone."""
    replaced = {Requirement(line).name for line in INSTEAD} | {"jupyter-book"}
    return [line for line in open_ended(requirements) if Requirement(line).name not in replaced] + (
        INSTEAD
    )


def copy_checkout(target: Path, root: Path = ROOT) -> None:
    """Copy what git knows or would add, and nothing that was built."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    shutil.rmtree(target, ignore_errors=True)
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target / name)


def install(environment: Path, requirements: list[str], checkout: Path) -> Path:
    """Return the Python of a fresh environment with these packages and those of the checkout."""
    shutil.rmtree(environment, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    if (ROOT / "node_modules").is_dir():  # the scripts are bundled by the same tools
        (checkout / "node_modules").symlink_to(ROOT / "node_modules")
    (checkout / "wanted.txt").write_text("\n".join(requirements) + "\n")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    say([*pip, "-r", checkout / "wanted.txt"], checkout)
    # Its own bounds are those that are looked beyond.
    say([*pip, "--no-deps", "-e", checkout], checkout)
    return python


def say(command: list[object], folder: Path) -> str:
    """Run a command with all settings of this one."""
    return run(command, folder, hidden=())


def newest(folder: Path) -> None:
    """Build the whole book, strictly, with the newest of everything."""
    checkout = folder / "checkout"
    copy_checkout(checkout)
    python = install(folder / "environment", open_ended(wanted()), checkout)
    say([python, "-m", "tools.build_book"], checkout)


def escape(folder: Path) -> None:
    """Render every page with Sphinx 9 alone, without running a chapter."""
    checkout, out = folder / "checkout", folder / "html"
    copy_checkout(checkout)
    say([Path(sys.executable).with_name("jupyter-book"), "config", "sphinx", "."], checkout)
    conf = checkout / "conf.py"
    conf.write_text(sphinx_alone(conf.read_text(encoding="utf-8")), encoding="utf-8")
    requirements = without_jupyter_book(wanted())
    python = install(folder / "environment", requirements, checkout)
    shutil.rmtree(out, ignore_errors=True)
    said = say([python, "-m", "sphinx", "-b", "html", "--keep-going", ".", out], checkout)
    report(said)
    absent = missing_pages(checkout, out)
    if absent:
        raise Failed(f"pages that were not made: {', '.join(absent)}\n{said[-3000:]}")


def sphinx_alone(conf: str) -> str:
    """Return Jupyter Book's configuration of Sphinx for a build without it, running nothing."""
    more = f"""
extensions = [name for name in dict.fromkeys(extensions) if name not in {LEFT!r}]
html_theme_options["repository_url"] = ""
nb_execution_mode = "off"
"""
    return conf + more


def missing_pages(checkout: Path, out: Path) -> list[str]:
    """Return the pages of the table of contents that have no file."""
    sources = [path.relative_to(checkout).with_suffix(".html") for path in toc_sources(checkout)]
    return [str(page) for page in sources if not (out / page).is_file()]


def report(said: str) -> None:
    """Sum up the warnings of a build, by kind."""
    warnings = re.findall(r"(?:WARNING|ERROR): (.+)", said)
    kinds = Counter(
        (re.search(r"\[([\w.-]+)\]$", line) or re.search("(.{0,60})", line))[1]  # type: ignore[index]
        for line in warnings
    )
    print(f"{len(warnings)} warnings")
    for kind, number in kinds.most_common(12):
        print(f"  {number:5} {kind}")


def main(arguments: list[str] | None = None) -> int:
    """Run one of the two; 0 when the book came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=("newest", "escape"))
    which = parser.parse_args(arguments).which
    folder = ROOT / "_build" / which
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with family():
            {"newest": newest, "escape": escape}[which](folder)
    except Failed as failure:
        print(f"{failure}\n\n{which.upper()}: the book did not come out", file=sys.stderr)
        return 1
    print(f"{which}: the book came out, in {folder}")
    return 0


if __name__ == "__main__":
    end_with_make()
    sys.exit(main())
