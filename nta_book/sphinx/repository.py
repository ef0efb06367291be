"""The public address of this checkout: from a setting or from git, and never invented."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

_FORM = "https://nbgitpuller.readthedocs.io/en/latest/link.html"
_HOSTS = ("github", "gitlab", "bitbucket")  # the ones whose addresses the theme can build links to


@dataclass(frozen=True)
class Repository:
    """Where readers can find the sources: ``url`` (https, no user, no ``.git``) and ``branch``."""

    url: str
    branch: str

    @property
    def on_github(self) -> bool:
        """Tell whether Colab can open its notebooks."""
        return self.url.startswith("https://github.com/")

    def pull(self, page: str, hub: str = "") -> str:
        """Return the link by which nbgitpuller brings the repository to a hub and opens a page.

        Without a hub's address, nbgitpuller's own form asks the reader for it, all else filled in.

        >>> here = Repository("https://github.com/someone/book", "main")
        >>> print(here.pull("book/a.ipynb", "https://hub.example.org/").replace("?", "\\n?"))
        https://hub.example.org/hub/user-redirect/git-pull
        ?repo=https%3A//github.com/someone/book&branch=main&urlpath=lab/tree/book/book/a.ipynb
        """
        folder = self.url.rpartition("/")[2]
        place = {"repo": self.url, "branch": self.branch, "urlpath": f"lab/tree/{folder}/{page}"}
        at = f"{hub.rstrip('/')}/hub/user-redirect/git-pull" if hub else _FORM
        return f"{at}?{urlencode(place, safe='/')}"


def find_repository(root: Path) -> Repository | None:
    """Return the address in NTA_REPOSITORY, else that of git's ``origin``, else nothing."""
    address = os.environ.get("NTA_REPOSITORY") or _git(root, "remote", "get-url", "origin")
    url = public_url(address)
    if url is None:
        return None
    branch = os.environ.get("NTA_BRANCH") or _git(root, "rev-parse", "--abbrev-ref", "HEAD")
    return Repository(url, branch if branch not in ("", "HEAD") else "main")


def public_url(address: str) -> str | None:
    """Return the https form of a git address, or None when readers could not open it.

    >>> public_url("git@github.com:someone/book.git")
    'https://github.com/someone/book'
    >>> public_url("https://user:secret@gitlab.com/someone/book.git/")
    'https://gitlab.com/someone/book'
    >>> public_url("/home/someone/book") is None
    True
    """
    match = re.fullmatch(
        r"(?:(?:https?|ssh|git)://)?(?:[^@/]+@)?(?P<host>[\w.-]+\.\w+)(?::\d+(?=/))?[:/]"
        r"(?P<path>[\w.~-]+(?:/[\w.~-]+)+)/?",
        address.strip(),
    )
    if match is None or not any(name in match["host"] for name in _HOSTS):
        return None
    return f"https://{match['host']}/{match['path'].removesuffix('.git')}"


def _git(root: Path, *arguments: str) -> str:
    """Return the output of a git command, or an empty string where git has no answer."""
    if not (root / ".git").exists():  # a copy inside another repository must not borrow its address
        return ""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
