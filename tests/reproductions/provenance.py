"""Which code, at which commit and with which versions, is behind the numbers of the ledger."""

from __future__ import annotations

import platform
from importlib.metadata import version

# The authors' repositories as we read them; pins are those of their requirements.
REPOSITORIES = [
    {
        "paper": "mechanics",
        "address": "https://github.com/yixiao-huang/next-token-prediction",
        "commit": "eb66117",
        "what": "the notebooks and the code of Figs. 4 to 7",
    },
    {
        "paper": "scan-and-snap",
        "address": "https://github.com/facebookresearch/luckmatters",
        "commit": "625b5f7",
        "what": "the data of Fig. 6 and the log of Syn-Small, in ssl/real-dataset/scan_snap",
    },
]
PINNED = {
    "cvxpy": "1.4.1",
    "matplotlib": "3.4.1",
    "numpy": "1.20.2",
    "scikit-learn": "0.24.1",
    "torch": "1.8.1",
}
# The unmodified code of the first repository under these gave the data in tests/data.
RERUN = {"cvxpy": "1.9.3", "numpy": "2.4", "torch": "2.13"}
OURS = ("numpy", "scipy", "cvxpy", "torch", "networkx", "scikit-learn")


def provenance() -> dict[str, object]:
    """Return what the ledger prints about its sources; ours are the versions of this moment."""
    ours = {"python": platform.python_version()} | {name: version(name) for name in OURS}
    names = list(dict.fromkeys([*ours, *PINNED]))
    versions = [
        {
            "package": name,
            "pinned": PINNED.get(name, ""),
            "rerun": RERUN.get(name, ""),
            "ours": ours.get(name, ""),
        }
        for name in names
    ]
    return {"repositories": REPOSITORIES, "versions": versions}
