"""Checkers for chapter 16: real text."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from nta_beyond.text import Corpus, TokenEdges, Vocabulary, grammar_text, read_edges, tokens_of
from nta_book.exercises.verdict import Hints, checker

TEXT = "c b a b c a c b a b"  # for paper and pencil, windows of three tokens
CANDIDATES = ("in", "is", ",", "the", "workshop", "and")  # last tokens of the grammar's text
TOKENS = 20_000
LONGEST = 24


@checker
def by_hand(count: int, leagues: Sequence[Iterable[str]]) -> Hints:
    """Check how many windows of TEXT hold their next token, and the leagues after a.

    >>> by_hand(7, [{"a", "b", "c"}])
    hint: there are 7 windows; strike those whose next token is not among their three
    """
    found = _edges(TEXT, 3)
    right, given = str(int(found.races.sum())), str(count)
    if given != right:
        if given == str(found.n):
            strike = "strike those whose next token is not among their three"
            yield f"there are {found.n} windows; {strike}"
        yield "slide a frame of three over the text and look at the token behind it"
    expected = _leagues_after_a(found)
    sets = [set(league) for league in leagues]
    if sets != expected:
        if sets == expected[::-1]:
            yield "right leagues, wrong way round: the strongest first"
        if set().union(*sets) != {"a", "b", "c"}:
            yield "every token that ran on track a has a place in the table, a itself included"
        yield "after a, b once beat c and c once beat b; did a ever win?"
    return "b and c have both followed a, and each has beaten the other: one league"


@checker
def label_share(answer: Callable[[list[str], int], float]) -> Hints:
    """Check a reader's share of windows that hold their next token.

    >>> label_share(lambda tokens, T: 1.0)
    hint: for "a b a b c a" and windows of 2 you return 1, it is 0.5
    """
    texts = ["a b a b c a", TEXT, grammar_text(400, seed=1)]
    for text, window in [(texts[0], 2), (texts[1], 3), (texts[2], 8), (texts[2], 16)]:
        right = _edges(text, window).label_share
        got = float(answer(tokens_of(text), window))
        if abs(got - right) > 1e-9:
            shown = f'"{text}"' if len(text) < 40 else "a text of the grammar"
            yield f"for {shown} and windows of {window} you return {got:.3g}, it is {right:.3g}"
    return "this share is the ceiling of every layer that can only copy"


@checker
def strict_words(answer: Iterable[str]) -> Hints:
    """Check which of the CANDIDATES keep a strict order.

    >>> strict_words({"in", "the"})
    hint: after "the" many words can follow, and they beat each other in turn
    """
    given = {answer} if isinstance(answer, str) else set(answer)
    if unknown := given - set(CANDIDATES):
        choice = " ".join(map(repr, CANDIDATES))
        yield f"choose among {choice}: {min(unknown)!r} is not one of them"
    found = _edges(grammar_text(TOKENS, seed=0), 16)
    right = {name for name in CANDIDATES if max(map(len, found.after(name).components)) == 1}
    if given != right:
        if wrong := sorted(given - right):
            yield f'after "{wrong[0]}" many words can follow, and they beat each other in turn'
        missing = len(right - given)
        yield f"{missing} more: which of the others has only one follower in this language?"
    return "a word with a single follower keeps a strict order: nobody can beat it in turn"


@checker
def one_league(text: str) -> Hints:
    """Check a text whose table after a, windows of three, is a single league of a, b and c.

    >>> one_league("a b c a b c a b c")
    hint: after a, the leagues are {b} over {a} and {c}: who has to win, so that they merge?
    """
    tokens = tokens_of(text)
    if set(tokens) != {"a", "b", "c"}:
        yield "use the words a, b and c, and no others"
    if len(tokens) > LONGEST:
        yield f"{len(tokens)} tokens: {LONGEST} are enough"
    found = _edges(text, 3)
    if _leagues_after_a(found) != [{"a", "b", "c"}]:
        told = " over ".join(" and ".join(level) for level in _levels_after_a(found))
        yield f"after a, the leagues are {told}: who has to win, so that they merge?"
    return "every word has followed a and beaten the others: no grammar, one league"


def _leagues_after_a(found: TokenEdges) -> list[set[str]]:
    return [{found.names[token] for token in league} for league in found.after("a").components]


def _levels_after_a(found: TokenEdges) -> list[list[str]]:
    """The leagues after a by levels, the highest first: those of one level never met as rivals."""
    graph = found.after("a")
    heights = sorted({*map(graph.level, graph.nodes)}, reverse=True)
    leagues: dict[int, list[str]] = {level: [] for level in heights}
    for league in graph.components:
        names = ", ".join(sorted(found.names[token] for token in league))
        leagues[graph.level(min(league))].append(f"{{{names}}}")
    return [sorted(level) for level in leagues.values()]


@cache
def _edges(text: str, window: int) -> TokenEdges:
    corpus = Corpus.from_text(text)
    return read_edges(corpus, Vocabulary.of(corpus), window=window)
