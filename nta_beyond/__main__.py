"""``python -m nta_beyond`` is the command ``nta``."""

import sys

from nta_beyond.command import main

if __name__ == "__main__":
    sys.exit(main())
