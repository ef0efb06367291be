"""Build the book: run the chapters, render the pages strictly, and only then replace the old book.

    python -m tools.build_book

An interrupted or failed build leaves the book that was there before.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path

from nta_beyond.processes import Stopped, end_with_make, family, is_full_disk
from nta_book.page.bundle import BUILT, LOCK, BundleError
from nta_book.page.bundle import build as bundle_page
from nta_book.runtime import source
from nta_book.sphinx.repository import find_repository
from nta_core.data.files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
WITHOUT_PYTHON = "NO PYTHON IN THE PAGES"  # how nta_book.runtime begins when it cannot be had
JUPYTER_BOOK = Path(sys.executable).with_name("jupyter-book")


class BuildFailed(Exception):
    """The book was not built; the message says which chapter and why."""


def build(root: Path = ROOT, *, force: bool = False) -> Path:
    """Bring ``root/_build/html`` up to date and return it.

    Parameters
    ----------
    root
        Folder with ``_config.yml`` and ``_toc.yml``.
    force
        Render the pages again even when nothing has changed.
    """
    built = root / "_build"
    html, stamp = built / "html", built / "html.stamp"
    with _alone(built):
        _recover(html)
        wanted = book_fingerprint(root)
        if not force and (html / "index.html").exists() and _read(stamp) == _stamp(wanted):
            print("the book is up to date", flush=True)
            return html
        environment = _environment(root)
        _run_chapters(root, environment)
        _render(root, built / "staging", environment)
        stamp.unlink(missing_ok=True)
        _swap(built / "staging" / "_build" / "html", html)
        write_atomically(stamp, _stamp(wanted))  # asked anew: rendering may fetch Python
        shutil.rmtree(built / "staging")
    return html


def book_fingerprint(root: Path, code: Path = ROOT) -> str:
    """Hash everything that can change a page, so that an unchanged book is not built again.

    Every byte counts: docstrings are the pages of the reference.  What a chapter computes depends
    on far less; that is the matter of `nta_book.results.changes`.
    """
    folders = ("nta_core", "nta_beyond", "nta_book", "experiments", "tools")
    files = [root / "_config.yml", root / "_toc.yml", code / "pyproject.toml", code / LOCK.name]
    for folder in (root / "book", *(code / name for name in folders)):
        files += sorted(folder.rglob("*"))
    hub = os.environ.get("NTA_JUPYTERHUB", "")  # of the launch buttons, like the address
    digest = hashlib.sha256(f"{sys.version} {find_repository(root)} {hub}".encode())
    for path in files:
        if path.is_file() and not _is_made(path):
            digest.update(f"\0{path}\0".encode() + path.read_bytes())
    digest.update("".join(sorted(f"{d.name} {d.version}\0" for d in distributions())).encode())
    return digest.hexdigest()


def _stamp(fingerprint: str) -> str:
    """Say what a book was made of: Python for its pages may come later, or go."""
    return f"{fingerprint} {'with' if source.are_here() else 'without'} Python"


def _is_made(path: Path) -> bool:
    """Tell whether a file is made from others: bundles, and what Python and Jupyter leave."""
    return path.is_relative_to(BUILT) or any(
        part == "__pycache__" or part.startswith(".ipynb") for part in path.parts
    )


def _environment(root: Path) -> dict[str, str]:
    """Return what kernels and Sphinx are told about this build."""
    chosen = {
        "NTA_BOOK_BUILD": "1",
        "NTA_EXPLORER_CACHE": str(root / "_build" / "explorers"),
        "NTA_PROGRESS_FILE": str(root / "_build" / "progress"),
    }
    # Several chapters run at a time: threads of their libraries would fight for the same cores.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return single | os.environ | chosen


def _run_chapters(root: Path, environment: dict[str, str]) -> None:
    # Imported here: a book that is up to date need not wait for the tools that build it.
    from tools.execute_notebooks import execute_notebooks
    from tools.toc import TocError, toc_sources

    try:
        sources = toc_sources(root)
        bundle_page()  # kernels import the labs, which need their scripts
    except (TocError, BundleError) as error:
        raise BuildFailed(str(error)) from error
    notebooks = [path for path in sources if path.suffix == ".ipynb"]
    failures = execute_notebooks(notebooks, root=root, environment=environment)
    if failures:
        raise BuildFailed("\n\n".join(map(str, failures)))


def _render(root: Path, staging: Path, environment: dict[str, str]) -> None:
    """Render all pages with every warning an error, away from the book that is being read."""
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    print("rendering the pages ...", flush=True)
    strict = ["-q", "-n", "-W", "--keep-going"]
    done = subprocess.run(
        [str(JUPYTER_BOOK), "build", str(root), *strict, "--path-output", str(staging)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode or not (staging / "_build" / "html" / "index.html").exists():
        raise BuildFailed(_without_chatter(done.stdout))
    for line in done.stdout.splitlines():
        if line.startswith(WITHOUT_PYTHON):
            print(f"\n{line}\n", flush=True)


def _without_chatter(report: str) -> str:
    """Keep the complaints of a failed rendering, drop colours, rulers and the tool's greeting."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", report)
    chatter = (
        *("Running Jupyter-Book", "Source Folder:", "Config Path:", "Output Path:", "===="),
        *("Building your book, returns", "[IPKernelApp]"),
    )
    lines = [line for line in plain.splitlines() if line.strip() and not line.startswith(chatter)]
    # myst-nb counts lines in steps of 10,000 per cell.
    text = re.sub(r"(\.ipynb):(\d+)\d{4}:", r"\1, cell \2:", "\n".join(lines))
    return text.replace(f"{ROOT}/", "")


