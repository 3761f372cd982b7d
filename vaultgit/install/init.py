"""Setting a vault up; `removal` is the exact inverse.

A plan is data: files with their new bytes, git settings, hooks. It is shown by --dry-run, applied by
`apply`, and empty the second time. Nothing inside a person's notes is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import NamedTuple

from vaultgit import config
from vaultgit import obsidian
from vaultgit import resources
from vaultgit.edits import changelog
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository
from vaultgit.install import bases
from vaultgit.install import block
from vaultgit.install import ci
from vaultgit.install import folders
from vaultgit.install import hooks
from vaultgit.install import settings
from vaultgit.install.settings import Setting
from vaultgit.install.understand import Understanding
from vaultgit.vault import BASELINE
from vaultgit.vault import DAILY
from vaultgit.vault import Disk
from vaultgit.vault import Vault
from vaultgit.vault import prefix_of

SET_UP = "vaultgit: set up"
CHANGELOG = changelog.FILE
HEADER = changelog.HEADER.encode()
PRE_COMMIT = ".pre-commit-config.yaml"

# Puts these files (path in the vault -> new bytes, None deletes) into disk and history as one housekeeping
# commit.
CommitSetup = Callable[[dict[str, bytes | None], str], None]


class FileStep(NamedTuple):
    """One file to write (data None: to delete). `words` says what it is for."""

    path: str
    words: str
    data: bytes | None
    before: bytes | None


class Plan(NamedTuple):
    files: list[FileStep]
    settings: list[Setting]
    hooks: list[str]
    layout: str
    remarks: list[str]  # of a line each
    by_hand: str = ""  # lines for a person to put where we do not write

    @property
    def empty(self) -> bool:
        return not (self.files or self.settings or self.hooks)


def plan(
    root: str,
    repo: Repository | None,
    understanding: Understanding,
    *,
    layout: str | None = None,
    service: str | None = None,
    dream: bool = False,
    with_bases: bool = False,
    problems: dict[str, list[str]] | None = None,
) -> Plan:
    """What has to be written so that the vault is set up. `repo` None: as in a new repository at `root`.

    `layout`: "native", "pre-commit", or None for what is there, else native. `problems`: those that
    stood in notes when the vault was set up (path -> codes), None to leave the file as it is. `service`: the
    one whose CI runs the checks ("github", "gitlab"), None for what is there; `dream`: and the dream.
    `with_bases`: also Obsidian's table views.
    """
    prefix = prefix_of(repo, root) if repo else ""
    remarks: list[str] = []
    files = _files(Disk(root), understanding, remarks, at_top=not prefix, service=service, dream=dream)
    if with_bases:
        files += _bases(Disk(root), understanding)
    by_hand = ci.by_hand(service, prefix, dream=dream) if service and prefix else ""
    if problems is not None:
        files += _baseline(Disk(root), problems)
    if layout is None:
        standing = hooks.status(repo).layout if repo else "none"
        layout = standing if standing in ("pre-commit", "both") else "native"
    if repo is None:
        steps = [f".git/hooks/{name}" for name in hooks.NAMES]
    else:
        steps = [] if layout == "both" else hooks.plan(repo, layout)
    return Plan(files, settings.plan(root, repo, prefix, understanding, remarks), steps, layout, remarks, by_hand)


def _files(
    disk: Disk, understanding: Understanding, remarks: list[str], *, at_top: bool, service: str | None, dream: bool
) -> list[FileStep]:
    found: list[FileStep] = []
    seen: set[str] = set()  # AGENTS.md and CLAUDE.md may be one file

    def own(path: str, words: str, text: bytes, style: block.Style) -> None:
        target = target_of(disk, path, remarks)
        if target is None or target in seen:
            return
        seen.add(target)
        before = disk.read(target)
        new = block.add(before, text, style)
        if before is None or new.replace(b"\r\n", b"\n") != before.replace(b"\r\n", b"\n"):
            added = f"+{text.count(chr(10).encode()) + 2} lines" if before is not None else words
            found.append(FileStep(target, added, new, before))

    agents = _agents(understanding)
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
        own(config.FILE, "settings, all optional", folders.settings(understanding.homes), block.HASH)
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
        for path, (words, text) in ci.files(disk, service, remarks, dream=dream).items():
            own(path, words, text, block.HASH)
    return found


def _agents(understanding: Understanding) -> bytes:
    """What agents must do, and where notes lie in a vault whose folders are not the usual ones."""
    text = resources.read("hooks", "agents.md")
    where = [
        f"{name} `{understanding.folders[name]}/`"
        for name, usual in config.LAYOUT.items()
        if name != DAILY and understanding.folders[name] != usual
    ]
    daily = understanding.daily
    if understanding.daily_example and (daily.folder, daily.format) != (config.LAYOUT[DAILY], obsidian.FORMAT):
        where.append(f"daily notes like `{understanding.daily_example}`")
    if not where:
        return text
    line = f"Folders of this vault: {', '.join(where)}. Where the commands below say another one, use these.\n\n"
    return text.replace(b"| situation", line.encode("utf-8", "surrogateescape") + b"| situation", 1)


def _bases(disk: Disk, understanding: Understanding) -> list[FileStep]:
    found = bases.files(disk, understanding.folders, understanding.type_key)
    return [
        FileStep(path, "a table in Obsidian", block.add(None, text, block.HASH), None) for path, text in found.items()
    ]


def target_of(disk: Disk, path: str, remarks: list[str]) -> str | None:
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
    if target_of(disk, PRE_COMMIT, remarks) != PRE_COMMIT:
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
    data = None
    if problems:
        # Names are readable, but for those that are no UTF-8.
        odd = any("\ud800" <= c <= "\udfff" for path in problems for c in path)
        data = json.dumps(problems, indent=1, sort_keys=True, ensure_ascii=odd).encode() + b"\n"
    if data == before:
        return []
    notes = f"{len(problems)} note{'s' if len(problems) != 1 else ''}"
    words = f"{notes} with problems from before" if problems else "no note has a problem from before any more"
    return [FileStep(BASELINE, words, data, before)]


def apply(vault: Vault, planned: Plan, commit_setup: CommitSetup) -> None:
    """Carries out a plan. The commit comes first: where it cannot be made now, nothing else is written
    either.
    """
    changes = {step.path: step.data for step in planned.files}
    if changes:
        commit_setup(changes, SET_UP)
    if planned.hooks:
        hooks.install(vault.repo, planned.layout)
    for setting in planned.settings:
        try:
            settings.write(vault.repo, setting)
        except GitError as error:
            if setting.scope != "global":
                raise
            # A home that cannot be written must not leave the vault half set up.
            planned.remarks.append(f"git config --global {setting.key} could not be set: {error.stderr}")
