"""Find the numbers in the prose of a chapter that no reader can trace.

    python -m tools.check_numbers book/04_strict_order.ipynb

runs the chapter unless its outputs are stored, and prints every stray number with its sentence.  A
number has a visible origin if

* a visible cell of the chapter prints it, not below the section in which the number stands (the
  prose may round; a percentage may be printed as a share), or sets it in code that is not removed;
* ``glue`` makes it: such a number does not stand in the source at all;
* it stands in a formula (one number between dollars is none), a code span, a link, a quotation or a
  sentence with a citation;
* it is the number of something: chapter 4, Fig. 5, Theorem 2, race 3, step 40;
* it is marked as given, a definition or a number that a paper reports: ``{given}`0.99` ``, here or
  in a section above.

Small whole numbers count things ("2 tracks") and are left alone, unless they sound measured:
"a factor of 8", "3 times", "7 of 20", "about 5", "8 %".
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nta_book.explore.explorer import MIME as EXPLORER
from nta_book.sphinx.executed import Executed

ROOT = Path(__file__).resolve().parents[1]
COUNTING = 12  # whole numbers up to it count things, unless they sound measured

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"(?<![\w.^])(?P<digits>{_DIGITS})(?P<power>e[-−+]?\d+)?(?P<percent>\s?%|\spercent)?"
    r"(?![\w]|\.\d)"
)
# What precedes the number of a thing, and may precede several: "chapters 2 and 7", "Figs. 9–11".
_THINGS = (
    "chapter|section|part|fig|figure|table|theorem|lemma|proposition|corollary|assumption|"
    "definition|equation|eq|exercise|question|page|line|row|column|panel|item|case|stage|phase|"
    "step|race|track|class|token|league|layer|head|query|id|seed|node|position|place|window|test|"
    "number|no|level|part|round|rank|appendix|version|python|task|remark|point"
)
_LABEL = re.compile(
    rf"\b(?:{_THINGS})s?\.?[\s\u00a0]+\(?[\d.]+[a-z]?\)?"
    r"(?:(?:,?[\s\u00a0](?:and|or|to)[\s\u00a0]|,[\s\u00a0]|[–/-])[\d.]+[a-z]?)*(?!\w|,\d)",
    re.IGNORECASE,
)
_SOUNDS_MEASURED_BEFORE = re.compile(
    r"(?:\b(?:factor of|about|nearly|almost|roughly|around|between|mean of|median of|average of|"
    r"falls to|rises to|ends at|between [\d.,]+ and)|≈|~)\s*$",
    re.IGNORECASE,
)
_SOUNDS_MEASURED_AFTER = re.compile(r"^\s*(?:times\b|of (?:the )?\d|out of)")
_ABOUT = re.compile(
    r"(?:\b(?:about|near|nearly|almost|roughly|around|some)|≈|~)\s*$", re.IGNORECASE
)
# An exercise sets its own numbers; code is code.
_NO_PROSE = re.compile(
    r"^(`{3,}|~{3,})(?:\{(?:exercise|code).*?\}|\w+).*?^\1$", re.DOTALL | re.MULTILINE
)
_TEXT_KEYS = ("text", "name", "ticktext", "words", "labels", "label", "title")
_UNSEEN = {"remove-cell", "remove-output"}


@dataclass(frozen=True)
class Stray:
    """A number of the prose without visible origin."""

    cell: str
    section: str
    number: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.number:>10}  [{self.cell}] {self.sentence}"


@dataclass
class _Section:
    """What stands between two headings: sentences by cell, and all numbers that can be seen."""

    title: str
    sentences: list[tuple[str, str]]
    printed: list[float]
    explored: list[float]  # what an explorer says in some state: seen beside it only


def strays(notebook: Mapping[str, Any]) -> list[Stray]:
    """Return the numbers in the prose of an executed chapter whose origin nobody can see."""
    found = []
    seen: list[float] = []
    for section in _sections(notebook):
        seen += section.printed
        for cell, sentence in section.sentences:
            for match in empirical_numbers(sentence):
                if not _among(match, sentence, seen + section.explored):
                    found.append(Stray(cell, section.title, match[0], sentence))
    return found


def _sections(notebook: Mapping[str, Any]) -> Iterator[_Section]:
    section = _Section("", [], [], [])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for block in re.split(r"^(?=## )", cell["source"], flags=re.MULTILINE):
                if block.startswith("## "):
                    yield section
                    section = _Section(block.partition("\n")[0][3:], [], [], [])
                section.sentences += [(cell["id"], line) for line in prose(block)]
                section.printed += _values(" ".join(re.findall(r"\{given\}`([^`]*)`", block)))
        else:
            _add_code(cell, section)
    yield section


def _add_code(cell: Mapping[str, Any], section: _Section) -> None:
    """Add what a reader sees of a cell: its caption, its code, its output."""
    tags = set(cell["metadata"].get("tags", ()))
    caption = cell["metadata"].get("mystnb", {}).get("figure", {}).get("caption", "")
    section.sentences += [(cell["id"], line) for line in prose(_one_per_line(caption))]
    if not tags & {"remove-cell", "remove-input"}:
        section.printed += _values(re.sub(r"(?<=\d)_(?=\d)", "", cell["source"]))
    if tags & _UNSEEN:
        return
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if EXPLORER in data:
            section.explored += _values(" ".join(_words(data[EXPLORER])))
        elif output["output_type"] == "stream":
            section.printed += _values(output["text"])
        else:
            for kind, content in data.items():
                if not kind.startswith("application/papermill"):  # glue: named, not shown
                    section.printed += _values(_shown(kind, content, data))


def _one_per_line(caption: str) -> str:
    return re.sub(r"(?<=[.?:;]) (?=[A-Z])", "\n", caption)


def _shown(kind: str, content: Any, data: Mapping[str, Any]) -> str:
    """Return the words of an output: text as it is, pictures by their labels."""
    if not isinstance(content, str):
        return " ".join(_words(content))
    if kind == "text/plain" and len(data) > 1:
        return ""  # the page shows the richer form
    return re.sub(r"<[^>]*>", " ", content)


def _words(content: Any, key: str = "") -> Iterator[str]:
    """Yield what is written in a picture or an explorer; its data and its description are not."""
    if isinstance(content, Mapping):
        for name, value in content.items():
            if name not in ("alt", "meta", "template"):
                # One-letter names belong to the packing of states: the key above them counts.
                yield from _words(value, key if len(name) == 1 else name)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from _words(value, key)
    elif isinstance(content, str) and key == "svg":
        yield from re.findall(r">([^<>]+)</t", content)
    elif isinstance(content, str) and key in _TEXT_KEYS:
        yield re.sub(r"<[^>]*>", "", content)


def prose(source: str) -> Iterator[str]:
    """Yield the sentences of a text cell, without what may hold any number.

    >>> list(prose("It is `4`, $x = 5$ or {glue:text}`six:.2f`, in {cite}`seven8`: 9."))
    []
    >>> list(prose("1. We see 0.75 and $0.5$, {given}`0.99`, {measured}`30 runs`."))
    ['We see 0.75 and 0.5, …, 30 runs.']
    """
    text = re.sub(r"<!--.*?-->", "", source, flags=re.DOTALL)
    text = _NO_PROSE.sub("", text)
    text = re.sub(r"\$\$.*?\$\$(?:[ ]*\(.*?\))?", " … ", text, flags=re.DOTALL)
    text = re.sub(r"^\s*(?:[`:~]{3,}.*|:\w+:.*|\(\S+\)=)$", "", text, flags=re.MULTILINE)
    for line in text.splitlines():
        if re.search(
            r"\{cite(?::\w+)?\}|\*difficulty|^\s*\(a\) |^\**\d+ minutes? (?:·|to read)", line
        ):
            continue
        sentence = _without_markup(line)
        if sentence and not re.fullmatch(r"[\s|:-]*", sentence):
            yield sentence


def _without_markup(line: str) -> str:
    line = re.sub(r"^\s*(?:\d+\.|[-*]|#+)\s+", "", line)
    line = re.sub(r"\{(?:proved|measured|open)\}`([^`]*)`", r"\1", line)
    line = re.sub(r"(?:\{[\w:-]+\})?(`+).*?\1", "…", line)
    line = re.sub(r"\$([^$]+)\$", lambda match: _formula(match[1]), line)
    line = re.sub(r"\[[^\]]*\]\([^)]*\)|<https?:[^>]*>|https?:\S+", "…", line)
    line = re.sub(r"\"[^\"]*\"|“[^”]*”", "…", line)  # what others say, in their words
    return line.replace("**", "").strip()


def _formula(inside: str) -> str:
    """Return one bare number as prose, and a mark for every true formula."""
    plain = re.sub(r"\\(?:approx|sim|[,;! ])|~", "", inside.replace("{,}", ",").replace(r"\%", "%"))
    return plain.strip() if _NUMBER.fullmatch(plain.strip()) else "…"


def empirical_numbers(sentence: str) -> list[re.Match[str]]:
    """Return the numbers of a sentence that are not the number of a thing and do not count few.

    >>> [match[0] for match in empirical_numbers("Chapters 2 and 7 show 3 e2 and 0.5, 7 times.")]
    ['0.5', '7']
    """
    labels = [match.span() for match in _LABEL.finditer(sentence)]
    found = []
    for match in _NUMBER.finditer(sentence):
        if any(start <= match.start() < end for start, end in labels) or _is_year(match, sentence):
            continue
        small = match["digits"].isdigit() and int(match["digits"]) <= COUNTING
        before, after = sentence[: match.start()], sentence[match.end() :]
        measured = (
            match["percent"]
            or _SOUNDS_MEASURED_BEFORE.search(before)
            or _SOUNDS_MEASURED_AFTER.search(after)
        )
        if not small or (measured and int(match["digits"]) > 1):
            found.append(match)
    return found


def _is_year(match: re.Match[str], sentence: str) -> bool:
    near = sentence[max(0, match.start() - 12) : match.start()]
    return bool(
        re.fullmatch(r"(?:19|20)\d\d", match[0]) and re.search(r"\(|\bin $|[A-Z]\w+ $", near)
    )


def _values(text: str) -> list[float]:
    # Two names of tokens or of variables are no numbers; "2.30e-03" and "x=5" have some.
    return [
        float(value.replace(",", "").replace("−", "-"))
        for value in re.findall(rf"(?<![\w.])(?:{_DIGITS})(?:e[-−+]?\d+)?", text)
    ]


def _among(match: re.Match[str], sentence: str, seen: Sequence[float]) -> bool:
    """Tell whether a number of the prose is one of those seen, rounded as the prose rounds it."""
    digits = match["digits"].replace(",", "")
    value = float(digits + (match["power"] or "").replace("−", "-"))
    half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    if match["power"]:
        half *= 10.0 ** int(match["power"][1:].replace("−", "-"))
    if digits.isdigit() and _ABOUT.search(sentence[: match.start()]):
        half *= 10 ** (len(digits) - len(digits.rstrip("0")))
    factors = (1.0, 100.0) if match["percent"] else (1.0,)
    return any(abs(k * other - value) <= half * (1 + 1e-9) for other in seen for k in factors)


def _run(chapter: Path, executed: Executed) -> Mapping[str, Any]:
    # Imported here: a chapter whose outputs are stored need not wait for what would run it.
    from tools.build_book import _environment
    from tools.execute_notebooks import execute_notebooks

    failures = execute_notebooks([chapter], root=ROOT, environment=_environment(ROOT))
    notebook = executed.notebook(chapter)
    if failures or notebook is None:
        raise SystemExit("\n\n".join(map(str, failures)) or f"{chapter} changed while it ran")
    return notebook


def main(arguments: list[str] | None = None) -> int:
    """Print the stray numbers of chapters; 0 means there is none."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chapters", type=Path, nargs="+", help="notebooks of the book")
    executed, count = Executed(ROOT), 0
    for chapter in parser.parse_args(arguments).chapters:
        path = chapter.resolve()
        found = strays(executed.notebook(path) or _run(path, executed))
        count += len(found)
        print(f"{path.stem}: {len(found)} without visible origin", *found, sep="\n")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
