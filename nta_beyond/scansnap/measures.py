"""What the paper's figures measure, from attention by class and token."""

from __future__ import annotations

import numpy as np

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import attention_shares
from nta_core.boundary import Floats, a, number, reals
from nta_core.errors import DataError


def _of_classes(values: object, name: str, classes: SequenceClasses, *, by: str) -> Floats:
    """Numbers of shape (..., K, L), or (..., Q, L), for these classes."""
    array = reals(values, name, error=DataError)
    size = getattr(a(SequenceClasses, classes, "classes"), by), classes.L
    if array.shape[-2:] != size:
        raise DataError(
            f"{name} must have shape (..., {by}, L) = (..., {size[0]}, {size[1]}), "
            f"got {array.shape}"
        )
    return array


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
    return attention_shares(_of_classes(Z, "Z", classes, by="Q"), classes.P, classes.queries)


def class_features(attention: Floats) -> Floats:
    """Return attention divided by its Euclidean length, f = c / ‖c‖₂, along the last axis.

    Examples
    --------
    >>> class_features(np.array([0.3, 0.4]))
    array([0.6, 0.8])

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """
    array = np.atleast_1d(reals(attention, "attention", error=DataError))
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    if not (lengths > 0).all() or not np.isfinite(lengths).all():
        raise DataError("attention: no row may be all zero, or too large to be squared")
    return np.asarray(array / lengths)


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
    own = _of_classes(attention, "attention", classes, by="K") * classes.distinct
    if not (own.sum(axis=-1) > 0).all():
        raise DataError("attention: each class needs a distinct token, and some attention on it")
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
    array = _of_classes(attention, "attention", classes, by="K")
    return np.asarray((array * classes.common).sum(axis=-1))


def rank_agreement(Z: Floats, classes: SequenceClasses) -> Floats:
    """Return Spearman's correlation between logits and frequencies of distinct tokens.

    1 says: the more frequent a distinct token, the higher its logit; 0 also where logits or
    frequencies are all equal.  From logits of shape (Q, L) to shape (K,).

    Examples
    --------
    >>> from nta_beyond.scansnap import make_classes
    >>> pair = make_classes(2, common=1, distinct=3)
    >>> rank_agreement(np.array([[-1, 0.1, 0.2, 0.3, 0.3, 0.2, 0.1]]), pair).tolist()
    [1.0, -1.0]

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 3.
    """
    from scipy.stats import spearmanr  # half a second to load, so only when it is asked for

    logits = _of_classes(Z, "Z", classes, by="Q")
    if logits.ndim != 2:
        raise DataError(f"Z must have shape (Q, L), got {logits.shape}")
    pairs = zip(classes.P, logits[classes.queries], classes.distinct, strict=True)
    sides = [(P[own], z[own]) for P, z, own in pairs]
    ranked = [len({*P.tolist()}) > 1 < len({*z.tolist()}) for P, z in sides]
    return np.array(
        [
            spearmanr(*side).statistic if yes else 0.0
            for side, yes in zip(sides, ranked, strict=True)
        ]
    )


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
    array = _of_classes(attention, "attention", classes, by="K")
    level = 1 / classes.M if threshold is None else number(threshold, "threshold", least=0, most=1)
    counts = classes.distinct.sum(-1)
    if not counts.all():
        raise DataError(f"class {counts.argmin()} has no distinct token")
    return np.asarray(((array > level) & classes.distinct).sum(-1) / counts)
