"""The Token Lab in Firefox and WebKit: it trains, is edited, undone, shared, and no word is cut.

An engine that is missing is named loudly; where ``NTA_ENGINES=all`` asks for it, that is a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nta_book.lab import CAT_AND_DOG, TokenLab
from nta_core import Dataset, gradient_descent, loss_value
from tools import install_browser

from . import engines
from .lab_page import write_lab_page
from .test_token_lab import CUT_WORDS

#: Use the lab as a reader would, by its buttons and keys, and report what it shows.
USE = """async () => {
    const until = async (holds, what) => {
        for (let i = 0; i < 600; i++) {
            if (holds()) return;
            await new Promise(done => setTimeout(done, 50));
        }
        throw new Error(`waited in vain: ${what}`);
    };
    const $ = at => document.querySelector(at);
    await until(() => $('.nta-widget')?.dataset.state === 'drawn', 'the lab');
    const { lab, atRest } = $('.nta-lab').ntaLab;
    const press = name => [...document.querySelectorAll('.nta-lab button')]
        .find(b => (b.getAttribute('aria-label') ?? b.textContent) === name).click();
    const say = () => $('.nta-words').textContent;
    const seen = {};
    seen.startsByItself = await until(() => lab.steps > 2, 'training').then(() => true);
    $('.nta-lab').dispatchEvent(new Event('pointerdown', { bubbles: true }));
    if ($('.nl-train').textContent.includes('Pause')) press('❚❚ Pause');
    press('Reset');
    for (let i = 0; i < 40; i++) press('Step');
    seen.trained = [...lab.W];
    const chip = $('.nl-races > li .nl-chip');
    chip.focus();
    chip.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
    seen.edited = lab.draft.split('\\n')[0];
    seen.saidEdit = say();
    seen.focus = document.activeElement.getAttribute('aria-label');
    document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true }));
    seen.undone = lab.draft.split('\\n')[0];
    seen.focusAfterUndo = document.activeElement.getAttribute('aria-label');
    press('Slow motion');
    for (let i = 0; i < 7; i++) press('Next ▶');
    seen.scene = $('.nl-film h4').textContent;
    press('Close');
    press('Text');
    const area = $('.nl-text textarea');
    area.value += '\\nthe cat chases the -> cow';
    area.dispatchEvent(new Event('input', { bubbles: true }));
    seen.missing = $('.nl-text li').textContent;
    press('Let cow run');
    seen.mended = lab.draft.split('\\n').at(-1);
    press('Text');
    press('Step');
    press('Copy Python');
    seen.python = $('.nl-copy').value;
    press('Copy link');
    seen.link = $('.nl-copy').value;
    await until(atRest, 'rest');
    seen.address = location.hash.startsWith('#lab=');
    seen.W = [...lab.W];
    seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    seen.cut = (CUT_WORDS)();
    return seen;
}""".replace("CUT_WORDS", CUT_WORDS)

OPENED = """async () => {
    for (let i = 0; i < 600 && !document.querySelector('.nta-lab'); i++) {
        await new Promise(done => setTimeout(done, 50));
    }
    const { lab } = document.querySelector('.nta-lab').ntaLab;
    return { W: [...lab.W], steps: lab.steps, draft: lab.draft, past: lab.past.length };
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Path], str]) -> str:
    folder = write_lab_page(tmp_path_factory.mktemp("engines") / "page", TokenLab(play=True))
    return serve(folder) + "lab.html"


@pytest.mark.parametrize("name", engines.ENGINES)
def test_the_token_lab_lives_in_another_engine(
    name: str, page: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    with engines.ENGINES[name](tmp_path) as ask:
        seen = ask(page, USE)
        again = ask(seen["link"], OPENED)
    _check(seen)
    assert again["W"] == seen["W"]
    assert (again["steps"], again["past"] > 0) == (41, True)


def test_a_missing_engine_is_said_and_fails_where_all_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name = "engine that this test imagines"  # what is said is also printed: nobody looks for it
    monkeypatch.setitem(install_browser.OTHERS, name, (("no-such-program",),))
    monkeypatch.setitem(install_browser.PACKAGES, name, ("nothing",))
    monkeypatch.delenv("NTA_ENGINES", raising=False)
    ask = test_the_token_lab_lives_in_another_engine
    with pytest.warns(UserWarning, match=f"NO {name.upper()}: .* install nothing"):
        ask(name, "", tmp_path, capfd)
    monkeypatch.setenv("NTA_ENGINES", "all")
    with pytest.raises(pytest.fail.Exception, match=f"NO {name.upper()}"):
        ask(name, "", tmp_path, capfd)


def _check(seen: dict[str, Any]) -> None:
    K = CAT_AND_DOG.K
    run = gradient_descent(CAT_AND_DOG, np.eye(K), steps=40, step_size=0.1, record=[40])
    np.testing.assert_allclose(np.reshape(seen["trained"], (K, K)), run.W, atol=1e-9)
    assert seen["startsByItself"]
    assert seen["edited"] == "cat cat chases -> cat"
    assert "mouse no longer beats" in seen["saidEdit"]
    assert seen["focus"] == "cat, 1 of 3, winner"
    assert seen["undone"] == "mouse cat chases -> mouse"
    assert seen["focusAfterUndo"] == "mouse, 1 of 3, winner"
    assert seen["scene"] == "8 of 8 · Moved"
    assert "cow does not run here" in seen["missing"]
    assert seen["mended"] == "cow the cat chases the -> cow"
    assert seen["address"]
    assert seen["overflow"] <= 0
    assert seen["cut"] == []
    scope: dict[str, Any] = {}
    exec(compile(seen["python"], "copied", "exec"), scope)
    data = Dataset.from_text(CAT_AND_DOG.to_text() + "\n" + seen["mended"])
    assert scope["data"] == data
    theirs = loss_value(np.reshape(seen["W"], (data.K, data.K)), data, np.eye(data.K))
    assert loss_value(scope["W"], data, np.eye(data.K)) == pytest.approx(theirs, abs=1e-9)
