"""The lab computes what nta_beyond.scansnap computes: its modules run in Node, both compared."""

from __future__ import annotations

import contextlib
import io
import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from nta_beyond.scansnap import (
    ScanSnapRun,
    class_overlaps,
    common_mass,
    distinct_entropy,
    find_snap,
    theory_of,
    token_growth,
    train_population,
)
from nta_book.lab import ScanSnapLab
from nta_book.lab.scan_snap_lab import OPTIMIZERS, PRESETS, REAL, STEPS, VIEWS, WHOLE

from .in_node import Modules

READ = """settings => {
  const classes = M.makeClasses(settings), { all } = M.looks(settings.steps);
  const path = M.train(classes, settings, all), attention = M.attentionPath(classes, path);
  const last = path.times.length - 1;
  const rows = { P: classes.P.map(row => [...row]), Z: path.Z.map(Z => [...Z]) };
  return {
    ...rows, times: path.times, losses: path.losses, snap: M.findSnap(path.speeds),
    answers: path.answers.map(a => [...a]), speed: path.speeds,
    entropy: attention.at(-1).map((c, n) => M.distinctEntropy(classes, n, c)),
    mass: attention.at(-1).map(c => M.commonMass(classes, c)),
    gap: M.identityGap(classes, path, 0, last), largest: M.largestEigenvalue(M.overlaps(classes)),
    common: classes.common, top: classes.top, query: classes.query, M: classes.M,
  };
}"""


@pytest.fixture(scope="module")
def module() -> Modules:
    names = (
        "settings",
        "vectors",
        "classes",
        "dynamics",
        "theory",
        "reading",
        "experiment",
        "words",
        "assumptions",
        "numbers",
        "address",
        "python",
    )
    return Modules("scan_snap_lab", *names)


@cache
def instances() -> tuple[dict[str, Any], ...]:
    """The presets, and random settings over the whole of every range, for all optimizers."""
    rng = np.random.default_rng(3)
    made = [settings for _, settings, _ in PRESETS.values()]
    for seed in range(18):
        drawn: dict[str, Any] = {name: float(rng.uniform(*ends)) for name, ends in REAL.items()}
        drawn |= {name: int(rng.integers(a, b + 1)) for name, (a, b) in WHOLE.items()}
        drawn["lowest"], drawn["highest"] = sorted((drawn["lowest"], drawn["highest"]))
        drawn["queries"] = min(drawn["queries"], drawn["K"])
        drawn["shared"] = None if seed % 2 else drawn["shared"]
        drawn["common"] = max(drawn["common"], 1)
        drawn["optimizer"] = tuple(OPTIMIZERS)[seed % 3]
        drawn["steps"] = 300 if seed % 5 == 0 else 100
        made.append(drawn)
    return tuple(made)


@cache
def ours(index: int) -> ScanSnapRun:
    lab = ScanSnapLab(**instances()[index])
    kind, momentum = OPTIMIZERS[lab.settings["optimizer"]]
    rates = {name: lab.settings[name] for name in ("eta_y", "eta_z", "steps")}
    return train_population(lab.classes, **rates, optimizer=kind, momentum=momentum)


def tolerance(index: int) -> float:
    """Adam divides a vanishing gradient, of which rounding leaves 1e-16, by ε = 1e-8."""
    random = index >= len(PRESETS)
    return 1e-6 if random and instances()[index]["optimizer"] == "adam" else 1e-9


@pytest.fixture(scope="module")
def theirs(module: Modules) -> list[dict[str, Any]]:
    return [module.evaluate(READ, settings) for settings in instances()]


def test_the_classes_are_those_of_make_classes(theirs: list[dict[str, Any]]) -> None:
    for index, got in enumerate(theirs):
        classes = ours(index).classes
        np.testing.assert_allclose(got["P"], classes.P, rtol=1e-14)
        assert got["common"] == classes.common.tolist()
        assert got["query"] == classes.queries.tolist()
        assert got["top"] == classes.top.tolist()
        assert got["M"] == classes.M


