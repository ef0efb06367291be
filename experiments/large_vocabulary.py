"""Do the paper's Figs. 9 and 10 hold: ten thousand tokens in 128 dimensions?"""

from experiments.experiment import Experiment
from nta_core import Theory, embeddings, gradient_descent, random_dataset, random_start

N, T, K, D, STEPS = 16, 64, 10_000, 128, 8000
RECORD = [125, 250, 500, 1000, 2000, 4000, 8000]
SETTINGS = ((0.01, "zero"), (0.05, "zero"), (0.05, "random"))

CELLS = tuple(
    {"kind": kind, "eta": eta, "start": start, "seed": seed}
    for kind in ("acyclic", "cyclic")
    for eta, start in SETTINGS
    for seed in range(10)
)


def measure(kind: str, eta: float, start: str, seed: int) -> dict[str, object]:
    """Cosine with the Graph-SVM and distance from the finite part along one run."""
    data = random_dataset(N, T, K, kind=kind, same_last=True, seed=seed)
    E = embeddings(K, D, seed=seed)
    theory = Theory.of(data, E)
    W0 = random_start(D, seed=seed) if start == "random" else None
    run = gradient_descent(data, E, steps=STEPS, step_size=eta, W0=W0, record=RECORD)
    read = [theory.decompose(W) for W in run.path]
    return {
        "steps": RECORD,
        "cosine": [part.cosine for part in read],
        "soft": [part.soft_distance for part in read],
        "norm": run.norms.tolist(),
        "frozen": read[-1].frozen,
        "tokens": len(set(data.tokens.tolist())),
        "support": len(theory.svm.support),
        "comparisons": len(theory.svm.margins),
    }


EXPERIMENT = Experiment("Figs. 9 and 10: K = 10,000 tokens in d = 128", 12, CELLS, measure)
