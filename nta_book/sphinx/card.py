"""What a page says about itself where somebody shares its address: title, sentence, picture."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from nta_book.sphinx.repository import Repository, find_repository

#: The card, drawn by ``tools.make_cover`` from the last frame of the start page's picture.
PICTURE = "book/_static/card.png"
WIDTH, HEIGHT = 1200, 630
ALT = "Runners on six lanes, as far apart as an attention layer looks at them, and a league table."
LONGEST = 200  # characters of a description


def register(app: Sphinx) -> None:
    """Add the tags to every page."""
    app.connect("html-page-context", _add)


def _add(app: Sphinx, name: str, template: str, page: dict[str, Any], tree: object) -> None:
    if page.get("body"):
        repository = find_repository(Path(app.srcdir))
        page["metatags"] = page.get("metatags", "") + tags(page["title"], page["body"], repository)


def tags(title: str, body: str, repository: Repository | None) -> str:
    """Return the tags of a page from its title and HTML.

    A picture must be named by its full address, and the only one that is known is that of the file
    in the public repository: without one the card has no picture.

    >>> print(tags("Chapter", "<h1>Chapter</h1><p>One <b>sentence</b>.</p>", None))
    <meta property="og:type" content="article">
    <meta property="og:site_name" content="The Next-Token Automaton">
    <meta property="og:title" content="Chapter">
    <meta property="og:description" content="One sentence.">
    """
    said = {
        "og:type": "article",
        "og:site_name": "The Next-Token Automaton",
        "og:title": _plain(title),
        "og:description": first_words(body),
    }
    if repository is not None:
        said["og:image"] = f"{repository.url}/raw/{repository.branch}/{PICTURE}"
        said |= {"og:image:width": str(WIDTH), "og:image:height": str(HEIGHT), "og:image:alt": ALT}
    lines = [
        f'<meta property="{key}" content="{html.escape(value)}">'
        for key, value in said.items()
        if value
    ]
    if repository is not None:
        lines.append('<meta name="twitter:card" content="summary_large_image">')
    return "\n".join(lines)


def first_words(body: str) -> str:
    """Return the first paragraph of a page, or as many of its words as fit a card."""
    found = re.search(r"</h1>.*?<p>(.*?)</p>", body, re.DOTALL)
    text = _plain(found[1]) if found else ""
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:.") + " …"


def _plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", markup)).split())
