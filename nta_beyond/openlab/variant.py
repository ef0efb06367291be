"""The parts that the layer may grow, and a name for every combination of them."""

from __future__ import annotations

from dataclasses import dataclass, fields

from nta_core.errors import OptionError


@dataclass(frozen=True, repr=False)
class Variant:
    """Which parts a network has; none of them is the paper's layer.

    Attributes
    ----------
    softmax : bool
        The head's numbers become probabilities by a softmax, as in an ordinary transformer, not
        by being read as they are.  An MLP and anything trained in embeddings or decoder need it.
    second_layer : bool
        Every position is rewritten by a first attention layer before the last one reads.
    second_head : bool
        Two attention matrices per layer, their outputs averaged.
    mlp : bool
        Behind each attention, a network of one hidden layer that is added to its input.
    residual : bool
        The input of each attention is added to its output.
    positions : bool
        A vector per position is added to the embeddings.
    trained_embeddings : bool
        Token (and position) vectors are trained, too.
    trained_decoder : bool
        The head's vectors are trained, too.

    Examples
    --------
    >>> Variant()
    Variant(the paper's layer)
    >>> Variant(mlp=True, residual=True).name
    'MLP + residual'

    Explained in: chapter 15. Paper: Sec. 7.
    """

    softmax: bool = False
    second_layer: bool = False
    second_head: bool = False
    mlp: bool = False
    residual: bool = False
    positions: bool = False
    trained_embeddings: bool = False
    trained_decoder: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, bool):
                raise OptionError(f"{field.name}={value!r}: a part is there (True) or not (False)")

    @property
    def needs_softmax(self) -> bool:
        """Whether a part can push the output out of the simplex, where it is no probability."""
        return self.mlp or self.trained_embeddings or self.trained_decoder

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that were added, in the order of `PARTS`; a softmax only if it was a choice."""
        free = not self.needs_softmax
        return tuple(name for name in PARTS if getattr(self, name) and (free or name != "softmax"))

    @property
    def name(self) -> str:
        """The parts in words."""
        return " + ".join(PARTS[name] for name in self.parts) or "the paper's layer"

    def __repr__(self) -> str:
        return f"Variant({self.name})"


#: Every part that can be added to the paper's layer, with the words a reader sees.
PARTS: dict[str, str] = {field.name: field.name.replace("_", " ") for field in fields(Variant)}
PARTS |= {"softmax": "softmax head", "mlp": "MLP"}
