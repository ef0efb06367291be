"""Commands behind the Makefile: each module is one of them, run as ``python -m tools.<name>``."""
