"""A token in any place that a client or a person can fill: it enters neither git nor the queue, the logs, the prompts nor
what is printed (P11). Where text of notes is kept beside git, that is said, and no other user can read it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support import Folder

TOKEN = "gh" + "p_" + "Zk8wQ3" * 6
PLAIN = b"A fact.\n"
ADA = "people/ada-lovelace.md"

PLACES: dict[str, tuple[tuple[str, ...], bytes]] = {
    "text": (("append", ADA, "--agent", "a1"), f"token {TOKEN}\n".encode()),
    "a note": (("write", "people/bob.md", "--agent", "a1"), f"---\ntype: person\nname: {TOKEN}\n---\n".encode()),
    "a property": (("set", ADA, f"key={TOKEN}", "--agent", "a1"), b""),
    "a property's name": (("set", ADA, f"{TOKEN}=1", "--agent", "a1"), b""),
    "a file's name": (("write", f"people/{TOKEN}.md", "--agent", "a1"), b"---\ntype: person\n---\n"),
    "a folder's name": (("write", f"notes/{TOKEN}/a.md", "--agent", "a1"), PLAIN),
    "a new name": (("move", ADA, f"people/{TOKEN}.md", "--agent", "a1"), b""),
    "a heading": (("append", "projects/nova.md", "--heading", TOKEN, "--agent", "a1"), PLAIN),
    "a line": (("append", ADA, "-m", f"Ada: {TOKEN}", "--agent", "a1"), PLAIN),
    "a reason": (("append", ADA, "--reason", f"because {TOKEN}", "--agent", "a1"), PLAIN),
    "an agent's name": (("append", ADA, "--agent", TOKEN), PLAIN),
    "a session": (("append", ADA, "--agent", "a1", "--session", TOKEN), PLAIN),
    "a base": (("write", ADA, "--base", TOKEN, "--agent", "a1"), PLAIN),
    "json": (("apply", "--agent", "a1"), json.dumps({"changes": [{"path": ADA, "action": "append", "text": TOKEN}], "line": TOKEN}).encode()),
    "a proposal": (("inbox", "add", "--target", ADA, "--reason", "x", "--agent", "a1"), f"{TOKEN}\n".encode()),
    "its reason": (("inbox", "add", "--target", ADA, "--reason", TOKEN, "--agent", "a1"), PLAIN),
    "its target": (("inbox", "add", "--target", f"people/{TOKEN}.md", "--reason", "x", "--agent", "a1"), PLAIN),
    "a task": (("session", "start", f"with {TOKEN}", "--agent", "a1"), b""),
    "a remark": (("session", "note", f"with {TOKEN}", "--agent", "a1"), b""),
    "a skill's name": (("skill", "new", TOKEN, "--agent", "a1"), b"1. a\n"),
    "a skill": (("skill", "new", "deploy", "--trigger", f"with {TOKEN}", "--agent", "a1"), f"1. use {TOKEN}\n".encode()),
    "a molt": (("molt", "review-a-pr", "--trigger", "corrected", "--reason", TOKEN, "--agent", "a1"), f"1. use {TOKEN}\n".encode()),
}  # fmt: skip


def kept(vault: Folder) -> list[str]:
    """Where the token stands: in git's objects, refs and logs, in our folders, in the home, in notes."""
    found = []
    objects = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=vault.root, capture_output=True, check=True
    ).stdout
    if TOKEN.encode() in objects:
        found.append("git objects")
    for top in (vault.root, Path(os.environ["HOME"])):
        for path in top.rglob("*"):
            if TOKEN in str(path) or (path.is_file() and not path.is_symlink() and TOKEN.encode() in path.read_bytes()):
                found.append(str(path))
    return found


@pytest.mark.parametrize("place", PLACES)
def test_p11_a_token_in_any_argument_is_kept_nowhere(vault: Folder, place: str) -> None:
    words, stdin = PLACES[place]
    for more in ((), ("--json",)):
        done = vault.run(*words, *(more if words[0] != "session" else ()), stdin=stdin)
        assert done.code in (0, 1, 2), done
        assert kept(vault) == []
        if place not in ("a base",):  # what was typed wrong is said back to who typed it
            assert TOKEN not in done.out, (place, done)
    vault.run("session", "end", "--agent", "a1")
    assert kept(vault) == []


