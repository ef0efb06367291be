"""``python -m nta_book.runtime``: fetch and pack Python for the browser before a build needs it."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from nta_book import runtime

if __name__ == "__main__":
    with TemporaryDirectory() as folder:  # what took time stays in the store
        # Not to have it is no failure: a book without it is a book, and its build says so again.
        made = runtime.write(Path(folder), warn=lambda words: print(words, file=sys.stderr))
    if made is not None:
        print(f"Python for the browser is ready: {made.size / 1e6:.1f} MB")
