"""Stored results of experiments that are too slow for a page."""

from nta_book.results.stored import RESULTS, Cell, StoredResult, stored_file, stored_result
