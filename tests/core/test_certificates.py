"""What the Graph-SVM claims, against rational arithmetic that shares no code with it.

Float64 embeddings are rational numbers, so every claim has an exact truth: a W keeps its margins
or it does not, a set of comparisons contradicts itself or it does not.  The judge below knows
`fractions` and the definition of a comparison, nothing else.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from nta_core import (
    FIG3,
    Automaton,
    Dataset,
    InfeasibleGraphSVM,
    SolverDidNotConverge,
    feasible_split,
    graphs_from_edges,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)
from nta_core.svm import core, exact

# ------------------------------------------------------------------ the judge


def row(E, pair):
    """(e_i − e_j) e_kᵀ, flattened, in fractions."""
    k, i, j = pair
    left = [Fraction(a) - Fraction(b) for a, b in zip(E[i].tolist(), E[j].tolist(), strict=True)]
    return [a * Fraction(b) for a in left for b in E[k].tolist()]


def margin_and_scale(E, W, pair):
    """The margin, exactly, and Σ |row| |W|: what it is a sum of."""
    terms = [a * Fraction(w) for a, w in zip(row(E, pair), W.ravel().tolist(), strict=True)]
    return sum(terms), sum(map(abs, terms))


def broken_promises(E, W, strict, ties):
    """Pairs that W does not keep as the documentation of `solve_graph_svm` says."""
    half, tolerance, cap = Fraction(1, 2**53), Fraction(1, 10**9), Fraction(1, 10)
    broken = []
    for pair in strict:
        margin, scale = margin_and_scale(E, W, pair)
        if margin < 1 - tolerance - min(half * scale, cap):
            broken.append(pair)
    for pair in ties:
        margin, scale = margin_and_scale(E, W, pair)
        if abs(margin) > tolerance + min(half * scale, cap):
            broken.append(pair)
    return broken


def cancels(strict, free, helpers=()):
    """Whether Σ λ strict + Σ μ helpers + Σ τ free = 0 with λ, μ ≥ 0 and Σ λ = 1.

    The simplex method by Bland's rule, phase one, in fractions: minimise the sum of artificial
    variables.
    """
    columns = [[*c, Fraction(1)] for c in strict] + [[*c, Fraction(0)] for c in helpers]
    columns += [[*c, Fraction(0)] for c in free] + [[*[-a for a in c], Fraction(0)] for c in free]
    height = len(columns[0])
    table = [[column[r] for column in columns] + [Fraction(r == height - 1)] for r in range(height)]
    basis = [-1] * height  # −1: still artificial
    while True:
        cost = [sum(line[c] for line, b in zip(table, basis, strict=True) if b < 0)
                for c in range(len(columns) + 1)]  # fmt: skip
        if cost[-1] == 0:
            return True
        enter = next((c for c in range(len(columns)) if cost[c] > 0), None)
        if enter is None:
            return False
        rows = [r for r in range(height) if table[r][enter] > 0]
        leave = min(rows, key=lambda r: (table[r][-1] / table[r][enter], basis[r]))
        pivot = table[leave][enter]
        table[leave] = [a / pivot for a in table[leave]]
        for r, line in enumerate(table):
            if r != leave and line[enter]:
                table[r] = [a - line[enter] * b for a, b in zip(line, table[leave], strict=True)]
        basis[leave] = enter


def judged(graphs, E):
    """What the solver says, after the judge has looked at it: W, a contradiction, or neither."""
    strict, ties = graphs.strict_array.tolist(), graphs.tie_array.tolist()
    try:
        svm = solve_graph_svm(graphs, E)
    except InfeasibleGraphSVM as error:
        free = [row(E, pair) for pair in ties]
        members = [row(E, pair) for pair in error.conflict]
        assert cancels(members, free)
        for left_out in range(len(members)) if len(members) <= 6 else ():
            rest = members[:left_out] + members[left_out + 1 :]
            assert not rest or not cancels(rest, free)
        return "contradiction"
    except SolverDidNotConverge:
        return "neither"
    assert not broken_promises(E, svm.W, strict, ties)
    for pair, told in svm.margins.items():
        margin, scale = margin_and_scale(E, svm.W, pair)
        assert abs(margin - Fraction(told)) <= Fraction(1, 10**9) + Fraction(1, 2**50) * scale
    assert svm.gap <= 1e-9
    return "W"


def test_the_judge_knows_a_contradiction():
    one, other = [Fraction(1), Fraction(0)], [Fraction(-2), Fraction(0)]
    assert cancels([one, other], [])
    assert not cancels([one], [])
    assert not cancels([one, [Fraction(-2), Fraction(1, 10**30)]], [])
    assert cancels([one, [Fraction(-2), Fraction(1, 10**30)]], [[Fraction(0), Fraction(3)]])


def test_the_judge_finds_a_broken_promise():
    graphs, E = token_priority_graphs(FIG3), np.eye(4)
    strict, ties = graphs.strict_array.tolist(), graphs.tie_array.tolist()
    W = solve_graph_svm(graphs, E).W
    assert broken_promises(E, W, strict, ties) == []
    assert broken_promises(E, W * (1 - 1e-8), strict, ties)
    tilted = W.copy()
    tilted[0, 1] += 1e-8  # e1 leaves its league on the track of e2
    assert broken_promises(E, tilted, strict, ties) == [pair for pair in ties if 0 in pair[1:]]


# ------------------------------------------------------------------ nearly degenerate embeddings


def nearly_equal(rng, K, d, gap):
    """Two tokens `gap` apart."""
    E = rng.standard_normal((K, d)) / d**0.5
    a, b = rng.choice(K, 2, replace=False)
    E[b] = E[a] + gap * rng.standard_normal(d)
    return E


def nearly_flat(rng, K, d, gap):
    """Singular values from 1 down to the gap."""
    left, right = (np.linalg.qr(rng.standard_normal((n, min(K, d))))[0] for n in (K, d))
    return left * np.geomspace(1, gap, min(K, d)) @ right.T


def nearly_on_a_lattice(rng, K, d, gap):
    """Small integers, where contradictions abound, moved by the gap."""
    return rng.integers(-2, 3, (K, d)) + gap * rng.standard_normal((K, d))


def one_entry(rng, K, d, gap):
    """The unit matrix, but one token is another plus one small entry."""
    E = np.eye(K, max(K, d))
    a, b = rng.choice(K, 2, replace=False)
    E[b] = E[a]
    E[b, b] = gap
    return E


FAMILIES = [nearly_equal, nearly_flat, nearly_on_a_lattice, one_entry]


def drawn(family, seed, gap):
    rng = np.random.default_rng(seed)
    K = int(rng.integers(4, 7))
    d = int(rng.integers(2, K + 2))
    data = random_dataset(int(rng.integers(2, 7)), 3, K, seed=seed)
    return token_priority_graphs(data), family(rng, K, d, gap)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8, 1e-10, 1e-12, 1e-16])
def test_every_claim_is_true(family, gap):
    outcomes = Counter(judged(*drawn(family, seed, gap)) for seed in range(8))
    if gap >= 1e-8:
        assert outcomes["neither"] <= 1


@pytest.mark.parametrize("gap", [1e-3, 1e-8, 1e-9, 1e-12])
def test_figure_3_with_two_tokens_that_nearly_coincide(gap):
    """The W that the inverse of E gives keeps every comparison, so nothing may be refused."""
    graphs, E = token_priority_graphs(FIG3), np.eye(4)
    E[1] = E[0]
    E[1, 1] = gap
    assert judged(graphs, E) == "W"
    assert min(solve_graph_svm(graphs, E).margins.values()) >= 1 - 1e-9
    assert len(feasible_split(graphs, E).strict) == 6


def test_tokens_that_differ_by_very_little():
    """As long as the weights fit into float64; a difference whose square vanishes is no zero."""
    graphs, E = graphs_from_edges({1: [(0, 2)]}, K=3), np.eye(3)
    E[2] = E[0]
    E[2, 2] = 1e-140
    assert judged(graphs, E) == "W"
    assert solve_graph_svm(graphs, E).norm == pytest.approx(1e140)
    E[2, 2] = 1e-200
    with pytest.raises(SolverDidNotConverge, match="too long for float64"):
        solve_graph_svm(graphs, E)
    E[2, 2] = 0
    assert judged(graphs, E) == "contradiction"


def test_a_conflict_that_float64_believes_is_looked_at(monkeypatch):
    """Planted: a contradiction between comparisons that do not contradict each other."""

    def lie(_rows):
        raise core.Conflict([0])

    monkeypatch.setattr(core, "solve", lie)
    graphs = token_priority_graphs(FIG3)
    assert solve_graph_svm(graphs, np.eye(4)).norm == pytest.approx(5.75**0.5)  # long numbers
    monkeypatch.setattr(core, "FEW", 0)
    for quick in (core.QUICK, 0):
        monkeypatch.setattr(core, "QUICK", quick)
        with pytest.raises(SolverDidNotConverge, match="no proof"):
            solve_graph_svm(graphs, np.eye(4))


def test_a_W_that_float64_believes_is_looked_at(monkeypatch):
    """Planted: a W that is a little too short, or leaves a league."""
    graphs, E = token_priority_graphs(FIG3), np.eye(4)
    W = solve_graph_svm(graphs, E).W
    monkeypatch.setattr(core, "FEW", 0)
    for wrong in (W * (1 - 2e-9), W + 2e-9 * np.eye(4)[:, :1] * np.eye(4)[1]):
        monkeypatch.setattr(core, "_in_float64", lambda *_, wrong=wrong: (wrong, np.ones(4)))
        with pytest.raises(SolverDidNotConverge, match="do not keep"):
            solve_graph_svm(graphs, E)


def test_a_count_is_a_proof_only_if_the_dimensions_are_full():
    """Nine comparisons in four dimensions contradict; moved into more dimensions they need not."""
    graphs = token_priority_graphs(random_dataset(9, 4, 6, seed=2))
    E = np.random.default_rng(0).standard_normal((6, 2))
    members, ties = graphs.reduced_array[conflict_of(graphs, E)], graphs.tie_array
    assert exact.contradict(E, members, ties)
    lifted = np.hstack([E, 1e-13 * np.random.default_rng(1).standard_normal((6, 4))])
    assert not exact.contradict(lifted, members, ties)


def conflict_of(graphs, E):
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(graphs, E)
    every = graphs.reduced_array.tolist()
    return [every.index(list(pair)) for pair in raised.value.conflict]


# ------------------------------------------------------------------ what is built on it


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("gap", [1e-4, 1e-9, 1e-13])
def test_every_split_is_true(family, gap):
    """Strict edges are kept by W, and every soft edge cancels together with others, exactly."""
    splits = 0
    for seed in range(4):
        graphs, E = drawn(family, seed, gap)
        try:
            found = feasible_split(graphs, E)
        except SolverDidNotConverge:
            continue
        assert not broken_promises(E, found.W, found.strict, found.soft)
        rows = {pair: row(E, pair) for pair in found.strict + found.soft}
        for pair in found.soft:
            assert cancels([rows[pair]], [], [rows[other] for other in rows if other != pair])
        splits += 1
    assert splits >= 2


def test_the_automaton_does_not_guess_from_rounding():
    """What the graphs decide it still says; where scores would decide, they are not known."""
    E = np.eye(5)
    E[1] = E[0]
    E[1, 1] = 1e-6
    E = E @ np.linalg.qr(np.random.default_rng(0).standard_normal((5, 5)))[0]
    automaton = Automaton.from_dataset(Dataset(FIG3.sequences, FIG3.labels, K=5), E)
    assert automaton.retrieve([2, 3, 0]) == {3}
    with pytest.raises(SolverDidNotConverge, match="further apart"):
        automaton.retrieve([0, 4, 1])  # nobody has ranked e5


# ------------------------------------------------------------------ what is too much


def test_long_numbers_find_a_contradiction_by_themselves(monkeypatch):
    def nothing(*_):
        raise SolverDidNotConverge("planted")

    monkeypatch.setattr(core, "_in_float64", nothing)
    graphs = graphs_from_edges({0: [(0, 1)], 1: [(0, 1)]}, K=2)
    assert judged(graphs, np.array([[1.0], [-1.0]])) == "contradiction"


def test_no_more_long_numbers_than_can_be_waited_for(monkeypatch):
    graphs, E = token_priority_graphs(FIG3), np.eye(4)
    E[1] = E[0]
    E[1, 1] = 1e-9
    monkeypatch.setattr(exact, "WORK", 0)
    assert judged(graphs, E) == "neither"
    assert not exact.contradict(E, graphs.reduced_array, graphs.tie_array)


def test_what_is_no_proof():
    rows = np.array([[0, 0, 1], [0, 1, 0], [0, 0, 2]])
    assert exact.cancel(np.eye(3), rows[:2], 2)
    assert not exact.cancel(np.eye(3), rows, 3)  # two of them cancel already
    assert not exact.cancel(np.eye(3), rows[[0, 2]], 2)
    assert not exact.contradict(np.eye(3), rows[:0], rows[:1])
