"""The vault around a change, for rules that look beyond the files that change: who is there, and what they hold.

`Around` answers for the vault as it is after the change. Where the other files are looked up (on disk, in the index, in
a commit) is a `Place`, asked only when a rule needs it: listing 100,000 names takes half a second.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.notes.links import Resolver
from vaultgit.notes.links import fold

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Collection
    from collections.abc import Iterable

    from vaultgit.checks.change import FileChange
    from vaultgit.vault import Disk
    from vaultgit.vault import Vault


FEW = 40  # names that git looks for one by one; more cost more than listing all


class Place(NamedTuple):
    """Where files are looked up. `named`: paths whose last part is one of these folded names, and maybe others."""

    read: Callable[[str], bytes | None]
    exists: Callable[[str], bool]
    named: Callable[[Collection[str]], Iterable[str]]


class Around:
    """A place, with the files of a change as the change leaves them."""

    def __init__(self, place: Place, files: Iterable[FileChange] = ()) -> None:
        self._place = place
        self._changed = {file.path: file.after for file in files}

    def read(self, path: str) -> bytes | None:
        return self._changed[path] if path in self._changed else self._place.read(path)

    def exists(self, path: str) -> bool:
        return self._changed[path] is not None if path in self._changed else self._place.exists(path)

    def one(self, target: str, source: str) -> str | None:
        """The file that a link in the note `source` means; None where it means none, or several."""
        for path in (target, f"{target}.md"):
            if not target.startswith((".", "/")) and self.exists(path):
                return path
        found = self.may_mean(target, source)
        return found[0] if len(found) == 1 else None

    def may_mean(self, target: str, source: str) -> list[str]:
        """All files that a link in the note `source` may mean."""
        return Resolver(self.named({target})).resolve(target, source)

    def named(self, targets: Iterable[str]) -> list[str]:
        """All files that these link targets may mean, as `links.Resolver` wants them."""
        last = {fold(target.rpartition("/")[2]) for target in targets}
        names = last | {f"{name}.md" for name in last}
        found = [path for path in self._place.named(names) if path not in self._changed and visible(path)]
        made = [path for path, data in self._changed.items() if data is not None and visible(path)]
        return found + [path for path in made if fold(path.rpartition("/")[2]) in names]


def visible(path: str) -> bool:
    """Whether Obsidian shows a file: neither it nor a folder on its way begins with a dot."""
    return not path.startswith(".") and "/." not in path


def on_disk(disk: Disk, files: Collection[str] | None = None) -> Place:
    """The vault as it lies. `files`: all paths in it, where the caller has listed them already."""
    known: list[Collection[str]] = [files] if files is not None else []

    def listed(_names: Collection[str]) -> Iterable[str]:
        if not known:
            known.append(list(disk.files()))
        return known[0]

    if isinstance(files, set | frozenset):
        return Place(disk.read, files.__contains__, listed)
    return Place(disk.read, lambda path: os.path.isfile(os.path.join(disk.root, path)), listed)


def in_index(vault: Vault, disk: Disk, index_file: str | None = None) -> Place:
    """What a commit of the index would hold; what git does not have is looked up on disk (a note may be kept out of
    git, and is linked like any other)."""
    lying = on_disk(disk)

    def read(path: str) -> bytes | None:
        data = disk.read(path)
        if data is None and "\n" not in path:
            blob = vault.repo.blob(f"HEAD:{vault.prefix}{path}")
            return blob.data if blob else None
        return data

    def named(names: Collection[str]) -> Iterable[str]:
        found = index_names(vault, names, index_file)
        missing = set(names) - {fold(path.rpartition("/")[2]) for path in found}
        bare = {name for name in missing if not name.endswith(".md") and f"{name}.md" in missing}
        return [*found, *(path for path in lying.named(bare) if path not in found)] if bare else found

    return Place(read, lying.exists, named)


def index_names(vault: Vault, names: Collection[str], index_file: str | None = None) -> set[str]:
    """Paths of the index whose last part is one of these folded names, and maybe others."""
    env = {"GIT_INDEX_FILE": index_file} if index_file else {}
    if len(names) <= FEW and all(name.isascii() for name in names):
        # Only these: git compares without regard to case for ASCII alone.
        env["GIT_LITERAL_PATHSPECS"] = "0"
        escaped = (_escaped(name) for name in sorted(names))
        scope = [f":(top,icase,glob){_escaped(vault.prefix)}**/{name}" for name in escaped]
    else:
        scope = [vault.prefix] if vault.prefix else []
    out = vault.repo.run("ls-files", "-z", "--", *scope, env=env)
    return {os.fsdecode(name)[len(vault.prefix) :] for name in out.split(b"\0") if name}


def _escaped(text: str) -> str:
    return re.sub(r"([*?\[\\])", r"\\\1", text)


def at_commit(vault: Vault, commit: str) -> Place:
    """The vault as one commit holds it."""
    known: list[list[str]] = []

    def read(path: str) -> bytes | None:
        blob = vault.repo.blob(f"{commit}:{vault.prefix}{path}") if "\n" not in path else None
        return blob.data if blob else None

    def named(_names: Collection[str]) -> Iterable[str]:
        if not known:
            known.append(commit_paths(vault, commit))
        return known[0]

    return Place(read, lambda path: read(path) is not None, named)


def commit_paths(vault: Vault, commit: str) -> list[str]:
    """All files of the vault in a commit, relative to the vault."""
    scope = ["--", vault.prefix] if vault.prefix else []
    out = vault.repo.run("ls-tree", "-r", "-z", "--name-only", commit, *scope)
    return [os.fsdecode(name)[len(vault.prefix) :] for name in out.split(b"\0") if name]
