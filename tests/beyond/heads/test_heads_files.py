"""Safetensors files that lie, and reports that appear whole or not at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from nta_beyond.command import main
from nta_beyond.heads import Head, MissingTensor, Report, WeightsFile, WeightsFileError, report
from nta_beyond.heads.command import read_names
from nta_beyond.text import Corpus, Vocabulary, grammar_text, text_windows, tokens_of
from nta_core import FileError, NTAError, OptionError

TEXT = grammar_text(3_000, seed=0)
QUERY = ("--query", "q.weight", "--key", "k.weight", "--embedding", "wte.weight")


@pytest.fixture
def tensors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    words = Vocabulary.of(Corpus.from_text(TEXT))
    parts = {"q.weight": (4, 8), "k.weight": (4, 8), "wte.weight": (words.K, 8), "empty": (0, 3)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in parts.items()}


@pytest.fixture
def file(tmp_path: Path, tensors: dict[str, np.ndarray]) -> Path:
    path = tmp_path / "model.safetensors"
    save_file(tensors, path, metadata={"format": "np"})
    return path


def test_what_the_library_wrote_is_read(file: Path, tensors: dict[str, np.ndarray]) -> None:
    found = WeightsFile(file)
    assert set(found) == set(tensors)
    assert len(found) == 4
    for name, values in load_file(file).items():
        np.testing.assert_array_equal(found[name].values, values)
        assert found.shape(name) == values.shape
    with pytest.raises(MissingTensor, match=r"no tensor 'q' for .*near it: q.weight"):
        found["q"]


# ---- files that lie ------------------------------------------------------------------------------


def told(header: object, data: bytes = b"") -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + data


def one(shape: object = (2,), offsets: object = (0, 8), dtype: object = "F32") -> dict[str, object]:
    return {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


TWICE = b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},'
TWICE += b'"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
OVERLAP = {**one(), "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}
APART = {**one(), "b": {"dtype": "F32", "shape": [1], "data_offsets": [12, 16]}}
LIES = {
    "empty": (b"", "0 bytes are no safetensors file"),
    "short": (b"\x10\0\0", "3 bytes are no safetensors file"),
    "huge header": ((2**63).to_bytes(8, "little") + b"{}", "promise a header of 9,223,372"),
    "header beyond the end": ((99).to_bytes(8, "little") + b"{}", "header of 99 bytes and the"),
    "no JSON": (told(b"{a}"), "its header cannot be read"),
    "no UTF-8": (told(b'{"\xff": 1}'), "its header cannot be read"),
    "a list": (told([1]), "its header cannot be read"),
    "nested": (told(b"[" * 200_000), "its header"),
    "a name twice": (told(TWICE, bytes(8)), "a name is given to two tensors"),
    "no dtype": (told({"a": {}}), "its header cannot be read"),
    "a strange dtype": (told(one(dtype="F31"), bytes(8)), "no type of numbers F31"),
    "a negative size": (told(one((-2,)), bytes(8)), "whole numbers, 0 or more"),
    "backwards": (told(one((2,), (8, 0)), bytes(8)), "whole numbers, 0 or more"),
    "a fraction": (told(one((2.0,)), bytes(8)), "whole numbers, 0 or more"),
    "a size of words": (told(one(("2",)), bytes(8)), "whole numbers, 0 or more"),
    "shape too large": (told(one((3,)), bytes(8)), "takes 12 bytes, and it is given 8"),
    "a size no array has": (told(one((2**63, 0), (0, 0))), "0 or more, below 2⁶³"),
    "an empty shape too large": (told(one((2**40, 2**40, 0), (0, 0))), "axes of such a length"),
    "101 axes": (told(one((1,) * 101, (0, 4)), bytes(4)), "no array has so many axes"),
    "a size of many digits": (told(one((10**4000, 10**4000))), "0 or more, below 2⁶³"),
    "shape beyond memory": (told(one((2**40, 2**40)), bytes(8)), "its header lies about"),
    "cut short": (told(one(), bytes(7)), "promises 8 bytes of data and 7 are there: it is cut"),
    "too long": (told(one(), bytes(9)), "and 9 are there: something was added"),
    "one above the other": (told(OVERLAP, bytes(12)), "'a' and 'b' claim the same bytes"),
    "a hole": (told(APART, bytes(16)), "4 bytes between 'a' and 'b' belong to no tensor"),
    "a hole in front": (
        told(one(offsets=(4, 12)), bytes(12)),
        "4 bytes between the header and 'a' belong to no tensor",
    ),
    "pickled": (b"PK\x03\x04" + bytes(50), r"pickled .*weights_only=True.*Head.from_state"),
    "old pickled": (b"\x80\x02" + bytes(50), "pickled PyTorch file"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_file_that_lies_gets_a_sentence(tmp_path: Path, name: str) -> None:
    raw, words = LIES[name]
    (path := tmp_path / "lie.safetensors").write_bytes(raw)
    with pytest.raises(WeightsFileError, match=words) as caught:
        WeightsFile(path)
    assert str(caught.value).startswith(str(path))


def test_every_cut_of_a_file_is_noticed(file: Path) -> None:
    """No prefix of a file, and no file with more behind it, passes for the file."""
    raw = file.read_bytes()
    for length in (*range(0, 400, 7), *range(400, len(raw), 997), len(raw) - 1):
        file.write_bytes(raw[:length])
        with pytest.raises(WeightsFileError):
            WeightsFile(file)
    file.write_bytes(raw + b"\0")
    with pytest.raises(WeightsFileError, match="something was added"):
        WeightsFile(file)


def test_a_file_that_shrinks_later_is_noticed(file: Path) -> None:
    opened, raw = WeightsFile(file), file.read_bytes()
    file.write_bytes(raw[:-40])
    with pytest.raises(WeightsFileError, match="shorter since it was opened"):
        opened["wte.weight"]
    file.unlink()
    with pytest.raises(WeightsFileError, match="it cannot be read"):
        opened["wte.weight"]


def test_places_that_hold_no_file(tmp_path: Path) -> None:
    with pytest.raises(WeightsFileError, match="it cannot be read: No such file"):
        WeightsFile(tmp_path / "nowhere.safetensors")
    with pytest.raises(WeightsFileError, match="it is no file"):
        WeightsFile(tmp_path)
    with pytest.raises(OptionError, match="must be the name of a file"):
        WeightsFile(3)


def test_quantized_weights_are_refused(tmp_path: Path) -> None:
    save_file({"q": np.ones((2, 2), dtype=np.int8)}, tmp_path / "q.safetensors")
    with pytest.raises(WeightsFileError, match=r"'q' holds I8: .*quantized"):
        WeightsFile(tmp_path / "q.safetensors")["q"]


def test_a_nan_in_a_file_is_named(file: Path, tensors: dict[str, np.ndarray]) -> None:
    tensors["k.weight"][2, 5] = np.nan
    save_file(tensors, file)
    with pytest.raises(NTAError, match=r"tensor k.weight has a NaN .* \(2, 5\)"):
        Head.from_safetensors(file, query="q.weight", key="k.weight", embedding="wte.weight")


# ---- reports -------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a browser would see: tags that close, pictures with words, no address."""

    VOID = ("meta", "rect", "line", "path")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(html: str) -> Page:
    page = Page(html)
    assert not page.open
    tags = [tag for tag, _ in page.seen]
    assert not {"script", "link", "img", "iframe", "object"} & set(tags)
    assert not re.search(r"https?:|//[a-z]|@import|url\(", html)
    assert not [name for _, had in page.seen for name in had if name in ("src", "href", "onclick")]
    pictures = [had for tag, had in page.seen if tag == "svg"]
    assert pictures
    assert all(had["role"] == "img" and len(had["aria-label"] or "") > 20 for had in pictures)
    assert "nan" not in re.sub(r"[a-z]nan|nan[a-z]", "", html.lower())
    return page


