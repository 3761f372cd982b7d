"""An index of a vault, opened in the test's own process, and all that it says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support import Folder

from vaultgit.recall import index
from vaultgit.recall.index import Index
from vaultgit.recall.index import View
from vaultgit.recall.search import search
from vaultgit.vault import open_vault


@contextmanager
def indexed(folder: Folder) -> Iterator[Index]:
    vault = open_vault(str(folder.root))
    with vault.repo, index.opened(vault) as opened:
        yield opened


def told(view: View) -> list[tuple[Any, ...]]:
    """All that an index says of its notes, links among them."""
    return [(*note, view.back(note.path), view.out(note.path)) for note in view.notes()]


def now(folder: Folder) -> list[tuple[Any, ...]]:
    with indexed(folder) as opened:
        return told(opened.now())


def fresh(folder: Folder) -> list[tuple[Any, ...]]:
    """The same from an index that was never there before."""
    shutil.rmtree(cache(folder), ignore_errors=True)
    return now(folder)


def cache(folder: Folder) -> Path:
    return folder.root / ".git/vaultgit/cache/search"


def finds(folder: Folder, text: str, **options: Any) -> list[str]:
    with indexed(folder) as opened:
        return [hit.path for hit in search(opened.vault, opened.now(), text, **options).hits]
