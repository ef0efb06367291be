"""Run cells in the reader's browser as a notebook would, and say what came of them.

The worker of the page calls `run`; everything it hands back is JSON.  Outputs are the mime bundles
that the page draws.  An error names the line that the reader wrote, never the insides of a package.
The module is plain Python and needs no browser.
"""

from __future__ import annotations

import ast
import builtins
import io
import json
import linecache
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import wraps
from math import isfinite
from typing import Any, TypeGuard

import numpy as np

from nta_book.slicing import Names, names_of
from nta_core.errors import MissingPackage

#: How much of one text, of one markup, and of all that a cell prints is shown.
LONGEST_TEXT, LONGEST_MARKUP, LONGEST_PRINT = 100_000, 5_000_000, 200_000
MOST_OUTPUTS = 100
_CELL = "<cell "  # begins the file name of every cell
_YOURS, _ABOVE = "your cell", "a cell above"
DEEPEST = 8  # lines of the reader's own code that an error shows
ELSEWHERE = "open this chapter in JupyterLab or on Binder"
HERE = "The Python of this page has numpy, scipy, networkx and the packages of this book"
EXPLORER = (
    "An explorer: its states were computed when the book was built, and none is computed here."
)
#: What a cell misses that wants to start a program or a thread, and what Python says of it.
PROCESSES = "processes"
_ALONE = ("does not support processes", "can't start new thread")
#: What numpy says of an array that does not fit into addresses of 32 bits.
_TOO_BIG = "array is too big"
#: What the book's own drawings are sent as; a chart is plotly's, with or without plotly.
_DRAWN = ("application/vnd.nta.drawing+json", "application/vnd.plotly.v1+json")


class Page:
    """The names that the cells of one page share, and the outputs of the cell that runs."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")  # dataclasses and pickles look it up by name
        self.space = self.module.__dict__
        self.space.update(display=self.display, __builtins__=builtins)
        self.file = ""  # of the cell that runs
        self.outputs: list[dict[str, Any]] = []
        self.left_out = 0

    def display(self, *values: object, **_: object) -> None:
        """Show values where the outputs of the cell stand."""
        for value in values:
            if len(self.outputs) < MOST_OUTPUTS:
                self.outputs.append(bundle(value))
            else:
                self.left_out += 1

    def run(self, code: str, cell: str, is_needed: bool = False) -> dict[str, Any]:
        """Run a cell and return what the page shows of it; `is_needed` by another one."""
        before = dict(self.space)
        told = self._run(code, cell, is_needed)
        return told | {"bound": sorted(self._bound_since(before, code))}

    def names(self, code: str) -> dict[str, list[str]]:
        """What code wants of cells before it, and what of that nobody has given so far."""
        names = _names_of(code)
        wants = names.wanted | names.late
        return {"wants": sorted(wants), "lacks": sorted(names.wanted - self.space.keys())}

    def _run(self, code: str, cell: str, is_needed: bool) -> dict[str, Any]:
        self.outputs, self.left_out = [], 0
        name = self.file = _file_name(cell)
        # as a traceback looks it up; without a time linecache never asks a disk about it
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        try:
            notes = self._execute(code, name)
        except BaseException as error:  # also what a reader's exit() or deep recursion raises
            told = explained(error, name, is_needed)
            return {"ok": False, "outputs": self.outputs, "error": told}
        if self.left_out:
            notes.append(f"{self.left_out:,} more outputs are not shown.")
        return {"ok": True, "outputs": self.outputs, "notes": notes}

    def _bound_since(self, before: dict[str, Any], code: str) -> Iterator[str]:
        """The names that a cell bound: also to what they were, and in ways that no code shows."""
        written = _names_of(code).bound
        for name in (before.keys() | self.space.keys() | written) - {"_"}:
            if name in written or before.get(name) is not self.space.get(name):
                yield name

    def warned(self, message: object, kind: type, file: str, line: int, _: object = None) -> str:
        """A warning as the page shows it: the reader's line, and no file of ours."""
        where = ""
        if file.startswith(_CELL):
            where = f"{_YOURS if file == self.file else _ABOVE}, line {line}: "
        return f"{where}{kind.__name__}: {message}\n"

    def _execute(self, code: str, name: str) -> list[str]:
        tree = ast.parse(code, name)
        last = tree.body.pop() if _shows_its_value(tree, code) else None
        with _as_main(self.module), _bounded_print():
            notes = []
            for statements in _around_imports(tree.body):
                try:
                    exec(_compiled(statements, name), self.space)
                except MissingPackage:
                    if not _is_import_of_ours(first := statements[0]):
                        raise
                    notes += self._import_what_is_there(first, name)
            if isinstance(last, ast.Expr):
                value = eval(_compiled(last.value, name), self.space)
                if value is not None:
                    self.space["_"] = value
                    self.display(value)
        return notes

    def _import_what_is_there(self, statement: ast.ImportFrom, name: str) -> list[str]:
        """Import name by name, so that one that needs an absent package does not hide the others.

        That one becomes a stand-in, which raises the error when it is used.
        """
        notes = []
        for alias in statement.names:
            single = ast.copy_location(
                ast.ImportFrom(statement.module, [alias], statement.level), statement
            )
            try:
                exec(_compiled([single], name), self.space)
            except MissingPackage as error:
                self.space[alias.asname or alias.name] = Absent(str(error), error)
                notes.append(f"{alias.name}: {_missing(error.package)}")
        return notes


