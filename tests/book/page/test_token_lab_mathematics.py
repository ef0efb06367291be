"""The lab's mathematics is nta_core's: its modules run in Node, both answers are compared.

One batch of random datasets covers every size the lab can hold, ragged and repeated tokens, rows
whose label is absent, strict orders, ties and one large league.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from nta_book.lab.token_lab import LIMITS
from nta_core import Dataset, UnrealizableLabelWarning, random_dataset, token_priority_graphs
from nta_core.automaton import Automaton
from nta_core.errors import TextError
from nta_core.soft import luce_strengths
from nta_core.svm import solve_graph_svm
from nta_core.training import gradient_descent, loss_value

from .in_node import Modules

pytestmark = pytest.mark.filterwarnings("ignore::nta_core.errors.UnrealizableLabelWarning")


@pytest.fixture(scope="module")
def module() -> Modules:
    return Modules("token_lab", "text", "graphs", "theory", "descent")


@cache
def instances() -> tuple[Dataset, ...]:
    rng = np.random.default_rng(5)
    made = []
    for seed in range(240):
        K = int(rng.integers(2, LIMITS["tokens"] + 1))
        n = int(rng.integers(1, 41))
        kind = ("any", "acyclic")[seed % 2]
        T = int(rng.integers(1, 7))
        made.append(random_dataset(n, T, K, kind=kind, same_last=seed % 3 == 0, seed=seed))
    made += [_ragged(rng) for _ in range(120)]
    return tuple(made)


def _ragged(rng: np.random.Generator) -> Dataset:
    """Lengths 1 to 9, repeated tokens, and now and then a label that does not run."""
    K, n = int(rng.integers(2, 9)), int(rng.integers(1, 25))
    sequences = [rng.integers(K, size=rng.integers(1, 10)).tolist() for _ in range(n)]
    labels = [int(rng.choice(s)) if rng.random() < 0.9 else int(rng.integers(K)) for s in sequences]
    return Dataset(sequences, labels, K=K)


def as_text(dataset: Dataset) -> str:
    return "tokens: " + " ".join(dataset.names) + "\n" + _races(dataset.to_text())


def _races(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("tokens:"))


def asked(module: Modules, function: str, *arguments: object) -> list[Any]:
    """Run `function(data, K, index)` of JavaScript on all instances in one call."""
    texts = [as_text(dataset) for dataset in instances()]
    return module.evaluate(
        f"""([texts, ...extra]) => texts.map((text, index) => {{
            const data = M.parseText(text).data;
            return ({function})(data, index, ...extra);
        }})""",
        [texts, *arguments],
    )


def test_components_levels_and_pairs_are_exactly_those_of_nta_core(module: Modules) -> None:
    answers = asked(
        module,
        """data => M.trackGraphs(data).map(g => ({
            last: g.last, nodes: g.nodes, edges: g.edges, strict: g.strict, reduced: g.reduced,
            components: g.leagues.map(c => c.members), levels: g.leagues.map(c => c.level) }))""",
    )
    leagues = 0
    for dataset, answer in zip(instances(), answers, strict=True):
        expected = [
            {
                "last": graph.last,
                "nodes": list(graph.nodes),
                "edges": [list(edge) for edge in graph.edges],
                "strict": [list(edge) for edge in graph.strict],
                "components": [sorted(league) for league in graph.components],
                "levels": [graph.level(min(league)) for league in graph.components],
            }
            for graph in token_priority_graphs(dataset).values()
        ]
        # which edge stands for a pair of leagues is free, which pairs of leagues stay is not
        for graph, got in zip(token_priority_graphs(dataset).values(), answer, strict=True):
            ours = {(graph.component_of(i), graph.component_of(j)) for i, j in graph.reduced}
            theirs = [(graph.component_of(i), graph.component_of(j)) for i, j in got.pop("reduced")]
            assert len(theirs) == len(ours)
            assert set(theirs) == ours
        assert answer == expected
        leagues += sum(len(league) > 1 for row in answer for league in row["components"])
    assert leagues > 100  # the instances do have ties


def test_league_table_scores_are_those_of_the_graph_svm(module: Modules) -> None:
    answers = asked(module, "data => [...M.theoryOf(data).Wsvm]")
    worst = 0.0
    for dataset, answer in zip(instances(), answers, strict=True):
        W = solve_graph_svm(token_priority_graphs(dataset), np.eye(dataset.K)).W
        worst = max(worst, float(np.abs(np.reshape(answer, W.shape) - W).max()))
    assert worst < 1e-6


def test_strengths_are_luces(module: Modules) -> None:
    answers = asked(module, "data => [...M.theoryOf(data).Wfin]")
    worst, seen = 0.0, 0
    for dataset, answer in zip(instances(), answers, strict=True):
        scores = np.reshape(answer, (dataset.K, dataset.K))
        expected = np.zeros_like(scores)
        for last, thetas in luce_strengths(dataset, token_priority_graphs(dataset)).theta.items():
            for token, theta in thetas.items():
                expected[token, last] = theta
        worst = max(worst, float(np.abs(scores - expected).max()))
        seen += int(np.any(np.abs(expected) > 0.01))
    assert seen > 60  # not all strengths are equal
    assert worst < 1e-6


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("loss", ["log", "squared"])
def test_five_hundred_steps_are_the_same_steps(
    module: Modules, normalized: bool, loss: str
) -> None:
    options = {"eta": 0.01 if normalized else 0.5, "normalized": normalized, "loss": loss}
    answers = asked(
        module,
        """(data, index, options) => {
            const problem = M.compileRows(data);
            const W = M.startWeights(data.K, index % 2 ? index : null), start = [...W];
            let shortest = Infinity;
            for (let t = 1; t <= 500; t++) {
                M.descentStep(problem, W, options);
                shortest = Math.min(shortest, Math.hypot(...problem.grad));
            }
            return { start, W: [...W], shortest, loss: M.gradient(problem, W, options.loss) };
        }""",
        options,
    )
    compared = 0
    for dataset, answer in list(zip(instances(), answers, strict=True))[
        :: 2 if loss == "log" else 3
    ]:
        # A normalized step never shrinks: once η/‖∇L‖ exceeds 2/(the curvature, at most 1/2) the
        # layer overshoots and swings around the minimum, and there rounding decides which way.
        if normalized and answer["shortest"] < options["eta"] / 4:
            continue
        compared += 1
        E = np.eye(dataset.K)
        run = gradient_descent(
            dataset,
            E,
            steps=500,
            step_size=options["eta"],
            normalized=normalized,
            loss=loss,
            W0=np.reshape(answer["start"], E.shape),
            record=[500],
        )
        assert np.abs(np.reshape(answer["W"], E.shape) - run.W).max() < 1e-9
        assert abs(loss_value(run.W, dataset, E, loss=loss) - answer["loss"]) < 1e-9
    assert compared >= 50


def test_the_automaton_answers_and_is_silent_like_nta_cores(module: Modules) -> None:
    rng = np.random.default_rng(9)
    contexts = [
        [rng.integers(d.K, size=rng.integers(1, 6)).tolist() for _ in range(4)] for d in instances()
    ]
    answers = asked(
        module,
        """(data, index, contexts) => {
            const theory = M.theoryOf(data);
            return contexts[index].map(c => { const a = M.automaton(theory, data.K, c);
                const mass = Array(data.K).fill(0);
                c.forEach((t, i) => mass[t] += a.probabilities[i]);
                return { mass, determined: a.silent === null }; });
        }""",
        contexts,
    )
    silent = 0
    for dataset, asks, answer in zip(instances(), contexts, answers, strict=True):
        automaton = Automaton.from_dataset(dataset)
        for context, got in zip(asks, answer, strict=True):
            prediction = automaton.compose(context)
            assert got["determined"] == prediction.determined
            expected = np.zeros(dataset.K)
            for token, p in _odds(prediction).items():
                expected[token] = p
            assert np.allclose(got["mass"], expected, atol=1e-6)
            silent += not got["determined"]
    assert silent > 50


def _odds(prediction: Any) -> dict[int, float]:
    return dict(prediction.probabilities)


TEXTS = [
    "a b c -> b\nc b a -> a",
    "e10 e2 e1 -> e2\ne1 x1y2 x1y10 -> e1",
    "e01 e1 e001 -> e1",
    "# a comment\n\ntokens: z y x\nx y -> x\n  y\tz  →  y  ",
    "# a -> a\n# b",
    "é ß 日本 -> ß",
    "tokens: a b c d\na b -> a",
]
BAD = [
    "a b c b",
    "-> a",
    "a b ->",
    "a -> b -> c",
    "a b -> b a",
    "tokens:\na -> a",
    "tokens: a a\na -> a",
    "a b -> a\ntokens: a b",
    "tokens: a b\n  a   q -> a",
    "x y -> x\n\n   nonsense here",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_form_is_read_as_nta_core_reads_it(module: Modules, text: str) -> None:
    data = module.evaluate("text => M.parseText(text).data", text)
    expected = Dataset.from_text(text)
    assert data["names"] == list(expected.names)
    assert [tuple(row["tokens"]) for row in data["rows"]] == list(expected.sequences)
    assert [row["label"] for row in data["rows"]] == list(expected.labels)
    again = module.evaluate("text => M.textInForce(M.parseText(text))", text)
    assert Dataset.from_text(again) == expected


@pytest.mark.parametrize("text", BAD)
def test_a_bad_line_gets_the_words_of_nta_core(module: Modules, text: str) -> None:
    with pytest.raises(TextError) as refusal:
        Dataset.from_text(text)
    problem = module.evaluate("text => M.parseText(text).problems[0]", text)
    where = f"line {problem['line']}, column {problem['column']}: "
    assert where + problem["message"] == str(refusal.value)


def test_what_is_in_force_can_always_be_read_by_nta_core(module: Modules) -> None:
    rng = np.random.default_rng(11)
    words = ["a", "b2", "b10", "->", "→", "tokens:", "#", "#x", "", "é", "b" * 17, "\t"]
    ends = ["-> a", "→ b2", ""]
    drafts = [
        "\n".join(
            " ".join([*rng.choice(words, size=rng.integers(0, 5)), rng.choice(ends)])
            for _ in range(rng.integers(1, 9))
        )
        for _ in range(400)
    ]
    texts = module.evaluate("drafts => drafts.map(d => M.textInForce(M.parseText(d)))", drafts)
    assert sum(map(bool, texts)) > 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrealizableLabelWarning)
        for text in filter(None, texts):
            assert Dataset.from_text(text).n == sum(
                any(a in line.split() for a in ("->", "→")) for line in text.splitlines()
            )


def test_the_limits_are_the_same_in_both_languages(module: Modules) -> None:
    theirs = module.evaluate("M.LIMITS")
    assert {name: theirs[name] for name in LIMITS} == LIMITS
