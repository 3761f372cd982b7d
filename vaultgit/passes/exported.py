"""Which folders outside the vault hold copies of its skills, and what there is ours.

The folders are remembered in this clone's git config, never in a file that travels with the notes. In each NAME folder
a file `.vaultgit` says from which note it comes and what we wrote: a folder without one is not ours, and a file that is
not as we wrote it was edited there.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from vaultgit.edits import queue
from vaultgit.edits.lock import Lock
from vaultgit.errors import VaultgitError
from vaultgit.history import private
from vaultgit.passes import skills
from vaultgit.recall.skills import stem
from vaultgit.vault import Vault

MARK = ".vaultgit"
_WAIT = 20.0  # seconds for another export
_WITH_NAMES = re.compile(r"(.*) :: ([a-z0-9-]+(?: [a-z0-9-]+)*)", re.DOTALL)


class Folder(NamedTuple):
    """A folder that is kept in step. `names`: only these skills; () for all."""

    path: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.path} :: {' '.join(self.names)}" if self.names else self.path


class Mark(NamedTuple):
    """What `.vaultgit` in an exported folder says. `vault`, `note`, `oid`: from where. `files`: path inside the folder
    -> hashes of what may lie there as ours (two while it is being replaced)."""

    vault: str
    note: str
    oid: str
    files: dict[str, list[str]]


def names(vault: Vault) -> set[str]:
    """The names of skills that are exported somewhere: their use is seen nowhere, so nothing prunes them."""
    found: set[str] = set()
    for folder in remembered(vault):
        found |= {*folder.names, *(stem(mark.note) for mark in marks(vault, folder.path).values())}
        if not folder.names and not os.path.isdir(folder.path):  # on a disk that is not there now: who knows
            found |= {skill.name for skill in skills.committed(vault).skills}
    return found


# -- folders -------------------------------------------------------------------------------------------------------


def _key(vault: Vault, name: str = "export") -> str:
    """In git's config; a vault below the repository's root has folders of its own."""
    return f"vaultgit.{vault.prefix}.{name}" if vault.prefix else f"vaultgit.{name}"


def remembered(vault: Vault) -> list[Folder]:
    return [_folder(value) for value in _values(vault, _key(vault))]


def _folder(value: str) -> Folder:
    named = _WITH_NAMES.fullmatch(value)
    return Folder(named[1], tuple(named[2].split())) if named else Folder(value)


def _values(vault: Vault, key: str) -> list[str]:
    out = vault.repo.call("config", "--local", "-z", "--get-all", key).stdout
    return [os.fsdecode(value) for value in out.split(b"\0") if value]


def remember(vault: Vault, folder: Folder) -> None:
    """Notes a folder, in the place of what was noted of it before."""
    known = [one for one in remembered(vault) if one.path == folder.path]
    if known != [folder]:
        forget(vault, folder.path)
        vault.repo.run("config", "--local", "--add", _key(vault), str(folder))


def forget(vault: Vault, path: str) -> None:
    for one in remembered(vault):
        if one.path == path:
            vault.repo.call("config", "--local", "--fixed-value", "--unset-all", _key(vault), str(one))


def make(vault: Vault, path: str) -> None:
    """Makes the folder, and notes what of it is ours to take away."""
    top = path
    while not os.path.lexists(os.path.dirname(top)):
        top = os.path.dirname(top)
    if not os.path.isdir(path):
        os.makedirs(path)
        vault.repo.run("config", "--local", "--add", _key(vault, "exportmade"), top)


def unmake(vault: Vault, path: str) -> None:
    """Takes the folder away, with those above it that we made, where nothing else is in them."""
    for top in _values(vault, _key(vault, "exportmade")):
        if path == top or path.startswith(top + os.sep):
            here = path
            try:
                while here == top or here.startswith(top + os.sep):
                    os.rmdir(here)
                    here = os.path.dirname(here)
            except OSError:
                pass  # somebody put something there: it is theirs now
            vault.repo.call("config", "--local", "--fixed-value", "--unset-all", _key(vault, "exportmade"), top)


# -- marks ---------------------------------------------------------------------------------------------------------


def marks(vault: Vault, folder: str) -> dict[str, Mark]:
    """The exported folders in a folder that are this vault's, by name."""
    found = {name: mark(os.path.join(folder, name)) for name in queue.listing(folder) if not name.startswith(".")}
    return {name: one for name, one in found.items() if one is not None and is_ours(vault, one)}


def mark(folder: str) -> Mark | None:
    """The mark in one exported folder; None for one that is nobody's."""
    if os.path.islink(folder):
        return None
    try:
        found = queue.read_json(os.path.join(folder, MARK))
        files = {str(path): [str(one) for one in hashes] for path, hashes in found["files"].items()}
        if not all(map(_is_inside, files)):  # a folder that somebody else made may say anything
            return None
        return Mark(str(found["vault"]), str(found["note"]), str(found["oid"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_inside(path: str) -> bool:
    """Whether a path that a mark names stays in its folder, whoever reads it: what it names may be taken away."""
    return not any(part in ("", ".", "..", MARK) or "\\" in part or "\0" in part for part in path.split("/"))


def is_ours(vault: Vault, found: Mark) -> bool:
    """A vault that has moved knows its folders by the note they come from."""
    if found.vault == os.path.realpath(vault.root):
        return True
    return not os.path.isdir(found.vault) and vault.repo.blob(found.oid) is not None


def write_mark(folder: str, found: Mark) -> None:
    text = json.dumps(found._asdict(), indent=1, sort_keys=True) + "\n"
    put(os.path.join(folder, MARK), text.encode(), 0o644)


_TEMPORARY = ".vaultgit-tmp"


def put(path: str, data: bytes, mode: int) -> None:
    """A whole file or the one that was there: clients read while we write."""
    temporary = path + _TEMPORARY
    try:
        queue.write_file(temporary, data, mode, sync=False)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    finally:
        queue.unlink(temporary)


def sweep(path: str) -> None:
    """Takes away what a run that was killed left beside a file."""
    queue.unlink(path + _TEMPORARY)


def is_free(folder: str) -> bool:
    """Whether a new exported folder may be made there: nothing is, or what a run that was killed at once left."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return not os.path.lexists(folder)
    return {*os.listdir(folder)} <= {MARK + _TEMPORARY}


@contextmanager
def alone(vault: Vault) -> Iterator[None]:
    """One export at a time: hooks of several sessions may start them."""
    place = os.path.join(vault.state, "export")
    queue.prepare(vault.state)
    private.make(place)
    lock = Lock(place)
    try:
        if not lock.take(_WAIT):
            raise VaultgitError("another export is at work", "run it again when that is done")
        yield
    finally:
        lock.release()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


NO_FILE = b"\0a link or a folder"  # nothing that we ever wrote


def read(folder: str, path: str) -> bytes | None:
    """A file of an exported folder; None where there is none, NO_FILE where something else lies in its place."""
    here = folder
    for part in path.split("/"):
        here = os.path.join(here, part)
        if os.path.islink(here):
            return NO_FILE
    try:
        with open(os.open(here, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else NO_FILE
    except FileNotFoundError:
        return None
    except (IsADirectoryError, NotADirectoryError):
        return NO_FILE
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            return NO_FILE
        raise
