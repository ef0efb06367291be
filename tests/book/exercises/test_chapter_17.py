"""Chapter 17's checkers: solutions pass, stubs and typical mistakes get their own hint."""

import math

import numpy as np
from scipy.stats import mannwhitneyu

from nta_book.exercises import chapter_17 as check
from nta_book.results import stored_result
from tests.book.exercises.answers import accepts, refuses

TEXT = stored_result("heads_on_text").one(shape="the text")

test_by_hand = accepts(check.by_hand, ([2, 0, 2], "a"))


test_by_hand_hints = refuses(
    check.by_hand,
    ([0, 0, 0], "a", "the query is the last token's"),
    ([1, 0, 1], "a", "the keys e W_K are 1, 0 and 1"),
    ([2, 0, 2], "b", "where its query is zero"),
    (None, "a", "multiply them"),
)


def reader(Q, K, E, head, heads, last):
    width = len(Q) // heads
    part = slice(head * width, (head + 1) * width)
    queries, keys = E @ Q.T[:, part], E @ K.T[:, part]
    return keys @ queries[last] / math.sqrt(width)


def test_read_head():
    assert check.read_head(reader)

    def unscaled(Q, K, E, head, heads, last):
        return reader(Q, K, E, head, heads, last) * math.sqrt(len(Q) // heads)

    def scaled_by_all(Q, K, E, head, heads, last):
        return reader(Q, K, E, head, heads, last) / math.sqrt(heads)

    def swapped(Q, K, E, head, heads, last):
        return reader(K, Q, E, head, heads, last)

    def transposed(Q, K, E, head, heads, last):
        return E @ Q @ K.T @ E.T

    assert "right but for the scale 1/√3" in check.read_head(unscaled).message
    assert "not of all" in check.read_head(scaled_by_all).message
    assert "the last token asks" in check.read_head(swapped).message
    assert "stopped with" in check.read_head(transposed).message
    assert "cut into 2" in check.read_head(lambda Q, K, E, head, heads, last: E[:, 0]).message
    assert not check.read_head(None)


def test_share_of_pairs():
    def right(scores, winners, losers):
        lead = scores[winners] - scores[losers]
        return np.mean(np.sign(lead) / 2 + 0.5)

    assert check.share_of_pairs(right)
    assert "1/2" in check.share_of_pairs(lambda s, w, v: np.mean(s[w] > s[v])).message
    reverse = check.share_of_pairs(lambda s, w, v: 1 - right(s, w, v))
    assert "each winner with its loser" in reverse.message
    assert "each winner" in check.share_of_pairs(lambda s, w, v: 0.5).message
    assert "stopped with" in check.share_of_pairs(None).message


def test_blind_ranking():
    assert check.blind_ranking(-np.arange(len(TEXT["names"])))  # by frequency
    assert "50%" in check.blind_ranking(np.zeros(len(TEXT["names"]))).message
    assert "reach" in check.blind_ranking(np.arange(len(TEXT["names"]))).message
    assert "numbers are asked for" in check.blind_ranking([1.0, 2.0]).message
    assert not check.blind_ranking("frequency")


def test_followers_first_is_mann_whitneys_statistic():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 9, len(TEXT["names"])).astype(float)  # with ties
    for table in TEXT["tables"]:
        tokens, won = np.array(table["tokens"]), np.array(table["wins"]) > 0
        u = mannwhitneyu(scores[tokens[won]], scores[tokens[~won]]).statistic
        share = u / (won.sum() * (~won).sum())
        assert math.isclose(check.followers_first(scores, table), share, rel_tol=1e-12)
