"""`Explorer`: a question, a few controls and a picture; declared once, alive twice.

On the built page all states are there already, drawn when the book was built.  With a kernel the
same declaration becomes ipywidgets with finer values.
"""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

from nta_book.errors import ExplorerError
from nta_book.explore import cache, encode
from nta_book.explore.compute import Recipe, State, draw_all
from nta_book.explore.controls import Control
from nta_book.viz.drawing import in_book
from nta_book.viz.theme import described
from nta_core.boundary import a, entries, shown

MIME = "application/vnd.nta.explorer+json"
MOST_STATES = 1500
MOST_BYTES = 600_000
RESET = "reset"


class Explorer:
    """One question, a few controls, a picture and a sentence for every state.

    Parameters
    ----------
    question : str
        What the explorer answers.
    controls : sequence of Slider, Choice and Switch
    render : callable
        Takes the state (``state.C``) and returns a picture of `nta_book.viz`.
    words : callable
        Takes the state and returns the result in one sentence.
    alt : str
        What there is to see, whatever the state; every picture adds its own alt text.
    presets : mapping from label to {name: value}, optional
        Named states; controls that are not named go back to their start.

    Raises
    ------
    ExplorerError
        When the declaration is inconsistent, when a state fails (it is named), or when the book
        is built and the states are too many or too large.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> from nta_book.explore import Explorer, Slider
    >>> from nta_book.viz import sequences
    >>> races = Explorer(
    ...     "How many races have been run?",
    ...     controls=[Slider("n", range(8), label="races")],
    ...     render=lambda state: sequences(FIG3, upto=state.n),
    ...     words=lambda state: f"{state.n} races have been run.",
    ...     alt="The sequences of the paper's Fig. 3; those not yet run are pale.",
    ...     presets={"all of them": {"n": 7}},
    ... )
    >>> races
    Explorer('How many races have been run?', 8 states)
    >>> races.check()
    >>> races.at(n=7)["words"]
    '7 races have been run.'
    """

    def __init__(
        self,
        question: str,
        *,
        controls: Sequence[Control],
        render: Callable[[State], Any],
        words: Callable[[State], str],
        alt: str,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.question = " ".join(a(str, question, "question").split())
        self.alt = described("", alt=a(str, alt, "alt"))
        self.controls = tuple(entries(controls, "controls", error=ExplorerError))
        for control in self.controls:
            a(Control, control, "each of the controls", error=ExplorerError)
        for name, function in (("render", render), ("words", words)):
            if not callable(function):
                raise ExplorerError(
                    f"{name} must be a function of the state, got {shown(function)}"
                )
        names = [control.name for control in self.controls]
        if not self.question or not names or len(set(names)) < len(names):
            raise ExplorerError(
                f"an explorer needs a question and controls of different names, got {names}"
            )
        if not (presets is None or isinstance(presets, Mapping)):
            raise ExplorerError(f"presets map labels to states, got {shown(presets)}")
        self.presets = {
            a(str, label, "the label of a preset"): self._state(values)
            for label, values in (presets or {}).items()
        }
        if RESET in self.presets:
            raise ExplorerError(f"the preset {RESET!r} is always there: choose another label")
        self._recipe = Recipe(self.question, render, words)
        # A notebook swallows errors raised while it displays an object, so everything that can
        # fail happens here, where the error stops the cell and with it the build.
        if in_book():
            self.payload  # noqa: B018
        else:
            self._recipe.draw(self._state({}))

    def __repr__(self) -> str:
        return f"Explorer({self.question!r}, {self.count} states)"

    @property
    def count(self) -> int:
        """Number of states on the built page."""
        return prod(len(control.values) for control in self.controls)

    def states(self) -> list[State]:
        """Every state of the grid; the last control runs fastest."""
        names = [control.name for control in self.controls]
        grid = itertools.product(*(control.values for control in self.controls))
        return [State(zip(names, values, strict=True)) for values in grid]

    def at(self, **values: Any) -> dict[str, Any]:
        """Picture (as panel) and words of one state; controls not named stand at their start."""
        return self._recipe.draw(self._state(values))

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The explorer as the page runtime reads it, with all its states."""
        if self.count > MOST_STATES:
            raise ExplorerError(
                f"the explorer “{self.question}” has {self.count} states, more than {MOST_STATES}: "
                "take fewer values per control, or fewer controls"
            )
        from nta_book.explore.fingerprint import fingerprint  # late: it needs joblib

        declaration = self._declaration()
        name = fingerprint(
            json.dumps(declaration, default=repr),
            self._recipe.render,
            self._recipe.words,
            [control.values for control in self.controls],
        )
        code = cache.load(name)
        if code is None:
            code = encode.encode(draw_all(self._recipe, self.states()))
            cache.store(name, code)
        size = encode.size(code)
        if size > MOST_BYTES:
            raise ExplorerError(
                f"the explorer “{self.question}” needs {size:,} bytes for its {self.count} states, "
                f"more than {MOST_BYTES:,}: take fewer values or a smaller picture"
            )
        return {**declaration, "states": code, "size": size, "count": self.count}

    def check(self) -> None:
        """Draw the start, both ends of every control and every preset, and see that they differ.

        Raises
        ------
        ExplorerError
            When a control moves while its picture stays, or a preset shows the start again.
        """
        start = self.at()
        for control in self.controls:
            ends = [v for v in (control.values[0], control.values[-1]) if v != control.default]
            drawn = [self.at(**{control.name: value}) for value in ends]
            if all(_image(end["panel"]) == _image(start["panel"]) for end in drawn):
                raise ExplorerError(f"the control {control.name!r} moves, but its picture stays")
            for value, end in zip(ends, drawn, strict=True):
                if end == start:
                    raise ExplorerError(f"{control.name}={value} changes neither picture nor words")
        for label, state in self.presets.items():
            if state != self._state({}) and self._recipe.draw(state) == start:
                raise ExplorerError(f"the preset {label!r} changes neither picture nor words")

    def widget(self) -> Any:
        """The live form: ipywidgets, see `Live`."""
        from nta_book.explore.live import Live

        return Live(self._recipe, self.controls, {**self.presets, RESET: self._state({})})

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        if in_book():
            return {"text/plain": repr(self), MIME: self.payload}
        return {**self.widget().box._repr_mimebundle_(**options), "text/plain": repr(self)}

    def _state(self, values: Mapping[str, Any]) -> State:
        known = {control.name: control for control in self.controls}
        if not isinstance(values, Mapping):
            raise ExplorerError(f"a state maps names of controls to values, got {shown(values)}")
        for name in values:
            if name not in known:
                raise ExplorerError(f"no control {name!r}; the controls are {', '.join(known)}")
        start = State({name: control.default for name, control in known.items()})
        # the grid's own value, which may be of another type than the equal one that was given
        start.update(
            {name: known[name].values[known[name].position(v)] for name, v in values.items()}
        )
        return start

    def _declaration(self) -> dict[str, Any]:
        presets = [
            {"label": label, "state": {c.name: c.position(state[c.name]) for c in self.controls}}
            for label, state in self.presets.items()
        ]
        return {
            "question": self.question,
            "alt": self.alt,
            "controls": [control.json() for control in self.controls],
            "presets": presets,
        }


def _image(drawn: dict[str, Any]) -> str:
    """What one sees of a panel: all of it but the alt texts."""
    if drawn["kind"] == "panels":
        return json.dumps([_image(item) for item in drawn["items"]])
    return json.dumps({key: value for key, value in drawn.items() if key != "alt"})
