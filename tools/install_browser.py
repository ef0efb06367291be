"""Find Chromium for the browser tests, or install it where this user may.

    python -m tools.install_browser

Prints the path and exits 0 when there is one; exits 1, saying so loudly, when there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def find_browser() -> str | None:
    """Return the path of a Chromium (the setting CHROMIUM first), or None."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    return found or (str(_MAC) if _MAC.exists() else None)


def install_browser() -> str | None:
    """Return a Chromium, installing Debian's when there is none and we may."""
    found = find_browser()
    if found or os.environ.get("CHROMIUM") or not _may_install():
        return found
    print("installing Chromium with apt-get ...", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            print(f"{' '.join(command)} failed ({done.returncode})", file=sys.stderr)
    return find_browser()


def _may_install() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def main() -> int:
    """Report the browser that the tests will use."""
    browser = install_browser()
    if browser is None:
        print(
            "NO CHROMIUM: install chromium or chrome, or set CHROMIUM to its path",
            file=sys.stderr,
        )
        return 1
    print(browser)
    return 0


if __name__ == "__main__":
    sys.exit(main())
