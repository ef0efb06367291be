"""The Token Lab: train one attention layer in the page, with or without a kernel.

`TokenLab` is an anywidget.  With a kernel it is live: `lab.dataset` follows the reader's edits and
can be set.  In the built book, where there is no kernel, the same JavaScript module runs from the
state that the output carries.  `MODULES` tells the book which modules to bring.

Explained in: the Token Lab.
"""

from nta_core.lab.token_lab import MODULE, TokenLab
from nta_core.lab.widget import MIME, BookWidget

#: Name and file of every JavaScript module that a `BookWidget` of this package names.
MODULES = {TokenLab.module: MODULE}

__all__ = ["MIME", "MODULES", "BookWidget", "TokenLab"]
