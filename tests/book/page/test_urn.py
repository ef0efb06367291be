"""The urn of the page: its texts are the package's, its words are true, its picture holds them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nta_book.lab import UrnLab
from nta_book.lab.urn_lab import AGAIN, LAST_SEED, STRENGTHS, TEMPERATURES
from nta_book.page.bundle import PAGE
from nta_book.viz.theme import ROLES
from nta_core.errors import DataError, OptionError
from tests.book.page.in_node import Modules

URN = Modules("urn", "chain", "chart", "words")
MARKUP = Modules("hero", "shapes")
NAMES = ["tea", "coffee", "milk"]
SETTINGS = [
    ([1, 1, 1], 1, 1, 1),
    ([2, 1, 1], 1, 1, 7),
    ([0.75, 1.25, 3], 1.5, 1, 4242),
    ([1.5, 1, 0.5], 0.25, 1, LAST_SEED + 20),  # the last of the other texts
    ([1.5, 1.25, 1], 0.75, 0.5, 3),
    ([1.5, 1.25, 1], 0.75, 1.5, 3),
]


def settings(strengths: list[float], again: float, temperature: float = 1) -> dict[str, Any]:
    return {"strengths": strengths, "again": again, "temperature": temperature}


@pytest.mark.parametrize(("strengths", "again", "temperature", "seed"), SETTINGS)
def test_the_page_writes_what_the_package_writes(
    strengths: list[float], again: float, temperature: float, seed: int
) -> None:
    lab = UrnLab(strengths, again=again, temperature=temperature)
    ours = lab.chain.generate([0, 1, 2], 600, seed=seed)
    asked = [settings(strengths, again, temperature), seed]
    text = URN.evaluate("([settings, seed]) => M.writeText(settings, seed)", asked)
    assert tuple(text) == ours[3:]
    counts = np.cumsum(np.array(ours)[:, None] == np.arange(3), axis=0)[2:]
    shares = np.array(URN.evaluate("text => M.sharesOf(text, 3)", text))
    assert np.allclose(shares.T, counts / counts.sum(axis=1, keepdims=True), atol=1e-15)


def test_random_numbers_are_the_packages() -> None:
    from nta_beyond.chain import mulberry32

    for seed in (0, 1, 2**32 - 1):
        drawn = URN.evaluate(
            "seed => { const draw = M.mulberry32(seed); return Array.from({length: 99}, draw); }",
            seed,
        )
        assert drawn == mulberry32(seed, 99).tolist()


ANY = "apart or together: any shares can stay."
FIRST = "can take all: the first draws decide."
RESTS = "Nobody takes all: the shares come to rest, in the end the same in every text."


@pytest.mark.parametrize(
    ("strengths", "again", "temperature", "said"),
    [
        ([1, 1, 1], 1, 1, f"Nothing pulls tea, coffee and milk {ANY}"),
        ([1, 2, 2], 1, 1, f"Nothing pulls coffee and milk {ANY}"),
        ([2, 1, 1], 1, 1, "In the end tea takes all."),
        ([1, 3, 1], 0.5, 1, "In the end coffee takes all."),
        ([1.5, 1, 1], 2, 1, f"Each of tea, coffee and milk {FIRST}"),
        ([3, 1, 2], 2, 1, f"Each of tea and milk {FIRST}"),
        ([1.5, 1, 1], 0.25, 1, RESTS),
        ([2, 1, 1], 0.5, 1, "In the end tea takes all, but very slowly."),
        ([3, 1, 1], 1.5, 0.5, f"Each of tea, coffee and milk {FIRST}"),
        ([3, 1, 1], 2, 2, RESTS),
    ],
)
def test_it_tells_the_fate_of_a_text(
    strengths: list[float], again: float, temperature: float, said: str
) -> None:
    asked = [NAMES, settings(strengths, again, temperature)]
    assert URN.evaluate("([names, settings]) => M.fate(names, settings)", asked) == said


def test_it_says_what_is_shown_and_plays_without_numbers() -> None:
    asked = [NAMES, settings([1, 1, 1], 1), [0.875, 0.124, 0.001], [0.25, 0.999, 0.5]]
    said = URN.evaluate("(all) => M.describe(...all)", asked)
    assert said.startswith(
        "Here tea 88%, coffee 12% and milk <1%; in the other texts tea has 25% to >99%. Nothing"
    )
    assert not any(letter.isdigit() for letter in URN.evaluate("M.NARRATION"))


DRAWN = """([strengths, width, count]) => {
  const settings = { strengths, again: 1, temperature: 1 };
  const paths = M.sharesOf(M.writeText(settings, 1), 3);
  const others = [2, 3].map((seed) => M.sharesOf(M.writeText(settings, seed), 3)[0]);
  return M.chart({ names: ["tea", "coffee", "milk"], paths, others, count }, width);
}"""


@pytest.mark.parametrize("width", [280, 336, 736, 1000])
@pytest.mark.parametrize("count", [0, 60, 600])
def test_the_picture_holds_all_it_draws(width: int, count: int) -> None:
    picture = URN.evaluate(DRAWN, [[1.5, 1, 1], width, count])
    markup = MARKUP.evaluate("shape => M.markup(shape)", picture)
    places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"', markup)
    assert len(places) == 3 + 3 + 1 + 3
    assert all(0 <= float(x) <= width and 0 <= float(y) <= 250 for x, y in places)
    heights = sorted(float(y) for _, y in places[-3:])
    assert all(b - a >= 16.9 for a, b in pairwise(heights))  # names keep apart
    assert max(float(x) for x, _ in places[-3:]) + 96 <= width
    assert markup.count("stroke-opacity") == 2
    assert {*re.findall(r'font-size="([\d.]+)"', markup)} == {"13", "14.5"}


def test_lines_end_where_the_shares_are() -> None:
    picture = URN.evaluate(DRAWN, [[1.5, 1, 1], 736, 600])
    lines = {part["key"]: part["attributes"]["d"] for part in picture["inside"] if "d" in
             part["attributes"]}  # fmt: skip
    top, bottom = (float(lines[f"rule {share}"].split()[1].split("H")[0]) for share in (1, 0))
    end = UrnLab([1.5, 1, 1]).chain.generate([0, 1, 2], 600, seed=1)
    for word in range(3):
        height = float(lines[f"word {word}"].rsplit(" ", 1)[1])
        assert (bottom - height) / (bottom - top) == pytest.approx(end.count(word) / 603, abs=1e-3)


def test_colours_and_sliders_are_the_books() -> None:
    chart, main = (_source(name) for name in ("chart", "main"))
    known = dict(re.findall(r'"?([\w-]+)"?: "(#[0-9a-f]{6})"', chart))
    assert len(known) == 6
    assert known == {role: ROLES[role].light.lower() for role in known}
    style = (PAGE / "urn" / "urn.css").read_text(encoding="utf-8")
    dark = dict(re.findall(r"--nta-([\w-]+): (#[0-9a-f]{6});", style))
    assert dark == {role: ROLES[role].dark.lower() for role in known}
    for name, values in (
        ("STRENGTHS", STRENGTHS),
        ("AGAIN", AGAIN),
        ("TEMPERATURES", TEMPERATURES),
    ):
        listed = re.search(rf"const {name} = \[([^\]]*)\]", main)
        assert listed is not None
        assert [float(one) for one in listed[1].split(",")] == list(values)
    assert f"LAST_SEED = {LAST_SEED}" in main


def test_the_widget_holds_what_a_page_needs() -> None:
    urn = UrnLab([2.1, 1, 0.5], again=0.3, temperature=1.6, seed=5, names=["a", "b", "c"])
    state = {"names": ["a", "b", "c"], "strengths": [2.0, 1.0, 0.5], "again": 0.25}
    assert urn.page_state() == {**state, "temperature": 1.5, "seed": 5}
    assert repr(urn) == "UrnLab(a 2, b 1, c 0.5; after itself × 0.25; temperature 1.5)"
    urn.strengths = [1, 1, 3]  # what the page sends
    assert urn.chain.strengths[2, 0] == 1.0
    for wrong in ({"strengths": [1, 1]}, {"strengths": [1, 1, 9]}, {"again": 0}, {"seed": 0}):
        with pytest.raises(OptionError):
            UrnLab(**wrong)
    with pytest.raises(DataError):
        UrnLab(names=["a", "a", "b"])


def _source(name: str) -> str:
    return Path(PAGE / "urn" / f"{name}.js").read_text(encoding="utf-8")
