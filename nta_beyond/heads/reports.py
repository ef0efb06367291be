"""Everything about one head on one page, which needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from nta_beyond.errors import path_of
from nta_beyond.heads import drawing
from nta_beyond.heads.head import Head
from nta_beyond.heads.leagues import (
    THRESHOLD,
    HeadLeagues,
    Stability,
    gap_of,
    head_leagues,
    league_stability,
)
from nta_beyond.heads.odds import Excess, OrderAndOdds, excess, order_and_odds
from nta_beyond.heads.rankings import PERMUTATIONS, Agreement, agreement
from nta_beyond.heads.silences import WITHIN, HeadSilence, silence, silent_windows
from nta_beyond.text import TokenEdges, Windows, fit_strengths
from nta_beyond.text.edges import tally
from nta_core.boundary import Floats, Ints, a, flag, generator, shown
from nta_core.data.files import write_atomically
from nta_core.errors import FileError, OptionError
from nta_core.indices import as_index

ASKED = 6  # last tokens that are shown, unless some are named
SAMPLE = 2_000  # last tokens that are asked whether the head is silent after them
CELLS = 1 << 26  # scores computed for that; a table of 8,000 tokens is asked as a whole
DRAWS = 5  # noisy heads


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What a head says, in numbers and pictures; shows itself in a notebook.

    Attributes
    ----------
    head : Head
        The head.
    tracks : tuple of HeadLeagues
        Scores and leagues after the last tokens that are shown.
    stability : Stability
        How firmly these leagues stand.
    silence : HeadSilence
        After which last tokens the head says nothing.
    agreement : Agreement or None
        Its ranking beside the text's tables, as everything that follows only with a text.
    odds : OrderAndOdds or None
        Its scores split by the text's leagues.
    excess : Excess or None
        Its distance from the floor of the text.
    silent : float or None
        Share of the text's windows in which the head is silent.
    filled : float or None
        Share of the places before the last one, in these windows, that hold a token of the head.
    title : str
        What stands above the page.

    Explained in: chapter 17.
    """

    head: Head
    tracks: tuple[HeadLeagues, ...]
    stability: Stability
    silence: HeadSilence
    agreement: Agreement | None = None
    odds: OrderAndOdds | None = None
    excess: Excess | None = None
    silent: float | None = None
    filled: float | None = None
    title: str = field(default="One attention head, read")

    @property
    def html(self) -> str:
        """The report as one HTML document; it asks for no other file."""
        return drawing.document(self.title, self._sections("h2"))

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the document; it appears whole or not at all.

        Raises `FileError` when it cannot be written, or when a file is there and `force` is false.

        Examples
        --------
        >>> import tempfile
        >>> head = Head.from_arrays(np.eye(3), np.eye(3), np.eye(3))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report(head).save(f"{folder}/head.html").name
        'head.html'
        """
        place, replace = path_of(path), flag(force, "force")
        try:
            return write_atomically(place, self.html, replace=replace)
        except FileExistsError:
            raise FileError(f"{place}: it is there already; force=True replaces a file") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or shown(error)
            raise FileError(f"{place}: it cannot be written: {why}") from None

    def summary(self) -> tuple[str, ...]:
        """Return what the report says, a sentence each."""
        quiet, firm = self.silence, self.stability
        said = [
            f"The head is silent after {quiet.share:.0%} of the tokens: it moves at most "
            f"{quiet.within:.0%} of its attention away from where equal scores would put it.",
            f"At threshold {firm.threshold:g} it believes in {firm.leagues.mean():.1f} leagues on "
            f"average after the tokens shown; {firm.same.mean():.0%} of these tables stay the same "
            f"under noise as large as the rounding of {self.head.kind}.",
        ]
        if self.filled is not None:
            said.append(
                f"In the windows of the text, {self.filled:.0%} of the places before the last one "
                "hold a token of the head; the others are gaps."
            )
        if self.silent is not None:
            said.append(f"In {self.silent:.0%} of the windows of the text it is silent.")
        if self.agreement is not None:
            table = self.agreement
            said.append(
                f"It ranks {table.share:.1%} of {table.pairs.sum():,} strict pairs as the text "
                f"does; its scores after another last token rank {table.share_swapped:.1%}, and "
                f"scores dealt out at random {table.share_permuted:.1%}."
                if len(table.lasts)
                else "The text has no strict pair to agree with."
            )
        if self.excess is not None:
            cost = self.excess
            said.append(
                f"Read as one layer, it costs {cost.excess:z.3f} nats per race above the floor of "
                f"the text; equal scores cost {cost.flat:z.3f}."
            )
        return tuple(said)

    def _sections(self, level: str) -> str:
        parts = [
            drawing.points("In short", self.summary(), level),
            drawing.facts("What was read", self._read(), self.head.notes, level),
            drawing.cards("What stands on top after which token?", map(_card, self.tracks), level),
            drawing.silence_picture(self.silence, self.head.names, level),
        ]
        if self.agreement is not None and len(self.agreement.lasts):
            parts.append(drawing.agreement_picture(self.agreement, level))
        if self.odds is not None and self.excess is not None:
            parts.append(drawing.facts("Order, odds, excess", self._costs(), (), level))
        parts.append(drawing.points("How to read this", EXPLAINED, level))
        return "".join(parts)

    def _read(self) -> list[tuple[str, str]]:
        head = self.head
        return [
            ("tokens", f"{head.K:,}"),
            ("width of embeddings", f"{head.embeddings.values.shape[1]:,}"),
            ("width of the head", f"{head.d_head:,}"),
            ("scale of the scores", f"{head.scale:.4g}"),
            ("weights stored as", head.kind),
        ]

    def _costs(self) -> list[tuple[str, str]]:
        assert self.odds is not None
        assert self.excess is not None
        between, chance = self.odds.mean()
        slope, alike = self.odds.odds_slope, self.odds.odds_correlation
        inside = f"slope {slope:.2f}, correlation {alike:.2f}" if np.isfinite(alike) else "no tie"
        cost = self.excess
        return [
            ("variance between leagues", f"{between:.1%} ({chance:.1%} by chance)"),
            ("odds inside leagues", inside),
            ("excess", f"{cost.excess:z.3f} nats per race"),
            ("of it order and odds", f"{cost.order:z.3f} and {cost.odds:z.3f}"),
            ("excess of equal scores", f"{cost.flat:z.3f}"),
            (f"excess of {cost.multiple:.2g} × scores", f"{cost.best:z.3f}"),
        ]

    def __repr__(self) -> str:
        shown_ = ", ".join(self.head.names[track.last] for track in self.tracks)
        return f"Report({self.head!r}, after {shown_})"

    def _repr_html_(self) -> str:
        return drawing.fragment(self.title, self._sections("h3"))


EXPLAINED = (
    "A score is what a token offers to the last token; attention is e to that power, shared out.",
    "Two tokens are tied when, side by side, both get more than the threshold of their common "
    "attention; a league is a chain of ties. The plateau gives the thresholds that change nothing.",
    "A strict pair is one that the text orders: one token won against the other, and no chain of "
    "wins leads back. Levels count the longest chain of such wins below a token.",
    "Excess is the loss above the floor that no table of scores can pass, with the attention on "
    "the next token read as its probability, over the windows that hold it.",
    "The words are explained in the book The Next-Token Automaton, chapters 11, 12 and 17.",
)


def report(
    head: Head,
    windows: Windows | None = None,
    *,
    lasts: Sequence[int | str] | None = None,
    threshold: float = THRESHOLD,
    within: float = WITHIN,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    title: str = "One attention head, read",
) -> Report:
    """Read a head, alone or beside a text, and write it down on one page.

    Parameters
    ----------
    head : Head
        The head.
    windows : Windows, optional
        A text in the head's vocabulary, see `head_windows`; without it nothing is compared.
    lasts : sequence of tokens, optional
        Last tokens to show; by default the most frequent of the text, or those after which the
        head says most.
    threshold : float
        Of the leagues, as in `head_leagues`.
    within : float
        Share of the attention that a silent head may move.
    permutations, seed : int
        Of the controls, and of the noise.
    title : str
        What stands above the page.

    Examples
    --------
    >>> head = Head.from_arrays(np.eye(3), np.diag([0.0, 1, 9]), np.eye(3) + 1)
    >>> page = report(head, lasts=["e1"])
    >>> page, len(page.summary()), "http" in page.html
    (Report(Head(K=3, d=3, d_head=3, float64), after e1), 2, False)

    Explained in: chapter 17.
    """
    a(str, title, "title")
    gap_of(threshold)
    shown_lasts = None if lasts is None else a(Head, head, "head").tokens(lasts)
    if shown_lasts is not None and not len(shown_lasts):
        raise OptionError("lasts=[]: name at least one last token, or leave lasts out")
    counts = None if windows is None else _counts(a(Head, head, "head"), windows)
    quiet = silence(head, counts, within=within, lasts=_asked(a(Head, head, "head"), counts, seed))
    if shown_lasts is None:
        loudest = quiet.bits if counts is None else counts[quiet.lasts]
        shown_lasts = quiet.lasts[np.argsort(-loudest, kind="stable")[:ASKED]]
    tracks = tuple(head_leagues(head, last, threshold=threshold) for last in shown_lasts.tolist())
    firm = league_stability(head, shown_lasts.tolist(), threshold=threshold, draws=DRAWS, seed=seed)
    if windows is None:
        return Report(head, tracks, firm, quiet, title=title)
    earlier = windows.tokens[:, :-1]
    found = TokenEdges(**vars(tally(windows, head.K)), names=head.names)
    return Report(
        head,
        tracks,
        firm,
        quiet,
        agreement=agreement(head, found, permutations=permutations, seed=seed),
        odds=order_and_odds(head, found, fit_strengths(found, windows)),
        excess=excess(head, windows, found) if found.races.any() else None,
        silent=float(silent_windows(head, windows, within=within).mean()) if windows.n else None,
        filled=float((earlier >= 0).mean()) if earlier.size else None,
        title=title,
    )


def _counts(head: Head, windows: Windows) -> Ints:
    """How often each token stands in the windows; all equal where there is none."""
    tokens = a(Windows, windows, "windows").within(head.K).tokens
    there = tokens[tokens >= 0]
    if not len(there):
        return np.ones(head.K, dtype=np.int64)
    return np.bincount(as_index(there), minlength=head.K)


def _asked(head: Head, counts: Ints | None, seed: int) -> list[int] | None:
    """Last tokens to ask for silence: all, the most frequent, or some at random."""
    if head.K * head.K <= CELLS:
        return None
    if counts is not None:
        return [int(token) for token in np.argsort(-counts, kind="stable")[:SAMPLE]]
    return sorted(int(t) for t in generator(seed).choice(head.K, SAMPLE, replace=False))


def _card(track: HeadLeagues) -> str:
    return drawing.card(track, _steps(-np.diff(track.scores)))


def _steps(gaps: Floats) -> list[tuple[float, int]]:
    """Number of leagues at thresholds from 10⁻⁶ to ½."""
    grid = np.geomspace(1e-6, 0.49, 60)
    ordered = np.sort(gaps)
    cuts = len(ordered) - np.searchsorted(ordered, np.log1p(-grid) - np.log(grid), side="left")
    return [*zip(grid.tolist(), (cuts + 1).tolist(), strict=True)]
