"""Scripts of others, rewritten so that a slow processor starts them sooner; they do the same.

Each change is made where the known form is found and nowhere else: a later version that is written
otherwise stays as it is, and is only slower.  The tests look at what a browser does with them.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

# A comment, and plotly.js as a function that is given to one which knows several kinds of modules.
_WRAPPED = re.compile(
    r"(/\*\*.*?\*/\s*)\(\s*function\(root, factory\).*?\(\) => \{\s*"
    r'("use strict";\s*var Plotly\s*=.*window\.Plotly = Plotly;\n)return Plotly;\n\}\)\);\s*',
    re.DOTALL,
)
# Questions to the browser that are asked by an error, and the answers of every browser with
# modules.  Where an error was thrown Chromium looks up, and reads all of plotly.js again for it.
_ASKED_BY_ERRORS = [
    (
        re.compile(
            r"try\{return arguments\.callee,(\w+)\}catch\(\w+\)"
            r'\{try\{return (\w+)\(arguments,"callee"\)\.get\}catch\(\w+\)\{return \1\}\}'
        ),
        r'return \2(arguments,"callee").get',
    ),
    (
        re.compile(r"try\{null\.error\}catch\((\w+)\)\{(\w+)=(\w+)\(\3\(\1\)\)"),
        r"{\2=Error.prototype",
    ),
    (
        re.compile(r'try\{Object\.assign\((\w+),"xy"\)\}catch\(\w+\)\{return \1\[1\]==="y"\}'),
        "",
    ),
]
# For each element the theme asks how wide it is, then changes it: the page is laid out each time.
_TAB_STOPS = re.compile(
    r"\.forEach\((\w+)=>\{\1\.tabIndex="
    r"(\1\.scrollWidth>\1\.clientWidth\|\|\1\.scrollHeight>\1\.clientHeight)\?0:-1\}\)"
)
_ASKED_FIRST = (
    r".forEach((_,first,all)=>{if(first)return;const wide=Array.from(all,\1=>\2);"
    r"all.forEach((one,k)=>{one.tabIndex=wide[k]?0:-1})})"
)
_THEME = "_static/scripts/pydata-sphinx-theme.js"


def register(app: Sphinx) -> None:
    """Connect to Sphinx: the theme's own files come last."""
    app.connect("build-finished", write_theme, priority=800)


def plotly(script: str) -> str:
    """Return plotly.js in a form that a browser starts in a fifth of the time.

    A function that only others call is read twice before it runs, and plotly.js is one within
    another: here it stands by itself.  The comment lets Chromium make it ready beside the page's
    own work.
    """
    for asked, answer in _ASKED_BY_ERRORS:
        script = asked.sub(answer, script)
    found = _WRAPPED.fullmatch(script)
    return f"//# allFunctionsCalledOnLoad\n{found[1]}{found[2]}" if found else script


def theme(script: str) -> str:
    """Return the theme's script with all widths asked for before anything is changed."""
    return _TAB_STOPS.sub(_ASKED_FIRST, script)


def write_theme(app: Sphinx, exception: Exception | None) -> None:
    """Write the theme's script of the built book again."""
    path = Path(app.outdir) / _THEME
    if exception is None and app.builder.format == "html" and path.is_file():
        path.write_text(theme(path.read_text(encoding="utf-8")), encoding="utf-8")
