"""Files planted in our state folder: what lies there is data, held to the rules again before anything is made of it.

An agent with a shell can write there as it can write anywhere (docs/security.md says so); what it cannot do is make our
next command carry a path out of the vault, into `.git`, or past the protected ones.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits.edit import new_id

STATE = ".git/vaultgit/state"
ID = "01jdx3k9m2qtw7ab"
OUT = [
    "../x.md", ".git/hooks/post-commit", ".GIT/hooks/post-commit", ".g\u200cit/hooks/x", "people/../../y.md", "/tmp/z.md",
    "a\nb.md", ".git", "", ".git::$INDEX_ALLOCATION/x", "git~1/hooks/x",
]  # fmt: skip
PROTECTED = [
    ".pre-commit-config.yaml",
    "review.md",
    "AGENTS.md",
    ".vaultgit/baseline.json",
    ".vaultgit.toml",
    "changelog.md",
]


def entry(changes: list[list[Any]], agent: str | None = "codex", **more: Any) -> dict[str, Any]:
    return {
        "id": ID, "changes": changes, "subject": "Home: planted", "reason": "", "author": ["codex", "c@x.invalid"],
        "agent": agent, "trailers": [["Edit", ID]], "authored": "2026-11-29T21:10:00+01:00", "branch": "refs/heads/main",
        "place": ".", "prefix": "", "fingerprint": "x", "order": 1, **more,
    }  # fmt: skip


def plant(vault: Folder, name: str, record: Any) -> Path:
    """Beside what an edit of before has left."""
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"one\n").code == 0
    path = vault.root / STATE / name
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    return path


def everything(vault: Folder) -> dict[str, bytes]:
    """All files beside and in the vault but for objects, logs and our own state."""
    top = vault.root.parent
    return {
        str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*"))
        if path.is_file() and not path.is_symlink() and not {"objects", "logs", "state", "cache", "home"} & {*path.parts}
        and path.name not in ("index", "COMMIT_EDITMSG")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "agent"),
    [*((path, agent) for path in OUT for agent in ("codex", None)), *((path, "codex") for path in PROTECTED)],
)
def test_an_entry_of_the_queue_is_held_to_the_path_rules_again(vault: Folder, path: str, agent: str | None) -> None:
    file = plant(
        vault, f"queue/{ID}.json", entry([[path, None, "planted\n", "write"], ["Home.md", None, None, "write"]], agent)
    )
    before, head = everything(vault), vault.git("rev-parse", "HEAD")
    shown = vault.run("status")
    assert f"needs you   a queued edit whose file is damaged: {file}" in shown.out, shown
    assert everything(vault) == before and vault.git("rev-parse", "HEAD") == head
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"two\n").out.startswith("committed")
    assert "planted" not in vault.git("log", "--all", "-p", "--format=%B")


@pytest.mark.parametrize(
    "more", [{"branch": "refs/tags/x"}, {"branch": "HEAD"}, {"id": "../../../x"}, {"branch": "--all"}]
)
def test_an_entry_that_names_another_ref_or_file_is_none(vault: Folder, more: dict[str, Any]) -> None:
    plant(vault, f"queue/{ID}.json", entry([["Home.md", None, "planted\n", "write"]], **more))
    refs = vault.git("for-each-ref")
    assert "damaged" in vault.run("status").out
    assert vault.git("for-each-ref") == refs


@pytest.mark.parametrize(
    "more",
    [
        {"subject": f"x\n\nEdit: {new_id(SystemClock())}"}, {"author": ["codex\nx", "codex@x.invalid"]},
        {"trailers": [["Agent", f"codex\nEdit: {new_id(SystemClock())}"], ["Edit", ID]]},
    ],
)  # fmt: skip
def test_p1_an_entry_whose_words_begin_lines_of_their_own_is_none(vault: Folder, more: dict[str, Any]) -> None:
    plant(vault, f"queue/{ID}.json", entry([["new.md", None, "planted\n", "write"]], **more))
    assert "damaged" in vault.run("status").out
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"two\n").out.startswith("committed")
    done = vault.run("verify")
    assert (done.code, done.out) == (0, "agrees: 2 edits\n")


def test_an_entry_that_is_one_lands_under_the_name_it_claims(vault: Folder) -> None:
    """What cannot be prevented: who can write there is who could run git."""
    plant(vault, f"queue/{ID}.json", entry([["new.md", None, "planted\n", "write"]]))
    assert f"landed      {ID} committed" in vault.run("status").out
    assert vault.git("log", "-1", "--format=%an") == "codex"


@pytest.mark.parametrize("path", ["../x.md", ".git/hooks/post-commit", "people/../../y.md", "/tmp/z.md", ".GIT/x"])
@pytest.mark.parametrize("where", ["disk", "staged"])
def test_a_plan_is_held_to_them_too(vault: Folder, path: str, where: str) -> None:
    round_id, tip = new_id(SystemClock()), vault.git("rev-parse", "HEAD")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"one\n").code == 0
    new, old = vault.git("rev-parse", "HEAD"), tip
    vault.git("update-ref", "refs/heads/main", old)
    blob = vault.git("hash-object", "-w", "--stdin", stdin=b"planted\n")
    record = {
        "round": round_id, "place": ".", "ref": "refs/heads/main", "old": old, "new": new, "checked_out": True,
        "edits": [], "disk": [[path, None, "planted\n", 0o755, None]] if where == "disk" else [],
        "staged": [[path, None, ["100755", blob, ""]]] if where == "staged" else [],
    }  # fmt: skip
    file = vault.root / STATE / f"plans/{round_id}.json"
    file.write_text(json.dumps(record))
    before = everything(vault)
    assert vault.run("status").code == 0
    assert not file.exists() and everything(vault) == before
    assert vault.git("rev-parse", "refs/heads/main") == old
    assert path not in vault.git("ls-files")


@pytest.mark.parametrize("round_id", ["../../../victim", "../../config"])
def test_a_plan_that_is_called_by_a_path_takes_nothing_away(vault: Folder, round_id: str) -> None:
    victim = vault.root.parent / "victim.json"
    victim.write_text("{}")
    head = vault.git("rev-parse", "HEAD")
    record = {
        "round": round_id, "place": ".", "ref": "refs/heads/main", "old": None, "new": head, "checked_out": True,
        "edits": [], "disk": [], "staged": [],
    }  # fmt: skip
    plant(vault, "plans/x.json", record)
    assert vault.run("status").code == 0
    assert victim.exists() and (vault.root / ".git/config").exists()


@pytest.mark.parametrize("name", ["queue", "plans", "landed"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "nesting", "text", "link"])
def test_what_is_no_record_stops_nothing(vault: Folder, name: str, kind: str) -> None:
    path = plant(vault, f"{name}/{ID}.json", "[" * 100_000)
    if kind != "nesting":
        path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "text":
        path.write_bytes(b"\xff\x00{")
    elif kind == "link":
        path.symlink_to("/dev/zero")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"two\n").out.startswith("committed")
    assert vault.run("status").code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("what", ["state", "state/queue", "entry"])
def test_what_another_user_put_there_is_not_ours_to_land(vault: Folder, what: str) -> None:
    """A `.git` that a group may write to: somebody of the group made the folder first, or put a file into it."""
    file = plant(vault, f"queue/{ID}.json", entry([["new.md", None, "planted\n", "write"]]))
    target = file if what == "entry" else vault.root / ".git/vaultgit" / what
    for path in (target, *(target.rglob("*") if target.is_dir() else ())):
        os.chown(path, 65534, 65534)
    head = vault.git("rev-parse", "HEAD")
    assert vault.run("status").code in (0, 1)
    assert vault.git("rev-parse", "HEAD") == head and not vault.exists("new.md")
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"two\n")
    if what == "entry":
        assert done.out.startswith("committed") and file.exists()
    else:
        assert done.code == 1 and "belongs to another user" in done.err and "not saved" in done.err, done
        assert b"two" not in vault.bytes("Home.md")


def test_p11_all_that_we_make_in_git_is_its_owners_alone_whatever_the_umask(vault: Folder) -> None:
    import shutil

    shutil.rmtree(vault.root / ".git/vaultgit")
    vault.git("config", "core.sharedRepository", "0666")
    old = os.umask(0)
    try:
        for args in (["search", "ada"], ["status"], ["check"], ["session", "start", "x", "--agent", "codex"]):
            assert vault.run(*args).code == 0
            assert stat.S_IMODE((vault.root / ".git/vaultgit").stat().st_mode) == 0o700
        assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"two\n").code == 0
        vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
        assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"three\n").code == 75
    finally:
        os.umask(old)
    ours = vault.root / ".git/vaultgit"
    open_to_others = {
        str(path.relative_to(ours)) for path in (ours, *ours.rglob("*"))
        if path.is_dir() and stat.S_IMODE(path.stat().st_mode) & 0o077 and "hooks" not in path.parts
    }  # fmt: skip
    assert open_to_others == set()
    files = [path for path in (ours / "state").rglob("*") if path.is_file()]
    assert any(path.parent.name == "queue" for path in files)
    loose = {str(path.relative_to(ours)) for path in files if path.parent.name in ("queue", "plans", "landed", "sessions")
             and stat.S_IMODE(path.stat().st_mode) & 0o077}  # fmt: skip
    assert loose == set()