def test_every_recorded_step_is_the_same_step(theirs: list[dict[str, Any]]) -> None:
    moved = 0
    for index, got in enumerate(theirs):
        run, looks = ours(index), np.array(got["times"])
        assert looks[-1] == run.times[-1]
        Z = run.Z_path[looks].reshape(len(looks), -1)
        near = tolerance(index)
        np.testing.assert_allclose(got["Z"], Z, rtol=near, atol=near, err_msg=str(index))
        np.testing.assert_allclose(got["losses"], run.losses[looks], rtol=near, atol=1e-12)
        outputs = run.outputs[looks].reshape(len(looks), -1)
        np.testing.assert_allclose(got["answers"], outputs, atol=near)
        moved += np.abs(Z).max() > 0.1
    assert moved > 12  # attention does move in these runs


def test_what_is_read_off_a_run_is_what_nta_core_reads(theirs: list[dict[str, Any]]) -> None:
    for index, got in enumerate(theirs):
        run, near = ours(index), tolerance(index)
        end = run.attention[-1]
        np.testing.assert_allclose(
            got["entropy"], distinct_entropy(end, run.classes), atol=10 * near
        )
        mass = common_mass(end, run.classes)
        if instances()[index]["shared"] is not None:  # the lab counts this token by itself
            mass = mass - end[:, -1]
        np.testing.assert_allclose(got["mass"], mass, atol=near)
        growth = token_growth(run)
        if growth.rivals and np.isfinite(growth.deviation).all():
            looks = np.array(got["times"])
            assert got["gap"] == pytest.approx(
                np.abs(growth.deviation[looks]).max(), rel=1e-6, abs=1e-6
            )
        np.testing.assert_allclose(got["speed"], run.speed, atol=near)
        snap = find_snap(run)
        assert got["snap"]["peak"] == snap.peak
        assert (got["snap"]["quiet"] or np.inf) == snap.quiet


