"""Second opinions that nobody here wrote, on data that nobody here chose.

==========================  ================================================================
networkx                    the leagues of a track and their order
choix                       the strengths inside a league
SVC of scikit-learn         the direction and the length of the Graph-SVM
autograd of torch           the gradient of every loss through every head
==========================  ================================================================

Each oracle is fed from the sequences themselves, never from another result of ours.
"""

from __future__ import annotations

from itertools import product

import choix
import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from nta_core import (
    HEADS,
    LOSSES,
    Dataset,
    Objective,
    Readout,
    embeddings,
    finite_part,
    luce_strengths,
    solve_graph_svm,
    token_priority_graphs,
)

ENOUGH = settings(max_examples=40, deadline=None)


@st.composite
def datasets(draw, *, repeats: bool = True, most: int = 8) -> Dataset:
    """Races of 2 to 5 tokens out of at most 6, each won by one of its own tokens."""
    K = draw(st.integers(3, 6))
    races = draw(
        st.lists(
            st.lists(st.integers(0, K - 1), min_size=2, max_size=5, unique=not repeats),
            min_size=1,
            max_size=most,
        )
    )
    winners = [draw(st.sampled_from(race)) for race in races]
    return Dataset(races, winners, K=K)


def beats(data: Dataset) -> dict[int, nx.DiGraph]:
    """Who beat whom, for each last token, straight from the races."""
    tracks: dict[int, nx.DiGraph] = {}
    for race, winner in zip(data.sequences, data.labels, strict=True):
        graph = tracks.setdefault(race[-1], nx.DiGraph())
        graph.add_nodes_from(race)
        graph.add_edges_from((winner, token) for token in race if token != winner)
    return tracks


# ---- leagues: networkx ---------------------------------------------------------------------------


@ENOUGH
@given(datasets(most=14))
def test_leagues_are_those_of_networkx(data: Dataset) -> None:
    ours, theirs = token_priority_graphs(data), beats(data)
    assert set(ours) == set(theirs)
    for last, graph in theirs.items():
        leagues = set(map(frozenset, nx.strongly_connected_components(graph)))
        assert set(ours[last].components) == leagues
        assert set(ours[last].nodes) == set(graph)


@ENOUGH
@given(datasets(most=14))
def test_the_order_of_leagues_is_one_that_networkx_accepts(data: Dataset) -> None:
    ours = token_priority_graphs(data)
    for last, graph in beats(data).items():
        place = {token: k for k, league in enumerate(ours[last].components) for token in league}
        condensed = nx.condensation(graph)
        members = condensed.nodes(data="members")
        first = {node: place[next(iter(tokens))] for node, tokens in members}
        assert all(first[above] < first[below] for above, below in condensed.edges)
        strict = {(i, j) for i, j in graph.edges if place[i] != place[j]}
        assert set(ours[last].strict) == strict


# ---- strengths: choix ----------------------------------------------------------------------------


def leagues_with_races(data: Dataset) -> list[tuple[int, list[int], list[tuple[int, list[int]]]]]:
    """Each league of two or more tokens: last token, members, and its races as choix has them."""
    found = []
    for last, graph in beats(data).items():
        for members in map(sorted, nx.strongly_connected_components(graph)):
            own = {token: k for k, token in enumerate(members)}
            races = [
                (own[winner], [own[token] for token in race if token in own and token != winner])
                for race, winner in zip(data.sequences, data.labels, strict=True)
                if race[-1] == last and winner in own
            ]
            if len(members) > 1:
                found.append((last, members, [race for race in races if race[1]]))
    return found


@ENOUGH
@given(datasets(repeats=False, most=16))
def test_strengths_are_those_of_choix(data: Dataset) -> None:
    leagues = leagues_with_races(data)
    assume(leagues)
    graphs = token_priority_graphs(data)
    strengths = luce_strengths(data, graphs)
    finite = finite_part(data, graphs, np.eye(data.K))
    for last, members, races in leagues:
        theirs = choix.opt_top1(len(members), races, method="Newton-CG", tol=1e-12)
        for mine in (strengths.theta[last], finite.W[:, last]):
            ours = np.array([mine[token] for token in members])
            # choix looks at the difference of scores only, and so do we.
            np.testing.assert_allclose(ours - ours.mean(), theirs - theirs.mean(), atol=2e-5)


# ---- the Graph-SVM: SVC --------------------------------------------------------------------------


