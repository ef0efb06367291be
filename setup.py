"""Bundle the scripts of the page when the package is built; all else is in pyproject.toml."""

import runpy

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist


def bundle() -> None:
    """Run the bundler: its files are package data like any other."""
    # By path: importing the package would need what it depends on.
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


setup(cmdclass={"build_py": BuildWithBundles, "sdist": ArchiveWithBundles})
