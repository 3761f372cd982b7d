"""Setting a vault up, and the exact inverse.

A plan is data: files with their new bytes, git settings, hooks. It is shown by --dry-run, applied by
`apply`, and empty the second time. Nothing inside a person's notes is written.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

from vaultgit import config
from vaultgit import resources
from vaultgit.edits import changelog
from vaultgit.errors import UsageError
from vaultgit.history.repository import MINIMUM
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.install import block
from vaultgit.install import hooks
from vaultgit.vault import BASELINE
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import prefix_of

SET_UP = "vaultgit: set up"
REMOVE = "vaultgit: remove"
CHANGELOG = changelog.FILE
HEADER = changelog.HEADER.encode()
PRE_COMMIT = ".pre-commit-config.yaml"

# Puts these files (path in the vault -> new bytes, None deletes) into disk and history as one housekeeping
# commit.
CommitSetup = Callable[[dict[str, bytes | None], str], None]


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


class FileStep(NamedTuple):
    """One file to write (data None: to delete). `words` says what it is for."""

    path: str
    words: str
    data: bytes | None
    before: bytes | None


class Setting(NamedTuple):
    """One value of git's config to set; `value` None unsets it."""

    scope: str
    key: str
    value: str | None
    words: str


class Plan(NamedTuple):
    files: list[FileStep]
    settings: list[Setting]
    hooks: list[str]
    layout: str
    remarks: list[str]

    @property
    def empty(self) -> bool:
        return not (self.files or self.settings or self.hooks)


# -- where -----------------------------------------------------------------------------------------


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


# -- what is there ---------------------------------------------------------------------------------


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
        timer=_commits_by_itself(disk),
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


def _commits_by_itself(disk: Disk) -> bool:
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


# -- the plan --------------------------------------------------------------------------------------


def plan(
    root: str,
    repo: Repository | None,
    understanding: Understanding,
    *,
    layout: str | None = None,
    baseline: dict[str, list[str]] | None = None,
) -> Plan:
    """What has to be written so that the vault is set up. `repo` None: as in a new repository at `root`.

    `layout`: "native", "pre-commit", or None for what is there, else native. `baseline`: problems that
    stood in notes when the vault was set up (path -> codes), None to leave the file as it is.
    """
    prefix = prefix_of(repo, root) if repo else ""
    remarks: list[str] = []
    files = _files(Disk(root), remarks, at_top=not prefix)
    if baseline is not None:
        files += _baseline(Disk(root), baseline)
    if layout is None:
        standing = hooks.status(repo).layout if repo else "none"
        layout = standing if standing in ("pre-commit", "both") else "native"
    if repo is None:
        steps = [f".git/hooks/{name}" for name in hooks.NAMES]
    else:
        steps = [] if layout == "both" else hooks.plan(repo, layout)
    return Plan(files, _settings(root, repo, prefix, understanding, remarks), steps, layout, remarks)


def _files(disk: Disk, remarks: list[str], *, at_top: bool) -> list[FileStep]:
    found: list[FileStep] = []

    def own(path: str, words: str, text: bytes, style: block.Style) -> None:
        target = _target(disk, path, remarks)
        if target is None or any(step.path == target for step in found):
            return
        before = disk.read(target)
        new = block.add(before, text, style)
        if new != before:
            added = f"+{text.count(chr(10).encode()) + 2} lines" if before is not None else words
            found.append(FileStep(target, added, new, before))

    agents = resources.read("hooks", "agents.md")
    own("AGENTS.md", f"what agents must do here ({len(agents) / 1000:.1f} KB)", agents, block.HTML)
    claude = disk.read("CLAUDE.md")
    if claude is None or b"@AGENTS.md" not in claude or block.find(claude, block.HTML):
        own("CLAUDE.md", "one line: @AGENTS.md", b"@AGENTS.md\n", block.HTML)
    twins = [name for name in disk.names("") if name != CHANGELOG and name.casefold() == CHANGELOG]
    if twins:
        remarks.append(f"{twins[0]} is here: on macOS and Windows it and {CHANGELOG} are one file; rename yours")
    if disk.read(CHANGELOG) is None:
        found.append(FileStep(CHANGELOG, "one line for each agent edit", HEADER, None))
    if disk.read(config.FILE) is None:
        own(config.FILE, "settings, all optional", resources.read("hooks", "vaultgit.toml"), block.HASH)
    attributes = resources.read("hooks", "gitattributes")
    theirs = disk.read(".gitattributes") or b""
    here = block.find(theirs, block.HASH)
    theirs = theirs[: here.start] + theirs[here.end :] if here else theirs
    if re.search(rb"(?m)^\*\.md\s(.*\s)?-?merge\b", theirs):  # a person's own way to merge notes
        attributes = attributes.partition(b"\n")[2]
    own(".gitattributes", "how git merges notes and changelog", attributes, block.HASH)
    own(".gitignore", "Obsidian's window layout, trash", resources.read("hooks", "gitignore"), block.HASH)
    if at_top:
        found += _pre_commit(disk, remarks)
    return found


