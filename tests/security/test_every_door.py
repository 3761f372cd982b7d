"""Paths by every door: each command that takes one, each tool of MCP, and branches made by hand; for agents and people.

Case 059 has a list of its own (tests/mcp/test_mcp_paths.py, tests/scenarios/test_edits.py); these are the rest.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support import NOTES
from support import Folder
from support import Result

OUT = [
    "..", "../x.md", "a/../../x.md", "/etc/x.md", "//etc/x.md", "~/x.md", "%2e%2e/x.md", "a/%2e%2e/%2e%2e/x.md", "..\\x.md", "C:\\x.md",
    "\\\\server\\x.md", "file:///x.md", ".. /x.md", "..\u200b/x.md", "a//b.md", "",
]  # fmt: skip
GIT = [
    ".git/hooks/post-commit", ".GIT/config", "git~1/x", "GIT~1/config", ".g\u200cit/config", "\ufeff.git/config", ".git./x", ".git /x",
    ".git::$INDEX_ALLOCATION/config", ".git:x", "people/.git/config", "%2egit/config", ".git",
]  # fmt: skip
LINES = ["a\nb.md", "a\rb.md", "people/x\n.md"]
CONTROL = [
    "people/a\tb.md", "people/a\x1b[2Jb.md", "people/a\x07.md", "people/a\u202eb.md", "people/a\u2066b.md", 'people/a"b.md', "people/a\x7f.md",
    "people/" + "x" * 300 + ".md", "people/" + "x/" * 2000 + "y.md", "people/a\udce9.md", "people/CON.md", "people/a:b.md", "people/a*.md",
]  # fmt: skip
# Names that git or a shell may take for something else, and that are names all the same: written, or refused in words.
ODD = [
    "-rf.md", "--exec=x.md", "--help.md", "-m.md", "people/-x.md", "people/$(touch x).md", "people/`touch x`.md", "people/a;b.md",
    "people/'a'.md", "people/a&b.md",
]  # fmt: skip
MAGIC = [":(top)x.md", ":!x.md", ":(exclude)x.md", ":(glob)**.md", ":/x.md", ":^x.md", "people/[a].md", "people/?.md"]


def doors(path: str) -> list[tuple[list[str], bytes]]:
    """Every command that takes a path: words, and standard input."""
    body = {"path": path, "text": "x\n"}
    return [
        (["write", "--", path], b"x\n"), (["append", "--", path], b"x\n"), (["set", "--", path, "a=b"], b""), (["delete", "--", path], b""),
        (["move", "--", path, "people/moved.md"], b""), (["move", "--", "Home.md", path], b""),
        (["apply"], json.dumps({"changes": [body]}).encode()), (["apply"], json.dumps({"changes": [{"path": path, "append": "x"}]}).encode()),
        (["inbox", "add", f"--target={path}", "--reason", "r"], b"x\n"), (["undo", "--", path], b""), (["read", "--", path], b""),
        (["links", "--", path], b""), (["log", "--", path], b""), (["why", "--", path], b""), (["check", "--", path], b""),
        (["skill", "show", "--", path], b""), (["skill", "used", "--", path], b""), (["inbox", "show", "--", path], b""),
    ]  # fmt: skip


def outside(vault: Folder) -> dict[str, bytes]:
    """All files beside the vault, and in its `.git` what is no object, log or state."""
    top = vault.root.parent
    return {
        str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*"))
        if path.is_file() and not path.is_symlink()
        and (".git" in path.parts or vault.root not in path.parents)
        and not {"objects", "logs", "state", "cache", "home", "refs"} & {*path.parts} and path.name not in ("index", "ORIG_HEAD")
    }  # fmt: skip


def in_words(done: Result) -> None:
    told = done.out + done.err
    assert done.code in (0, 1, 2), done
    assert "Traceback" not in told and "a bug of ours" not in told and " ended with " not in told, done


@pytest.mark.parametrize("door", range(len(doors(""))))
def test_no_command_reads_or_changes_what_lies_outside_or_in_git(vault: Folder, door: int) -> None:
    before, beside, head = vault.snapshot(), outside(vault), vault.git("rev-parse", "HEAD")
    for number, path in enumerate([*OUT, *GIT, *LINES]):
        args, stdin = doors(path)[door]
        signed = (
            args[0] not in ("read", "links", "log", "why", "check", "skill") and args[1:2] != ["show"] and number % 4
        )
        done = vault.run(*args[:2], *(["--agent", "codex"] if signed and args[0] == "inbox" else []), *args[2:],
                         stdin=stdin, env={"VAULTGIT_AGENT": "codex"} if signed else {})  # fmt: skip
        in_words(done)
        assert done.code in (1, 2) or (not path and args[0] in ("log", "check", "links", "move")), (args, done)
        assert "[core]" not in done.out, done
    assert vault.snapshot() == before and outside(vault) == beside
    assert vault.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("door", ["write", "apply", "move"])
def test_no_agent_makes_a_name_that_others_cannot_hold_or_read(vault: Folder, door: str) -> None:
    before = vault.snapshot()
    for path in CONTROL:
        args, stdin = next(
            (args, stdin) for args, stdin in doors(path) if args[0] == door and args[-1:] != ["people/moved.md"]
        )
        done = vault.run(*args, stdin=stdin, env={"VAULTGIT_AGENT": "codex"})
        in_words(done)
        assert done.code in (1, 2), done
        assert "\x1b[2J" not in done.out + done.err and "\u202e" not in done.out + done.err, done
    assert vault.snapshot() == before


@pytest.mark.parametrize("path", [ODD[0], ODD[1], ODD[5], *MAGIC[:3]])
def test_a_name_is_never_an_option_a_pattern_or_a_command(vault: Folder, path: str) -> None:
    """What is refused is told; what is written is that one file; nothing else is touched or run."""
    before = vault.snapshot()
    for args, stdin in doors(path):
        in_words(vault.run(*args, stdin=stdin, env={"VAULTGIT_AGENT": "codex"}))
    now = vault.snapshot()
    moved = {"Home.md", "people/ada-lovelace.md"} if path in now or "people/moved.md" in now else set()
    changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
    assert changed <= {path, "changelog.md", "people/moved.md", *moved} | {
        n for n in changed if n.startswith("inbox/")
    }, changed
    assert not list(vault.root.rglob("x")) and not (vault.root.parent / "x").exists()
    vault.git("fsck", "--strict")


def by_hand(vault: Folder, path: str, mode: str, data: bytes, agent: str, branch: str = "dream/2026-11-29") -> None:
    """A branch that nobody of ours made, with any tree that git's plumbing can store."""

    def tree(files: dict[str, tuple[str, bytes]]) -> str:
        lines, below = b"", dict[str, dict[str, tuple[str, bytes]]]()
        for name, (kind, content) in files.items():
            head, slash, rest = name.partition("/")
            if slash:
                below.setdefault(head, {})[rest] = (kind, content)
            elif kind == "160000":
                lines += f"160000 commit {'1' * 40}\t{head}\0".encode()
            else:
                lines += f"{kind} blob {vault.git('hash-object', '-w', '--stdin', stdin=content)}\t{head}\0".encode()
        for head, inside in below.items():
            lines += f"040000 tree {tree(inside)}\t{head}\0".encode("utf-8", "surrogateescape")
        return vault.git("mktree", "-z", "--missing", stdin=lines)

    files = {name: ("100644", vault.bytes(name)) for name in vault.git("ls-files").splitlines()}
    said = f"\nAgent: {agent}" if agent else ""
    message = f"skills: by hand\n\nwhy\n{said}\nEdit: 01jdx3k9m2qtw7ab\n"
    env = {"GIT_AUTHOR_NAME": agent, "GIT_AUTHOR_EMAIL": "a@agents.vaultgit.invalid"} if agent else {}
    made = vault.git("commit-tree", tree(files | {path: (mode, data)}), "-p", "HEAD", stdin=message.encode(), env=env)
    vault.git("update-ref", f"refs/heads/{branch}", made)


