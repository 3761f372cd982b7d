"""Painful names and links, found in public (cases 015, 017, 019, 039), and their like."""

from __future__ import annotations

import json
import os
import re
import shutil
import unicodedata
from functools import partial

import pytest
from support import Folder

composed, decomposed = partial(unicodedata.normalize, "NFC"), partial(unicodedata.normalize, "NFD")


def edit(vault: Folder, *args: str, stdin: bytes = b"", code: int = 0) -> str:
    done = vault.run(*args, "--agent", "codex", stdin=stdin)
    assert done.code == code, done
    return done.out + done.err


def places(out: str, code: str) -> list[str]:
    """Paths of the problems with `code` among the lines of `check`."""
    return re.findall(rf"(?m)^(.*):1:1: {code} ", out)


# -- 015: links ---------------------------------------------------------------------------------------


def test_015_what_is_a_link_and_leads_nowhere_and_what_is_none(vault: Folder) -> None:
    vault.write("Beta.md", "---\nup: '[[gone 1]]'\n---\n# Beta\n")
    vault.write(
        "links.md",
        "![[gone 2.png|100]] [text](gone%203.md) [text](<gone 4.md#Part>) ![](with a blank.png)\n"
        "[[Beta#No such part]] [[Beta#^block]] [[./Beta]] [x](Beta.md) [x](https://example.invalid/x) [x](#Here)\n"
        "> [!note] [[gone 5]]\n"
        "<!-- [[in a comment]] --> ``[[in code]]`` \\[[escaped]] [[]] [[ ]]\n"
        "~~~\n[[in a fence]]\n~~~\n"
        "[^1]: [[gone 6]]\n",
    )
    done = vault.run("doctor", "--links")
    assert done.code == 1
    assert done.out.splitlines() == [
        "Beta.md:2:6: [[gone 1]]", "links.md:1:1: ![[gone 2.png|100]]", "links.md:1:21: [text](gone%203.md)",
        "links.md:1:41: [text](<gone 4.md#Part>)", "links.md:3:11: [[gone 5]]", "links.md:8:7: [[gone 6]]",
    ]  # fmt: skip


# -- 017: names that look the same ------------------------------------------------------------------------


def test_017_a_path_means_the_file_on_disk_however_it_is_typed(vault: Folder) -> None:
    there = decomposed("Über uns.md")
    typed = composed("Über uns.md")
    vault.write(there, "nfd name\n")
    vault.write(decomposed("Ärger/alt.md"), "old\n")
    vault.write(composed("한글.md"), "hangul\n")
    vault.commit()
    assert vault.run("read", typed).out == "nfd name\n"
    edit(vault, "set", typed, "seen=yes")
    edit(vault, "write", typed, "--base", vault.git("rev-parse", f"HEAD:{there}"), stdin=b"new\n")
    edit(vault, "append", decomposed("한글.md"), stdin=b"more\n")
    edit(vault, "write", composed("Ärger/neü.md"), stdin=b"new\n")
    listed = vault.git("-c", "core.quotePath=false", "log", "-4", "--name-status", "--format=").splitlines()
    assert [line for line in listed if line and "changelog" not in line] == [
        "A\t" + decomposed("Ärger/") + composed("neü.md"), f"M\t{composed('한글.md')}", f"M\t{there}", f"M\t{there}",
    ]  # fmt: skip
    assert vault.run("why", f"{typed}:4").out.count("codex") >= 1
    assert json.loads(vault.run("log", typed, "--json").out)[0]["agent"] == "codex"
    assert vault.run("undo", typed).code == 0
    edit(vault, "delete", typed)
    assert not vault.exists(there) and vault.git("status", "--porcelain") == ""
    assert sorted(map(composed, os.listdir(vault.root / decomposed("Ärger")))) == sorted([composed("neü.md"), "alt.md"])


def test_017_two_names_that_differ_only_so_are_told_and_both_left(vault: Folder) -> None:
    pair = sorted(f"twin/{form('né')}.md" for form in (composed, decomposed))
    for number, path in enumerate(pair):
        vault.write(path, f"{number}\n")
    vault.write("Twin/x.md", "another folder\n")
    assert len(os.listdir(vault.root / "twin")) == 2, (
        "this file system folds normalisation: run the tests on one that does not"
    )
    vault.commit()
    before = vault.snapshot()
    done = vault.run("check")
    assert done.code == 1
    assert places(done.out, "NA02") == sorted(["Twin/x.md", *pair])
    assert vault.snapshot() == before
    for number, path in enumerate(pair):  # each is still edited under its own name
        edit(vault, "append", path, stdin=b"more\n")
        assert vault.read(path) == f"{number}\nmore\n"
    assert "NA02" in edit(vault, "write", "twin/NÉ.md", stdin=b"third\n", code=1)
    assert sorted(vault.snapshot()) == sorted(before)


# -- 019: names that Windows refuses --------------------------------------------------------------------

BAD = ["Meeting: budget.md", "AUX.md", "Ideas /a.md", "end./b.md", "n" * 247 + ".md"]


