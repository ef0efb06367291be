"""Run the chapters in parallel and store their results where the book looks for them.

myst-nb would run them one after another while it reads; filling its cache beforehand uses every
core, shows progress, and lets a failure name its chapter and cell.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from nta_book.sphinx.captions import read_notebook
from nta_book.sphinx.executed import Executed

CELL_TIMEOUT = 300  # seconds; also in _config.yml for those who call jupyter-book themselves
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Failure:
    """A chapter that did not run to its end, and where it stopped."""

    chapter: str
    cell: int
    source: str
    error: str

    def __str__(self) -> str:
        code = "\n".join(f"        {line}" for line in self.source.splitlines())
        return f"{self.chapter}, cell {self.cell}: {self.error}\n{code}"


def execute_notebooks(
    chapters: list[Path], *, root: Path, environment: Mapping[str, str]
) -> list[Failure]:
    """Run every chapter whose outputs are missing or made by older code; return those that failed.

    Parameters
    ----------
    chapters
        Notebooks to run, absolute paths.
    root
        The folder of the book: outputs are stored below it, names in messages start there.
    environment
        Variables the chapters see.
    """
    executed = Executed(root)
    waiting = []
    for path in chapters:
        notebook = read_notebook(path.read_text(encoding="utf-8"))
        if executed.holds(path):
            continue
        if any(cell.cell_type == "code" for cell in notebook.cells):
            waiting.append(path)
        else:
            executed.store(path, notebook, 0.0)  # nothing to run, and no kernel to start for it
    print(f"chapters: {len(chapters)}, to run: {len(waiting)}", flush=True)
    failures: list[Failure] = []
    for done, (path, result, seconds) in enumerate(_run_all(waiting, root, environment), start=1):
        word = "FAILED" if isinstance(result, Failure) else "ran"
        name = path.relative_to(root)
        print(f"  [{done}/{len(waiting)}] {word} {name} ({seconds:.1f} s)", flush=True)
        if isinstance(result, Failure):
            failures.append(result)
        else:
            executed.store(path, result, seconds)
    return failures


def _run_all(
    paths: list[Path], root: Path, environment: Mapping[str, str]
) -> Iterator[tuple[Path, nbformat.NotebookNode | Failure, float]]:
    if not paths:
        return
    workers = min(len(paths), max(2, (os.cpu_count() or 2)))
    with ProcessPoolExecutor(
        workers,
        mp_context=get_context("spawn"),
        # Ctrl-C reaches every process of a terminal; the first one answers, and ends the others.
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as pool:
        # Longest source first: a long chapter that starts last would leave the other core idle.
        ordered = sorted(paths, key=lambda path: path.stat().st_size, reverse=True)
        running: dict[Future[tuple[nbformat.NotebookNode | Failure, float]], Path] = {
            pool.submit(_run, path, root, dict(environment)): path for path in ordered
        }
        news = Newest(environment.get("NTA_PROGRESS_FILE"))
        pending = set(running)
        while pending:
            finished, pending = wait(pending, timeout=2.0, return_when=FIRST_COMPLETED)
            if not finished and (line := news.read()):
                print(f"        {line}", flush=True)
            for future in finished:
                yield running[future], *future.result()


class Newest:
    """The newest line of a file that the chapters write to while they draw their explorers."""

    def __init__(self, path: str | None) -> None:
        self.path, self.place = path and Path(path), 0
        if self.path:
            self.path.unlink(missing_ok=True)

    def read(self) -> str:
        """Return the last line written since the last call, or nothing."""
        if not self.path or not self.path.exists():
            return ""
        with self.path.open(encoding="utf-8") as file:
            file.seek(self.place)
            lines = file.read().splitlines()
            self.place = file.tell()
        return lines[-1] if lines else ""


def _run(
    path: Path, root: Path, environment: dict[str, str]
) -> tuple[nbformat.NotebookNode | Failure, float]:
    """Run one notebook in its own folder, as a reader's JupyterLab does."""
    notebook = read_notebook(path.read_text(encoding="utf-8"))
    reached = [0]
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,  # it would change the cells by which the cache knows a chapter
        on_cell_start=lambda cell, cell_index: reached.append(cell_index),
    )
    started = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory(prefix="nta-") as folder:
            # a file each: of two kernels that start at once, both may choose the same TCP port
            kernel = client.create_kernel_manager()
            kernel.transport, kernel.ip = "ipc", str(Path(folder) / "kernel")
            client.execute(env=environment)
        error = ""
    except CellExecutionError as raised:
        error = _ANSI.sub("", f"{raised.ename}: {raised.evalue}{_line(raised.traceback)}")
    except CellTimeoutError:
        error = f"took more than {CELL_TIMEOUT} s"
    except DeadKernelError:
        error = "its Python process died"
    seconds = time.perf_counter() - started
    if not error:
        return notebook, seconds
    chapter, cell = path.relative_to(root).as_posix(), reached[-1]
    return Failure(chapter, cell + 1, notebook.cells[cell].source, error), seconds


def _line(traceback: str) -> str:
    """Return the line of the cell that a traceback points at: an assertion often says no more."""
    arrow = re.search(r"^-+> (\d+) (.*)$", _ANSI.sub("", traceback), re.MULTILINE)
    return f" (line {arrow[1]}: {arrow[2].strip()})" if arrow else ""