def test_overlap_and_theory_are_those_of_nta_core(
    module: Modules, theirs: list[dict[str, Any]]
) -> None:
    times = [0, 0.5, 1, 3, 10, 100, 3000]
    for index, got in enumerate(theirs):
        settings, classes = instances()[index], ours(index).classes
        assert got["largest"] == pytest.approx(float(class_overlaps(classes.P).largest), rel=1e-6)
        theory = theory_of(classes, eta_y=settings["eta_y"], eta_z=settings["eta_z"])
        curves = module.evaluate(
            """([settings, times]) => {
                const theory = M.theoryOf(M.makeClasses(settings), settings);
                return [times.map(t => M.drive(theory, t)), times.map(t => M.bound(theory, t)),
                        [M.snapTime(theory), M.scanEnd(theory), theory.C0]] }""",
            [settings, times],
        )
        np.testing.assert_allclose(curves[0], theory.gamma(times), rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(curves[1], theory.B(times), rtol=1e-6, atol=1e-12)
        constants = [theory.t_gamma, theory.t0_prime, theory.C0]
        np.testing.assert_allclose(curves[2], constants, rtol=1e-6)


def test_bounds_of_theorem_3_start_from_the_leaders_feature(module: Modules) -> None:
    _, settings, _ = PRESETS["one-common"]
    bounds = module.evaluate(
        "settings => new M.Experiment(settings, 'growth').growthBounds(50)", settings
    )
    classes = ScanSnapLab("one-common").classes
    f0 = classes.P[0, classes.top[0]] / np.linalg.norm(classes.P[0])
    theory = theory_of(classes, eta_y=settings["eta_y"], eta_z=settings["eta_z"])
    np.testing.assert_allclose(np.exp(bounds), theory.chi_bounds(50, f0), rtol=1e-9)


def test_classes_that_share_nothing_do_not_move_and_have_no_snap(module: Modules) -> None:
    settings = {**PRESETS["syn-small"][1], "common": 0}
    got = module.evaluate(READ, settings)
    assert np.abs(got["Z"]).max() < 1e-12
    assert got["snap"] is None
    assert got["largest"] == 0
    theory = "settings => M.bound(M.theoryOf(M.makeClasses(settings), settings), 100)"
    assert module.evaluate(theory, settings) == 0


def test_numbers_that_grow_too_large_end_the_run_and_are_said_in_words(module: Modules) -> None:
    wild = {**PRESETS["syn-small"][1], "eta_y": 1e308}
    told = module.evaluate(
        """settings => { const lab = new M.Experiment(settings, "decoder");
            lab.goto(100);
            const said = JSON.stringify([M.assumptions(lab), M.cards(lab)]);
            return [lab.path.broken, lab.path.times.at(-1), M.inWords(lab),
                    lab.path.Z.every(Z => Z.every(Number.isFinite)), said,
                    lab.path.speeds.length, lab.path.speeds.every(Number.isFinite)] }""",
        wild,
    )
    assert told[0] is not None
    assert told[1] < told[0]
    assert told[2].startswith(
        f"With these rates the numbers grew too large to compute at step {told[0]}"
    )
    assert told[3]
    assert "NaN" not in told[2] + told[4]
    assert "Infinity" not in told[2] + told[4]
    assert "null" not in told[4]  # what JSON makes of either
    assert told[5:] == [told[1], True]


def test_the_sliders_end_where_python_says(module: Modules) -> None:
    sliders = module.evaluate("M.SLIDERS.map(s => [s.name, s.values.at(0), s.values.at(-1)])")
    assert {name: (low, high) for name, low, high in sliders} == {**WHOLE, **REAL}
    values = module.evaluate("M.SLIDERS.map(s => s.values)")
    assert all(row == sorted(set(row)) for row in values)
    choices = dict(module.evaluate("M.CHOICES.map(c => [c.name, c.options.map(o => o[0])])"))
    assert choices == {"optimizer": list(OPTIMIZERS), "steps": list(STEPS)}
    assert module.evaluate("M.VIEWS") == list(VIEWS)


def test_a_change_takes_along_what_it_would_contradict(module: Modules) -> None:
    settings = {**PRESETS["syn-small"][1], "K": 6, "queries": 6}

    def change(name: str, value: object) -> Any:
        return module.evaluate("([s, n, v]) => M.changed(s, n, v)", [settings, name, value])

    assert change("K", 3)["queries"] == 3
    assert change("lowest", 1.5)["highest"] == 1.5
    settings["lowest"] = 0.5
    assert change("highest", 0.2)["lowest"] == 0.2
    for slider in module.evaluate("M.SLIDERS"):
        for value in slider["values"]:
            if slider["name"] != "queries" or value <= 6:
                ScanSnapLab(**change(slider["name"], value))  # refused if it could not be shown


@pytest.mark.parametrize("steps", STEPS)
def test_a_run_is_looked_at_from_its_first_step_to_its_last(module: Modules, steps: int) -> None:
    looks = module.evaluate("steps => M.looks(steps)", steps)
    for kind in ("linear", "log", "all"):
        assert looks[kind] == sorted(set(looks[kind]))
        assert (looks[kind][0], looks[kind][-1]) == (0, steps)
    assert set(looks["all"]) == {*looks["linear"], *looks["log"]}
    assert len(looks["all"]) <= 202


def printed(program: str) -> dict[str, str]:
    """Run an exported program; return the lines it prints, by their first words."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "copied", "exec"), {})
    return dict(row.split(" ", 1) for row in out.getvalue().splitlines())


def misprinted(program: str, shown: dict[str, Any]) -> list[str]:
    """Which of the numbers that the lab shows the program does not print."""
    said = printed(program)
    leader, share = said["leader"].split()
    right, leaked = said["right"].split(", leaked ")
    turn = said.get("turn:", "").partition(", ")[0]
    got = {name: float(said[name]) for name in ("common", "entropy", "loss", "speed")}
    got |= {"share": float(share), "own": float(right), "leaked": float(leaked)}
    wrong = [name for name, value in got.items() if abs(value - shown[name]) > 2e-6]
    wrong += [name for name, share in shown["attention"] if abs(float(said[name]) - share) > 2e-6]
    wrong += ["leader"] if leader != shown["leader"] else []
    expected = "" if shown["peak"] is None else f"measured at step {shown['peak']}"
    return wrong + (["turn"] if turn != expected else [])


SHOWN = """([settings, n, place]) => { const lab = new M.Experiment(settings, "attention");
    lab.n = n; lab.lookAt(place);
    const { classes: { names, tokensOf }, attention, at, snap } = lab;
    return [M.toPython(lab), { ...M.measure(lab), peak: snap?.peak ?? null,
      attention: tokensOf[n].map(token => [names[token], attention[at][n][token]]) }] }"""


def test_the_exported_python_prints_what_the_lab_shows(module: Modules) -> None:
    places = (0, 0.3, 0.6, 1)
    still = {**PRESETS["syn-small"][1], "common": 0}  # nothing moves, there is no turn
    for i, settings in enumerate([*instances(), still]):
        n = i % settings["K"]
        program, shown = module.evaluate(SHOWN, [settings, n, places[i % 4]])
        assert misprinted(program, shown) == [], i


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("lowest=0.2", "lowest=0.3", "common"),
        (" 0.5, 0.05", " 0.5, 0.04", "share"),
        ("step, n = 43, 0", "step, n = 44, 0", "loss"),
        ("snap.peak:.0f", "snap.quiet:.0f", "turn"),
        ("max(own", "min(own", "leader"),
    ],
)
def test_a_program_that_differs_is_found(module: Modules, old: str, new: str, wrong: str) -> None:
    program, shown = module.evaluate(SHOWN, [PRESETS["one-common"][1], 0, 0.57])
    assert misprinted(program, shown) == []
    assert program.count(old) == 1, program
    assert wrong in misprinted(program.replace(old, new), shown)


LINKED = """([settings, view, n, axis, place, presets]) => {
    const lab = new M.Experiment(settings, view);
    Object.assign(lab, { n, axis });
    lab.lookAt(place);
    const code = M.encodeState(lab, presets);
    return [code, M.decodeState(code, presets), lab.time] }"""


def test_a_link_holds_the_whole_state(module: Modules) -> None:
    presets = ScanSnapLab().presets
    for i, settings in enumerate(instances()):
        view, n, axis = VIEWS[i % 5], i % settings["K"], ("log", "linear")[i % 2]
        state = [settings, view, n, axis, i / len(instances()), presets]
        code, back, time = module.evaluate(LINKED, state)
        assert back == {"settings": settings, "view": view, "axis": axis, "n": n, "time": time}
        assert len(code) < 600
    name, settings = "adam", PRESETS["adam"][1]
    code, *_ = module.evaluate(LINKED, [settings, "speed", 1, "log", 1, presets])
    assert code == f"example={name}&view=speed&class=2&step=100"  # short, and people can read it


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("", "it names no example"),
        ("example=__proto__", "it names no example"),
        ("example=adam&example=adam", "it says something twice"),
        ("example=adam&evil=1", "it sets what this lab does not have"),
        ("example=adam&constructor=1", "it sets what this lab does not have"),
        ("example=adam&K=1", "its settings are out of range"),
        ("example=adam&K=2.5", "its settings are out of range"),
        ("example=adam&K=1e1", "its settings are out of range"),
        ("example=adam&eta_y=NaN", "its settings are out of range"),
        ("example=adam&eta_y=none", "its settings are out of range"),
        ("example=adam&queries=3", "its settings are out of range"),
        ("example=adam&lowest=2", "its settings are out of range"),
        ("example=adam&optimizer=sgd", "its settings are out of range"),
        ("example=adam&steps=101", "its settings are out of range"),
        ("example=adam&view=heat", "its picture is unknown"),
        ("example=adam&time=root", "its picture is unknown"),
        ("example=adam&class=3", "it has no such class"),
        ("example=adam&class=0", "it has no such class"),
        ("example=adam&step=101", "its run is not that long"),
        ("example=adam&step=-1", "its run is not that long"),
        ("example=adam&x=" + 600 * "1", "it is too long to be a lab"),
    ],
)
def test_a_link_that_no_lab_wrote_is_refused(module: Modules, code: str, why: str) -> None:
    said = module.evaluate(
        """([code, presets]) => { try { M.decodeState(code, presets); return "read" }
            catch (error) { return error.message } }""",
        [code, ScanSnapLab().presets],
    )
    assert said.startswith(f"The link was not loaded: {why}")


def test_before_the_first_step_nothing_tells_the_end(module: Modules) -> None:
    for _, settings, question in PRESETS.values():
        said = module.evaluate(
            """settings => { const lab = new M.Experiment(settings, "attention");
                return [lab.time, M.inWords(lab), lab.snap.peak, lab.snap.quiet] }""",
            settings,
        )
        assert said[0] == 0
        assert "Step 0: nothing is trained yet" in said[1]
        for end in ("fell", "rose", "fastest", "flip", "sinks", "rises", f"step {said[2]} "):
            assert end not in said[1] + question.replace("rise like", "").replace("sink", "")


def test_words_never_say_from_65_to_65(module: Modules) -> None:
    change = "([before, now]) => M.change(before, now)"
    assert module.evaluate(change, [0.65, 0.4]) == "fell from 65% to 40%"
    assert module.evaluate(change, [0.65, 0.6512]) == "rose from 65.00% to 65.12%"
    assert module.evaluate(change, [0.65, 0.65001]) == "hardly moved from 65.00%"
    assert module.evaluate(change, [0.65, 0.65]) == "stays at 65%"
    rng = np.random.default_rng(0)
    for _ in range(40):
        before, move = rng.uniform(0, 1), 10.0 ** rng.uniform(-12, -1)
        said = module.evaluate(change, [before, min(1.0, before + move)])
        if " to " in said:
            start, _, end = said.partition("from ")[2].partition(" to ")
            assert start != end
    runs = module.evaluate(
        """list => list.flatMap(settings => { const lab = new M.Experiment(settings, "attention");
            return lab.frames.map((_, i) => { lab.frame = i; return M.inWords(lab) }) })""",
        instances()[:5],
    )
    assert len(runs) > 250
    for said in runs:
        for start, end in re.findall(r"from ([\d.<>]+%) to ([\d.<>]+%)", said):
            assert start != end, said


def test_a_shared_token_is_not_counted_among_the_common_ones(module: Modules) -> None:
    _, settings, _ = PRESETS["shared"]
    got = module.evaluate(
        """settings => { const lab = new M.Experiment(settings, "attention"); lab.lookAt(1);
            const { kinds, shared } = lab.classes;
            return [M.measure(lab).common, [...lab.attention[lab.at][0]], kinds, kinds[shared],
                    M.inWords(lab)] }""",
        settings,
    )
    common, attention, kinds, shared, words = got
    assert (kinds.count("common"), shared) == (10, "shared")
    assert common == pytest.approx(sum(attention[:10]))
    assert f"fell from 61% to {100 * common:.0f}%" in words
    assert "r = 0.3 is its flip" in words


def test_where_the_run_and_the_lab_end_is_said(module: Modules) -> None:
    said = module.evaluate(
        """list => list.map(steps => { const lab = new M.Experiment({ ...SETTINGS, steps },
            "attention"); lab.lookAt(1); const end = M.inWords(lab); lab.lookAt(0.5);
            return [end, M.inWords(lab)] })""".replace(
            "SETTINGS", json.dumps(PRESETS["one-common"][1])
        ),
        [300, 3000],
    )
    assert said[0][0].endswith("The run ends here; “Train longer” goes on.")
    assert said[1][0].endswith("The run ends here: 3000 steps are the most this lab takes.")
    assert "ends here" not in said[0][1] + said[1][1]