BRANCHES = [
    (".git/hooks/post-commit", "100755"), (".GIT/config", "100644"), ("../x.md", "100644"), ("people/..", "100644"),
    ("git~1/x", "100644"), (".g\u200cit/x", "100644"), ("people/link.md", "120000"), ("people/ada-lovelace.md", "120000"),
    ("sub", "160000"), ("people/\n.md", "100644"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "mode"), BRANCHES)
@pytest.mark.parametrize("agent", ["codex", ""])
def test_a_branch_made_by_hand_brings_nothing_outside_or_into_git(
    vault: Folder, path: str, mode: str, agent: str
) -> None:
    by_hand(vault, path, mode, b"../../x.md", agent)
    before, beside = vault.snapshot(), outside(vault)
    for args in (["list"], ["show", "dream/2026-11-29"], ["accept", "dream/2026-11-29"]):
        done = vault.run("review", *args)
        assert "Traceback" not in done.err and "a bug of ours" not in done.err, done
    now = {name: data for name, data in vault.snapshot().items() if name not in ("review.md", "changelog.md")}
    if agent or mode == "100644":
        assert now == {name: data for name, data in before.items() if name not in ("review.md", "changelog.md")}
    assert outside(vault) == beside and not (vault.root.parent / "x.md").exists()


@pytest.mark.parametrize("path", [".pre-commit-config.yaml", ".vaultgit.toml", ".vaultgit/baseline.json", ".gitattributes", "AGENTS.md", "notes/AGENTS.md",
                                  "CLAUDE.md", "GEMINI.md", ".obsidian/plugins/x/main.js", ".git-hooks/x"])  # fmt: skip
