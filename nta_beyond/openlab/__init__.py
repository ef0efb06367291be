"""The open lab: the paper's layer, grown by one part at a time, and one measure of what survives.

`variant` names the parts, `exam` asks the questions whose answers the data determines and defines
league agreement, `network` is the growing model, `trial` trains it for many seeds at once.  torch
is loaded only when a network is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nta_beyond.openlab.exam import Exam, exams, league_agreement
from nta_beyond.openlab.variant import PARTS, Variant
from nta_core.boundary import needs

if TYPE_CHECKING:
    from nta_beyond.openlab.network import OpenNetwork
    from nta_beyond.openlab.trial import Trial, train_variant


def __getattr__(name: str) -> Any:
    # Late, because torch takes seconds to load and the measure does not need it.
    if name not in ("OpenNetwork", "Trial", "train_variant"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    needs("torch", wanted_for=f"openlab.{name}", extra="torch")
    from nta_beyond.openlab import trial

    return getattr(trial, name)
