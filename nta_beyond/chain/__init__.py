"""Generation as a chain: what one layer says when it must go on from its own words.

`TokenChain` is the layer as a generator, a Markov chain conditioned by the counts of its context;
`simulate` writes many texts at once, `count_chances` computes short ones exactly, `fit_odds` reads
the strengths off texts, and `takeover` says how many copies put a loser on top.
"""

from nta_beyond.chain.draws import mulberry32
from nta_beyond.chain.exact import count_chances
from nta_beyond.chain.generator import TokenChain, simulate
from nta_beyond.chain.odds import OddsFit, fit_odds
from nta_beyond.chain.threshold import takeover