def hard_margin(data: Dataset, E: np.ndarray) -> np.ndarray:
    """The shortest W that ranks all strict pairs by 1 and no tied pair, by scikit-learn.

    A comparison (e_i − e_j) e_kᵀ is a point of one class and its mirror image one of the other, so
    the separating plane goes through the origin.  Ties take their directions out of the space.
    """
    strict, tied = [], []
    for last, graph in beats(data).items():
        league = {t: k for k, c in enumerate(nx.strongly_connected_components(graph)) for t in c}
        for i, j in product(graph, repeat=2):
            point = np.outer(E[i] - E[j], E[last]).ravel()
            if i != j and league[i] == league[j]:
                tied.append(point)
            elif graph.has_edge(i, j):
                strict.append(point)
    if not strict:
        return np.zeros((E.shape[1],) * 2)
    points = np.array(strict)
    if tied:
        _, sizes, rows = np.linalg.svd(np.array(tied), full_matrices=False)
        basis = rows[sizes > 1e-9]
        points = points - points @ basis.T @ basis
    machine = SVC(kernel="linear", C=1e9, tol=1e-9)
    machine.fit(np.vstack([points, -points]), [1] * len(points) + [-1] * len(points))
    return machine.coef_.reshape((E.shape[1],) * 2)


@ENOUGH
@given(datasets(), st.integers(0, 10**6))
def test_the_graph_svm_is_the_machine_of_scikit_learn(data: Dataset, seed: int) -> None:
    E = embeddings(data.K, data.K + 2, seed=seed)
    ours = solve_graph_svm(token_priority_graphs(data), E)
    theirs = hard_margin(data, E)
    # Their solver stops when no pair of multipliers moves by more than its tolerance.
    np.testing.assert_allclose(ours.W, theirs, atol=2e-4 * max(1.0, ours.norm))
    assert ours.norm <= np.linalg.norm(theirs) * (1 + 1e-4)


# ---- gradients: torch ----------------------------------------------------------------------------

READOUTS = [
    Readout(loss, head, temperature)
    for loss, head, temperature in product(LOSSES, HEADS, (1.0, 0.3))
    if not (loss == "log" and head == "general")
    and not (temperature != 1.0 and loss not in ("squared-softmax", "cross-entropy"))
]


def torch_loss(W: torch.Tensor, data: Dataset, E: torch.Tensor, readout: Readout) -> torch.Tensor:
    """The loss, written as in the papers: softmax attention, a head, a mean over the races."""
    total = torch.zeros((), dtype=torch.float64)
    for race, label in zip(data.sequences, data.labels, strict=True):
        X = E[list(race)]
        weights = torch.softmax(X @ W @ X[-1], dim=0)
        if readout.head == "tied":
            rows = torch.nn.functional.one_hot(torch.tensor(race), data.K).double()
            logits = weights @ rows
        else:
            logits = E @ (weights @ X)
        u = logits[label]
        shares = torch.log_softmax(logits / readout.temperature, dim=0)[label]
        total = (
            total
            + {
                "log": -torch.log(u),
                "squared": (1 - u) ** 2,
                "squared-softmax": (1 - torch.exp(shares)) ** 2,
                "cross-entropy": -shares,
                "correlation": -u,
            }[readout.loss]
        )
    return total / data.n


@pytest.mark.parametrize("readout", READOUTS, ids=str)
@settings(max_examples=8, deadline=None)
@given(datasets(), st.integers(0, 10**6))
def test_gradients_are_those_of_torch(readout: Readout, data: Dataset, seed: int) -> None:
    E = embeddings(data.K, 4, seed=seed)
    start = np.random.default_rng(seed).standard_normal((4, 4))
    W = torch.tensor(start, requires_grad=True)
    loss = torch_loss(W, data, torch.tensor(E), readout)
    loss.backward()
    objective = Objective(data, E, loss=readout)
    value, gradient = objective.value(start), objective.gradient(start)
    assert W.grad is not None
    np.testing.assert_allclose(value, loss.item(), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(gradient, W.grad.numpy(), atol=1e-12)


# ---- the oracles can disagree --------------------------------------------------------------------


def test_an_oracle_would_notice_a_wrong_answer() -> None:
    right = Dataset([[0, 1], [1, 0, 1], [0, 1], [2, 0, 1]], [0, 1, 0, 2])
    wrong = Dataset([[0, 1], [1, 0, 1], [0, 1], [2, 0, 1]], [0, 1, 1, 0])
    E = embeddings(3, 5, seed=0)
    assert not np.allclose(
        solve_graph_svm(token_priority_graphs(wrong), E).W, hard_margin(right, E)
    )
    ((last, members, races),) = leagues_with_races(right)
    theirs = choix.opt_top1(len(members), races)
    mine = luce_strengths(wrong, token_priority_graphs(wrong)).theta[last]
    assert abs((mine[0] - mine[1]) - (theirs[0] - theirs[1])) > 0.1
    W = torch.tensor(np.eye(5), requires_grad=True)
    torch_loss(W, right, torch.tensor(E), Readout()).backward()
    assert not np.allclose(Objective(wrong, E).gradient(np.eye(5)), W.grad)
