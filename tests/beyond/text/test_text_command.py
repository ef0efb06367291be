"""The command line and the Parquet file: what a reader types, and what a reader mistypes."""

import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from nta_beyond import command
from nta_beyond.errors import TextFileError
from nta_beyond.text import (
    Corpus,
    LeagueTables,
    SpacedWords,
    Vocabulary,
    WordPieces,
    Words,
    grammar_text,
    parquet,
    read_edges,
    text_windows,
    tracks,
    write_parquet,
)
from nta_beyond.text import command as text_command
from nta_beyond.text.corpora import KNOWN, VARIABLE, KnownCorpus
from nta_core import MissingPackage, __version__


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(grammar_text(3_000, seed=0))
    return path


@pytest.fixture
def found(text):
    corpus = Corpus.open(text)
    return read_edges(corpus, Vocabulary.of(corpus), window=8)


def test_the_command_prints_the_statistics_and_writes_the_edges(text, found, tmp_path, capsys):
    out = tmp_path / "graphs.parquet"
    assert (
        command.main(["text", str(text), "--window", "8", "--out", str(out), "--tracks", "3"]) == 0
    )
    printed = capsys.readouterr()
    lines = dict(
        line.split("  ", 1) for line in printed.out.splitlines()[:11] if "  " in line.strip()
    )
    assert lines["windows"].strip() == f"{found.n:,}"
    assert lines["leagues"].strip() == f"{found.condensation.count:,}"
    assert f"{found.label_share:.1%}" in lines["next token in the window"]
    assert tracks(found).table(3).splitlines()[1][:40] in printed.out
    assert re.search(r"strict edges +decided +by +one left$", printed.out, re.M)
    assert "collecting edges: 100%" in printed.err
    assert pq.read_table(out).num_rows == tracks(found).edges.sum()
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".txt"] == [out.name]


@pytest.mark.parametrize(
    ("rule", "tokens"),
    [("words", Words()), ("spaced", SpacedWords()), ("bpe:150", "pieces")],
)
def test_the_rule_for_tokens_can_be_chosen(text, capsys, rule, tokens):
    corpus = Corpus.open(text)
    corpus = corpus.cut_by(WordPieces.trained(corpus, 150) if tokens == "pieces" else tokens)
    words = Vocabulary.of(corpus)
    assert command.main(["text", str(text), "--window", "8", "--tokens", rule, "--quiet"]) == 0
    printed = capsys.readouterr().out
    edges = tracks(read_edges(corpus, words, window=8)).edges.sum()
    for name, number in {"tokens": words.total, "distinct edges": edges}.items():
        assert re.search(rf"^{name} +{number:,}$", printed, re.M)


def test_a_published_corpus_is_read_by_its_name(tmp_path, monkeypatch, capsys):
    body = " \n = One = \n \n" + " a b a <unk> c a b \n" * 9
    place = tmp_path / "tiny" / "all.txt"
    place.parent.mkdir()
    place.write_text(body)
    known = KnownCorpus("it", {place.name: sha256(body.encode()).hexdigest()}, SpacedWords())
    monkeypatch.setitem(KNOWN, "tiny", known)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert command.main(["text", "tiny", "--window", "4", "--quiet"]) == 0
    assert re.search(r"^tokens +66$", capsys.readouterr().out, re.M)
    monkeypatch.delenv(VARIABLE)
    assert command.main(["text", "tiny"]) == 1
    assert "nta: tiny is not here: get it" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)  # a folder of that name is what is meant where there is one
    assert command.main(["text", "tiny", "--window", "4", "--quiet"]) == 0
    assert not re.search(r"^tokens +66$", capsys.readouterr().out, re.M)


@pytest.mark.parametrize("rule", ["bpe", "bpe:", "bpe:0", "letters", "bpe:1.5"])
def test_a_rule_that_is_none_is_refused(text, capsys, rule):
    with pytest.raises(SystemExit) as stop:
        command.main(["text", str(text), "--tokens", rule])
    assert stop.value.code == 2
    assert "argument --tokens" in capsys.readouterr().err


def test_decisions_and_what_they_leave_are_counted_per_last_token(tmp_path, capsys):
    path = tmp_path / "a.txt"
    # after b the token a has won; only x, which never ran, is open
    path.write_text("a b a b x b y b")
    assert command.main(["text", str(path), "--window", "2", "--quiet"]) == 0
    printed = capsys.readouterr()
    assert re.search(r"^windows that are decided +83.3%$", printed.out, re.M)
    assert re.search(r"^  by leagues of +1.0 tokens  \(mean\)$", printed.out, re.M)
    assert re.search(r"^  with one token left +83.3% ", printed.out, re.M)
    after_b = next(line for line in printed.out.splitlines() if line.startswith("b "))
    assert after_b.split()[-3:] == ["67%", "1", "67%"]
    assert printed.err == ""


