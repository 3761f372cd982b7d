"""Folders that somebody else filled: skills to import, places to export to, an agent client's settings and its logs."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import Folder

from vaultgit.passes import exported

SKILL = "---\nname: {name}\ndescription: user asks for it\n---\n1. do it\n"
PATIENCE = 30.0  # seconds; a pipe would be waited for, for ever


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim.sh"
    path.write_text("keep me\n")
    return path


@pytest.fixture
def quick() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < PATIENCE


def odd_files(folder: Path, victim: Path) -> None:
    """Everything that is no plain file."""
    os.symlink(victim, folder / "link.md")
    os.symlink(victim.parent, folder / "linked")
    os.symlink("loop", folder / "loop")
    os.symlink("nowhere", folder / "dangling.md")
    os.mkfifo(folder / "pipe.md")
    os.symlink("/dev/zero", folder / "device.md")
    with socket.socket(socket.AF_UNIX) as one:
        here = os.getcwd()
        os.chdir(folder)
        try:
            one.bind("socket.md")
        finally:
            os.chdir(here)
    with open(folder / "sparse.md", "wb") as stream:
        stream.truncate(10 << 30)


@pytest.mark.usefixtures("quick")
def test_an_import_takes_plain_files_alone_and_no_more_than_they_may_be(
    vault: Folder, tmp_path: Path, victim: Path
) -> None:
    top = Folder(tmp_path / "skills")
    top.write("good/SKILL.md", SKILL.format(name="good"))
    top.write("good/notes.md", "beside\n")
    odd_files(top.root / "good", victim)
    for name, make in {
        "linked": lambda path: os.symlink(victim, path), "piped": os.mkfifo, "zero": lambda path: os.symlink("/dev/zero", path),
        "upward": lambda path: path.write_text(SKILL.format(name="../../x")), "dotted": lambda path: path.write_text(SKILL.format(name=".git")),
        "hooked": lambda path: path.write_text(SKILL.format(name="review.md")),
    }.items():  # fmt: skip
        (top.root / name).mkdir()
        make(top.root / name / "SKILL.md")
    os.symlink(victim.parent, top.root / "folder")
    done = vault.run("skill", "import", str(top.root), "--agent", "codex")
    assert "Traceback" not in done.err and "a bug of ours" not in done.err, done
    assert "keep me" not in done.out + done.err + vault.git("log", "-p", "--all")
    added = set(vault.git("log", "--format=", "--name-only", "--diff-filter=A", "--author=codex").split())
    assert {"skills/good.md", "skills/good/notes.md"} <= added
    assert all(path.startswith("skills/") and ".." not in path and ".git" not in path for path in added), added
    assert victim.read_text() == "keep me\n" and not (tmp_path / "x.md").exists()


def mark(vault: Folder, folder: Folder, name: str, files: dict[str, str], whose: str = "") -> None:
    """A `.vaultgit` file that claims the folder for this vault."""
    said = {"vault": whose or str(vault.root), "note": f"skills/{name}.md", "oid": vault.git("rev-parse", "HEAD:Home.md"),
            "files": {path: [digest] for path, digest in files.items()}}  # fmt: skip
    folder.write(f"{name}/.vaultgit", json.dumps(said))


@pytest.mark.parametrize("claims", ["this vault", "a vault that is gone"])
@pytest.mark.parametrize("skill", ["gone-skill", "review-a-pr"])
@pytest.mark.parametrize("how", ["absolute", "upward", "through a link"])
def test_a_mark_in_a_cloned_folder_takes_nothing_away_outside_of_it(
    vault: Folder, tmp_path: Path, victim: Path, claims: str, skill: str, how: str
) -> None:
    """`skill export .claude/skills` in a repository that somebody else filled."""
    folder = Folder(tmp_path / "code/.claude/skills")
    path = {"absolute": str(victim), "upward": "../../../../victim.sh", "through a link": "out/victim.sh"}[how]
    (folder.root / skill).mkdir(parents=True)
    if how == "absolute":  # what is compared with the hash is theirs, too
        folder.write(f"{skill}{victim}", victim.read_bytes())
    if how == "through a link":
        os.symlink(tmp_path, folder.root / skill / "out")
    whose = "" if claims == "this vault" else "/nowhere/at/all"
    mark(vault, folder, skill, {path: exported.digest(victim.read_bytes())}, whose)
    for args in (["--force"], []):
        done = vault.run("skill", "export", str(folder.root), *args)
        assert done.code in (0, 1) and "Traceback" not in done.err, done
        assert victim.read_text() == "keep me\n", done
    vault.run("skill", "export", "--stop", str(folder.root))
    assert victim.read_text() == "keep me\n"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("kind", ["pipe", "device", "nesting", "folder", "list"])
def test_a_mark_that_is_none_is_passed_over(vault: Folder, tmp_path: Path, kind: str) -> None:
    folder = Folder(tmp_path / "skills")
    path = folder.write("review-a-pr/.vaultgit", "[" * 100_000 if kind == "nesting" else "[]")
    if kind in ("pipe", "device", "folder"):
        path.unlink()
        {"pipe": os.mkfifo, "device": lambda at: os.symlink("/dev/zero", at), "folder": os.mkdir}[kind](path)
    done = vault.run("skill", "export", str(folder.root))
    assert done.code in (0, 1) and "a bug of ours" not in done.err and "it is not vaultgit's" in done.out + done.err, (
        done
    )
    assert sorted(one.name for one in (folder.root / "review-a-pr").iterdir()) == [".vaultgit"]


def test_an_export_writes_through_no_link(vault: Folder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = tmp_path / "skills"
    folder.mkdir()
    os.symlink(outside, folder / "review-a-pr")
    done = vault.run("skill", "export", str(folder), "--force")
    assert "Traceback" not in done.err, done
    assert list(outside.iterdir()) == []
    (folder / "review-a-pr").unlink()
    assert vault.run("skill", "export", str(folder)).code == 0
    (folder / "review-a-pr/SKILL.md").unlink()
    (outside / "SKILL.md").write_text("theirs\n")
    os.symlink(outside / "SKILL.md", folder / "review-a-pr/SKILL.md")
    vault.run("skill", "export", str(folder), "--force")
    assert (outside / "SKILL.md").read_text() == "theirs\n"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "null", "[]", '{"hooks": 3}', '{"hooks": {"Stop": "x"}}', "\x00\xff", '{"mcpServers": []}', ""],
)
@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_settings_of_a_client_that_are_none_are_left_as_they_are(vault: Folder, client: str, text: str) -> None:
    home = Path(os.environ["HOME"])
    files = [
        home / ".claude/settings.json",
        home / ".claude.json",
        home / ".codex/config.toml",
        home / ".codex/hooks.json",
    ]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    done = vault.run("agent", "install", client)
    assert done.code in (0, 1, 2) and "Traceback" not in done.err and "a bug of ours" not in done.err, done
    if done.code == 0:
        assert vault.run("agent", "remove", client).code == 0
    assert [file.read_text() for file in files] == [text] * len(files)


@pytest.mark.usefixtures("quick")
def test_logs_that_are_links_pipes_or_endless_hold_capture_up_by_nothing(vault: Folder, tmp_path: Path) -> None:
    folder = Path(os.environ["HOME"]) / ".claude/projects/-x"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pipe.jsonl")
    os.symlink("/dev/zero", folder / "device.jsonl")
    os.symlink("loop.jsonl", folder / "loop.jsonl")
    os.symlink("nowhere", folder / "dangling.jsonl")
    (folder / "folder.jsonl").mkdir()
    outside = tmp_path / "private.txt"
    outside.write_text("a private key that is nobody's business\n" * 100)
    os.symlink(outside, folder / "private.jsonl")
    with open(folder / "sparse.jsonl", "wb") as stream:
        stream.truncate(2 << 30)
    done = vault.run("capture", "--now")
    assert "Traceback" not in done.err and "a bug of ours" not in done.err, done
    assert "nobody's business" not in done.out + done.err + vault.git("log", "-p", "--all")
    assert vault.git("status", "--porcelain") == ""