def test_p11_also_while_it_has_to_wait(vault: Folder) -> None:
    """Refused before the queue: a rebase in progress makes no difference."""
    vault.git("update-ref", "REBASE_HEAD", "HEAD")
    (vault.root / ".git/rebase-merge").mkdir()
    for words, stdin in PLACES.values():
        vault.run(*words, stdin=stdin)
    assert kept(vault) == []


def test_p11_a_crash_writes_no_argument_and_no_text(vault: Folder) -> None:
    code = (
        "import sys\nfrom vaultgit.cli import main\n"
        "def broken(args):\n    text = args[-1]\n    raise RuntimeError('it was ' + text)\n"
        f"main._dispatch = broken\nsys.exit(main.main(['append', '{ADA}', '-m', {TOKEN!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=vault.root, capture_output=True, check=False)
    assert done.returncode == 3 and b"a bug of ours: RuntimeError" in done.stderr
    assert TOKEN.encode() not in done.stderr + done.stdout
    logs = list(Path(os.environ["HOME"]).rglob("*.log"))
    assert logs and kept(vault) == []
    written = "".join(path.read_text() for path in logs)
    assert "RuntimeError" in written and ADA not in written and "it was" not in written.replace("'it was '", "")


def test_p11_what_a_person_keeps_in_a_note_reaches_no_prompt_and_no_message(vault: Folder) -> None:
    vault.write("people/evil.md", f"---\ntype: person\nname: evil\n---\nevil key {TOKEN}\n")
    for words in (
        ("context", "evil key"),
        ("status",),
        ("doctor",),
        ("check",),
        ("check", "--json"),
        ("dream", "--dry-run"),
        ("links", "people/evil.md"),
        ("capture", "--dry-run"),
    ):
        done = vault.run(*words)
        assert TOKEN not in done.out + done.err, (words, done)
    payload = json.dumps(
        {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": "what is the evil key of evil"}
    ).encode()
    done = vault.run("hook", "prompt", "--agent", "claude-code", "--vault", str(vault.root), stdin=payload)
    assert done.code == 0 and TOKEN not in done.out
    assert [path for path in kept(vault) if "/cache/" not in path] == [str(vault.root / "people/evil.md")]


def test_the_search_index_holds_words_of_notes_for_its_owner_alone_and_can_be_deleted(vault: Folder) -> None:
    """It is said in docs/security.md: what a note holds, its index holds."""
    vault.write("people/evil.md", "---\ntype: person\nname: evil\n---\nxylophone xylophone\n")
    cache = vault.root / ".git/vaultgit/cache"
    shutil.rmtree(cache, ignore_errors=True)
    assert "evil" in vault.run("search", "xylophone").out
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert any(b"xylophon" in path.read_bytes() for path in files)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    vault.write("people/evil.md", "---\ntype: person\nname: evil\n---\nnothing\n")
    vault.run("search", "nothing")
    for path in files:
        path.unlink(missing_ok=True)
    assert "evil" in vault.run("search", "nothing").out


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("doctor",),
        ("sync",),
        ("sync", "--dry-run"),
        ("review", "push", "dream/x"),
        ("context", "x"),
        ("init", "--dry-run"),
    ],
)
def test_p11_a_password_in_a_remotes_address_is_never_said(vault: Folder, words: tuple[str, ...]) -> None:
    vault.git("remote", "add", "origin", f"https://me:{TOKEN}@127.0.0.1:9/x.git")
    vault.git("config", "branch.main.remote", "origin")
    vault.git("config", "branch.main.merge", "refs/heads/main")
    vault.git("config", "http.extraHeader", f"Authorization: basic {TOKEN}")
    vault.git("update-ref", "refs/heads/dream/x", "HEAD")
    done = vault.run(*words)
    assert TOKEN not in done.out + done.err, done
    assert [path for path in kept(vault) if not path.endswith("/.git/config")] == []
