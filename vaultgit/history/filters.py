"""git's own filters between disk and object store: line endings, ident, clean/smudge programs, encodings.

Each path has a space in which its text is merged and checked. Without a filter that is the bytes themselves. With
line-ending or ident conversion it is the clean side (what git stores), where both sides of a merge look alike.
With a filter program (git-crypt, LFS) it is the disk side: the stored bytes are no text at all.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable

from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository

_ATTRIBUTES = ("filter", "text", "eol", "ident", "working-tree-encoding", "crlf")
_MAY_FILTER = re.compile(rb"filter|text|eol|ident|crlf|encoding|binary")


class Space:
    """The space of a path that no filter touches: disk, store and text are the same bytes."""

    def from_disk(self, data: bytes) -> bytes:
        return data

    def from_blob(self, oid: str, data: bytes) -> bytes:  # noqa: ARG002
        return data

    def to_blob(self, text: bytes) -> bytes | str:
        """Stored bytes, or the oid of a blob just written, for a text of this space."""
        return text

    def to_disk(self, text: bytes, now: bytes | None) -> bytes:  # noqa: ARG002
        """Disk bytes for a text of this space; `now` is what lies there, whose line endings are kept."""
        return text


class _CleanSpace(Space):
    def __init__(self, repo: Repository, path: str) -> None:
        self.repo, self.path = repo, path

    def from_disk(self, data: bytes) -> bytes:
        return _stored(self.repo, _clean(self.repo, self.path, data))

    def to_disk(self, text: bytes, now: bytes | None) -> bytes:
        oid = self.repo.run("hash-object", "-w", "--no-filters", "--stdin", input=text).decode().strip()
        smudged = _smudge(self.repo, self.path, oid)
        if now is None:
            return smudged
        clean_now = _clean(self.repo, self.path, now)
        if _smudge(self.repo, self.path, clean_now) == now:
            return smudged
        return _with_endings_of(now, _stored(self.repo, clean_now), text)


class _DiskSpace(Space):
    def __init__(self, repo: Repository, path: str) -> None:
        self.repo, self.path = repo, path

    def from_blob(self, oid: str, data: bytes) -> bytes:  # noqa: ARG002
        return _smudge(self.repo, self.path, oid)

    def to_blob(self, text: bytes) -> bytes | str:
        return _clean(self.repo, self.path, text)


def spaces(repo: Repository, paths: Iterable[str]) -> dict[str, Space]:
    """The space of each path (relative to the work tree)."""
    paths = list(paths)
    plain: dict[str, Space] = {path: Space() for path in paths}
    if repo.bare:
        return plain  # nothing is on disk, and no filter program runs for what somebody pushes
    converts = repo.setting("core.autocrlf").lower() in ("true", "input") or bool(repo.setting("core.eol"))
    if not paths or not (converts or any(_MAY_FILTER.search(text) for text in _attribute_files(repo, paths))):
        return plain
    out = os.fsdecode(repo.run("check-attr", "-z", *_ATTRIBUTES, "--", *paths)).split("\0")
    of: dict[str, dict[str, str]] = {path: {} for path in paths}
    for path, name, value in zip(out[0::3], out[1::3], out[2::3], strict=False):
        of[path][name] = value
    for path, attributes in of.items():
        program = attributes.get("filter", "unspecified")
        if program not in ("unspecified", "unset") and repo.setting(f"filter.{program}.clean"):
            plain[path] = _DiskSpace(repo, path)
        elif program not in ("unspecified", "unset") and repo.setting(f"filter.{program}.process"):
            plain[path] = _DiskSpace(repo, path)
        elif attributes.get("text") != "unset" and (
            converts
            or any(attributes.get(name, "unspecified") not in ("unspecified", "unset") for name in _ATTRIBUTES[1:])
        ):
            plain[path] = _CleanSpace(repo, path)
        elif attributes.get("ident") == "set":
            plain[path] = _CleanSpace(repo, path)
    return plain


def _attribute_files(repo: Repository, paths: Iterable[str]) -> Iterable[bytes]:
    config_home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    everywhere = repo.setting("core.attributesfile") or os.path.join(config_home, "git", "attributes")
    files = [os.path.expanduser(everywhere), "/etc/gitattributes", os.path.join(repo.common_dir, "info", "attributes")]
    folders = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        folders.update("/".join(parts[: n + 1]) for n in range(len(parts)))
    files.extend(os.path.join(repo.worktree, folder, ".gitattributes") for folder in folders)
    for number, file in enumerate(files):
        # As git does: in the work tree no link counts (a clone may bring one to a device), nor what is no file.
        follow = 0 if number < 3 else os.O_NOFOLLOW
        try:
            with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | follow), "rb") as stream:
                if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    yield stream.read()
        except OSError:
            continue


def _clean(repo: Repository, path: str, data: bytes) -> str:
    return repo.run("hash-object", "-w", f"--path={path}", "--stdin", input=data, timeout=60).decode().strip()


def _smudge(repo: Repository, path: str, oid: str) -> bytes:
    return repo.run("cat-file", "--filters", f"--path={path}", oid, timeout=60)


def _stored(repo: Repository, oid: str) -> bytes:
    blob = repo.blob(oid)
    if blob is None:
        raise GitError(["cat-file", oid], 128, b"the blob just written is not there")
    return blob.data


def _with_endings_of(disk: bytes, disk_clean: bytes, text: bytes) -> bytes:
    """`text` with each line that was there already as it lies on disk, new lines with the ending that prevails."""
    import difflib

    old_raw, old, new = (data.split(b"\n") for data in (disk, disk_clean, text))
    if len(old_raw) != len(old):
        return text
    ended = [raw.endswith(b"\r") and not clean.endswith(b"\r") for raw, clean in zip(old_raw, old, strict=True)]
    crlf = sum(ended) * 2 > len(old_raw) - 1
    out: list[bytes] = []
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            out.extend(old_raw[i1:i2])
        else:
            last = len(new) - 1
            # A line that was changed ends as it did, a new one as most do.
            ends = ended[i1:i2] if i2 - i1 == j2 - j1 else [crlf] * (j2 - j1)
            out.extend(new[j] + (b"\r" if ends[j - j1] and j != last else b"") for j in range(j1, j2))
    return b"\n".join(out)
