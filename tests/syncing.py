"""What tests of `sync` share: a bare repository on disk, and clones of it that are vaults."""

from __future__ import annotations

import json
from typing import Any

from support import Folder
from support import Result


def with_remote(vault: Folder, *, name: str = "origin", bare: str = "bare.git", pushed: bool = True) -> Folder:
    """A bare repository beside the vault, which is its remote; it has the vault's branch."""
    root = vault.root.parent / bare
    vault.git("init", "--quiet", "--bare", f"--object-format={_format(vault)}", str(root))
    vault.git("remote", "add", name, str(root))
    there = Folder(root)
    if pushed:
        done = vault.run("sync", name)
        assert done.code == 0, done
    return there


def _format(vault: Folder) -> str:
    return vault.git("rev-parse", "--show-object-format")


def clone(there: Folder, name: str, *options: str, who: str = "Bea") -> Folder:
    """A clone of a bare repository, beside it, of another person."""
    root = there.root.parent / name
    there.git("clone", "--quiet", *options, there.root.as_uri() if options else str(there.root), str(root))
    made = Folder(root)
    made.git("config", "user.name", who)
    return made


def synced(vault: Folder, *args: str) -> dict[str, Any]:
    """What a sync that ends well came to."""
    done = vault.run("sync", "--json", *args)
    assert done.code == 0, done
    found: dict[str, Any] = json.loads(done.out)
    return found


def edit(vault: Folder, text: str, path: str = "Home.md", *, agent: str = "codex") -> str:
    """A line that an agent adds; its commit."""
    done = vault.run("append", path, "--agent", agent, stdin=f"{text}\n".encode())
    assert done.code == 0, done
    return done.out.split()[1]


def tip(vault: Folder, ref: str = "HEAD") -> str:
    return vault.git("rev-parse", "--verify", "--quiet", ref)


def has(vault: Folder, ref: str) -> bool:
    return vault.try_git("rev-parse", "--verify", "--quiet", ref).code == 0


def level(*places: Folder, branch: str = "main") -> bool:
    """Whether all have the same commit, changelogs agree with history, and nothing of a merge is left lying about."""
    tips = {tip(place, f"refs/heads/{branch}") for place in places}
    assert len(tips) == 1, tips
    for place in places:
        if (place.root / ".git").exists():
            checked = place.run("verify")
            assert checked.code == 0, checked
            assert place.git("status", "--porcelain") == ""
            assert not has(place, "MERGE_HEAD")
        assert place.git("fsck", "--no-dangling", "--no-progress") == ""
    return True


def refused(vault: Folder, *args: str) -> Result:
    """A sync that is refused, and has changed no ref, no file here, but what git knows of the remote."""
    before = (refs(vault), vault.snapshot())
    done = vault.run("sync", *args)
    assert done.code == 1, done
    assert (refs(vault), vault.snapshot()) == before
    return done


def refs(vault: Folder) -> dict[str, str]:
    """All refs but those that stand for the remote's."""
    rows = vault.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(row.split(" ") for row in rows if not row.startswith("refs/remotes/"))


def ways_out(done: Result, word: str) -> list[str]:
    """The git commands that a refusal offers behind a word."""
    [line] = [line for line in done.err.splitlines() if line.strip().startswith(f"{word}:")]
    commands = line.partition(":")[2].partition("   (")[0]
    return [command.strip() for command in commands.split(";")]
