"""Somewhere else: a folder outside the checkout, and an ordinary user who owns it.

Where the tests run as root, what they start does not: a hub's reader may not write where the
hub's packages lie.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.base_install import HIDDEN, TELL, places

ROOT = Path(__file__).resolve().parents[2]


class Place:
    """A folder with a home in it, and how commands are run there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self.home.mkdir()
        self.variables: dict[str, str] = {}
        self.give(self.home)

    def give(self, folder: Path) -> None:
        """Let the user own a folder and all that is in it."""
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)

    def python(self, version: str) -> str:
        """Return a Python of this version that the user may run."""
        for name in (sys.executable, os.path.realpath(sys.executable), *places(version)):
            if self.run([name, "-c", TELL]).stdout.strip() == version:
                return name
        raise LookupError(f"no Python {version} that an ordinary user may run")

    def environment(self, **more: str) -> dict[str, str]:
        hidden = (*HIDDEN, "XDG_", "npm_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        ours = {
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "PIP_COMPILE": "0",  # most is never imported
            "PIP_RETRIES": "1",  # where PyTorch's own index is out of reach, do not insist
            "OMP_NUM_THREADS": "1",
        }
        return kept | ours | self.variables | more

    def run(
        self, command: list[object], folder: Path | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as the user."""
        root = os.geteuid() == 0
        try:
            return subprocess.run(
                list(map(str, command)),
                cwd=folder or self.home,
                env=self.environment(**more),
                user=self.user.pw_uid if root else None,
                group=self.user.pw_gid if root else None,
                extra_groups=[] if root else None,
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            return subprocess.CompletedProcess(list(map(str, command)), 127, "", str(error))

    def succeed(self, command: list[object], folder: Path | None = None, **more: str) -> str:
        """Run a command that must not fail."""
        done = self.run(command, folder, **more)
        said = f"{done.stdout[-3000:]}\n{done.stderr[-4000:]}"
        assert done.returncode == 0, f"{' '.join(map(str, command))}\n{said}"
        return done.stdout


@contextmanager
def elsewhere() -> Iterator[Place]:
    """A place that is gone afterwards."""
    # Not pytest's own folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="elsewhere-"))
    folder.chmod(0o755)
    try:
        yield Place(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
