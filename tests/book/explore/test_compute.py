"""Explorers: computing with a second process, and the cache."""

from __future__ import annotations

import functools
import io
import pickle
import subprocess
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
from tests.book.explore.examples import example, mass, simple

# ---- computing with a second process ------------------------------------------------------------


def test_a_second_process_draws_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone = compute.draw_all(example()._recipe, example().states())
    progress = tmp_path / "progress"
    monkeypatch.setenv("NTA_PROGRESS_FILE", str(progress))
    monkeypatch.setattr(compute, "SLOW", -1.0)
    helped: list[int] = []
    collect = compute._collect
    monkeypatch.setattr(
        compute, "_collect", lambda helper: helped.append(helper.pid) or collect(helper)
    )
    assert compute.draw_all(example()._recipe, example().states()) == alone
    assert helped
    lines = progress.read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "explorer “How strict?”: 12 of 12 states"


def test_the_second_process_names_a_failing_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "SLOW", -1.0)
    recipe = compute.Recipe("Q", lambda s: viz.token(1 / (s.n - 9)), lambda s: "w")
    with pytest.raises(ExplorerError, match="“Q” failed at n=9: ZeroDivisionError"):
        compute.draw_all(recipe, [State(n=n) for n in range(10)])
    early = compute.Recipe("Q", lambda s: viz.token(1 / (s.n - 3)), lambda s: "w")
    with pytest.raises(ExplorerError, match="n=3"):
        compute.draw_all(early, [State(n=n) for n in range(10)])


def test_the_body_of_the_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(recipe: compute.Recipe) -> Any:
        work = pickle.dumps((sys.path, pickled((recipe, [State(n=1)]))))
        answer = io.BytesIO()
        stdout = io.TextIOWrapper(answer)  # kept: a forgotten wrapper closes what it wraps
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(work)))
        monkeypatch.setattr(sys, "stdout", stdout)
        compute.main()
        return pickle.loads(answer.getvalue())

    def talkative(state: State) -> viz.Drawing:
        print("a word that must not get in between")
        return viz.token(state.n)

    drawn, failure = run(compute.Recipe("Q", talkative, lambda s: "w"))
    assert (drawn[0]["words"], failure) == ("w", "")
    drawn, failure = run(compute.Recipe("Q", lambda s: viz.token(1 / 0), lambda s: "w"))
    assert drawn == []
    assert "failed at n=1: ZeroDivisionError" in failure


class Unpicklable:
    def __reduce__(self) -> Any:
        raise TypeError("never")


class Explosive:
    def __reduce__(self) -> Any:
        return exit, (3,)  # the second process dies while it unpacks


@pytest.mark.parametrize("trouble", [Unpicklable(), Explosive()])
def test_without_help_everything_is_drawn_here(
    monkeypatch: pytest.MonkeyPatch, trouble: object
) -> None:
    monkeypatch.setattr(compute, "SLOW", -1.0)
    recipe = compute.Recipe("Q", lambda s: viz.token(s.n), lambda s: f"{trouble and s.n}")
    drawn = compute.draw_all(recipe, [State(n=n) for n in range(6)])
    assert [state["words"] for state in drawn] == list("012345")


def test_the_second_process_may_die_before_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    big = "x" * 1_000_000
    recipe = compute.Recipe("Q", lambda s: viz.token(s.n), lambda s: f"{len(big)}")
    with monkeypatch.context() as patch:
        popen = subprocess.Popen
        patch.setattr(compute.subprocess, "Popen", lambda *a, **k: _dead(popen))
        assert compute._start(recipe, [State(n=1)]) is None


def _dead(popen: Any) -> Any:
    helper = popen([sys.executable, "-c", ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    helper.wait()
    return helper


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
    from nta_book.explore import fingerprint as module

    before = fingerprint("d", len)
    monkeypatch.setattr(module, "package_hash", lambda: "other source")
    assert fingerprint("d", len) != before


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
