"""Case 059: no path leads out of the vault or to what is protected, by no tool; and the wire stays clean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mcpwire import Wire
from mcpwire import assert_pure
from support import Folder

LISTED = Path(__file__).parent.parent / "cases/059-mcp-path-traversal-and-stdout/paths.txt"
PATHS = [path for path in LISTED.read_text().split("\n") if path]
KEY = "the key of a plugin, which is nobody's business"


def outside(vault: Folder) -> dict[str, bytes]:
    """Everything beside the vault that a path of the list could mean."""
    beside = vault.root.parent
    return {str(path): path.read_bytes() for path in sorted(beside.glob("*")) if path.is_file()}


@pytest.fixture
def guarded(vault: Folder) -> Folder:
    """A vault with something behind every path of the list, and links that lead there."""
    for name in ("outside.md", "-rf.md", "secret.md"):
        (vault.root.parent / name).write_text("OUTSIDE\n")
    vault.write(".obsidian/plugins/x/main.js", KEY)
    (vault.root / "links").mkdir()
    os.symlink("../../outside.md", vault.root / "links/out.md")
    os.symlink("../..", vault.root / "links/up")
    os.symlink("../.git/config", vault.root / "links/config.md")
    os.symlink("../.git", vault.root / "links/repository")
    os.symlink("../.obsidian", vault.root / "links/settings")
    return vault


LINKS = [
    "links/out.md", "links/up/outside.md", "links/config.md", "links/repository/config", "links/settings/plugins/x/main.js",
    "links/up",
]  # fmt: skip


def test_059_no_tool_reads_or_changes_what_a_path_of_the_list_names(guarded: Folder) -> None:
    assert len(PATHS) > 12 and any("\0" in path for path in PATHS)
    before, beside = guarded.snapshot(), outside(guarded)
    git = {name: (guarded.root / ".git" / name).read_bytes() for name in ("config", "HEAD")}
    hooks = sorted(path.name for path in (guarded.root / ".git/hooks").iterdir())
    with Wire(guarded) as wire:
        for path in [*PATHS, *LINKS]:
            said = [
                wire.fails("read", path=path),
                wire.fails("read", path=path.rpartition("/")[0] + "/") if ".." in path or path.startswith(("/", "~")) else "",
                wire.fails("write", path=path, text="x\n"),
                wire.fails("write", path=path, action="append", text="x\n"),
                wire.fails("write", path=path, action="set", values={"a": "b"}),
                wire.fails("write", path=path, action="delete"),
                wire.fails("write", path=path, action="move", to="people/moved.md"),
                wire.fails("write", path="people/ada-lovelace.md", action="move", to=path),
                wire.fails("propose", path=path, text="x", reason="r"),
            ]  # fmt: skip
            assert not any("OUTSIDE" in one or KEY in one or "[core]" in one for one in said), (path, said)
            assert not any("Traceback" in one or "a bug" in one for one in said), (path, said)
            if path in PATHS:
                assert all("PA0" in one for one in said if one), (path, said)
        assert wire.does("read", path="people/ada-lovelace.md")["text"]
        assert wire.close() == 0
    assert_pure(wire.stdout)
    assert guarded.snapshot() == before and outside(guarded) == beside
    assert git == {name: (guarded.root / ".git" / name).read_bytes() for name in git}
    assert hooks == sorted(path.name for path in (guarded.root / ".git/hooks").iterdir())
    assert "moved" not in guarded.git("log", "--format=%s")


def test_a_skill_or_an_undo_named_by_such_a_path_finds_nothing(guarded: Folder) -> None:
    with Wire(guarded) as wire:
        for path in PATHS:
            assert "[core]" not in wire.fails("skill", action="show", name=path)
            told = wire.fails("undo", target=path)
            assert "a bug" not in told and "ended with" not in told
            assert "a bug" not in wire.fails("search", query="x", at=path)
            wire.fails("skill", action="new", name=path, trigger="t", text="1. x")
    assert guarded.git("status", "--porcelain", "people") == ""


@pytest.mark.parametrize("path", ["review.md", "AGENTS.md", "CLAUDE.md", "notes/Agents.md", "people/GEMINI.md", "changelog.md", ".vaultgit.toml", ".gitattributes",
                                  ".pre-commit-config.yaml", ".OBSIDIAN/app.json", "people/.hidden.md"])  # fmt: skip
def test_protected_paths_are_not_written(vault: Folder, path: str) -> None:
    """DESIGN, "Trust": by no door."""
    before = vault.snapshot()
    with Wire(vault) as wire:
        for given in (
            {"text": "x"},
            {"action": "append", "text": "x"},
            {"action": "delete"},
            {"action": "move", "to": "x.md"},
        ):
            assert "PA01" in wire.fails("write", path=path, **given)
        assert "PA01" in wire.fails("write", path="Home.md", action="move", to=path)
    assert vault.snapshot() == before


def test_the_vaults_own_records_can_be_read_and_nothing_hidden(guarded: Folder) -> None:
    with Wire(guarded) as wire:
        assert wire.does("read", path="AGENTS.md")["text"] == guarded.read("AGENTS.md")
        assert wire.does("read", path="changelog.md")["text"] == guarded.read("changelog.md")
        for path in (
            ".vaultgit.toml",
            ".obsidian/app.json",
            ".obsidian",
            ".git",
            "changelog/.x",
            ".vaultgit/baseline.json",
        ):
            assert "PA01" in wire.fails("read", path=path)
        assert wire.does("read", path=str(guarded.root / "Home.md"))["path"] == "Home.md"


def test_a_note_behind_a_link_inside_the_vault_is_read_and_not_written(vault: Folder) -> None:
    os.symlink("ada-lovelace.md", vault.root / "people/ada.md")
    with Wire(vault) as wire:
        assert "1815" in wire.does("read", path="people/ada.md")["text"]
        assert "PA03" in wire.fails("write", path="people/ada.md", action="append", text="x")


def test_search_and_context_tell_nothing_that_a_link_leads_to_in_git_or_hidden(guarded: Folder) -> None:
    guarded.git("config", "remote.origin.url", "https://zebra.example/x.git")
    guarded.write(".obsidian/zebra.md", "zebra of a plugin\n")
    os.symlink("../.obsidian/zebra.md", guarded.root / "links/zebra.md")
    guarded.write("people/zebra.md", "the zebra itself\n")
    os.symlink("../people/zebra.md", guarded.root / "links/fine.md")
    with Wire(guarded) as wire:
        hits = {hit["path"] for hit in wire.does("search", query="zebra")["hits"]}
        assert hits == {"people/zebra.md", "links/fine.md"}
        given = {note["path"] for note in wire.does("context", task="zebra")["notes"]}
        assert "people/zebra.md" in given and not given & {"links/config.md", "links/zebra.md"}


def test_a_name_with_a_newline_is_one_line_of_an_answer(vault: Folder) -> None:
    vault.write("people/zebra\n\x1b[2JObey.md", "zebra\n")
    with Wire(vault) as wire:
        for found in (wire.call("search", query="zebra"), wire.call("read", path="people")):
            assert "zebra [2JObey.md" in found["content"][0]["text"], found
