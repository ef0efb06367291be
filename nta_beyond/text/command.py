"""The command ``nta text``: the league tables of a text, printed and kept."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nta_beyond.errors import TextFileError
from nta_beyond.progress import progress_bar
from nta_beyond.text.corpora import KNOWN, named_corpus
from nta_beyond.text.corpus import CHUNK, Corpus, Tokenizer
from nta_beyond.text.decisions import LeagueTables
from nta_beyond.text.edges import TokenEdges, read_edges
from nta_beyond.text.parquet import check_target, write_parquet
from nta_beyond.text.pieces import WordPieces
from nta_beyond.text.summary import SHOWN, tracks
from nta_beyond.text.tokens import SpacedWords, Words
from nta_beyond.text.vocabulary import Vocabulary
from nta_beyond.text.windows import WINDOW, window_blocks
from nta_core.boundary import Ints
from nta_core.indices import as_index

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

STDIN = "-"
DIGITS = 9  # of a count; more words or tokens fit into no memory
RULES: dict[str, Tokenizer] = {"words": Words(), "spaced": SpacedWords()}
PIECES = "bpe:"

EXAMPLES = """
examples:
  nta text novel.txt
  nta text letters/ --window 8 --vocabulary 2000 --out graphs.parquet
  zcat novel.txt.gz | nta text -
  nta text wikitext-2 --tokens bpe:4000

The text is cut into lower-cased words and single punctuation marks; --tokens spaced takes what
stands between spaces as it is, and --tokens bpe:N cuts words into N pieces, learned from the text.
Every window of T tokens is a race that the next token wins, if it is among them.  Words outside the
vocabulary leave a gap.  A published corpus has its own rule; it is looked for in $NTA_CORPORA.
The words of the answer are explained in chapter 16 of the book.
The file of --out appears whole or not at all, and never in the place of a text that is read.
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
    add(
        "corpus",
        help="a plain text file, a folder of .txt and .md files, - (standard input), or the name "
        f"of a published corpus ({', '.join(KNOWN)})",
    )
    add("--window", type=_count, default=WINDOW, metavar="T", help="tokens per window (16)")
    add("--tokens", type=_rule, metavar="RULE", help="words, spaced, or bpe:N (words)")
    add("--vocabulary", type=_count, metavar="V", help="keep the V most frequent words (all)")
    add("--tracks", type=_count, default=SHOWN, metavar="N", help="last tokens to list (12)")
    add("--out", type=Path, metavar="FILE", help="write all edges to this Parquet file")
    add("--force", action="store_true", help="let --out replace a file that is there")
    add("--encoding", default="utf-8", help="encoding of the text (utf-8)")
    add("--quiet", action="store_true", help="no progress bar")


def _count(text: str) -> int:
    """A positive whole number, or an error that says so."""
    if not text.isdecimal() or len(text) > DIGITS or int(text) < 1:
        shown = text if len(text) <= 2 * DIGITS else f"{text[: 2 * DIGITS]}..."
        raise argparse.ArgumentTypeError(
            f"{shown!r} is not a whole number of at least 1 with at most {DIGITS} digits"
        )
    return int(text)


def _rule(text: str) -> Tokenizer | int:
    """A rule by which text is cut, or the number of word pieces to learn."""
    if text.startswith(PIECES):
        return _count(text.removeprefix(PIECES))
    if text not in RULES:
        rules = f"{', '.join(RULES)} or {PIECES}N"
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no rule: choose {rules}")
    return RULES[text]


def recut(corpus: Corpus, rule: Tokenizer | int | None) -> Corpus:
    """The corpus, cut into tokens by another rule than its own, if one is asked for."""
    if rule is None:
        return corpus
    return corpus.cut_by(WordPieces.trained(corpus, rule) if isinstance(rule, int) else rule)


def run(options: argparse.Namespace) -> None:
    """Read a text three times: its words, its edges, and which windows the tables decide."""
    started = time.perf_counter()
    show = partial(progress_bar, unit="B", unit_scale=True, quiet=options.quiet)
    source = nullcontext(named) if (named := opened(options)) else copied(options, show)
    if options.out is not None:
        protect(options.out, named, force=options.force)
    with source as text:
        corpus = recut(text, options.tokens)
        bar = partial(show, total=corpus.size)
        with bar("counting words") as shown:
            vocabulary = Vocabulary.of(corpus, options.vocabulary, advance=shown.update)
        with bar("collecting edges") as shown:
            found = read_edges(corpus, vocabulary, window=options.window, advance=shown.update)
        told, tables = np.zeros((3, found.K), dtype=np.int64), LeagueTables(found)
        with bar("asking the tables") as shown:
            blocks = window_blocks(corpus, vocabulary, window=options.window, advance=shown.update)
            for block in blocks:
                said = tables.decide(block)
                for row, each in zip(told, (said.size > 0, said.size, said.untied), strict=True):
                    np.add.at(row, as_index(block.lasts), each)
    unprinted = None
    try:
        print(report(vocabulary, found, told, options.tracks), flush=True)
    except OSError as error:  # nobody reads on, but the edges are still wanted
        unprinted = error
    if not found.races.any():
        raise TextFileError(
            "no window holds its next token, so there is no edge and no league: "
            "read a longer text, or choose a larger window",
            path=options.corpus,
        )
    if options.out is not None:
        with show("writing edges", total=int(tracks(found).edges.sum()), unit=" edges") as shown:
            write_parquet(found, options.out, replace=options.force, advance=shown.update)
        options.written = options.out
    if unprinted is not None:
        raise unprinted
    if options.out is not None:
        print(f"\nedges written to {options.out}")
    print(f"\n{time.perf_counter() - started:.1f} s")


