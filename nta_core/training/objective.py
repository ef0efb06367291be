"""The risk itself: value, gradient, curvature at any W."""

from __future__ import annotations

from numpy.typing import ArrayLike

from nta_core.boundary import Floats, check_weights, in_float64
from nta_core.data import Dataset
from nta_core.errors import OptionError
from nta_core.model import Readout
from nta_core.training.descent import check_inputs
from nta_core.training.masses import MassRisk, mass_risk
from nta_core.training.nodes import NodeLogLoss
from nta_core.training.races import races_of

SCALE = "scale W, V or E down, or use a larger temperature"


class Objective:
    """The empirical risk L(W) of a dataset: prepared once, evaluated often.

    Parameters
    ----------
    dataset : Dataset
        Rows whose label is absent add nothing (with a warning); the mean is over all rows.
    E : array of shape (K, d)
        Token embeddings.
    loss : str or Readout
        One of `LOSSES`, or a loss with its head and temperature.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> risk = Objective(FIG3, np.eye(4))
    >>> round(risk.value(np.zeros((4, 4))), 4)
    1.0986
    >>> risk.gradient(np.zeros((4, 4)))[:, 1].round(3) + 0.0
    array([ 0.   ,  0.095,  0.   , -0.095])
    >>> round(risk.hessian_quadratic(np.zeros((4, 4)), np.eye(4)), 4)
    0.2222

    Explained in: chapters 7 and 10. Paper: Sec. 2, eq. ERM.
    """

    def __init__(self, dataset: Dataset, E: ArrayLike, *, loss: str | Readout = "log") -> None:
        self.readout = Readout.of(loss)
        checked, zero = check_inputs(dataset, E, None)
        self.d, races = len(zero), races_of(dataset)
        self._risk: NodeLogLoss | MassRisk
        if self.readout.loss == "log":
            self._risk = NodeLogLoss(races, checked, zero)
        else:
            self._risk = mass_risk(races, checked, zero, self.readout)

    def value(self, W: ArrayLike) -> float:
        """Risk L(W)."""
        with in_float64("the risk", instead=SCALE):
            return float(self._risk.loss(check_weights(W, self.d).ravel()))

    def gradient(self, W: ArrayLike) -> Floats:
        """Gradient ∇L(W), shape (d, d)."""
        checked = check_weights(W, self.d)
        with in_float64("the gradient", instead=SCALE):
            return self._risk.gradient(checked.ravel()).reshape(checked.shape)

    def hessian_quadratic(self, W: ArrayLike, V: ArrayLike) -> float:
        """Second derivative ⟨V, ∇²L(W) V⟩ of the log-loss at W along V, which is not scaled.

        The mean over sequences of the variance, under attention, of the scores e_jᵀ V x̄; never
        negative, which is why the log-loss is convex (Lemma 2 of the paper).
        """
        if not isinstance(self._risk, NodeLogLoss):
            raise OptionError(
                f"loss={self.readout.loss!r}: the curvature is known for loss='log' only"
            )
        point, along = check_weights(W, self.d), check_weights(V, self.d)
        with in_float64("the curvature", instead=SCALE):
            return self._risk.curvature(point.ravel(), along.ravel())

    def __repr__(self) -> str:
        return f"Objective({self.readout.loss}-loss, {self.readout.head} head, d={self.d})"


def loss_value(
    W: ArrayLike, dataset: Dataset, E: ArrayLike, *, loss: str | Readout = "log"
) -> float:
    """Return the risk L(W): the mean loss over the dataset.

    Parameters
    ----------
    W : array of shape (d, d)
        Combined key-query weights: token i scores e_iᵀ W e_k after the last token k.
    dataset, E, loss
        As in `Objective`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> round(loss_value(np.zeros((4, 4)), FIG3, np.eye(4)), 4)
    1.0986

    Explained in: chapter 1. Paper: Sec. 2, eq. ERM.
    """
    return Objective(dataset, E, loss=loss).value(W)


def gradient(
    W: ArrayLike, dataset: Dataset, E: ArrayLike, *, loss: str | Readout = "log"
) -> Floats:
    """Return the gradient ∇L(W) in closed form, shape (d, d); arguments as in `loss_value`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import Dataset
    >>> gradient(np.zeros((2, 2)), Dataset([[0, 1]], [0]), np.eye(2))
    array([[ 0. , -0.5],
           [ 0. ,  0.5]])

    Explained in: chapter 7. Paper: App. B, eq. 18.
    """
    return Objective(dataset, E, loss=loss).gradient(W)
