"""The texts that chapter 16 reads: WikiText-2 and the grammar's, in words or pieces, and shuffled.

A shuffled text has the same tokens as often, and no word order.  *Within* articles every article
keeps its own tokens, and with them its topic; *across* them all articles share one pot.
"""

from functools import cache

import numpy as np

from nta_beyond.text import Corpus, SpacedWords, WordPieces, grammar_text, named_corpus

ORDERS = ("as written", "shuffled within articles", "shuffled across articles")
PIECES = 1_000  # of the BPE
GRAMMAR = 400_000  # tokens, about as many as WikiText-2 has
LEARNT, CHOSEN_BY = slice(0, 48), slice(48, None)  # articles of valid.txt
SEED = 0


@cache
def whole_text(tokens: str, order: str) -> Corpus:
    """All articles in "words" or "pieces", or the "grammar"'s text; as written or shuffled."""
    if order != ORDERS[0]:
        return shuffled(whole_text(tokens, ORDERS[0]), across=order == ORDERS[2])
    if tokens == "grammar":
        return Corpus.from_text(grammar_text(GRAMMAR, seed=SEED))
    text = named_corpus("wikitext-2").corpus()
    return text if tokens == "words" else text.cut_by(WordPieces.trained(text, PIECES))


def shuffled(text: Corpus, *, across: bool) -> Corpus:
    """The same tokens in random order; every article keeps its length."""
    rng = np.random.default_rng(SEED)
    articles = [np.array(article, dtype=object) for article in text.tokens()]
    if across:
        pot = rng.permutation(np.concatenate(articles))
        articles = np.split(pot, np.cumsum([len(article) for article in articles])[:-1])
    else:
        articles = [rng.permutation(article) for article in articles]
    joined = (" ".join(article.tolist()) for article in articles)
    # a space between two tokens is all that is left to be cut
    return Corpus.from_text(*joined).cut_by(SpacedWords(unknown=text.tokenizer.gaps))


def held_out(tokens: str) -> tuple[Corpus, Corpus, Corpus]:
    """Articles to learn from, to choose by, and to test on, in "words" or "pieces".

    The pieces are those of the first.
    """
    wiki = named_corpus("wikitext-2")
    valid = wiki.corpus("valid.txt")
    parts = valid.pick(LEARNT), valid.pick(CHOSEN_BY), wiki.corpus("test.txt")
    if tokens == "words":
        return parts
    pieces = WordPieces.trained(parts[0], PIECES)
    learnt, chosen_by, test = (part.cut_by(pieces) for part in parts)
    return learnt, chosen_by, test
