"""One process that builds, refreshes and asks one kind of index; prints its figures as JSON.

`python -m benchmarks.search_worker KIND VAULT QUERIES`: KIND is ours, fts5 (the same notes in a plain FTS5 table: words
joined by OR, no stems, no ranking of ours), tantivy, or ripgrep.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import place
from benchmarks import search_corpus

TEN = 10


def main(kind: str, root: str, queries: int) -> dict[str, Any]:
    asked = search_corpus.questions(search_corpus.Texts(), queries)
    started = _peak()
    made: dict[str, Any] = {"ours": ours, "fts5": fts5, "tantivy": tantivy, "ripgrep": ripgrep}[kind](root, asked)
    return {**made, "peak": _peak(), "peak before": started}


def ours(root: str, asked: list[str]) -> dict[str, Any]:
    from vaultgit.recall import index
    from vaultgit.recall.search import search
    from vaultgit.vault import open_vault

    vault = open_vault(root)
    made: dict[str, Any] = {}
    with vault.repo:
        with index.opened(vault) as opened:
            made["build"] = timed(lambda: opened.now())[:2]
            made["bytes"] = sum(entry.stat().st_size for entry in os.scandir(os.path.dirname(opened.path)))
        made["refresh"], made["walk"], made["refresh, new process"] = [], [], []
        for number in range(8):
            _change(root, number)
            made["walk"].append(timed(lambda: walk(root))[:2])
            with index.opened(vault) as opened:
                made["refresh, new process"].append(timed(lambda opened=opened: opened.now())[:2])  # type: ignore[misc]
                _change(root, number + 100)
                made["refresh"].append(timed(lambda opened=opened: opened.now())[:2])  # type: ignore[misc]
        with index.opened(vault) as opened:
            view = opened.now()
            made["queries"] = _asked(asked, lambda text: len(search(vault, view, text, limit=TEN).hits))
            commit = vault.repo.resolve("HEAD")
            assert commit
            made["at"] = [timed(lambda: opened.at(commit))[:2] for _ in range(2)]
            past = opened.at(commit)
            made["queries at a commit"] = _asked(asked[:40], lambda text: len(search(vault, past, text).hits))
    return made


def fts5(root: str, asked: list[str]) -> dict[str, Any]:
    import sqlite3

    file = os.path.join(place.OUT, "fts5.db")
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(file + ending):
            os.unlink(file + ending)
    db = sqlite3.connect(file, isolation_level=None)

    def build() -> None:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("CREATE VIRTUAL TABLE t USING fts5(body, content='')")
        db.execute("BEGIN")
        for number, path in enumerate(_notes(root)):
            with open(path, encoding="utf-8", errors="replace") as stream:
                db.execute("INSERT INTO t (rowid, body) VALUES (?, ?)", (number, stream.read()))
        db.execute("COMMIT")

    def ask(text: str) -> int:
        words = " OR ".join(f'"{word}"' for word in text.split())
        return len(db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (words,)).fetchall())

    made: dict[str, Any] = {"build": timed(build)[:2]}
    return {**made, "queries": _asked(asked, ask), "bytes": os.path.getsize(file)}


def tantivy(root: str, asked: list[str]) -> dict[str, Any]:
    import tantivy as library  # type: ignore[import-not-found]

    folder = os.path.join(place.OUT, "tantivy")
    place.remove(folder)
    os.makedirs(folder)
    schema = library.SchemaBuilder().add_text_field("body", tokenizer_name="en_stem").build()
    index = library.Index(schema, path=folder)

    def build() -> None:
        writer = index.writer(heap_size=100_000_000, num_threads=1)
        for path in _notes(root):
            with open(path, encoding="utf-8", errors="replace") as stream:
                writer.add_document(library.Document(body=stream.read()))
        writer.commit()
        writer.wait_merging_threads()

    made: dict[str, Any] = {"build": timed(build)[:2]}
    index.reload()
    searcher = index.searcher()
    found = _asked(asked, lambda text: len(searcher.search(index.parse_query(text, ["body"]), TEN).hits))
    return {**made, "queries": found, "bytes": sum(entry.stat().st_size for entry in os.scandir(folder))}


def ripgrep(root: str, asked: list[str]) -> dict[str, Any]:
    command = [shutil.which("rg") or "rg", "--count", "--ignore-case", "--word-regexp"]

    def ask(text: str) -> int:
        given = [part for word in text.split() for part in ("-e", word)]
        return subprocess.run([*command, *given, root], capture_output=True, check=False).stdout.count(b"\n")

    return {"queries": _asked(asked[:10], ask)}


def walk(root: str) -> int:
    """The floor of a refresh: every folder listed, every file asked for its stamp."""
    found = 0
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            os.stat(os.path.join(here, name))
            found += 1
    return found


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall and CPU seconds, children included."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, cpu + after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime, result


def _asked(asked: list[str], ask: Callable[[str], int]) -> list[tuple[float, float]]:
    for text in asked[:20]:
        ask(text)
    return [timed(lambda text=text: ask(text))[:2] for text in asked]  # type: ignore[misc]


def _change(root: str, number: int) -> None:
    from benchmarks import corpus

    with open(os.path.join(root, corpus.path_of(number * 7)), "a", encoding="utf-8") as stream:
        stream.write(f"\nOne more line, {number}.\n")


def _notes(root: str) -> list[str]:
    found = []
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(here, name) for name in names if name.endswith(".md")]
    return found


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
