"""The write path: the only way bytes get into notes and history."""
