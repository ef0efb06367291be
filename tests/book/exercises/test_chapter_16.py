"""Chapter 16's checkers: solutions pass, stubs and typical mistakes get their own hint."""

from nta_beyond.text import grammar_text, tokens_of
from nta_book.exercises import chapter_16 as check
from tests.book.exercises.answers import refuses


def test_by_hand():
    assert check.by_hand(5, [{"b", "c"}, {"a"}])
    assert check.by_hand("5", (["c", "b"], "a"))


test_by_hand_hints = refuses(
    check.by_hand,
    (7, [{"a"}], "strike those"),
    (3, [{"a"}], "slide a frame"),
    (5, [{"a"}, {"b", "c"}], "wrong way round"),
    (5, [{"b", "c"}], "a itself included"),
    (5, [{"b"}, {"c"}, {"a"}], "did a ever win"),
    (5, None, "TypeError"),
    (None, None, "slide a frame"),
)


def share(tokens, T):
    hits = [tokens[i] in tokens[i - T : i] for i in range(T, len(tokens))]
    return sum(hits) / len(hits)


def test_label_share():
    assert check.label_share(share)
    assert "you return 1, it is 0.5" in check.label_share(lambda tokens, T: 1).message
    shifted = check.label_share(lambda tokens, T: share(tokens, T + 1))
    assert not shifted
    assert (
        "a text of the grammar"
        in check.label_share(lambda tokens, T: share(tokens, T) if len(tokens) < 20 else 0).message
    )
    assert "TypeError" in check.label_share(None).message


def test_strict_words():
    assert check.strict_words({"in", ",", "workshop"})
    assert check.strict_words(["workshop", ",", "in"])
    assert "'is' ',' 'the'" in check.strict_words({"it"}).message


def test_every_candidate_shows_its_followers_in_the_lines_that_the_exercise_prints():
    shown = tokens_of(grammar_text(200, seed=0))
    for word in check.CANDIDATES:
        after = {shown[k + 1] for k, token in enumerate(shown[:-1]) if token == word}
        assert shown.count(word) >= 3
        assert bool(check.strict_words({word, *{"in", ",", "workshop"}})) == (len(after) == 1)


test_strict_words_hints = refuses(
    check.strict_words,
    ({"in", "the"}, 'after "the"'),
    ({"in"}, "2 more"),
    ("in", "2 more"),
    ({"zebra"}, "not one of them"),
    (set(), "3 more"),
    (None, "TypeError"),
)


def test_one_league():
    assert check.one_league("b c a b b c a c b c a a")


test_one_league_hints = refuses(
    check.one_league,
    ("a b c a b c a b c", "{b} over {a} and {c}"),
    ("b c a b b c a c", "{b, c} over {a}:"),
    ("a b a b", "no others"),
    ("a b c " * 9, "24 are enough"),
    ("a b c", "TextFileError"),
    (None, "text must be a str"),
)
