"""The queue: edits accepted but not landed. One file an edit, fsynced with its folder before anybody is told.

Files of the state folder (mode 0700; never delete):
    lock            held by whoever lands            queue/ID.json    an edit
    plans/ROUND     a landing under way              landed/ROUND     the last landings, for repair and answers
    tmp/            temporaries, on the same file system as the vault wherever that is possible
    committing/PID  a `git commit` of a person that is under way (our hook leaves it)

What lies there is data: an entry is held to the path rules again when it is read, and one of another user is theirs.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

if TYPE_CHECKING:
    from vaultgit.edits.edit import Edit
    from vaultgit.history.repository import Repository

FOLDERS = ("queue", "plans", "landed", "tmp", "committing")


def prepare(state: str) -> None:
    """Makes the state folder; private, since queued notes lie in it. (The hook may have made part of it.)

    Raises OSError for one that is another user's: what lies in it would be told by them.
    """
    owners = _owners(state)
    for folder in (state, os.path.join(state, "queue"), os.path.join(state, "plans")):
        if is_foreign(folder, owners):
            raise OSError(errno.EPERM, "it belongs to another user", folder)
    missing = [name for name in FOLDERS if not os.path.isdir(os.path.join(state, name))]
    if missing:
        for name in missing:
            os.makedirs(os.path.join(state, name), mode=0o700, exist_ok=True)
        for folder in (os.path.dirname(state), state, *(os.path.join(state, name) for name in missing)):
            os.chmod(folder, 0o700)


def put(state: str, edit: Edit) -> None:
    """Stores an edit; when this returns, it survives kill -9 and power loss."""
    from vaultgit.edits.edit import to_json

    write_json(os.path.join(state, "queue", f"{edit.id}.json"), to_json(edit))


def entries(repo: Repository, state: str, prefix: str) -> list[Edit]:
    """What waits for this work tree and vault, oldest first. What a work tree left that is gone is the main one's."""
    return [e for e in _all(state) if home(repo, e.place) == repo.place and e.prefix == prefix]


def home(repo: Repository, place: str) -> str:
    """The work tree that sees to what was made in `place`."""
    return place if os.path.isdir(os.path.join(repo.common_dir, place)) else "."


class Elsewhere(NamedTuple):
    """What the queue holds that is not for this work tree and vault."""

    waiting: int
    damaged: list[str]  # files that hold no edit any more


def elsewhere(repo: Repository, state: str, prefix: str) -> Elsewhere:
    """For `status`, so that nothing that was acknowledged is out of sight."""
    folder = os.path.join(state, "queue")
    names = [name for name in listing(folder) if name.endswith(".json")]
    damaged = [os.path.join(folder, name) for name in names if _edit(os.path.join(folder, name)) is None]
    damaged = [path for path in damaged if os.path.lexists(path)]  # not landed meanwhile
    here = len(entries(repo, state, prefix))
    return Elsewhere(max(0, len(names) - len(damaged) - here), damaged)


def get(state: str, edit_id: str) -> Edit | None:
    return _edit(os.path.join(state, "queue", f"{edit_id}.json"))


def remove(state: str, edit_id: str) -> None:
    unlink(os.path.join(state, "queue", f"{edit_id}.json"))


def _all(state: str) -> list[Edit]:
    folder = os.path.join(state, "queue")
    # By its whole name: a sync service's copy, "ID 2.json", is no second edit.
    owners = _owners(state)
    if is_foreign(state, owners) or is_foreign(folder, owners):
        return []
    names = [name for name in listing(folder) if name.endswith(".json") and " " not in name]
    paths = [os.path.join(folder, name) for name in names]
    found = [_edit(path) for path in paths if not is_foreign(path, owners)]
    return sorted((e for e in found if e is not None), key=lambda e: (e.order, e.id))


def _edit(path: str) -> Edit | None:
    """The edit of a file; None where it has landed meanwhile, or is damaged (it stays there, and blocks no other)."""
    from vaultgit.edits.edit import from_json  # here: the hook reads records of this folder, but no edits

    try:
        record = read_json(path)
        edit = None if record is None else from_json(record)
        return edit if edit is not None and _is_fit(edit, path) else None
    except (ValueError, KeyError, TypeError, AttributeError, IsADirectoryError):
        return None


def _is_fit(edit: Edit, path: str) -> bool:
    """Whether an entry could have been accepted: anything that runs as this user can write a file here."""
    from vaultgit.checks.protected import path_problems
    from vaultgit.edits.edit import ID

    agents = edit.agent is not None
    named = ID.fullmatch(edit.id) is not None and os.path.basename(path) == f"{edit.id}.json"
    on_branch = edit.branch is None or edit.branch.startswith("refs/heads/")
    words = (edit.subject, *edit.author, *(word for pair in edit.trailers for word in pair))
    if not named or not on_branch or any("\n" in word for word in words):  # a line may claim another edit's id
        return False
    return not any(path_problems(change.path, agent=agents) for change in edit.changes)


def _owners(state: str) -> set[int]:
    """Whose files count: this user's, and those of whom git takes the repository's to be."""
    owners = {os.geteuid()}
    try:
        owners.add(os.stat(os.path.dirname(os.path.dirname(state))).st_uid)
    except OSError:
        pass
    return owners


def is_foreign(path: str, owners: set[int]) -> bool:
    """Whether a file or folder there is of none of these users. One that is not there is nobody's."""
    try:
        return os.lstat(path).st_uid not in owners
    except OSError:
        return False


# -- durable little files ----------------------------------------------------------------------------------------


def write_json(path: str, record: Any) -> None:
    """A whole file or none: temporary, fsync, rename, fsync of the folder."""
    temporary = f"{path}.{os.getpid()}.tmp"
    known = os.path.lexists(path)
    try:
        write_file(temporary, json.dumps(record).encode("ascii"), 0o600)
        os.rename(temporary, path)
    except BaseException:
        unlink(temporary)
        raise
    try:
        sync_folder(os.path.dirname(path))
    except OSError:
        if not known:
            unlink(path)  # "not saved" must not land later; what was accepted before stays
        raise


def write_file(path: str, data: bytes, mode: int, *, sync: bool = True) -> None:
    """A new file with these bytes, fsynced unless nothing depends on it."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def read_json(path: str) -> Any:
    """The file's record; None where there is no file. Raises ValueError for what is no JSON, or no plain file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would be waited for
    except FileNotFoundError:
        return None
    with open(fd, "rb") as stream:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError(f"{path} is no plain file")
        try:
            return json.loads(stream.read())
        except RecursionError as error:
            raise ValueError(f"{path}: {error}") from error


def listing(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
