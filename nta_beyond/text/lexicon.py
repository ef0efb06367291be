"""The words of the book's own little language, topic by topic.

Within a list the first words are the frequent ones: word r is drawn with weight 1/r.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A noun with its plural, or a verb as it stands after one, and after many."""

    one: str
    many: str


@dataclass(frozen=True)
class Topic:
    """What a paragraph can be about."""

    place: str
    trade: Word
    things: tuple[Word, ...]
    verbs: tuple[Word, ...]
    qualities: tuple[str, ...]


def _nouns(words: str) -> tuple[Word, ...]:
    """Read nouns; a plural that is not formed by s stands behind a stroke."""
    forms = (word.partition("/")[::2] for word in words.split())
    return tuple(Word(one, many or f"{one}s") for one, many in forms)


def _verbs(words: str) -> tuple[Word, ...]:
    """Read verbs; what stands after one is formed as the plural of a noun is."""
    return tuple(Word(verb.many, verb.one) for verb in _nouns(words))


def _topic(place: str, trade: str, things: str, verbs: str, qualities: str) -> Topic:
    return Topic(place, _nouns(trade)[0], _nouns(things), _verbs(verbs), tuple(qualities.split()))


TOPICS = (
    _topic(
        *("harbour", "sailor"),
        "boat net rope sail fish/fish gull wave anchor lantern mast oar crab barrel",
        "mend pull drop clean tie watch/watches lift",
        "wet grey long heavy salty broken",
    ),
    _topic(
        *("market", "trader"),
        "apple coin basket pear cloth/cloths scale box/boxes price cart ribbon jar candle spice",
        "sell weigh count buy wrap offer carry/carries",
        "ripe cheap red sweet bright small",
    ),
    _topic(
        *("farm", "farmer"),
        "cow field seed horse hen fence plough goose/geese wheel egg calf/calves barn gate",
        "feed plant lead wash/washes open plough call",
        "brown green warm muddy young tired",
    ),
    _topic(
        *("school", "teacher"),
        "book lesson letter word map chalk/chalks bell desk song question page slate ruler",
        "read write explain copy/copies learn hold repeat",
        "difficult new quiet funny short loud",
    ),
    _topic(
        *("kitchen", "cook"),
        "bread/breads soup pot spoon onion knife/knives plate oven pie herb cup bowl lid",
        "bake stir taste cut serve boil clean",
        "hot fresh bitter thick clean round",
    ),
    _topic(
        *("workshop", "carpenter"),
        "table chair nail board hammer saw shelf/shelves drawer plank hinge screw file glue/glues",
        "saw plane paint fix/fixes sand turn measure",
        "smooth wooden narrow strong flat rough",
    ),
)
# Any topic uses these.
VERBS = _verbs("see find like take want know bring")
QUALITIES = ("old", "good", "little", "big", "beautiful", "strange")
WOMEN = ("anna", "rosa", "mira", "lena", "ines", "thea")
MEN = ("tom", "paul", "emil", "noah", "hugo", "ivan")
COUNTS = ("two", "three", "many", "some")
