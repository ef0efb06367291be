"""Write constraints.txt anew: the newest environment that requirements-dev.txt allows, whole.

    python -m tools.refresh_constraints

pip resolves it in a fresh environment of this Python, the oldest that the book supports.  Newer
ones that are found on this machine resolve it once more under these pins; what only they need, or
need no longer, gets a marker.  torch, exact in requirements.txt, is kept without the name of a
build.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from nta_core.data.files import write_atomically
from tools.base_install import VERSIONS, pythons

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
WANTED = ("requirements.txt", "requirements-dev.txt")
LOWEST = (3, 11)
HEAD = """\
# Every package that this book was checked with, also those that others need.
# Written by `make constraints` from requirements-dev.txt; not edited by hand.
"""
Pins = dict[str, str]  # canonical name -> version


class NotResolved(Exception):
    """pip found no environment; the message is what it said."""


def wanted(root: Path = ROOT) -> list[Requirement]:
    """Return the lines of the requirements, in order."""
    lines = [line for name in WANTED for line in (root / name).read_text().splitlines()]
    plain = (line.partition("#")[0].strip() for line in lines)
    return [Requirement(line) for line in plain if line and not line.startswith("-")]


def pinned(text: str, python: str = "3.11") -> Pins:
    """Return what constraints.txt pins for a version of Python."""
    pins = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in pins
        if pin.marker is None or pin.marker.evaluate({"python_version": python})
    }


def faults(text: str, requirements: Iterable[Requirement]) -> list[str]:
    """Return what keeps constraints from being the whole environment, pinned and allowed."""
    problems = [
        f"not one version: {line}"
        for line in text.splitlines()
        if not line.startswith("#") and not re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", line)
    ]
    if problems:
        return problems
    pins = pinned(text)
    for requirement in requirements:
        version = pins.get(canonicalize_name(requirement.name))
        if version is None:
            problems.append(f"{requirement.name} is not pinned")
        elif not requirement.specifier.contains(version):
            problems.append(f"{requirement.name} {version} is not {requirement.specifier}")
    return problems


def resolve(python: str, requirements: Iterable[str], pins: str = "") -> Pins:
    """Return what pip would install into a fresh environment of this Python."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([python, "-m", "venv", str(folder / "environment")], check=True)
        (folder / "wanted.txt").write_text("\n".join(requirements))
        (folder / "pins.txt").write_text(pins)
        command = [str(folder / "environment" / "bin" / "python"), "-m", "pip", "install"]
        command += ["--dry-run", "--quiet", "--report", str(folder / "report.json")]
        command += ["-r", str(folder / "wanted.txt"), "-c", str(folder / "pins.txt")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotResolved(f"{python}: {done.stderr[-3000:]}")
        report = json.loads((folder / "report.json").read_text())
    found = (item["metadata"] for item in report["install"])
    # A build for one processor ("+cpu") is the same version elsewhere.
    return {canonicalize_name(d["name"]): Version(d["version"]).public for d in found}


def refreshed(root: Path = ROOT) -> str:
    """Return the new text of constraints.txt."""
    requirements = wanted(root)
    base = resolve(sys.executable, map(str, requirements))
    lines = {name: f"{name}=={version}" for name, version in base.items()}
    # torch is exact, and its usual build for other Pythons brings a GPU's libraries of some GB.
    light = [str(r) for r in requirements if r.name != "torch"]
    # Compared with newer ones it has to be without torch as well: what torch alone needs is kept.
    without = resolve(sys.executable, light, "\n".join(lines.values())).keys()
    found = pythons()
    for version in VERSIONS[1:]:
        python = found.get(version)
        if python is None:
            print(f"Python {version} is not here: nothing is resolved for it", flush=True)
            continue
        more = resolve(python, light, "\n".join(lines.values()))
        for name in sorted(more.keys() - lines.keys()):
            lines[name] = f'{name}=={more[name]} ; python_version >= "{version}"'
        for name in without - more.keys():
            if name in base and ";" not in lines[name]:
                lines[name] += f' ; python_version < "{version}"'
    return HEAD + "\n".join(lines[name] for name in sorted(lines)) + "\n"


def main() -> int:
    """Write constraints.txt and say what has changed."""
    if sys.version_info[:2] != LOWEST:
        print("constraints are resolved with Python 3.11, the oldest supported", file=sys.stderr)
        return 1
    before = pinned(CONSTRAINTS.read_text()) if CONSTRAINTS.exists() else {}
    try:
        text = refreshed()
    except NotResolved as error:
        print(f"{error}\nconstraints.txt is as it was", file=sys.stderr)
        return 1
    problems = faults(text, wanted())
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    write_atomically(CONSTRAINTS, text)
    after = pinned(text)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            print(f"{name}: {before.get(name, 'new')} -> {after.get(name, 'gone')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
