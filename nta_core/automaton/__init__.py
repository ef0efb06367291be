"""The automaton: a rule of two steps that predicts the trained layer without running it.

`scores` holds what the max-margin solution guesses where the graphs are silent, `answers` are
predictions with their reasons, and `machine` puts them together.
"""

from nta_core.automaton.answers import Prediction, Silence
from nta_core.automaton.machine import Automaton