def _target(disk: Disk, path: str, remarks: list[str]) -> str | None:
    """`path`, or the file inside the vault that a link of that name leads to; None where it leads
    elsewhere.
    """
    full = os.path.join(disk.root, path)
    if not os.path.islink(full):
        return path
    real, root = os.path.realpath(full), os.path.realpath(disk.root)
    if real.startswith(root + "/") and os.path.isfile(real):
        return os.path.relpath(real, root)
    remarks.append(f"{path} is a link that leads out of the vault; it was left alone")
    return None


def _pre_commit(disk: Disk, remarks: list[str]) -> list[FileStep]:
    entry = resources.read("hooks", "pre-commit-repo.yaml")
    before = disk.read(PRE_COMMIT)
    if before is None:
        data = resources.read("hooks", "pre-commit-config.yaml") + block.add(None, entry, block.HASH)
        return [FileStep(PRE_COMMIT, "the checks, for pre-commit and CI", data, None)]
    if _target(disk, PRE_COMMIT, remarks) != PRE_COMMIT:
        return []
    here = block.find(before, block.HASH)
    if here is None and b"id: vaultgit" in before:
        return []
    repos = re.search(rb"(?m)^repos:[ \t]*(#.*)?\r?\n", before)
    if repos is None:
        remarks.append(f"{PRE_COMMIT} has no list under `repos:` to add ours to; it was left alone")
        return []
    item = re.match(rb"(?:[ \t]*(?:#.*)?\r?\n)*( *)- ", before[repos.end() :])
    indent = item[1] if item else b""
    text = b"".join(indent + line for line in entry.splitlines(keepends=True))
    new = block.add(before, text, block.HASH, at=repos.end())
    if new == before:
        return []
    if not _only_adds(before, new, entry, replaced=here is not None):
        remarks.append(f"{PRE_COMMIT} is not as pre-commit reads it; it was left alone")
        return []
    return [FileStep(PRE_COMMIT, f"+{text.count(chr(10).encode()) + 2} lines", new, before)]


def _only_adds(before: bytes, new: bytes, entry: bytes, *, replaced: bool) -> bool:
    """Whether the new text means the old one with our entry first in the list."""
    import yaml

    try:
        old, now, ours = yaml.safe_load(before), yaml.safe_load(new), yaml.safe_load(entry)
    except yaml.YAMLError:
        return False
    if not isinstance(old, dict) or not isinstance(now, dict):
        return False
    kept = (old.get("repos") or [])[1 if replaced else 0 :]
    return bool(now == {**old, "repos": ours + kept})


def _baseline(disk: Disk, problems: dict[str, list[str]]) -> list[FileStep]:
    import json

    before = disk.read(BASELINE)
    data = json.dumps(problems, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n" if problems else None
    if data == before:
        return []
    words = (
        f"{len(problems)} notes that had problems before" if problems else "no note has a problem from before any more"
    )
    return [FileStep(BASELINE, words, data, before)]


def program() -> str:
    """How a shell starts this installation of vaultgit from anywhere: words quoted for sh."""
    script = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "vaultgit")
    if os.access(script, os.X_OK):
        return shlex.quote(script)
    # -P: a folder of notes is no place to import Python from.
    return f"{shlex.quote(os.path.abspath(sys.executable))} -P -m vaultgit"


