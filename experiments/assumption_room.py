"""Where does descent go when K > d leaves no W for all comparisons?"""

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import grid

N, T, K = 8, 4, 6
RECORD = [300, 3000, 30_000]
CELLS = grid(d=(2, 3, 4), seed=range(30))


def measure(d: int, seed: int) -> dict[str, object]:
    """Split the comparisons, then follow plain descent and measure its angle to the split's W."""
    data = nta.random_dataset(N, T, K, seed=seed)
    graphs = nta.token_priority_graphs(data)
    E = nta.embeddings(K, d, seed=seed)
    split = nta.feasible_split(graphs, E)
    conflict = 0
    try:
        nta.solve_graph_svm(graphs, E)
    except nta.InfeasibleGraphSVM as error:
        conflict = len(error.conflict)
    run = nta.gradient_descent(
        data, E, steps=RECORD[-1], step_size=1.0, normalized=False, record=RECORD
    )
    return {
        "conflict": conflict,
        "strict": len(split.strict),
        "soft": len(split.soft),
        "cosine": [nta.cosine(W, split.W) for W in run.path] if split.strict else [],
        "norm": run.norms,
        "gradient": run.gradient_norms[-1],
    }


EXPERIMENT = Experiment("Descent without room: K > d", 12, CELLS, measure)
