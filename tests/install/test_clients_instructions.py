"""`agent install`: the lines in a client's own instructions, and earlier installations; all of it to the byte (P12)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Folder
from support import Result

from vaultgit.install import block
from vaultgit.install import settings
from vaultgit.install.clients import files
from vaultgit.install.clients import instructions

FILES = {"claude": ".claude/CLAUDE.md", "codex": ".codex/AGENTS.md"}


@pytest.fixture
def home(vault: Folder) -> Path:
    return vault.root.parent / "home"


def fine(done: Result) -> Result:
    assert done.code == 0, done.out + done.err
    return done


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def listing(folder: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize(
    "text",
    [None, b"", b"\n", b"# Mine\n\nBe brief.\n", b"# Mine", b"# Mine\r\n\r\nBe brief.\r\n", b"a\r\nb", b"\xef\xbb\xbf# BOM\n",
     b"latin \xe4\xf6\n", b"<!-- another begin -->\nx\n<!-- another end -->\n", b"a\n\n\n\n", b"nul \0 here\n"],
    ids=range(12),
)  # fmt: skip
@pytest.mark.parametrize("client", FILES)
def test_lines_go_in_and_out_again(vault: Folder, home: Path, client: str, text: bytes | None) -> None:
    path = home / FILES[client]
    if text is not None:
        put(path, text)
    before = listing(home)
    done = fine(vault.run("agent", "install", client))
    assert f"~/{FILES[client]}" in done.out and "+3 lines between markers" in done.out
    assert ("yours kept" in done.out) == bool(text)
    new = path.read_bytes()
    assert new.startswith((text or b"").rstrip(b"\r\n")) and b" search WORDS --vault " in new
    assert new.count(b"vaultgit begin") == 1 and (b"\r\n" in (text or b"")) == (b"\r\n" in new)
    if text is not None:
        assert list(files.backups(str(path)).values()) == [text]
    assert "nothing to do" in fine(vault.run("agent", "install", client)).out and path.read_bytes() == new
    fine(vault.run("agent", "remove", client))
    assert listing(home) == before


@given(text=st.none() | st.binary(max_size=60) | st.sampled_from([b"\r", b"\r\r\n", b"a\r", b"\n\r\n"]))
def test_any_bytes_come_back(text: bytes | None) -> None:
    """The inverse itself, with the backup that an empty file needs."""
    new = block.add(text, instructions.text("vaultgit", "/x"), block.HTML)
    assert (block.remove(new, block.HTML) or b"") == (text or b"")


def test_what_a_person_writes_since_stays(vault: Folder, home: Path) -> None:
    path = put(home / ".claude/CLAUDE.md", b"first\n")
    fine(vault.run("agent", "install", "claude"))
    path.write_bytes(b"above\n" + path.read_bytes() + b"below\n")
    fine(vault.run("agent", "install", "claude"))
    fine(vault.run("agent", "remove", "claude"))
    assert path.read_bytes() == b"above\nfirst\nbelow\n" and os.listdir(path.parent) == ["CLAUDE.md"]


def test_lines_that_a_person_edited_are_theirs(vault: Folder, home: Path) -> None:
    path = home / ".claude/CLAUDE.md"
    fine(vault.run("agent", "install", "claude"))
    edited = path.read_bytes().replace(b"look there", b"look there, in German")
    path.write_bytes(edited)
    assert "are yours" in fine(vault.run("agent", "install", "claude")).out and path.read_bytes() == edited
    assert "are yours" in fine(vault.run("agent", "remove", "claude")).out and path.read_bytes() == edited


def test_another_vault_brings_the_lines_up_to_date(vault: Folder, home: Path) -> None:
    path = put(home / ".claude/CLAUDE.md", b"mine\n")
    fine(vault.run("agent", "install", "claude"))
    moved = Folder(vault.root.rename(vault.root.parent / "moved"))
    done = fine(moved.run("agent", "install", "claude", "--vault", str(moved.root)))
    assert "our lines brought up to date" in done.out
    text = path.read_text()
    assert text.startswith("mine\n") and f"--vault {moved.root}`" in text and text.count("vaultgit begin") == 1
    fine(moved.run("agent", "remove", "claude", "--vault", str(moved.root)))
    assert path.read_bytes() == b"mine\n"


def test_a_link_and_a_mode_stay(vault: Folder, home: Path) -> None:
    """A manager of dot-files keeps the file elsewhere."""
    target = put(home / "dotfiles/claude.md", b"mine\n")
    target.chmod(0o440)
    (home / ".claude").mkdir()
    (home / ".claude/CLAUDE.md").symlink_to(target)
    before = listing(home)
    fine(vault.run("agent", "install", "claude"))
    assert (home / ".claude/CLAUDE.md").is_symlink() and "WORDS" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o440 and os.listdir(target.parent) == ["claude.md"]
    fine(vault.run("agent", "remove", "claude"))
    assert listing(home) == before and target.stat().st_mode & 0o777 == 0o440


def test_lines_that_cannot_be_written_cost_no_hooks(vault: Folder, home: Path) -> None:
    """As where the file is a link into a store that is read-only; root may write everywhere but here."""
    (home / ".claude").mkdir()
    (home / ".claude/CLAUDE.md").symlink_to("/proc/version")
    before = listing(home)
    done = fine(vault.run("agent", "install", "claude"))
    assert "cannot be written" in done.out and "hooks work without" in done.out and "+3 lines" not in done.out
    assert "5 hooks" in fine(vault.run("agent", "list", "claude")).out
    fine(vault.run("agent", "remove", "claude"))
    assert listing(home) == before


def test_what_is_no_plain_file_is_refused_before_anything_is_written(vault: Folder, home: Path) -> None:
    (home / ".claude/CLAUDE.md").mkdir(parents=True)
    done = vault.run("agent", "install", "claude")
    assert done.code == 2 and "cannot be read" in done.err and os.listdir(home / ".claude") == ["CLAUDE.md"]


def test_an_earlier_installation_is_brought_up_to_date_in_its_place(vault: Folder, home: Path) -> None:
    """People's settings hold what earlier versions put there: it becomes what is there today, and goes with it."""
    theirs = '{\n  "model": "opus"\n}\n'
    start = f"{settings.program()} %s --vault {vault.root} || true"
    old = {
        "model": "opus",
        "hooks": {
            "PostToolUse": [{
                "matcher": "Write|Edit|MultiEdit",
                "hooks": [{"type": "command", "command": start % "record", "timeout": 10}],
            }],
            **{
                event: [{"hooks": [{"type": "command", "command": start % "recap --background", "timeout": 5}]}]
                for event in ("PreCompact", "SessionEnd")
            },
        },
    }  # fmt: skip
    path = put(home / ".claude/settings.json", (json.dumps(old, indent=2) + "\n").encode())
    put(home / ".claude/settings.json.vaultgit-backup", theirs.encode())
    listed = fine(vault.run("agent", "list", "claude")).out
    assert "3 hooks" in listed and "no hook of ours for SessionStart, UserPromptSubmit" in listed
    done = fine(vault.run("agent", "install", "claude"))
    assert "+2 hooks, 3 hooks brought up to date" in done.out
    hooks = json.loads(path.read_text())["hooks"]
    assert list(hooks) == ["PostToolUse", "PreCompact", "SessionEnd", "SessionStart", "UserPromptSubmit"]
    assert all(len(groups) == 1 and len(groups[0]["hooks"]) == 1 for groups in hooks.values())
    assert "record" not in path.read_text() and "recap" not in path.read_text()
    assert "no hook of ours" not in fine(vault.run("agent", "list", "claude")).out
    fine(vault.run("agent", "remove", "claude"))
    assert path.read_text() == theirs and os.listdir(path.parent) == ["settings.json"]


