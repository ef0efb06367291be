"""Random numbers that a page and Python draw alike."""

from __future__ import annotations

import numpy as np

from nta_core.boundary import Floats, room_for, whole

STEP = np.uint32(0x6D2B79F5)  # odd: the state visits all 2³² values before it returns


def mulberry32(seed: int, count: int) -> Floats:
    """Draw numbers between 0 and 1 as the urn of the page does, digit for digit.

    Tommy Ettinger's generator has a state of 32 bits that grows by a constant, so that the t-th
    number is a mixture of bits of ``seed + t · constant``.  It is made for pictures: where texts
    are counted by the thousand, `simulate` draws with numpy.

    Parameters
    ----------
    seed : int
        From 0 to 2³² − 1.
    count : int
        How many numbers.

    Returns
    -------
    array of shape (count,)

    Examples
    --------
    >>> mulberry32(1, 3).round(4).tolist()
    [0.6271, 0.0027, 0.5274]

    Explained in: chapter 18.
    """
    start = np.uint32(whole(seed, "seed", most=2**32 - 1))
    room_for(40.0 * whole(count, "count"), f"{count} numbers", instead="draw fewer")
    with np.errstate(over="ignore"):  # 32 bits, as in the page: what does not fit is dropped
        state = start + np.arange(1, count + 1, dtype=np.uint32) * STEP
        mixed = (state ^ state >> np.uint32(15)) * (state | np.uint32(1))
        mixed ^= mixed + (mixed ^ mixed >> np.uint32(7)) * (mixed | np.uint32(61))
        mixed ^= mixed >> np.uint32(14)
    return np.asarray(mixed / 2.0**32)
