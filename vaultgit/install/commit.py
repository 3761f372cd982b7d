"""The commits of setting up: the owner's files on a branch that has none yet, then ours, as the person."""

from __future__ import annotations

from vaultgit.clock import SystemClock
from vaultgit.edits import judge
from vaultgit.edits import queue
from vaultgit.edits.edit import PathChange
from vaultgit.edits.merge import merge
from vaultgit.edits.submit import submit
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.history.repository import Repository
from vaultgit.install.first import First
from vaultgit.install.first import pathspecs as paths_for_git
from vaultgit.install.first import refuse_ours
from vaultgit.vault import Disk
from vaultgit.vault import Vault

AS_IT_WAS = "own: as it was"


def refuse_busy(repo: Repository) -> None:
    """Raises UsageError while a rebase, merge or the like waits for the person: setting up can wait."""
    head = refs.head(repo)
    if head.operation == "detached HEAD":
        raise UsageError(
            f"no branch is checked out in {repo.worktree}; nothing was written",
            "git switch BRANCH, then again",
        )
    if head.operation:
        where = f" on branch {head.branch.removeprefix('refs/heads/')}" if head.branch else ""
        raise UsageError(
            f"a {head.operation} is in progress{where}; nothing was written",
            "end it first, git status says how; then again",
        )


def adopt_unborn(vault: Vault, first: First) -> None:
    """The first commit of a branch: the owner's files as they lie, but what `first` leaves out. The branch keeps its
    name."""
    repo = vault.repo
    # As if every file were a big one: into one pack. A file and a flush for each takes minutes for 10,000 notes.
    packed = ("-c", "core.bigFileThreshold=1")
    pathspecs = paths_for_git(vault.prefix, first.left_out)
    repo.run(*packed, "add", "--all", "--", *pathspecs, env={"GIT_LITERAL_PATHSPECS": "0"})
    if not repo.run("ls-files", "--cached", "-z"):
        return
    person = repo.person()
    repo.run(
        "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "-m", AS_IT_WAS,
        env={
            "GIT_AUTHOR_NAME": person.name, "GIT_AUTHOR_EMAIL": person.email,
            "GIT_COMMITTER_NAME": person.name, "GIT_COMMITTER_EMAIL": person.email,
        },
    )  # fmt: skip


def commit_setup(vault: Vault, changes: dict[str, bytes | None], message: str) -> None:
    """Lands our files as one housekeeping commit, through the write path: the person's staged and unsaved
    text stays as it is. Raises VaultgitError when that is not possible now.
    """
    refuse_busy(vault.repo)
    disk = Disk(vault.root)
    edits = [
        PathChange(path, disk.read(path), data, "delete" if data is None else "write") for path, data in changes.items()
    ]
    _refuse_conflicts(vault, edits)
    for edit in edits:
        secrets = judge.secrets(vault, edit.path, edit.base) if edit.base and _is_unseen(vault, edit.path) else []
        if secrets:
            refuse_ours(secrets[0])
    done = submit(vault, SystemClock(), edits, subject=message, housekeeping=True)
    if done.outcome == "queued":
        queue.remove(vault.state, done.edit)  # nobody was promised anything: it must not land behind a person's back
        raise VaultgitError(f"{message}: could not be committed now: {done.reason}", "then run this again")
    if done.outcome == "inbox":
        raise VaultgitError(f"{message}: could not be merged with what is there; see {done.inbox}")


def _is_unseen(vault: Vault, path: str) -> bool:
    return all(vault.repo.blob(f"{revision}:{vault.prefix}{path}") is None for revision in ("HEAD", ""))


def _refuse_conflicts(vault: Vault, edits: list[PathChange]) -> None:
    """Our lines are no suggestion that could wait in the inbox: unless they merge, nothing is written."""
    text_merge = git_text_merge(vault.repo)
    for edit in edits:
        blobs = [vault.repo.blob(f"{revision}:{vault.prefix}{edit.path}") for revision in ("HEAD", "")]
        if blobs == [None, None]:
            continue  # git has never seen it: what is on disk is committed first, as it is
        for there in (blob.data if blob else None for blob in blobs):
            if there in (edit.base, edit.new):
                continue
            if edit.base is None or merge(edit.base, there, edit.new, text_merge=text_merge).conflicts:
                raise UsageError(
                    f"{edit.path} has uncommitted changes where our lines go; nothing was written",
                    f"commit {edit.path} first, or restore it; then again",
                )