def test_a_text_in_which_everybody_ties_is_decided_and_says_nothing(tmp_path, capsys):
    path = tmp_path / "ties.txt"
    letters = np.random.default_rng(0).choice([*"abcd"], size=2_000)
    path.write_text(" ".join(letters))
    assert command.main(["text", str(path), "--window", "12", "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^windows that are decided +100.0%$", printed, re.M)
    assert re.search(r"^  by leagues of +4.0 tokens  \(mean\)$", printed, re.M)
    assert re.search(r"^  with one token left +0.0% ", printed, re.M)


def test_sizes_of_deciding_leagues_are_those_of_the_tables(text, found, capsys):
    assert command.main(["text", str(text), "--window", "8", "--quiet"]) == 0
    printed = capsys.readouterr().out
    corpus = Corpus.open(text)
    asked = text_windows(corpus, Vocabulary.of(corpus), window=8)
    said = LeagueTables(found).decide(asked)
    assert f"{said.league_size:.1f} tokens  (mean)" in printed
    after_the = asked.lasts == found.names.index("the")
    sizes = said.size[after_the & (said.size > 0)]
    assert sizes.std() > 0
    row = next(line for line in printed.splitlines() if line.startswith("the "))
    assert row.split()[-2] == f"{sizes.mean():.0f}"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{folder}/none.txt"], 1, "there is no such file or folder"),
        (["{text}", "--encoding", "klingon"], 1, "unknown; try 'utf-8'"),
        (["{text}", "--window", "9999"], 1, "choose a smaller window"),
        (["{text}", "--out", "{folder}/no/such/graphs.parquet"], 1, "create it first"),
        (["{text}", "--out", "{folder}"], 1, "name a file in it"),
        (["{text}", "--window", "0"], 2, "not a whole number of at least 1"),
        (["{text}", "--vocabulary", "many"], 2, "not a whole number of at least 1"),
        ([], 2, "corpus"),
    ],
)
def test_a_mistake_gets_a_sentence_and_no_traceback(text, arguments, code, words, capsys):
    filled = [part.format(text=text, folder=text.parent) for part in arguments]
    try:
        got = command.main(["text", *filled])
    except SystemExit as stop:  # argparse
        got = stop.code
    assert got == code
    printed = capsys.readouterr()
    assert words in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_an_interruption_is_not_an_error_of_the_text(text, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(text_command, "read_edges", stop)
    assert command.main(["text", str(text), "--quiet"]) == 130
    assert "interrupted, nothing was written" in capsys.readouterr().err


NTA = [str(Path(sys.executable).with_name("nta"))]  # as `pip install` leaves it
MODULE = [sys.executable, "-m", "nta_beyond"]


def _run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("start", [NTA, MODULE], ids=["nta", "python -m"])
def test_the_command_runs_as_a_process(start, text, found):
    done = _run([*start, "text", str(text), "--window", "8", "--quiet"])
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{found.n:,}" in done.stdout
    assert _run([*start, "--version"]).stdout == f"nta {__version__}\n"
    wrong = _run([*start, "text", str(text.with_name("none.txt"))])
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith(f"nta: {text.with_name('none.txt')}: there is no such file")


def test_help_names_the_subcommands_and_each_explains_itself(capsys):
    for arguments, words in ((["--help"], "does a text have leagues"), (["text", "-h"], "--out")):
        with pytest.raises(SystemExit) as stop:
            command.main(arguments)
        assert stop.value.code == 0
        assert words in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        command.main([])
    assert stop.value.code == 2


def test_a_parquet_row_is_an_edge_with_its_leagues(found, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROWS", 700)
    table = pq.read_table(write_parquet(found, tmp_path / "graphs.parquet"))
    assert pq.ParquetFile(tmp_path / "graphs.parquet").num_row_groups > 2
    graphs = found.graphs
    rows = table.to_pylist()
    assert len(rows) == sum(len(graph.edges) for graph in graphs.values())
    for row in rows[:: max(len(rows) // 300, 1)]:
        graph = graphs[row["last"]]
        assert (row["winner"], row["loser"]) in graph.edges
        assert row["last_name"] == found.names[row["last"]]
        assert row["loser_name"] == found.names[row["loser"]]
        assert row["winner_level"] == graph.level(row["winner"])
        assert graph.components[row["winner_league"]] == graph.component_of(row["winner"])
        assert graph.components[row["loser_league"]] == graph.component_of(row["loser"])
        assert row["strict"] == ((row["winner"], row["loser"]) in graph.strict)


def test_a_failed_write_leaves_the_old_file(found, tmp_path, monkeypatch):
    place = tmp_path / "graphs.parquet"
    place.write_text("what was there")

    def break_off(_):
        yield from ()
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(parquet, "_tables", break_off)
    with pytest.raises(RuntimeError, match="disk is full"):
        write_parquet(found, place)
    assert place.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".txt"] == [place.name]


def test_a_folder_that_cannot_be_written_is_named(found, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(parquet, "draft_of", refuse)
    with pytest.raises(TextFileError, match="cannot be written: Permission denied"):
        write_parquet(found, tmp_path / "graphs.parquet")


def test_without_pyarrow_it_says_what_to_install(found, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingPackage, match=r"pip install 'nta-core\[text\]'"):
        write_parquet(found, tmp_path / "graphs.parquet")


def test_edges_of_nothing_are_an_empty_table(tmp_path):
    corpus = Corpus.from_text("a b c d e f")
    found = read_edges(corpus, Vocabulary.of(corpus), window=2)
    assert not len(found.keys)
    table = pq.read_table(write_parquet(found, tmp_path / "none.parquet"))
    assert (table.num_rows, table.num_columns) == (0, 11)
    assert np.array_equal(tracks(found).lasts, [])
