"""Speed and weight, measured in one run: ``make bench``."""