class Absent:
    """What stands for a name of ours that needs a package which is not here."""

    def __init__(self, words: str, error: MissingPackage) -> None:
        self.__words, self.__error = words, error

    def __repr__(self) -> str:
        return f"<{self.__words}>"

    def __call__(self, *_: object, **__: object) -> Any:
        raise self.__error.with_traceback(None)

    def __getattr__(self, name: str) -> Any:
        raise self.__error.with_traceback(None)


# ---- outputs -------------------------------------------------------------------------------------


def bundle(value: object) -> dict[str, Any]:
    """The mime bundle of a value, as the page draws it; too much of anything is cut."""
    if _is_explorer(value):
        return {"text/plain": EXPLORER}
    data: dict[str, Any] = {}
    made = _asked(value, "_repr_mimebundle_")
    data.update(made[0] if isinstance(made, tuple) else made or {})
    if any(mime in data for mime in _DRAWN):
        data = {mime: data[mime] for mime in _DRAWN if mime in data}
    elif "text/html" not in data and isinstance(markup := _asked(value, "_repr_html_"), str):
        data["text/html"] = markup
    if len(str(data.get("text/html", ""))) > LONGEST_MARKUP:
        data["text/html"] = f"<p>A table of {len(data['text/html']):,} characters is not shown.</p>"
    data["text/plain"] = _cut(_plain(value), LONGEST_TEXT)
    return data


def _asked(value: object, method: str) -> Any:
    """What an object answers to one of the questions a notebook asks; classes are not asked."""
    ask = None if isinstance(value, type | Absent) else getattr(value, method, None)
    return ask() if callable(ask) else None


def _plain(value: object) -> str:
    try:
        from IPython.lib.pretty import pretty  # the way a notebook breaks lines
    except ModuleNotFoundError:
        return repr(value)
    return str(pretty(value))  # type: ignore[no-untyped-call]


def _cut(text: str, most: int) -> str:
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}\n… {left:,} more characters are not shown."


def _is_explorer(value: object) -> bool:
    explorer = sys.modules.get("nta_book.explore.explorer")  # who has one has imported it
    return explorer is not None and isinstance(value, explorer.Explorer)


class _Bounded(io.TextIOBase):
    """Passes on what a cell prints, up to a limit, then one sentence."""

    def __init__(self, target: Any) -> None:
        self.target, self.left = target, LONGEST_PRINT

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.left >= 0:
            self.target.write(text[: self.left])
            self.left -= len(text)
            if self.left < 0:
                self.target.write(
                    f"\n… what this cell prints after {LONGEST_PRINT:,} characters is not shown.\n"
                )
        return len(text)

    def flush(self) -> None:
        self.target.flush()


