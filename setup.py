"""Bundle the scripts of the page when the package is built; all else is in pyproject.toml."""

import runpy

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithBundles(build_py):
    """Run the bundler first: its files are package data like any other."""

    def run(self) -> None:
        """Build the package, in place (``pip install -e .``) or into a wheel."""
        # By path: importing the package would need what it depends on.
        runpy.run_path("nta_book/page/bundle.py")["build"]()
        super().run()


setup(cmdclass={"build_py": BuildWithBundles})
