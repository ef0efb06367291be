"""Does attention grow sparse on text, and sparser with the rate? Figs. 7 and 10 on a grammar.

One layer of Scan and Snap (no positions, no residual, no normalization layers), trained from zero
on 8,000 windows of 33 tokens of the book's own grammar; η_Y = η_Z is the learning rate.
"""

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import contexts_of, train_on_contexts
from nta_beyond.text import Corpus, Vocabulary, grammar_text, text_windows

TOKENS, WINDOW, WINDOWS, BATCH = 30_000, 33, 8_000, 32
TRAINED = grid(rate=(1, 2, 3, 4, 5), seed=range(5), steps=[2000])
SHORT = ({"rate": 5, "seed": 0, "steps": 60},)  # cheap enough to be computed in every test


def measure(rate: float, seed: int, steps: int) -> dict[str, object]:
    """Mean entropy of attention over positions, loss, and how far attention moved, over time."""
    corpus = Corpus.from_text(grammar_text(TOKENS, seed=0))
    words = Vocabulary.of(corpus)
    windows = text_windows(corpus, words, window=WINDOW, limit=WINDOWS)
    contexts = contexts_of(windows.dataset(words.names))
    run = train_on_contexts(
        contexts, seed=seed, steps=steps, eta_y=rate, eta_z=rate, batch_size=BATCH, record=14
    )
    return {
        "times": run.steps,
        "entropies": run.entropies,
        "losses": run.losses,
        "moves": run.moves,
        "M": contexts.M,
        "n": contexts.n,
    }


EXPERIMENT = Experiment("Sparse attention on text", 13, SHORT + TRAINED, measure)
