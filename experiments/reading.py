"""Which corpora an experiment reads: what is stored of them, and whether they are still the same.

A corpus is not part of the project, so a result on it can be confirmed only where it is.  What can
be known without it, the sha256 that its files must have, is compared everywhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nta_beyond.errors import ChangedCorpus, MissingCorpus
from nta_beyond.text import named_corpus
from nta_beyond.text.corpora import expected_sha256

Record = dict[str, Any]


def read_corpora(names: Sequence[str]) -> list[Record]:
    """Return name, sha256 and tokens of corpora; raise where one is missing or is another text."""
    return [named_corpus(name).record() for name in names]


def changed_since(stored: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Say which corpora a result was not made of, as far as can be known without them.

    >>> list(changed_since({}, ["wikitext-2"]))
    ['it was stored without a corpus, and reads wikitext-2']
    """
    kept: dict[str, Record] = {record["name"]: record for record in stored.get("corpora", [])}
    if [*kept] != [*names]:
        was, reads = (f"{', '.join(corpora) or 'a corpus'}" for corpora in (kept, names))
        yield (
            f"it was stored {'with' if kept else 'without'} {was}, "
            f"and {'reads' if names else 'does not read'} {reads}"
        )
        return
    for name in names:
        for file, now in expected_sha256(name).items():
            if (was := kept[name]["files"].get(file)) != now:
                yield f"{name}/{file} has changed: its sha256 was {was}, and is {now} now"


def unconfirmed(stored: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Say what keeps a result on corpora from being confirmed here and now."""
    if changed := list(changed_since(stored, names)):
        yield from changed
        return
    try:
        present = read_corpora(names)
    except (MissingCorpus, ChangedCorpus) as error:
        yield f"it cannot be confirmed: {error}"
        return
    for was, now in zip(stored.get("corpora", []), present, strict=True):
        for key in now:
            if was.get(key) != now[key]:
                yield f"{now['name']} has changed: its {key} was {was.get(key)}, is {now[key]} now"
