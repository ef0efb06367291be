"""One meaning of "changed", for chapters, explorers and experiments.

Each of them carries a *stamp*: a hash of the code that it runs.  It covers what is reached from its
own code by name: top-level functions, classes and assignments of our packages, through imports,
re-exports and attributes such as ``viz.cone``; and the versions of the other packages that these
use.  Comments, docstrings and blank lines do not count: explaining code better costs no computing.

Code is read, never run.  What reading cannot resolve counts as a whole, which is slow but never
wrong: a module passed around as a value is all of that module, an import by string is everything.

- Statements that define nothing (a loop, ``TABLE["a"] = ...``) and definitions under a decorator of
  ours, which may enter them in a list (``picture`` does not), belong to everything that imports
  their module.
- ``needs("package", ...)`` is an import of the package that it names.
- Annotations and what stands under ``if TYPE_CHECKING`` compute nothing.
- ``stored_result("name")`` reads a file: its content counts, the stamp inside it does not.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parents[2]  # of the packages: a checkout, or site-packages
OURS = ("nta_core", "nta_beyond", "nta_book", "experiments")
RESULTS = Path("nta_book", "results", "data")
_LOOSE = ""  # stands for the statements of a module that define nothing
_WHOLE = "*"  # stands for all of a module, or for all modules
_NEVER_RUN = {"annotation", "returns"}  # or without any effect
_ENTERS_NOTHING = ("nta_book.viz.given", "picture")  # a decorator of ours that only wraps
_NEEDS = ("nta_core.boundary", "needs")  # imports by string, and those who call it say what
_BY_STRING = {"import_module", "__import__", "eval", "exec"}

Node = tuple[str, str]  # a module and a name in it
Names = tuple[str, ...]  # a module, and names to follow from there: ("nta_book", "viz", "cone")


@dataclass
class Part:
    """Statements: their bare code and the names that stand in them."""

    code: str = ""
    chains: set[Names] = field(default_factory=set)  # ``viz.cone`` as ("viz", "cone")
    imports: dict[str, Names] = field(default_factory=dict)
    results: set[str] = field(default_factory=set)  # patterns of stored results that are read

    def add(self, other: Part) -> None:
        """Take in more statements."""
        self.code += other.code
        self.chains |= other.chains
        self.imports |= other.imports
        self.results |= other.results

    def read(self, code: str, statement: ast.stmt, package: str) -> None:
        """Take in a statement.

        A variable of a function that is called like something outside counts as a use of it.
        """
        self.code += code and f"{code}\n"
        waiting: list[ast.AST] = [statement]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._read_import(node, package)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self.chains.add((node.id,))
            elif chain := _chain(node):
                self.chains.add(chain)
                continue
            elif isinstance(node, ast.Call):
                self._read_call(node)
            for name, value in ast.iter_fields(node):
                if name not in _NEVER_RUN and not (name == "body" and _is_for_types(node)):
                    values = value if isinstance(value, list) else [value]
                    waiting += [child for child in values if isinstance(child, ast.AST)]

    def _read_call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        if called.endswith("stored_result"):
            self.results.add(_pattern(node.args[0]) if node.args else _WHOLE)
        elif called == _NEEDS[1] and node.args and isinstance(node.args[0], ast.Constant):
            module = str(node.args[0].value)
            self.imports[f"({module})"] = (module,)
            self.chains.add((f"({module})",))

    def _read_import(self, node: ast.Import | ast.ImportFrom, package: str) -> None:
        if isinstance(node, ast.Import):
            for n in node.names:
                top = n.name.split(".")[0]
                self.imports[n.asname or top] = (n.name if n.asname else top,)
                self.imports[f"({n.name})"] = (n.name,)  # it runs, whatever it is called
            return
        above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        for n in node.names:
            if n.name == "*":  # nobody knows what comes in: all of it
                self.imports[f"({module})"] = (module,)
                self.chains.add((f"({module})",))
            else:
                self.imports[n.asname or n.name] = (module, n.name)


class Source:
    """One module, taken apart."""

    def __init__(self, name: str, text: str, *, package: str = "") -> None:
        self.parts: dict[str, Part] = {_LOOSE: Part()}
        self.imports: dict[str, Names] = {}
        self.imported: set[str] = set()  # paths, those inside functions included
        tree = ast.parse(text)
        lines = bare_lines(text, tree)
        for statement in tree.body:
            if not _is_text(statement) and not _is_for_commands(statement):
                self._sort_in(name, statement, lines, package)

    def _sort_in(self, name: str, statement: ast.stmt, lines: list[str], package: str) -> None:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        code = "\n".join(line for line in lines[first - 1 : statement.end_lineno] if line)
        if isinstance(statement, ast.Import | ast.ImportFrom) or _is_for_types(statement):
            code = ""
        part = Part()
        part.read(code, statement, package)
        self.imported |= {".".join(path) for path in part.imports.values()}
        defined, loose = _defined(statement), self.parts[_LOOSE]
        for known in defined:
            self.parts.setdefault(known, Part()).add(part)
        if not defined:
            loose.add(part)
            self.imports |= dict.fromkeys(_stored(statement), (name, _LOOSE)) | part.imports
        elif any(self._is_ours(decorator) for decorator in decorators):
            loose.add(Part(f"{defined}", {(known,) for known in defined}))

    def offers(self, name: str) -> bool:
        """Tell whether the module may have this name."""
        return name in self.parts or name in self.imports or "__getattr__" in self.parts

    def _is_ours(self, decorator: ast.expr) -> bool:
        root = ast.unparse(decorator).partition(".")[0].partition("(")[0]
        path = self.imports.get(root, ("",))
        return root in self.parts or (path[0].split(".")[0] in OURS and path != _ENTERS_NOTHING)


class Project:
    """The packages below a folder, read once: edit a file and make a new one."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._sources: dict[str, Source | None] = {}

    def stamp(self, *paths: Names, versions: bool = True) -> str:
        """Return the stamp of all that is reached from here.

        Parameters
        ----------
        paths
            Modules and names in them, such as ``("nta_core.svm", "GraphSVM")``.
        versions
            Count the versions of Python and of the other packages in use.
        """
        return self._stamp({self.resolve(*path) for path in paths}, versions=versions)

    def chapter(self, notebook: Path) -> str:
        """Return the stamp of a notebook: its code cells and all they need, files included."""
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        try:
            source = self._sources["chapter"] = Source("chapter", code)
        except SyntaxError:  # magics, or a cell that is going to fail
            return _hash([code, self._stamp([f"{_WHOLE}:{_WHOLE}"], versions=True)])
        words = [code]
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words += _file(notebook.parent, node.value)
        return _hash(
            [*words, self._stamp([f"chapter:{name}" for name in source.parts], versions=True)]
        )

    def reached(self, start: Iterable[str]) -> dict[Node, set[str]]:
        """Return every name needed from these paths on, each with the names that it needs."""
        found: dict[Node, set[str]] = {}
        waiting = list(start)
        while waiting:
            module, _, name = waiting.pop().rpartition(":")
            if not module or (module, name) in found:
                continue  # another package, or known
            found[module, name] = self._needs(module, name)
            waiting.extend([*found[module, name], f"{module}:{_LOOSE}"])
            if name == _LOOSE:
                waiting.extend(f"{imported}:{_LOOSE}" for imported in self._run_by(module))
        return found

    def source(self, module: str) -> Source | None:
        """Return a module of ours; None when there is none of this name."""
        if module not in self._sources:
            base = self.root.joinpath(*module.split("."))
            path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
            package = module if base.is_dir() else module.rpartition(".")[0]
            self._sources[module] = (
                Source(module, path.read_text(encoding="utf-8"), package=package)
                if module.split(".")[0] in OURS and path.is_file()
                else None
            )
        return self._sources[module]

    def modules(self) -> Iterator[str]:
        """Yield the name of every module of ours."""
        for package in OURS:
            for path in sorted((self.root / package).rglob("*.py")):
                parts = path.relative_to(self.root).with_suffix("").parts
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def resolve(self, module: str, *names: str) -> str:
        """Return ``module:name`` of what names lead to; in other packages the path stays.

        >>> Project().resolve("nta_core", "FIG3"), Project().resolve("numpy", "linalg", "norm")
        ('nta_core.data.dataset:FIG3', 'numpy.linalg.norm')
        """
        source = self.source(module)
        if source is None:
            return ".".join([module, *names])
        if not names:
            return f"{module}:{_WHOLE}"
        name, *rest = names
        if name in source.parts:
            return f"{module}:{name}"
        if source.imports.get(name, (module, name)) != (module, name):
            return self.resolve(*source.imports[name], *rest)
        if self.source(f"{module}.{name}"):
            return self.resolve(f"{module}.{name}", *rest)
        return f"{module}:{'__getattr__' if '__getattr__' in source.parts else _WHOLE}"

    def stored(self, pattern: str) -> Iterator[str]:
        """Yield name and content of the stored results that a pattern fits."""
        for path in sorted((self.root / RESULTS).glob(f"{pattern}.json")):
            content = json.loads(path.read_text(encoding="utf-8"))
            yield path.stem
            yield json.dumps({key: value for key, value in content.items() if key != "stamp"})

    def _needs(self, module: str, name: str) -> set[str]:
        """Return what a name needs by itself, as `resolve` gives it."""
        if module == _WHOLE:
            return {f"{each}:{_WHOLE}" for each in self.modules()}
        source = self.source(module)
        assert source is not None, f"{module} was resolved, so it is ours"
        if name == _WHOLE:
            passed_on = {self.resolve(*path) for path in source.imports.values()}
            return passed_on | {f"{module}:{each}" for each in source.parts}
        part = source.parts[name]
        needs = set()
        for first, *rest in part.chains:
            if first in _BY_STRING and (module, name) != _NEEDS:
                needs.add(f"{_WHOLE}:{_WHOLE}")
            if first in part.imports:
                needs.add(self.resolve(*part.imports[first], *rest))
            elif first in source.parts or first in source.imports:
                needs.add(self.resolve(module, first, *rest))
        return needs - {f"{module}:{name}"}

    def _run_by(self, module: str) -> set[str]:
        """Return the modules whose statements run when this one is imported."""
        source = self.source(module)
        paths = {module} | (source.imported if source else set())
        found = set()
        for path in paths:
            names = path.split(".")
            found |= {".".join(names[: k + 1]) for k in range(len(names))}
        return {name for name in found if self.source(name) is not None}

    def _stamp(self, start: Iterable[str], *, versions: bool) -> str:
        words = sorted(start)
        found = self.reached(words)
        others = {need for needs in (set(words), *found.values()) for need in needs}
        for (module, name), needs in sorted(found.items()):
            source = self.source(module)
            part = source.parts.get(name, Part()) if source else Part()
            if part.code or name == _WHOLE:  # most modules define, and do nothing else
                words += [module, name, part.code, *sorted(needs)]
            for pattern in sorted(part.results):
                words += self.stored(pattern)
        if versions:
            words.append(f"python {sys.version_info.major}.{sys.version_info.minor}")
            packages = {need.split(".")[0] for need in others if ":" not in need}
            words += [f"{name} {_version(name)}" for name in sorted(packages)]
        return _hash(words)


