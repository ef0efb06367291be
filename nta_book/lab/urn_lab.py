"""The urn of chapter 18 as a Python object."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from nta_beyond.chain import TokenChain
from nta_book.lab.widget import BookWidget, traitlets
from nta_core.boundary import check_names, entries, number, whole
from nta_core.errors import OptionError

# Places of the sliders; the same numbers stand in page/urn/main.js, a test compares.
STRENGTHS = (0.5, 0.75, 1, 1.25, 1.5, 2, 3)
AGAIN = (0.25, 0.5, 0.75, 1, 1.5, 2)
TEMPERATURES = (0.5, 0.75, 1, 1.5, 2)
LAST_SEED = 9999
WORDS = 3


class UrnLab(BookWidget):
    """A text of three words, each drawn by count × strength: press play and watch it collapse.

    Beside the text stand 20 others with the same strengths; all are `TokenChain.generate`, run in
    the page from the same random numbers.

    Parameters
    ----------
    strengths : three numbers
        From 0.5 to 3; the sliders take the nearest value they have.
    again : float
        A word is so many times as strong right after itself; from 0.25 to 2.
    temperature : float
        Of the draws, from 0.5 to 2.
    seed : int
        Number of the text, from 1 to 9999; the others are the next 20.
    names : three names
        The words; each stands in the prompt once, in this order.

    Attributes
    ----------
    strengths, again, temperature, seed
        They follow the reader.

    Examples
    --------
    >>> urn = UrnLab([2, 1, 1])
    >>> urn
    UrnLab(tea 2, coffee 1, milk 1)
    >>> urn.chain.generate([0, 1, 2], 5, seed=urn.seed)
    (0, 1, 2, 1, 0, 0, 2, 2)

    Explained in: chapter 18.
    """

    module: ClassVar[str] = "urn"
    label: ClassVar[str] = "A text drawn from an urn of words"

    names: traitlets.List[Any] = traitlets.List().tag(sync=True)
    strengths: traitlets.List[Any] = traitlets.List().tag(sync=True)
    again: traitlets.Float[Any, Any] = traitlets.Float(1.0).tag(sync=True)
    temperature: traitlets.Float[Any, Any] = traitlets.Float(1.0).tag(sync=True)
    seed: traitlets.Int[Any, Any] = traitlets.Int(1).tag(sync=True)

    def __init__(
        self,
        strengths: Sequence[float] = (1, 1, 1),
        *,
        again: float = 1.0,
        temperature: float = 1.0,
        seed: int = 1,
        names: Sequence[str] = ("tea", "coffee", "milk"),
    ) -> None:
        given = entries(strengths, "strengths", error=OptionError)
        if len(given) != WORDS:
            raise OptionError(f"the urn holds {WORDS} words: give {WORDS} strengths")
        super().__init__(
            names=list(check_names(names, WORDS)),
            strengths=[_place(value, "a strength", STRENGTHS) for value in given],
            again=_place(again, "again", AGAIN),
            temperature=_place(temperature, "temperature", TEMPERATURES),
            seed=whole(seed, "seed", least=1, most=LAST_SEED),
        )

    @property
    def chain(self) -> TokenChain:
        """The chain that writes the texts, with the strengths in force."""
        column = np.array(self.strengths, dtype=float)
        table = column[:, None] * np.where(np.eye(WORDS), self.again, 1.0)
        return TokenChain(table, temperature=self.temperature)

    def __repr__(self) -> str:
        pairs = zip(self.names, self.strengths, strict=True)
        more = "" if self.again == 1 else f"; after itself × {self.again:g}"
        more += "" if self.temperature == 1 else f"; temperature {self.temperature:g}"
        return f"UrnLab({', '.join(f'{name} {value:g}' for name, value in pairs)}{more})"


def _place(value: object, name: str, places: Sequence[float]) -> float:
    """The place of a slider that is nearest to a value within its ends."""
    wanted = number(value, name, least=places[0], most=places[-1])
    return float(min(places, key=lambda one: abs(one - wanted)))
