"""What search is held against: SQLite's FTS5 with the words joined by OR, and BM25 over stems without stop words."""

from __future__ import annotations

import math
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from vaultgit.recall import words

_K1, _B = 1.2, 0.75


def ways(folder: str) -> dict[str, Callable[[str], list[str]]]:
    texts = {os.path.relpath(path, folder): path.read_text("utf-8") for path in sorted(Path(folder).rglob("*.md"))}
    return {"FTS5, words joined by OR": _fts5(texts), "BM25, stems, no stop words": _bm25(texts)}


def _fts5(texts: dict[str, str]) -> Callable[[str], list[str]]:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE note USING fts5(path UNINDEXED, body)")
    database.executemany("INSERT INTO note VALUES (?, ?)", texts.items())

    def find(text: str) -> list[str]:
        asked = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        rows = database.execute("SELECT path FROM note WHERE note MATCH ? ORDER BY rank LIMIT 20", (asked,))
        return [path for (path,) in rows]

    return find


def _bm25(texts: dict[str, str]) -> Callable[[str], list[str]]:
    counts = {path: Counter(_stems(text)) for path, text in texts.items()}
    lengths = {path: sum(of.values()) for path, of in counts.items()}
    average = sum(lengths.values()) / len(lengths)
    notes = Counter(stem for of in counts.values() for stem in of)

    def find(text: str) -> list[str]:
        asked = {stem: math.log(1 + (len(texts) - notes[stem] + 0.5) / (notes[stem] + 0.5)) for stem in _stems(text)}
        scores = {}
        for path, of in counts.items():
            saturates = _K1 * (1 - _B + _B * lengths[path] / average)
            scores[path] = sum(idf * of[stem] * (_K1 + 1) / (of[stem] + saturates) for stem, idf in asked.items())
        return sorted((path for path, of in scores.items() if of), key=lambda path: (-scores[path], path))[:20]

    return find


def _stems(text: str) -> list[str]:
    return [stem for word in words.found(text) if not words.is_stop(word) for stem in words.stem(word).split()]
