"""What is to be set up: where the vault is, in which repository, and what lies in it. Only looks, but for
`make_repository`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from vaultgit import config
from vaultgit.edits import changelog
from vaultgit.errors import UsageError
from vaultgit.history.repository import MINIMUM
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.install import folders
from vaultgit.install import in_git
from vaultgit.install.count import count
from vaultgit.install.count import read
from vaultgit.install.folders import Homes
from vaultgit.install.walk import vaults_below
from vaultgit.install.walk import walk
from vaultgit.obsidian import FOLDER
from vaultgit.obsidian import Daily
from vaultgit.obsidian import commits_by_itself
from vaultgit.obsidian import hides
from vaultgit.vault import DAILY
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import prefix_of

_SOME_DAY = date(2026, 1, 1)
_SERVICES = {
    "Mobile Documents": "iCloud", "iCloud(Drive|Docs)?": "iCloud", "Dropbox": "Dropbox", "OneDrive": "OneDrive",
    "Google ?Drive": "Google Drive",
}  # fmt: skip


class Place(NamedTuple):
    """Where a vault is or will be. `repo` None: a repository has to be made at `root`."""

    root: str
    repo: Repository | None
    outer: Repository | None  # a larger repository around one of the vault's own
    tracked_outside: list[str]  # files here that the larger repository tracks


class Understanding(NamedTuple):
    """What lies in a vault and around it, as far as `init` tells it. Paths are relative to the vault."""

    obsidian: bool
    notes: int
    links: int | None  # None: too many notes to read them all
    managed: dict[str, int]  # type -> notes
    alone: list[str]  # folders and notes that are nobody's to check, most first
    alone_notes: int
    folders: dict[str, str]  # note type -> its folder
    type_key: str
    homes: Homes
    daily: Daily
    daily_example: str  # the note of some day, "" where the format names no day
    daily_problem: str  # why it does not
    daily_missing: bool  # Obsidian names a folder that is not there
    daily_ignored: bool
    templates: tuple[str, ...]
    hidden: bool  # Obsidian's search, graph and switcher leave our files out already
    timer: bool  # obsidian-git commits by itself
    sync: str | None  # a sync service's folder that the vault lies in
    names: list[str]  # files that another system cannot check out
    vaults: list[str]  # other vaults inside
    repositories: list[str]  # other repositories inside
    filters: list[str]  # what files pass through on their way into git
    branches: list[str]  # branches that are called as ours would be
    kept: list[str]  # a person's own files of names that we write under


def place(root: str, choice: str | None = None) -> Place:
    """Where the vault `root` stands in git. `choice`: "own", "outer" or None, for a folder in a larger
    repository.

    Raises UsageError when that is a bare repository, cannot be opened, or lies in a larger one with nothing
    chosen.
    """
    _require_git()
    if not os.path.isdir(root):
        what = f"{root} is a file, no folder" if os.path.isfile(root) else f"there is no folder {root}"
        raise UsageError(what, "make it first, or give the vault's folder")
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
    said, version = git_version()
    if version < MINIMUM:
        wanted = ".".join(map(str, MINIMUM))
        raise UsageError(f"git {wanted} or newer is needed; here is {said or 'none that works'}")


def git_version() -> tuple[str, tuple[int, ...]]:
    """What `git --version` says, and its first two numbers."""
    done = subprocess.run(["git", "--version"], env=clean_environment(), capture_output=True, text=True, check=False)
    said = done.stdout.strip()
    return said, tuple(int(number) for number in re.findall(r"\d+", said)[:2])


def homes(root: str, repo: Repository | None) -> Homes:
    """Folders that mean what a type means, for a vault that is set up for the first time."""
    obsidian = Rules(Disk(root)).obsidian
    prefix = prefix_of(repo, root) if repo else ""

    def usable(found: list[str]) -> list[str]:
        ignored = in_git.ignored(repo, prefix, found)
        return [folder for folder in found if folder not in ignored and not obsidian.is_template(folder + "/")]

    return folders.find(root, [DAILY] if obsidian.daily else [], usable)


class _Planned(Disk):
    """The vault as it will be once its settings are written."""

    def __init__(self, root: str, homes: Homes) -> None:
        super().__init__(root)
        self.homes = homes

    def read(self, path: str) -> bytes | None:
        return folders.settings(self.homes) if path == config.FILE else super().read(path)


def rules_to_be(root: str, homes: Homes) -> Rules:
    """The rules that will hold in a vault that has no settings yet."""
    return Rules(_Planned(root, homes))


def understand(
    root: str,
    rules: Rules,
    repo: Repository | None = None,
    homes: Homes = folders.NONE,
    tick: Callable[[int], None] = lambda _: None,
) -> Understanding:
    """What lies in the vault at `root`, each note read once. `tick` is told how many more notes have been read."""
    disk = Disk(root)
    prefix = prefix_of(repo, root) if repo else ""
    walked = walk(root)
    notes = walked.notes
    counted = count(disk, rules, notes, tick)
    example, problem = _example(rules.daily)
    return Understanding(
        obsidian=os.path.isdir(os.path.join(root, FOLDER)),
        notes=len(notes),
        links=counted.links,
        managed=counted.managed,
        alone=counted.alone,
        alone_notes=len(notes) - sum(counted.managed.values()),
        folders={name: rules.folder(name) for name in rules.types.names},
        type_key=rules.settings.type_key,
        homes=homes,
        daily=rules.daily,
        daily_example=example,
        daily_problem=problem,
        daily_missing=_is_missing(root, rules),
        daily_ignored=bool(in_git.ignored(repo, prefix, [example] if example else [])),
        templates=rules.templates,
        hidden=hides(disk.read, "AGENTS.md"),
        timer=commits_by_itself(disk.read),
        sync=sync_service(root) or ("Syncthing" if syncthing(root) else None),
        names=_not_portable(repo, prefix, walked.files),
        vaults=walked.vaults,
        repositories=walked.repositories,
        filters=in_git.filters(root, repo),
        branches=in_git.branches(repo),
        kept=_kept(disk),
    )


def _is_missing(root: str, rules: Rules) -> bool:
    named = rules.obsidian.daily if DAILY not in rules.settings.mapped else None
    return named is not None and not os.path.isdir(os.path.join(root, named.folder))


def _example(daily: Daily) -> tuple[str, str]:
    """The path of some day's note, or why there is none."""
    try:
        return daily.path(_SOME_DAY), ""
    except UsageError as error:
        return "", error.message