@pytest.fixture
def head(file: Path) -> Head:
    names = Vocabulary.of(Corpus.from_text(TEXT)).names
    named = {"query": "q.weight", "key": "k.weight", "embedding": "wte.weight"}
    return Head.from_safetensors(file, **named, names=names)


def test_a_report_alone_and_beside_a_text(head: Head, tmp_path: Path) -> None:
    corpus = Corpus.from_text(TEXT)
    windows = text_windows(corpus, Vocabulary.of(corpus))
    alone, beside = report(head), report(head, windows, lasts=["the", "."])
    for page in (alone, beside):
        check_page(page.html)
        assert all(sentence in page.html for sentence in page.summary())
        assert page.save(tmp_path / "page.html", force=True).read_text("utf-8") == page.html
    assert alone.agreement is None
    assert len(beside.summary()) == 6
    assert beside.filled == (windows.tokens[:, :-1] >= 0).mean() == 1
    assert f"{beside.agreement.share:.1%}" in beside.html
    assert "after the</p>" in beside.html
    inside = beside._repr_html_()
    assert "<h2" not in inside
    assert "<html" not in inside
    assert [track.last for track in beside.tracks] == [head.token("the"), head.token(".")]


def test_a_report_shows_a_last_token(head: Head) -> None:
    with pytest.raises(OptionError, match=r"lasts=\[\]: name at least one last token"):
        report(head, lasts=[])


