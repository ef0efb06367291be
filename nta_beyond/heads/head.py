"""An attention head as a table of scores: after this last token, how much does each token get?

A head compares a query of the last token with a key of every token.  Both are linear in the
embeddings, so the head is a K × K table of scores, which is never built: a row is computed when it
is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.heads.layouts import BEFORE, POSITIONS, Projections, from_module, from_state
from nta_beyond.heads.names import name_among, written_name
from nta_beyond.heads.tensors import ROUNDING, ROWS, Stored, coarsest, stored
from nta_beyond.heads.weights_file import WeightsFile
from nta_beyond.text import Windows
from nta_core.boundary import (
    EXTREME,
    Floats,
    Ints,
    a,
    check_context,
    check_names,
    default_names,
    entries,
    generator,
    number,
    one_of,
    room_for,
    shown,
    token_id,
    token_ids,
)
from nta_core.data.tables import html_table
from nta_core.errors import DataError
from nta_core.model.weights import softmax

FEWER = (
    "rows behind the last name are tokens that were added, or padding: leave these rows out of the "
    "embeddings, or name them, too (--padding)"
)
MORE = "are these the names of another model's tokens?"


@dataclass(frozen=True, eq=False, repr=False)
class Head:
    """One attention head: S[k, j] = scale · (e_k W_Q + b_Q) · (e_j W_K + b_K).

    Row k belongs to the last token, column j to the token that is looked at.

    Attributes
    ----------
    W_Q, W_K : Stored
        Query and key projections, values of shape (d, d_head).
    b_Q, b_K : Stored or None
        Their biases, values of shape (d_head,).
    embeddings : Stored
        What enters the head, values of shape (K, d): the token embeddings, after the norm if one
        was given.
    scale : float
        1/√d_head unless the model has another.
    names : tuple of str
        What people call the tokens.
    notes : tuple of str
        What was read and what was left out, a sentence each.

    Examples
    --------
    >>> head = Head.from_arrays(np.eye(3), np.diag([0.0, 1, 2]), np.eye(3), scale=1.0)
    >>> head
    Head(K=3, d=3, d_head=3, float64)
    >>> head.scores("e3"), head.attention([1, 0, 2]).round(3)
    (array([0., 0., 2.]), array([0.107, 0.107, 0.787]))

    Explained in: chapter 17.
    """

    W_Q: Stored
    W_K: Stored
    b_Q: Stored | None
    b_K: Stored | None
    embeddings: Stored
    scale: float
    names: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())

    # ---- where heads come from ------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        W_Q: ArrayLike,
        W_K: ArrayLike,
        E: ArrayLike,
        *,
        b_Q: ArrayLike | None = None,
        b_K: ArrayLike | None = None,
        scale: float | None = None,
        names: Sequence[str] | None = None,
        positions: str = "unknown",
    ) -> Head:
        """Take a head as arrays or tensors.

        Parameters
        ----------
        W_Q, W_K : arrays of shape (d, d_head)
            A query is ``e @ W_Q``; the weight of an ``nn.Linear`` is the transpose.
        E : array of shape (K, d)
            What enters the head, a row per token.
        b_Q, b_K : arrays of shape (d_head,), optional
            Biases.
        scale : float, optional
            Factor of the scores; 1/√d_head by default.
        names : sequence of K texts, optional
            What people call the tokens; e1, e2, … by default.  Arrows, white space and empty names
            are written between ⟨ and ⟩; `notes` says so.
        positions : str
            What the model does about places: ``"none"``, ``"added"`` (vectors added to the
            embeddings), ``"rotary"`` (read at offset 0), ``"bias"`` (added to the scores) or
            ``"unknown"``.  They are not read; `notes` says what that leaves out.

        Examples
        --------
        >>> Head.from_arrays(np.ones((3, 2)), np.ones((3, 1)), np.eye(3))
        Traceback (most recent call last):
        nta_beyond.heads.errors.HeadError: W_Q of shape (3, 2) and W_K of shape (3, 1) must ...
        """
        parts = Projections(
            stored(W_Q, "W_Q", axes=2),
            stored(W_K, "W_K", axes=2),
            None if b_Q is None else stored(b_Q, "b_Q", axes=1),
            None if b_K is None else stored(b_K, "b_K", axes=1),
        )
        return cls._made(parts, stored(E, "E", axes=2), scale, names, positions)

    @classmethod
    def from_state(
        cls,
        state: Mapping[str, Any],
        *,
        query: str,
        key: str,
        embedding: str | None,
        head: int = 0,
        heads: int | None = None,
        kv_heads: int | None = None,
        layout: str = "linear",
        packed: str | None = None,
        norm: str | None = None,
        norm_kind: str | None = None,
        norm_eps: float = 1e-5,
        scale: float | None = None,
        names: Sequence[str] | None = None,
        positions: str = "unknown",
    ) -> Head:
        """Cut one head out of a state dict.

        Parameters
        ----------
        state : mapping from str to array or tensor
            What ``model.state_dict()`` returns.
        query, key : str
            Names of the query and key weights.  One name for both means that queries, keys and
            values are packed into one matrix.  Biases are found by their names.
        embedding : str
            Name of the token embeddings, shape (K, d).
        head, heads : int
            Which head, from 0, of how many.  `heads` may be left out only for weights that stand
            apart and have at most half as many outputs as the embeddings have numbers: one head.
        kv_heads : int, optional
            Heads of keys, if fewer share them (grouped queries); read off the shapes of weights
            that are not packed.
        layout : {"linear", "conv1d"}
            ``"linear"``: rows are outputs (``nn.Linear``, ``in_proj_weight``); ``"conv1d"``:
            columns are (GPT-2's ``c_attn``).
        packed : {"by-kind", "by-head"}, optional
            What stands where in one matrix: all queries, then all keys, then all values (the
            default), or head by head (Pythia, BLOOM, Falcon).  A matrix that is called
            ``query_key_value`` may be either, so there it must be said.
        norm : str, optional
            Name of the norm between embeddings and head, for example ``"blocks.0.ln1"``.
        norm_kind : {"layer", "rms", "rms+1"}, optional
            As in `normalized`; ``"layer"`` where the norm has a bias.  Without a bias it must be
            said: the file does not know.
        norm_eps : float
            What the norm adds to the variance.
        scale, names, positions
            As in `from_arrays`.

        Examples
        --------
        >>> state = {"attn.in_proj_weight": np.ones((12, 4)), "tokens.weight": np.eye(5, 4)}
        >>> packed = "attn.in_proj_weight"
        >>> Head.from_state(state, query=packed, key=packed, embedding="tokens.weight", heads=2)
        Head(K=5, d=4, d_head=2, float64)
        """
        found = from_state(
            state,
            names=(query, key, embedding),
            which=(head, heads, kv_heads),
            layout=layout,
            packed=packed,
            norm=(norm, norm_kind, norm_eps),
        )
        return cls._made(*found[:2], scale, names, positions, found[2])

    @classmethod
    def from_safetensors(
        cls,
        path: str | Path,
        *,
        query: str,
        key: str,
        embedding: str | None,
        head: int = 0,
        heads: int | None = None,
        kv_heads: int | None = None,
        layout: str = "linear",
        packed: str | None = None,
        norm: str | None = None,
        norm_kind: str | None = None,
        norm_eps: float = 1e-5,
        scale: float | None = None,
        names: Sequence[str] | None = None,
        positions: str = "unknown",
    ) -> Head:
        """Cut one head out of a safetensors file; the options are those of `from_state`.

        Only the tensors that are named are read.

        Examples
        --------
        >>> import tempfile
        >>> from safetensors.numpy import save_file
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     weights = {"q": np.eye(4), "k": np.eye(4), "e": np.eye(6, 4)}
        ...     save_file(weights, f"{folder}/tiny.safetensors")
        ...     file = f"{folder}/tiny.safetensors"
        ...     Head.from_safetensors(file, query="q", key="k", embedding="e", heads=1)
        Head(K=6, d=4, d_head=4, float64)
        """
        return cls.from_state(
            WeightsFile(path),
            query=query,
            key=key,
            embedding=embedding,
            head=head,
            heads=heads,
            kv_heads=kv_heads,
            layout=layout,
            packed=packed,
            norm=norm,
            norm_kind=norm_kind,
            norm_eps=norm_eps,
            scale=scale,
            names=names,
            positions=positions,
        )

    @classmethod
    def from_module(
        cls,
        module: Any,
        E: Any,
        *,
        head: int = 0,
        heads: int | None = None,
        kv_heads: int | None = None,
        packed: str | None = None,
        norm: Any = None,
        scale: float | None = None,
        names: Sequence[str] | None = None,
        positions: str = "unknown",
    ) -> Head:
        """Cut one head out of a layer of PyTorch.

        Parameters
        ----------
        module : torch.nn.Module
            A ``MultiheadAttention``, a ``TransformerEncoderLayer``, or a layer with ``q_proj`` and
            ``k_proj`` (Llama), ``c_attn`` (GPT-2) or ``query_key_value`` (Pythia).  For others see
            `from_state`.
        E : array of shape (K, d), tensor or torch.nn.Embedding
            What enters the layer, a row per token.
        head, heads, kv_heads : int
            Which head, of how many; read off the module where it says so.
        packed : {"by-kind", "by-head"}, optional
            As in `from_state`; must be said for ``query_key_value``.
        norm : torch.nn.Module, optional
            The norm before the attention; that of an encoder layer with ``norm_first`` is found.
            It is run on two vectors, and refused if it is none of the kinds of `normalized`.
        scale, names, positions
            As in `from_arrays`.

        Examples
        --------
        >>> import torch
        >>> layer = torch.nn.MultiheadAttention(8, 2)
        >>> Head.from_module(layer, torch.nn.Embedding(5, 8), head=1)
        Head(K=5, d=8, d_head=4, float32)
        """
        parts, entering, said, told = from_module(
            module, E, which=(head, heads, kv_heads), packed=packed, norm=norm
        )
        return cls._made(parts, entering, told if scale is None else scale, names, positions, said)

    @classmethod
    def _made(
        cls,
        parts: Projections,
        entering: Stored,
        scale: float | None,
        names: Sequence[str] | None,
        positions: str,
        said: tuple[str, ...] = (),
    ) -> Head:
        parts.check(entering)
        wide = parts.W_Q.values.shape[1]
        factor = wide**-0.5 if scale is None else number(scale, "scale", above=0, most=EXTREME)
        called, renamed = _called(names, len(entering.values))
        places = POSITIONS[one_of(positions, "positions", tuple(POSITIONS))]
        notes = (*said, *renamed, BEFORE, places)
        return cls(parts.W_Q, parts.W_K, parts.b_Q, parts.b_K, entering, factor, called, notes)

    # ---- sizes ----------------------------------------------------------------------------------

    @property
    def K(self) -> int:
        """Vocabulary size."""
        return len(self.names)

    @property
    def d_head(self) -> int:
        """Width of queries and keys: the rank that the table of scores can have."""
        return int(self.W_Q.values.shape[1])

    @property
    def kind(self) -> str:
        """In what numbers the weights were stored, the coarsest of them."""
        return coarsest(self.W_Q, self.W_K, self.b_Q, self.b_K, self.embeddings)

    @property
    def precision(self) -> float:
        """Relative rounding of a stored weight."""
        return ROUNDING[self.kind]

    # ---- scores ---------------------------------------------------------------------------------

    @cached_property
    def queries(self) -> Floats:
        """scale · (e_k W_Q + b_Q) of every token, shape (K, d_head)."""
        return self.scale * self._project(self.W_Q, self.b_Q)

    @cached_property
    def keys(self) -> Floats:
        """e_j W_K + b_K of every token, shape (K, d_head)."""
        return self._project(self.W_K, self.b_K)

    def _project(self, W: Stored, b: Stored | None) -> Floats:
        """Embeddings through a projection, in float64, some rows at a time."""
        E, weights = self.embeddings.values, W.values.astype(np.float64)
        room_for(8.0 * len(E) * weights.shape[1], "queries and keys", instead="fewer tokens")
        found = np.empty((len(E), weights.shape[1]))
        for begin in range(0, len(E), rows := max(1, ROWS // E.shape[1])):
            found[begin : begin + rows] = E[begin : begin + rows].astype(np.float64) @ weights
        return found if b is None else found + b.values

    def scores(self, last: int | str) -> Floats:
        """Return the scores of all tokens after a last token, shape (K,)."""
        return np.asarray(self.keys @ self.queries[self.token(last)])

    def score_rows(self, lasts: Sequence[int | str] | Ints) -> Floats:
        """Return the scores of all tokens after some last tokens, shape (len(lasts), K)."""
        asked = self.tokens(lasts)
        instead = "ask for fewer last tokens at a time"
        room_for(16.0 * len(asked) * self.K, f"{len(asked):,} rows of scores", instead=instead)
        return self.queries[asked] @ self.keys.T

    def score_matrix(self) -> Floats:
        """Return the whole table of scores, shape (K, K), if it fits into memory.

        Raises `TooLarge` before anything is allocated; `scores` and `score_rows` always work.
        """
        room_for(
            16.0 * self.K**2,
            f"a table of {self.K:,} × {self.K:,} scores",
            instead="ask scores(last) for one row, or score_rows(lasts) for some",
        )
        return self.queries @ self.keys.T

    def _pair_scores(self, lasts: Ints, tokens: Ints) -> Floats:
        """Scores of tokens after last tokens, two arrays of ids of one shape."""
        found = np.empty(lasts.shape)
        pairs = found.reshape(-1), lasts.reshape(-1), tokens.reshape(-1)
        for begin in range(0, lasts.size, rows := max(1, ROWS // self.d_head)):
            out, last, token = (part[begin : begin + rows] for part in pairs)
            out[:] = np.vecdot(self.queries[last], self.keys[token])
        return found

    def window_scores(self, windows: Windows) -> Floats:
        """Return the score of every token of every window, −∞ in a gap; shape (n, T)."""
        inside = a(Windows, windows, "windows").within(self.K)
        room_for(40.0 * inside.tokens.size, "scores of windows", instead="ask of fewer windows")
        lasts = np.broadcast_to(inside.lasts[:, None], inside.tokens.shape)
        found = np.full(inside.tokens.shape, -np.inf)
        there = inside.tokens >= 0
        found[there] = self._pair_scores(lasts[there], inside.tokens[there])
        return found

    def attention(self, context: ArrayLike) -> Floats:
        """Return the attention on every place of a context, whose last token asks; shape (T,)."""
        asked = context.split() if isinstance(context, str) else entries(context, "a context")
        tokens = check_context([self._known(token) for token in asked], self.K, self.names)
        return softmax(self.keys[tokens] @ self.queries[tokens[-1]])

    # ---- the same head in other words -----------------------------------------------------------

    @property
    def E(self) -> Floats:
        """Embeddings for `nta_core`, shape (K, d), with a last column of ones if there are biases.

        With `W` they give the same scores: ``(E @ W @ E.T)[j, k]`` is S[k, j].
        """
        E = self.embeddings.values.astype(np.float64)
        return E if self._plain else np.hstack([E, np.ones((len(E), 1))])

    @property
    def W(self) -> Floats:
        """The merged matrix of `nta_core`, W_K W_Qᵀ with scale and biases; see `E`."""
        query, key = (
            W.values.astype(np.float64) if self._plain else _with_bias(W, b)
            for W, b in ((self.W_Q, self.b_Q), (self.W_K, self.b_K))
        )
        room_for(8.0 * len(key) ** 2, "W of shape (d, d)", instead="use scores")
        return self.scale * key @ query.T

    @property
    def _plain(self) -> bool:
        return self.b_Q is None and self.b_K is None

    def shuffled(self, seed: int) -> Head:
        """Return the control "shuffled vocabulary": the same head, its tokens renamed at random.

        Examples
        --------
        >>> head = Head.from_arrays(np.eye(3), np.eye(3), np.diag([1.0, 2, 3]))
        >>> sorted(head.shuffled(0).scores(0)) == sorted(head.scores(0))
        False
        """
        order = generator(seed).permutation(self.K)
        values = self.embeddings.values[order]
        note = "Control: the tokens are renamed at random."
        entering = Stored(values, self.embeddings.kind)
        return replace(self, embeddings=entering, notes=(*self.notes, note))

    def rounded(self, seed: int | np.random.Generator, *, precision: float | None = None) -> Head:
        """Return the head with every weight moved at random within its rounding.

        Each weight w becomes w·(1 + p·u), u uniform in (−1, 1), where p is the `precision`.

        Examples
        --------
        >>> head = Head.from_arrays(np.eye(3), np.eye(3), np.eye(3))
        >>> bool(np.abs(head.rounded(0, precision=0.01).scores(0) - head.scores(0)).max() < 0.03)
        True
        """
        rng = generator(seed)
        size = self.precision if precision is None else precision
        size = abs(number(size, "precision", least=0, most=1))  # there is a −0

        def moved(part: Stored) -> Stored:
            noise = rng.uniform(-size, size, part.values.shape)
            return Stored(part.values * (1.0 + noise), part.kind)

        return replace(
            self,
            W_Q=moved(self.W_Q),
            W_K=moved(self.W_K),
            b_Q=None if self.b_Q is None else moved(self.b_Q),
            b_K=None if self.b_K is None else moved(self.b_K),
            embeddings=moved(self.embeddings),
        )

    # ---- asking ---------------------------------------------------------------------------------

    def token(self, token: int | str) -> int:
        """Return the id of a token given by its id or name."""
        return token_id(self._known(token), self.K, self.names)

    def tokens(self, tokens: Sequence[int | str] | Ints) -> Ints:
        """Return the ids of tokens given by ids or names, shape (m,)."""
        asked = [self._known(token) for token in entries(tokens, "tokens")]
        return np.array(token_ids(asked, self.K, self.names), dtype=np.int64)

    def _known(self, token: Any) -> Any:
        return name_among(token, self.names) if isinstance(token, str) else token

    def __repr__(self) -> str:
        d = self.embeddings.values.shape[1]
        return f"Head(K={self.K:,}, d={d}, d_head={self.d_head}, {self.kind})"

    def _repr_html_(self) -> str:
        rows = [
            ("tokens K", f"{self.K:,}"),
            ("embedding width d", f"{self.embeddings.values.shape[1]:,}"),
            ("head width", f"{self.d_head:,}"),
            ("scale", f"{self.scale:.4g}"),
            ("stored as", self.kind),
            *(("note", note) for note in self.notes),
        ]
        return html_table("head", rows, caption="An attention head, as it was read")


def _called(names: Sequence[str] | None, K: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of K tokens, e1, e2, … or as they can be written; and a note if some changed."""
    if names is None:
        return default_names(K), ()
    given = tuple(names if isinstance(names, str) else entries(names, "names"))
    found = check_names([written_name(x) if isinstance(x, str) else x for x in given])
    if len(found) != K:
        raise DataError(
            f"{len(found):,} names for K={K:,} rows of embeddings: give one name per row"
            + (f"; {FEWER}, for example <row-{K - 1}>" if len(found) < K else f"; {MORE}")
        )
    changed = [pair for pair in zip(given, found, strict=True) if pair[0] != pair[1]]
    if not changed:
        return found, ()
    was, now = changed[0]
    return found, (
        f"Names of tokens that are empty, an arrow or hold white space are written between ⟨ and "
        f"⟩: {len(changed):,} of {K:,}, such as {now} for {shown(was)}.",
    )


def _with_bias(W: Stored, b: Stored | None) -> Floats:
    """A projection with its bias as last row."""
    wide = W.values.shape[1]
    return np.vstack([W.values, np.zeros(wide) if b is None else b.values]).astype(np.float64)


def score_blocks(head: Head, lasts: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield last tokens with their rows of scores, so many at a time as memory is used to."""
    for begin in range(0, len(lasts), rows := max(1, ROWS // head.K)):
        block = lasts[begin : begin + rows]
        yield block, head.queries[block] @ head.keys.T
