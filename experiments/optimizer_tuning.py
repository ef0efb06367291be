"""The best step size of every way of training, on datasets of their own."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import draw
from nta_beyond.optimizers import heavy_ball, polyak_descent, steepest_descent
from nta_core.boundary import Floats

SIZE = (6, 4, 6, 8)  # n, T, K, d
STEPS = 10_000
TUNING = range(100, 105)  # seeds; the curves of chapter 19 are of others
WAYS: Mapping[str, Callable[..., nta.Run]] = {
    "plain": partial(nta.gradient_descent, normalized=False),
    "plain, momentum": heavy_ball,
    "Polyak": polyak_descent,
    "normalized": partial(steepest_descent, norm="frobenius"),
    "normalized, momentum": partial(steepest_descent, norm="frobenius", momentum=0.9),
}
# step sizes are powers of 2; each grid goes past its best, Polyak's to where runs leave float64
EXPONENTS = {
    "plain": range(-1, 6),
    "plain, momentum": range(-5, 2),
    "Polyak": range(-3, 3),
    "normalized": range(-2, 6),
    "normalized, momentum": range(-6, 1),
}
CELLS = tuple({"way": way, "exponent": k} for way, grid in EXPONENTS.items() for k in grid)


def distance(W: Floats, goal: Floats) -> float:
    """1 − cosine, exact also where the cosine is 1 to the last digit but one."""
    apart = W / np.linalg.norm(W) - goal / np.linalg.norm(goal)
    return float(np.vdot(apart, apart)) / 2


def course(way: str, exponent: int, seed: int, record: list[int]) -> list[float]:
    """1 − cosine with W_svm at the recorded steps of one run."""
    (data,), (E,) = draw(SIZE, [seed], kind="acyclic")
    goal = nta.solve_graph_svm(nta.token_priority_graphs(data), E).W
    run = WAYS[way](data, E, steps=STEPS, step_size=2.0**exponent, record=record)
    return [distance(W, goal) for W in run.path]


def measure(way: str, exponent: int) -> dict[str, object]:
    """1 − cosine with W_svm at the end of each run, and its geometric mean."""
    ends = [course(way, exponent, seed, [STEPS])[0] for seed in TUNING]
    return {"ends": ends, "mean": float(np.exp(np.log(ends).mean()))}


EXPERIMENT = Experiment("The step sizes for a fair race", 19, CELLS, measure, tolerance=1e-3)
