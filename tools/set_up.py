"""Make .venv and install everything, as pinned; run by the Makefile, before anything is there.

    python tools/set_up.py [FOLDER]

Needs nothing but Python 3 itself, also an old one: that it is too old must be said, not raised.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOWEST = (3, 11)
NO_WHEEL = re.compile(r"No matching distribution found for (torch\S*)")


def main(folder: str = ".venv") -> int:
    """Return 0 when ``folder`` holds all that constraints.txt pins, else say why it does not."""
    if sys.version_info[:2] < LOWEST:
        return refuse(
            "Python {}.{} or newer is needed, {} is {}.{}: set PYTHON=...".format(
                *LOWEST, sys.executable, *sys.version_info[:2]
            )
        )
    folder = os.path.join(ROOT, folder)
    python = os.path.join(folder, "bin", "python")
    made = not os.path.exists(python)
    if made:
        try:
            subprocess.check_call([sys.executable, "-m", "venv", folder])
        except subprocess.CalledProcessError:
            shutil.rmtree(folder, ignore_errors=True)  # half of one, without pip
            return refuse(
                "this Python cannot make an environment: what it said stands above (Debian and "
                "Ubuntu keep that in a package of its own, python3-venv)"
            )
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Most of 17,000 modules are never imported; those that are, are compiled then, and kept.
    command += ["--no-compile", "-c", "constraints.txt"]
    # The project last: building it takes a while, and torch may refuse this Python at once.
    for what in (["-r", "requirements-dev.txt"], ["-e", "."]):
        done = subprocess.run(command + what, cwd=ROOT, stderr=subprocess.PIPE, check=False)
        said = done.stderr.decode(errors="replace")
        sys.stderr.write(said)
        if done.returncode:
            break
    else:
        return 0
    if made:  # else the next Python would be put into the environment of this one
        shutil.rmtree(folder)
    absent = NO_WHEEL.search(said)
    if absent:
        return refuse(
            "{} has no wheel for Python {}.{} on this platform: the book needs one that has, "
            "3.11 or 3.12 (make setup PYTHON=python3.12).\nThe packages without it run here too: "
            "{} -m pip install .".format(absent.group(1), *sys.version_info[:2], sys.executable)
        )
    return refuse("pip could not install the requirements; what it said stands above")


def refuse(why: str) -> int:
    """Say why there is no environment."""
    sys.stderr.write("{}\nNOTHING WAS SET UP.\n".format(why))  # noqa: UP032 - Python may be old
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
