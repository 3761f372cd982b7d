"""What has to hold after the soak, read with git alone (and `vaultgit verify`)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from benchmarks import place
from benchmarks.place import git
from benchmarks.soak_person import MINE
from vaultgit.edits.textmerge import MERGING

SYNCED = "refs/vaultgit/synced/"  # what was last agreed with another clone: it stays


class Ack(NamedTuple):
    outcome: str
    edit: str
    name: str  # stands in the edit's text, once
    path: str
    reason: str  # why it waits, or was refused


def acknowledged(folder: str) -> list[Ack]:
    """What writers were told. A last line cut by a kill was never told."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            found += [Ack(*json.loads(line)) for line in stream if line.endswith("\n")]
    return found


def failures(vault: str, acks: list[Ack]) -> list[str]:
    """In words, all that does not hold; [] when everything does."""
    found: list[str] = []
    ids = Counter(re.findall(r"(?m)^\s*Edit: (\w{16})\s*$", git(vault, "log", "--format=%B")))
    for edit, count in ids.items():
        if count > 1:
            found.append(f"edit {edit} is in history {count} times")
    waiting = [ack for ack in acks if ack.outcome != "refused"]
    for ack in waiting:
        if ack.outcome != "unchanged" and ids[ack.edit] != 1:
            found.append(f"edit {ack.edit} ({ack.outcome}, {ack.name}, {ack.path}) is in history {ids[ack.edit]} times")
    found += _texts(vault, [ack for ack in waiting if ack.outcome != "unchanged"])
    for commit in git(vault, "log", "--format=%H", "--author=agents.vaultgit.invalid").splitlines():
        names = git(vault, "show", "--format=", "--name-only", commit).splitlines()
        found += [f"{name} of the person's is in an agent's commit {commit}" for name in MINE if name in names]
    return found + at_rest(vault)


def at_rest(vault: str) -> list[str]:
    """verify and fsck have nothing to say, nothing lies about, nothing is uncommitted."""
    status = git(vault, "status", "--porcelain")
    found = said_by_verify(vault) + said_by_fsck(vault) + left_behind(vault, lambda *args: git(vault, *args))
    return found + ([f"git status is not clean: {status[:400]}"] if status else [])


def said_by_verify(vault: str) -> list[str]:
    said = subprocess.run(
        [*place.program(), "verify"], cwd=vault, env=place.environment(), capture_output=True, text=True, check=False
    )
    return [f"verify: {said.returncode}: {(said.stdout + said.stderr)[-600:]}"] if said.returncode else []


def said_by_fsck(folder: str) -> list[str]:
    fsck = subprocess.run(
        ["git", "fsck", "--no-dangling", "--no-progress"], cwd=folder, env=place.environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    bad = fsck.returncode or fsck.stdout or fsck.stderr
    return [f"fsck: {fsck.returncode}: {(fsck.stdout + fsck.stderr)[-600:]}"] if bad else []


def _texts(vault: str, acks: list[Ack]) -> list[str]:
    """The text of each edit stands once in HEAD: in its note or in the inbox."""
    texts: dict[str, str] = {}
    for path in git(vault, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0"):
        if path.endswith(".md") and not path.startswith("changelog"):
            texts[path] = git(vault, "show", f"HEAD:{path}")
    counts: dict[str, Counter[str]] = {
        path: Counter(re.findall(r"(?m)^\W*(w\d+-\d+-\d+) by writer", text)) for path, text in texts.items()
    }
    inbox = [path for path in counts if path.startswith("inbox/")]
    found = []
    for ack in acks:
        there = counts.get(ack.path, Counter())[ack.name]
        # An inbox note holds the whole text that did not merge, with older lines of the same note.
        kept = any(counts[path][ack.name] for path in inbox)
        if there > 1 or (there == 0 and not kept):
            found.append(f"text {ack.name} of edit {ack.edit} ({ack.outcome}): {there} times in {ack.path} of HEAD")
    return found


def left_behind(vault: str, ask: Callable[..., str]) -> list[str]:
    """Locks, temporaries, plans, queued edits and refs of ours that lie about, in words. `ask`: the output of git with
    these arguments."""
    found = []
    own = os.path.join(vault, ".git")
    state = os.path.join(own, "vaultgit", "state")
    for here, folders, files in os.walk(own):
        # Files of our own state are locked, not made and taken away: vaultgit/state/capture.lock stays.
        folders[:] = [name for name in folders if name != "objects" and os.path.join(here, name) != state]
        found += [f"a lock is left: {os.path.join(here, name)}" for name in files if name.endswith(".lock")]
    for name in ("queue", "plans", "tmp"):
        folder = os.path.join(state, name)
        there = os.listdir(folder) if os.path.isdir(folder) else []
        # A temporary of the queue was never acknowledged; it is swept a minute later. So is the folder of a round that
        # has landed: an editor may still write into the file that came out of the exchange.
        left = [entry for entry in there if not (name == "queue" and entry.endswith(".tmp"))]
        left = [entry for entry in left if not os.path.exists(os.path.join(state, "landed", f"{entry}.json"))]
        # And after an hour what a killed merge left: the writers' lock does not tell that nobody merges.
        left = [entry for entry in left if not (name == "tmp" and entry.startswith(MERGING))]
        found += [f"left in {name}: {', '.join(left[:5])}"] if left else []
    every = ask("for-each-ref", "--format=%(refname)", "refs/vaultgit").splitlines()
    refs = [one for one in every if not one.startswith(SYNCED)]
    return found + ([f"refs are left: {refs}"] if refs else [])
