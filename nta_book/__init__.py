"""What a page is made of: pictures, explorers, labs, exercises, results, Sphinx, scripts.

Nothing here computes theory.  Every room is imported by its name: ``from nta_book import viz``.
"""
