"""Explorers: one declaration, alive on the built page and live with a kernel.

Explained in: chapter 0.
"""

from nta_core.explore.compute import State
from nta_core.explore.controls import Choice, Slider, Switch
from nta_core.explore.explorer import Explorer

__all__ = ["Choice", "Explorer", "Slider", "State", "Switch"]
