"""The automaton: a rule of two steps that predicts the trained layer without running it.

`standings` reads off the graphs which league of a context is on top, `scores` holds what the
max-margin solution guesses where they are silent, `prediction` is an answer with its reasons, and
`machine` puts them together.
"""

from nta_core.automaton.machine import Automaton
from nta_core.automaton.prediction import Prediction
from nta_core.automaton.standings import Silence, Standings

__all__ = ["Automaton", "Prediction", "Silence", "Standings"]
