"""Fonts that travel with the book: open faces, copied from npm packages when the book is built.

Text is set in Source Serif 4, pictures, captions and controls in Source Sans 3, code in Source Code
Pro; all three are under the SIL Open Font License.  Only Latin and Greek letters are copied, as
variable fonts: one file holds every weight.  Until a file is there, a face of the reader's machine
stands in, stretched to the same widths and heights.

Lines would still break elsewhere when a font comes late.  So a page that is served keeps the
stand-in until the next page (``font-display: optional``); one from a disk, where browsers keep no
font for the next page, changes its letters when they are there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from nta_book.page.bundle import PACKAGES

#: The folder of the fonts, and their style sheet, among the static files of the book.
FOLDER, SHEET = "fonts", "nta-fonts.css"
SERVED = "nta-served"  # the class of a page that did not come from a disk
LICENCE = "SIL Open Font License 1.1"
# The letters of a file as its package declares them: browsers load Greek only where it is used.
_LETTERS = {
    "latin": "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,"
    "U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD",
    "greek": "U+0370-0377,U+037A-037F,U+0384-038A,U+038C,U+038E-03A1,U+03A3-03FF",
}


@dataclass(frozen=True)
class Face:
    """A typeface: its npm package, the styles the book uses, and how to stand in for it."""

    family: str
    variable: str  # of the page's style sheets, that asks for it
    package: str
    styles: tuple[str, ...]
    stand_ins: tuple[str, ...]  # faces with the widths of the first, on some machine each
    size: float  # width of our text in the widths of the stand-in's, in percent
    bold: float  # the same in the weight of headings
    ascent: float  # height above the baseline, in percent of the type size
    descent: float

    def file(self, letters: str, style: str) -> str:
        """Name of the file with these letters."""
        return f"{self.package}-{letters}-wght-{style}.woff2"

    def source(self, packages: Path, letters: str, style: str) -> Path:
        """Where npm puts that file."""
        folder = packages / "@fontsource-variable" / self.package / "files"
        return folder / self.file(letters, style)

    def rules(self) -> list[str]:
        """The ``@font-face`` rules: one for each file, two for the stand-in."""
        weights = (("200 599", "", self.size), ("600 900", " Bold", self.bold))
        return self._shipped(self.family, "swap") + [self._stand_in(*weight) for weight in weights]

    def served(self) -> list[str]:
        """The rules by which a page that is served asks for the same files, and moves nothing."""
        family = f"{self.family} served"
        choice = f'html.{SERVED}{{--nta-served-{self.variable}:"{family}"}}'
        return [*self._shipped(family, "optional"), choice]

    def _shipped(self, family: str, display: str) -> list[str]:
        return [
            f'@font-face{{font-family:"{family}";font-style:{style};font-weight:200 900;'
            f"font-display:{display};"
            f'src:url({FOLDER}/{self.file(letters, style)}) format("woff2");'
            f"unicode-range:{reach}}}"
            for style in self.styles
            for letters, reach in _LETTERS.items()
        ]

    def _stand_in(self, weights: str, suffix: str, size: float) -> str:
        local = ",".join(f'local("{name}{suffix}")' for name in self.stand_ins)
        return (
            f'@font-face{{font-family:"{self.family} stand-in";font-weight:{weights};src:{local};'
            f"size-adjust:{size:g}%;ascent-override:{100 * self.ascent / size:.1f}%;"
            f"descent-override:{100 * self.descent / size:.1f}%;line-gap-override:0%}}"
        )


#: Widths and heights as Chromium measures a paragraph of this book in each face.
FACES = (
    Face(
        "Source Serif 4",
        "serif",
        "source-serif-4",
        ("normal", "italic"),
        ("Times New Roman", "Liberation Serif", "Tinos"),
        118.8,
        112.0,
        103.6,
        33.5,
    ),
    Face(
        "Source Sans 3",
        "sans",
        "source-sans-3",
        ("normal", "italic"),
        ("Arial", "Liberation Sans", "Arimo"),
        92.9,
        89.7,
        102.4,
        40.0,
    ),
    Face(
        "Source Code Pro",
        "mono",
        "source-code-pro",
        ("normal",),
        ("Courier New", "Liberation Mono", "Cousine"),
        100,
        100,
        98.4,
        27.3,
    ),
)
#: What the first screen of every page is set in: asked for before the style sheet has been read.
#: Slanted letters of the text stand on most: they are as wide as nothing that is there before them.
PRELOADED = tuple(
    f"{FOLDER}/{face.file('latin', style)}"
    for face, style in ((FACES[0], "normal"), (FACES[1], "normal"), (FACES[0], "italic"))
)

_ASK = (
    "<script>if(location.protocol!=='file:'){document.documentElement.classList.add('%s');"
    "for(const a of [%s])document.head.append(Object.assign(document.createElement('link'),"
    "{rel:'preload',as:'font',type:'font/woff2',crossOrigin:'',href:a}))}</script>"
)


def missing(packages: Path = PACKAGES) -> list[str]:
    """Return the packages of which a file is not there."""
    return [
        face.package
        for face in FACES
        if not all(
            face.source(packages, letters, style).is_file()
            for letters in _LETTERS
            for style in face.styles
        )
    ]


def write(folder: Path, packages: Path = PACKAGES) -> bool:
    """Write the fonts and their style sheet; without the packages, only the sheet of stand-ins.

    Returns whether the fonts are there.
    """
    there = not missing(packages)
    rules = [rule for face in FACES for rule in (*face.rules(), *face.served())]
    rules = [rule for rule in rules if there or "stand-in" in rule]
    (folder / SHEET).write_text("\n".join(rules) + "\n", encoding="utf-8")
    if there:
        (folder / FOLDER).mkdir()
        for face in FACES:
            for letters in _LETTERS:
                for style in face.styles:
                    shutil.copy(face.source(packages, letters, style), folder / FOLDER)
    return there


def preload(app: Sphinx, name: str, template: str, page: dict[str, Any], tree: object) -> None:
    """Let a page ask for the main fonts before it has read its style sheets.

    Browsers refuse to preload from a disk, and complain: there the page does not ask.
    """
    if not missing() and "pathto" in page:
        addresses = [page["pathto"](f"_static/{path}", 1) for path in PRELOADED]
        page["metatags"] = page.get("metatags", "") + _ASK % (
            SERVED,
            ",".join(f"'{a}'" for a in addresses),
        )
