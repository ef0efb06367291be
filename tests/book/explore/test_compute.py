"""Explorers: computing with other processes, and the cache."""

from __future__ import annotations

import functools
import json
import os
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import ExplorerError
from nta_book.explore import Explorer, Slider, State, cache, compute
from nta_book.explore import explorer as explorer_module
from nta_book.explore.fingerprint import fingerprint, pickled
from nta_book.results import stored_result
from nta_book.results.changes import OURS, RESULTS, ROOT, Project
from tests.book.explore.examples import example, mass, simple

_NO_CODE = shutil.ignore_patterns("built", "__pycache__", "*.js", "*.css", "*.json")

# ---- computing with other processes -------------------------------------------------------------


def test_other_processes_draw_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone = compute.draw_all(example()._recipe, example().states())
    progress = tmp_path / "progress"
    monkeypatch.setenv("NTA_PROGRESS_FILE", str(progress))
    monkeypatch.setattr(compute, "SLOW", -1.0)
    assert compute.draw_all(example()._recipe, example().states()) == alone
    lines = progress.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 3
    assert lines[-1] == "explorer “How strict?”: 12 of 12 states"


def test_slow_states_are_shared_and_quick_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = compute.Recipe("Q", lambda s: viz.token(s.n), lambda s: str(os.getpid()))
    states = [State(n=n) for n in range(8)]
    assert {drawn["words"] for drawn in compute.draw_all(recipe, states)} == {str(os.getpid())}
    monkeypatch.setattr(compute, "SLOW", -1.0)
    where = [drawn["words"] for drawn in compute.draw_all(recipe, states)]
    assert set(where[:2]) == {str(os.getpid())}
    assert str(os.getpid()) not in where[2:]


def test_another_process_names_a_failing_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "SLOW", -1.0)
    recipe = compute.Recipe("Q", lambda s: viz.token(1 / (s.n - 9)), lambda s: "w")
    with pytest.raises(ExplorerError, match="“Q” failed at n=9: ZeroDivisionError"):
        compute.draw_all(recipe, [State(n=n) for n in range(10)])
    early = compute.Recipe("Q", lambda s: viz.token(1 / (s.n - 3)), lambda s: "w")
    with pytest.raises(ExplorerError, match="n=3"):
        compute.draw_all(early, [State(n=n) for n in range(10)])


def test_the_body_of_another_process_is_silent_and_unpacks_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def talkative(state: State) -> viz.Drawing:
        print("a word that must not get onto the page")
        print("nor this", file=sys.stderr)
        return viz.token(state.n)

    work = pickled(compute.Recipe("Q", talkative, lambda s: "w"))
    assert compute._draw_piece(work, [State(n=1)])[0]["words"] == "w"
    assert capsys.readouterr() == ("", "")
    assert compute._unpacked(work) is compute._unpacked(work)
    failing = pickled(compute.Recipe("Q", lambda s: viz.token(1 / 0), lambda s: "w"))
    with pytest.raises(ExplorerError, match="failed at n=1: ZeroDivisionError"):
        compute._draw_piece(failing, [State(n=1)])


class Unpicklable:
    def __reduce__(self) -> Any:
        raise TypeError("never")


class Explosive:
    def __reduce__(self) -> Any:
        return os._exit, (3,)  # the other process dies while it unpacks


@pytest.mark.parametrize("trouble", [Unpicklable(), Explosive()])
def test_without_help_everything_is_drawn_here(
    monkeypatch: pytest.MonkeyPatch, trouble: object
) -> None:
    monkeypatch.setattr(compute, "SLOW", -1.0)
    recipe = compute.Recipe("Q", lambda s: viz.token(s.n), lambda s: f"{trouble and s.n}")
    drawn = compute.draw_all(recipe, [State(n=n) for n in range(6)])
    assert [state["words"] for state in drawn] == list("012345")


def test_help_that_dies_half_way_costs_no_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compute, "SLOW", -1.0)
    here, deaths = os.getpid(), tmp_path / "deaths"

    def words(state: State) -> str:
        if state.n == 15 and os.getpid() != here:
            deaths.touch()
            os._exit(3)
        return str(state.n)

    recipe = compute.Recipe("Q", lambda s: viz.token(s.n), words)
    drawn = compute.draw_all(recipe, [State(n=n) for n in range(20)])
    assert [state["words"] for state in drawn] == [str(n) for n in range(20)]
    assert deaths.exists()


