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
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.history import beside
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository

_ATTRIBUTES = ("filter", "text", "eol", "ident", "working-tree-encoding", "crlf")
_NOT = ("unspecified", "unset")
_MAY_FILTER = re.compile(rb"filter|text|eol|ident|crlf|encoding|binary")


class Space:
    """The space of a path that no filter touches: disk, store and text are the same bytes."""

    attributes: tuple[str, ...] = ()  # what git's attributes say of it
    program = ""  # the filter program that its bytes pass through between disk and store
    missing = ""  # the one that attributes name, and that git's config here does not have

    def is_like(self, other: Space) -> bool:
        """Whether both make the same of disk, store and text."""
        return type(self) is type(other) and self.attributes == other.attributes

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
    def __init__(self, file: _File) -> None:
        self.file = file

    def from_disk(self, data: bytes) -> bytes:
        return self.file.stored(self.file.clean(data))

    def to_disk(self, text: bytes, now: bytes | None) -> bytes:
        file = self.file
        oid = file.repo.run("hash-object", "-w", "--no-filters", "--stdin", input=text).decode().strip()
        smudged = file.smudge(oid)
        if now is None:
            return smudged
        clean_now = file.clean(now)
        if file.smudge(clean_now) == now:
            return smudged
        return _with_endings_of(now, file.stored(clean_now), text)


class _DiskSpace(Space):
    def __init__(self, file: _File, program: str) -> None:
        self.file, self.program = file, program
        self.known: dict[str, bytes] = {}  # texts by blob

    def from_blob(self, oid: str, data: bytes) -> bytes:  # noqa: ARG002
        return self.known[oid] if oid in self.known else self.file.smudge(oid)

    def to_blob(self, text: bytes) -> bytes | str:
        return self.file.clean(text)


class _File(NamedTuple):
    """One path, and git's filters at work on it. `place`: where the attributes lie (history/beside.py)."""

    repo: Repository
    path: str
    place: str | None

    def clean(self, data: bytes) -> str:
        """The oid of the blob, just written, that git stores for what lies on disk."""
        where = beside.options(self.place)
        args = (*where, "hash-object", "-w", f"--path={self.path}", "--stdin")
        return self.repo.run(*args, input=data, timeout=60).decode().strip()

    def smudge(self, oid: str) -> bytes:
        args = (*beside.options(self.place), "cat-file", "--filters", f"--path={self.path}", oid)
        return self.repo.run(*args, timeout=60)

    def stored(self, oid: str) -> bytes:
        blob = self.repo.blob(oid)
        if blob is None:
            raise GitError(["cat-file", oid], 128, b"the blob just written is not there")
        return blob.data


def read_at_once(repo: Repository, wanted: Iterable[tuple[Space, str]]) -> None:
    """Reads blobs (by oid) that filter programs are for in as few processes as goes, so that their spaces know them: a
    program that is asked for one file at a time starts for each. What cannot be read so is read alone, when it is asked
    for, and says why."""
    places: dict[str | None, list[tuple[_DiskSpace, str]]] = {}
    for space, oid in wanted:
        if isinstance(space, _DiskSpace) and oid not in space.known and "\n" not in space.file.path:
            places.setdefault(space.file.place, []).append((space, oid))
    for place, pairs in places.items():
        if len(pairs) > 1:
            mark = os.urandom(16).hex().encode()  # what stands in front of each text; its size, git does not say
            asked = b"".join(b"%b %b\n" % (oid.encode(), os.fsencode(space.file.path)) for space, oid in pairs)
            args = (*beside.options(place), "cat-file", f"--batch={mark.decode()}", "--filters")
            try:
                done = repo.call(*args, input=asked, timeout=60)
            except GitError:
                continue
            texts = done.stdout.split(mark + b"\n")[1:]
            if done.returncode == 0 and len(texts) == len(pairs):
                for (space, oid), text in zip(pairs, texts, strict=True):
                    space.known[oid] = text[:-1]


def spaces(repo: Repository, paths: Iterable[str], place: str | None = None) -> dict[str, Space]:
    """The space of each path (relative to the work tree). `place`: a folder with other .gitattributes than lie in the
    work tree (history/beside.py)."""
    paths = list(paths)
    plain: dict[str, Space] = {path: Space() for path in paths}
    if repo.bare:
        return plain  # nothing is on disk, and no filter program runs for what somebody pushes
    converts = repo.setting("core.autocrlf").lower() in ("true", "input") or bool(repo.setting("core.eol"))
    files = _attribute_files(repo, paths, place)
    if not paths or not (converts or any(_MAY_FILTER.search(text) for text in files)):
        return plain
    args = (*beside.options(place), "check-attr", "-z", *_ATTRIBUTES, "--", *paths)
    out = os.fsdecode(repo.run(*args)).split("\0")
    of: dict[str, dict[str, str]] = {path: {} for path in paths}
    for path, name, value in zip(out[0::3], out[1::3], out[2::3], strict=False):
        of[path][name] = value
    return {path: _space(_File(repo, path, place), attributes, converts) for path, attributes in of.items()}


def _space(file: _File, attributes: Mapping[str, str], converts: bool) -> Space:
    named = attributes.get("filter", "unspecified")
    program = "" if named in ("unspecified", "unset", "set") else named  # "set", to git, names none
    known = bool(program) and any(file.repo.setting(f"filter.{program}.{way}") for way in ("clean", "process"))
    eol = converts or any(attributes.get(name, "unspecified") not in _NOT for name in _ATTRIBUTES[1:])
    space: Space
    if known:
        space = _DiskSpace(file, program)
    elif (attributes.get("text") != "unset" and eol) or attributes.get("ident") == "set":
        space = _CleanSpace(file)
    else:
        space = Space()
    space.missing = "" if known else program
    space.attributes = tuple(attributes.values()) if type(space) is not Space else ()
    return space


def unknown(repo: Repository, paths: Iterable[str]) -> dict[str, str]:
    """The paths that attributes have go through a filter program which git's config here does not know, and its name:
    what lies there is what git stores (ciphertext, a pointer), and git stores what is written there as it is."""
    return {path: space.missing for path, space in _named(repo, paths).items() if space.missing}


def through(repo: Repository, paths: Iterable[str]) -> dict[str, str]:
    """The paths that go through a filter program, known here or not, and its name."""
    every = _named(repo, paths).items()
    return {path: space.program or space.missing for path, space in every if space.program or space.missing}


def _named(repo: Repository, paths: Iterable[str]) -> dict[str, Space]:
    paths = list(paths)
    if repo.bare or not any(b"filter" in text for text in _attribute_files(repo, paths)):
        return {}
    return spaces(repo, paths)


def _attribute_files(repo: Repository, paths: Iterable[str], place: str | None = None) -> Iterable[bytes]:
    config_home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    everywhere = repo.setting("core.attributesfile") or os.path.join(config_home, "git", "attributes")
    files = [os.path.expanduser(everywhere), "/etc/gitattributes", os.path.join(repo.common_dir, "info", "attributes")]
    folders = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        folders.update("/".join(parts[: n + 1]) for n in range(len(parts)))
    files.extend(os.path.join(place or repo.worktree, folder, beside.ATTRIBUTES) for folder in folders)
    for number, file in enumerate(files):
        # As git does: in the work tree no link counts (a clone may bring one to a device), nor what is no file.
        follow = 0 if number < 3 else os.O_NOFOLLOW
        try:
            with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | follow), "rb") as stream:
                if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    yield stream.read()
        except OSError:
            continue


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
