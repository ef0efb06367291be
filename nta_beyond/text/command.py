"""The command ``python -m nta_core corpus.txt``: the league tables of a text, printed and kept."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nta_beyond.progress import Progress
from nta_beyond.text.corpus import Corpus
from nta_beyond.text.decisions import LeagueTables
from nta_beyond.text.edges import TokenEdges, read_edges
from nta_beyond.text.parquet import check_target, write_parquet
from nta_beyond.text.summary import SHOWN, tracks
from nta_beyond.text.vocabulary import Vocabulary
from nta_beyond.text.windows import WINDOW, window_blocks
from nta_core.errors import NTAError

INTERRUPTED = 130

EXAMPLES = """
examples:
  python -m nta_core novel.txt
  python -m nta_core letters/ --window 8 --vocabulary 2000 --out graphs.parquet

The text is cut into lower-cased words and single punctuation marks.  Every window of T tokens is a
race that the next token wins, if it is among them.  Words outside the vocabulary leave a gap.
The words of the answer are explained in chapter 16 of the book.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 means done, 1 a text that cannot be used, 2 a wrong option."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except NTAError as error:
        print(f"nta_core: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nnta_core: interrupted, nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m nta_core",
        description="Does a text have leagues?  Print the token-priority graphs of a corpus in "
        "numbers, and write their edges to a Parquet file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("corpus", type=Path, help="a plain text file, or a folder of .txt and .md files")
    add("--window", type=_count, default=WINDOW, metavar="T", help="tokens per window (16)")
    add("--vocabulary", type=_count, metavar="V", help="keep the V most frequent words (all)")
    add("--tracks", type=_count, default=SHOWN, metavar="N", help="last tokens to list (12)")
    add("--out", type=Path, metavar="FILE", help="write all edges to this Parquet file")
    add("--encoding", default="utf-8", help="encoding of the text (utf-8)")
    add("--quiet", action="store_true", help="no progress bar")
    return parser


def _count(text: str) -> int:
    """A positive whole number, or an error that says so."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _run(options: argparse.Namespace) -> None:
    started = time.perf_counter()
    corpus = Corpus.open(options.corpus, encoding=options.encoding)
    if options.out is not None:
        check_target(options.out)

    def bar(total: int, label: str, unit: str = "bytes") -> Progress:
        return Progress(total, label, unit=unit, quiet=options.quiet)

    with bar(corpus.size, "counting words") as shown:
        vocabulary = Vocabulary.of(corpus, options.vocabulary, advance=shown.advance)
    with bar(corpus.size, "collecting edges") as shown:
        found = read_edges(corpus, vocabulary, window=options.window, advance=shown.advance)
    with bar(corpus.size, "asking the tables") as shown:
        decided = np.zeros(found.K, dtype=np.int64)
        tables = LeagueTables(found)
        for block in window_blocks(
            corpus, vocabulary, window=options.window, advance=shown.advance
        ):
            decided += np.bincount(block.lasts[tables.decide(block).decided], minlength=found.K)
    for line in report(vocabulary, found, decided, options.tracks):
        print(line)
    if options.out is not None:
        edges = int(tracks(found).edges.sum())
        with bar(edges, "writing edges", "edges") as shown:
            write_parquet(found, options.out, advance=shown.advance)
        print(f"\nedges written to {options.out}")
    print(f"\n{time.perf_counter() - started:.1f} s")


def report(vocabulary: Vocabulary, found: TokenEdges, decided: np.ndarray, count: int) -> list[str]:
    """The statistics of a corpus, line by line."""
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
    return [*(f"{name:<{width}}  {value}" for name, value in lines), "", table.table(count, extra)]
