"""``python -m nta_core corpus.txt``: the league tables of a text."""

import sys

from nta_beyond.text.command import main

if __name__ == "__main__":
    sys.exit(main())