@contextmanager
def _bounded_print() -> Iterator[None]:
    out = _Bounded(sys.stdout)
    with redirect_stdout(out):
        try:
            yield
        finally:
            out.flush()
            sys.stderr.flush()  # what stays behind would stand below the next cell


@contextmanager
def _as_main(module: types.ModuleType) -> Iterator[None]:
    """Let code find the names of its page where it looks for a program's own."""
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.modules["__main__"] = before


# ---- code ----------------------------------------------------------------------------------------


def _file_name(cell: str) -> str:
    return f"{_CELL}{cell}>"


def _names_of(code: str) -> Names:
    """The names of code; of what is no Python, none: running it says why."""
    try:
        return names_of(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return names_of("")


def _compiled(code: list[ast.stmt] | ast.expr, name: str) -> types.CodeType:
    if isinstance(code, ast.expr):
        return compile(ast.Expression(code), name, "eval", dont_inherit=True)
    return compile(ast.Module(code, []), name, "exec", dont_inherit=True)


def _shows_its_value(tree: ast.Module, code: str) -> bool:
    """Whether a cell ends with an expression, and without the semicolon that hides its value."""
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return False
    rest = code.splitlines()[(tree.body[-1].end_lineno or 1) - 1 :]
    rest[0] = rest[0].encode()[tree.body[-1].end_col_offset :].decode()
    return not rest[0].lstrip().startswith(";")


def _around_imports(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Cut code at the imports from our packages, each of which comes by itself."""
    block: list[ast.stmt] = []
    for statement in body:
        if _is_import_of_ours(statement):
            if block:
                yield block
                block = []
            yield [statement]
        else:
            block.append(statement)
    if block:
        yield block


def _is_import_of_ours(statement: ast.stmt) -> TypeGuard[ast.ImportFrom]:
    return (
        isinstance(statement, ast.ImportFrom)
        and (statement.module or "").startswith("nta_")
        and statement.names[0].name != "*"
    )


# ---- errors --------------------------------------------------------------------------------------


def explained(error: BaseException, name: str, is_needed: bool = False) -> dict[str, Any]:
    """An error as the page shows it: the reader's own lines, what happened, what to do."""
    kind, message = type(error).__name__, _cut(_message(error), 4000)
    missing = _missing_package(error)
    lines, line = _own_lines(error, name, _ABOVE if is_needed else _YOURS)
    lines.append(f"{kind}: {message}" if message else kind)
    advice = _missing(missing) if missing else _advice(error)
    if advice:
        lines.append(advice)
    return {
        "kind": kind,
        "message": message,
        "line": line,
        "text": "\n".join(lines),
        "missing": missing,
    }


def _message(error: BaseException) -> str:
    try:
        if isinstance(error, MissingPackage):
            return str(error).partition(": pip install")[0]  # which a page has not
        return str(error.msg) if isinstance(error, SyntaxError) else str(error)
    except Exception as again:  # an error of the reader's may fail to say what it is
        return f"(its message raised {type(again).__name__})"


def _own_lines(error: BaseException, name: str, called: str) -> tuple[list[str], int | None]:
    """The lines of cells that led to an error, and the number of the last one in this cell."""
    if isinstance(error, SyntaxError) and error.filename == name:
        shown = [f"{called}, line {error.lineno}"]
        if error.text:
            start = len(error.text) - len(error.text.lstrip())
            shown.append(f"    {error.text.strip()}")
            if error.offset:
                shown.append(" " * (4 + max(error.offset - 1 - start, 0)) + "^")
        return shown, error.lineno
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(_CELL)
    ]
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == name), None)
    shown = []
    if len(frames) > DEEPEST:
        shown.append(f"… {len(frames) - DEEPEST:,} lines before these")
    for frame in frames[-DEEPEST:]:
        where = called if frame.filename == name else _ABOVE
        within = "" if frame.name == "<module>" else f", in {frame.name}"
        shown += [f"{where}, line {frame.lineno}{within}", f"    {frame.line}"]
    return shown, line


def _missing_package(error: BaseException) -> str | None:
    if isinstance(error, MissingPackage):
        return error.package
    if isinstance(error, OSError | RuntimeError) and any(word in str(error) for word in _ALONE):
        return PROCESSES
    return error.name if isinstance(error, ModuleNotFoundError) else None


