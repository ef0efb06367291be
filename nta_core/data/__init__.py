"""Training data: sequences of tokens and the token that came next, and embeddings for them."""

from nta_core.data.dataset import FIG3, FIG8, Dataset, warn_unrealizable
from nta_core.data.generate import embeddings, random_dataset
