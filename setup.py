"""What pyproject.toml cannot say: the page's scripts are bundled, and where this checkout lives."""

import email
import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
PAPERS = {  # what it computes, as cited in CITATION.cff
    "Mechanics of Next Token Prediction": "https://proceedings.mlr.press/v238/li24f.html",
    "Scan and Snap": "https://arxiv.org/abs/2305.16380",
}


def addresses() -> dict[str, str]:
    """Return the addresses of the papers, and of this checkout if it has a public one."""
    # By path: importing the package would need what it depends on.
    find_repository = runpy.run_path(str(ROOT / "nta_book/sphinx/repository.py"))["find_repository"]
    repository = find_repository(ROOT)
    if repository is not None:
        return PAPERS | {"Source": repository.url, "Issues": f"{repository.url}/issues"}
    archived = ROOT / "PKG-INFO"  # an unpacked archive knows what its checkout knew
    if not archived.exists():
        return PAPERS
    told = email.message_from_string(archived.read_text(encoding="utf-8"))
    lines = told.get_all("Project-URL", [])
    return PAPERS | {name: url for name, _, url in (line.partition(", ") for line in lines)}


def bundle() -> None:
    """Run the bundler: its files are package data like any other."""
    runpy.run_path("nta_book/page/bundle.py")["build"]()


class BuildWithBundles(build_py):
    """Build the package, in place (``pip install -e .``) or into a wheel."""

    def run(self) -> None:
        """Bundle first."""
        bundle()
        super().run()


class ArchiveWithBundles(sdist):
    """Make the archive of the sources; with its bundles it needs no Node where it is unpacked."""

    def run(self) -> None:
        """Bundle first."""
        bundle()
        super().run()


setup(
    project_urls=addresses(),
    cmdclass={"build_py": BuildWithBundles, "sdist": ArchiveWithBundles},
)
