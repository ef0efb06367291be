"""Python in the page: what runs in the reader's browser, on both sides of the worker."""
