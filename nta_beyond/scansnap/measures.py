"""What the paper's figures measure, from attention by class and token."""

from __future__ import annotations

import numpy as np

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import attention_shares
from nta_core.boundary import Floats
from nta_core.errors import OptionError


def class_attention(classes: SequenceClasses, Z: Floats) -> Floats:
    """Return the attention of every class at infinite length, c_{l|n} ∝ P(l|n) exp(z_ψ(n)l).

    From attention logits of shape (..., Q, L), row m for query m, to shape (..., K, L).

    Examples
    --------
    >>> import numpy as np
    >>> from nta_beyond.scansnap import SequenceClasses
    >>> pair = SequenceClasses([[2, 1, 1, 0], [2, 0, 0, 2]])
    >>> class_attention(pair, np.log([[1, 2, 1, 1]])).round(3)
    array([[0.4, 0.4, 0.2, 0. ],
           [0.5, 0. , 0. , 0.5]])

    Explained in: chapter 13. Paper: Scan and Snap, Lemma 2.
    """
    return attention_shares(np.asarray(Z), classes.P, classes.queries)


def class_features(attention: Floats) -> Floats:
    """Return attention divided by its Euclidean length, f = c / ‖c‖₂, along the last axis.

    Examples
    --------
    >>> class_features(np.array([0.3, 0.4]))
    array([0.6, 0.8])

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """
    return np.asarray(attention / np.linalg.norm(attention, axis=-1, keepdims=True))


def distinct_entropy(attention: Floats, classes: SequenceClasses) -> Floats:
    """Return the entropy, in nats, of attention renormalized on the distinct tokens.

    This is the entropy of Fig. 6: of attention that has left the common tokens.  From shape
    (..., K, L) to (..., K).

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> small = syn_small()
    >>> distinct_entropy(small.P, small).round(3)
    array([2.151, 2.151])

    Explained in: chapter 13. Paper: Scan and Snap, Fig. 6.
    """
    own = attention * classes.distinct
    shares = own / own.sum(axis=-1, keepdims=True)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=-1))


def common_mass(attention: Floats, classes: SequenceClasses) -> Floats:
    """Return the attention of each class on common tokens, shape (..., K).

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> small = syn_small()
    >>> common_mass(small.P, small).round(3)
    array([0.645, 0.645])

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 2.
    """
    return np.asarray((attention * classes.common).sum(axis=-1))


def rank_agreement(Z: Floats, classes: SequenceClasses) -> Floats:
    """Return Spearman's correlation between logits and frequencies of distinct tokens.

    1 says: the more frequent a distinct token, the higher its logit.  From logits of shape (Q, L)
    to shape (K,).

    Examples
    --------
    >>> from nta_beyond.scansnap import make_classes
    >>> pair = make_classes(2, common=1, distinct=3)
    >>> rank_agreement(np.array([[-1, 0.1, 0.2, 0.3, 0.3, 0.2, 0.1]]), pair).tolist()
    [1.0, -1.0]

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 3.
    """
    from scipy.stats import spearmanr  # half a second to load, so only when it is asked for

    pairs = zip(classes.P, Z[classes.queries], classes.distinct, strict=True)
    return np.array([spearmanr(P[own], z[own]).statistic for P, z, own in pairs])


def distinct_recall(
    attention: Floats, classes: SequenceClasses, *, threshold: float | None = None
) -> Floats:
    """Return which share of its distinct tokens a class attends to above a threshold.

    The threshold is 1/M by default, what an even spread over the vocabulary would give.  From
    attention of shape (..., K, L) to shape (..., K).

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> small = syn_small()
    >>> distinct_recall(small.P, small, threshold=1 / small.M)
    array([0.6, 0.6])

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 11 and 12.
    """
    level = 1 / classes.M if threshold is None else threshold
    if not 0 <= level <= 1:
        raise OptionError(f"threshold={threshold!r}: an attention, from 0 to 1")
    return np.asarray(((attention > level) & classes.distinct).sum(-1) / classes.distinct.sum(-1))
