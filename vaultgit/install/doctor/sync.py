"""What sync services leave behind: conflict copies, placeholders, copies inside .git."""

from __future__ import annotations

import os
import re
import shlex

from vaultgit.checks import names
from vaultgit.history.repository import Repository
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import first
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.hook import shown
from vaultgit.install.doctor.survey import Survey
from vaultgit.install.understand import sync_service
from vaultgit.install.understand import syncthing
from vaultgit.vault import Vault
from vaultgit.walk import walk

_NUMBERED = re.compile(r"(.+) [2-9](\.\w+)?", re.DOTALL)
_APART = "git init --separate-git-dir=DIR, with DIR outside the synced folder"


def look(vault: Vault, survey: Survey) -> Part:
    found = [*_copies(vault, survey), *_placeholders(survey), *_inside_git(vault.repo), *_service(vault)]
    return Part("sync", found, "no conflict copies, nothing that is not downloaded")


def _copies(vault: Vault, survey: Survey) -> list[Finding]:
    there = set(survey.own)
    words = {one.path: one.message for one in names.conflict_copies(survey.own, frozenset())}
    for path in survey.notes:
        # `Untitled 2.md` is how Obsidian names the next note: a copy is what has the other's lines.
        original = names.copy_of(path, there)
        if path not in words and original in there and _alike(vault.full(path), vault.full(original)):
            words[path] = f"looks like a sync service's copy of {original}"
    if not words:
        return []
    what = "1 conflict copy lies" if len(words) == 1 else f"{len(words):,} conflict copies lie"
    risk = "what one of two has is not in the other"
    mend = "merge each into its note and delete it, or give it a name of its own"
    lines = [f"{path}: {words[path]}" for path in sorted(words)]
    # Those that were here when the vault was set up are told, as `check` leaves them.
    level = problem if any("NA03" not in vault.rules.baseline.get(path, ()) for path in words) else remark
    return [level("conflict-copies", "notes", f"{what} beside the notes", risk, mend, first(lines))]


def _alike(one: str, other: str) -> bool:
    """Whether two notes share at least half of the lines of the shorter one."""
    lines = []
    for path in (one, other):
        try:
            with open(path, "rb") as stream:
                lines.append({line.strip() for line in stream.read().split(b"\n") if line.strip()})
        except OSError:
            return False
    shorter = min(len(lines[0]), len(lines[1]))
    return shorter > 0 and len(lines[0] & lines[1]) * 2 >= shorter


def _placeholders(survey: Survey) -> list[Finding]:
    if not survey.placeholders:
        return []
    number = len(survey.placeholders)
    what = "1 file is in iCloud and not on this disk" if number == 1 else f"{number:,} files are in iCloud only"
    risk = "git takes them for deleted: `git add -A` and a commit would delete them"
    mend = f"brctl download {shlex.quote(survey.placeholders[0])}; better: Keep Downloaded, on the vault's folder"
    return [problem("placeholders", "notes", what, risk, mend, first(survey.placeholders))]


def _inside_git(repo: Repository) -> list[Finding]:
    copies = _copies_in_git(repo)
    if not copies:
        return []
    what = "a sync service has copied what lies in it"
    risk = "git warns at each command, and may lose commits or break"
    mend = f"delete them once nothing is missing; then keep .git out of the synced folder: {_APART}"
    lines = [shown(repo, path) + (_held(repo, path) if number < 20 else "") for number, path in enumerate(copies)]
    return [problem("git-copies", shown(repo, repo.common_dir), what, risk, mend, first(lines))]


def _copies_in_git(repo: Repository) -> list[str]:
    found = []
    for folder in _git_folders(repo):
        try:
            names_here = sorted(os.listdir(folder))
        except OSError:
            continue
        in_refs = os.path.relpath(folder, repo.common_dir).split("/")[0] in ("refs", "logs")
        for name in names_here:
            numbered = _NUMBERED.fullmatch(name)
            # No ref has a blank in its name, so a copy in there is one also when the branch is gone.
            copied = numbered and (in_refs or numbered[1] + (numbered[2] or "") in names_here)
            if copied or names.copy_of(name, frozenset()):
                found.append(os.path.join(folder, name))
    return found


def _git_folders(repo: Repository) -> list[str]:
    """The folders of .git in which a copy does harm; not the many with loose objects."""
    top = repo.common_dir
    flat = ("info", "objects/pack", "vaultgit/state/queue")
    folders = {top, repo.git_dir, *(os.path.join(top, name) for name in flat)}
    for name in ("refs", "logs"):
        folders.update(folder for folder, _, _ in walk(os.path.join(top, name)))
    return sorted(folders)


def _held(repo: Repository, path: str) -> str:
    """Whether deleting the copy of a ref would lose commits."""
    if f"{os.sep}refs{os.sep}" not in path:
        return ""
    try:
        with open(path, "rb") as stream:
            oid = stream.read(100).strip().decode("ascii", "replace")
    except OSError:
        return ""
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", oid) or repo.resolve(oid) is None:
        return " (names no commit that is here)"
    held = repo.call("for-each-ref", "--count=1", f"--contains={oid}", "refs/heads", "refs/remotes", "refs/tags")
    if held.stdout.strip():
        return " (nothing in it that no branch has)"
    return f" (holds commits that no branch has; to keep them: git branch rescued {oid[:10]})"


def _service(vault: Vault) -> list[Finding]:
    found = []
    git_dir = vault.repo.common_dir
    service = sync_service(git_dir)
    if service:
        what = f"the vault's .git lies in {service}"
        risk = "two machines that write it at once damage it"
        mend = f"sync with git instead; {_APART}"
        found.append(remark("synced-folder", shown(vault.repo, git_dir), what, risk, mend))
    shared = syncthing(git_dir)
    if shared:
        what = f"Syncthing shares {shared}, .git with it"
        risk = "two machines that write it at once damage it"
        mend = f"echo .git >> {shlex.quote(os.path.join(shared, '.stignore'))}"
        found.append(remark("synced-folder", shared, what, risk, mend))
    return found
