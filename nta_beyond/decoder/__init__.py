"""The other half of the layer: attention stands still, and the head learns.

A `Language` is what the head sees: contexts as vectors that attention has already mixed, and how
often each word follows.  `train_head` trains on it; `HeadTheory` predicts where that ends, a
direction (`margin_part`) and a point (`odds_part`); `free_contexts` lets the contexts move too.
"""

from nta_beyond.decoder.descent import HeadRun, train_head
from nta_beyond.decoder.errors import NotSeparable
from nta_beyond.decoder.free import FreeContexts, free_contexts
from nta_beyond.decoder.language import Language
from nta_beyond.decoder.loss import head_gradient, head_loss
from nta_beyond.decoder.parts import (
    HeadParts,
    HeadTheory,
    MarginPart,
    OddsPart,
    margin_part,
    odds_part,
)
