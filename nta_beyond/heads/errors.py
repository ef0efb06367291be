"""What can be wrong with a head that somebody else trained; all errors are `NTAError`."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from nta_core.boundary import shown
from nta_core.errors import FileError, NTAError

NEAR = 3  # names to offer instead of a missing one
LONGEST = 200  # characters of a name that are compared with others


class HeadError(NTAError):
    """Weights that are no attention head: the message names them and says what would fit.

    Explained in: chapter 17.
    """


class MissingTensor(HeadError, KeyError):
    """A name that a state dict or a file does not hold; the message offers the nearest ones.

    Explained in: chapter 17.
    """


class WeightsFileError(FileError):
    """A file that is no safetensors file, or lies about its size; begins with its path.

    Explained in: chapter 17.
    """


def missing(name: object, held: Collection[str], *, what: str) -> MissingTensor:
    """Say that a tensor is not there, and which names come near."""
    asked = name if isinstance(name, str) else ""
    end = asked.rpartition(".")[0].rpartition(".")[2] or asked
    alike = [other for other in held if end and end in other.split(".")]
    near = list(dict.fromkeys([*get_close_matches(asked[:LONGEST], held, NEAR, 0.5), *alike]))[
        :NEAR
    ]
    instead = f"near it: {', '.join(near)}" if near else f"it holds {shown(sorted(held))}"
    return MissingTensor(f"there is no tensor {shown(name)} for {what}; {instead}")
