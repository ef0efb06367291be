"""A small language of the book's own: text of any length from a seed, nobody's copyright.

It has what makes leagues interesting.  A *topic* holds for a paragraph, so some words keep company.
Things come *back*: once the boat was mentioned, "the" is often followed by "boat" again, so the
next word is often in the window.  *Agreement* lets one word decide the form of another far away,
"the boats ... are".  And a few words are frequent, most are rare.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import TypeVar

from nta_beyond.text.lexicon import COUNTS, MEN, QUALITIES, TOPICS, VERBS, WOMEN, Topic, Word
from nta_core.boundary import room_for, seed_of, whole

BACK = 0.6  # chance that a thing already mentioned in the paragraph is meant
STAY = 0.5  # chance that the next paragraph keeps its topic

Item = TypeVar("Item")


def grammar_text(words: int, *, seed: int) -> str:
    """Write paragraphs until there are `words` tokens or more, punctuation included.

    The last paragraph is finished.  The same seed gives the same text, on every machine; a longer
    text begins like a shorter.

    Examples
    --------
    >>> text = grammar_text(60, seed=1)
    >>> text.splitlines()[0].split(" . ")[0]
    'the sailor mends an anchor because the grey anchor is old'

    Explained in: chapter 16.
    """
    whole(words, "words", least=1)
    room_for(12 * words, f"a text of {words:,} words", instead="take grammar_paragraphs one by one")
    written, paragraphs = 0, []
    for paragraph in grammar_paragraphs(seed=seed):
        paragraphs.append(paragraph)
        written += paragraph.count(" ") + 1
        if written >= words:
            break
    return "\n\n".join(paragraphs) + "\n"


def grammar_paragraphs(*, seed: int) -> Iterator[str]:
    """Yield paragraphs without end, one line each.

    Examples
    --------
    >>> next(grammar_paragraphs(seed=1)) == grammar_text(1, seed=1).strip()
    True

    Explained in: chapter 16.
    """
    dice = random.Random(seed_of(seed))
    topic = dice.choices(TOPICS)[0]
    while True:
        paragraph = _Paragraph(dice, topic)
        yield " ".join(word for _ in range(3 + int(4 * dice.random())) for word in paragraph.next())
        if dice.random() > STAY:
            topic = dice.choices(TOPICS)[0]


@dataclass
class _Paragraph:
    """One paragraph in the making: its topic, its person, and what was mentioned."""

    dice: random.Random
    topic: Topic
    mentioned: list[Word] = field(default_factory=list)

    def __post_init__(self) -> None:
        woman = self.dice.random() < 0.5
        self.name = _frequent(self.dice, WOMEN if woman else MEN)
        self.pronoun = "she" if woman else "he"

    def next(self) -> list[str]:
        """The words of the next sentence: somebody does something, or something is like that."""
        form = self.dice.random()
        if self.dice.random() < 0.2:
            more = ["and", *self._state()] if form < 0.3 else []
            return [*self._state(), *more, "."]
        subject, pronoun, many = self._actor()
        words = [*subject, self._verb(many), *self._thing()[0]]
        if form < 0.25:
            words += ["in", "the", self.topic.place]
        elif form < 0.45:
            words += [",", "and", pronoun, self._verb(many), *self._thing()[0]]
        elif form < 0.6:
            words += ["because", *self._state()]
        elif form < 0.7:
            words += ["and", *self._thing()[0]]
        return [*words, "."]

    def _actor(self) -> tuple[list[str], str, bool]:
        """Who does something: the words for it, its pronoun, and whether it is many."""
        kind = self.dice.random()
        if kind < 0.6:
            return [self.name if kind < 0.35 else self.pronoun], self.pronoun, False
        if self.dice.random() < 0.3:
            return ["the", self.topic.trade.many], "they", True
        return ["the", self.topic.trade.one], self.pronoun, False

    def _verb(self, many: bool) -> str:
        verb = _frequent(self.dice, self.topic.verbs if self.dice.random() < 0.6 else VERBS)
        return verb.many if many else verb.one

    def _state(self) -> list[str]:
        words, many = self._thing()
        return [*words, "are" if many else "is", self._quality()]

    def _thing(self) -> tuple[list[str], bool]:
        """A thing with its article, and whether it is many; things already mentioned come back."""
        back = bool(self.mentioned) and self.dice.random() < BACK
        for _ in range(3):  # rarely the same thing twice in a row
            known, new = self.mentioned, self.topic.things
            noun = self.dice.choices(known)[0] if back else _frequent(self.dice, new)
            if noun not in self.mentioned[-1:]:
                break
        self.mentioned.append(noun)
        many = self.dice.random() < 0.3
        word = noun.many if many else noun.one
        quality = [self._quality()] if self.dice.random() < 0.25 else []
        if back:
            return ["the", *quality, word], many
        article = _frequent(self.dice, COUNTS) if many else "a"
        if article == "a" and (quality or [word])[0][0] in "aeiou":
            article = "an"
        return [article if self.dice.random() < 0.6 else "the", *quality, word], many

    def _quality(self) -> str:
        return _frequent(self.dice, self.topic.qualities if self.dice.random() < 0.6 else QUALITIES)


def _frequent(dice: random.Random, items: Sequence[Item]) -> Item:
    """Item r of a list, counted from 1, with a chance proportional to 1/r."""
    return dice.choices(items, cum_weights=_zipf(len(items)))[0]


@cache
def _zipf(count: int) -> tuple[float, ...]:
    return tuple(accumulate(1 / rank for rank in range(1, count + 1)))
