"""Whether slow tests look at every page of the book, or at a sample with one page of each kind.

``make test`` takes samples; ``make engines`` and ``make elsewhere`` set ``NTA_EVERY_PAGE``.
"""

import os

EVERY_PAGE = bool(os.environ.get("NTA_EVERY_PAGE"))