def test_019_exactly_these_are_named_and_nothing_is_renamed(plain: Folder) -> None:
    for path in [*BAD, "Fine (1).md", "auxiliary.md"]:
        plain.write(path, "x\n")
    plain.commit("theirs")
    assert plain.run("init").code == 0
    assert plain.run("check").code == 0
    assert sorted(places(plain.run("check", "--no-baseline").out, "NA01")) == sorted(BAD)
    document = {"changes": [{"path": path, "append": "more\n"} for path in BAD]}
    edit(plain, "apply", "-m", "all of them: more", stdin=json.dumps(document).encode())
    plain.write(BAD[3], "mine\n")
    plain.git("commit", "-qam", "mine")
    assert [plain.read(path) for path in BAD] == ["x\nmore\n"] * 3 + ["mine\n", "x\nmore\n"]
    # Into a folder that is there already, whatever it is called; and out of it.
    assert "NA01" in edit(plain, "write", "end./new.md", stdin=b"x\n", code=1)
    assert plain.run("move", BAD[3], "end/b.md").code == 0


BETTER = {
    "Plan: next.md": "Plan - next.md", "lists/con.md": "lists/con_.md", "Why?.md": "Why.md", "2026./plan .md": "2026/plan.md"
}  # fmt: skip


def test_019_a_new_note_is_told_a_name_that_works_everywhere(vault: Folder) -> None:
    before = vault.snapshot()
    bad, good = (
        json.dumps({"line": "new notes", "changes": [{"path": path, "text": "x\n"} for path in paths]}).encode()
        for paths in (BETTER.keys(), BETTER.values())
    )
    said = edit(vault, "apply", stdin=bad, code=1)
    for path, better in BETTER.items():
        assert re.search(rf"(?m)^{re.escape(path)}:1:1: NA01 .* \(call it {re.escape(better)}\)$", said)
    assert vault.snapshot() == before
    edit(vault, "apply", stdin=good)
    for path in BETTER:
        vault.write(path, "x\n")
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "a person's are held to it as well")
    assert done.code == 1 and sorted(places(done.err, "NA01")) == sorted(BETTER)


# -- 039: what sync services leave behind -----------------------------------------------------------------

COPIES = ["refs/heads/main 2", "index 2", "HEAD 2", "packed-refs 2", "config 2", "hooks/pre-commit 2", "logs/HEAD 2"]


def test_039_copies_inside_git_stop_nothing_and_stay(vault: Folder) -> None:
    vault.git("pack-refs", "--all")
    vault.git("commit", "-q", "--allow-empty", "-m", "a loose ref again")
    inside = vault.root / ".git"
    for name in COPIES:
        shutil.copy(inside / name.removesuffix(" 2"), inside / name)
    shutil.copy(inside / "refs/heads/main", inside / "refs/heads/main (Ada's conflicted copy 2026-11-29)")
    before = {name: (inside / name).read_bytes() for name in COPIES}
    assert "ignoring ref with broken name" in vault.try_git("for-each-ref").err
    edit(vault, "append", "Home.md", stdin=b"more\n")
    document = {
        "changes": [{"path": "Home.md", "move": "Start.md"}, {"path": "projects/nova.md", "set": {"status": "done"}}]
    }
    said = edit(vault, "apply", stdin=json.dumps(document).encode())
    assert "broken name" not in said and said.startswith("committed ")
    assert vault.run("undo", "HEAD").code == 0
    assert vault.run("verify").out == "agrees: 3 edits\n"
    vault.write("Home.md", vault.read("Home.md") + "mine\n")
    vault.git("commit", "-qam", "mine")
    assert {name: (inside / name).read_bytes() for name in COPIES} == before
    assert vault.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    "copy",
    ["Home (Ada's conflicted copy 2026-11-29).md", "people/ada-lovelace.sync-conflict-20261129-211000-ABCDEF1.md"],
)
def test_039_a_copy_among_the_notes_is_told_and_not_committed_along(vault: Folder, copy: str) -> None:
    original = re.sub(r" \(.*\)|\.sync-conflict[^.]*", "", copy)
    vault.write(copy, vault.read(original))
    vault.write("Chapter 2.md", "ch\n")
    edit(vault, "append", original, stdin=b"more\n")
    assert vault.git("-c", "core.quotePath=false", "status", "--porcelain", "-z").split("\0")[:-1] == [
        "?? Chapter 2.md",
        f"?? {copy}",
    ]
    done = vault.run("check")
    assert done.code == 1 and places(done.out, "NA03") == [copy]
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "all")
    assert done.code == 1 and places(done.err, "NA03") == [copy]
    assert vault.exists(copy)


def test_039_an_agent_makes_no_numbered_copy(vault: Folder) -> None:
    vault.write("Start.md", "x\n")
    vault.commit()
    assert "NA03" in edit(vault, "write", "Home 2.md", stdin=b"x\n", code=1)
    assert "NA03" in edit(vault, "move", "Start.md", "Home 2.md", code=1)
    edit(vault, "write", "Chapter 2.md", stdin=b"x\n")
    edit(vault, "write", "Home/Home 2.md", stdin=b"x\n")