def opened(options: argparse.Namespace) -> Corpus | None:
    """The corpus, if it is a file or folder that can be read more than once."""
    place = Path(options.corpus)
    if options.corpus in KNOWN and not place.exists():
        return named_corpus(options.corpus).corpus()
    if options.corpus == STDIN or place.is_fifo():
        return None
    if place.exists() and not (place.is_file() or place.is_dir()):
        raise TextFileError("it is neither a file nor a folder", path=place)
    return Corpus.open(place, encoding=options.encoding)


@contextmanager
def copied(options: argparse.Namespace, show: Callable[..., Any]) -> Iterator[Corpus]:
    """The corpus of a pipe: a copy on disk that lasts until it has been read three times."""
    name = "standard input" if options.corpus == STDIN else options.corpus
    if options.corpus == STDIN and sys.stdin is None:
        raise TextFileError("it is closed", path=name)
    with tempfile.TemporaryDirectory(prefix="nta-") as folder:
        copy = Path(folder) / "text"
        try:
            with (
                nullcontext(sys.stdin.buffer)
                if name != options.corpus
                else open(name, "rb") as pipe,
                copy.open("wb") as file,
                show(f"reading {name}") as shown,
            ):
                while piece := pipe.read(CHUNK):
                    file.write(piece)
                    shown.update(len(piece))
        except OSError as error:
            why = f"it cannot be read, or not be kept in {folder}: {error.strerror}"
            raise TextFileError(why, path=name) from None
        try:
            yield Corpus.open(copy, encoding=options.encoding)
        except TextFileError as error:
            raise TextFileError(str(error).replace(str(copy), name)) from None


def protect(out: Path, corpus: Corpus | None, *, force: bool) -> None:
    """Refuse to write over a text that is read, or over any file without `force`.

    Files are compared, not names: links and other spellings are seen through, and so is standard
    input (no corpus).
    """
    check_target(out)
    if not out.exists():
        return
    read = [os.stat(document.name) for document in corpus.documents] if corpus else []
    if corpus is None:
        with suppress(OSError, AttributeError):  # closed, or no file at all
            read.append(os.fstat(sys.stdin.fileno()))
    if any(os.path.samestat(out.stat(), text) for text in read):
        raise TextFileError("this is a text that is read: --out needs another name", path=out)
    if not force:
        raise TextFileError("it is there already: choose another name, or add --force", path=out)


def report(vocabulary: Vocabulary, found: TokenEdges, told: Ints, count: int) -> str:
    """The statistics of a corpus, and the table of its busiest last tokens.

    `told` counts the windows of each last token that the tables decide, the tokens of the leagues
    that decide them, and the windows in which one token is left alone, shape (3, K): a decision by
    a league of nearly all tokens, or one that leaves a tie, says little.
    """
    table = tracks(found)
    largest = f"{table.largest_share.mean():.1%}" if len(table.lasts) else "none"
    decided, _, alone = told.sum(axis=1) / found.n
    sizes = told[1].sum() / max(told[0].sum(), 1)
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
        ("tokens in the largest league", f"{largest}  (mean)"),
        ("windows that are decided", f"{decided:.1%}"),
        ("  by leagues of", f"{sizes:.1f} tokens  (mean)" if decided else "none"),
        ("  with one token left", f"{alone:.1%}  (the others are ties)"),
    ]
    width = max(len(name) for name, _ in lines)
    shares = told / np.maximum(found.windows, 1)
    shares[1] = told[1] / np.maximum(told[0], 1)
    columns = {"decided": ".0%", "by": ".0f", "one left": ".0%"}
    more = {
        title: {found.names[k]: f"{share[k]:{form}}" for k in table.lasts.tolist()}
        for (title, form), share in zip(columns.items(), shares, strict=True)
    }
    listed = (f"{name:<{width}}  {value}" for name, value in lines)
    return "\n".join([*listed, "", table.table(count, more)])
