"""What runs in the reader's browser: scripts and styles, bundled by `nta_book.page.bundle`."""
