"""The vault: its repository, layout, settings and note types, opened once.

`Rules` says which notes are managed and by which schema. It is read from a `Source`: the disk for local work, a
commit's tree for CI and servers (where a branch must not be judged by the schemas it brings along).
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple
from typing import Protocol

from vaultgit import config
from vaultgit import obsidian
from vaultgit import resources
from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository
from vaultgit.notes import frontmatter
from vaultgit.notes.schema import NoteTypes
from vaultgit.walk import walk

if TYPE_CHECKING:
    from datetime import date

DAILY = "daily"
TYPE_KEY = "type"  # in our schemas; [types] key may give it another name
SCHEMAS = ".vaultgit/schemas"
BASELINE = ".vaultgit/baseline.json"
LARGEST_SCHEMA = 512_000  # bytes: one of 10 MB takes 20 s to compile, before each commit


class Source(Protocol):
    """Files of a vault by path relative to its root, wherever they are read from."""

    def read(self, path: str) -> bytes | None: ...

    def names(self, folder: str) -> list[str]: ...


class Disk:
    """The vault as it lies on disk."""

    def __init__(self, root: str) -> None:
        self.root = root

    def read(self, path: str) -> bytes | None:
        """Bytes of a plain file; None for what is not there, or is a folder, a pipe, a device, a circle of links."""
        try:
            # A pipe would be waited for.
            fd = os.open(os.path.join(self.root, path), os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                return None
            raise
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            return None
        with open(fd, "rb") as stream:
            return stream.read()

    def names(self, folder: str) -> list[str]:
        try:
            return sorted(os.listdir(os.path.join(self.root, folder)))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def files(self, folder: str = "") -> Iterator[str]:
        """All files that Obsidian shows, in a folder and below: no hidden ones, no other repositories, not what a
        linked folder leads to."""
        top = os.path.join(self.root, folder) if folder else self.root
        cut = len(self.root.rstrip("/")) + 1
        for here, folders, names in walk(top):
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and not os.path.lexists(os.path.join(here, name, ".git"))
            )
            inside = here[cut:] + "/" if len(here) >= cut else ""
            for name in sorted(names):
                if not name.startswith("."):
                    yield inside + name

    def notes(self, folder: str = "") -> list[str]:
        """The markdown files among them."""
        return [path for path in self.files(folder) if path.lower().endswith(".md")]


class Tree:
    """The vault as one commit holds it."""

    def __init__(self, repo: Repository, commit: str, prefix: str) -> None:
        self.repo, self.commit, self.prefix = repo, commit, prefix

    def read(self, path: str) -> bytes | None:
        blob = self.repo.blob(f"{self.commit}:{self.prefix}{path}")
        return blob.data if blob else None

    def names(self, folder: str) -> list[str]:
        out = self.repo.call("ls-tree", "-z", "--name-only", f"{self.commit}:{self.prefix}{folder}").stdout
        return [os.fsdecode(name) for name in out.split(b"\0") if name]


class Rules:
    """Which notes are managed, as which type, and what holds them."""

    def __init__(self, source: Source, *, lenient: bool = False) -> None:
        """Raises UsageError for settings that cannot be read; with `lenient`, the defaults hold then (`broken` says
        why)."""
        self.source, self.lenient = source, lenient
        self.broken: UsageError | None = None
        try:
            self.settings = config.parse(source.read(config.FILE) or b"")
        except UsageError as error:
            if not lenient:
                raise
            self.settings, self.broken = config.Settings(), error
        self.types = NoteTypes(_schemas(source, self.settings.type_key))
        self.obsidian = obsidian.read(source.read)
        self.templates = self.obsidian.templates
        self._folders = sorted(
            ((self.folder(name), name) for name in self.types.names),
            key=lambda pair: (-len(pair[0]), pair[1] != DAILY),
        )
        self.daily = (self.obsidian.daily or obsidian.Daily(""))._replace(folder=self.folder(DAILY))
        # Where other notes belong as well (the vault's root, an inbox), a daily note is told by its name.
        self._daily_by_name = not self.daily.folder or self._shared(self.daily.folder)
        self.baseline: dict[str, list[str]] = _baseline(source)

    def folder(self, note_type: str) -> str:
        """The folder of a note type, relative to the vault. Daily notes lie in Obsidian's, unless settings name one."""
        if note_type == DAILY and self.obsidian.daily and DAILY not in self.settings.mapped:
            return self.obsidian.daily.folder
        mapped = self.settings.layout.get(note_type)
        if mapped is not None:
            return mapped
        try:
            return self.types.folder(note_type) or note_type
        except UsageError:
            if not self.lenient:
                raise
            return note_type

    def expected_type(self, path: str) -> str | None:
        """The type whose folder holds `path`; None for notes outside the layout, templates, hidden and other files."""
        if not path.lower().endswith(".md") or path.startswith(".") or "/." in path:
            return None
        if self.obsidian.is_template(path):
            return None
        for folder, name in self._folders:
            if folder and not path.startswith(folder + "/"):
                continue
            if name == DAILY and self._daily_by_name and self.daily.day(path) is None:
                continue
            return name
        return None

    def with_baselines(self, texts: Iterable[bytes]) -> Rules:
        """These rules with what stands in any of these baseline files, too."""
        import copy

        other = copy.copy(self)
        tables = [self.baseline, *(_as_baseline(_json(text)) for text in texts)]
        other.baseline = {
            path: sorted({key for table in tables for key in table.get(path, ())}) for table in tables for path in table
        }
        return other

    def _shared(self, folder: str) -> bool:
        return sum(1 for other, _ in self._folders if other == folder) > 1

    def managed(self, path: str, data: bytes | None, before: Iterable[bytes | None] = ()) -> str | None:
        """The type that holds the note, or None where it is a person's own.

        `before`: its bytes in the previous commit or commits; a note that was managed stays so, and so does one
        whose front matter no longer parses (breaking the YAML is no way out).
        """
        expected = self.expected_type(path)
        if expected is None:
            return None
        if any(self._claims(data, expected) for data in (data, *before)):
            return expected
        return None

    def _claims(self, data: bytes | None, note_type: str) -> bool:
        if data is None:
            return False
        block = frontmatter.block(data)
        if block is None:
            return False
        head = data[block.start : block.end]
        if note_type.encode() not in head:
            return False
        properties = frontmatter.read(data)
        if properties.problems:
            line = rb"(?m)^[\"']?%s[\"']?\s*:\s*[\"']?%s[\"']?\s*(#.*)?\r?$"
            return bool(re.search(line % (re.escape(self.settings.type_key.encode()), note_type.encode()), head))
        return properties.values.get(self.settings.type_key) == note_type


