"""Chapter 21's checkers: solutions pass, stubs and typical mistakes get their own hint."""

from itertools import pairwise
from math import log, nan

import numpy as np

from nta_beyond.induction import unigram
from nta_book.exercises import chapter_21 as check
from tests.book.exercises.answers import accepts, refuses, refuses_junk

ORDER = log(3) - 2 / 3 * log(2)

test_worth_of_order = accepts(check.worth_of_order, (log(2) - ORDER,), (0.0566,))
test_worth_of_order_hints = refuses(
    check.worth_of_order,
    (ORDER, "knows the order"),
    (log(2), "of a bag"),
    (ORDER - log(2), "its sign"),
    ((log(2) - ORDER) / log(2), "bits"),
    (0.0, "1/3 and 2/3"),
)


def follower(text, K, prior=1.0):
    counts = [prior] * K
    for a, b in pairwise(text):
        if a == text[-1]:
            counts[b] += 1
    return np.array(counts) / sum(counts)


def of_all(text, K):
    return unigram([text], K)[0, -1]


def bare(text, K):
    """Without the 1 that every count begins with; nothing followed: zeros."""
    counts = np.array(follower(text, K)) * (text[:-1].count(text[-1]) + K) - 1
    return counts / max(counts.sum(), 1)


test_follower = accepts(check.follower, (follower,))
test_follower_hints = refuses(
    check.follower,
    (lambda text, K: [1 / K] * K, "what stood after each 0"),
    (of_all, "counted all tokens"),
    (bare, "begin every count with 1"),
    (lambda text, K: [1.0], "return 2 probabilities"),
    (lambda text, K: follower(text, K) if len(text) > 1 else [nan] * K, "nothing has followed"),
)

test_same_bag = accepts(check.same_bag, ("aba", "baa"), ("abcabca", "acbacba"))
test_same_bag_hints = refuses(
    check.same_bag,
    ("aab", "aba", "last tokens"),
    ("aba", "aca", "bags are"),
    ("abaa", "abaa", "one favourite"),
    ("ababa", "ababa", "both go on with b"),
    ("abd", "bad", "letters a, b and c"),
    ("", "", "letters a, b and c"),
)

test_information = accepts(check.information, (lambda p: (2 * p - 1) ** 2,))
test_information_hints = refuses(
    check.information,
    (lambda p: p, "tell nothing"),
    (lambda p: (2 * p - 1) ** 2 + 1 if p != 0.5 else 0, "subtract 1"),
    (lambda p: 2 * p - 1, "square it"),
    (lambda p: abs(2 * p - 1), "every pair"),
)

test_junk = refuses_junk(
    [None, "text", nan, [], lambda *_: None],
    check.worth_of_order,
    check.follower,
    check.same_bag,
    check.information,
)
