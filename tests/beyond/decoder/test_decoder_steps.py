"""Where votes cross between a copying head and a learned one, as chapter 20 forecasts it."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.decoder_steps import KINDS, TIED, K, turning, votes
from nta_beyond.scansnap import clue_or_copy_dataset


@pytest.mark.parametrize("cyclic", [False, True])
def test_the_best_voter_for_a_label_is_a_label_token_until_the_votes_cross(cyclic):
    """For either label, whichever token overtakes, also where both label tokens are in sight."""
    rng, crossed = np.random.default_rng(20), 0
    for seed in range(20):
        data = clue_or_copy_dataset(0.25, cyclic=cyclic, seed=seed, n=30)
        counts, targets = data.counts.astype(float), np.array(data.targets)
        counts[:, -1] = 0  # the query
        learned = 5 * rng.standard_normal((K, K))
        for label, turn in enumerate(turning(learned, counts, targets)):
            seen = counts[targets == label].any(axis=0)
            for alpha in (0.0, turn - 1e-6, turn + 1e-6, 1.0):
                if 0 <= alpha <= 1:
                    head = (1 - alpha) * TIED * np.eye(K) + alpha * learned
                    best = int(np.where(seen, votes(head, counts, targets), -np.inf).argmax())
                    assert (KINDS[best] == "label") == (alpha < turn)
            crossed += turn < 1
    assert crossed > 20