def _driver(start: str) -> str:
    # 20 is the merge driver's "conflict, markers are written" (cli/hook.py). Where the program is gone or
    # breaks, git's own text merge does what it would do without us.
    return (
        f"{start} hook merge-driver %O %A %B %P %L; code=$?; case $code in 0|20) exit $code;; esac; "
        "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
    )


def _settings(
    root: str, repo: Repository | None, prefix: str, understanding: Understanding, remarks: list[str]
) -> list[Setting]:
    now = _local(repo) if repo else {}
    start = program()
    former = now.get("vaultgit.program", [""])[-1]
    wanted = {"vaultgit.program": start}
    alias = now.get("alias.vaultgit", [""])[-1]
    if alias in ("", f"!{former}", f"!{start}"):
        wanted["alias.vaultgit"] = f"!{start}"
    else:
        remarks.append("git config alias.vaultgit is yours and was left; pre-commit's entry `git vaultgit` needs it")
    wanted["merge.vaultgit.name"] = "vaultgit: properties by key, then text"
    wanted["merge.vaultgit.driver"] = _driver(start)
    steps = [Setting("local", key, value, "") for key, value in wanted.items() if now.get(key, [""])[-1] != value]
    folder = prefix.rstrip("/") or "."
    if folder not in now.get("vaultgit.folder", []):
        steps.append(Setting("local", "vaultgit.folder", folder, ""))
    if understanding.timer and not (repo and repo.setting("vaultgit.people")):
        steps.append(
            Setting(
                "local",
                "vaultgit.people",
                "warn",
                "obsidian-git commits by itself: it is warned, not stopped",
            )
        )
    default = _global("vaultgit.vault")
    if not default:
        if _global("core.hooksPath"):
            remarks.append(f"your global git config names a hooks folder and was left alone; {_make_default(root)}")
        else:
            steps.append(Setting("global", "vaultgit.vault", root, "the vault for every folder on this machine"))
    elif os.path.realpath(os.path.expanduser(default)) != os.path.realpath(root):
        remarks.append(f"the default vault stays {default}; {_make_default(root)}")
    return steps


def _make_default(root: str) -> str:
    return f"to make this one the default: git config --global vaultgit.vault {shlex.quote(root)}"


def _local(repo: Repository) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in os.fsdecode(repo.run("config", "--local", "--list", "-z")).split("\0"):
        key, _, value = entry.partition("\n")
        if key:
            found.setdefault(key, []).append(value)
    return found


