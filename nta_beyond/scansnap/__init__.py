"""Scan and Snap (Tian et al. 2023): in which order attention forms when the decoder learns too.

`SequenceClasses` say where sequences come from; `train_sampled`, `train_population` and
`population_flow` train on them; `TheoryCurves`, `theory_flow` and `exact_decoder` are the theory;
`clue_or_copy_contest` puts this layer beside the one of the token-priority graph;
`train_on_contexts` takes any data.
"""

from nta_beyond.scansnap.classes import SequenceClasses, make_classes, syn_medium, syn_small
from nta_beyond.scansnap.clue_or_copy import (
    INGREDIENTS,
    Contest,
    ContestSide,
    clue_or_copy_contest,
    clue_or_copy_contests,
    clue_or_copy_dataset,
    ingredient_masses,
    train_copying,
    train_scanning,
)
from nta_beyond.scansnap.flow import (
    DecoderPath,
    TheoryFlow,
    exact_decoder,
    population_flow,
    snap_scale,
    theory_flow,
)
from nta_beyond.scansnap.layer import (
    Contexts,
    LayerRun,
    contexts_from_counts,
    contexts_from_windows,
    contexts_of,
    train_on_contexts,
)
from nta_beyond.scansnap.measures import (
    class_attention,
    class_features,
    common_mass,
    distinct_entropy,
    distinct_recall,
    rank_agreement,
)
from nta_beyond.scansnap.run import (
    AttentionPath,
    ScanSnapRun,
    Snap,
    TokenGrowth,
    find_snap,
    path_share,
    speed_slopes,
    token_growth,
)
from nta_beyond.scansnap.steps import train_population, train_sampled, train_sampled_batch
from nta_beyond.scansnap.theory import ClassOverlaps, TheoryCurves, class_overlaps, theory_of