def test_an_agents_branch_brings_nothing_that_is_protected(vault: Folder, path: str) -> None:
    by_hand(vault, path, "100644", b"# x\n", "codex")
    before = vault.bytes(path) if vault.exists(path) else None
    done = vault.run("review", "accept", "dream/2026-11-29")
    assert done.code == 1 and "PA01" in done.err and path in done.err, done
    assert (vault.bytes(path) if vault.exists(path) else None) == before


# -- what lies there ---------------------------------------------------------------------------------------------


def lay(vault: Folder, kind: str, path: str) -> Path:
    """Something that is no note where a note could be. Returns what must stay as it is."""
    victim = vault.root.parent / "victim.md"
    victim.write_text("keep me\n")
    full = vault.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        os.symlink(victim, full)
    elif kind == "dangling":
        os.symlink(vault.root.parent / "made.md", full)
    elif kind == "loop":
        os.symlink(full.name, full)
    elif kind == "pipe":
        os.mkfifo(full)
    elif kind == "device":
        os.symlink("/dev/zero", full)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            os.chdir(full.parent)
            one.bind(full.name)
    return victim


@pytest.mark.parametrize("kind", ["link", "dangling", "loop", "pipe", "device", "socket"])
def test_what_is_no_plain_file_is_neither_waited_for_nor_written_through(vault: Folder, kind: str) -> None:
    victim = lay(vault, kind, "people/odd.md")
    for args in (["write"], ["append"], ["set"], ["delete"], ["read"]):
        done = vault.run(*args, "people/odd.md", *(["a=b"] if args == ["set"] else []), stdin=b"x\n")
        in_words(done)
        assert done.code in (1, 2) and "keep me" not in done.out, done
    for args in (
        ["search", "keep"],
        ["check", "--all"],
        ["context", "keep"],
        ["doctor"],
        ["status"],
        ["links", "Home.md"],
        ["verify"],
    ):
        done = vault.run(*args)
        in_words(done)
        assert "keep me" not in done.out, done
    assert victim.read_text() == "keep me\n" and not (vault.root.parent / "made.md").exists()


