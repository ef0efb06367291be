"""Corpora by name: texts that others published, and that this project computes with.

They are not part of it.  A reader gets them from where they are published and puts each into a
folder of its name; the environment variable NTA_CORPORA names the folder that holds these folders.
Every file is compared with the sha256 that is written here, so a name always means the same text.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nta_beyond.errors import ChangedCorpus, MissingCorpus, path_of
from nta_beyond.text.corpus import Corpus, TextFile, TextStretch, Tokenizer
from nta_beyond.text.tokens import SpacedWords
from nta_core.boundary import shown
from nta_core.errors import OptionError

VARIABLE = "NTA_CORPORA"  # environment variable: the folder in which corpora are looked for
BLOCK = 1 << 20

# An article begins with its title, ` = Title = `, alone between two empty lines; the titles of
# sections have more signs.  Without the empty lines a formula would begin two more.
_TITLE = re.compile(rb"(?:\A|(?<=\n)) *\n = (?!=)([^\n]*[^=\n]) = \n(?= *\n)")


@dataclass(frozen=True)
class KnownCorpus:
    """What is known of a corpus before it is there.

    Attributes
    ----------
    source : str
        What it is, and where a reader gets it.
    files : mapping of str to str
        The sha256 of every file.
    tokenizer : Words, SpacedWords or WordPieces
        How its words are found.
    """

    source: str
    files: Mapping[str, str]
    tokenizer: Tokenizer


KNOWN = {
    "wikitext-2": KnownCorpus(
        "WikiText-2 (Merity et al. 2016), as distributed with PyTorch's language-model example "
        "(github.com/pytorch/examples, word_language_model/data/wikitext-2)",
        {
            "valid.txt": "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
            "test.txt": "d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",
        },
        SpacedWords(),
    )
}


@dataclass(frozen=True)
class Article:
    """An article of a corpus.

    Attributes
    ----------
    title : str
        As it stands in the text.
    text : TextStretch
        Where it stands in its file, the title included.

    Explained in: chapter 16.
    """

    title: str
    text: TextStretch


@dataclass(frozen=True, repr=False)
class NamedCorpus:
    """A published corpus whose files are here and are the ones that are meant.

    Made by `named_corpus`.

    Attributes
    ----------
    name : str
        What it is called.
    files : mapping of str to Path
        Its parts: "valid.txt", "test.txt".
    sha256 : mapping of str to str
        The sha256 of every part, and under "" that of all parts, one after the other.
    tokenizer : Words, SpacedWords or WordPieces
        How its words are found.

    Explained in: chapter 16.
    """

    name: str
    files: Mapping[str, Path]
    sha256: Mapping[str, str]
    tokenizer: Tokenizer

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its files."""
        return tuple(self.files)

    def articles(self, part: str | None = None) -> tuple[Article, ...]:
        """Return the articles of a part, or of all parts, in their order."""
        if part is None:
            return tuple(article for name in self.parts for article in self.articles(name))
        if not isinstance(part, str) or part not in self.files:
            parts = ", ".join(self.parts)
            raise OptionError(f"part={shown(part)}: {self.name} has the parts {parts}")
        return tuple(_articles(self.files[part]))

    def corpus(self, part: str | None = None) -> Corpus:
        """Return a part, or all parts, as a corpus: one document per article."""
        documents = tuple(article.text for article in self.articles(part))
        return Corpus(documents, self.tokenizer)

    @cached_property
    def tokens(self) -> int:
        """Number of tokens of all parts."""
        return sum(map(len, self.corpus().tokens()))

    def record(self) -> dict[str, object]:
        """Return what a stored result says of it: name, sha256, tokens, and sha256 by file."""
        whole = {"name": self.name, "sha256": self.sha256[""], "tokens": self.tokens}
        return whole | {"files": {part: self.sha256[part] for part in self.parts}}

    def __repr__(self) -> str:
        articles = len(self.articles())
        return f"NamedCorpus({self.name}: {articles} articles, {self.tokens:,} tokens)"


def named_corpus(name: str, folder: str | Path | None = None) -> NamedCorpus:
    """Open a published corpus by its name, and see that it is the one that is meant.

    Raises `MissingCorpus` when it is not there, and says where to get it; `ChangedCorpus` when a
    file is not the one that is meant.

    Parameters
    ----------
    name : str
        For example "wikitext-2".
    folder : str or Path, optional
        The folder that holds a folder of this name; by default the one that the environment
        variable NTA_CORPORA names.

    Examples
    --------
    >>> named_corpus("wikitext-2", "/no/such/folder")
    Traceback (most recent call last):
    nta_beyond.errors.MissingCorpus: wikitext-2 is not in /no/such/folder: get WikiText-2 ...

    Explained in: chapter 16.
    """
    if not isinstance(name, str) or name not in KNOWN:
        raise OptionError(f"name={shown(name)}: known corpora are {', '.join(KNOWN)}")
    known = KNOWN[name]
    above = path_of(folder if folder is not None else os.environ.get(VARIABLE, ""))
    wanted = f"get {known.source}, and put {' and '.join(known.files)} into a folder {name}"
    if folder is None and not os.environ.get(VARIABLE):
        whose = f"whose parent folder the environment variable {VARIABLE} names"
        raise MissingCorpus(f"{name} is not here: {wanted}, {whose}")
    files = {file: above / name / file for file in known.files}
    for path in files.values():
        if not path.is_file():
            what = name if not path.parent.is_dir() else f"{name}/{path.name}"
            raise MissingCorpus(f"{what} is not in {above}: {wanted} there")
    return NamedCorpus(name, files, _checked(files, known), known.tokenizer)


def expected_sha256(name: str) -> Mapping[str, str]:
    """Return the sha256 that the files of a corpus must have; it need not be there."""
    if not isinstance(name, str) or name not in KNOWN:
        raise OptionError(f"name={shown(name)}: known corpora are {', '.join(KNOWN)}")
    return KNOWN[name].files


def _checked(files: Mapping[str, Path], known: KnownCorpus) -> dict[str, str]:
    """The sha256 of every file and, under "", of all; or say which is not the one meant."""
    everything, found = hashlib.sha256(), {}
    for file, path in files.items():
        one = hashlib.sha256()
        try:
            with path.open("rb") as source:
                while block := source.read(BLOCK):
                    one.update(block)
                    everything.update(block)
        except OSError as error:
            raise MissingCorpus(f"{path} cannot be read: {error.strerror}") from None
        found[file] = one.hexdigest()
        if found[file] != known.files[file]:
            raise ChangedCorpus(
                f"{path} is another text: its sha256 is {found[file]}, not {known.files[file]}; "
                f"get {known.source}"
            )
    return found | {"": everything.hexdigest()}


def _articles(path: Path) -> Iterator[Article]:
    """The articles of a file in WikiText's form; what stands before the first is part of it."""
    file, raw = TextFile(path, "utf-8"), path.read_bytes()
    titles = list(_TITLE.finditer(raw))
    begins = [0, *(title.start() for title in titles[1:])]
    ends = [*begins[1:], len(raw)]
    for title, begin, end in zip(titles, begins, ends, strict=True):
        yield Article(title[1].decode("utf-8"), TextStretch(file, begin, end))
