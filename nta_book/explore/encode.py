"""All states of an explorer in little space: what is constant once, what varies in tables.

A node of the tree is one of

* ``{"k": value}``: the same in every state;
* ``{"o": {key: node}}``: an object;
* ``{"a": [node, …], "n": node}``: an array, of which a state has the first n;
* ``{"l": [node, …]}``: a text whose lines are nodes (drawings: most lines never change);
* ``{"t": [value, …], "c": column}``: a value that varies: state s has ``t[columns[c][s]]``;
* ``{"p": [line, …], "t": [[i, …], …], "c": column}``: a text as a list of lines from a pool.

Attributes that occur often in drawings are written as one character of Unicode's private area,
which stands for an entry of ``short``.  The decoder of the page (``nta-explorer.js``) is the same
two dozen lines as `decode` here.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Node = dict[str, Any]
Columns = dict[tuple[int, ...], int]  # each once, with its number
FIRST_SIGN = 0xE000
MOST_SIGNS = 400
_ATTRIBUTE = re.compile(r' [a-z-]+="[^"]*"')
_SIGN = re.compile("[\ue000-\uf8ff]")


def encode(states: Sequence[Any]) -> Node:
    """Encode one JSON value per state.

    Examples
    --------
    >>> encode([{"a": 1, "b": 1}, {"a": 1, "b": 2}])
    {'short': [], 'columns': [[0, 1]], 'tree': {'o': {'a': {'k': 1}, 'b': {'t': [1, 2], 'c': 0}}}}
    """
    short = _frequent(list(states))
    signs = {words: chr(FIRST_SIGN + k) for k, words in enumerate(short)}

    def shorten(text: str) -> str:
        return _ATTRIBUTE.sub(lambda match: signs.get(match[0], match[0]), text)

    columns: Columns = {}
    tree = _node([_mapped(state, shorten) if short else state for state in states], columns)
    return {"short": short, "columns": [list(column) for column in columns], "tree": tree}


def decode(code: Node, state: int) -> Any:
    """The value of one state, as the page decodes it.

    Examples
    --------
    >>> decode(encode(["a\\nb", "a\\nc"]), 1)
    'a\\nc'
    """

    def at(node: Node) -> Any:
        if "k" in node:
            return node["k"]
        if "o" in node:
            return {key: at(item) for key, item in node["o"].items()}
        if "a" in node:
            return [at(item) for item in node["a"][: at(node["n"])]]
        if "l" in node:
            return "\n".join(at(item) for item in node["l"])
        value = node["t"][code["columns"][node["c"]][state]]
        return "\n".join(node["p"][i] for i in value) if "p" in node else value

    def expand(text: str) -> str:
        return _SIGN.sub(lambda match: code["short"][ord(match[0]) - FIRST_SIGN], text)

    value = at(code["tree"])
    return _mapped(value, expand) if code["short"] else value


def size(code: Node) -> int:
    """Bytes of the encoded states on the page."""
    return len(json.dumps(code, separators=(",", ":"), ensure_ascii=False).encode())


def _node(values: list[Any], columns: Columns) -> Node:
    keys = [json.dumps(value, sort_keys=False) for value in values]
    if len(set(keys)) == 1:
        return {"k": values[0]}
    if all(isinstance(v, dict) for v in values) and len({tuple(v) for v in values}) == 1:
        return {"o": {key: _node([v[key] for v in values], columns) for key in values[0]}}
    # a list of objects is worth opening; a list of numbers is one value
    if all(isinstance(v, list) and v and isinstance(v[0], dict) for v in values):
        return _array(values, columns)
    if all(isinstance(value, str) and "\n" in value for value in values):
        return _text([value.split("\n") for value in values], columns)
    return _table(values, keys, columns)


def _array(values: list[list[Any]], columns: Columns) -> Node:
    """Position by position; where a state has fewer items, any other state's item stands in."""
    longest = max(values, key=len)
    padded = [[*value, *longest[len(value) :]] for value in values]
    items = [_node(list(column), columns) for column in zip(*padded, strict=True)]
    return {"a": items, "n": _node([len(value) for value in values], columns)}


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with every string changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    return value


def _frequent(states: list[Any]) -> list[str]:
    """The attributes worth a sign of their own; none if a text uses such signs itself."""
    counts: Counter[str] = Counter()
    texts: dict[str, str] = {}
    _mapped(states, lambda text: texts.setdefault(text, text))
    for text in texts:
        if _SIGN.search(text):
            return []
        if text.startswith("<svg"):
            counts.update(_ATTRIBUTE.findall(text))
    gains = {words: (count - 1) * (len(words) - 3) for words, count in counts.items()}
    best = sorted(gains, key=lambda words: (-gains[words], words))
    return [words for words in best[:MOST_SIGNS] if gains[words] > 20]


def _text(texts: list[list[str]], columns: Columns) -> Node:
    if len({len(lines) for lines in texts}) == 1:
        return {"l": [_node(list(lines), columns) for lines in zip(*texts, strict=True)]}
    pool: dict[str, int] = {}
    lists = [[pool.setdefault(line, len(pool)) for line in lines] for lines in texts]
    return {"p": list(pool), **_table(lists, [json.dumps(value) for value in lists], columns)}


def _table(values: list[Any], keys: list[str], columns: Columns) -> Node:
    """Distinct values in order of appearance, and the column that says which one a state has."""
    distinct = dict(zip(keys, values, strict=True))
    places = {key: place for place, key in enumerate(distinct)}
    column = tuple(places[key] for key in keys)
    return {"t": list(distinct.values()), "c": columns.setdefault(column, len(columns))}