class Vault(NamedTuple):
    """An opened vault. `prefix` is its path inside the work tree: "" or "notes/"."""

    root: str
    repo: Repository
    prefix: str
    rules: Rules

    @property
    def settings(self) -> config.Settings:
        return self.rules.settings

    @property
    def state(self) -> str:
        """The folder of queue, plans and lock (never delete); shared by all work trees of the repository."""
        return os.path.join(self.repo.common_dir, "vaultgit", "state")

    @property
    def cache(self) -> str:
        """The folder of what can be rebuilt (promise P7)."""
        return os.path.join(self.repo.common_dir, "vaultgit", "cache")

    def full(self, path: str) -> str:
        return os.path.join(self.root, path)

    def relative(self, path: str) -> str:
        """A path as a person typed it, as a path inside the vault with "/".

        Relative paths are relative to the vault's root wherever the command runs; absolute ones may point inside.
        A path outside comes back as it is: the protected check refuses it (PA02). A name that differs from one on
        disk only by Unicode normalisation is that one (macOS hands out NFD).
        """
        given = path.replace(os.sep, "/")
        for root in (self.root, os.path.realpath(self.root)):
            if given.startswith(root.rstrip("/") + "/"):
                given = given[len(root.rstrip("/")) + 1 :]
                break
        while given.startswith("./"):
            given = given[2:]
        return given if given.startswith("/") or ".." in given.split("/") else self._as_on_disk(given)

    def _as_on_disk(self, path: str) -> str:
        if path.isascii() or os.path.lexists(self.full(path)):
            return path
        done: list[str] = []
        for part in path.split("/"):
            here = os.path.join(self.root, *done)
            wanted = unicodedata.normalize("NFC", part)
            if not os.path.lexists(os.path.join(here, part)) and os.path.isdir(here):
                twins = [name for name in os.listdir(here) if unicodedata.normalize("NFC", name) == wanted]
                part = twins[0] if twins else part
            done.append(part)
        return "/".join(done)


