"""Results of the authors' own code, stored in tests/data (its README says how they were made).

>>> instances = load("nb_global_seed1")
>>> len(instances), instances[0].dataset, instances[0].E.shape
(10, Dataset(6 sequences, K=6), (6, 8))
>>> sorted(instances[0].arrays)[:3]
['E', 'W0', 'W_fin_gd']
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nta_core import Dataset

DATA = Path(__file__).parent / "data"
GROUPS = tuple(sorted(path.stem for path in DATA.glob("*.npz")))


@dataclass(frozen=True, eq=False)
class Instance:
    """One stored instance.

    Attributes
    ----------
    group, index
        Where it lies.
    dataset, E
        The races and the embeddings, shape (K, d).
    arrays : mapping of str to array
        Everything in the .npz for this instance (W0, W_traj, W_svm_ref, …).
    info : mapping
        Its entry in the .json (scc, edges, global, …).
    config : mapping
        The group's settings (n, T, K, d, lr, ITN, loss, …).
    """

    group: str
    index: int
    dataset: Dataset
    E: NDArray[np.float64]
    arrays: Mapping[str, NDArray[Any]]
    info: Mapping[str, Any]
    config: Mapping[str, Any]

    @property
    def id(self) -> str:
        """A name for pytest."""
        return f"{self.group}-{self.index}"


@cache
def load(group: str) -> list[Instance]:
    """All instances of one group, in order."""
    described = json.loads((DATA / f"{group}.json").read_text(encoding="utf-8"))
    with np.load(DATA / f"{group}.npz") as stored:
        stacked = {name: stored[name] for name in stored.files}
    return [
        Instance(
            group=group,
            index=i,
            # K is the number of embeddings: the equi-correlated groups say one more than they have
            dataset=Dataset(stacked["tokens"][i], stacked["labels"][i], K=stacked["E"].shape[1]),
            E=stacked["E"][i],
            arrays={name: values[i] for name, values in stacked.items()},
            info=info,
            config=described["config"],
        )
        for i, info in enumerate(described["instances"])
    ]


def load_all() -> list[Instance]:
    """All instances of all groups."""
    return [instance for group in GROUPS for instance in load(group)]