def bare_lines(text: str, tree: ast.Module) -> list[str]:
    """Return the lines of a module; those of comments and docstrings are empty.

    Text rather than a dump of the tree, which differs between versions of Python.
    """
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if "#" in text else ():
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(tree):
        if _is_text(node) and not lines[node.lineno - 1][: node.col_offset].strip():
            for row in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[row] = ""
    return [line.rstrip() for line in lines]


def _chain(node: ast.AST) -> Names:
    """Return ``viz.bars.cone`` as its names; nothing for what does not start with a name."""
    names: Names = ()
    while isinstance(node, ast.Attribute):
        names, node = (node.attr, *names), node.value
    return (node.id, *names) if names and isinstance(node, ast.Name) else ()


def _pattern(name: ast.expr) -> str:
    """Return a text, also an f-string, with a star for what is known only later."""
    pieces = name.values if isinstance(name, ast.JoinedStr) else [name]
    return "".join(str(x.value) if isinstance(x, ast.Constant) else "*" for x in pieces)


def _stored(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement gives a value, those of definitions inside included."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _is_for_commands(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__ ==")


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines, if that is all it does."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    else:
        return []
    plain = [x for t in targets for x in (t.elts if isinstance(t, ast.Tuple) else [t])]
    names = [x.id for x in plain if isinstance(x, ast.Name)]
    return names if len(names) == len(plain) else []


def _is_text(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Tell whether a statement is nothing but a text: a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _file(folder: Path, name: str) -> Iterator[str]:
    if 0 < len(name) < 200 and "\n" not in name and "\0" not in name and (folder / name).is_file():
        yield hashlib.sha256((folder / name).read_bytes()).hexdigest()


@cache
def _version(package: str) -> str:
    """Return the version of the distribution that a module belongs to; nothing for Python's own."""
    if package in sys.stdlib_module_names:
        return ""
    try:
        return version(package)
    except PackageNotFoundError:  # ``yaml`` comes from PyYAML
        return " ".join(sorted(map(version, set(packages_distributions().get(package, [])))))


def _hash(words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()[:16]
