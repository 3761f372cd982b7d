"""What waits longer than it should: the queue, late saves, the inbox, locks that nobody holds."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from datetime import date
from datetime import datetime
from datetime import timedelta

from vaultgit.edits import queue
from vaultgit.edits import recover
from vaultgit.edits.busy import busy
from vaultgit.history import refs
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import first
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.hook import shown
from vaultgit.vault import Vault

LONG = timedelta(hours=1)  # for an edit in the queue
OLD = timedelta(days=14)  # for a note in the inbox
STALE = 60.0  # seconds after which a lock is one that its git has left


def look(vault: Vault, now: datetime, inbox: Sequence[tuple[str, str]]) -> Part:
    """`inbox`: path and day (YYYY-MM-DD) of each note in the inbox."""
    locks = _locks(vault)
    found = [*_queue(vault, now, locks), *_elsewhere(vault), *locks, *_late(vault), *_inbox(inbox, now.date())]
    return Part("waiting", found, "nothing queued for long, no lock left behind, no old note in the inbox")


def _queue(vault: Vault, now: datetime, locks: Sequence[Finding]) -> list[Finding]:
    waiting = [e for e in queue.entries(vault.repo, vault.state, vault.prefix) if now - e.when > LONG]
    if not waiting:
        return []
    reason = busy(vault, sweep=False)
    if reason:
        mend = "git status says how to end it; the edits land by themselves then"
    elif locks:
        reason, mend = f"{locks[0].about} is held", locks[0].mend
    else:
        reason, mend = "nothing holds them", "vaultgit status"
    what = f"{counted(len(waiting), 'edit')} waiting since {waiting[0].when:%Y-%m-%d %H:%M}: {reason}"
    lines = first([f"{e.id} {e.subject}" for e in waiting])
    return [problem("queue-waiting", "queue", what, "they are saved, but not in the notes", mend, lines)]


def _elsewhere(vault: Vault) -> list[Finding]:
    other = queue.elsewhere(vault.repo, vault.state, vault.prefix)
    found = []
    if other.waiting:
        what = f"{counted(other.waiting, 'edit')} of other work trees or vaults of this repository"
        mend = "vaultgit status, there (git worktree list)"
        found.append(remark("queue-elsewhere", "queue", what, "they land only there", mend))
    for path in other.damaged:
        what, risk = "holds no edit any more: the file is damaged", "that edit does not land"
        mend = f"look for its text in it, then: mv {shlex.quote(path)} ~"
        found.append(problem("queue-damaged", shown(vault.repo, path), what, risk, mend))
    return found


def _late(vault: Vault) -> list[Finding]:
    folder = os.path.join(vault.state, recover.LATE)
    found = []
    for name in queue.listing(folder):
        path = os.path.join(folder, name)
        what, risk = "your editor saved this text while an edit landed, and it did not merge", "it is in no note"
        mend = f"take from it what is missing, then: rm {shlex.quote(path)}"
        found.append(problem("late-save", shown(vault.repo, path), what, risk, mend))
    return found


def _inbox(inbox: Sequence[tuple[str, str]], today: date) -> list[Finding]:
    old = [f"{path} ({day})" for path, day in inbox if _age(day, today) > OLD]
    if not old:
        return []
    have = "has" if len(old) == 1 else "have"
    what = f"{counted(len(old), 'note')} {have} waited for you more than {OLD.days} days"
    return [remark("inbox-old", "inbox", what, "agents go on without an answer", "vaultgit inbox list", first(old))]


def _age(day: str, today: date) -> timedelta:
    try:
        return today - date.fromisoformat(day)
    except ValueError:
        return timedelta(0)


def _locks(vault: Vault) -> list[Finding]:
    repo = vault.repo
    places = [(repo.git_dir, "index.lock"), (repo.git_dir, "HEAD.lock"), (repo.common_dir, "packed-refs.lock")]
    branch = refs.head(repo).branch
    places += [(repo.common_dir, f"{branch}.lock")] if branch else []
    return [found for folder, name in places for found in _lock(vault, os.path.join(folder, name))]


def _lock(vault: Vault, path: str) -> list[Finding]:
    try:
        age = time.time() - os.stat(path).st_mtime
        with open(path, "rb") as stream:
            ours = stream.read(9) == b"vaultgit "
    except OSError:
        return []
    if age < STALE:
        return []
    what = f"a lock, {_words(age)} old"
    risk = "every commit fails, and edits wait in the queue"
    mend = "vaultgit status" if ours else f"if no git runs here: rm {shlex.quote(path)}"
    return [problem("stale-lock", shown(vault.repo, path), what, risk, mend)]


def _words(seconds: float) -> str:
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return counted(int(seconds // size), name)
    return "less than a minute"
