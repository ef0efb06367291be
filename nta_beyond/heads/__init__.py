"""A head that nobody designed, read as league tables: what does it rank after which last token?

`weights_file`, `tensors`, `layouts` and `norms` find the query and key weights of one head in what
a model stores, `names` writes its vocabulary as ours, `head` makes a table of scores of them,
`leagues` cuts it at a threshold, `rankings`, `odds` and `silences` hold it against the data's own
tables (`texts` cuts a text for it), and `reports` writes it all down (`command` from a terminal).
"""

from nta_beyond.heads.errors import HeadError, MissingTensor, WeightsFileError
from nta_beyond.heads.head import Head
from nta_beyond.heads.leagues import (
    HeadLeagues,
    Stability,
    believed_graphs,
    head_leagues,
    league_stability,
)
from nta_beyond.heads.norms import normalized
from nta_beyond.heads.odds import Excess, OrderAndOdds, excess, order_and_odds
from nta_beyond.heads.rankings import Agreement, agreement
from nta_beyond.heads.reports import Report, report
from nta_beyond.heads.silences import HeadSilence, silence, silent_windows
from nta_beyond.heads.texts import head_windows
from nta_beyond.heads.weights_file import WeightsFile
