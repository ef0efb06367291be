"""Counting and repeating on machines of every word size.

Tokens and keys are int64 everywhere, but where numpy counts, cuts or repeats it takes the machine's
own index type and nothing wider: 32 bits in the Python of a browser.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_index(values: ArrayLike) -> NDArray[np.intp]:
    """Values in numpy's index type; where that is int64 already, the same array.

    Examples
    --------
    >>> np.bincount(as_index(np.array([2, 0, 2], dtype=np.int64)))
    array([1, 0, 2])
    """
    return np.asarray(values, dtype=np.intp)