def test_the_checker_of_pages_finds_faults(head: Head) -> None:
    html = report(head).html
    for fault in (
        html.replace("</ul>", "", 1),
        html.replace("<main", '<script src="a.js"></script><main', 1),
        html.replace("</style>", "@import url(x.css)</style>", 1),
        html.replace('role="img"', "", 1),
        html.replace("<p>", "<p>nan ", 1),
    ):
        assert fault != html
        with pytest.raises((AssertionError, KeyError, IndexError)):
            check_page(fault)


def test_names_cannot_break_the_page(tensors: dict[str, np.ndarray]) -> None:
    K = len(tensors["wte.weight"])
    names = ["<script>alert(1)</script>", '"><img/src=x>', "&amp;", "'", *map(str, range(K - 4))]
    parts = (tensors["q.weight"].T, tensors["k.weight"].T, tensors["wte.weight"])
    evil = Head.from_arrays(*parts, names=names)
    for page in (report(evil, lasts=[0, 1, 2, 3]), report(evil, title="<b>&")):
        check_page(page.html)
        assert "<script>" not in page._repr_html_() + head_html(evil)
    flat = Head.from_arrays(np.zeros((8, 4)), np.zeros((8, 4)), tensors["wte.weight"])
    check_page(report(flat).html)
    check_page(report(Head.from_arrays([[1.0]], [[1.0]], [[1.0]])).html)


def head_html(head: Head) -> str:
    return head._repr_html_() + report(head).tracks[0]._repr_html_()


def test_nothing_half_written(head: Head, tmp_path: Path, monkeypatch) -> None:
    page = report(head)
    (there := tmp_path / "there.html").write_text("mine")
    with pytest.raises(FileError, match="it is there already; force=True"):
        page.save(there)
    with pytest.raises(FileError, match="No such file or directory"):
        page.save(tmp_path / "nowhere" / "page.html")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        page.save(there, force=True)
    assert there.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.safetensors", "there.html"]


