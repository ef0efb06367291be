"""The book: how long it takes to build, and how fast its explorers answer.

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

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.measure import Row
from tools.install_browser import find_browser
from tools.serve_book import open_server
from tools.toc import toc_pages

ROOT = Path(__file__).resolve().parents[1]
NOT_COPIED = (".git", ".venv", "_build", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis")

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


def run() -> list[Row]:
    """Measure the whole book; the clean build takes as long as it takes."""
    rows = [*_builds(), _import_time()]
    _seconds("-m", "tools.build_book")
    return rows + _answers(ROOT / "_build" / "html")


def _builds() -> list[Row]:
    """Build a copy of the sources from nothing, then again without a change."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "book"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        first, second = (_seconds("-m", "tools.build_book", "--root", str(copy)) for _ in range(2))
    return [
        Row("clean build of the book", first, target="< 360 s", kept=first < 360),
        Row("build without a change", second, target="< 20 s", kept=second < 20),
    ]


def _seconds(*arguments: str) -> float:
    """Seconds that Python takes with these arguments."""
    started = time.perf_counter()
    # what it prints, progress above all, is no part of the table
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=2)
    return time.perf_counter() - started


def _import_time() -> Row:
    """Time ``import nta_core`` as the difference between two starts of Python."""
    starts = [(_seconds("-c", "import nta_core"), _seconds("-c", "pass")) for _ in range(5)]
    cost = statistics.median(ours - bare for ours, bare in starts)
    return Row("import nta_core", cost, target="< 0.3 s", kept=cost < 0.3)


def _answers(html: Path) -> list[Row]:
    """Move the first slider of every explorer of every page."""
    names = [f"{name}.html" for name in toc_pages(ROOT)]
    times: list[float] = []
    with open_server(html, 0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for name in names:
            page = _settled(browser, f"http://127.0.0.1:{server.server_port}/{name}")
            times += page.evaluate(ANSWER_TIMES)
            page.close()
        server.shutdown()
    slow = statistics.quantiles(times, n=20)[-1]
    note = f"median {statistics.median(times):.0f} ms, {len(times)} moves"
    what = "answer of a slider, 95 % of moves"
    return [Row(what, slow / 1000, target="≤ 50 ms", note=note, kept=slow <= 50)]


def _settled(browser: Browser, address: str) -> Page:
    page = browser.new_page()
    page.goto(address, wait_until="load")
    page.evaluate("nta.drawAll()")
    page.wait_for_timeout(1500)
    return page