def leads_away(root: str, full: str) -> bool:
    """Whether a path below `root` leads, links followed, out of the vault or to what Obsidian does not show in it:
    hidden files and folders, `.git`."""
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    real = os.path.realpath(full)
    return not real.startswith(inside) or "/." in real[len(inside) - 1 :].replace(os.sep, "/")


def daily_path(rules: Rules, day: date) -> str:
    """The daily note of `day`, relative to the vault: in its folder, named as Obsidian names it.

    Raises UsageError for a format that holds a time or what is not known here.
    """
    return rules.daily.path(day)


def find_root(start: str) -> str | None:
    """The folder of the vault that holds `start`: the nearest one with .vaultgit.toml or .obsidian."""
    here = os.path.abspath(start)
    while True:
        if os.path.isfile(os.path.join(here, config.FILE)) or os.path.isdir(os.path.join(here, ".obsidian")):
            return here
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def open_vault(directory: str | None = None, *, cwd: str | None = None) -> Vault:
    """The vault to work on: `directory`, else VAULTGIT_VAULT, else the enclosing one, else the default one.

    Raises UsageError when there is none, or when it is in no repository.
    """
    root = root_of(directory, cwd=cwd)
    repo = Repository.find(root)
    if repo is None:
        raise UsageError(f"{root} is in no git repository", f"vaultgit init {root}")
    return Vault(root, repo, prefix_of(repo, root), Rules(Disk(root)))


def root_of(directory: str | None = None, *, cwd: str | None = None) -> str:
    """The folder of the vault that `open_vault` opens. Raises UsageError when there is none."""
    try:
        return _chosen(directory or os.environ.get("VAULTGIT_VAULT"), cwd or os.getcwd())
    except FileNotFoundError as error:
        if error.filename == "git":
            raise
        raise UsageError("the folder this runs in is gone", "cd to one that is there") from error


def prefix_of(repo: Repository, root: str) -> str:
    """Path of the vault inside the work tree, with a trailing slash, "" for its root."""
    inside = os.path.relpath(os.path.realpath(root), os.path.realpath(repo.worktree))
    return "" if inside == "." else inside.replace(os.sep, "/") + "/"


def _chosen(named: str | None, cwd: str) -> str:
    if named:
        root = os.path.abspath(os.path.expanduser(named))
        if not os.path.isdir(root):
            raise UsageError(f"there is no folder {root}", "give the vault's folder with --vault DIR")
        return find_root(root) or root
    found = find_root(cwd)
    if found is None:
        import subprocess

        from vaultgit.history.repository import clean_environment

        asked = subprocess.run(
            ["git", "config", "--global", "--type=path", "vaultgit.vault"],
            env=clean_environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        found = asked.stdout.strip() or None
    if found is None or not os.path.isdir(found):
        raise UsageError("no vault here, and no default one", "name it with --vault DIR, or: vaultgit init DIR")
    return found


def _schemas(source: Source, type_key: str) -> dict[str, list[Any]]:
    """Note type -> its schemas: ours, and the user's own or stricter one of the same name. In ours the property that
    says the type has the name that the settings give it."""
    found: dict[str, list[Any]] = {}
    shipped = resources.folder("schemas")
    for name in sorted(os.listdir(shipped)):
        if name.endswith(".schema.json"):
            schema = _json(resources.read("schemas", name))
            if type_key != TYPE_KEY:
                schema["required"] = [type_key if one == TYPE_KEY else one for one in schema["required"]]
                schema["properties"][type_key] = schema["properties"].pop(TYPE_KEY)
            found[name.removesuffix(".schema.json")] = [schema]
    for name in source.names(SCHEMAS):
        if name.endswith(".schema.json"):
            found.setdefault(name.removesuffix(".schema.json"), []).append(
                read_schema(source.read(f"{SCHEMAS}/{name}") or b"")
            )
    return found


def read_schema(data: bytes) -> Any:
    """A schema document; for what is no JSON the reason, a text, which NoteTypes refuses for this type alone."""
    if len(data) > LARGEST_SCHEMA:
        return f"it is larger than {LARGEST_SCHEMA // 1000} KB"
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"


def _baseline(source: Source) -> dict[str, list[str]]:
    return _as_baseline(_json(source.read(BASELINE)))


def _as_baseline(found: Any) -> dict[str, list[str]]:
    return {path: codes for path, codes in found.items() if isinstance(codes, list)} if isinstance(found, dict) else {}


def _json(data: bytes | None) -> Any:
    try:
        return json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
