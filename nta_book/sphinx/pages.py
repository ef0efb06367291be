"""Each page gets the scripts it uses; launch buttons are there only if they lead somewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

import nta_core
from nta_book.sphinx.repository import find_repository

Context = dict[str, Any]  # what the theme's template knows about a page

_SEARCH_SCRIPTS = re.compile(
    r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>'
)
# Thebe loads from a network and declares variables twice; widget state needs a kernel's manager.
_UNUSED = ("THEBE_JS_URL", "sphinx-thebe", "widget-state+json", "embed-amd")
# Part of a file's name, and the word without which nothing on a page uses the file.
_ONLY_WITH = {
    "sphinx-design": "sd-",
    "design-tabs": "sd-",
    "togglebutton": "dropdown",
    "exercise.css": "exercise",
    "proof.css": "proof",
}


def keep_needed_scripts(app: Sphinx, name: str, template: str, page: Context, tree: object) -> None:
    """Drop what the offline book or this page never uses, and what would be loaded twice."""
    body = page.get("body") or ""
    absent = [file for file, word in _ONLY_WITH.items() if word not in body]
    for kind in ("script_files", "css_files"):
        seen: set[str] = set()
        kept = []
        for asset in page.get(kind, []):
            text = f"{getattr(asset, 'filename', asset)} {getattr(asset, 'attributes', '')}"
            if text not in seen and not any(word in text for word in (*_UNUSED, *absent)):
                seen.add(text)
                kept.append(asset)
        page[kind] = kept


def mend_markup(app: Sphinx, name: str, template: str, page: Context, tree: object) -> None:
    """Mend roles: lists of references that are none, and long signatures set as definitions."""
    body = page.get("body")
    if body:
        body = body.replace('<div role="list" class="citation-list">', "<div>")
        signature = '<dd><em class="sig-param">'
        page["body"] = body.replace(f"<dl>\n{signature}", f'<dl role="presentation">\n{signature}')


def keep_a_place_for_the_pdf(
    app: Sphinx, name: str, template: str, page: Context, tree: object
) -> None:
    """Leave room on the start page for the link that `tools.make_pdf` writes, if it is run."""
    body = page.get("body")
    if body and name == app.config.root_doc:
        inside, closing, behind = body.rpartition("</section>")
        page["body"] = f'{inside}<p class="nta-carry" hidden></p>\n{closing}{behind}'


def name_the_chevrons(app: Sphinx, name: str, template: str, page: Context, tree: object) -> None:
    """Give the theme's buttons that unfold a part of the contents a name to be read out."""
    unnamed = page.get("generate_toctree_html")
    if unnamed is None:
        return

    def named(kind: str, *arguments: Any, **options: Any) -> Any:
        contents = unnamed(kind, *arguments, **options)
        if kind != "sidebar":
            return contents
        return str(contents).replace("<summary>", '<summary aria-label="Pages below this one">')

    page["generate_toctree_html"] = named


def leave_the_index_to_the_search_page(app: Sphinx, exception: Exception | None) -> None:
    """Take out of every page the search index that the theme loads for searching while typing.

    The book searches on its search page; elsewhere the index would be a fifth of what a page loads.
    """
    if exception is not None:
        return
    for page in Path(app.outdir).rglob("*.html"):
        if page.name != "search.html":
            text = page.read_text(encoding="utf-8")
            page.write_text(_SEARCH_SCRIPTS.sub("", text), encoding="utf-8")


def add_launch_buttons(app: Sphinx, config: Config) -> None:
    """Point the launch and source buttons at this checkout's public address, if there is one."""
    repository = find_repository(Path(app.srcdir))
    options = config.html_theme_options
    if repository is None:
        options.pop("launch_buttons", None)
        return
    options |= {
        "repository_url": repository.url,
        "repository_branch": repository.branch,
        "use_repository_button": True,
        "launch_buttons": {
            "notebook_interface": "jupyterlab",
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com" if repository.on_github else "",
        },
    }


def add_hub_button(app: Sphinx, name: str, template: str, page: Context, tree: object) -> None:
    """Beside the theme's launch buttons, one for a JupyterHub: its address only its readers know.

    NTA_JUPYTERHUB names the hub of a course; without it nbgitpuller's form asks for one.
    """
    repository = find_repository(Path(app.srcdir))
    for group in page.get("header_buttons", []):
        if repository is not None and group.get("label") == "launch-buttons":
            hub = os.environ.get("NTA_JUPYTERHUB", "")
            button = {
                "type": "link",
                "text": "JupyterHub",
                "tooltip": "Launch on your JupyterHub",
                "icon": "_static/images/logo_jupyterhub.svg",
                "url": repository.pull(f"{name}.ipynb", hub),
            }
            group["buttons"].append(button)


def state_the_version(app: Sphinx, config: Config) -> None:
    """Give the book the version of its packages: it has none of its own."""
    config.version = config.release = nta_core.__version__
