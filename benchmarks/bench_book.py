"""The book: how long it takes to build, what its pages weigh, how fast its explorers answer.

``python -m benchmarks book``; it needs Chromium for the pages.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tools.install_browser import find_browser
from tools.serve_book import open_server
from tools.toc import toc_pages

ROOT = Path(__file__).resolve().parents[1]
NOT_COPIED = (".git", ".venv", "_build", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis")

# Uncompressed bytes of a page with everything it loads, by what it holds.
BUDGETS = {
    "text and formulas": 2_200_000,
    "text and explorers": 1_200_000,
    "text, formulas and explorers": 3_600_000,
}
KIND = """(() => {
  const holds = (selector) => document.querySelector(selector) !== null;
  if (holds('.js-plotly-plot')) return 'plots';
  if (!holds('mjx-container')) return 'text and explorers';
  return holds('.nta-explorer, .nta-widget') ? 'text, formulas and explorers' : 'text and formulas';
})()"""

WEIGHT = """['resource', 'navigation'].flatMap(kind => performance.getEntriesByType(kind))
  .reduce((sum, entry) => sum + (entry.decodedBodySize || 0), 0)"""

# Move the first slider of an explorer to each of its values; the time until the page shows it.
ANSWER_TIMES = """async () => {
  const times = [];
  for (const explorer of document.querySelectorAll('.nta-explorer')) {
    const slider = explorer.querySelector('input[type=range]');
    if (!slider) continue;
    for (let value = +slider.max; value >= 0; value--) {
      if (+slider.value === value) continue;
      const shown = new Promise((resolve) => new MutationObserver(resolve)
        .observe(explorer, {attributes: true, attributeFilter: ['data-index']}));
      const started = performance.now();
      slider.value = value;
      slider.dispatchEvent(new Event('input', {bubbles: true}));
      await shown;
      times.push(performance.now() - started);
    }
  }
  return times;
}"""


def run() -> list[dict[str, Any]]:
    """Measure the whole book; the clean build takes as long as it takes."""
    rows = [*_builds(), _import_time()]
    _seconds("-m", "tools.build_book")
    return rows + _pages(ROOT / "_build" / "html")


def _builds() -> list[dict[str, Any]]:
    """Build a copy of the sources from nothing, then again without a change."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "book"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        first, second = (_seconds("-m", "tools.build_book", "--root", str(copy)) for _ in range(2))
    return [
        _row("clean build of the book", f"{first:.0f} s", "< 360 s", first < 360),
        _row("build without a change", f"{second:.1f} s", "< 20 s", second < 20),
    ]


def _seconds(*arguments: str) -> float:
    """Seconds that Python takes with these arguments."""
    started = time.perf_counter()
    # what it prints, progress above all, is no part of the table
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=2)
    return time.perf_counter() - started


def _import_time() -> dict[str, Any]:
    """Time ``import nta_core`` as the difference between two starts of Python."""
    starts = [(_seconds("-c", "import nta_core"), _seconds("-c", "pass")) for _ in range(5)]
    cost = statistics.median(ours - bare for ours, bare in starts)
    return _row("import nta_core", f"{cost:.2f} s", "< 0.3 s", cost < 0.3)


def _pages(html: Path) -> list[dict[str, Any]]:
    names = [f"{name}.html" for name in toc_pages(ROOT)]
    largest = max(names, key=lambda name: (html / name).stat().st_size)
    size = (html / largest).stat().st_size
    rows = [_row("largest HTML", _mb(size), "≤ 1.5 MB", size <= 1_500_000, largest)]
    weights: dict[str, list[tuple[int, str]]] = {}
    times: list[float] = []
    with open_server(html, 0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for name in names:
            page = _settled(browser, f"http://127.0.0.1:{server.server_port}/{name}")
            kind = page.evaluate(KIND)
            weights.setdefault(kind, []).append((page.evaluate(WEIGHT), name))
            times += page.evaluate(ANSWER_TIMES)
            page.close()
        server.shutdown()
    for kind in [kind for kind in BUDGETS if kind in weights]:
        (weight, name), budget = max(weights[kind]), BUDGETS[kind]
        what, target = f"heaviest page of {kind}", f"≤ {_mb(budget)}"
        rows.append(_row(what, _mb(weight), target, weight <= budget, name))
    if times:
        slow = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        note = f"median {statistics.median(times):.0f} ms, {len(times)} moves"
        what = "answer of a slider, 95 % of moves"
        rows.append(_row(what, f"{slow:.0f} ms", "≤ 50 ms", slow <= 50, note))
    return rows


def _settled(browser: Browser, address: str) -> Page:
    page = browser.new_page()
    page.goto(address, wait_until="load")
    page.evaluate("nta.drawAll()")
    page.wait_for_timeout(1500)
    return page


def _mb(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


def _row(what: str, ours: str, target: str, met: bool, note: str = "") -> dict[str, Any]:
    return {"what": what, "ours": ours, "target": target, "met": met, "note": note}
