"""The picture of the start page as a Python object."""

from typing import Any, ClassVar

from nta_book.lab.widget import BookWidget, traitlets
from nta_core.boundary import a
from nta_core.data import Dataset
from nta_core.errors import OptionError

#: The six orders of the start page: what a guest said, and the word that came next.
ORDERS = Dataset.from_text(
    """
    tokens: tea coffee milk please
    tea coffee please -> tea
    coffee milk please -> coffee
    tea milk please -> tea
    tea coffee milk please -> coffee
    tea coffee please -> tea
    milk please -> milk
    """
)
#: What the picture can hold.
MOST_RACES, MOST_RUNNERS, MOST_TOKENS = 8, 5, 8


class LeagueRace(BookWidget):
    """Races whose runners go as far as the layer's attention, beside the league table they make.

    The layer is trained in the page: plain gradient descent on the log-loss from W = 0, with
    orthonormal embeddings and step size 1.  The slider moves the training step; a click on a runner
    makes it the winner of its race, and the table sorts itself anew.

    Parameters
    ----------
    dataset : Dataset
        Races of one track; at most 8 races of 5 runners and 8 tokens.

    Examples
    --------
    >>> LeagueRace(ORDERS)
    LeagueRace(6 races of tea, coffee, milk and please)
    >>> LeagueRace(ORDERS).page_state()["rows"][0]
    [[0, 1, 3], 0]

    Explained in: the start page.
    """

    module: ClassVar[str] = "hero"
    label: ClassVar[str] = "Races and their league table: train one attention layer"

    names: traitlets.List[Any] = traitlets.List().tag(sync=True)
    rows: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, dataset: Dataset) -> None:
        races = a(Dataset, dataset, "dataset")
        rows = list(zip(races.sequences, races.labels, strict=True))
        if len({sequence[-1] for sequence, _ in rows}) != 1:
            raise OptionError("the picture shows one track: all sequences end with the same token")
        runners = max(len(set(sequence)) for sequence, _ in rows)
        if len(rows) > MOST_RACES or runners > MOST_RUNNERS or races.K > MOST_TOKENS:
            raise OptionError(
                f"the picture holds {MOST_RACES} races of {MOST_RUNNERS} runners and "
                f"{MOST_TOKENS} tokens; the Token Lab holds more"
            )
        absent = next((i for i, (seq, label) in enumerate(rows) if label not in seq), None)
        if absent is not None:
            raise OptionError(f"sequence {absent}: its winner does not run")
        super().__init__(
            names=[str(name) for name in races.names],
            rows=[[[int(token) for token in seq], int(label)] for seq, label in rows],
        )

    def __repr__(self) -> str:
        *first, last = self.names
        return f"LeagueRace({len(self.rows)} races of {', '.join(first)} and {last})"