def test_what_install_says(vault: Folder, home: Path) -> None:
    """UX: what was written, that it was tried, that no permission came with it, and how to take it back."""
    vault.write("projects/orchard.md", "---\ntype: project\nname: Orchard\nstatus: active\n---\nApples.\n")
    work = vault.root.parent / "work" / "orchard"
    work.mkdir()
    put(home / ".claude/settings.json", b"{}\n")
    out = fine(vault.run("agent", "install", "claude", "--vault", str(vault.root), cwd=work)).out
    lines = out.splitlines()
    assert lines[0].startswith("✓ ~/.claude/settings.json") and "+5 hooks; a backup is beside it" in lines[0]
    assert lines[1].startswith("✓ ~/.claude/CLAUDE.md") and "+3 lines between markers" in lines[1]
    [tried] = [line for line in lines if line.startswith("✓ tried it")]
    assert "started 5 hooks as Claude Code would: at most " in tried and "; SessionStart gave 1 note, " in tried
    assert tried.endswith(" tokens")
    assert "No permission was added" in out and lines[-1] == "Undo:  vaultgit agent remove claude"
    assert vault.run("session", "list").out == ""  # the trial left nothing
    text = (home / ".claude/settings.json").read_text()
    assert "permissions" not in text and "allow" not in text


def test_codex_reads_another_file_where_there_is_one(vault: Folder, home: Path) -> None:
    other = put(home / ".codex/AGENTS.override.md", b"")
    assert "in place of" not in fine(vault.run("agent", "install", "codex")).out
    other.write_bytes(b"mine\n")
    assert "Codex reads it in place of AGENTS.md" in fine(vault.run("agent", "list", "codex")).out
    fine(vault.run("agent", "remove", "codex"))
    assert other.read_bytes() == b"mine\n"


def test_codex_says_that_a_person_has_to_trust(vault: Folder, home: Path) -> None:
    out = fine(vault.run("agent", "install", "codex")).out
    assert "5 hooks not trusted" in out and "start codex, type /hooks" in out
    assert not (home / ".codex/config.toml").exists()  # never for them