def test_a_large_vocabulary_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    import nta_beyond.heads.reports as reports

    monkeypatch.setattr(reports, "CELLS", 100)
    monkeypatch.setattr(reports, "SAMPLE", 7)
    rng = np.random.default_rng(0)
    big = Head.from_arrays(*rng.normal(size=(2, 3, 2)), rng.normal(size=(30, 3)))
    found = report(big)
    assert isinstance(found, Report)
    assert len(set(found.silence.lasts.tolist())) == 7


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def names_file(tmp_path: Path) -> Path:
    names = Vocabulary.of(Corpus.from_text(TEXT)).names
    (path := tmp_path / "vocab.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    numbered = {name: k for k, name in enumerate(names)}
    (tmp_path / "vocab.json").write_text(json.dumps(numbered))
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": numbered}}))
    (tmp_path / "novel.txt").write_text(TEXT)
    return path


def test_the_command_writes_a_report(file: Path, names_file: Path, capsys) -> None:
    out, text = file.with_name("report.html"), file.with_name("novel.txt")
    given = [str(file), *QUERY, "--names", str(names_file), "--text", str(text)]
    assert main(["head", *given, "--out", str(out), "--last", "the"]) == 0
    said = capsys.readouterr().out
    assert "report written to" in said
    assert "strict pairs as the text does" in said
    check_page(out.read_text("utf-8"))
    assert main(["head", *given, "--out", str(out)]) == 1
    assert "it is there already: choose another name, or add --force" in capsys.readouterr().err
    assert main(["head", *given, "--out", str(out), "--force", "--tokens", "spaced"]) == 0
    for other in ("vocab.json", "tokenizer.json"):
        capsys.readouterr()
        names = ["--names", str(file.with_name(other))]
        assert main(["head", str(file), *QUERY, *names, "--last", "the"]) == 0
        assert "Embeddings: wte.weight." in capsys.readouterr().out


def test_names_come_with_added_tokens_and_a_token_may_be_called_model(tmp_path: Path) -> None:
    (path := tmp_path / "tokenizer.json").write_text(
        json.dumps(
            {
                "model": {"vocab": {"a": 0, "b": 1}},
                "added_tokens": [{"content": "<x>", "id": 2}, {"content": "b", "id": 1}],
            }
        )
    )
    assert read_names(path) == ["a", "b", "<x>"]
    path.write_text(json.dumps({"model": 1, "added_tokens": 0}))
    assert read_names(path) == ["added_tokens", "model"]
    path.write_text(json.dumps({"model": {"vocab": {"a": 0}}, "added_tokens": [{}]}))
    with pytest.raises(NTAError, match="it maps no names to numbers"):
        read_names(path)


def test_names_with_marks_ask_for_a_text_cut_by_the_tokenizer(tmp_path: Path, capsys) -> None:
    """Bare "the" is a token of GPT-2, too, and not the one that stands inside a sentence."""
    rng = np.random.default_rng(0)
    words = Vocabulary.of(Corpus.from_text(TEXT)).names[:50]
    names = [*words, *(f"Ġ{word}" for word in words)]
    parts = {"q.weight": (4, 8), "k.weight": (4, 8), "wte.weight": (len(names), 8)}
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in parts.items()}
    save_file(tensors, file := tmp_path / "model.safetensors")
    (tmp_path / "vocab.json").write_text(json.dumps({name: k for k, name in enumerate(names)}))
    (text := tmp_path / "novel.txt").write_text(TEXT)
    (cut := tmp_path / "tokens.txt").write_text(
        " ".join(f"Ġ{word}" for word in tokens_of(TEXT)), encoding="utf-8"
    )
    given = [str(file), *QUERY, "--names", str(tmp_path / "vocab.json"), "--last", "Ġthe", "--text"]
    for wrong in ([str(text)], [str(text), "--tokens", "spaced"], [str(cut)]):
        assert main(["head", *given, *wrong]) == 1
        said = capsys.readouterr().err
        assert "50 of 100 tokens of the head, such as 'Ġ" in said
        assert "--tokens spaced" in said
    assert main(["head", *given, str(cut), "--tokens", "spaced"]) == 0
    said = capsys.readouterr().out
    share = np.mean([word in words for word in tokens_of(TEXT)])
    assert f"({share:.1%}) are tokens of the head" in said
    assert re.search(r"\d+% of the places before the last one hold a token", said)


