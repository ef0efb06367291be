"""Losses and heads as formulas: from attention mass to logits, from logits to a loss.

A *head* turns the attention mass P (one number per token) into logits z, a *loss* turns the logits
and the label y into one number.  With G = C Eᵀ, the head C seen by the tokens:

========================  =====================================================================
head                      logits z = C f, where f = Xᵀ softmax(X W x̄) = Eᵀ P
========================  =====================================================================
``"tied"``                z = P: C Eᵀ = I, each row of C sees its own token only (Assumption 1)
``"general"``             z = E Eᵀ P: C = E, as in the authors' local experiments (Assumption 3)
========================  =====================================================================

====================  ==============================  ===============  ==========================
loss                  formula, u = z_y                heads            where it comes from
====================  ==============================  ===============  ==========================
``"log"``             −log u                          tied             the paper's main loss;
                                                                       convex in W (Lemma 2)
``"squared"``         (1 − u)²                        tied, general    the paper's Sec. 5
``"squared-softmax"`` (1 − softmax(z / t)_y)²         tied, general    the authors' code for Sec. 5
``"cross-entropy"``   −log softmax(z / t)_y           tied, general    the paper's Fig. 7
``"correlation"``     −u                              tied, general    the linear loss of Thm. 3
====================  ==============================  ===============  ==========================

softmax runs over the whole vocabulary (absent tokens have logit 0 under the tied head) and t is
the temperature, 1 unless asked otherwise.  "log" with the general head is refused: there u is an
inner product of embeddings and may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.boundary import Floats, Ints, check_embeddings, number, one_of, reals, token_id
from nta_core.errors import DataError, EmbeddingError, OptionError
from nta_core.model.weights import softmax

# The names of the losses: what is made of the number u, or of the logits, that the head reads.
LOSSES = ("log", "squared", "squared-softmax", "cross-entropy", "correlation")
# The names of the heads: "tied" reads attention masses, "general" inner products of embeddings.
HEADS = ("tied", "general")
SOFTMAX_LOSSES = ("squared-softmax", "cross-entropy")


@dataclass(frozen=True)
class Readout:
    """What training makes of attention masses: a loss, the head it reads through, a temperature.

    Whatever takes a `loss` takes its name or a `Readout`; see the tables at the top of this module.

    Raises
    ------
    OptionError
        Unless loss, head and temperature exist and go together.

    Examples
    --------
    >>> Readout("squared", head="general")
    Readout(loss='squared', head='general', temperature=1.0)
    >>> Readout("log", head="general")
    Traceback (most recent call last):
    nta_core.errors.OptionError: loss='log' needs head='tied': with head='general' ...

    Explained in: chapter 10. Paper: Sec. 2.3 and 5.
    """

    loss: str = "log"
    head: str = "tied"
    temperature: float = 1.0

    def __post_init__(self) -> None:
        one_of(self.loss, "loss", LOSSES)
        one_of(self.head, "head", HEADS)
        number(self.temperature, "temperature", above=0)
        if self.loss == "log" and self.head == "general":
            raise OptionError(
                "loss='log' needs head='tied': with head='general' its argument c_yᵀ f may be "
                "negative; use loss='cross-entropy'"
            )
        if self.temperature != 1 and self.loss not in SOFTMAX_LOSSES:
            raise OptionError(
                f"temperature={self.temperature} changes nothing in loss={self.loss!r}: only "
                f"{' and '.join(SOFTMAX_LOSSES)} have one"
            )

    @classmethod
    def of(cls, loss: str | Readout) -> Readout:
        """The readout itself, or that of a loss with the tied head."""
        return loss if isinstance(loss, Readout) else cls(loss)


def head_matrix(E: ArrayLike, *, head: str = "tied") -> Floats:
    """Return the head C as a matrix of shape (K, d).

    Parameters
    ----------
    E : array of shape (K, d)
        Token embeddings.
    head : {"tied", "general"}
        ``"tied"``: the C with C Eᵀ = I, which exists only for linearly independent embeddings
        (training needs no such matrix: it sums attention mass, for any K and d).
        ``"general"``: E itself.

    Examples
    --------
    >>> import numpy as np
    >>> E = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> (head_matrix(E) @ E.T).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])

    Explained in: chapter 1. Paper: Assumptions 1 and 3.
    """
    one_of(head, "head", HEADS)
    checked = check_embeddings(E)
    if head == "general":
        return checked
    K, d = checked.shape
    if np.linalg.matrix_rank(checked) < K:
        raise EmbeddingError(
            f"a tied head C with C Eᵀ = I needs {K} linearly independent embeddings; these have "
            f"rank {np.linalg.matrix_rank(checked)} in d={d}. Sum attention mass instead: "
            "token_mass(W, E, context)"
        )
    head_rows: Floats = np.linalg.pinv(checked).T.astype(np.float64)
    return head_rows


def logits(mass: ArrayLike, E: ArrayLike, *, head: str = "tied") -> Floats:
    """Return the logits that a head reads from attention mass, shape (..., K).

    Examples
    --------
    >>> import numpy as np
    >>> logits([0.25, 0.75], np.array([[1.0, 0.0], [0.6, 0.8]]), head="general")
    array([0.7, 0.9])

    Explained in: chapter 10. Paper: Sec. 2.3.
    """
    one_of(head, "head", HEADS)
    checked, values = check_embeddings(E), _masses(mass)
    if values.ndim == 0 or values.shape[-1] != len(checked):
        raise DataError(f"mass has shape (…, K) = (…, {len(checked)}), got {values.shape}")
    return values if head == "tied" else (values @ checked) @ checked.T


def _masses(mass: ArrayLike) -> Floats:
    values = reals(mass, "mass", error=DataError)
    if values.size and not 0 <= values.min() <= values.max() <= 1 + 1e-6:  # masses are rounded
        raise DataError(f"mass holds numbers from 0 to 1, got {values.min():g}…{values.max():g}")
    return values


def sample_loss(mass: ArrayLike, label: int, E: ArrayLike, *, loss: str | Readout = "log") -> float:
    """Return the loss of one sequence with this label from its attention mass per token.

    Parameters
    ----------
    mass : array of shape (K,)
        Attention mass per token, see `token_mass`.
    label : int
        The next token.
    E : array of shape (K, d)
        Token embeddings.
    loss : str or Readout
        One of `LOSSES`, or a loss with its head.

    Examples
    --------
    >>> import numpy as np
    >>> [round(sample_loss([0.25, 0.75], 1, np.eye(2), loss=loss), 4) for loss in LOSSES]
    [0.2877, 0.0625, 0.1425, 0.4741, -0.75]

    Explained in: chapter 10. Paper: Sec. 2 and 5.
    """
    checked, values = check_embeddings(E), _masses(mass)
    if values.shape != (len(checked),):
        raise DataError(f"mass holds one number per token, shape (K,), got {values.shape}")
    place = token_id(label, len(values), what="label")
    return float(RowLosses(checked, np.array([place]), loss).value(values[None])[0])


class RowLosses:
    """Value and slope of a loss in the attention mass, for many rows at once.

    Leading axes of the arguments are batches of independent problems.

    Parameters
    ----------
    E : array of shape (..., K, d)
        Token embeddings.
    labels : int array of shape (..., n)
        Label of each row.
    loss : str or Readout
        What is made of the masses.
    vocabulary : bool array of shape (..., K), optional
        Tokens that exist; the others are padding and take no part in a softmax.

    Examples
    --------
    >>> import numpy as np
    >>> losses = RowLosses(np.eye(2), np.array([1]), "squared")
    >>> mass = np.array([[0.25, 0.75]])
    >>> losses.value(mass), losses.slope(mass)
    (array([0.0625]), array([[-0. , -0.5]]))

    Explained in: chapter 10. Paper: Sec. 2.3 and 5.
    """

    def __init__(
        self,
        E: Floats,
        labels: Ints,
        loss: str | Readout = "log",
        vocabulary: NDArray[np.bool_] | None = None,
    ) -> None:
        self._readout, self._E = Readout.of(loss), E
        self._hot = (labels[..., None] == np.arange(E.shape[-2])).astype(np.float64)
        # what the label's row of the head sees in every token: c_yᵀ e_j
        self._sight = self._through_head(self._hot)
        self._blind = 1.0 - self._sight
        present = np.ones(E.shape[:-1], dtype=bool) if vocabulary is None else vocabulary
        self._padding = np.where(present, 0.0, -np.inf)[..., None, :]

    def value(self, mass: Floats) -> Floats:
        """Loss of every row, shape (..., n), from its mass per token, shape (..., n, K)."""
        if self._readout.loss in SOFTMAX_LOSSES:
            log_share: Floats = np.log(np.vecdot(self._softmax(mass), self._hot))
            return -log_share if self._readout.loss == "cross-entropy" else np.expm1(log_share) ** 2
        seen: Floats = np.vecdot(mass, self._sight)
        if self._readout.loss == "correlation":
            return -seen
        shortfall = self._shortfall(mass)
        if self._readout.loss == "squared":
            return shortfall**2
        with np.errstate(divide="ignore"):  # the branch that is not taken may be log 0
            return np.where(shortfall < 0.5, -np.log1p(-shortfall), -np.log(seen))

    def slope(self, mass: Floats) -> Floats:
        """Derivative of each row's loss in its masses, shape (..., n, K)."""
        if self._readout.loss in SOFTMAX_LOSSES:
            return self._softmax_slope(mass)
        if self._readout.loss == "squared":
            return -2.0 * self._shortfall(mass)[..., None] * self._sight
        if self._readout.loss == "correlation":
            return -self._sight
        seen: Floats = np.vecdot(mass, self._sight)
        return -self._sight / seen[..., None]

    def _shortfall(self, mass: Floats) -> Floats:
        """1 − u of every row, as a sum of what the label's row of the head does not see.

        Masses sum to 1, so this is exact when u → 1, where the difference would cancel.
        """
        missed: Floats = np.vecdot(mass, self._blind)
        return missed

    def _softmax_slope(self, mass: Floats) -> Floats:
        share = self._softmax(mass)
        in_logits = (share - self._hot) / self._readout.temperature
        if self._readout.loss == "squared-softmax":
            own = np.vecdot(share, self._hot)[..., None]
            in_logits *= 2.0 * own * (1.0 - own)
        return self._through_head(in_logits)

    def _softmax(self, mass: Floats) -> Floats:
        z = self._through_head(mass) / self._readout.temperature + self._padding
        return softmax(z)

    def _through_head(self, values: Floats) -> Floats:
        """Multiply by C Eᵀ, which is symmetric for both heads."""
        if self._readout.head == "tied":
            return values
        return (values @ self._E) @ np.swapaxes(self._E, -1, -2)
