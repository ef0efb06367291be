"""The picture of the start page: its numbers are those of the package, its shapes tell them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nta_book.lab import ORDERS, LeagueRace
from nta_book.page.bundle import PAGE
from nta_book.viz.theme import ROLES
from nta_core import (
    Automaton,
    Dataset,
    attention_masses,
    embeddings,
    gradient_descent,
    token_priority_graphs,
)
from nta_core.errors import OptionError
from tests.book.page.in_node import Modules

PICTURE = Modules("hero", "training", "scene", "shapes", "words")
STRICT = Dataset(ORDERS.sequences, [0, 1, 0, 0, 0, 2], names=ORDERS.names)
CIRCLE = Dataset(ORDERS.sequences, [0, 1, 2, 0, 1, 3], names=ORDERS.names)
SCENE = """
([names, rows, width, index]) => {
  const races = rows.map(([tokens, label]) => ({ tokens, label }));
  const run = M.train(races, names.length);
  const frame = run.frames.at(index);
  const at = M.plan(names, races, run.graph, width);
  const scene = { names, rows: races, run };
  return {
    ...{ markup: M.markup(M.picture(scene, frame, at)), kept: M.KEPT, limits: run.limits },
    ...{ frame, shares: run.frames.map(({ shares }) => shares), at: { ...at, table: null } },
    boxes: at.table.boxes.map(({ league, ...box }) => ({ ...box, members: league.members })),
    said: M.describe(scene, frame),
    told: run.frames.map((one) => M.narrate(scene, one)),
  };
}
"""


def drawn(data: Dataset, width: int = 840, index: int = -1) -> dict[str, Any]:
    state = LeagueRace(data).page_state()
    answer: dict[str, Any] = PICTURE.evaluate(SCENE, [state["names"], state["rows"], width, index])
    return answer


def by_runner(data: Dataset, masses: Any) -> list[list[float]]:
    """Attention on the runners of each race, from attention on all tokens."""
    return [
        [masses[i][token] for token in dict.fromkeys(sequence)]
        for i, sequence in enumerate(data.sequences)
    ]


@pytest.mark.parametrize("data", [ORDERS, STRICT, CIRCLE], ids=["orders", "strict", "circle"])
def test_runners_go_as_far_as_the_attention_of_the_layer(data: Dataset) -> None:
    picture = drawn(data)
    kept = picture["kept"]
    E = embeddings(4, 4, kind="orthonormal")
    run = gradient_descent(data, E, steps=kept[-1], step_size=1.0, normalized=False, record=kept)
    assert kept[0] == 0
    assert kept[-1] == 10_000
    for k in (0, 1, len(kept) // 2, len(kept) - 1):
        ours = by_runner(data, attention_masses(data, run.path[k], E))
        for race, shares in zip(ours, picture["shares"][k], strict=True):
            assert np.allclose(race, shares, atol=1e-9)


@pytest.mark.parametrize("data", [ORDERS, STRICT, CIRCLE], ids=["orders", "strict", "circle"])
def test_diamonds_and_boxes_are_the_automatons(data: Dataset) -> None:
    picture = drawn(data)
    machine = Automaton.from_dataset(data)
    shares = [machine.compose(sequence).probabilities for sequence in data.sequences]
    limits = by_runner(data, [[share.get(token, 0.0) for token in range(4)] for share in shares])
    for race, theirs in zip(limits, picture["limits"], strict=True):
        assert np.allclose(race, theirs, atol=1e-9)
    leagues = token_priority_graphs(data)[3].components
    assert [set(box["members"]) for box in picture["boxes"]] == [set(league) for league in leagues]
    heights = [box["y"] for box in picture["boxes"]]
    assert heights == sorted(heights)


def test_at_step_0_all_stand_level_and_the_table_is_no_table() -> None:
    picture = drawn(ORDERS, index=0)
    assert all(len({*shares}) == 1 for shares in picture["frame"]["shares"])
    assert {*picture["frame"]["learned"]} == {0}
    assert "Nothing is learned" in picture["said"]
    boxes = re.findall(r'<g opacity="([\d.]+)"><rect', picture["markup"])
    assert len(boxes) == 3
    assert {*boxes} == {"0"}


def test_while_it_plays_three_sentences_follow_each_other() -> None:
    told = drawn(ORDERS)["told"]
    changes = [k for k in range(1, len(told)) if told[k] != told[k - 1]]
    assert len(changes) == 2
    assert "every word alike" in told[0]
    assert "comes to rest" in told[-1]
    assert not any(letter.isdigit() for sentence in told for letter in sentence)


def test_the_last_frame_says_what_it_shows() -> None:
    assert drawn(ORDERS)["said"].endswith("Tea and coffee beat each other: they share.")
    assert drawn(STRICT)["said"].endswith("Nobody beat tea: it takes all.")
    assert drawn(CIRCLE)["said"].endswith("All beat each other in a circle: all share.")


@pytest.mark.parametrize("width", [300, 328, 639, 640, 736, 1000])
def test_nothing_stands_outside_the_picture_and_letters_have_two_sizes(width: int) -> None:
    picture = drawn(ORDERS, width)
    markup, at = picture["markup"], picture["at"]
    assert at["stacked"] == (width < 640)
    assert at["start"] < at["flag"] < width - 50
    for box in picture["boxes"]:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= at["height"]
    assert {*re.findall(r'font-size="([\d.]+)"', markup)} == {"13", "14.5"}
    assert markup.count('role="radiogroup"') == ORDERS.n
    assert markup.count('aria-checked="true"') == markup.count('tabindex="0"') == ORDERS.n
    if at["stacked"]:  # the table below, and rows that a finger can hit
        assert picture["boxes"][0]["y"] > at["bottom"]
        assert at["line"] >= 24


def test_colours_are_the_books() -> None:
    known = dict(re.findall(r'"?([\w-]+)"?: "(#[0-9a-f]{6})"', _source("scene")))
    assert len(known) == 12
    assert known == {role: ROLES[role].light.lower() for role in known}
    style = (PAGE / "hero" / "hero.css").read_text(encoding="utf-8")
    dark = dict(re.findall(r"--nta-([\w-]+): (#[0-9a-f]{6});", style))
    assert dark.keys() - known.keys() == {"wash", "focus"}
    assert all(dark[role] == ROLES[role].dark.lower() for role in known)


def test_markup_in_names_is_text() -> None:
    shape = "M.markup(M.shape('a', 'text', { x: 1.234, id: '\"' }, '<b>&'))"
    assert PICTURE.evaluate(shape) == '<text x="1.2" id="&quot;">&lt;b&gt;&amp;</text>'


def test_races_it_cannot_show_are_refused() -> None:
    for text, fault in (
        ("a b -> a\nb a -> a", "one track"),
        ("a b -> c", "does not run"),
        ("\n".join(["a b -> a"] * 9), "8 races"),
        ("a b c d e f -> a", "5 runners"),
    ):
        with pytest.raises(OptionError, match=fault):
            LeagueRace(Dataset.from_text(text))


def _source(name: str) -> str:
    return Path(PAGE / "hero" / f"{name}.js").read_text(encoding="utf-8")
