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


def cancels(strict, free):
    """Whether Σ λ strict + Σ τ free = 0 with λ ≥ 0, Σ λ = 1: the simplex method, by Bland's rule.

    Phase one in fractions: minimise the sum of artificial variables.
    """
    columns = [[*c, Fraction(1)] for c in strict]
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
        ratios = [(line[-1] / line[enter], b, r)
                  for r, (line, b) in enumerate(zip(table, basis, strict=True)) if line[enter] > 0]  # fmt: skip
        _, _, leave = min(ratios)
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
    except SolverDidNotConverge as error:
        assert "use " in str(error)
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
