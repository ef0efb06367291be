"""The house: who may import whom, how small the core is, and what ``import nta_core`` may cost."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nta_core
from tests import garbage

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("nta_core", "nta_beyond", "nta_book", "experiments", "benchmarks", "tools")
HEAVY = ("torch", "cvxpy", "plotly", "networkx", "ipywidgets", "anywidget", "scipy.optimize")
# Everything installed here but numpy, scipy and networkx: refused as if it were not there.
ALONE = """
import sys
from importlib.metadata import packages_distributions

class Missing:
    refused = set(packages_distributions()) - {"numpy", "scipy", "networkx"}
    refused -= {name for name in refused if name.startswith("nta_")}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.refused:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in [n for n in sys.modules if n.partition(".")[0] in Missing.refused]:
    del sys.modules[name]
sys.meta_path.insert(0, Missing())
"""


def check_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_room_uses_only_rooms_below_it() -> None:
    done = check_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("nta_core/graphs/build.py", "from nta_book import viz", "A package uses only"),
        ("nta_core/data/dataset.py", "def f():\n    import nta_core.svm", "the way of the data"),
        ("nta_beyond/text/tokens.py", "import nta_beyond.scansnap", "stand alone"),
        ("nta_book/viz/theme.py", "import nta_book.explore", "draws, then explores"),
        ("nta_core/games.py", "", "the way of the data"),  # a room that was not declared
    ],
)
def test_an_import_against_the_order_is_found(
    tmp_path: Path, module: str, line: str, contract: str
) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "*.json", "built")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    with (tmp_path / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    done = check_imports(tmp_path)
    assert done.returncode == 1
    assert [contract in line for line in done.stdout.splitlines() if "BROKEN" in line] == [True]


def test_the_core_is_small() -> None:
    lines = sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "nta_core").rglob("*.py")
    )
    assert lines <= 6500
    assert len(nta_core.__all__) <= 75


def test_the_book_holds_no_python_module() -> None:
    assert not list((ROOT / "book").rglob("*.py"))


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, nta_core; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert run_python(code) == "[]"


def test_numpy_scipy_and_networkx_are_enough_for_the_core() -> None:
    code = f"""{ALONE}
from nta_core import *
graphs = token_priority_graphs(FIG3)
E = embeddings(4, 4)
run = gradient_descent(FIG3, E, steps=50, step_size=0.1)
assert solve_graph_svm(graphs, E).W.shape == run.W.shape == (4, 4)
assert len(graphs[1].to_networkx()) == 4
try:
    SelfAttention(E)
except MissingPackage as error:
    print(error.package)
"""
    assert run_python(code) == "torch"


# Every public name there, called with right arguments: an answer, or the name of a package.
NAMES_ALONE = """
from nta_core import MissingPackage, NTAError
from tests import garbage

def asked(path):
    try:
        for name, function, owner in list(garbage.targets((path,))):
            garbage.quietly(garbage.call_of(name, function, owner))
            yield "answers"
    except MissingPackage as error:
        yield error.package
    except Exception as error:
        yield f"{path}: {type(error).__name__}: {error}"

garbage.public_paths = lambda: PATHS
missing = {path: set(asked(path)) for path in PATHS}
print(sorted(word for words in missing.values() for word in words if ": " in word))
print(sorted({word for words in missing.values() for word in words if ": " not in word}))
"""


def test_every_public_name_answers_or_names_what_is_not_installed() -> None:
    paths = tuple(path for path in garbage.public_paths() if "Error" not in path)
    raw, said = run_python(f"PATHS = {paths}\n{ALONE}{NAMES_ALONE}").splitlines()
    assert ast.literal_eval(raw) == []
    assert {"answers", "torch", "cvxpy", "plotly"} <= set(ast.literal_eval(said))


def run_python(code: str) -> str:
    """What a fresh Python prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
