"""The build refuses dead or silent outputs by name, and never spoils the book that was there."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from nta_book.results.changes import Project
from nta_book.sphinx.executed import Executed
from tests.built_book import crawl
from tests.small_book import ROOT, write_small_book
from tools.build_book import BuildFailed, build

TITLE = "# A page\n\nSome words."
PLOT = """import plotly.graph_objects as go
fig = go.Figure(go.Scatter(y=[1, 4, 9])).update_layout(meta={"alt": "A rising line."})
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book with one of every kind of output, built once."""
    book = write_small_book(
        tmp_path_factory.mktemp("sound"),
        [
            TITLE,
            "print(6 * 7)",
            f"#| name: fig-line\n#| caption: >\n#|   A line.\n#|   It rises.\n{PLOT}fig",
        ],
        [
            "# A chapter\n\nSee {numref}`fig-line`; {proved}`Theorem 2`, {measured}`12 runs`, "
            "{open}`how?`",
            "from IPython.display import publish_display_data\n"
            'publish_display_data({"application/vnd.nta.drawing+json": '
            '{"svg": "<svg><text>hi</text></svg>", "alt": "The word <hi>."}})\n'
            'publish_display_data({"application/vnd.nta.widget+json": '
            '{"module": "lab", "label": "Lab", "state": {"text": "</script>"}}})\n'
            "from nta_book import viz\nfrom nta_book.explore import Explorer, Slider\n"
            'Explorer("Who wins?", controls=[Slider("n", range(2))], alt="A token.", '
            'render=lambda s: viz.token(f"t{s.n}"), words=lambda s: "It is.")',
        ],
    )
    build(book)
    return book


def page(book: Path, name: str) -> BeautifulSoup:
    text = (book / "_build" / "html" / "book" / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def test_plots_become_figures_with_caption_and_number(sound: Path) -> None:
    figure = page(sound, "index").select_one("figure.nta-fig")
    assert figure is not None
    assert '"alt":"A rising line."' in figure.script.string
    assert "template" not in figure.script.string
    caption = " ".join(figure.find_parent("figure").figcaption.get_text().split())
    assert re.fullmatch(r"Fig\. 1 A line\. It rises\.\W*", caption)
    assert "#|" not in page(sound, "index").get_text(), "the comments are no code to be shown"
    assert page(sound, "01_chapter").find("a", href="index.html#fig-line").get_text() == "Fig. 1"


def test_drawings_widgets_and_explorers_become_elements(sound: Path) -> None:
    chapter = page(sound, "01_chapter")
    drawing = chapter.select_one("figure.nta-fig[data-state=drawn] .nta-drawing")
    assert drawing["aria-label"] == "The word <hi>."
    assert drawing.svg.get_text() == "hi"
    widget = chapter.select_one("div.nta-widget[data-module=lab][aria-label=Lab]")
    assert widget.script.string == '{"text":"\\u003c/script>"}'
    assert chapter.select_one("section.nta-explorer")["aria-label"] == "Who wins?"


def test_badges_name_their_kind(sound: Path) -> None:
    badges = [badge.get_text() for badge in page(sound, "01_chapter").select(".nta-badge")]
    assert badges == ["proved Theorem 2", "measured here 12 runs", "open how?"]


def test_pages_load_only_what_they_use(sound: Path) -> None:
    scripts = {
        name: [str(s["src"]) for s in page(sound, name).find_all("script", src=True)]
        for name in ("index", "01_chapter")
    }
    for sources in scripts.values():
        assert not [s for s in sources if "thebe" in s or "mathjax" in s or "plotly" in s]
        assert any("nta-book.js" in s for s in sources)
    assert any("nta-explorer.js" in s for s in scripts["01_chapter"])
    assert not any("nta-explorer.js" in s for s in scripts["index"])


def test_without_an_address_there_is_no_launch_button(sound: Path) -> None:
    assert not page(sound, "index").select('a[href*="urlpath="]')


def test_unchanged_book_is_not_built_again(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (sound / "_build" / "html" / "index.html").stat().st_mtime_ns
    build(sound)
    assert "up to date" in capsys.readouterr().out
    assert (sound / "_build" / "html" / "index.html").stat().st_mtime_ns == before


def _packages(folder: Path, result: str) -> Project:
    """A package of ours that two chapters could use, in a folder of its own."""
    (folder / "nta_core").mkdir(parents=True, exist_ok=True)
    (folder / "nta_core" / "__init__.py").write_text(
        f"def used():\n    return {result}\n\ndef unused():\n    return 0\n"
    )
    return Project(folder)


def test_only_chapters_that_depend_on_changed_code_run_again(tmp_path: Path) -> None:
    code = tmp_path / "code"
    book = write_small_book(
        tmp_path / "book",
        [TITLE, "from nta_core import used\nused()"],
        [TITLE, "from nta_core import unused\nunused()"],
        [TITLE, "print(1)"],
    )
    chapters = sorted((book / "book").glob("*.ipynb"))
    depends = next(path for path in chapters if path.stem == "index")

    def held(result: str) -> list[bool]:
        return [Executed(book, _packages(code, result)).holds(path) for path in chapters]

    assert held("1") == [False] * 3
    executed = Executed(book, _packages(code, "1"))
    for path in chapters:
        executed.store(path, nbformat.read(path, as_version=4), 0.0)
    assert held("1  # one") == [True] * 3
    assert [p for p, h in zip(chapters, held("2"), strict=True) if not h] == [depends]
    Executed(book, _packages(code, "2")).forget_old(chapters)  # as Sphinx does on its own
    assert [p for p, h in zip(chapters, held("1"), strict=True) if not h] == [depends]


def test_of_each_chapter_only_the_latest_outputs_are_kept(tmp_path: Path) -> None:
    for cell in ("1 + 1", "1 + 2", "1 + 3"):
        book = write_small_book(tmp_path, [TITLE, cell])
        chapter = book / "book" / "index.ipynb"
        Executed(book).store(chapter, nbformat.read(chapter, as_version=4), 0.0)
        assert Executed(book).holds(chapter)
    stored = list((book / "_build" / "executed").rglob("base.ipynb"))
    assert len(stored) == 1
    shutil.rmtree(stored[0].parent)  # what an interruption may leave: a record without its file
    assert not Executed(book).holds(chapter)
    Executed(book).forget_old([chapter])
    Executed(book).store(chapter, nbformat.read(chapter, as_version=4), 0.0)
    assert Executed(book).holds(chapter)


def test_a_store_that_was_interrupted_is_cleared_up(tmp_path: Path) -> None:
    book = write_small_book(tmp_path, [TITLE, "1 + 1"])
    build(book)
    (kept,) = (book / "_build" / "executed" / "executed").iterdir()
    for file in kept.iterdir():
        file.unlink()  # as when the process dies between making the folder and filling it
    build(book, force=True)
    assert "2" in (book / "_build" / "html" / "book" / "index.html").read_text(encoding="utf-8")


def test_faulty_outputs_stop_the_build_by_chapter_and_cell(tmp_path: Path) -> None:
    book = write_small_book(
        tmp_path,
        [TITLE, "import plotly.graph_objects as go\ngo.Figure(go.Scatter(y=[1]))"],
        [TITLE, "import ipywidgets\nipywidgets.IntSlider()"],
        [TITLE, "from IPython.display import HTML", f"{PLOT}HTML(fig.to_html())"],
        [TITLE, "# More\n\nSee {numref}`nowhere`."],
    )
    with pytest.raises(BuildFailed) as failure:
        build(book)
    report = str(failure.value)
    for chapter, complaint in [
        ("book/index", "cell 2: a figure without a description"),
        ("book/01_chapter", "cell 2: a widget that is dead without a kernel"),
        ("book/02_chapter", "cell 3: a plotly figure as HTML"),
        ("book/03_chapter.ipynb, cell 2:", "nowhere"),
    ]:
        line = next((line for line in report.splitlines() if complaint in line), "")
        assert chapter in line, report
    assert not (book / "_build" / "html").exists()


def test_chapter_that_raises_is_named_and_the_old_book_stays(tmp_path: Path) -> None:
    book = write_small_book(tmp_path, [TITLE])
    html = book / "_build" / "html"
    html.mkdir(parents=True)
    (html / "index.html").write_text("the book of yesterday")
    write_small_book(book, [TITLE, "x = 1", "y = 1\ny / 0"])
    with pytest.raises(
        BuildFailed, match=r"book/index.ipynb, cell 3: ZeroDivisionError"
    ) as failure:
        build(book)
    assert "        y = 1" in str(failure.value)
    assert (html / "index.html").read_text() == "the book of yesterday"


def test_interrupted_build_leaves_the_old_book(tmp_path: Path) -> None:
    running = tmp_path / "running"
    cell = f"import pathlib, time\npathlib.Path({str(running)!r}).touch()\ntime.sleep(60)"
    book = write_small_book(tmp_path / "it", [TITLE, cell])
    html = book / "_build" / "html"
    html.mkdir(parents=True)
    (html / "index.html").write_text("the book of yesterday")
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.build_book", "--root", str(book)],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "to run: 1" in process.stdout.readline()
    while not running.exists():  # until the cell is under way
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # what Ctrl-C does
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "untouched" in complaint.splitlines()[-1]
    assert (html / "index.html").read_text() == "the book of yesterday"


def test_interruption_between_two_renames_is_undone(tmp_path: Path) -> None:
    book = write_small_book(tmp_path, [TITLE, "1 / 0"])
    previous = book / "_build" / "html.previous"
    previous.mkdir(parents=True)
    (previous / "index.html").write_text("the book of yesterday")
    with pytest.raises(BuildFailed):
        build(book)
    assert (book / "_build" / "html" / "index.html").read_text() == "the book of yesterday"


def test_address_gives_launch_buttons_that_open_the_chapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NTA_REPOSITORY", "git@github.com:someone/a-book.git")
    monkeypatch.setenv("NTA_BRANCH", "main")
    book = write_small_book(tmp_path, [TITLE])
    build(book)
    buttons = page(book, "index").select("a[href*='book/index.ipynb']:not([download])")
    links = {a.get_text(strip=True): str(a["href"]) for a in buttons if "://" in str(a["href"])}
    place = "repo=https%3A//github.com/someone/a-book&branch=main"
    assert links == {
        "Binder": "https://mybinder.org/v2/gh/someone/a-book/main"
        "?urlpath=lab/tree/book/index.ipynb",
        "Colab": "https://colab.research.google.com/github/someone/a-book/blob/main"
        "/book/index.ipynb",
        "JupyterHub": "https://nbgitpuller.readthedocs.io/en/latest/link.html"
        f"?{place}&urlpath=lab/tree/a-book/book/index.ipynb",
    }
    assert not crawl.dead_launch_paths(book / "_build" / "html" / "book" / "index.html", book)
    (book / "book" / "index.ipynb").rename(book / "elsewhere.ipynb")
    dead = crawl.dead_launch_paths(book / "_build" / "html" / "book" / "index.html", book)
    assert len(dead) == 3
