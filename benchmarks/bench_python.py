"""Python in the page: what it weighs before and after the first Run, and how soon it answers.

``python -m benchmarks python``; it needs Chromium and the built book.
"""

import json
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from benchmarks.measure import Row
from tools.install_browser import find_browser
from tools.serve_book import open_server
from tools.toc import toc_pages

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"
LATER = 5
SOON = 15  # seconds for a first verdict
SLOWEST = "20_"  # what its first exercise needs takes longest

# From the press of Run to the verdict: all that the page loads for it is in between.
FIRST = """async () => {
  const started = performance.now();
  await new Promise((done) => {
    const own = document.querySelector('script[src*="nta-python.js"]');
    const script = document.createElement('script');
    script.src = own.src.replace('nta-python.js', 'nta-python-run.js');
    script.onload = done;
    document.head.append(script);
  });
  const cell = document.querySelector('[data-nta-kind="exercise"]');
  const result = await ntaPythonRun.runCell(cell.dataset.ntaCell);
  if (!result.ok) throw new Error(result.error.text);
  return (performance.now() - started) / 1000;
}"""
# Every exercise of a page a few times: the median of the one that takes longest, and its name.
AGAIN = """async (times) => {
  const found = [];
  for (const { dataset } of document.querySelectorAll('[data-nta-kind="exercise"]')) {
    const seconds = [];
    for (let k = 0; k < times; k++) {
      const started = performance.now();
      const result = await ntaPythonRun.runCell(dataset.ntaCell);
      if (!result.ok) throw new Error(result.error.text);
      seconds.push((performance.now() - started) / 1000);
    }
    seconds.sort((a, b) => a - b);
    found.push([seconds[Math.floor(times / 2)], dataset.ntaCell]);
  }
  return found.sort(([a], [b]) => b - a)[0];
}"""
# Bytes that came over the network: what the cache gives counts nothing.
CAME = """performance.getEntriesByType('resource')
  .filter((entry) => entry.name.includes('/_static/python/'))
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""


def run() -> list[Row]:
    """Measure two pages and the slowest, one after the other, as a reader opens them."""
    pages = [name for name in toc_pages(ROOT) if name.rpartition("/")[2][:2].isdigit()]
    (slowest,) = (name for name in pages if name.rpartition("/")[2].startswith(SLOWEST))
    script = (HTML / "_static" / "nta-python.js").stat().st_size
    files = json.loads((HTML / "_static/python/manifest.json").read_text(encoding="utf-8"))["files"]
    weight = sum(file["bytes"] for file in files)
    with (
        TemporaryDirectory() as profile,
        open_server(HTML, 0) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/"
        browser = playwright.chromium.launch_persistent_context(
            profile, executable_path=find_browser(), args=["--no-sandbox"]
        )  # a window that is not private: its cache is on the disk
        page = browser.new_page()
        cold = _opened(page, f"{root}{pages[0]}.html")
        later = [page.evaluate(AGAIN, LATER)]
        second = _opened(page, f"{root}{pages[1]}.html")
        came = page.evaluate(CAME)
        third = _opened(page, f"{root}{slowest}.html")
        later.append(page.evaluate(AGAIN, LATER))
        browser.close()
        server.shutdown()
    again, longest = max(later)
    return [
        Row("script of a page, before Run", _kb(script), target="≤ 15 KB", kept=script <= 15_000),
        Row("bytes of the first Run", _mb(weight), target="≤ 28 MB", kept=weight <= 28e6),
        Row("first verdict, nothing cached", cold, target="≤ 15 s", kept=cold <= SOON),
        Row("a later verdict", again, target="≤ 1 s", kept=again <= 1, note=f"slowest: {longest}"),
        Row("first verdict of the second page", second, baseline=cold, note=f"{_mb(came)} came"),
        Row(
            "first verdict of the slowest page",
            third,
            target="≤ 15 s",
            kept=third <= SOON,
            note=slowest,
        ),
    ]


def _opened(page: Page, address: str) -> float:
    page.goto(address, wait_until="load")
    before = page.evaluate(CAME)
    assert not before, f"{before} bytes of Python before anybody pressed Run"
    return float(page.evaluate(FIRST))


def _kb(size: float) -> str:
    return f"{size / 1e3:.1f} KB"


def _mb(size: float) -> str:
    return f"{size / 1e6:.1f} MB"
