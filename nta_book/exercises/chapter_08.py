"""Checkers for chapter 8: the automaton."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product

from nta_book.exercises.verdict import Hints, checker
from nta_core import FIG3, FIG8, Automaton, Dataset, TokenPriorityGraph, embeddings, random_dataset

# Six tokens, 24 races: some pairs of tokens were never compared.
SILENT_RACES = random_dataset(24, 4, 6, kind="cyclic", seed=3)


@checker
def retrieval(answer: Callable[[TokenPriorityGraph, list[int]], Iterable[int]]) -> Hints:
    """Check a reader's hard retrieval on all short contexts of both toy datasets.

    >>> retrieval(lambda graph, context: context)
    hint: Fig. 3, context e1 e2 e1: you keep {e1, e2}, the top league present is {e2}
    """
    for figure, data in (("Fig. 3", FIG3), ("Fig. 8", FIG8)):
        rule = Automaton.from_dataset(data)
        for length in (3, 2, 4):
            for context in product(range(data.K), repeat=length):
                if context[-1] not in rule.graphs:
                    continue
                kept, right = answer(rule.graphs[context[-1]], [*context]), rule.retrieve(context)
                if kept is None or set(kept) != right:
                    where = f"{figure}, context {' '.join(data.names[t] for t in context)}"
                    top = f"the top league present is {_set(data, right)}"
                    yield f"{where}: you keep {_set(data, kept)}, {top}"
    return "the first league that is present takes everything: that is hard retrieval"


@checker
def determined_pairs(count: int) -> Hints:
    """Check how many two-token contexts of Fig. 3 the data determines.

    >>> determined_pairs(8)
    hint: you have those that end with e1 or e2; now look at e3 e3
    """
    rule = Automaton.from_dataset(FIG3)
    right = sum(rule.determined(pair) for pair in product(range(4), repeat=2))
    if count != right:
        if count == right - 2:
            yield "you have those that end with e1 or e2; now look at e3 e3"
        if count > right:
            yield "a context that ends with e3 has no table: what decides between e1 and e3?"
        yield "on tracks e1 and e2 every token is ranked or tied: count those contexts first"
    return "ten of sixteen, although only two of the four tokens have a table"


@checker
def loop(continuation: str | Sequence[str]) -> Hints:
    """Check the next six tokens after ``a b a`` for the races a b a -> b and a b b -> a.

    >>> loop("b b b b b b")
    hint: after the first b the last token is b: which token is on top of track b?
    """
    words = continuation.split() if isinstance(continuation, str) else list(continuation)
    data = Dataset.from_text("a b a -> b\na b b -> a")
    path = Automaton.from_dataset(data).generate([0, 1, 0], 6, seed=0)
    right = [data.names[t] for t in path[3:]]
    if words != right:
        if len(words) != 6:
            yield f"six tokens, please: you gave {len(words)}"
        if words[0] != "b":
            yield "the context a b a ends with a: which token won on track a?"
        yield "after the first b the last token is b: which token is on top of track b?"
    return "a and b hand over to each other for ever: two tables that chase each other"


@checker
def disagreement(context: Sequence[int]) -> Hints:
    """Check that two layers trained on `SILENT_RACES` differ by more than 10 points on a context.

    >>> disagreement([0])
    hint: the data determines this context, so every layer agrees: try .determined on others
    """
    if Automaton.from_dataset(SILENT_RACES).determined(context):
        yield "the data determines this context, so every layer agrees: try .determined on others"
    first, second = (layer.compose(context).probabilities for layer in _two_layers())
    gap = max(abs(first[token] - second[token]) for token in first)
    points = f"{100 * gap:.0f} points"
    if gap <= 0.1:
        yield f"undetermined, yet these two layers differ by {points} only: try another"
    return f"the two layers differ by {points}, and the data takes neither side"


@cache
def _two_layers() -> tuple[Automaton, Automaton]:
    """What two layers with unrelated embeddings converge to."""
    first, second = (
        Automaton.from_dataset(SILENT_RACES, embeddings(6, 8, seed=s)) for s in (300, 301)
    )
    return first, second


def _set(data: Dataset, tokens: Iterable[int] | None) -> str:
    if tokens is None:
        return "nothing"
    return "{" + ", ".join(data.names[t] for t in sorted(set(tokens))) + "}"
