"""The three controls of an explorer: a slider, a choice, a switch.

Each has a grid of values that the built page knows, and labels that people read.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from nta_book.errors import ExplorerError
from nta_core.boundary import entries, flag, is_integer, number, shown

MOST_VALUES = 10_000  # fine ones, of a slider with a kernel
Format = str | Callable[[Any], str]


class Control:
    """What the three controls share; make a `Slider`, a `Choice` or a `Switch`.

    Attributes
    ----------
    name : str
        Key of the value in the state that `render` and `words` receive.
    values : tuple
        The values the built page offers.
    label : str
        What stands beside the control.
    labels : tuple of str
        How each value is written.
    index : int
        Position of the value the explorer starts with.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        name: str,
        values: Sequence[Any],
        labels: Sequence[str],
        label: str | None,
        default: Any,
    ) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise ExplorerError(f"control name {shown(name)} must be a Python name")
        if not (label is None or isinstance(label, str)):
            raise ExplorerError(f"the label of control {name!r} must be a text, got {shown(label)}")
        if len(values) < 2:
            raise ExplorerError(
                f"control {name!r} offers {len(values)} value(s): a control needs two"
            )
        if len(set(labels)) < len(labels):
            raise ExplorerError(f"control {name!r} writes two values alike: {labels}")
        self.name, self.label = name, label or name
        self.values, self.labels = tuple(values), tuple(labels)
        self.index = 0 if default is None else self.position(default)

    @property
    def default(self) -> Any:
        """The value the explorer starts with."""
        return self.values[self.index]

    def position(self, value: Any) -> int:
        """Where a value stands in the grid."""
        for index, known in enumerate(self.values):
            if isinstance(known, bool) == isinstance(value, bool) and _equal(known, value):
                return index
        raise ExplorerError(
            f"control {self.name!r} has no value {shown(value)}; it has {shown(self.values)}"
        )

    def json(self) -> dict[str, Any]:
        """The control as the page runtime reads it."""
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind,
            "values": list(self.values),
            "labels": list(self.labels),
            "default": self.index,
        }


class Slider(Control):
    """Numbers in order.

    Parameters
    ----------
    name : str
    values : sequence of numbers
        The grid on the built page.
    label : str, optional
        By default the name.
    default : number, optional
        By default the first value.
    live : (start, stop, step), optional
        The finer values a kernel offers; by default the grid itself.
    format : str or callable
        How a value is written, for example ``"{:.1f}"``.
    play : bool
        Adds a button that runs through the values.

    Examples
    --------
    >>> Slider("C", [0, 1, 2.5], label="strictness C", live=(0, 2.5, 0.5)).fine[:3]
    (0.0, 0.5, 1.0)
    """

    kind = "slider"

    def __init__(
        self,
        name: str,
        values: Sequence[Any] | np.ndarray[Any, Any],
        *,
        label: str | None = None,
        default: Any = None,
        live: tuple[float, float, float] | None = None,
        format: Format = "{:g}",
        play: bool = False,
    ) -> None:
        given = entries(values, "values", error=ExplorerError)
        reals = [number(value, f"a value of slider {shown(name)}") for value in given]
        grid = tuple(
            int(value) if is_integer(value) else real
            for value, real in zip(given, reals, strict=True)
        )
        if any(a >= b for a, b in pairwise(grid)):
            raise ExplorerError(f"the values of slider {name!r} must grow: {grid}")
        if not isinstance(format, str) and not callable(format):
            raise ExplorerError(f"the format of slider {shown(name)} must be a text or a function")
        self.form, self.play = format, flag(play, "play")
        self.fine = grid if live is None else _steps(name, live)
        super().__init__(name, grid, [self.written(value) for value in grid], label, default)

    def written(self, value: Any) -> str:
        """How any value, also a fine one, is written."""
        try:
            text = self.form(value) if callable(self.form) else self.form.format(value)
            if not isinstance(text, str):
                raise TypeError(f"{shown(text)} is no text")
        except Exception as error:  # a format may be any function
            raise ExplorerError(f"a slider cannot write {shown(value)}: {shown(error)}") from error
        return text.replace("-", "−") if isinstance(value, int | float) else text

    def json(self) -> dict[str, Any]:
        """The control as the page runtime reads it."""
        return {**super().json(), "play": self.play}


class Choice(Control):
    """One of a few named things.

    Parameters
    ----------
    name : str
    values : sequence, or mapping from label to value
    label, default
        As for `Slider`.

    Examples
    --------
    >>> Choice("data", {"the paper's": 3, "its appendix's": 8}).labels
    ("the paper's", "its appendix's")
    """

    kind = "choice"

    def __init__(
        self,
        name: str,
        values: Sequence[Any] | Mapping[str, Any],
        *,
        label: str | None = None,
        default: Any = None,
    ) -> None:
        if isinstance(values, Mapping):
            grid, said = [*values.values()], [*values]
        else:  # of a word, each letter is a choice
            listed = [*values] if isinstance(values, str) else values
            grid = said = entries(listed, "values", error=ExplorerError)
        try:
            labels = [str(value) for value in said]
        except Exception as error:  # a value may be anything
            raise ExplorerError(f"a value of choice {shown(name)} cannot be written") from error
        super().__init__(name, grid, labels, label, default)

    def json(self) -> dict[str, Any]:
        """The control as the page runtime reads it: values may be anything, labels are shown."""
        return {**super().json(), "values": list(self.labels)}


class Switch(Control):
    """Off or on.

    Examples
    --------
    >>> Switch("upset", label="one upset").values
    (False, True)
    """

    kind = "switch"

    def __init__(self, name: str, *, label: str | None = None, default: bool = False) -> None:
        super().__init__(name, (False, True), ("off", "on"), label, default)


def _equal(known: Any, value: Any) -> bool:
    """Whether two values are equal; where nobody can say (arrays, say), they are not."""
    try:
        return bool(known == value)
    except Exception:  # a value may be anything
        return False


def _steps(name: str, live: tuple[float, float, float]) -> tuple[float, ...]:
    parts = entries(live, "live", error=ExplorerError)
    if len(parts) != 3:
        raise ExplorerError(f"slider {name!r}: live=(start, stop, step), got {shown(live)}")
    start, stop, step = (number(part, "live") for part in parts)
    if not step > 0 or not stop > start:
        raise ExplorerError(f"slider {name!r}: live=(start, stop, step) must rise, got {live}")
    if (stop - start) / step > MOST_VALUES:
        raise ExplorerError(
            f"slider {name!r}: live={live} has more than {MOST_VALUES:,} values: take longer steps"
        )
    count = round((stop - start) / step) + 1
    return tuple(float(f"{start + k * step:.10g}") for k in range(count))
