"""Find the browsers that the tests drive, or install them where this user may.

    python -m tools.install_browser

Prints the path of Chromium and exits 0 when there is one; exits 1, saying so loudly, when there is
none.  Firefox and WebKit are looked for as well: one that is missing is named, and what it would
have shown stays unseen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from glob import iglob
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Chromium without windows: the others draw theirs also where nobody looks, which takes half as much
# time again.  But it knows no taps.
_SHELL = "chromium-headless-shell"
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
#: The other engines, and the programs that the tests need of each (any one of a group).
OTHERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "Firefox": (("firefox-esr", "firefox"),),
    "WebKit": (("WebKitWebDriver",), ("/usr/lib/*/webkit2gtk-4.1/MiniBrowser",), ("Xvfb",)),
}
#: What Debian calls both, and the faces that stand in for those of the book.
CHROMIUM = ("chromium", _SHELL, "fonts-liberation")
#: What Debian calls the other engines.
PACKAGES = {
    "Firefox": ("firefox-esr",),
    "WebKit": (
        *("webkit2gtk-driver", "libwebkit2gtk-4.1-0"),
        *("xvfb", "xauth", "dbus", "dbus-x11"),
    ),
}


def find_browser(*, whole: bool = False) -> str | None:
    """Return the path of a Chromium (the setting CHROMIUM first), or None.

    Parameters
    ----------
    whole
        One that people use; otherwise one without windows is preferred, which is faster.
    """
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    names = _NAMES if whole else (_SHELL, *_NAMES)
    found = next(filter(None, map(shutil.which, names)), None)
    return found or (str(_MAC) if _MAC.exists() else None)


def find_engine(name: str) -> list[str] | None:
    """Return paths of what the tests need of another engine, one for each group, or None."""
    found = [next(filter(None, map(_find, group)), None) for group in OTHERS[name]]
    paths = [path for path in found if path]
    return paths if len(paths) == len(found) else None


def _find(program: str) -> str | None:
    return shutil.which(next(iglob(program), program))


def missing_engines() -> list[str]:
    """Return the names of the other engines that are not here."""
    return [name for name in OTHERS if find_engine(name) is None]


def install_browser() -> str | None:
    """Return a Chromium, installing Debian's, with windows and without, where we may."""
    there = find_browser(whole=True) and shutil.which(_SHELL)
    if not (there or os.environ.get("CHROMIUM")) and _may_install():
        _install("Chromium", ["--no-install-recommends", *CHROMIUM])
    return find_browser()


def install_engines() -> list[str]:
    """Install the other engines where we may; return the names of those that are still missing."""
    missing = missing_engines()
    if missing and _may_install():
        packages = [package for name in missing for package in PACKAGES[name]]
        _install(" and ".join(missing), ["--no-install-recommends", *packages])
    return missing_engines()


def _install(what: str, packages: list[str]) -> None:
    print(f"installing {what} with apt-get ...", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", *packages]):
        command = [*_as_root(), *command]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            print(f"{' '.join(command)} failed ({done.returncode})", file=sys.stderr)


def _as_root() -> list[str]:
    """What to put before a command that only root may run; sudo must not ask for a password."""
    return [] if os.geteuid() == 0 else ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"]


def _may_install() -> bool:
    if not hasattr(os, "geteuid") or shutil.which("apt-get") is None:
        return False
    if os.geteuid() == 0:
        return True
    # Nobody's own machine is changed unasked: only that of a service which runs checks.
    if not os.environ.get("CI") or shutil.which("sudo") is None:
        return False
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return asked.returncode == 0


def say_missing(names: list[str]) -> str:
    """Say loudly which engines nothing is looked at in, and how to get them; return the words."""
    said = "\n".join(
        f"NO {name.upper()}: nothing is looked at in it (apt-get install "
        f"{' '.join(PACKAGES[name])})"
        for name in names
    )
    if said:
        print(f"\n{said}", file=sys.stderr)
    return said


def main() -> int:
    """Report the browsers that the tests will use."""
    browser = install_browser()
    say_missing(install_engines())
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
