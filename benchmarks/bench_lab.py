"""The labs in Chromium against the time they promise: one frame of a screen, or one answer.

``python -m benchmarks lab``

The Token Lab has a frame of 16 ms for a redraw; the Scan and Snap explorer has 50 ms to answer a
change of a control, which is a whole training.  A ratio of 1 fills that time, a ratio of 4 leaves
three quarters of it free.  Counted is the time the page's thread computes, script, style and
layout together, so that a busy machine changes little; the layout is forced after every redraw.
"""

from itertools import product
from typing import Any

import numpy as np
from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.measure import Row
from nta_book.lab import ScanSnapLab
from nta_book.page.bundle import build
from nta_core import Dataset, random_dataset
from tools.install_browser import find_browser

FRAME = 0.016
ANSWER = 0.050

_MOUNT = """async ([source, state]) => {
  document.body.replaceChildren();
  const module = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const idle = () => {};
  const model = { get: k => state[k], set: (k, v) => { state[k] = v } };
  module.default.render({
    model: { ...model, save_changes: idle, on: idle, off: idle }, el: document.body });
  window.lab = document.querySelector(".nta-lab").ntaLab;
}"""
_TRAIN = "lab.lab.advance(100); lab.frame();"
_EDIT = """
  const text = lab.lab.draft.split("\\n"), words = text[i % text.length].split(" ");
  words[words.length - 1] = words[i % (words.length - 2)];            // another winner
  lab.lab.edit(text.with(i % text.length, words.join(" ")).join("\\n"));
  lab.rebuild();"""
_CHANGE = "lab.set(() => lab.lab.set('eta_y', [1, 1.5, 2][i % 3]));"
_LOOK = "lab.lab.frame = i % lab.lab.frames.length; lab.move();"
_TOKEN_LAB = (("100 steps and a redraw", _TRAIN), ("an edit: theory, leagues, redraw", _EDIT))
ROUNDS = 60


def run() -> list[Row]:
    """Measure training and editing at the two sizes the lab promises."""
    small = random_dataset(24, 4, 8, seed=1)
    large = random_dataset(60, 5, 12, seed=1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        rows = [
            *(_row(page, data, *each) for data, each in product((small, large), _TOKEN_LAB)),
            _scan_snap_row(page, "Syn-Small, bars: a training and its picture", _CHANGE),
            _scan_snap_row(page, "Syn-Small, logits: a training", _CHANGE, view="logits"),
            _scan_snap_row(page, "8 classes, Adam: a training", _CHANGE, K=8, optimizer="adam"),
            _scan_snap_row(page, "Syn-Small, bars: another time", _LOOK),
        ]
        browser.close()
    return rows


def _row(page: Page, dataset: Dataset, what: str, script: str) -> Row:
    text = dataset.to_text()
    seconds = _seconds_of(page, "token_lab", {"text": text, "draft": text}, script)
    size = f"{dataset.K} tokens, {dataset.n} races of {np.diff(dataset.offsets).max()}"
    note = "baseline: one 16 ms frame"
    return Row(f"lab, {size}: {what}", seconds, FRAME, target="≥ 1×", note=note)


def _scan_snap_row(page: Page, what: str, script: str, **options: Any) -> Row:
    state = ScanSnapLab(preset="syn-small", **options).page_state()
    seconds = _seconds_of(page, "scan_snap_lab", state, script)
    note = "baseline: 50 ms from a control to its picture"
    return Row(f"Scan and Snap, {what}", seconds, ANSWER, target="≥ 1×", note=note)


def _seconds_of(page: Page, lab: str, state: dict[str, Any], script: str) -> float:
    """CPU seconds of the page's thread for one round of a script and its layout, on a new lab."""
    source = (build() / "esm" / f"{lab}.js").read_text(encoding="utf-8")
    page.evaluate(_MOUNT, [source, state])
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    loop = f"""rounds => {{ for (let i = 0; i < rounds; i++) {{
        {script}
        document.body.offsetHeight; }} }}"""
    page.evaluate(loop, ROUNDS)  # to warm up
    before = _task_seconds(tools)
    page.evaluate(loop, ROUNDS)
    return (_task_seconds(tools) - before) / ROUNDS


def _task_seconds(tools: CDPSession) -> float:
    metrics = tools.send("Performance.getMetrics")["metrics"]
    return float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))
