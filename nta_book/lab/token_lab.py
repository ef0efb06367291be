"""The Token Lab as a Python object."""

from typing import Any, ClassVar

import numpy as np

from nta_book.lab.widget import BookWidget, traitlets
from nta_core.boundary import a, flag, shown
from nta_core.data import Dataset
from nta_core.errors import DataError, OptionError

# What the picture can hold; the same numbers stand in page/token_lab/text.js, a test compares.
LIMITS = {"tokens": 16, "races": 120, "runners": 24, "name": 16}

#: Six sequences of words, the language a lab opens with: after *chases* a strict order, after
#: *likes* a tie, and in both places tokens that no race compares.
CAT_AND_DOG = Dataset.from_text(
    """\
    mouse cat chases -> mouse
    cat dog chases -> cat
    dog cat likes -> dog
    dog cat likes -> dog
    cat dog likes -> cat
    dog mouse likes -> dog
    """
)


class TokenLab(BookWidget):
    """Edit races, watch one attention layer learn their league table, play against it.

    Parameters
    ----------
    dataset : Dataset
        The races to start with, `CAT_AND_DOG` unless given; at most 16 tokens, 120 races of 24
        tokens.
    compact : bool
        Leave out the settings, the score axes and the play part, for a place among other things.
    home : str
        Address of the page with the full lab, linked from a compact one.
    play : bool
        Begin to train when the lab comes into view (not for readers who prefer little motion).

    Attributes
    ----------
    dataset : Dataset
        The races in force.  It follows the reader's edits (a line that cannot be read is left out
        and marked in the lab) and can be set, which redraws the lab.
    text : str
        The races in force as text; what ``Dataset.from_text`` reads.
    draft : str
        What the reader typed, comments and unreadable lines included; out of force as soon as
        `text` is set to something else.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> lab = TokenLab(FIG3)
    >>> lab.text.splitlines()[0]
    'e1 e2 e1 -> e2'
    >>> lab.text = "a b -> a"
    >>> lab.dataset.names
    ('a', 'b')

    Explained in: the Token Lab.
    """

    module: ClassVar[str] = "token_lab"
    label: ClassVar[str] = "Token Lab: train one attention layer"

    text = traitlets.Unicode().tag(sync=True)
    draft = traitlets.Unicode().tag(sync=True)
    compact = traitlets.Bool(False).tag(sync=True)
    home = traitlets.Unicode("").tag(sync=True)
    play = traitlets.Bool(False).tag(sync=True)
    address = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        dataset: Dataset = CAT_AND_DOG,
        *,
        compact: bool = False,
        home: str = "",
        play: bool = False,
        **kwargs: Any,
    ) -> None:
        a(str, home, "home")
        compact, play = flag(compact, "compact"), flag(play, "play")
        text = _checked(dataset).to_text()
        super().__init__(text=text, draft=text, compact=compact, home=home, play=play, **kwargs)

    @property
    def dataset(self) -> Dataset:
        """The races in force."""
        if not self.text:
            raise DataError("the lab holds no race that can be read: add one, or set lab.dataset")
        return Dataset.from_text(self.text)

    @dataset.setter
    def dataset(self, dataset: Dataset) -> None:
        self.text = _checked(dataset).to_text()

    @traitlets.validate("text")
    def _readable(self, proposal: dict[str, Any]) -> str:
        text = str(proposal["value"])
        if text:
            _checked(Dataset.from_text(text))
        return text

    def page_state(self) -> dict[str, Any]:
        """Return the state for a page without a kernel, where the full lab keeps the address.

        Examples
        --------
        >>> TokenLab(compact=True).page_state()["address"]
        False
        """
        return {**super().page_state(), "address": not self.compact}

    def __repr__(self) -> str:
        return f"TokenLab({self.text.count('->')} races{', compact' if self.compact else ''})"


def _checked(dataset: Dataset) -> Dataset:
    """Return the dataset if the lab can draw it, or say what is too large."""
    if not isinstance(dataset, Dataset):
        raise OptionError(
            f"the lab shows a Dataset, got {shown(dataset)}: "
            "use Dataset.from_text('a b c -> b') or Dataset(sequences, labels)"
        )
    sizes = {
        "tokens": (dataset.K, "tokens in the vocabulary"),
        "races": (dataset.n, "races"),
        "runners": (int(np.diff(dataset.offsets).max()), "tokens in one race"),
        "name": (max(map(len, dataset.names)), "characters in one name"),
    }
    for what, (size, words) in sizes.items():
        if size > LIMITS[what]:
            raise DataError(
                f"the lab draws at most {LIMITS[what]} {words}, got {size}: "
                "take dataset.subset(rows), or relabel the tokens that occur"
            )
    return dataset
