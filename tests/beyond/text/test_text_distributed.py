"""Edges by Dask on two processes: the same as alone, also when a worker is lost on the way."""

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster

from nta_beyond.errors import TextFileError
from nta_beyond.text import (
    Corpus,
    SpacedWords,
    Vocabulary,
    WordPieces,
    Words,
    distributed,
    grammar_text,
    read_edges,
    text_windows,
    token_edges,
    window_edges,
)
from nta_beyond.text.corpus import TextFile, TextStretch
from nta_beyond.text.edges import merge
from nta_core import Dataset, MissingPackage


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as connected,
    ):
        yield connected


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "one.txt").write_text(grammar_text(4_000, seed=0))
    (folder / "two.txt").write_text(grammar_text(1_500, seed=1))
    return folder


def same(found, expected):
    assert np.array_equal(found.keys, expected.keys)
    assert np.array_equal(found.windows, expected.windows)
    assert np.array_equal(found.races, expected.races)
    assert found.names == expected.names


@dataclass(frozen=True)
class Trap(TextFile):
    """A file that takes the process of its first reader down with it."""

    sprung: Path

    def read(self, begin, end):
        if begin > 5_000 and not self.sprung.exists():
            self.sprung.touch()
            os._exit(1)
        return super().read(begin, end)


@pytest.mark.parametrize("size", [None, 50])
def test_two_processes_find_what_one_finds(client, files, size):
    corpus = Corpus.open(files)
    alone = read_edges(corpus, Vocabulary.of(corpus, size), window=8)
    same(token_edges(corpus, window=8, vocabulary=size, client=client, chunk=900), alone)
    words = Vocabulary.of(corpus, size)
    same(token_edges(corpus, window=8, vocabulary=words, client=client, chunk=4_000), alone)


@pytest.mark.parametrize("rule", [Words(), SpacedWords(unknown=("the",)), "pieces"])
def test_streaming_memory_and_two_processes_agree_whatever_a_token_is(client, files, rule):
    file = TextFile(files / "one.txt", "utf-8")
    half = file.boundary(file.size // 2)  # two articles of one file, and a file of its own
    articles = (TextStretch(file, 0, half), TextStretch(file, half, file.size))
    corpus = Corpus((*articles, TextFile(files / "two.txt", "utf-8")))
    if rule == "pieces":
        rule = WordPieces.trained(corpus.cut_by(SpacedWords(unknown=("the",))), 150)
    corpus = corpus.cut_by(rule)
    words = Vocabulary.of(corpus)
    assert not set(rule.gaps) & set(words.names)
    streamed = read_edges(corpus, words, window=8)
    same(window_edges(text_windows(corpus, words, window=8), words.names), streamed)
    for chunk in (700, 1 << 20):
        same(token_edges(corpus, window=8, client=client, chunk=chunk), streamed)


def test_every_worker_has_the_vocabulary_before_the_edges_are_collected(client, files, monkeypatch):
    """A task goes where its data lies: with a single copy one worker would do nearly all."""
    submit, holders = client.submit, []

    def watched(call, *args, **kwargs):
        if call is distributed._tally_chunks and not holders:
            holders.extend(client.who_has([args[1]])[args[1].key])
        return submit(call, *args, **kwargs)

    monkeypatch.setattr(client, "submit", watched)
    token_edges(Corpus.open(files), window=8, client=client, chunk=900)
    assert set(holders) == set(client.run(os.getpid))


def test_a_worker_is_lost_and_the_edges_are_the_same(client, files, tmp_path):
    honest = Corpus.open(files / "one.txt")
    trap = Corpus((Trap(files / "one.txt", "utf-8", tmp_path / "sprung"),))
    before = set(client.run(os.getpid).values())
    found = token_edges(trap, window=8, client=client, chunk=900)
    assert (tmp_path / "sprung").exists()
    assert set(client.run(os.getpid).values()) != before
    same(found, read_edges(honest, Vocabulary.of(honest), window=8))


def test_sequences_of_one_length_and_of_many(client, monkeypatch):
    monkeypatch.setattr(distributed, "ROWS", 40)
    rng = np.random.default_rng(0)
    tokens = rng.integers(9, size=(150, 4))
    even = Dataset(tokens, tokens[np.arange(150), rng.integers(4, size=150)], K=9)
    ragged = Dataset([row[: 1 + i % 4] for i, row in enumerate(tokens)], tokens[:, 0], K=9)
    for data in (even, ragged):
        found = token_edges(data, client=client)
        assert np.array_equal(found.graphs.strict_array, _strict(data))
        assert found.n == 150
        assert found.label_share == data.realizable_rows.mean()


def _strict(data):
    from nta_core import token_priority_graphs

    return token_priority_graphs(data).strict_array


def test_an_error_of_a_worker_keeps_its_name(client, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"good words " * 50 + b"\xff")
    with pytest.raises(TextFileError, match=r"bad\.txt: line 1 cannot be read as utf-8"):
        token_edges(Corpus.open(tmp_path / "bad.txt"), client=client, chunk=100)
    (tmp_path / "short.txt").write_text("too short")
    with pytest.raises(TextFileError, match="too few for a window of 16"):
        token_edges(Corpus.open(tmp_path / "short.txt"), client=client)


def test_tasks_do_alone_what_they_do_on_a_worker(files):
    """What workers run, in this process: the pieces of a text add up to the whole."""
    corpus = Corpus.open(files)
    shares = [*distributed._shares(corpus, 700)]
    assert [chunk for share in shares for chunk in share] == [*corpus.chunks(700)]
    counts = distributed._sum_counts([distributed._count_words(share) for share in shares])
    assert counts == Counter(token for chunk in corpus.chunks() for token in chunk.tokens())
    words = Vocabulary.from_counts(counts, 60, source=corpus.name)
    tallies = [distributed._tally_chunks(share, words, 8) for share in shares]
    expected = read_edges(corpus, Vocabulary.of(corpus, 60), window=8)
    assert words.names == expected.names
    assert np.array_equal(merge(tallies).keys, expected.keys)
    assert np.array_equal(merge(tallies).windows, expected.windows)
    data = Dataset([[0, 1], [1, 1]], [0, 0], K=2)
    rows = distributed._tally_rows(*distributed._slices(data)[0])
    assert rows.keys.tolist() == [4, 5]
    assert rows.races.tolist() == [0, 1]


def test_many_small_documents_share_a_task():
    corpus = Corpus.from_text(*["one two three"] * 10, "a long one " * 50)
    sizes = [
        [chunk.end - chunk.begin for chunk in share] for share in distributed._shares(corpus, 60)
    ]
    assert [sum(share) >= 60 for share in sizes] == [True] * (len(sizes) - 1) + [
        sum(sizes[-1]) >= 60
    ]
    assert sizes[:2] == [[13] * 5, [13] * 5]
    assert sum(map(sum, sizes)) == corpus.size


def test_without_a_client_local_processes_do_it(files):
    corpus = Corpus.open(files / "two.txt")
    same(token_edges(corpus, window=8), read_edges(corpus, Vocabulary.of(corpus), window=8))


def test_without_dask_it_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        MissingPackage, match=r"token_edges needs .* pip install 'nta-core\[dask\]'"
    ):
        token_edges(Corpus.open(files))
