"""Which cells of a notebook another cell needs, read from their code.

A cell is needed when it gives a name that is used later, or changes the object behind one.  The
answer errs on the safe side: what might matter is kept, so the cells that remain run by themselves.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Names:
    """The global names of a piece of code.

    Attributes
    ----------
    bound
        Bound at all, be it in a branch.
    given
        Bound whatever happens: later cells need no earlier one for them.
    changed
        Bound in a branch, or changed in place: an earlier cell may still matter.
    wanted
        Read before they are given here, also inside functions, which may run later.
    late
        Read inside functions: what they mean is settled when the function runs.
    """

    bound: frozenset[str]
    given: frozenset[str]
    changed: frozenset[str]
    wanted: frozenset[str]
    late: frozenset[str]


@cache
def names_of(code: str) -> Names:
    """Return the names that a cell gives, changes and wants.

    >>> names = names_of("x = y + 1\\nif x:\\n    z = 2\\nrows.append(x)\\ndef f(a): return a + w")
    >>> [sorted(kind) for kind in (names.given, names.changed, names.wanted)]
    [['f', 'x'], ['rows', 'z'], ['rows', 'w', 'y']]
    """
    statements = ast.parse(code).body
    nodes = [node for statement in statements for node in ast.walk(statement)]
    given = {name for statement in statements for name in _bound(statement)}
    symbols = symtable.symtable(code, "cell", "exec").get_symbols()
    bound = given | {symbol.get_name() for symbol in symbols if symbol.is_assigned()}
    changed = set(_changed_in_place(nodes)) | (bound - given)
    wanted = _wanted(statements, given)
    late = _read(code)[1]
    return Names(
        frozenset(bound),
        frozenset(given),
        frozenset(changed),
        frozenset(wanted - set(dir(builtins))),
        frozenset(late - set(dir(builtins))),
    )


def _wanted(statements: Sequence[ast.stmt], given: set[str]) -> set[str]:
    """Return what statements read before they bind it; functions find all that the cell gives."""
    wanted: set[str] = set()
    for statement in reversed(statements):
        wanted = (wanted - set(_bound(statement))) | _wanted_by_one(statement, given)
    return wanted


def _wanted_by_one(statement: ast.stmt, given: set[str]) -> set[str]:
    """Return what one statement reads; what a loop or a handler binds is there in its own body."""
    blocks = [block for _, block in ast.iter_fields(statement) if _is_block(block)]
    if not blocks or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        now, later = _read(ast.unparse(statement))
        if isinstance(statement, ast.AugAssign):  # reads what it writes
            now |= _stored([statement.target])
        return now | (later - given)
    inside = set().union(*(_wanted_by_block(block, given) for block in blocks))
    heads = [
        node
        for _, part in ast.iter_fields(statement)
        if not _is_block(part)
        for node in _nodes(part)
    ]
    now, later = _read("\n".join(ast.unparse(head) for head in _evaluated(statement)))
    read = now | (later - given)
    return read | (inside - _stored(heads))


def _evaluated(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield what a compound statement evaluates before its body: what it loops over, or tests."""
    for _, part in ast.iter_fields(statement):
        for one in part if isinstance(part, list) else [part]:
            value = one.context_expr if isinstance(one, ast.withitem) else one
            stored = isinstance(getattr(value, "ctx", None), ast.Store)
            if isinstance(value, ast.expr) and not stored:
                yield value


def _is_block(part: object) -> bool:
    return (
        isinstance(part, list) and bool(part) and isinstance(part[0], ast.stmt | ast.excepthandler)
    )


def _wanted_by_block(block: Sequence[ast.stmt | ast.excepthandler], given: set[str]) -> set[str]:
    wanted: set[str] = set()
    for part in block:
        if isinstance(part, ast.ExceptHandler):
            wanted |= _wanted(part.body, given) - {part.name or ""}
            wanted |= {node.id for node in _nodes(part.type) if isinstance(node, ast.Name)}
    return wanted | _wanted([part for part in block if isinstance(part, ast.stmt)], given)


def _nodes(part: object) -> Iterator[ast.AST]:
    parts = part if isinstance(part, list) else [part]
    return (node for one in parts if isinstance(one, ast.AST) for node in ast.walk(one))


def _read(code: str) -> tuple[set[str], set[str]]:
    """Return the global names that code reads at once, and those that its functions read."""
    whole = symtable.symtable(code, "cell", "exec")
    now = {s.get_name() for s in whole.get_symbols() if s.is_referenced()}
    later: set[str] = set()
    inner = list(whole.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        names = {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
        # Comprehensions run where they stand.
        target = (
            now if table.get_name() in {"listcomp", "setcomp", "dictcomp", "genexpr"} else later
        )
        target |= names
    return now, later


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield what a statement at the top level binds whatever happens."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (name.asname or name.name.partition(".")[0] for name in statement.names)
    elif isinstance(statement, ast.Assign):
        yield from _stored(node for target in statement.targets for node in ast.walk(target))
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield from _stored([statement.target])
    elif isinstance(statement, ast.With):
        for inner in statement.body:
            yield from _bound(inner)


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _changed_in_place(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield names whose objects are written into, or whose methods are called for their effect."""
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield from _root(node)
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            yield from _root(node.value.func)


def _root(node: ast.expr) -> Iterator[str]:
    """Yield the name at the root of ``a.b[c].d``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def needed_cells(earlier: Sequence[str], code: str) -> tuple[list[int], frozenset[str]]:
    """Return the places of the earlier cells that code needs, and the names that none gives.

    >>> needed_cells(["a = 1", "b = 2", "c = a"], "print(c + d)")
    ([0, 2], frozenset({'d'}))
    """
    target, every = names_of(code), [names_of(cell) for cell in earlier]
    late: set[str] = set(target.late)
    while True:
        chosen, missing = _walked_back(every, target, late)
        # A function reads its globals when it runs: the last cell that sets them counts, too.
        more = late.union(*(every[place].late for place in chosen))
        if more == late:
            return chosen, frozenset(missing)
        late = more


def _walked_back(
    every: Sequence[Names], target: Names, late: set[str]
) -> tuple[list[int], set[str]]:
    wanted = set(target.wanted) | (late - target.given)
    maybe = set(target.changed)
    chosen: list[int] = []
    for place in range(len(every) - 1, -1, -1):
        names = every[place]
        if wanted & (names.given | names.changed):
            chosen.append(place)
            wanted = (wanted - names.given) | names.wanted
            maybe |= names.changed
    # What a branch or a loop binds is counted as given when nothing before it gives it.
    return chosen[::-1], wanted - maybe
