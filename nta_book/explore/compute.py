"""Draw every state of an explorer: in this process or, when it takes long, in two others.

They get the functions by value, so it does not matter that these live in a notebook.  If they
cannot have them or die, this process draws everything itself: the result is the same, only later.
Nothing is printed, because output of a notebook cell ends up on the page; progress goes to the
file that ``NTA_PROGRESS_FILE`` names.
"""

import io
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nta_book.errors import ExplorerError
from nta_book.viz.drawing import alt_of, panel

SLOW = 2.5  # seconds: below this other processes cost more than they save
PROCESSES = 2
PIECES = 10  # one line of progress each
Drawn = dict[str, Any]


class State(dict[str, Any]):
    """The values of all controls: ``state["C"]`` or ``state.C``.

    Examples
    --------
    >>> State(C=2).C
    2
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(self)
            raise AttributeError(f"no control {name!r}; the controls are {known}") from None

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.items())


@dataclass
class Recipe:
    """How one state becomes a picture and words."""

    question: str
    render: Callable[[State], Any]
    words: Callable[[State], str]

    def picture(self, state: State) -> tuple[Any, str]:
        """Draw one state; whatever goes wrong is reported with the state's name."""
        try:
            picture, words = self.render(state), self.words(state)
            alt_of(picture)  # it refuses what is no picture
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
    """
    begin = time.perf_counter()
    drawn: list[Drawn] = []
    for state in states:
        drawn.append(recipe.draw(state))
        _report(recipe.question, 1, len(drawn), len(states))
        left = (time.perf_counter() - begin) * (len(states) / len(drawn) - 1)
        if len(drawn) >= 2 and left > SLOW:
            break
    for piece in _with_help(recipe, states[len(drawn) :]):
        drawn += piece
        _report(recipe.question, len(piece), len(drawn), len(states))
    return drawn


def _with_help(recipe: Recipe, states: Sequence[State]) -> Iterator[list[Drawn]]:
    """Draw states in pieces, shared between processes; without them where they fail."""
    size = -(-len(states) // PIECES) or 1
    pieces = [states[start : start + size] for start in range(0, len(states), size)]
    done = 0
    try:
        from joblib import Parallel, delayed  # without it this process draws

        from nta_book.explore.fingerprint import pickled

        work = pickled(recipe)
        shared = Parallel(PROCESSES, return_as="generator", max_nbytes=None, pre_dispatch="all")
        for piece in shared(delayed(_draw_piece)(work, piece) for piece in pieces):
            yield piece
            done += 1
    except ExplorerError:
        raise  # a state that fails there fails here as well
    except Exception:  # what a notebook holds may refuse to be pickled in any way it likes
        for states_left in pieces[done:]:
            yield [recipe.draw(state) for state in states_left]


def _draw_piece(work: bytes, states: Sequence[State]) -> list[Drawn]:
    """Body of another process; what a chapter prints or warns about there is not for the page."""
    silence = io.StringIO()
    with redirect_stdout(silence), redirect_stderr(silence):
        return [_unpacked(work).draw(state) for state in states]


@lru_cache(maxsize=1)
def _unpacked(work: bytes) -> Recipe:
    recipe: Recipe = pickle.loads(work)  # once, so that what its functions keep serves all pieces
    return recipe


def _report(question: str, new: int, done: int, total: int) -> None:
    """One line per tenth of the work, in the file that ``NTA_PROGRESS_FILE`` names."""
    path = os.environ.get("NTA_PROGRESS_FILE")
    if path and 10 * done // total > 10 * (done - new) // total:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"explorer “{question}”: {done} of {total} states\n")
