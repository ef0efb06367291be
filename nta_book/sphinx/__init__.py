"""Sphinx extension of this book: notebook outputs become pages that are alive without a kernel.

It knows mime types, files and pages; it knows nothing about attention.

==================  ==============================================================
``outputs``         turns the outputs of code cells into HTML, and refuses dead ones
``assets``          copies plotly.js and the page runtime into the book
``formulas``        sets formulas when the book is built, by MathJax in Node
``quick_start``     scripts of others, rewritten to start sooner
``trimming``        style sheets and icons of others, cut down to what the pages use
``fonts``           the book's own faces, from npm packages
``card``            title, sentence and picture of a page where its address is shared
``pages``           keeps each page to the scripts it uses; launch buttons
``badges``          the roles ``{proved}``, ``{measured}``, ``{open}`` and ``{given}``
``evidence``        the role ``{checked}``: the cell, line or test behind a statement
``theorems``        all theorems on one page, read from the chapters
``predict``         Predict boxes as questions; ``questions`` reads them as plain data
``folding``         code that only draws, folded once below its picture
``runnable``        Python in the page: marks on cells; ``pagecells`` reads what each needs
``python_parts``    what that Python consists of, and its licences
``reference``       the API pages, from the docstrings; ``public`` knows what is public
``backlinks``       from a chapter to the functions it uses (``usage`` reads them off its code)
``chapterlinks``    "chapters 4 and 7" as links
``ledger``          the reproduction ledger, from book/ledger.json
``rooms``           the architecture as a picture, from the imports
``explorers``       the role ``{explorer}``, a link to an explorer by its question
``sheets``          exercise sheets, read from the chapters
``executed``        stored outputs of chapters, and whether they belong to the present code
``repository``      the public address of this checkout, if it has one
==================  ==============================================================
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the parts; called by Sphinx once per build."""
    # Imported here: the build driver asks only for `repository`, and should not wait for Sphinx.
    from nta_book.sphinx import (
        assets,
        backlinks,
        badges,
        card,
        evidence,
        explorers,
        folding,
        fonts,
        formulas,
        ledger,
        outputs,
        pages,
        predict,
        python_parts,
        quick_start,
        reference,
        rooms,
        runnable,
        sheets,
        theorems,
        trimming,
    )

    outputs.register()
    badges.register(app)
    reference.register(app)
    backlinks.register(app)
    ledger.register(app)
    rooms.register(app)
    sheets.register(app)
    explorers.register(app)
    evidence.register(app)
    theorems.register(app)
    folding.register(app)
    predict.register(app)
    runnable.register(app)
    python_parts.register(app)
    card.register(app)
    formulas.register(app)
    quick_start.register(app)
    trimming.register(app)
    app.connect("config-inited", _keep_results_fresh)
    app.connect("config-inited", pages.add_launch_buttons)
    app.connect("config-inited", pages.state_the_version)
    app.connect("builder-inited", assets.write)
    app.connect("doctree-resolved", outputs.report_faults)
    app.connect("html-page-context", fonts.preload)
    app.connect("html-page-context", pages.mend_markup)
    app.connect("html-page-context", pages.keep_a_place_for_the_pdf)
    app.connect("html-page-context", pages.add_hub_button, priority=900)
    app.connect("html-page-context", pages.keep_needed_scripts, priority=900)
    app.connect("html-page-context", pages.name_the_chevrons, priority=900)
    app.connect("build-finished", outputs.keep_states_apart)
    app.connect("build-finished", pages.leave_the_index_to_the_search_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _keep_results_fresh(app: Sphinx, config: Config) -> None:
    """Let pages show what the present code computes, and tell kernels what they run for."""
    from nta_book.sphinx.executed import Executed

    root = Path(app.srcdir)
    executed = Executed(root)
    executed.forget_old((root / "book").glob("*.ipynb"))
    config.nb_execution_cache_path = str(executed.folder)
    os.environ.setdefault("NTA_BOOK_BUILD", "1")
    os.environ.setdefault("NTA_EXPLORER_CACHE", str(root / "_build" / "explorers"))
