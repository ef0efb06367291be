"""The parts of the frame that need no build: fingerprints, addresses, colours, commands, pins."""

from __future__ import annotations

import doctest
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import benchmarks.__main__ as bench
from nta_book.runtime.source import FOLDER
from nta_book.sphinx import repository
from nta_book.viz.theme import ROLES, variable
from tools import build_book, install_browser, run_checks, serve_book
from tools.toc import TocError, toc_sources

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "nta_book" / "page" / "book"


# ---- stale pages --------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("nta_core/graphs.py", "nta_book/viz/theme.py", "_config.yml", "book/one.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        *("_config.yml", "book/index.md", "nta_book/page/lab/main.js", "nta_book/viz/theme.py"),
        *("nta_core/graphs.py", "nta_beyond/new.py", "experiments/x.py", "pyproject.toml"),
    ],
)
def test_pages_are_rendered_again_when_anything_they_show_changes(
    checkout: Path, name: str
) -> None:
    before = build_book.book_fingerprint(checkout, checkout)
    assert build_book.book_fingerprint(checkout, checkout) == before
    (checkout / name).parent.mkdir(parents=True, exist_ok=True)
    (checkout / name).write_text("changed")
    assert build_book.book_fingerprint(checkout, checkout) != before


def test_pages_are_rendered_again_when_a_page_is_renamed(checkout: Path) -> None:
    before = build_book.book_fingerprint(checkout, checkout)
    (checkout / "book" / "one.md").rename(checkout / "book" / "two.md")
    assert build_book.book_fingerprint(checkout, checkout) != before


