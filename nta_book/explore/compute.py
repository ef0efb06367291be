"""Draw every state of an explorer: in this process and, when it takes long, a second one.

The second process gets the functions by value, so it does not matter that they live in a
notebook.  If it cannot have them or dies, this process does its share as well: the result is the
same, only later.  Nothing is printed, because output of a notebook cell ends up on the page;
progress goes to the file that ``NTA_PROGRESS_FILE`` names.

Explained in: chapter 0.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from nta_book.errors import ExplorerError
from nta_book.explore.fingerprint import pickled
from nta_book.viz.drawing import panel

SLOW = 2.5  # seconds: below this a second process costs more than it saves
Drawn = dict[str, Any]


class State(dict[str, Any]):
    """The values of all controls: ``state["C"]`` or ``state.C``.

    Examples
    --------
    >>> State(C=2).C
    2

    Explained in: chapter 0.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(self)
            raise AttributeError(f"no control {name!r}; the controls are {known}") from None

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.items())


class Recipe:
    """How one state becomes a picture and words."""

    def __init__(
        self, question: str, render: Callable[[State], Any], words: Callable[[State], str]
    ) -> None:
        self.question = question
        self.render = render
        self.words = words

    def picture(self, state: State) -> tuple[Any, str]:
        """Draw one state; whatever goes wrong is reported with the state's name."""
        try:
            picture, words = self.render(state), self.words(state)
            panel(picture)
        except Exception as error:
            raise ExplorerError(
                f"the explorer “{self.question}” failed at {state}: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(words, str) or not words.strip():
            raise ExplorerError(f"the explorer “{self.question}” has no words at {state}")
        return picture, words

    def draw(self, state: State) -> Drawn:
        """One state as JSON."""
        picture, words = self.picture(state)
        return {"words": words, "panel": panel(picture)}


def draw_all(recipe: Recipe, states: Sequence[State]) -> list[Drawn]:
    """Draw every state, in order.

    Examples
    --------
    >>> from nta_book.viz import token
    >>> recipe = Recipe("?", lambda s: token(s.name), lambda s: s.name)
    >>> [drawn["words"] for drawn in draw_all(recipe, [State(name="a"), State(name="b")])]
    ['a', 'b']

    Explained in: chapter 0.
    """
    report = _Progress(recipe.question, len(states))
    begin = time.perf_counter()
    drawn: list[Drawn] = []
    for count, state in enumerate(states, start=1):
        drawn.append(recipe.draw(state))
        report(count)
        spent = time.perf_counter() - begin
        if count >= 2 and spent * (len(states) - count) / count > SLOW:
            break
    rest = states[len(drawn) :]
    if rest:
        drawn += _with_help(recipe, rest, report)
    return drawn


def _with_help(recipe: Recipe, states: Sequence[State], report: _Progress) -> list[Drawn]:
    half = (len(states) + 1) // 2
    helper = _start(recipe, states[half:])
    mine = []
    try:
        for state in states[:half]:
            mine.append(recipe.draw(state))
            report.advance()
        theirs = None if helper is None else _collect(helper)
    finally:
        if helper is not None and helper.poll() is None:
            helper.kill()
            helper.wait()
    if theirs is None:
        theirs = [recipe.draw(state) for state in states[half:]]
    report(report.total)
    return mine + theirs


def _start(recipe: Recipe, states: Sequence[State]) -> subprocess.Popen[bytes] | None:
    try:
        work = pickle.dumps((sys.path, pickled((recipe, list(states)))))
    except Exception:  # what a notebook holds may refuse to be pickled in any way it likes
        return None
    helper = subprocess.Popen(
        [sys.executable, "-m", "nta_book.explore.compute"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert helper.stdin is not None
    try:
        helper.stdin.write(work)
        helper.stdin.close()
    except BrokenPipeError:
        return None
    return helper


def _collect(helper: subprocess.Popen[bytes]) -> list[Drawn] | None:
    """What the second process drew; None when it could not start, an error when a state failed."""
    assert helper.stdout is not None
    answer = helper.stdout.read()
    if helper.wait() != 0 or not answer:
        return None
    drawn, failure = pickle.loads(answer)
    if failure:
        raise ExplorerError(failure)
    return list(drawn)


def main() -> None:
    """Body of the second process: recipe and states in, drawn states out."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing a chapter prints may get in between
    sys.path[:], work = pickle.loads(sys.stdin.buffer.read())  # first the path, then what needs it
    recipe, states = pickle.loads(work)
    try:
        answer: tuple[list[Drawn], str] = ([recipe.draw(state) for state in states], "")
    except ExplorerError as error:
        answer = ([], str(error))
    out.write(pickle.dumps(answer))
    out.flush()


class _Progress:
    """One line per tenth of the work, in the file that ``NTA_PROGRESS_FILE`` names."""

    def __init__(self, question: str, total: int) -> None:
        self.question, self.total, self.done, self.told = question, total, 0, 0
        self.path = os.environ.get("NTA_PROGRESS_FILE")

    def advance(self) -> None:
        self(self.done + 1)

    def __call__(self, done: int) -> None:
        self.done = done
        tenth = 10 * done // self.total
        if self.path and tenth > self.told:
            self.told = tenth
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(f"explorer “{self.question}”: {done} of {self.total} states\n")


if __name__ == "__main__":
    main()
