"""What agents and people have vaultgit do while something goes wrong, and how one tells afterwards whether it was done."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import consolidating
import reviewing
from reviewing import at
from support import Folder
from talking import DECISIONS
from talking import Talks
from talking import minutes
from talking import person

ADA = "people/ada-lovelace.md"
MARK = "mark-of-the-agent"  # stands in the text of what an agent writes
SESSION = "s-1"


def _nothing(vault: Folder) -> None:
    """No more than every vault has."""


class Act(NamedTuple):
    """One command. `count`: how often what it does stands in HEAD, by commits; `whole`: asserts that all of it is there,
    or nothing of it. `made`: what the vault holds before, `ready`: what is done in each copy. `again`: a pass, which
    goes on when it is started again (an edit is seen to by whatever runs next)."""

    name: str
    args: tuple[str, ...]
    subject: str  # the commit's
    whole: Callable[[Folder, bool], None]
    stdin: str = ""
    made: Callable[[Folder], None] = _nothing
    ready: Callable[[Folder], None] = _nothing
    again: bool = False

    def count(self, vault: Folder) -> int:
        return vault.git("log", "--format=%s", "HEAD").splitlines().count(self.subject)


def _both(vault: Folder, path: str) -> tuple[bytes | None, bytes | None]:
    return at(vault, path), vault.bytes(path) if vault.exists(path) else None


def _in_home(vault: Folder, there: bool) -> None:
    for data in _both(vault, "Home.md"):
        assert (data or b"").count(MARK.encode()) == there, data


def _new_note(vault: Folder, there: bool) -> None:
    committed, on_disk = _both(vault, "notes/new.md")
    assert committed == on_disk, (committed, on_disk)
    assert (committed is not None and MARK.encode() in committed) is there, there


def _moved(vault: Folder, there: bool) -> None:
    for gone, new in zip(_both(vault, ADA), _both(vault, "people/ada.md"), strict=True):
        assert ((gone is None), (new is not None)) == (there, there), (gone, new)
    for data in _both(vault, "Home.md"):
        assert (b"[[people/ada]]" in (data or b"")) is there, there


def _deleted(vault: Folder, there: bool) -> None:
    for data in _both(vault, "projects/nova.md"):
        assert (data is None) is there, there


def _undone(vault: Folder, there: bool) -> None:
    _in_home(vault, not there)


def _accepted(vault: Folder, there: bool) -> None:
    for data in _both(vault, ADA):
        assert (data or b"").count(MARK.encode()) == there, data
    on_disk = list((vault.root / "inbox").glob("*.md"))
    assert len(on_disk) == (not there), on_disk


def _reviewed(vault: Folder, there: bool) -> None:
    for name in reviewing.NAMES[:3]:
        for data in _both(vault, f"skills/{name}.md"):
            assert (b", better\n" in (data or b"")) is there, name
    assert reviewing.exists(vault) is not there, there


def _captured(vault: Folder, there: bool) -> None:
    for data in _both(vault, "daily/2026-11-29.md"):
        for line in DECISIONS:
            words = line.rstrip(".").split("the ")[-1].split("Decision: ")[-1][-25:]
            assert (data or b"").decode().count(words) == there, (words, data)


def _proposed(vault: Folder, there: bool) -> None:
    for data in _both(vault, "review.md"):
        assert (data or b"").decode().count("concepts/Norrland.md") >= there
        assert (data is not None) is there, data


def _ended(vault: Folder, there: bool) -> None:
    committed, on_disk = _both(vault, "sessions/2026-11-29-work.md")
    assert committed == on_disk, (committed, on_disk)
    assert (committed is not None) is there, there


def _append_before(vault: Folder) -> None:
    args = ("append", "Home.md", "-m", "Home: before", "--agent", "codex")
    assert vault.run(*args, stdin=f"{MARK}\n".encode()).code == 0


def _suggest_before(vault: Folder) -> None:
    args = ("inbox", "add", "--target", ADA, "--reason", "heard once", "--agent", "codex")
    assert vault.run(*args, stdin=f"- {MARK}\n".encode()).code == 0


def _dream_before(vault: Folder) -> None:
    reviewing.dreamt(vault)


def _captures_before(vault: Folder) -> None:
    consolidating.captured(vault, "Norrland")


def _session_before(vault: Folder) -> None:
    who = ("--agent", "codex", "--session", SESSION)
    assert vault.run("session", "start", "work", *who).code == 0
    assert vault.run("append", ADA, *who, stdin=b"\nSeen in the session.\n").code == 0


def _log_before(vault: Folder) -> None:
    """A conversation, in the home of this process."""
    said = [person(text, f"u{number}", minutes(number)) for number, text in enumerate(DECISIONS)]
    Talks(Path(os.environ["HOME"])).put("one", *said)


def _remote_before(vault: Folder) -> None:
    """A bare repository, in which another clone has pushed; and an edit here that is not there yet."""
    place = vault.root.parent
    vault.git("init", "--quiet", "--bare", str(place / "origin.git"))
    vault.git("remote", "add", "origin", str(place / "origin.git"))
    vault.git("push", "--quiet", "--no-verify", "-u", "origin", "main")
    vault.git("clone", "--quiet", str(place / "origin.git"), str(place / "other"))
    other = Folder(place / "other")
    other.write(ADA, other.read(ADA) + f"{MARK}\n")
    other.commit("theirs")
    other.git("push", "--quiet")
    assert vault.run("append", "projects/nova.md", "-m", "nova: ours", *BY, stdin=b"- ours\n").code == 0


def _synced(vault: Folder, there: bool) -> None:
    for data in _both(vault, ADA):
        assert (data or b"").count(MARK.encode()) == there, data
    remote = vault.git("ls-remote", "origin", "refs/heads/main").split()[0]
    assert (remote == vault.git("rev-parse", "HEAD")) is there, remote


BY = ("--agent", "codex")
APPEND = Act("append", ("append", "Home.md", "-m", "Home: more", *BY), "Home: more", _in_home, f"{MARK}\n")
ACTS = (
    APPEND,
    Act("write", ("write", "notes/new.md", "-m", "notes/new: made", *BY), "notes/new: made", _new_note,
        f"# New\n\n{MARK}\n"),
    Act("move", ("move", ADA, "people/ada.md", "-m", "people: shorter", *BY), "people: shorter", _moved),
    Act("delete", ("delete", "projects/nova.md", "-m", "nova: over", *BY), "nova: over", _deleted),
    Act("undo", ("undo", "Home.md"), "Home: undone: before", _undone, made=_append_before),
    Act("inbox accept", ("inbox", "accept", "1"), "people/ada-lovelace: accepted from codex", _accepted,
        made=_suggest_before),
    Act("review accept", ("review", "accept", reviewing.DREAM), f"vaultgit: accepted {reviewing.DREAM}", _reviewed,
        made=_dream_before, again=True),
    Act("capture", ("capture", "--now", "--since", "2026-01-01"), "daily/2026-11-29: captured 6 items from shop", _captured,
        ready=_log_before, again=True),
    Act("consolidate", ("consolidate",), "vaultgit: 1 proposal in review.md", _proposed, made=_captures_before, again=True),
    Act("session end", ("session", "end", "-m", "done", *BY, "--session", SESSION), "sessions/2026-11-29-work: work", _ended,
        made=_session_before, again=True),
    Act("sync", ("sync",), "vaultgit: merged origin/main", _synced, ready=_remote_before, again=True),
)  # fmt: skip
NAMED = {act.name: act for act in ACTS}
