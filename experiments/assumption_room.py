"""Where does descent go when K > d leaves no W for all comparisons?"""

import numpy as np

from experiments.experiment import Experiment
from nta_core import (
    InfeasibleGraphSVM,
    embeddings,
    feasible_split,
    gradient_descent,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)

N, T, K = 8, 4, 6
RECORD = [300, 3000, 30_000]
CELLS = tuple({"d": d, "seed": seed} for d in (2, 3, 4) for seed in range(30))


def measure(d: int, seed: int) -> dict[str, object]:
    """Split the comparisons, then follow plain descent and measure its angle to the split's W."""
    data = random_dataset(N, T, K, seed=seed)
    graphs = token_priority_graphs(data)
    E = embeddings(K, d, seed=seed)
    split = feasible_split(graphs, E)
    conflict = 0
    try:
        solve_graph_svm(graphs, E)
    except InfeasibleGraphSVM as error:
        conflict = len(error.conflict)
    run = gradient_descent(
        data, E, steps=RECORD[-1], step_size=1.0, normalized=False, record=RECORD
    )
    unit = split.W / max(np.linalg.norm(split.W), 1e-12)
    cosines = [float(np.vdot(W, unit) / np.linalg.norm(W)) for W in run.path]
    return {
        "conflict": conflict,
        "strict": len(split.strict),
        "soft": len(split.soft),
        "cosine": cosines if split.strict else [],
        "norm": run.norms.tolist(),
        "gradient": float(run.gradient_norms[-1]),
    }


EXPERIMENT = Experiment(
    title="Descent without room: K > d",
    chapter=12,
    cells=CELLS,
    measure=measure,
    spot=(0,),
    tolerance=1e-6,
)
