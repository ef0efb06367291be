"""Style sheets and icons of others, cut down to what the pages of this book use.

The theme and its extensions bring half a megabyte of rules and an icon font for whatever a site
could show.  PurgeCSS keeps the rules whose words stand in a page or in a script, subset-font the
icons that those rules ask for (``nta_book/page/trim.js``); esbuild takes out white space.  Our own
sheets and scripts stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from nta_book.page.bundle import BundleError, answer_of_node

_OURS = "nta-"
_WORDLESS = ("plotly.min.js", "searchindex.js")  # they give no element of the page a class


def register(app: Sphinx) -> None:
    """Connect to Sphinx: late, when every page has all it will have."""
    app.connect("build-finished", trim, priority=900)


def trim(app: Sphinx, exception: Exception | None) -> None:
    """Write the sheets and the icon font of the built book again, without what nothing uses."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    scripts = [path for path in static.rglob("*.js") if path.name not in _WORDLESS]
    asked = {
        "content": [*map(str, out.rglob("*.html")), *map(str, scripts)],
        "sheets": [str(path) for path in static.rglob("*.css") if not path.name.startswith(_OURS)],
        "scripts": [str(path) for path in scripts if _is_plain(path)],
        "fonts": [str(path) for path in static.rglob("fa-*.woff2")],
    }
    try:
        answer_of_node("trim.js", json.dumps(asked))
    except BundleError as error:
        raise ExtensionError(str(error)) from error


def _is_plain(script: Path) -> bool:
    """Tell whether a script of others was written to be read: its white space can go."""
    ours = script.name.startswith(_OURS)
    return script.parent.name == "_static" and not ours and ".min." not in script.name
