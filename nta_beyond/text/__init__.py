"""Real text as races: windows of a corpus, their token-priority graphs, and how far they predict.

`tokens`, `pieces` and `vocabulary` say what a token is, `corpus` reads files in pieces, `corpora`
knows published ones by their names, `windows` cuts the
races, `edges` collects who beat whom (`distributed` on many machines), `summary` and `decisions`
read the league tables, `predictors` compares the automaton with its rivals, `command`
is the command line, and `grammar` writes text of the book's own.
"""

from nta_beyond.text.corpora import Article, NamedCorpus, named_corpus
from nta_beyond.text.corpus import Corpus
from nta_beyond.text.decisions import Decisions, LeagueTables
from nta_beyond.text.distributed import token_edges
from nta_beyond.text.edges import TokenEdges, growing_edges, read_edges, window_edges
from nta_beyond.text.grammar import grammar_paragraphs, grammar_text
from nta_beyond.text.parquet import write_parquet
from nta_beyond.text.pieces import WordPieces
from nta_beyond.text.predictors import (
    Bigram,
    BigramInWindow,
    HeldOutScore,
    Mixed,
    PastWins,
    Predictor,
    TextAutomaton,
    TrainedLayer,
    Unigram,
    Untrained,
    held_out_scores,
)
from nta_beyond.text.strengths import Strengths, fit_strengths
from nta_beyond.text.summary import Tracks, tracks
from nta_beyond.text.tokens import SpacedWords, Words, tokens_of
from nta_beyond.text.vocabulary import Vocabulary
from nta_beyond.text.windows import Windows, text_windows, window_blocks