def _global(key: str) -> str:
    done = subprocess.run(
        ["git", "config", "--global", "-z", "--get", key],
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    return os.fsdecode(done.stdout).rstrip("\0")


# -- doing and undoing it --------------------------------------------------------------------------


def apply(vault: Vault, planned: Plan, commit_setup: CommitSetup) -> None:
    """Carries out a plan. The commit comes first: where it cannot be made now, nothing else is written
    either.
    """
    changes = {step.path: step.data for step in planned.files}
    if changes:
        commit_setup(changes, SET_UP)
    for setting in planned.settings:
        _set(vault.repo, setting)
    if planned.hooks:
        hooks.install(vault.repo, planned.layout)


def plan_removal(vault: Vault) -> tuple[Plan, list[str]]:
    """The inverse: files without our blocks, settings unset, hooks out. And what stays, in words."""
    disk = Disk(vault.root)
    files: list[FileStep] = []
    stays: list[str] = []
    styles = {"AGENTS.md": block.HTML, "CLAUDE.md": block.HTML}
    for path in ("AGENTS.md", "CLAUDE.md", config.FILE, PRE_COMMIT, ".gitattributes", ".gitignore"):
        target = _target(disk, path, []) or path
        before = disk.read(target)
        style = styles.get(path, block.HASH)
        here = block.find(before, style) if before is not None else None
        if before is None or here is None:
            continue
        if here.edited:
            stays.append(f"{target} (edited since; take our lines out yourself)")
            continue
        after = block.remove(before, style)
        if path == PRE_COMMIT and after == resources.read("hooks", "pre-commit-config.yaml"):
            after = None
        if not any(step.path == target for step in files):
            files.append(FileStep(target, "deleted" if after is None else "our lines out", after, before))
    lines = disk.read(CHANGELOG)
    if lines == HEADER:
        files.append(FileStep(CHANGELOG, "deleted, it has no line", None, lines))
    elif lines is not None:
        stays.append("changelog.md and the notes' history")
    baseline = disk.read(BASELINE)
    if baseline is not None:
        files.append(FileStep(BASELINE, "deleted", None, baseline))
    if os.path.isdir(os.path.join(vault.root, ".vaultgit", "schemas")):
        stays.append(".vaultgit/schemas (yours)")
    return Plan(files, _unset(vault), _hooks_out(vault), "", []), stays


def _unset(vault: Vault) -> list[Setting]:
    now = _local(vault.repo)
    folder = vault.prefix.rstrip("/") or "."
    keys = ["vaultgit.folder"] if folder in now.get("vaultgit.folder", []) else []
    if not _others(vault):
        start = now.get("vaultgit.program", [""])[-1]
        keys += [key for key in ("vaultgit.program", "merge.vaultgit.name", "merge.vaultgit.driver") if key in now]
        if now.get("alias.vaultgit", [""])[-1] == f"!{start}":
            keys.append("alias.vaultgit")
        if now.get("vaultgit.people") == ["warn"] and _commits_by_itself(Disk(vault.root)):
            keys.append("vaultgit.people")
    steps = [Setting("local", key, None, folder if key == "vaultgit.folder" else "") for key in keys]
    default = _global("vaultgit.vault")
    if default and os.path.realpath(os.path.expanduser(default)) == os.path.realpath(vault.root):
        steps.append(Setting("global", "vaultgit.vault", None, ""))
    return steps


def _others(vault: Vault) -> list[str]:
    """Other vaults in the same repository: they go on using its hooks and settings."""
    folder = vault.prefix.rstrip("/") or "."
    return [other for other in _local(vault.repo).get("vaultgit.folder", []) if other != folder]


def _hooks_out(vault: Vault) -> list[str]:
    if _others(vault) or not hooks.status(vault.repo).live:
        return []
    return ["git hooks"]


def undo(vault: Vault, planned: Plan, commit_setup: CommitSetup) -> None:
    """Carries out a removal, and forgets state and cache when no edit waits in the queue."""
    changes = {step.path: step.data for step in planned.files}
    if changes:
        commit_setup(changes, REMOVE)
    try:
        os.rmdir(os.path.join(vault.root, ".vaultgit"))
    except OSError:
        pass  # it was not there, or holds what is the person's
    others = _others(vault)
    for setting in planned.settings:
        _set(vault.repo, setting)
    if others:
        return
    hooks.remove(vault.repo, config_goes=changes.get(PRE_COMMIT, b"") is None)
    _forget(vault)


def _forget(vault: Vault) -> None:
    for kept in ("queue", "late"):  # edits that wait, and what an editor saved too late
        folder = os.path.join(vault.state, kept)
        if os.path.isdir(folder) and os.listdir(folder):
            return
    import shutil

    for ref in vault.repo.run("for-each-ref", "--format=%(refname)", "refs/vaultgit/").decode().split():
        vault.repo.run("update-ref", "-d", ref)
    shutil.rmtree(os.path.join(vault.repo.common_dir, "vaultgit"), ignore_errors=True)


def _set(repo: Repository, setting: Setting) -> None:
    scope = f"--{setting.scope}"
    if setting.key == "vaultgit.folder":
        folder = setting.value if setting.value is not None else setting.words
        if setting.value is not None:
            repo.run("config", scope, "--add", setting.key, folder)
        else:
            repo.call("config", scope, "--unset-all", setting.key, f"^{re.escape(folder)}$")
    elif setting.value is not None:
        repo.run("config", scope, setting.key, setting.value)
    else:
        repo.call("config", scope, "--unset-all", setting.key)
