"""Ties: what training settles on inside a league, read three ways.

`cyclic_subspace` is the part of weight space that stays finite, `finite_part` is the point of it
that training reaches, and `luce_strengths` finds the same odds by counting races, with no
attention in sight: the oracle for the other two.
"""

from nta_core.soft.luce import LuceStrengths, luce_strengths
from nta_core.soft.newton import FinitePart, finite_part
from nta_core.soft.subspaces import Subspace, active_subspace, cyclic_subspace