def _missing(package: str) -> str:
    if package == PROCESSES:
        return f"The Python of this page cannot start another program or thread: {ELSEWHERE}."
    return f"{package} is not here. {HERE}; for anything else, {ELSEWHERE}."


def _advice(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and str(error.text or "").lstrip().startswith(("%", "!")):
        return "Lines that begin with % or ! belong to Jupyter; here a cell is plain Python."
    if isinstance(error, ValueError) and _TOO_BIG in str(error):
        return _ADVICE[MemoryError]
    for kind, words in _ADVICE.items():
        if isinstance(error, kind):
            return words
    return ""


_ADVICE: dict[type[BaseException], str] = {
    RecursionError: "A function calls itself without an end: what stops it?",
    MemoryError: "The page has no more memory for Python: take something smaller, or reload it.",
    SystemExit: "A cell cannot end the page's Python: it simply ends with its last line.",
    KeyboardInterrupt: "The cell was stopped.",
}


# ---- what a notebook has and a page has not ------------------------------------------------------


def _no_keyboard(*_: object) -> str:
    raise EOFError("a cell of this page cannot ask: write the value into it instead of input()")


#: What numpy says, here by itself, of a matrix that a function cannot do.
_SINGULAR = {
    "inv": "Singular matrix",
    "solve": "Singular matrix",
    "cholesky": "Matrix is not positive definite",
}


def _refusing(function: Callable[..., Any], words: str) -> Callable[..., Any]:
    """Raise where numpy would: it is told by a flag of the processor, which WebAssembly has not.

    The flag says that an answer is NaN; where NaN was given, that is no fault.
    """

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if np.isnan(found).any():
            given = [*args, *kwargs.values()]
            if all(np.isfinite(a).all() for a in given if not isinstance(a, bool)):
                raise np.linalg.LinAlgError(words)
        return found

    return guarded


def _stand_ins(page: Callable[[], Page]) -> None:
    """Give cells what they expect of a notebook: display, HTML, and a glue that sticks nothing."""

    class HTML:
        def __init__(self, data: str = "") -> None:
            self.data = data

        def _repr_html_(self) -> str:
            return self.data

    def display(*values: object, **options: object) -> None:
        page().display(*values, **options)

    def glue(name: str, value: object, display: bool = True) -> None:
        """Numbers for the text of a page that was built long ago."""

    # A browser's integers have 32 bits, and numpy would name the 64 of ours on every array.
    # It has no setting for that; without its list everything works, and is wordier.
    printing = sys.modules.get("numpy._core.arrayprint")
    getattr(printing, "_typelessdata", []).append(np.int64)
    _module("IPython.display", display=display, HTML=HTML)
    _module("myst_nb", glue=glue)
    builtins.input = _no_keyboard
    warnings.formatwarning = lambda *told: page().warned(*told)


def _module(name: str, **contents: object) -> None:
    made = types.ModuleType(name)
    made.__dict__.update(contents)
    sys.modules[name] = made


def _json(told: dict[str, Any]) -> str:
    """Text that every browser reads: JSON has no NaN, and its readers refuse Python's."""
    try:
        return json.dumps(told, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_without_nan(told), default=str, allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


_PAGE = Page()


def run(code: str, cell: str, is_needed: bool = False) -> str:
    """Run a cell of the page; return outputs or the error, and the names it bound, as JSON."""
    return _json(_PAGE.run(code, cell, is_needed))


def names(texts: Sequence[str]) -> str:
    """What each text wants of cells before it, and what of that nobody has given, as JSON."""
    return json.dumps([_PAGE.names(text) for text in texts])


def reset() -> None:
    """Forget every name that the cells of the page gave."""
    global _PAGE
    _PAGE = Page()


def install() -> None:
    """Take the place of a notebook in this process; only the worker of a page does that."""
    _stand_ins(lambda: _PAGE)
    for name, words in _SINGULAR.items():
        refusing = _refusing(getattr(np.linalg, name), words)
        for home in (np.linalg, np.linalg._linalg):  # where numpy's own functions find it
            setattr(home, name, refusing)
