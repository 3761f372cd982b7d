"""Owned blocks in foreign files: init, hooks, and their exact inverses."""