def test_the_command_passes_scale_and_norm_on(file: Path, tensors, capsys) -> None:
    """RMSNorm with a large eps is nearly a division, which the scale undoes."""
    tensors["ln.weight"] = np.ones(8, np.float32)
    save_file(tensors, file)
    out = file.with_name("report.html")
    normed = ["--norm", "ln", "--norm-kind", "rms", "--norm-eps", "1e8", "--scale", f"{1e8 / 2}"]
    pages = []
    for more in ([], normed, normed[:6]):
        given = [str(file), *QUERY, *more, "--last", "e1", "--out", str(out), "--force"]
        assert main(["head", *given]) == 0
        pages.append(re.findall(r"silent after \d+% of the tokens", out.read_text("utf-8"))[0])
    assert pages[0] == pages[1] != pages[2]
    assert pages[2] == "silent after 100% of the tokens"
    assert "scale of the scores" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (["--embedding", "wpe.weight"], "near it: wte.weight"),
        (["--head", "1"], "head=1: there are 1, numbered 0 to 0"),
        (["--heads", "3"], "4 outputs of the queries cannot be shared by 3 heads"),
        (["--last", "zebra"], "token 'zebra' is not in the vocabulary"),
        (["--threshold", "0.7"], "threshold=0.7"),
        (["--scale", "0"], "scale=0.0: must be a finite number, above 0"),
        (["--norm", "wte", "--norm-kind", "rms", "--norm-eps", "nan"], "norm_eps=nan"),
        (["--norm", "wte"], "has no bias, and the file does not say of which kind it is"),
        (["--packed", "by-head"], "queries and keys stand apart here"),
        (["--padding", "2"], "--padding needs --names"),
        (["--names", "vocab.txt", "--padding", "-2"], "--padding=-2"),
        (["--text", "novel.txt"], "--text needs --names"),
        (["--names", "vocab.txt", "--text", "-"], "it can be read only once"),
        (["--names", "vocab.txt", "--text", "no.txt"], "no.txt"),
        (["--names", "nowhere.txt"], "nowhere.txt: it cannot be read"),
        (
            ["--names", "one.txt", "--text", "novel.txt"],
            "(0.0%) are tokens of the head; cut the text as the names of the head are cut",
        ),
        (["--names", "few.txt"], "rows behind the last name are tokens that were added"),
        (["--names", "few.json"], "it maps no names to numbers"),
        (["--names", "bytes.txt"], "it is not UTF-8"),
        (["--out", "nowhere/page.html"], "there is no folder nowhere"),
        (["--out", "model.safetensors", "--force"], "this is a file that is read"),
    ],
)
def test_what_the_command_refuses(
    file: Path, names_file: Path, capsys, monkeypatch, changed: list[str], words: str
) -> None:
    monkeypatch.chdir(file.parent)
    Path("few.txt").write_text("a\nb\n")
    rare = Path("vocab.txt").read_text().split()[-1]  # one that never follows itself
    others = (f"x{k}" for k in range(len(Path("vocab.txt").read_text().split()) - 1))
    Path("one.txt").write_text("\n".join([rare, *others]))
    Path("few.json").write_text('{"a": 0, "b": 2}')
    Path("bytes.txt").write_bytes(b"\xff\xfe\xfd")
    before = file.read_bytes()
    assert main(["head", file.name, *QUERY, *changed]) == 1
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.startswith("nta: ")
    assert said.err.count("\n") == 1
    assert file.read_bytes() == before
    assert not list(file.parent.glob("*.html"))


def test_the_command_needs_neither_torch_nor_safetensors(file: Path) -> None:
    code = (
        "import sys\nsys.modules.update(torch=None, safetensors=None)\n"
        "from nta_beyond.command import main\nsys.exit(main(sys.argv[1:]))"
    )
    given = [sys.executable, "-c", code, "head", str(file), *QUERY]
    done = subprocess.run(given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "silent after" in done.stdout
