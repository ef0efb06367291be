"""Ctrl-C in the middle of a training, at a chosen call of one of its parts."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import pytest

from nta_core.training import Interrupted


def interrupted(place: str, calls: int, train: Callable[[], object]) -> Interrupted:
    """What a training hands over when Ctrl-C comes at so many calls of `place`, "module:name"."""
    kept, count = resolve_name(place), iter(range(1, 10**9))
    with pytest.MonkeyPatch.context() as patch:

        def part(*args: Any, **options: Any) -> Any:
            if next(count) == calls:
                raise KeyboardInterrupt
            return kept(*args, **options)

        patch.setattr(place.replace(":", "."), part)
        with pytest.raises(KeyboardInterrupt) as caught:
            train()
    assert isinstance(caught.value, Interrupted)
    return caught.value
