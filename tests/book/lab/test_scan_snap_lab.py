"""The lab of Scan and Snap as a Python object: settings, presets, what its output carries."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import traitlets

from nta_beyond.scansnap import class_overlaps, make_classes, token_growth, train_population
from nta_book.lab import MIME, ScanSnapLab
from nta_book.lab.scan_snap_lab import OPTIMIZERS, PRESETS, VIEWS
from nta_core import OptionError

VIEW = "application/vnd.jupyter.widget-view+json"


def test_the_default_is_where_theory_holds() -> None:
    lab = ScanSnapLab()
    assert lab.settings == PRESETS["one-common"][1]
    assert class_overlaps(lab.classes.P).weak
    assert lab.settings["eta_z"] <= 0.1 * lab.settings["eta_y"]
    assert lab.settings["optimizer"] == "plain"
    assert np.abs(token_growth(lab.run).deviation).max() < 0.03
    first = lab.classes.P[0]
    assert first[0] == first[lab.classes.top[0]]  # two rivals, equally frequent


def test_the_papers_syn_small_is_a_preset() -> None:
    lab = ScanSnapLab("syn-small")
    assert repr(lab.classes) == (
        "SequenceClasses(K=2, 10 common and 20 distinct tokens, 2 queries, M=34)"
    )
    assert lab.settings == PRESETS["syn-small"][1]
    assert lab.view == "attention"
    assert lab.run.entropy[-1] == pytest.approx(1.979, abs=5e-4)


def test_single_settings_change_a_preset() -> None:
    lab = ScanSnapLab("shared", eta_y=2, K=3, shared=0.1, view="logits")
    assert lab.settings == {**PRESETS["shared"][1], "eta_y": 2, "K": 3, "shared": 0.1}
    assert lab.view == "logits"
    assert PRESETS["shared"][1]["K"] == 2  # the preset itself is left alone


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_run_is_the_one_the_page_shows(optimizer: str) -> None:
    lab = ScanSnapLab(
        "syn-small", optimizer=optimizer, K=3, queries=2, common=2, distinct=4, shared=0.2
    )
    kind, momentum = OPTIMIZERS[optimizer]
    classes = make_classes(3, queries=2, common=2, distinct=4, shared=0.2)
    expected = train_population(classes, optimizer=kind, momentum=momentum)
    np.testing.assert_array_equal(lab.run.Z_path, expected.Z_path)
    np.testing.assert_array_equal(lab.classes.P, classes.P)


def test_every_preset_shows_what_it_is_for() -> None:
    runs = {name: ScanSnapLab(name).run for name in PRESETS}
    small, fast, one = runs["syn-small"], runs["syn-small-10"], runs["one-common"]
    assert fast.entropy[-1] > small.entropy[-1] + 0.07  # a faster decoder: less sparse
    assert class_overlaps(one.classes.P).weak
    assert one.common_mass[-1] < one.common_mass[0] - 0.05
    assert not class_overlaps(small.classes.P).weak
    adam = runs["adam"]
    assert adam.attention[-1, 0].argmax() != adam.classes.top[0]
    shared = runs["shared"]
    assert abs(shared.Z[0, -1]) < 0.005 < shared.Z[0].max() / 50  # it stands still, others do not


BAD: list[tuple[dict[str, Any], str]] = [
    ({"eta_y": 0.05}, "eta_y=0.05: must be a finite number, at least 0.1"),
    ({"eta_z": float("nan")}, "eta_z=nan"),
    ({"eta_z": "1"}, "eta_z='1'"),
    ({"K": 9}, "K=9: must be an integer, from 2 to 8"),
    ({"K": 2.0}, "K=2.0"),
    ({"K": True}, "K=True"),
    ({"queries": 3}, "queries=3: from 1 to K=2"),
    ({"common": -1}, "common=-1"),
    ({"distinct": 1}, "distinct=1"),
    ({"unused": 5000}, "unused=5000"),
    ({"shared": 1.5}, "shared=1.5"),
    ({"lowest": 1.5}, "lowest: at most highest"),
    ({"optimizer": "sgd"}, "optimizer='sgd': choose one of plain, momentum, adam"),
    ({"steps": 7}, "steps=7: choose one of 100, 300, 1000, 3000"),
    ({"momentum": 0.9}, "unknown setting 'momentum'"),
    ({"preset": "syn-large"}, "preset='syn-large': choose one of one-common"),
    ({"view": "heat"}, "view='heat': choose one of attention"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message for _, message in BAD])
def test_what_cannot_be_shown_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        ScanSnapLab(**options)


def test_settings_can_be_set_and_observed_and_bad_ones_change_nothing() -> None:
    lab, seen = ScanSnapLab(), []
    lab.observe(lambda change: seen.append(change["new"]["eta_y"]), "settings")
    lab.settings = {**lab.settings, "eta_y": np.float64(2)}
    assert seen == [2.0]
    assert type(lab.settings["eta_y"]) is float  # what JSON can carry
    with pytest.raises(OptionError, match="missing setting 'K'"):
        lab.settings = {name: value for name, value in lab.settings.items() if name != "K"}
    with pytest.raises(OptionError):
        lab.settings = {**lab.settings, "K": 0}
    assert lab.settings["K"] == 2
    with pytest.raises(traitlets.TraitError):
        lab.view = "heat"


def test_the_output_is_live_with_a_kernel_and_static_in_a_book(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lab = ScanSnapLab(view="speed")
    monkeypatch.delenv("NTA_BOOK_BUILD", raising=False)
    assert VIEW in lab._repr_mimebundle_()[0]
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    data, _ = lab._repr_mimebundle_()
    assert sorted(data) == [MIME, "text/plain"]
    state = json.loads(json.dumps(data[MIME]))["state"]
    assert sorted(state) == ["address", "presets", "settings", "view"]
    assert state["address"]  # the page keeps the state in its address; a notebook does not
    assert not lab.address
    assert state["settings"] == lab.settings
    assert [name for name, *_ in state["presets"]] == list(PRESETS)
    assert state["view"] in VIEWS
    assert data["text/plain"] == (
        "ScanSnapLab(K=2, 1 common and 3 distinct tokens, plain, η_Y=0.5, η_Z=0.05)"
    )
