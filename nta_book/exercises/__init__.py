"""Checkers for the exercises, one module per chapter, which explains what they ask for.

A checker looks at a reader's answer and says "ok", or gives one hint about the first thing that is
wrong.  It never raises on a wrong answer, so that "Run all" reaches the end of every chapter.
"""

from nta_book.exercises.verdict import Hints, Verdict, checker, close
