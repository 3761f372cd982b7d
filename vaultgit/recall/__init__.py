"""Finding notes. Reads only."""