# ---- cache --------------------------------------------------------------------------------------


def test_the_cache_follows_content(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    monkeypatch.setenv("NTA_EXPLORER_CACHE", str(tmp_path))
    drawn: list[int] = []

    def make(power: int) -> Explorer:
        return simple(lambda s: viz.token(s.n**power))

    draw_all = compute.draw_all
    monkeypatch.setattr(
        explorer_module, "draw_all", lambda *given: drawn.append(1) or draw_all(*given)
    )
    first = make(2).payload
    assert (len(drawn), len(list(tmp_path.iterdir()))) == (1, 1)
    assert make(2).payload == first
    assert len(drawn) == 1
    assert make(3).payload != first  # a closed-over value
    assert len(drawn) == 2
    simple(lambda s: viz.token(s.n**2), controls=[Slider("n", range(5))])
    assert len(drawn) == 3
    for path in tmp_path.iterdir():
        path.write_text("damaged")
    assert make(2).payload == first
    assert len(drawn) == 4


def test_names_see_code_globals_and_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def outer() -> float:
        return float((lambda: mass(1.0))().sum())

    name = fingerprint("d", outer)
    assert name == fingerprint("d", outer)
    monkeypatch.setitem(globals(), "mass", lambda strictness: np.zeros(1))
    assert fingerprint("d", outer) != name
    assert fingerprint("d", Unpicklable()) is None


def test_a_name_follows_the_code_of_our_packages_and_no_more(tmp_path: Path) -> None:
    for package in OURS[:3]:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=_NO_CODE)

    def name(*edit: str) -> str | None:
        if edit:
            path = tmp_path / edit[0]
            before = path.read_text(encoding="utf-8")
            assert edit[1] in before
            path.write_text(before.replace(*edit[1:]), encoding="utf-8")
        explorer = example()
        return fingerprint("d", explorer._recipe.render, sources=Project(tmp_path))

    first = name()
    assert name("nta_book/viz/bars.py", "Attention as bars", "Bars") == first
    assert name("nta_book/viz/points.py", "return ", "return 0 or ") == first  # not drawn here
    assert name("nta_book/explore/controls.py", "return ", "return 0 or ") == first
    second = name("nta_book/viz/bars.py", "return ", "return 0 or ")
    assert second != first
    assert name("nta_book/explore/encode.py", "return ", "return 0 or ") != second


def test_a_stored_result_read_while_drawing_counts(tmp_path: Path) -> None:
    data = tmp_path / RESULTS
    data.mkdir(parents=True)

    def name(value: int) -> str | None:
        (data / "one.json").write_text(json.dumps({"stamp": str(value // 2), "cells": [value % 2]}))
        return fingerprint("d", lambda s: stored_result("one"), sources=Project(tmp_path))

    assert name(0) == name(2) != name(1)


def test_names_do_not_depend_on_where_the_code_stands() -> None:
    source = "def render(s):\n    return [t for t in (s, 'a')]\n"
    spaces: list[dict[str, Any]] = [{}, {}]
    for space, file, lead in zip(spaces, ("first.py", "second.py"), ("", "\n\n"), strict=True):
        exec(compile(lead + source, file, "exec"), space)
    names = {fingerprint("d", space["render"]) for space in spaces}
    assert len(names) == 1


def test_cached_functions_of_a_notebook_travel_by_value() -> None:
    @functools.cache
    def double(x: int) -> int:
        return 2 * x

    double.__module__ = "__main__"
    assert pickle.loads(pickled(double))(4) == 8


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NTA_EXPLORER_CACHE", raising=False)
    cache.store("name", 1)
    assert cache.load("name") is None


def test_a_full_disk_leaves_what_was_kept_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NTA_EXPLORER_CACHE", str(tmp_path))
    cache.store("name", {"n": "é"})

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            cache.store("name", 2)
    assert cache.load("name") == {"n": "é"}
    assert [path.name for path in tmp_path.iterdir()] == ["name.json"]