def _swap(new: Path, place: Path) -> None:
    """Put the new book in place of the old one; ``_recover`` undoes an interruption in between."""
    previous = place.with_name("html.previous")
    shutil.rmtree(previous, ignore_errors=True)
    if place.exists():
        place.rename(previous)
    new.rename(place)
    shutil.rmtree(previous, ignore_errors=True)


def _recover(place: Path) -> None:
    previous = place.with_name("html.previous")
    if previous.exists() and not place.exists():
        previous.rename(place)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@contextmanager
def _alone(built: Path) -> Iterator[None]:
    """Let one build at a time work in this folder."""
    built.mkdir(parents=True, exist_ok=True)
    with (built / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another build of this book is running; waiting for it ...", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(arguments: list[str] | None = None) -> int:
    """Build from the command line; 0 means that ``_build/html`` is the book of these sources.

    A build that is interrupted, terminated or killed leaves no process behind.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="folder with _config.yml")
    parser.add_argument("--force", action="store_true", help="render even when up to date")
    options = parser.parse_args(arguments)
    built = options.root.resolve() / "_build"
    started = time.perf_counter()
    try:
        with family():
            html = build(built.parent, force=options.force)
        print(f"the book is in {html} ({time.perf_counter() - started:.1f} s)", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _not_built("the output was closed", built, 128 + signal.SIGPIPE)
    except KeyboardInterrupt as stop:
        code = stop.code if isinstance(stop, Stopped) else 128 + signal.SIGINT
        return _not_built("interrupted", built, code)
    except (BuildFailed, OSError) as failure:
        return _not_built(str(failure), built, 1)
    except Exception as failure:
        if not is_full_disk(failure):
            raise
        return _not_built(str(failure), built, 1)
    return 0


def _not_built(why: str, built: Path, code: int) -> int:
    """Say why there is no new book: a full disk first, for all else may follow from it."""
    if is_full_disk(why):
        why = f"NO SPACE LEFT on the disk of {built}, or of a temporary folder.\n\n{why}"
    kept = " The book built before is untouched." if (built / "html").exists() else ""
    print(f"{why}\n\nTHE BOOK WAS NOT BUILT.{kept}", file=sys.stderr)
    return code


if __name__ == "__main__":
    end_with_make()
    sys.exit(main())
