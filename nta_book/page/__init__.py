"""What runs in the reader's browser: scripts and styles."""
