"""The command ``nta head``: one attention head out of a safetensors file, read and reported."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nta_beyond.errors import TextFileError
from nta_beyond.heads.errors import HeadError
from nta_beyond.heads.head import Head
from nta_beyond.heads.layouts import LAYOUTS, PACKED, POSITIONS
from nta_beyond.heads.leagues import THRESHOLD
from nta_beyond.heads.norms import NORMS
from nta_beyond.heads.reports import report
from nta_beyond.heads.texts import read_text
from nta_beyond.text import Corpus
from nta_beyond.text.command import RULES, opened, recut
from nta_beyond.text.windows import WINDOW
from nta_core.boundary import MAX_K, shown, whole
from nta_core.errors import FileError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

EXAMPLES = """
examples, one for each way to store a head (the first words of a tensor's name may differ):
  GPT-2:   nta head model.safetensors --query h.0.attn.c_attn.weight \\
               --key h.0.attn.c_attn.weight --layout conv1d --heads 12 --head 3 \\
               --embedding wte.weight --norm h.0.ln_1 --positions added \\
               --names vocab.json --text tokens.txt --tokens spaced --out head3.html
  Llama:   nta head model.safetensors --query model.layers.0.self_attn.q_proj.weight \\
               --key model.layers.0.self_attn.k_proj.weight --heads 32 --head 3 \\
               --embedding model.embed_tokens.weight --positions rotary \\
               --norm model.layers.0.input_layernorm --norm-kind rms --names tokenizer.json
  Pythia:  nta head model.safetensors --packed by-head --heads 8 --head 3 \\
               --query gpt_neox.layers.0.attention.query_key_value.weight \\
               --key gpt_neox.layers.0.attention.query_key_value.weight \\
               --embedding gpt_neox.embed_in.weight --positions rotary \\
               --norm gpt_neox.layers.0.input_layernorm --names tokenizer.json --padding 27
  BERT:    nta head model.safetensors --query bert.encoder.layer.0.attention.self.query.weight \\
               --key bert.encoder.layer.0.attention.self.key.weight --heads 12 --head 3 \\
               --embedding bert.embeddings.word_embeddings.weight --positions added \\
               --norm bert.embeddings.LayerNorm --norm-eps 1e-12 --names vocab.txt

The number of heads, and what a norm adds, stand in the model's config.json.
One name for --query and --key means that queries, keys and values are packed into one matrix: all
queries first (by-kind, as in GPT-2), or head by head (by-head, as in Pythia, BLOOM and Falcon).  A
matrix called query_key_value may be either, so --packed must be said.
A norm without a bias may be rms (Llama), rms+1 (Gemma) or layer: then --norm-kind must be said.
--names is a file with one token per line, or the JSON of a tokenizer that maps tokens to numbers.
Names with white space in them, arrows and the empty name are written between ⟨ and ⟩: three spaces
are ⟨U+0020×3⟩, in --last and in the text, too.  Embeddings may have more rows than there are names:
if these are padding, say how many (--padding).
The text is cut into lower-cased words; with --tokens spaced it was cut by the model's tokenizer
before, and what stands between spaces is a token.  Names that begin with Ġ or ▁ need such a text:
the tokens of novel.txt, as the tokenizer names them, with spaces between, make tokens.txt.
Whatever the model does between --embedding and the head is left out, but for --norm.  A head above
the first layer reads something else: store that, say its mean over a text at every token, and name
it instead.
The file of --out appears whole or not at all, asks for no other file, and works offline.
The words of the answer are explained in chapters 11, 12 and 17 of the book.
"""


def add_head(commands: Commands) -> None:
    """Add the subcommand ``head`` to the command ``nta``."""
    parser = commands.add_parser(
        "head",
        help="what does an attention head rank?  one head of a safetensors file",
        description="What does an attention head rank?  Read one head of a safetensors file as "
        "league tables, alone or beside a text, and write a report.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("file", help="a safetensors file")
    add("--query", required=True, metavar="KEY", help="name of the query weights")
    add("--key", required=True, metavar="KEY", help="name of the key weights")
    add("--embedding", metavar="KEY", help="name of the token embeddings")
    add("--head", type=int, default=0, metavar="I", help="which head, from 0 (0)")
    add("--heads", type=int, metavar="N", help="heads of the layer")
    add("--kv-heads", type=int, metavar="N", help="heads of keys, if queries share them")
    add("--layout", choices=LAYOUTS, default=LAYOUTS[0], help="rows or columns are outputs")
    add("--packed", choices=PACKED, help="what stands where in one matrix (by-kind)")
    add("--norm", metavar="KEY", help="name of the norm before the attention")
    add("--norm-kind", choices=NORMS, help="its formula (layer, if it has a bias)")
    add("--norm-eps", type=float, default=1e-5, metavar="E", help="added to the variance (1e-5)")
    add("--scale", type=float, metavar="S", help="factor of the scores (1/√ of the head's width)")
    add("--positions", choices=[*POSITIONS], default="unknown", help="how the model knows places")
    add("--names", type=Path, metavar="FILE", help="what the tokens are called")
    add("--padding", type=int, default=0, metavar="N", help="rows behind the last name (0)")
    add("--text", metavar="FILE", help="a text, a folder of texts, or a published corpus")
    add("--tokens", choices=[*RULES], help="how the text is cut (words, or the corpus' own rule)")
    add("--window", type=int, default=WINDOW, metavar="T", help="tokens per window (16)")
    add("--last", action="append", metavar="TOKEN", help="a last token to show; repeatable")
    add("--threshold", type=float, default=THRESHOLD, metavar="P", help="of the leagues (0.01)")
    add("--out", type=Path, metavar="FILE", help="write the report to this HTML file")
    add("--force", action="store_true", help="let --out replace a file that is there")


def run(options: argparse.Namespace) -> None:
    """Read the head, then the text, print what they say, and write the report."""
    if options.out is not None:
        protect(options)
    names = _names(options)
    head = Head.from_safetensors(options.file, **_named(options), names=names)
    corpus = None if options.text is None else _corpus(options)
    text = None if corpus is None else read_text(head, corpus)
    said = () if text is None else (f"{text.share}; the others leave gaps.",)
    windows = None if text is None else text.windows(options.window)
    title = f"Head {options.head} of {options.heads or 1}: {options.query}"
    page = report(head, windows, lasts=options.last, threshold=options.threshold, title=title)
    print("\n".join([title, *head.notes, *said, "", *page.summary()]), flush=True)
    if options.out is not None:
        page.save(options.out, force=options.force)
        options.written = options.out
        print(f"\nreport written to {options.out}")


def _named(options: argparse.Namespace) -> dict[str, Any]:
    names = (
        *("query", "key", "embedding", "head", "heads", "kv_heads"),
        *("layout", "packed", "norm", "norm_kind", "norm_eps", "scale", "positions"),
    )
    return {name: getattr(options, name) for name in names}


def _names(options: argparse.Namespace) -> list[str] | None:
    """The names of tokens, and of rows that are none."""
    padding = whole(options.padding, "--padding", most=MAX_K)
    if options.names is None:
        if padding:
            raise HeadError("--padding needs --names: it says how many rows they leave")
        return None
    names = read_names(options.names)
    return [*names, *(f"<row-{len(names) + k}>" for k in range(padding))]


def _corpus(options: argparse.Namespace) -> Corpus:
    """The text, cut by the rule that is asked for."""
    if options.names is None:
        raise HeadError("--text needs --names: without names no word of the text is a token")
    corpus = opened(argparse.Namespace(corpus=options.text, encoding="utf-8"))
    if corpus is None:
        raise TextFileError("it can be read only once: give --text a file", path=options.text)
    rule = None if options.tokens is None else RULES[options.tokens]
    return recut(corpus, rule)


def protect(options: argparse.Namespace) -> None:
    """Refuse to write over a file that is read, or over any file without `force`."""
    out: Path = options.out
    if not out.parent.is_dir():
        raise FileError(f"{out}: there is no folder {out.parent}")
    if not out.exists():
        return
    read = [Path(name) for name in (options.file, options.names, options.text) if name is not None]
    if any(place.exists() and os.path.samefile(out, place) for place in read):
        raise FileError(f"{out}: this is a file that is read: --out needs another name")
    if not options.force:
        raise FileError(f"{out}: it is there already: choose another name, or add --force")


def read_names(path: Path) -> list[str]:
    """The names of tokens: one per line, or a JSON object from names to numbers from 0."""
    try:
        text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    except OSError as error:
        raise FileError(f"{path}: it cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise TextFileError("it is not UTF-8; save it as UTF-8 first", path=path) from None
    if path.suffix.lower() != ".json":  # other ends of lines are parts of names
        return text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    try:
        found = json.loads(text)
        if isinstance(found.get("model"), dict):  # of the package tokenizers, whole
            added = {token["content"]: token["id"] for token in found.get("added_tokens") or ()}
            found = {**found["model"]["vocab"], **added}
        order = sorted(found, key=found.__getitem__)
        if [found[name] for name in order] != [*range(len(order))]:
            raise ValueError("its numbers are not 0, 1, 2, … without a gap")
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError) as reason:
        raise TextFileError(
            f"it maps no names to numbers: {shown(str(reason))}", path=path
        ) from None
    return order
