"""Where does descent go when K > d leaves no W for all comparisons?"""

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_core import (
    InfeasibleGraphSVM,
    cosine,
    embeddings,
    feasible_split,
    gradient_descent,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)

N, T, K = 8, 4, 6
RECORD = [300, 3000, 30_000]
CELLS = grid(d=(2, 3, 4), seed=range(30))


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
    return {
        "conflict": conflict,
        "strict": len(split.strict),
        "soft": len(split.soft),
        "cosine": [cosine(W, split.W) for W in run.path] if split.strict else [],
        "norm": run.norms,
        "gradient": run.gradient_norms[-1],
    }


EXPERIMENT = Experiment("Descent without room: K > d", 12, CELLS, measure)
