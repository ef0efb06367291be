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

from nta_beyond.text import grammar_text, tokens_of
from nta_book.lab.token_lab import CAT_AND_DOG, LIMITS
from nta_core import (
    Dataset,
    Objective,
    UnrealizableLabelWarning,
    attention,
    gradient,
    random_dataset,
    token_priority_graphs,
)
from nta_core.automaton import Automaton
from nta_core.errors import TextError
from nta_core.soft import luce_strengths
from nta_core.svm import solve_graph_svm
from nta_core.training import gradient_descent, loss_value

from .in_node import Modules

pytestmark = pytest.mark.filterwarnings("ignore::nta_core.errors.UnrealizableLabelWarning")


@pytest.fixture(scope="module")
def module() -> Modules:
    return Modules(
        "token_lab", "text", "graphs", "theory", "descent", "slow_motion", "prose", "recipe", "lab"
    )


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


def test_leagues_places_and_pairs_are_exactly_those_of_nta_core(module: Modules) -> None:
    answers = asked(
        module,
        """data => M.trackGraphs(data).map(g => ({
            last: g.last, nodes: g.nodes, edges: g.edges, strict: g.strict, reduced: g.reduced,
            leagues: g.leagues.map(c => [c.rank, c.first, c.final, c.members]),
            apart: g.apart.map(pair => pair.map(c => c.members)) }))""",
    )
    leagues = open_pairs = 0
    for dataset, answer in zip(instances(), answers, strict=True):
        expected = [
            {
                "last": graph.last,
                "nodes": list(graph.nodes),
                "edges": [list(edge) for edge in graph.edges],
                "strict": [list(edge) for edge in graph.strict],
                "leagues": _places(graph),
                "apart": _apart(graph),
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
        leagues += sum(len(league) > 1 for row in answer for *_, league in row["leagues"])
        open_pairs += sum(len(row["apart"]) for row in answer)
    assert leagues > 100  # the instances do have ties
    assert open_pairs > 100  # and leagues that nothing compares


def _above(graph: Any, league: frozenset[int]) -> list[frozenset[int]]:
    """The leagues above one, found by walking wins backwards."""
    found, todo = set(), [league]
    while todo:
        here = todo.pop()
        for winner, loser in graph.strict:
            higher = frozenset(graph.component_of(winner))
            if loser in here and higher not in found:
                found.add(higher)
                todo.append(higher)
    return list(found)


def _places(graph: Any) -> list[list[object]]:
    """Rank, first and last possible place of every league, from the top."""
    leagues = [frozenset(league) for league in graph.components]
    above = {league: _above(graph, league) for league in leagues}

    def rank(league: frozenset[int]) -> int:
        return max((rank(higher) + 1 for higher in above[league]), default=0)

    places = [
        [
            rank(league),
            1 + len(above[league]),
            len(leagues) - sum(league in above[other] for other in leagues),
            sorted(league),
        ]
        for league in leagues
    ]
    return sorted(places, key=lambda place: (place[0], place[3]))


def _apart(graph: Any) -> list[list[list[int]]]:
    """Pairs of leagues that no chain of wins compares, in the order of `_places`."""
    ordered = [frozenset(members) for *_, members in _places(graph)]
    return [
        [sorted(one), sorted(other)]
        for i, one in enumerate(ordered)
        for other in ordered[i + 1 :]
        if one not in _above(graph, other) and other not in _above(graph, one)
    ]


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
    options["shrinking"] = False
    answers = asked(
        module,
        """(data, index, options) => {
            const problem = M.compileRows(data);
            const W = M.startWeights(data.K, index % 2 ? index : null), start = [...W];
            let shortest = Infinity;
            for (let t = 1; t <= 500; t++) {
                M.descentStep(problem, W, options, t);
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


def shrinking_descent(
    dataset: Dataset, W: np.ndarray, steps: int, eta: float, *, normalized: bool, loss: str
) -> np.ndarray:
    """Descent whose step t is divided by √t, from the gradients of nta_core."""
    objective = Objective(dataset, np.eye(dataset.K), loss=loss)
    for t in range(1, steps + 1):
        slope = objective.gradient(W)
        length = np.linalg.norm(slope) + np.finfo(float).eps if normalized else 1.0
        W = W - eta / np.sqrt(t) * slope / length
    return W


@pytest.mark.parametrize("normalized", [True, False])
def test_shrinking_steps_are_divided_by_the_root_of_their_number(
    module: Modules, normalized: bool
) -> None:
    eta = 0.1 if normalized else 1  # longer normalized steps swing, and magnify rounding
    options = {"eta": eta, "normalized": normalized, "loss": "log", "shrinking": True}
    answers = asked(
        module,
        """(data, index, options) => {
            const problem = M.compileRows(data);
            const W = M.startWeights(data.K, index);
            const start = [...W];
            for (let t = 1; t <= 40; t++) M.descentStep(problem, W, options, t);
            return { start, W: [...W], used: problem.used };
        }""",
        options,
    )
    compared = 0
    for dataset, answer in list(zip(instances(), answers, strict=True))[::9]:
        if not answer["used"]:
            continue
        start = np.reshape(answer["start"], (dataset.K, dataset.K))
        expected = shrinking_descent(dataset, start, 40, eta, normalized=normalized, loss="log")
        assert np.abs(np.reshape(answer["W"], start.shape) - expected).max() < 1e-9
        compared += 1
    assert compared > 30


def test_shrinking_steps_reach_the_least_loss_and_fixed_ones_do_not(module: Modules) -> None:
    reached = module.evaluate(
        """draft => [false, true].map(shrinking => {
            const lab = new M.Lab(draft);
            lab.set("eta", 1);
            lab.set("shrinking", shrinking);
            lab.advance(5000);
            return [lab.now.loss, lab.infimum];
        })""",
        CAT_AND_DOG.to_text(),
    )
    (fixed, least), (shrinking, same) = reached
    assert least == same == pytest.approx(3 * -(2 / 3 * np.log(2 / 3) + np.log(1 / 3) / 3) / 6)
    assert f"{shrinking:.3f}" == f"{least:.3f}"
    assert fixed > least + 0.01


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_slow_motion_shows_the_numbers_of_the_step(module: Modules, loss: str) -> None:
    """Shares, losses, pushes and moves agree with attention, losses and gradients of nta_core."""
    options = {"eta": 0.3, "normalized": True, "loss": loss, "shrinking": True}
    answers = asked(
        module,
        """(data, index, options) => {
            const problem = M.compileRows(data);
            const W = M.startWeights(data.K, index + 1);
            const race = index % data.rows.length;
            const step = M.dissect(data, problem, W, options, 9, race);
            return { ...step, W: [...W], moves: [...step.moves] };
        }""",
        options,
    )
    seen = 0
    for dataset, step in list(zip(instances(), answers, strict=True))[::3]:
        E, K = np.eye(dataset.K), dataset.K
        W = np.reshape(step["W"], (K, K))
        sequence, label = dataset.sequences[step["race"]], dataset.labels[step["race"]]
        shares = attention(W, E, sequence)
        mass = {token: shares[np.array(sequence) == token].sum() for token in sequence}
        slope = gradient(W, dataset, E, loss=loss)
        moves = -0.3 / 3 * slope / (np.linalg.norm(slope) + np.finfo(float).eps)
        np.testing.assert_allclose(np.reshape(step["moves"], (K, K)), moves, atol=1e-12)
        assert step["meanLoss"] == pytest.approx(loss_value(W, dataset, E, loss=loss))
        after = attention(W + moves, E, sequence)
        assert {r["token"] for r in step["runners"]} == set(sequence)
        for runner in step["runners"]:
            token = runner["token"]
            assert runner["share"] == pytest.approx(mass[token])
            assert runner["score"] == pytest.approx(W[token, sequence[-1]])
            assert runner["power"] / step["sum"] == pytest.approx(runner["share"])
            assert runner["move"] == pytest.approx(moves[token, sequence[-1]], abs=1e-12)
            wanted = after[np.array(sequence) == token].sum()
            assert runner["shareAfter"] == pytest.approx(wanted)
        if label not in sequence:
            assert step["loss"] == 0
            assert not any(runner["push"] for runner in step["runners"])
            continue
        alone = dataset.subset([step["race"]])
        assert step["loss"] == pytest.approx(loss_value(W, alone, E, loss=loss))
        push = -gradient(W, alone, E, loss=loss)
        for runner in step["runners"]:
            expected = push[runner["token"], sequence[-1]]
            assert runner["push"] == pytest.approx(expected, abs=1e-12)
        seen += 1
    assert seen > 80


def test_a_run_is_repeated_exactly_and_a_step_taken_back(module: Modules) -> None:
    found = module.evaluate(
        """draft => {
            const lab = new M.Lab(draft);
            lab.set("seed", 3);
            lab.advance(40);
            lab.edit(`${draft}\ncow dog likes -> cow`);
            lab.advance(17);
            lab.set("shrinking", true);
            lab.advance(30);
            lab.edit(draft);
            lab.advance(5);
            lab.edit(`${draft}\ncow cat likes -> cow`);
            lab.advance(2);
            const W = [...lab.W];
            const other = new M.Lab("x y -> x");
            other.repeat(lab.run, lab.draft);
            const again = [...other.W];
            lab.advance(1);
            lab.stepBack();
            return { W, again, back: [...lab.W], steps: [other.steps, lab.steps],
                     stretches: lab.recipe.length };
        }""",
        CAT_AND_DOG.to_text(),
    )
    assert found["again"] == found["W"] == found["back"]
    assert found["steps"] == [94, 94]
    assert found["stretches"] == 5
    assert any(found["W"])


def test_another_language_begins_at_step_zero_and_a_change_does_not(module: Modules) -> None:
    steps = module.evaluate(
        """draft => {
            const lab = new M.Lab(draft);
            const steps = [];
            const more = `${draft}\ncow dog likes -> cow`;
            for (const next of [more, "", "cow dog -> dog", "x y -> x"]) {
                lab.advance(10);
                lab.edit(next);
                steps.push(lab.steps);
            }
            return steps;
        }""",
        CAT_AND_DOG.to_text(),
    )
    assert steps == [10, 20, 20, 0]  # without a race nothing is learned and nothing forgotten


PROSE = [
    "The cat sees the dog, and the dog sees the cat. Don’t the cats see the dogs?",
    "Être ou ne pas être: été, l'été. 3.14 is not 3 14; next-token W_fin",
    "a b a b a b a­b c",
    "",
    "one two three",
]


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("prose", PROSE)
def test_prose_is_cut_as_nta_beyond_cuts_it(module: Modules, prose: str, size: int) -> None:
    cut = module.evaluate("([prose, size]) => M.cutProse(prose, size)", [prose, size])
    words = [token for token in tokens_of(prose) if any(map(str.isalnum, token))]
    assert module.evaluate("prose => M.wordsOf(prose)", prose) == words
    windows = [(words[i : i + size], words[i + size]) for i in range(len(words) - size)]
    holding = [(tokens, label) for tokens, label in windows if label in tokens]
    assert (cut["words"], cut["distinct"]) == (len(words), len(set(words)))
    assert (cut["windows"], cut["holding"]) == (len(windows), len(holding))
    assert [(race["tokens"], race["label"]) for race in cut["races"]] == holding
    assert all((o["tokens"], o["label"]) not in holding for o in cut["others"])
    assert len(cut["others"]) == min(4, len(windows) - len(holding))


def test_long_prose_is_cut_to_what_the_lab_holds(module: Modules) -> None:
    prose = grammar_text(6_000, seed=3)
    cut = module.evaluate("prose => M.cutProse(prose, 8)", prose)
    names = {word for race in cut["races"] for word in race["tokens"]}
    assert 2 <= len(names) <= LIMITS["tokens"]
    assert 10 < len(cut["races"]) <= min(cut["fitting"], LIMITS["races"])
    assert cut["fitting"] < cut["holding"] < cut["windows"]
    text = module.evaluate("cut => M.proseDraft(cut, 8)", cut)
    assert Dataset.from_text(text).n == len(cut["races"])


def test_texts_of_a_link_are_packed_and_unpacked(module: Modules) -> None:
    rng = np.random.default_rng(4)
    texts = ["", "a b -> a", "a b -> a", "aa", "a", "aaa", "", "🐭 🐱 -> 🐭", "🐭 -> 🐭"]
    texts += ["".join(rng.choice(list("ab \n🐭"), size=rng.integers(0, 9))) for _ in range(200)]
    assert module.evaluate("texts => M.unpackTexts(M.packTexts(texts))", texts) == texts


def test_a_link_leaves_undos_behind_and_says_when_a_run_is_too_long_for_it() -> None:
    """Many long drafts to undo to do not fit; the run itself does, unless it changed too often."""
    share = Modules("token_lab", "share", "lab")
    found = share.evaluate(
        """() => {
            const lab = new M.Lab("a b -> a");
            const view = { typing: false, film: null };
            lab.advance(3);
            lab.past = Array.from({ length: 60 }, (_, i) => `# ${String(i).repeat(5000)}`);
            const kept = M.decodeState(lab.code(view)).past.length;
            for (let i = 0; i < 2100; i++) {
                lab.load(`a b x${i} -> a`);
                lab.W = lab.recalled();
                lab.advance(1);
            }
            return [kept, lab.recipe.length, lab.code(view)];
        }"""
    )
    kept, stretches, code = found
    assert 0 < kept < 60
    assert (stretches, code) == (2101, "")


def test_the_opening_language_is_the_same_in_both_languages(module: Modules) -> None:
    draft = Modules("token_lab", "examples").evaluate("M.EXAMPLES[0].draft")
    assert Dataset.from_text(draft) == CAT_AND_DOG


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
