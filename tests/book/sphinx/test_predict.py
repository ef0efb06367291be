"""Predict boxes are read as plain data, joined with their answers, and refused when malformed."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag

from nta_book.sphinx.predict import anchor, fingerprint
from nta_book.sphinx.questions import Question, QuestionError, faults, questions
from tests.small_book import ROOT, write_small_book
from tools.build_book import BuildFailed, build

SOUND = """## Who?

```{admonition} Predict
:class: predict
Two tokens share the highest score.
Where does the output end?

- (a) In the corner of one of them,
  or near it.
- (b) In the middle of $e_1 e_2$.
- (c) Outside.
```

```{admonition} Answer
:class: dropdown answer
(b) Growing weights multiply differences.
Here is none.

- (a) Rounding could choose.
- (c) It grows.
```

After."""


def written(folder: Path, *sources: str) -> Path:
    cells = [
        nbformat.v4.new_markdown_cell(source, id=f"cell-{k}") for k, source in enumerate(sources)
    ]
    path = folder / "05_which_w.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_a_box_is_read_as_plain_data(tmp_path: Path) -> None:
    first, second = questions(written(tmp_path, "# Title", f"{SOUND}\n\n{SOUND}"))
    assert first == Question(
        page="05_which_w",
        cell="cell-1",
        number=1,
        asked="Two tokens share the highest score.\nWhere does the output end?",
        options={
            "a": "In the corner of one of them, or near it.",
            "b": "In the middle of $e_1 e_2$.",
            "c": "Outside.",
        },
        right="b",
        answer="Growing weights multiply differences.\nHere is none.",
        tempting={"a": "Rounding could choose.", "c": "It grows."},
    )
    assert (first.chapter, first.name, anchor(first)) == (5, "05_which_w/cell-1", "predict-cell-1")
    assert (second.number, second.name) == (2, "05_which_w/cell-1-2")


def test_colons_fence_as_well(tmp_path: Path) -> None:
    (question,) = questions(written(tmp_path, SOUND.replace("```", ":::")))
    assert question.right == "b"


FAULTS = {
    "without its Answer": (
        "```{admonition} Answer",
        "```{admonition} Reply\n:class: x\n```\n```{x}",
    ),
    "without its Answer in the same cell": (SOUND[SOUND.index("```{admonition} Answer") :], ""),
    "something stands between": (
        "```\n\n```{admonition} Answer",
        "```\n\nSo?\n\n```{admonition} Answer",
    ),
    "no question stands before": (
        "Two tokens share the highest score.\nWhere does the output end?",
        "",
    ),
    "two to four options, this has 1": (
        "- (b) In the middle of $e_1 e_2$.\n- (c) Outside.\n",
        "",
    ),
    "lettered in order": ("- (c) Outside.", "- (d) Outside."),
    "(a) stands there twice": ("- (c) Outside.", "- (a) Outside."),
    "does not begin with the letter": ("(b) Growing", "Growing"),
    "begin with the letter of one of": ("(b) Growing", "(d) Growing"),
    "one line for each of (a), (c); it has (a)": ("\n- (c) It grows.", ""),
    "one line for each of (b), (c)": ("(b) Growing", "(a) Growing"),
    "something stands below the lettered lines": ("- (c) Outside.", "- (c) Outside.\n\nSo?"),
    "an Answer without its Predict": (":class: predict", ":class: say"),
    "this has 0": ("- (", "("),
}


@pytest.mark.parametrize("said", FAULTS)
def test_a_malformed_box_is_refused_with_what_to_write(tmp_path: Path, said: str) -> None:
    sound, planted = FAULTS[said]
    assert sound in SOUND
    path = written(tmp_path, SOUND.replace(sound, planted))
    with pytest.raises(QuestionError) as error:
        questions(path)
    assert said in str(error.value)
    assert str(error.value).startswith("05_which_w, cell cell-0: ")
    assert 'write "```{admonition} Predict"' in str(error.value)
    assert len(faults(path)) == 1
    assert said in faults(path)[0]


def test_an_example_asks_nobody_and_is_one(tmp_path: Path) -> None:
    assert not questions(written(tmp_path, f"````markdown\n{SOUND}\n````"))
    made = ROOT / "book" / "how_this_book_is_made.ipynb"
    assert not questions(made)
    cells = json.loads(made.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    example = text.partition("````markdown\n")[2].partition("\n````")[0]
    assert questions(written(tmp_path, example))[0].right == "b"


def test_a_sound_page_has_no_fault(tmp_path: Path) -> None:
    assert not faults(written(tmp_path, SOUND))


def test_a_fingerprint_changes_with_question_options_and_answer(tmp_path: Path) -> None:
    def mark(source: str) -> str:
        return fingerprint(questions(written(tmp_path, source))[0])

    assert mark(SOUND) == mark(SOUND.replace("Here is none", "There is none"))
    for old, new in [("share", "hold"), ("Outside", "Inside")]:
        assert mark(SOUND) != mark(SOUND.replace(old, new))
    other = SOUND.replace("(b) Growing", "(c) Growing").replace("- (c) It grows", "- (b) It grows")
    assert mark(SOUND) != mark(other)


# ---- on the page ---------------------------------------------------------------------------------

CELLS: list[tuple[str, str, list[str]]] = [
    ("title", "(ch-01)=\n# Why?\n\nThe lead.", []),
    ("imports", "x = 1", ["hide-input"]),
    ("picture", "print('the picture')", ["hide-input"]),
    ("unseen", "y = 2", ["remove-cell"]),
    ("rest", "z = 3", ["hide-input"]),
    ("who", f"{SOUND}\n\n{SOUND.replace('## Who?', '### More?')}\n\n(label)=", []),
    ("seen", "print('seen')", []),
    ("alone", "print('alone')", ["hide-input"]),
    ("next", "## Next\n\nThe next section.", []),
]


def book(folder: Path, cells: list[tuple[str, str, list[str]]]) -> Path:
    """Write a small book with one chapter of named and tagged cells, and the list of questions."""
    write_small_book(folder, ["# Start\n\nWords."], ["# A"])
    made = []
    for name, source, tags in cells:
        text = source.startswith(("#", "(", "```"))
        make = nbformat.v4.new_markdown_cell if text else nbformat.v4.new_code_cell
        made.append(make(source, id=name, metadata={"tags": tags} if tags else {}))
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=made, metadata=metadata)
    nbformat.write(notebook, folder / "book" / "01_chapter.ipynb")
    listing = (ROOT / "book" / "your_predictions.md").read_text(encoding="utf-8")
    (folder / "book" / "your_predictions.md").write_text(listing, encoding="utf-8")
    toc = (folder / "_toc.yml").read_text(encoding="utf-8")
    (folder / "_toc.yml").write_text(toc + "  - file: book/your_predictions\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(book(tmp_path_factory.mktemp("predict"), CELLS))


@pytest.fixture(scope="module")
def page(built: Path) -> BeautifulSoup:
    text = (built / "book" / "01_chapter.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def test_box_and_answer_stand_in_one_block(page: BeautifulSoup) -> None:
    first, second = page.select(".nta-predict")
    assert (first["id"], first["data-name"], first["data-right"]) == (
        "predict-who",
        "01_chapter/who",
        "b",
    )
    assert second["id"] == "predict-who-2"
    kinds = [child.get("class") for child in first.find_all("div", recursive=False)]
    assert [next(c for c in kind if c != "admonition") for kind in kinds] == ["predict", "answer"]
    assert [item.text[:3] for item in first.select(".predict > ul > li")] == ["(a)", "(b)", "(c)"]
    reasons = first.select(".answer > .nta-predict-reason")
    assert [(r["class"][1], r.text.strip()[:3]) for r in reasons] == [
        ("nta-a", "(a)"),
        ("nta-c", "(c)"),
    ]
    assert not page.select(".answer.dropdown"), "nothing but the question closes an answer"


def test_what_follows_is_gathered_up_to_the_end_of_the_section(page: BeautifulSoup) -> None:
    first, second = page.select(".nta-predict")
    rest = first.find_next_sibling()
    assert isinstance(rest, Tag)
    assert "nta-predict-rest" in rest["class"]
    assert second in rest.descendants
    assert "seen" in rest.text
    assert "The next section" not in rest.text
    inner = second.find_next_sibling()
    assert isinstance(inner, Tag)
    assert "seen" in inner.text


def test_everything_is_open_and_the_early_script_undoes_itself(page: BeautifulSoup) -> None:
    assert not page.select("[hidden]")
    assert not page.select(".nta-predict details")
    early = [script.text for script in page.select("head script") if "nta-asking" in script.text]
    assert len(early) == 1
    assert "classList.remove('nta-asking')" in early[0]


def test_a_page_without_questions_has_no_early_script(built: Path) -> None:
    assert "nta-asking" not in (built / "book" / "index.html").read_text(encoding="utf-8")


def test_all_questions_are_listed_with_links(built: Path) -> None:
    text = (built / "book" / "your_predictions.html").read_text(encoding="utf-8")
    links = BeautifulSoup(text, "html.parser").select("a.nta-question")
    assert [link["href"] for link in links] == [
        "01_chapter.html#predict-who",
        "01_chapter.html#predict-who-2",
    ]
    assert [link.text for link in links] == ["Question 1.1", "Question 1.2"]
    first = page_data(built)[0]
    assert (links[0]["data-name"], links[0]["data-right"], links[0]["data-of"]) == first


def page_data(built: Path) -> list[tuple[str, str, str]]:
    text = (built / "book" / "01_chapter.html").read_text(encoding="utf-8")
    boxes = BeautifulSoup(text, "html.parser").select(".nta-predict")
    return [(b["data-name"], b["data-right"], b["data-of"]) for b in boxes]  # type: ignore[misc]


# ---- folding -------------------------------------------------------------------------------------


def test_hidden_code_is_folded_once_below_the_last_output(page: BeautifulSoup) -> None:
    opening, alone = page.select("div.cell.nta-folded")
    output, fold = opening.find_all(["div", "details"], recursive=False)
    assert "the picture" in output.text
    assert fold.name == "details"
    assert [pre.text.strip() for pre in fold.select("pre")] == [
        "x = 1",
        "print('the picture')",
        "z = 3",
    ]
    lead = page.find(string="The lead.")
    assert lead is not None
    between = lead.find_parent("p").find_next_sibling()  # type: ignore[union-attr]
    assert between is opening, "nothing stands between the lead and the picture"
    assert alone.find("details").find_previous_sibling().text.strip() == "alone"  # type: ignore[union-attr]
    assert len(page.select("details.hide")) == 2
    assert not page.select(".tag_hide-input")


def test_code_that_is_seen_stays_above_its_output(page: BeautifulSoup) -> None:
    (seen,) = (cell for cell in page.select("div.cell") if "print('seen')" in cell.text)
    assert "cell_input" in seen.find("div")["class"]  # type: ignore[operator,index]


# ---- a book with a malformed box -----------------------------------------------------------------


@pytest.mark.parametrize("fault", ["without its Answer in the same cell", "lettered in order"])
def test_a_malformed_box_stops_the_build(
    tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, planted = FAULTS[fault]
    cells = [
        ("title", "# Why?", []),
        ("who", SOUND.replace(sound, planted), []),
    ]
    with pytest.raises(BuildFailed) as failed:
        build(book(tmp_path, cells))
    said = f"{failed.value}{capsys.readouterr()}"
    assert "01_chapter, cell who: " in said
    assert fault in said


def test_the_chapters_of_the_book_can_be_asked() -> None:
    asked = [q for path in sorted((ROOT / "book").glob("*.ipynb")) for q in questions(path)]
    assert len({q.name for q in asked}) == len(asked) >= 32
    assert json.dumps([q.__dict__ for q in asked])