def _not_portable(repo: Repository | None, prefix: str, files: list[str]) -> list[str]:
    from vaultgit.checks.names import not_portable

    found = [problem.path for problem in not_portable(files)]
    ignored = in_git.ignored(repo, prefix, found)  # what git leaves out is checked out nowhere
    return [path for path in found if path not in ignored]


def _kept(disk: Disk) -> list[str]:
    """changelog.md and review.md that a person wrote before the vault was set up."""
    if disk.read(config.FILE) is not None:
        return []
    log, review = read(disk, changelog.FILE), read(disk, "review.md")
    theirs = bool(log.strip()) and not log.startswith(changelog.HEADER.encode()) and not changelog.every(log)
    return [changelog.FILE] * theirs + ["review.md"] * (bool(review.strip()) and b"<!-- vaultgit " not in review)


def sync_service(root: str) -> str | None:
    """The sync service whose folder a path lies in, as the names on its way say."""
    for part in os.path.realpath(root).split("/"):
        for mark, service in _SERVICES.items():
            if re.fullmatch(rf"{mark}([ ~(-].*)?", part):
                return service
    return None


def syncthing(path: str) -> str:
    """The folder that Syncthing shares and that holds `path`, "" where there is none, or where it leaves .git out."""
    here = os.path.realpath(path)
    while True:
        if os.path.isdir(os.path.join(here, ".stfolder")):
            ignored = read(Disk(here), ".stignore")
            return "" if re.search(rb"(?m)^(?!!|//)(\(\?\w\))*(.*/)?\.git/?[ \t\r]*$", ignored) else here
        if here == os.path.dirname(here):
            return ""
        here = os.path.dirname(here)


def refuse_parent(root: str, outer: Repository | None) -> None:
    """Raises UsageError for a folder that is no vault itself but holds one: that one was meant."""
    disk = Disk(root)
    if {config.FILE, FOLDER} & set(disk.names("")):
        return
    found = vaults_below(root)
    if not found:
        return
    shown = ", ".join(name + "/" for name in found[:5]) + (", …" if len(found) > 5 else "")
    what = "a vault" if len(found) == 1 else f"{len(found)} vaults"
    full = os.path.join(root, found[0])
    own = os.path.lexists(os.path.join(full, ".git"))
    option = " --repository outer" if outer is not None and not own else ""
    raise UsageError(
        f"{root} holds {what} and is none itself: {shown}; nothing was written",
        f"vaultgit init {shlex.quote(full)}{option}    (to make one of all of it: mkdir {shlex.quote(root)}/{FOLDER})",
    )


def refuse_inner_repository(here: str, root: str, repo: Repository | None) -> None:
    """Raises UsageError where nobody named the vault, it is in no repository (`repo` None), and `here`, inside it, is:
    making another one around that would leave those notes out.
    """
    inner = Repository.find(here) if repo is None and here != root else None
    if inner is not None and not inner.bare and os.path.realpath(inner.worktree).startswith(root.rstrip("/") + "/"):
        one, other = shlex.quote(inner.worktree), shlex.quote(root)
        raise UsageError(
            f"this folder is in the repository {inner.worktree}, and the vault {root} around it is in none",
            f"vaultgit init {one} takes the repository for the vault; vaultgit init {other} makes one of all the rest",
        )