def test_pages_depend_on_installed_versions(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = build_book.book_fingerprint(checkout, checkout)
    monkeypatch.setattr(build_book, "distributions", list)
    assert build_book.book_fingerprint(checkout, checkout) != before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NTA_JUPYTERHUB", "https://hub.example.org"),
        ("NTA_REPOSITORY", "https://github.com/someone/a-book"),
    ],
)
def test_pages_depend_on_where_their_buttons_lead(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.delenv(name, raising=False)
    before = build_book.book_fingerprint(checkout, checkout)
    monkeypatch.setenv(name, value)
    assert build_book.book_fingerprint(checkout, checkout) != before


def test_a_book_without_python_is_built_again_when_there_is_one(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[Path] = []

    def render(root: Path, staging: Path, environment: dict[str, str]) -> None:
        rendered.append(staging)
        (staging / "_build" / "html").mkdir(parents=True)
        (staging / "_build" / "html" / "index.html").write_text("A page.")

    monkeypatch.setattr(build_book, "_run_chapters", lambda *_: None)
    monkeypatch.setattr(build_book, "_render", render)
    monkeypatch.setenv(FOLDER, str(checkout))  # has none of the files
    for times in (1, 1):
        build_book.build(checkout)
        assert len(rendered) == times
    monkeypatch.delenv(FOLDER)  # python -m nta_book.runtime would do, too
    for times in (2, 2):
        build_book.build(checkout)
        assert len(rendered) == times


def test_what_is_made_from_other_files_does_not_matter(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = checkout / "nta_book" / "page" / "built"
    monkeypatch.setattr(build_book, "BUILT", built)
    before = build_book.book_fingerprint(checkout, checkout)
    for folder in (checkout / "nta_core" / "__pycache__", built, checkout / "_build"):
        folder.mkdir(parents=True)
        (folder / "made").write_text("x")
    assert build_book.book_fingerprint(checkout, checkout) == before


def test_a_page_of_the_toc_without_a_file_is_named(checkout: Path) -> None:
    with pytest.raises(TocError, match=r"names book/index"):
        toc_sources(checkout)


def test_a_toc_that_names_a_page_twice_is_refused(checkout: Path) -> None:
    with (checkout / "_toc.yml").open("a") as toc:
        toc.write("chapters:\n- file: book/index\n")
    with pytest.raises(TocError, match="book/index"):
        toc_sources(checkout)


# ---- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("git@github.com:someone/book.git", "https://github.com/someone/book"),
        ("ssh://git@gitlab.com:22/group/sub/book.git", "https://gitlab.com/group/sub/book"),
        ("https://github.com/someone/book", "https://github.com/someone/book"),
        ("https://token@github.com/someone/book.git/", "https://github.com/someone/book"),
        ("", None),
        ("/srv/git/book.git", None),
        ("../book", None),
        ("file:///srv/git/book.git", None),
        ("someone@localhost:book.git", None),
        ("https://code.example.org/someone/book", None),
    ],
)
def test_address_of_the_repository_is_public_or_none(address: str, url: str | None) -> None:
    assert repository.public_url(address) == url


def test_address_comes_from_origin_or_from_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NTA_REPOSITORY", raising=False)
    monkeypatch.delenv("NTA_BRANCH", raising=False)
    assert repository.find_repository(tmp_path) is None
    for command in (["init", "-b", "trunk"], ["remote", "add", "origin", "git@github.com:a/b.git"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--allow-empty", "-m", "x"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    found = repository.find_repository(tmp_path)
    assert found == repository.Repository("https://github.com/a/b", "trunk")
    monkeypatch.setenv("NTA_REPOSITORY", "https://gitlab.com/c/d")
    assert repository.find_repository(tmp_path).url == "https://gitlab.com/c/d"


# ---- colours ------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_the_page_are_those_of_the_pictures(theme: str) -> None:
    css = (RUNTIME / "nta-book.css").read_text(encoding="utf-8")
    selector = "html {" if theme == "light" else 'html[data-theme="dark"] {'
    block = css[css.index(selector) :].partition("}")[0]
    for role in ROLES:
        assert f"{variable(role)}: {getattr(ROLES[role], theme).lower()};" in block, role


# ---- commands -----------------------------------------------------------------------------------


def test_a_taken_port_is_explained_before_anything_is_built(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_book, "main", lambda _: pytest.fail("built for nothing"))
    with socket.socket() as taken:
        taken.bind((serve_book.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert serve_book.main(["--port", str(port)]) == 1
    assert f"port {port} is in use" in (said := capsys.readouterr().err)
    assert f"PORT={port + 1}" in said


@pytest.mark.parametrize("port", ["0", "65536", "eighty", "-1"])
def test_an_impossible_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        serve_book.main([f"--port={port}"])
    assert "PORT must be a number from 1 to 65535" in capsys.readouterr().err


def test_a_failed_build_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_book, "main", lambda _: 1)
    with socket.socket() as free:
        free.bind((serve_book.HOST, 0))
        port = free.getsockname()[1]
    assert serve_book.main(["--port", str(port)]) == 1


def test_chosen_browser_wins_and_a_wrong_choice_is_not_replaced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert install_browser.find_browser() == sys.executable
    monkeypatch.setenv("CHROMIUM", "/no/such/browser")
    assert install_browser.main() == 1
    assert "NO CHROMIUM" in capsys.readouterr().err


def test_a_service_that_is_not_root_installs_by_sudo_and_nobody_else_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    for name in ("sudo", "apt-get"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {asked}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(install_browser, "missing_engines", lambda: ["WebKit"])
    monkeypatch.setenv("CI", "true")
    assert install_browser.install_engines() == ["WebKit"]
    said = asked.read_text().splitlines()
    assert said[-1].startswith("sudo -n --preserve-env=DEBIAN_FRONTEND apt-get install -y")
    assert "webkit2gtk-driver" in said[-1]
    asked.unlink()
    monkeypatch.delenv("CI")
    assert install_browser.install_engines() == ["WebKit"]
    assert not asked.exists()


def test_an_engine_is_here_only_with_all_that_the_tests_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    small = tmp_path / "any" / "webkit" / "MiniBrowser"
    ways = (("driver",), (str(tmp_path / "*" / "webkit" / small.name),), ("older", "Xvfb"))
    monkeypatch.setattr(install_browser, "OTHERS", {"WebKit": ways})
    small.parent.mkdir(parents=True)
    wanted = [tmp_path / "driver", small, tmp_path / "Xvfb"]
    for path in wanted:
        assert install_browser.find_engine("WebKit") is None
        assert install_browser.missing_engines() == ["WebKit"]
        path.touch(0o755)
    assert install_browser.find_engine("WebKit") == list(map(str, wanted))
    assert install_browser.missing_engines() == []
    assert install_browser.say_missing([]) == capsys.readouterr().err == ""
    assert install_browser.say_missing(["WebKit"]) == capsys.readouterr().err.strip()


def _checks(monkeypatch: pytest.MonkeyPatch, **codes: int) -> None:
    """Replace the checks by programs that end with the given codes."""
    made = {name: run_checks.Check(name, [["-c", f"exit({code})"]]) for name, code in codes.items()}
    if "crawl" in made:
        made["crawl"] = run_checks.Check("crawl", [["-c", ""]], needs="book")
    monkeypatch.setattr(run_checks, "CHECKS", made)


def test_all_checks_run_and_one_failure_fails_the_whole(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    _checks(monkeypatch, style=1, units=0, book=3, crawl=0)
    assert run_checks.main([]) == 1
    summary = capfd.readouterr().out.partition("=== summary")[2].split()
    assert [w for w in summary if w in ("passed", "FAILED", "reached")] == [
        *("FAILED", "passed", "FAILED", "reached")
    ]
    _checks(monkeypatch, style=0)
    assert run_checks.main([]) == 0
    assert run_checks.main(["taste"]) == 2


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("1", 1)])
def test_no_browser_is_loud_and_in_ci_a_failure(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], ci: str, code: int
) -> None:
    _checks(monkeypatch, browser=0)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(run_checks, "install_browser", lambda: None)
    assert run_checks.main([]) == code
    assert "NO CHROMIUM" in capfd.readouterr().out


def test_benchmarks_are_all_or_those_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert {"book", "graphs", "svm", "training"} <= set(bench.chosen([]))
    assert bench.chosen(["svm", "text"]) == ["svm", "text"]
    with pytest.raises(SystemExit):
        bench.chosen(["taste"])
    assert "no benchmark 'taste'" in capsys.readouterr().err


# ---- pins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_bounded_on_both_sides_and_says_why(name: str) -> None:
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "-r")):
            assert re.match(r"[\w-]+(==[\d.]+|>=[\d.]+,<[\d.]+)\s+# \S", line), line


def test_jupyter_book_stays_below_two() -> None:
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert re.search(r"^jupyter-book>=1\.0\.4,<2\s", pins, re.MULTILINE)


@pytest.mark.parametrize("module", [repository, bench], ids=lambda module: module.__name__)
def test_examples_in_the_frame(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert not result.failed


def test_slow_explorers_report_their_progress(tmp_path: Path) -> None:
    from tools.execute_notebooks import Newest

    told = tmp_path / "progress"
    told.write_text("left by an earlier build\n")
    news = Newest(str(told))
    assert news.read() == ""
    told.write_text("explorer “Q”: 1 of 4 states\nexplorer “Q”: 2 of 4 states\n")
    assert news.read() == "explorer “Q”: 2 of 4 states"
    assert news.read() == ""
    assert Newest(None).read() == ""
