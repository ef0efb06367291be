"""A widget that lives twice: with a kernel as an anywidget, in the built book without one."""

from typing import TYPE_CHECKING, Any, ClassVar

from nta_book.page.bundle import lab_module
from nta_book.viz import in_book
from nta_core.boundary import needs

if TYPE_CHECKING:
    import anywidget
    import traitlets
else:
    anywidget = needs("anywidget", wanted_for="nta_book.lab", extra="pictures")
    traitlets = needs("traitlets", wanted_for="nta_book.lab", extra="pictures")
MIME = "application/vnd.nta.widget+json"


class BookWidget(anywidget.AnyWidget):
    """An anywidget whose output also carries what a page without a kernel needs.

    A subclass names its `module` (a folder of `nta_book.page`, bundled into one file) and its
    `label` (read out by screen readers), and tags the traits its front end reads with
    ``sync=True``.  During a book build (`nta_book.viz.in_book`) the output
    carries only the static form.

    Explained in: the Token Lab.
    """

    module: ClassVar[str] = ""
    label: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "_esm" not in cls.__dict__:  # anywidget derives a class per widget, with its own
            cls._esm = lab_module(cls.module)
        super().__init_subclass__(**kwargs)

    def page_state(self) -> dict[str, Any]:
        """Return the values of the widget's own synced traits, as the page's model will hold them.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> from nta_book.lab import TokenLab
        >>> sorted(TokenLab(FIG3).page_state())
        ['address', 'compact', 'draft', 'home', 'play', 'text']
        """
        inherited = set(anywidget.AnyWidget.class_trait_names())
        own = [name for name in self.trait_names(sync=True) if name not in inherited]
        return {name: getattr(self, name) for name in own if not name.startswith("_")}

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        static = {
            "text/plain": repr(self),
            MIME: {"module": self.module, "label": self.label, "state": self.page_state()},
        }
        # None: nothing to talk to a kernel with, and the static form still works
        live = None if in_book() else super()._repr_mimebundle_(**kwargs)
        data, metadata = live or ({}, {})
        return {**data, **static}, metadata
