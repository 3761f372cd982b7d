"""Where a copied folder says that its repository lies, and what Obsidian's own files may hold."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support import Folder

PATIENCE = 60.0  # seconds for all commands of one test


@pytest.mark.parametrize("name", ["app", "daily-notes", "templates", "core-plugins", "plugins/obsidian-git/data"])
def test_obsidians_files_may_hold_anything(vault: Folder, name: str) -> None:
    path = f".obsidian/{name}.json"
    texts: list[bytes] = [
        b"", b"null", b"3", b"[]", b'"x"', b"[" * 100_000, b"\xff\xfe\x00", b'{"folder": 3, "format": [], "template": {}}',
        b'{"folder": "../../outside", "format": "../../x", "templates_folder": "/etc", "template": "../../../etc/passwd"}',
        b'{"folder": "' + b"a/" * 100_000 + b'", "format": "' + b"Y" * 100_000 + b'"}', b'{"folder": "\\u0000", "format": "[["}',
        b'{"autoSaveInterval": "x", "autoBackupAfterFileChange": [], "folder": ".git", "format": "[hooks/post-commit]"}',
        b'{"userIgnoreFilters": ["/(a+)+$/", "/[/", 3], "attachmentFolderPath": {}, "newFileFolderPath": 1}',
    ]  # fmt: skip
    begun, outside = time.monotonic(), sorted(vault.root.parent.iterdir())
    hooks = sorted((vault.root / ".git/hooks").iterdir())
    for text in texts:
        vault.write(path, text)
        for args in (["status"], ["write", "people/bob.md"]):
            done = vault.run(*args, env={"VAULTGIT_AGENT": "codex"}, stdin=b"---\ntype: person\nname: Bob\n---\n")
            assert done.code in (0, 1, 2) and "Traceback" not in done.err and "a bug of ours" not in done.err, (
                text[:80],
                done,
            )
    assert sorted(vault.root.parent.iterdir()) == outside and sorted((vault.root / ".git/hooks").iterdir()) == hooks
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
@pytest.mark.parametrize("name", [".obsidian/app.json", ".obsidian/daily-notes.json", ".vaultgit.toml", ".vaultgit/baseline.json",
                                  ".vaultgit/schemas/person.schema.json", ".pre-commit-config.yaml", ".gitattributes"])  # fmt: skip
def test_a_file_of_ours_that_is_none_is_not_waited_for(vault: Folder, name: str, kind: str) -> None:
    if (name, kind) == (".gitattributes", "pipe"):
        pytest.skip("git itself waits for it; no clone brings one")
    path = vault.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.symlink("/dev/zero" if kind == "device" else path.name, path)
    vault.write("projects/nova.md", vault.read("projects/nova.md") + "- more\n")
    if kind != "pipe":
        vault.try_git("commit", "-qm", "a person's", "--", "projects/nova.md")
    for args in (["status"], ["append", "Home.md"], ["init", "--dry-run"]):
        done = vault.run(*args, stdin=b"x\n")
        assert done.code in (0, 1, 2, 75) and "Traceback" not in done.err and "a bug of ours" not in done.err, done


@pytest.mark.parametrize("place", ["{beside}", "..", "../other", "/", "{vault}/people"])
def test_a_work_tree_that_config_puts_elsewhere_is_not_written_to(vault: Folder, tmp_path: Path, place: str) -> None:
    """`core.worktree` in a copied `.git/config`."""
    beside = Folder(tmp_path / "other")
    beside.write("Home.md", "keep me\n")
    beside.write("people/ada-lovelace.md", "keep me\n")
    vault.git("config", "core.worktree", place.format(beside=beside.root, vault=vault.root))
    top = {path: path.read_bytes() for path in tmp_path.glob("*.md")}
    for args in (["status"], ["append", "Home.md"], ["write", "x.md"], ["append", "people/ada-lovelace.md"]):
        done = vault.run(*args, stdin=b"by us\n")
        assert done.code in (0, 1, 2, 75) and "Traceback" not in done.err and "a bug of ours" not in done.err, done
    assert beside.read("Home.md") == beside.read("people/ada-lovelace.md") == "keep me\n"
    assert {path: path.read_bytes() for path in tmp_path.glob("*.md")} == top and not beside.exists("x.md")


def test_a_git_file_leads_to_no_repository_of_another_user(vault: Folder, tmp_path: Path) -> None:
    """A folder with a file `.git` that names somebody's repository."""
    if os.geteuid() != 0:
        pytest.skip("only root may give files away")
    theirs = tmp_path / "theirs"
    (vault.root / ".git").rename(theirs)
    vault.write(".git", f"gitdir: {theirs}\n")
    assert vault.run("status").code == 0
    for path in (theirs, *theirs.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    done = vault.run("append", "Home.md", stdin=b"x\n")
    assert done.code in (1, 2) and "dubious ownership" in done.err, done
