"""What a page is made of: pictures, explorers, labs, exercises, stored results, the Sphinx extension.

Nothing here computes theory.  Every room is imported by its name: ``from nta_book import viz``.
"""
