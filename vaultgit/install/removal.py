"""Taking a vault out: the exact inverse of `init`."""

from __future__ import annotations

import os
import shlex

from vaultgit import config
from vaultgit import resources
from vaultgit.errors import VaultgitError
from vaultgit.install import bases
from vaultgit.install import block
from vaultgit.install import ci
from vaultgit.install import clients
from vaultgit.install import hooks
from vaultgit.install import others
from vaultgit.install import settings
from vaultgit.install import tell
from vaultgit.install import timers
from vaultgit.install.commit import AS_IT_WAS
from vaultgit.install.init import CHANGELOG
from vaultgit.install.init import HEADER
from vaultgit.install.init import PRE_COMMIT
from vaultgit.install.init import SET_UP
from vaultgit.install.init import CommitSetup
from vaultgit.install.init import FileStep
from vaultgit.install.init import Plan
from vaultgit.install.init import target_of
from vaultgit.install.settings import Setting
from vaultgit.vault import BASELINE
from vaultgit.vault import Disk
from vaultgit.vault import Vault

REMOVE = "vaultgit: remove"
SCHEDULE = "schedule"


ANSWERS = ("review.md", ".vaultgit/declined.md")


def plan_removal(vault: Vault) -> tuple[Plan, list[str]]:
    """The inverse: files without our blocks, settings unset, hooks out. And what stays, in words."""
    disk = Disk(vault.root)
    files: list[FileStep] = []
    stays: list[str] = []
    styles = {"AGENTS.md": block.HTML, "CLAUDE.md": block.HTML}
    tables = bases.paths(disk).values()
    for path in ("AGENTS.md", "CLAUDE.md", config.FILE, PRE_COMMIT, ".gitattributes", ".gitignore", *ci.FILES, *tables):
        target = target_of(disk, path, []) or path
        before = disk.read(target)
        style = styles.get(path, block.HASH)
        here = block.find(before, style) if before is not None else None
        if before is None or here is None:
            if before is not None and path in tables and _was_ours(vault, path):
                stays.append(f"{target} (edited since; delete it yourself)")
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
    stays += [f"{path} (what you were asked, and answered)" for path in ANSWERS if disk.read(path) is not None]
    if vault.repo.config.get("vaultgit.export"):
        stays.append("exported skills (before you remove: vaultgit skill export --stop FOLDER)")
    stays += [f"hooks of an agent's client (vaultgit agent remove {name})" for name in clients.of_vault(vault.root)]
    stays += _history(vault)
    scheduled = _scheduled(vault, stays)
    return Plan(files, _unset(vault), [*_hooks_out(vault), *scheduled], "", []), stays


def _history(vault: Vault) -> list[str]:
    """The repository, where history began with setting up: nothing else here keeps what the notes were."""
    place = os.path.join(vault.root, ".git")
    if vault.prefix or not os.path.isdir(place):
        return []
    roots = vault.repo.call("log", "--max-parents=0", "--format=%s", "HEAD", "--").stdout.decode("utf-8", "replace")
    if AS_IT_WAS not in roots.splitlines():
        return []
    counted = vault.repo.run("count-objects", "-v").decode().split()
    known = dict(zip(counted[0::2], counted[1::2], strict=False))
    size = tell.size(1024 * (int(known.get("size:", 0)) + int(known.get("size-pack:", 0))))
    return [f".git, {size}: the history of your notes, yours now; rm -r {shlex.quote(place)} deletes it for ever"]


def _was_ours(vault: Vault, path: str) -> bool:
    """Whether setting up put the file there."""
    added = vault.repo.call("log", "-1", "--diff-filter=A", "--format=%s", "--", vault.prefix + path)
    return added.stdout.decode("utf-8", "replace").strip() == SET_UP


def _unset(vault: Vault) -> list[Setting]:
    now = settings.local(vault.repo)
    folder = vault.prefix.rstrip("/") or "."
    keys = ["vaultgit.folder"] if folder in now.get("vaultgit.folder", []) else []
    if not _others(vault):
        start = now.get("vaultgit.program", [""])[-1]
        keys += [key for key in ("vaultgit.program", "merge.vaultgit.name", "merge.vaultgit.driver") if key in now]
        if now.get("alias.vaultgit", [""])[-1] == f"!{start}":
            keys.append("alias.vaultgit")
        if settings.PEOPLE_BY_INIT in now:
            keys += [settings.PEOPLE_BY_INIT, *(["vaultgit.people"] if now.get("vaultgit.people") == ["warn"] else [])]
        keys += [others.AGREED] if now.get(others.AGREED) == ["false"] else []
    steps = [Setting("local", key, None, folder if key == "vaultgit.folder" else "") for key in keys]
    default = settings.global_value("vaultgit.vault")
    if default and os.path.realpath(os.path.expanduser(default)) == os.path.realpath(vault.root):
        steps.append(Setting("global", "vaultgit.vault", None, ""))
    return steps


def _others(vault: Vault) -> list[str]:
    """Other vaults in the same repository: they go on using its hooks and settings."""
    folder = vault.prefix.rstrip("/") or "."
    return [other for other in settings.local(vault.repo).get("vaultgit.folder", []) if other != folder]


def _hooks_out(vault: Vault) -> list[str]:
    if _others(vault) or not hooks.status(vault.repo).live:
        return []
    return ["git hooks"]


def _scheduled(vault: Vault, stays: list[str]) -> list[str]:
    """What is started by the clock for this vault."""
    try:
        there = timers.standing(vault.root)
    except VaultgitError:  # a crontab that the person may not have holds nothing of ours
        return []
    if any(one.edited for found in there.values() for one in found):
        stays.append("what is scheduled (edited since; vaultgit schedule remove --force)")
        return []
    return [f"{SCHEDULE} ({name})" for name in there]


def undo(vault: Vault, planned: Plan, commit_setup: CommitSetup) -> None:
    """Carries out a removal, and forgets state and cache when no edit waits in the queue."""
    if any(words.startswith(SCHEDULE) for words in planned.hooks):  # first, so that none starts meanwhile
        timers.remove(vault.root, vault)
    changes = {step.path: step.data for step in planned.files}
    if changes:
        commit_setup(changes, REMOVE)
    for path in (path for path, data in changes.items() if data is None):
        _drop_empty_folders(vault.root, os.path.dirname(path))
    others = _others(vault)
    for setting in planned.settings:
        settings.write(vault.repo, setting)
    if others:
        return
    hooks.remove(vault.repo, config_goes=changes.get(PRE_COMMIT, b"") is None)
    _forget(vault)


def _drop_empty_folders(root: str, folder: str) -> None:
    while folder:
        try:
            os.rmdir(os.path.join(root, folder))
        except OSError:
            return  # it holds what is the person's
        folder = os.path.dirname(folder)


def _forget(vault: Vault) -> None:
    for kept in ("queue", "late"):  # edits that wait, and what an editor saved too late
        folder = os.path.join(vault.state, kept)
        if os.path.isdir(folder) and os.listdir(folder):
            return
    import shutil

    for ref in vault.repo.run("for-each-ref", "--format=%(refname)", "refs/vaultgit/").decode().split():
        vault.repo.run("update-ref", "-d", ref)
    for folder in ("refs/vaultgit/landing", "refs/vaultgit"):
        _drop_empty_folders(vault.repo.common_dir, folder)
    shutil.rmtree(os.path.join(vault.repo.common_dir, "vaultgit"), ignore_errors=True)
