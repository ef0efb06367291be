"""The command ``nta text``: the league tables of a text, printed and kept."""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nta_beyond.progress import progress_bar
from nta_beyond.text.corpus import Corpus
from nta_beyond.text.decisions import LeagueTables
from nta_beyond.text.edges import TokenEdges, read_edges
from nta_beyond.text.parquet import check_target, write_parquet
from nta_beyond.text.summary import SHOWN, tracks
from nta_beyond.text.vocabulary import Vocabulary
from nta_beyond.text.windows import WINDOW, window_blocks
from nta_core.boundary import Ints

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

EXAMPLES = """
examples:
  nta text novel.txt
  nta text letters/ --window 8 --vocabulary 2000 --out graphs.parquet

The text is cut into lower-cased words and single punctuation marks.  Every window of T tokens is a
race that the next token wins, if it is among them.  Words outside the vocabulary leave a gap.
The words of the answer are explained in chapter 16 of the book.
"""


def add_text(commands: Commands) -> None:
    """Add the subcommand ``text`` to the command ``nta``."""
    parser = commands.add_parser(
        "text",
        help="does a text have leagues?  its token-priority graphs in numbers",
        description="Does a text have leagues?  Print the token-priority graphs of a corpus in "
        "numbers, and write their edges to a Parquet file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("corpus", type=Path, help="a plain text file, or a folder of .txt and .md files")
    add("--window", type=_count, default=WINDOW, metavar="T", help="tokens per window (16)")
    add("--vocabulary", type=_count, metavar="V", help="keep the V most frequent words (all)")
    add("--tracks", type=_count, default=SHOWN, metavar="N", help="last tokens to list (12)")
    add("--out", type=Path, metavar="FILE", help="write all edges to this Parquet file")
    add("--encoding", default="utf-8", help="encoding of the text (utf-8)")
    add("--quiet", action="store_true", help="no progress bar")


def _count(text: str) -> int:
    """A positive whole number, or an error that says so."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def run(options: argparse.Namespace) -> None:
    """Read a text three times: its words, its edges, and which windows the tables decide."""
    started = time.perf_counter()
    corpus = Corpus.open(options.corpus, encoding=options.encoding)
    if options.out is not None:
        check_target(options.out)

    bar = partial(progress_bar, total=corpus.size, unit="B", unit_scale=True, quiet=options.quiet)
    with bar("counting words") as shown:
        vocabulary = Vocabulary.of(corpus, options.vocabulary, advance=shown.update)
    with bar("collecting edges") as shown:
        found = read_edges(corpus, vocabulary, window=options.window, advance=shown.update)
    decided, tables = np.zeros(found.K, dtype=np.int64), LeagueTables(found)
    with bar("asking the tables") as shown:
        for block in window_blocks(corpus, vocabulary, window=options.window, advance=shown.update):
            decided += np.bincount(block.lasts[tables.decide(block).decided], minlength=found.K)
    print(report(vocabulary, found, decided, options.tracks))
    if options.out is not None:
        with bar("writing edges", total=int(tracks(found).edges.sum()), unit=" edges") as shown:
            write_parquet(found, options.out, advance=shown.update)
        print(f"\nedges written to {options.out}")
    print(f"\n{time.perf_counter() - started:.1f} s")


def report(vocabulary: Vocabulary, found: TokenEdges, decided: Ints, count: int) -> str:
    """The statistics of a corpus, and the table of its busiest last tokens."""
    table = tracks(found)
    lines = [
        ("tokens", f"{vocabulary.total:,}"),
        ("words", f"{vocabulary.words:,} different, {vocabulary.K:,} kept"),
        ("covered", f"{vocabulary.coverage:.1%} of the tokens"),
        ("windows", f"{found.n:,}"),
        ("next token in the window", f"{found.label_share:.1%}  (Assumption 2)"),
        ("distinct edges", f"{table.edges.sum():,}"),
        ("strict edges", f"{table.strict.sum():,}"),
        ("last tokens with a table", f"{len(table.lasts):,}"),
        ("leagues", f"{table.leagues.sum():,}"),
        ("tokens in the largest league", f"{np.average(table.largest_share):.1%}  (mean)"),
        ("undecided contexts", f"{1 - decided.sum() / found.n:.1%}  of all windows"),
    ]
    width = max(len(name) for name, _ in lines)
    undecided = 1 - decided / np.maximum(found.windows, 1)
    extra = {found.names[k]: f"{undecided[k]:.0%}" for k in table.lasts.tolist()}
    listed = (f"{name:<{width}}  {value}" for name, value in lines)
    return "\n".join([*listed, "", table.table(count, extra)])
