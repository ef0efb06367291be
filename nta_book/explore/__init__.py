"""Explorers: one declaration, alive on the built page and live with a kernel."""

from nta_book.explore.compute import State
from nta_book.explore.controls import Choice, Slider, Switch
from nta_book.explore.explorer import Explorer
