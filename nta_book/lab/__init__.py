"""Labs: widgets that compute in the page, with or without a kernel.

`TokenLab` trains the layer of Part I on races the reader edits, `ScanSnapLab` the layer of Scan
and Snap; `LeagueRace` is the picture of the start page, `UrnLab` writes texts that collapse.  All
are anywidgets.  With a kernel they are live: `lab.dataset` or `lab.settings` follows the reader's
edits and can be set.  In the built book, where there is no kernel, the same JavaScript module runs
from the state that the output carries.

Explained in: the Token Lab.
"""

from nta_book.lab.league_race import ORDERS, LeagueRace
from nta_book.lab.scan_snap_lab import ScanSnapLab
from nta_book.lab.token_lab import CAT_AND_DOG, TokenLab
from nta_book.lab.urn_lab import UrnLab
from nta_book.lab.widget import MIME, BookWidget
