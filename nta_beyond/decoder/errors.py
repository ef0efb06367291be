"""What can be wrong with a language."""

from __future__ import annotations

from nta_core.errors import NTAError


class NotSeparable(NTAError):
    """No head puts the words that follow above all others in every context.

    Attributes
    ----------
    contexts : tuple of str
        Contexts that cannot all be served by one head.

    Explained in: chapter 20.
    """

    def __init__(self, contexts: tuple[str, ...], d: int) -> None:
        self.contexts = contexts
        listed = "; ".join(contexts[:6]) + ("; …" if len(contexts) > 6 else "")
        super().__init__(
            f"no head in d={d} dimensions separates what follows from what does not in these "
            f"contexts together: {{{listed}}}. Use contexts that are linearly independent, or "
            "drop one of them."
        )
