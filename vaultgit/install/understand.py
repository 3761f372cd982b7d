"""What is to be set up: where the vault is, in which repository, and what lies in it. Only looks, but for
`make_repository`.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

from vaultgit import config
from vaultgit.errors import UsageError
from vaultgit.history.repository import MINIMUM
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import prefix_of


class Place(NamedTuple):
    """Where a vault is or will be. `repo` None: a repository has to be made at `root`."""

    root: str
    repo: Repository | None
    outer: Repository | None  # a larger repository around one of the vault's own
    tracked_outside: list[str]  # files here that the larger repository tracks


class Understanding(NamedTuple):
    """What lies in a vault, as far as `init` tells it."""

    obsidian: bool
    notes: int
    managed: dict[str, int]  # type -> notes
    alone: list[str]  # folders and notes that are nobody's to check, most first
    alone_notes: int
    daily: str | None
    templates: tuple[str, ...]
    timer: bool  # obsidian-git commits by itself
    sync: str | None  # a sync service's folder that the vault lies in


def place(root: str, choice: str | None = None) -> Place:
    """Where the vault `root` stands in git. `choice`: "own", "outer" or None, for a folder in a larger
    repository.

    Raises UsageError when that is a bare repository, cannot be opened, or lies in a larger one with nothing
    chosen.
    """
    _require_git()
    if not os.path.isdir(root):
        raise UsageError(f"there is no folder {root}", "make it first, or give the vault's folder")
    repo = Repository.find(root)
    if repo is None:
        return Place(root, None, None, [])
    if repo.bare:
        raise UsageError(f"{root} is a bare repository: it has no notes on disk", "clone it and set up the clone")
    if os.path.realpath(repo.worktree) == os.path.realpath(root):
        return Place(root, repo, None, [])
    if choice == "outer" or (choice is None and os.path.isfile(os.path.join(root, config.FILE))):
        return Place(root, repo, None, [])
    if choice is None:
        raise UsageError(
            f"{root} lies inside the repository {repo.worktree}; nothing was written",
            "--repository own makes the vault a repository of its own; --repository outer uses that one",
        )
    inside = prefix_of(repo, root).rstrip("/")
    tracked = os.fsdecode(repo.run("ls-files", "-z", "--", inside)).split("\0")
    return Place(root, None, repo, [name for name in tracked if name])


def make_repository(root: str) -> Repository:
    """`git init`, on the branch that the person's git names, else `main`."""

    def git(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *args], cwd=root, env=clean_environment(), capture_output=True, text=True, check=False
        )

    named = git("config", "init.defaultBranch").stdout.strip()
    done = git("init", "--quiet", *([] if named else ["--initial-branch=main"]), ".")
    repo = Repository.find(root) if done.returncode == 0 else None
    if repo is None:
        raise UsageError(f"git init failed in {root}: {done.stderr.strip()}")
    return repo


def vault_at(root: str, repo: Repository) -> Vault:
    """The vault whose root is exactly `root`."""
    return Vault(root, repo, prefix_of(repo, root), Rules(Disk(root)))


def _require_git() -> None:
    said = subprocess.run(["git", "--version"], env=clean_environment(), capture_output=True, text=True, check=False)
    numbers = re.findall(r"\d+", said.stdout)
    if tuple(int(number) for number in numbers[:2]) < MINIMUM:
        wanted = ".".join(map(str, MINIMUM))
        raise UsageError(f"git {wanted} or newer is needed; here is {said.stdout.strip() or 'none that works'}")


def understand(root: str, rules: Rules) -> Understanding:
    """Counts the notes of a vault by what they are."""
    managed: dict[str, int] = {}
    alone: dict[str, int] = {}
    total = 0
    disk = Disk(root)
    for path in notes(root):
        total += 1
        note_type = rules.managed(path, disk.read(path)) if rules.expected_type(path) else None
        if note_type:
            managed[note_type] = managed.get(note_type, 0) + 1
        else:
            top = path.partition("/")[0] + "/" if "/" in path else path
            alone[top] = alone.get(top, 0) + 1
    daily = _json(disk, ".obsidian/daily-notes.json").get("folder")
    return Understanding(
        obsidian=os.path.isdir(os.path.join(root, ".obsidian")),
        notes=total,
        managed=managed,
        alone=sorted(alone, key=lambda name: (-alone[name], name)),
        alone_notes=sum(alone.values()),
        daily=daily.strip("/") if isinstance(daily, str) and daily.strip("/") else None,
        templates=rules.templates,
        timer=commits_by_itself(disk),
        sync=_sync_service(root),
    )


def notes(root: str) -> Iterator[str]:
    """The markdown files of a vault, relative to it: no hidden folders, no other repositories, no linked
    folders.
    """
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not os.path.lexists(os.path.join(folder, name, ".git"))
        )
        inside = os.path.relpath(folder, root)
        for name in sorted(files):
            if name.lower().endswith(".md") and not name.startswith("."):
                yield name if inside == "." else f"{inside}/{name}"


def commits_by_itself(disk: Disk) -> bool:
    data = _json(disk, ".obsidian/plugins/obsidian-git/data.json")
    names = ("autoSaveInterval", "autoBackupInterval", "autoCommitInterval")
    return any(isinstance(data.get(name), (int, float)) and data[name] > 0 for name in names)


def _sync_service(root: str) -> str | None:
    path = os.path.realpath(root)
    services = {"Mobile Documents": "iCloud", "iCloud": "iCloud"}
    services |= {name: name for name in ("Dropbox", "OneDrive", "Google Drive")}
    found = (services[mark] for part in path.split("/") for mark in services if part.startswith(mark))
    return next(found, None)


def _json(disk: Disk, path: str) -> dict[str, Any]:
    import json

    try:
        found = json.loads(disk.read(path) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
