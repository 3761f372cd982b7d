"""Memory for AI agents in an Obsidian vault, held to account by git."""

__version__ = "0.1.0"
