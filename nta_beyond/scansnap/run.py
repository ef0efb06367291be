"""What a Scan-and-Snap training leaves behind: attention along the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.measures import (
    class_attention,
    class_features,
    common_mass,
    distinct_entropy,
)
from nta_core.data import Floats, Ints
from nta_core.data.tables import html_table
from nta_core.errors import OptionError
from nta_core.training.run import record_steps


@dataclass(frozen=True, eq=False, repr=False)
class AttentionPath:
    """Attention logits along a training, and what follows from them.

    Attributes
    ----------
    classes : SequenceClasses
        Where the sequences come from.
    times : float64 array of shape (r,)
        Recorded times; step numbers when the training was made of steps.
    Z_path : float64 array of shape (r, Q, L)
        Attention logits at these times.
    method : str
        How the path was made, in words.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small, train_population
    >>> run = train_population(syn_small(), eta_y=1, eta_z=1)
    >>> run.attention.shape, run.entropy[[0, -1]].round(3), run.common_mass[[0, -1]].round(3)
    ((101, 2, 30), array([2.151, 1.979]), array([0.645, 0.403]))

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """

    classes: SequenceClasses
    times: Floats
    Z_path: Floats
    method: str

    @property
    def Z(self) -> Floats:
        """Attention logits at the end, shape (Q, L)."""
        return np.asarray(self.Z_path[-1])

    @cached_property
    def z(self) -> Floats:
        """Logits that each class sees, those of its query, shape (r, K, L)."""
        return np.asarray(self.Z_path[:, self.classes.queries])

    @cached_property
    def attention(self) -> Floats:
        """Attention c_{l|n} of every class at infinite length, shape (r, K, L)."""
        return class_attention(self.classes, self.Z_path)

    @cached_property
    def features(self) -> Floats:
        """Normalized attention f_n = c_n / ‖c_n‖₂, shape (r, K, L)."""
        return class_features(self.attention)

    @cached_property
    def entropy(self) -> Floats:
        """Entropy on the distinct tokens, in nats, mean over classes, shape (r,)."""
        return np.asarray(distinct_entropy(self.attention, self.classes).mean(axis=-1))

    @cached_property
    def common_mass(self) -> Floats:
        """Attention on common tokens, mean over classes, shape (r,)."""
        return np.asarray(common_mass(self.attention, self.classes).mean(axis=-1))

    @cached_property
    def moves(self) -> Floats:
        """How far attention moved between records, Σ_l |Δc_{l|n}|, mean over classes, (r−1,)."""
        return np.asarray(np.abs(np.diff(self.attention, axis=0)).sum(axis=-1).mean(axis=-1))

    @cached_property
    def speed(self) -> Floats:
        """Speed of attention between records: its moves per unit of time, shape (r−1,)."""
        return np.asarray(self.moves / np.diff(self.times))

    @cached_property
    def speed_times(self) -> Floats:
        """Times the speeds belong to, halfway between records, shape (r−1,)."""
        return np.asarray((self.times[1:] + self.times[:-1]) / 2)

    @cached_property
    def path_length(self) -> Floats:
        """Length of the way attention has come so far, shape (r,)."""
        return np.concatenate([[0.0], np.cumsum(self.moves)])

    def at(self, time: float) -> int:
        """Number of the record nearest to a time."""
        return int(np.abs(self.times - time).argmin())

    def _ends(self) -> str:
        return (
            f"entropy {self.entropy[0]:.3f} → {self.entropy[-1]:.3f}, "
            f"common mass {self.common_mass[0]:.3f} → {self.common_mass[-1]:.3f}"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.method}, until {self.times[-1]:g}: {self._ends()})"

    def _columns(self) -> dict[str, Floats]:
        return {
            "time": self.times,
            "entropy on distinct tokens": self.entropy,
            "common mass": self.common_mass,
            "way so far": self.path_length,
        }

    def _repr_html_(self) -> str:
        count, columns = len(self.times), self._columns()
        shown = sorted({i * (count - 1) // 5 for i in range(6)})
        rows = ([f"{values[i]:.4g}" for values in columns.values()] for i in shown)
        return html_table("scansnap", rows, head=columns, caption=self.method)


@dataclass(frozen=True, eq=False, repr=False)
class ScanSnapRun(AttentionPath):
    """A training of attention and decoder.

    Attributes
    ----------
    losses : float64 array of shape (r,)
        Cross-entropy: of the batch seen next when sequences are drawn, of the population else.
    outputs : float64 array of shape (r, K, K)
        α_{n'|n}: probability of next token n' for class n at infinite length.  What a row lacks
        to 1 goes to tokens that are never an answer.
    Y : float64 array of shape (L, C)
        Decoder at the end.  Columns 0…K−1 belong to the next tokens; from a zero start C = K + 1
        and the last column is that of every other token.

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """

    losses: Floats = field(kw_only=True)
    outputs: Floats = field(kw_only=True)
    Y: Floats = field(kw_only=True)

    @cached_property
    def own_probability(self) -> Floats:
        """Probability α_{n|n} of the right answer, mean over classes, shape (r,)."""
        return np.asarray(np.diagonal(self.outputs, axis1=1, axis2=2).mean(axis=1))

    @cached_property
    def leaked_probability(self) -> Floats:
        """Probability left to the other classes' answers, mean over classes, shape (r,)."""
        return np.asarray(self.outputs.sum(axis=2).mean(axis=1) - self.own_probability)

    def _ends(self) -> str:
        return f"loss {self.losses[0]:.3g} → {self.losses[-1]:.3g}, {super()._ends()}"

    def _columns(self) -> dict[str, Floats]:
        return {**super()._columns(), "loss": self.losses}


def steps_to_record(record: int | Iterable[int] | None, steps: int) -> Ints:
    """As `record_steps` has it, at least one."""
    chosen = record_steps(record, steps)
    if not len(chosen):
        raise OptionError("record: name at least one step")
    return chosen
