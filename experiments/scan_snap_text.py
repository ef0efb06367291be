"""Does the theory's attention grow sparse on text, and sparser with the rate? Figs. 7 and 10.

One layer of Scan and Snap (no positions, no residual, no normalization layers), trained from zero
on 8,000 windows of 33 words of WikiText-2, of which the 500 most frequent are seen; η_Y = η_Z is
the learning rate.  `scan_snap_wikitext` trains the transformer of the authors' notebook.
"""

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import contexts_from_windows, train_on_contexts
from nta_beyond.text import Vocabulary, named_corpus, text_windows

WORDS, WINDOW, WINDOWS, BATCH = 500, 33, 8_000, 32
TRAINED = grid(rate=(1, 2, 3, 4, 5), seed=range(5), steps=[2000])
SHORT = ({"rate": 5, "seed": 0, "steps": 60},)  # cheap enough to be computed in every test


def measure(rate: float, seed: int, steps: int) -> dict[str, object]:
    """Mean entropy of attention over positions, loss, and how far attention moved, over time."""
    corpus = named_corpus("wikitext-2").corpus("valid.txt")
    words = Vocabulary.of(corpus, WORDS)
    windows = text_windows(corpus, words, window=WINDOW, limit=WINDOWS)
    contexts = contexts_from_windows(windows.tokens, windows.labels, M=words.K)
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


EXPERIMENT = Experiment(
    "Sparse attention on text", 13, SHORT + TRAINED, measure, corpora=("wikitext-2",)
)