@pytest.mark.parametrize("door", ["people", "inbox", "skills", "sessions", "daily", "changelog"])
def test_a_folder_that_is_a_link_leads_no_write_outside(vault: Folder, tmp_path: Path, door: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if (vault.root / door).is_dir():
        (vault.root / door).rename(tmp_path / "was")
    os.symlink(outside, vault.root / door)
    session = {"VAULTGIT_SESSION": "s"}
    for args, stdin in (
        (["write", f"{door}/x.md"], NOTES["people/ada-lovelace.md"]), (["move", "Home.md", f"{door}/y.md"], ""),
        (["inbox", "add", "--target", "Home.md", "--reason", "r"], "x"), (["skill", "new", "a-b", "--trigger", "t"], "1. x\n"),
        (["session", "start", "t"], ""), (["session", "note", "n"], ""), (["session", "end"], ""), (["append", "Home.md"], "x\n"),
    ):  # fmt: skip
        done = vault.run(*args, "--agent", "codex", stdin=stdin.encode(), env=session)
        assert "Traceback" not in done.err and "a bug of ours" not in done.err, done
    assert list(outside.iterdir()) == []


def test_a_hard_link_is_replaced_and_its_other_name_keeps_its_text(vault: Folder) -> None:
    other = vault.root.parent / "other.md"
    os.link(vault.root / "Home.md", other)
    text = other.read_bytes()
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"more\n").out.startswith("committed")
    assert other.read_bytes() == text and vault.read("Home.md").endswith("more\n")


def test_a_folder_that_becomes_a_link_while_edits_land_leads_none_outside(vault: Folder, tmp_path: Path) -> None:
    """The race between looking and writing, with somebody who swaps the folder as fast as they can."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("note.md", "new.md"):
        (outside / name).write_text("keep me\n")
    vault.write("swap/note.md", "one\n")
    vault.commit("swap")
    os.symlink(outside, tmp_path / "link")
    program = (
        "import ctypes, os, sys\n"
        "swap = ctypes.CDLL(None, use_errno=True).renameat2\n"
        "a, b = (os.fsencode(one) for one in sys.argv[1:])\n"
        "while True:\n"
        "    swap(-100, a, -100, b, 2)\n"
    )
    swapper = subprocess.Popen([sys.executable, "-c", program, str(vault.root / "swap"), str(tmp_path / "link")])
    try:
        for number in range(15):
            for args in (["append", "swap/note.md"], ["write", f"swap/n{number}.md"]):
                done = vault.run(*args, "--agent", "codex", stdin=b"by the agent\n")
                assert done.code in (0, 1, 2, 75) and "a bug of ours" not in done.err, done
    finally:
        swapper.kill()
        swapper.wait()
    there = {path.name: path.read_text() for path in outside.iterdir()}
    assert "by the agent\n" not in "".join(there.values()), there


def test_mcp_takes_none_of_them(vault: Folder) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "mcp"))
    from mcpwire import Wire

    before, beside = vault.snapshot(), outside(vault)
    with Wire(vault) as wire:
        for path in [*OUT, *GIT, *LINES, *CONTROL]:
            for given in (
                {"text": "x\n"},
                {"action": "append", "text": "x"},
                {"action": "set", "values": {"a": "b"}},
                {"action": "delete"},
            ):
                assert "a bug" not in wire.fails("write", path=path, **given)
            wire.fails("write", path="Home.md", action="move", to=path)
            if path not in CONTROL:
                wire.fails("propose", path=path, text="x", reason="r")
                assert "[core]" not in wire.fails("read", path=path) if path else True
        assert wire.close() == 0
    assert vault.snapshot() == before and outside(vault) == beside
