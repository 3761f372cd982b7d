"""`vaultgit read`: what is there to be read, and what is not, by whatever name."""

from __future__ import annotations

import os

import pytest
from support import Folder

KEY = "the key of a plugin"


@pytest.fixture
def guarded(vault: Folder) -> Folder:
    """A vault with links to what nobody is to read through them."""
    (vault.root.parent / "outside.md").write_text(KEY)
    vault.write(".obsidian/plugins/x/data.json", KEY)
    vault.git("config", "remote.origin.url", KEY)
    (vault.root / "links").mkdir()
    for name, leads in {
        "out": "../../outside.md",
        "config": "../.git/config",
        "key": "../.obsidian/plugins/x/data.json",
    }.items():
        os.symlink(leads, vault.root / f"links/{name}.md")
    os.symlink("../.git", vault.root / "links/repository")
    os.symlink("../people/ada-lovelace.md", vault.root / "links/ada.md")
    return vault


PATHS = [
    "links/out.md", "links/config.md", "links/key.md", "links/repository/config", ".git/config", "../outside.md",
    ".obsidian/plugins/x/data.json", "people/../../outside.md",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("who", [(), ("--agent", "codex")])
def test_nothing_outside_hidden_or_in_git_is_read(guarded: Folder, path: str, who: tuple[str, ...]) -> None:
    done = guarded.run("read", path, *who)
    assert done.code == 2 and KEY not in done.out and "PA0" in done.err, done


def test_a_link_inside_the_vault_and_its_own_records_are_read(guarded: Folder) -> None:
    assert "Born 1815." in guarded.run("read", "links/ada.md").out
    guarded.write("notes/AGENTS.md", "a person's, for one folder\n")
    for path in ("AGENTS.md", "changelog.md", "notes/AGENTS.md"):
        assert guarded.run("read", path).out == guarded.read(path)


def test_a_skill_that_is_a_link_into_git_is_none(guarded: Folder) -> None:
    os.symlink("../.git/config", guarded.root / "skills/config.md")
    done = guarded.run("skill", "show", "config")
    assert done.code == 2 and KEY not in done.out
