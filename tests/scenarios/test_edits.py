"""The main job, as an agent and a person see it, through the real command line and real git."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import SKILL
from support import Folder


def agent(vault: Folder, *args: str, stdin: str = "", code: int = 0, name: str = "claude-code") -> str:
    done = vault.run(*args, "--agent", name, stdin=stdin.encode())
    assert done.code == code, done
    return done.out + done.err


def oid_of(vault: Folder, path: str) -> str:
    return str(json.loads(vault.run("read", path, "--json").out)["oid"])


def head(vault: Folder, path: str) -> str:
    return vault.git("show", f"HEAD:{path}") + "\n"


def test_p1_a_new_skill_is_one_commit_whose_subject_is_its_line(vault: Folder) -> None:
    text = SKILL.replace("review-a-pr", "bake-bread")
    said = agent(vault, "write", "skills/bake-bread.md", "-m", "skills/bake-bread: first version", stdin=text)
    assert re.match(r"committed [0-9a-f]{40}\n", said)
    log = vault.git("log", "-1", "--format=%an|%ae|%cn|%s|%(trailers:key=Agent)").rstrip()
    assert log == (
        "claude-code|claude-code@agents.vaultgit.invalid|Test Person|skills/bake-bread: first version|Agent: claude-code"
    )
    edit = vault.git("log", "-1", "--format=%(trailers:key=Edit,valueonly)").strip()
    lines = [line for line in vault.read("changelog.md").splitlines() if line.startswith("- ")]
    assert lines[0] == f"- 2026-11-29 21:10 skills/bake-bread: first version (claude-code) ^{edit}"
    assert vault.git("show", "--name-only", "--format=").split() == ["changelog.md", "skills/bake-bread.md"]
    assert vault.read("skills/bake-bread.md") == text
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").out == "agrees: 1 edits\n"


def test_p3_staged_and_unsaved_text_of_a_person_stays_theirs(vault: Folder) -> None:
    vault.write("a.md", "one\n")
    vault.write("b.md", "".join(f"line {n}\n" for n in range(1, 11)))
    vault.commit("notes")
    vault.write("a.md", "one\nstaged by me\n")
    vault.git("add", "a.md")
    vault.write("b.md", vault.read("b.md").replace("line 9\n", "line nine, mine\n"))
    mine = vault.read("b.md")

    new = mine.replace("line 2\n", "line two, the agent's\n")
    assert agent(vault, "write", "b.md", "--base", oid_of(vault, "b.md"), stdin=new).startswith("committed ")
    assert vault.read("b.md") == new
    assert head(vault, "b.md") == new.replace("line nine, mine\n", "line 9\n")
    assert vault.git("diff", "--cached", "--name-only") == "a.md"
    assert vault.git("show", "--name-only", "--format=").split() == ["b.md", "changelog.md"]

    stale = new.replace("line nine, mine\n", "line nine, the agent's\n")
    said = agent(vault, "write", "b.md", "--base", oid_of(vault, "b.md"), stdin=stale)
    assert said.startswith("inbox ")
    assert vault.read("b.md") == new
    note = said.split()[2]
    assert "line nine, the agent's" in vault.read(note)
    assert vault.git("diff", "--cached", "--name-only") == "a.md"
    assert vault.git("blame", "-s", "b.md").count("00000000 ") >= 1
    assert vault.run("verify").code == 0


def test_p3_an_agent_cannot_take_away_a_line_that_only_the_person_has(vault: Folder) -> None:
    """Taking out a line that is not in git would change nothing in history, and lose it."""
    vault.write("Home.md", vault.read("Home.md") + "only here\n")
    without = vault.read("Home.md").replace("only here\n", "")
    said = agent(vault, "write", "Home.md", "--base", oid_of(vault, "Home.md"), stdin=without)
    assert said.startswith("inbox ")
    assert "only here\n" in vault.read("Home.md")


def test_p3_an_append_lands_though_a_person_types_at_the_end(vault: Folder) -> None:
    vault.write("Home.md", vault.read("Home.md") + "half a sentence I am typ")
    assert agent(vault, "append", "Home.md", stdin="- by the agent\n").startswith("committed ")
    assert vault.read("Home.md").endswith("half a sentence I am typ\n- by the agent\n")
    assert head(vault, "Home.md").endswith("[[people/ada-lovelace]]\n- by the agent\n")


def test_a_note_git_has_never_seen_is_committed_first_as_the_persons(vault: Folder) -> None:
    vault.write("new.md", "mine, all of it\n")
    agent(vault, "append", "new.md", stdin="the agent's\n")
    log = vault.git("log", "-2", "--format=%an|%s").splitlines()
    assert log[1] == "Test Person|own: as it was"
    assert vault.git("blame", "-p", "new.md").count("author Test Person") == 1
    assert vault.git("status", "--porcelain") == ""


def test_a_note_kept_out_of_git_is_not_brought_in(vault: Folder) -> None:
    vault.write(".git/info/exclude", "private.md\n")
    vault.write("private.md", "nobody's business\n")
    said = agent(vault, "append", "private.md", stdin="x\n", code=1)
    assert "PA01" in said
    assert vault.read("private.md") == "nobody's business\n"
    assert "private.md" not in vault.git("ls-files")


def test_037_a_stale_write_merges_or_waits_and_never_overwrites(vault: Folder) -> None:
    vault.write("Home.md", "one\ntwo\nthree\nfour\nfive\n")
    vault.commit()
    base = oid_of(vault, "Home.md")
    vault.write("Home.md", "one\ntwo\nthree\nfour\nfive\nhuman line\n")
    os.utime(vault.root / "Home.md", (1, 1))
    said = agent(vault, "write", "Home.md", "--base", base, stdin="ONE\ntwo\nthree\nfour\nfive\n")
    assert said.startswith("merged ")
    assert vault.read("Home.md") == "ONE\ntwo\nthree\nfour\nfive\nhuman line\n"
    assert head(vault, "Home.md") == "ONE\ntwo\nthree\nfour\nfive\n"
    vault.commit("mine")
    said = agent(vault, "write", "Home.md", "--base", base, stdin="one\ntwo\nthree\nfour\nFIVE and more\n")
    assert said.startswith("inbox ")
    assert "human line" in vault.read("Home.md")
    said = agent(vault, "write", "Home.md", stdin="whatever\n", code=1)
    assert "ED02" in said
    said = agent(vault, "write", "Home.md", "--base", "0" * 40, stdin="whatever\n", code=1)
    assert "ED03" in said
    assert vault.git("status", "--porcelain") == ""


def test_the_same_edit_sent_again_is_one_edit(vault: Folder) -> None:
    base = oid_of(vault, "Home.md")
    text = vault.read("Home.md") + "once\n"
    first = agent(vault, "write", "Home.md", "--base", base, stdin=text)
    agent(vault, "append", "Home.md", stdin="other\n")
    again = agent(vault, "write", "Home.md", "--base", base, stdin=text)
    assert first.startswith("committed ")
    assert again.startswith("unchanged")
    assert vault.read("Home.md").count("once") == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [(".pre-commit-config.yaml", "PA01"), ("review.md", "PA01"), ("../x", "PA02"), (".git/hooks/x", "PA01"),
     ("changelog.md", "PA01"), ("AGENTS.md", "PA01"), ("/etc/hostname", "PA02"), (".vaultgit.toml", "PA01")],
)  # fmt: skip
def test_p3_protected_paths_are_refused_by_every_door(vault: Folder, path: str, code: str) -> None:
    before = vault.snapshot()
    for args in (["write", path], ["append", path], ["set", path, "a=b"], ["delete", path]):
        assert code in agent(vault, *args, stdin="x\n", code=1)
    document = json.dumps({"changes": [{"path": path, "text": "x"}]})
    assert code in agent(vault, "apply", stdin=document, code=1)
    assert code in agent(vault, "inbox", "add", "--target", path, "--reason", "r", stdin="x", code=1)
    assert vault.snapshot() == before
    assert not vault.exists("../x")
    assert vault.git("status", "--porcelain") == ""


def test_059_no_path_of_the_list_leads_anywhere(vault: Folder) -> None:
    listed = Path(__file__).parent.parent / "cases/059-mcp-path-traversal-and-stdout/paths.txt"
    before = vault.snapshot()
    paths = [path for path in listed.read_text().split("\n") if path and "\0" not in path]  # no argument holds a NUL
    assert len(paths) > 10
    for path in paths:
        for args in (["write"], ["append"], ["delete"], ["set"]):
            done = vault.run(*args, "--agent", "codex", "--", path, *(["a=b"] if args == ["set"] else []), stdin=b"x\n")
            assert done.code in (1, 2), (path, args, done)
    assert vault.snapshot() == before


def test_several_notes_are_one_edit_or_none(vault: Folder) -> None:
    document = {
        "line": "projects/nova: owner is Ada", "reason": "she said so",
        "changes": [
            {"path": "projects/nova.md", "set": {"owner": "[[ada-lovelace]]"}},
            {"path": "people/ada-lovelace.md", "append": "- owns [[nova]]\n"},
        ],
    }  # fmt: skip
    agent(vault, "apply", stdin=json.dumps(document))
    assert vault.git("show", "--name-only", "--format=%s").split("\n\n") == [
        "projects/nova: owner is Ada", "changelog.md\npeople/ada-lovelace.md\nprojects/nova.md"
    ]  # fmt: skip
    assert 'owner: "[[ada-lovelace]]"\n' in vault.read("projects/nova.md")
    document["changes"] = [
        {"path": "people/ada-lovelace.md", "append": "- more\n"}, {"path": "projects/nova.md", "set": {"status": None, "type": None}}
    ]  # fmt: skip
    before = vault.snapshot()
    agent(vault, "apply", stdin=json.dumps(document), code=1)
    assert vault.snapshot() == before


def test_a_note_its_schema_refuses_leaves_nothing(vault: Folder) -> None:
    before = vault.snapshot()
    said = agent(vault, "write", "people/bob.md", stdin="---\ntype: person\naliases: 3\n---\nx\n", code=1)
    assert re.search(r"people/bob\.md:3:\d+: FM03 .*aliases", said)
    said = agent(vault, "write", "people/bob.md", stdin="no type\n", code=1)
    assert "FM04" in said
    assert vault.snapshot() == before
    assert not os.path.isdir(vault.root / ".git/vaultgit/state/queue") or not os.listdir(
        vault.root / ".git/vaultgit/state/queue"
    )


def test_011_setting_one_key_changes_one_line(vault: Folder) -> None:
    case = Path(__file__).parent.parent / "cases/011-set-one-key-small-diff"
    vault.write("note.md", (case / "input/note.md").read_bytes())
    vault.commit()
    agent(vault, "set", "note.md", "status=done", "-m", "close it")
    assert vault.git("diff", "--numstat", "HEAD~1", "HEAD", "--", "note.md") == "1\t1\tnote.md"
    assert vault.bytes("note.md") == (case / "expected/note.md").read_bytes()
    agent(vault, "set", "note.md", "due=2026-05-01")
    assert vault.git("diff", "--numstat", "HEAD~1", "HEAD", "--", "note.md") == "1\t0\tnote.md"
    assert b"nothing:\ndue: 2026-05-01\n---\n" in vault.bytes("note.md")


@pytest.mark.parametrize("line", ["#42 tidy the shelf", "; semicolon first", "# 42", "-n", "fix: ü 😀"])
def test_031_the_line_is_the_subject_verbatim(vault: Folder, line: str) -> None:
    for key, value in (
        ("commit.cleanup", "strip"),
        ("commit.verbose", "true"),
        ("core.commentChar", ";"),
        ("core.editor", "false"),
    ):
        vault.git("config", "--global", key, value)
    vault.write("tmpl", "TEMPLATE LINE\n")
    vault.git("config", "--global", "commit.template", str(vault.root / "tmpl"))
    agent(vault, "append", "Home.md", f"--message={line}", stdin="more\n")
    body = vault.git("log", "-1", "--format=%B").rstrip()
    assert body.split("\n\n")[0] == line
    assert "TEMPLATE" not in body
    assert f" {line} (claude-code) ^" in vault.read("changelog.md")
    assert vault.run("verify").code == 0


@pytest.mark.parametrize("line", ["#", "", "two\nlines", "x" * 101, "a %% b", "a <!-- b", "a\x07b", "a\u202eb"])
def test_p1_a_line_that_would_hide_something_is_refused(vault: Folder, line: str) -> None:
    before = vault.snapshot()
    assert "MS01" in agent(vault, "append", "Home.md", f"--message={line}", stdin="more\n", code=1)
    assert vault.snapshot() == before


def test_a_reason_cannot_forge_a_trailer(vault: Folder) -> None:
    agent(
        vault, "append", "Home.md", "--reason", "because\n\nAgent: somebody-else\nEdit: 0000000000000000", stdin="x\n"
    )
    assert vault.git("log", "-1", "--format=%(trailers:key=Agent,valueonly)").strip() == "claude-code"
    assert vault.run("verify").code == 0, vault.run("verify")


def test_033_signing_is_the_persons_and_never_asked_of_an_edit(vault: Folder) -> None:
    program = vault.write(".git/fakegpg", "#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    for key, value in (("gpg.program", str(program)), ("commit.gpgsign", "true"), ("user.signingkey", "ABCD")):
        vault.git("config", "--global", key, value)
    assert agent(vault, "append", "Home.md", stdin="more\n").startswith("committed ")
    assert "gpgsig" not in vault.git("cat-file", "commit", "HEAD")


def test_035_an_index_lock_left_behind_is_named_with_its_age(vault: Folder) -> None:
    lock = vault.write(".git/index.lock", "")
    os.utime(lock, (lock.stat().st_mtime - 172800,) * 2)
    said = agent(vault, "append", "Home.md", stdin="more\n", code=75)
    assert said.startswith("queued ")
    assert str(lock) in said
    assert "48 h" in said
    assert f"rm {lock}" in said
    assert lock.exists()
    assert "more" not in vault.read("Home.md")
    lock.unlink()
    assert vault.run("status").code == 0
    assert vault.read("Home.md").endswith("more\n")
    assert vault.run("verify").out == "agrees: 1 edits\n"


def test_021_an_edit_during_a_rebase_lands_after_it_once(vault: Folder) -> None:
    vault.write("N.md", "one\n")
    vault.commit()
    vault.git("checkout", "-q", "-b", "topic")
    vault.write("N.md", "topic\n")
    vault.commit("topic")
    vault.git("checkout", "-q", "main")
    vault.write("N.md", "main\n")
    vault.commit("mainline")
    vault.git("checkout", "-q", "topic")
    assert vault.try_git("rebase", "main").code != 0
    before = (vault.git("status", "--porcelain=v2"), vault.git("rev-parse", "HEAD"))
    said = agent(vault, "append", "Home.md", stdin="during the rebase\n", code=75)
    assert said.startswith("queued ")
    assert "rebase" in said
    assert "do not retry" in said
    assert (vault.git("status", "--porcelain=v2"), vault.git("rev-parse", "HEAD")) == before
    # What the agent reads includes its own queued edit, and its next edit builds on it.
    assert vault.run("read", "Home.md", "--agent", "claude-code").out.endswith("during the rebase\n")
    assert "during" not in vault.run("read", "Home.md").out
    agent(vault, "append", "Home.md", stdin="and once more\n", code=75)
    assert vault.run("status").code == 0
    assert (vault.git("status", "--porcelain=v2"), vault.git("rev-parse", "HEAD")) == before
    vault.write("N.md", "both\n")
    vault.git("add", "N.md")
    vault.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert vault.run("status").code == 0
    assert vault.run("status").code == 0
    assert vault.git("symbolic-ref", "HEAD") == "refs/heads/topic"
    assert vault.read("Home.md").endswith("during the rebase\nand once more\n")
    assert len(vault.git("log", "--author=claude-code", "--format=%h").split()) == 2
    assert vault.run("verify").out == "agrees: 2 edits\n"
    assert "during" not in vault.git("show", "main:Home.md")


def test_p2_an_edit_of_another_branch_moves_only_that_ref(vault: Folder) -> None:
    """Made during a rebase of topic, landed while main is checked out."""
    vault.git("checkout", "-q", "--detach")
    queued = agent(vault, "append", "Home.md", stdin="detached\n", code=75)
    assert "detached" in queued
    vault.git("checkout", "-q", "-b", "topic")
    assert vault.run("status").code == 0
    assert "detached" in vault.git("show", "topic:Home.md")
    lock = vault.write(".git/index.lock", "")
    agent(vault, "append", "Home.md", stdin="for topic\n", code=75)
    lock.unlink()
    vault.git("checkout", "-q", "main")
    before = vault.snapshot()
    assert vault.run("status").code == 0
    assert vault.snapshot() == before
    assert vault.git("status", "--porcelain") == ""
    assert vault.git("show", "topic:Home.md").endswith("for topic")
    assert vault.git("show", "topic:changelog.md").count("^") == 2


def test_p3_a_commit_with_the_editor_open_succeeds_and_the_edit_lands_after_it(vault: Folder) -> None:
    vault.write("mine.md", "mine\n")
    vault.git("add", "mine.md")
    editor = vault.write(
        ".git/editor", f'#!/bin/sh\n"{sys.executable}" -P -m vaultgit append Home.md --agent codex > .git/said <<X\nmeanwhile\nX\n'
        'echo "$?" > .git/code\necho "my commit" > "$1"\n',
    )  # fmt: skip
    editor.chmod(0o755)
    done = vault.try_git("commit", "-q", env={"GIT_EDITOR": str(editor)})
    assert done.code == 0, done
    assert vault.read(".git/code") == "75\n", vault.read(".git/said")
    assert "git commit is under way" in vault.read(".git/said")
    assert vault.git("log", "-1", "--format=%s") == "my commit"
    assert vault.git("show", "--name-only", "--format=").split() == ["mine.md"]
    assert vault.run("status").code == 0
    assert vault.git("log", "-1", "--format=%an") == "codex"
    assert vault.git("status", "--porcelain") == ""


def molt(vault: Folder, version: int, step: str, code: int = 0) -> str:
    text = vault.read("skills/review-a-pr.md")
    text = re.sub(r"version: \d+", f"version: {version}", text)
    text = re.sub(r"last_updated: .*", f"last_updated: 2026-11-{version + 10}", text) + step + "\n"
    return agent(vault, "write", "skills/review-a-pr.md", "--base", oid_of(vault, "skills/review-a-pr.md"),
                 "-m", f"skills/review-a-pr: version {version}", "--reason", "it was needed", stdin=text, code=code)  # fmt: skip


def test_p6_git_revert_of_any_edit_and_undo_of_it(vault: Folder) -> None:
    molt(vault, 2, "2. run it")
    older_molt = vault.git("rev-parse", "HEAD")
    agent(vault, "append", "people/ada-lovelace.md", stdin="- likes engines\n")
    for n in range(4):
        agent(vault, "append", "Home.md", stdin=f"- {n}\n")
    molt(vault, 3, "3. say what you saw")
    five_back = "HEAD~5"
    vault.git("revert", "--no-edit", five_back)
    assert "likes engines" not in vault.read("people/ada-lovelace.md")
    agent(vault, "append", "Home.md", stdin="- next\n")
    assert vault.run("verify").code == 0
    vault.git("revert", "--no-edit", "HEAD")
    agent(vault, "append", "Home.md", stdin="- after\n")
    assert vault.run("verify").code == 0
    vault.git("revert", "--no-edit", older_molt)
    skill = vault.read("skills/review-a-pr.md")
    assert "2. run it" not in skill
    assert "3. say what you saw" in skill
    assert "version: 3" in skill
    agent(vault, "append", "Home.md", stdin="- last\n")
    assert vault.run("verify").code == 0, vault.run("verify")


def test_p6_undo_of_edits_far_back_and_of_the_undo(vault: Folder) -> None:
    molt(vault, 2, "2. run it")
    older_molt = vault.git("rev-parse", "HEAD")
    agent(vault, "append", "people/ada-lovelace.md", stdin="- likes engines\n")
    edit = vault.git("rev-parse", "HEAD")
    molt(vault, 3, "3. say what you saw")
    vault.write("Home.md", vault.read("Home.md") + "mine, not in git\n")
    assert vault.run("undo", edit).code == 0
    assert "likes engines" not in vault.read("people/ada-lovelace.md")
    undone = vault.git("rev-parse", "HEAD")
    assert vault.run("undo", older_molt).code == 0
    skill = vault.read("skills/review-a-pr.md")
    assert "2. run it" not in skill
    assert "version: 4" in skill
    assert "last_updated: 2026-11-29" in skill
    assert vault.run("undo", undone[:8]).code == 0
    assert vault.read("people/ada-lovelace.md").endswith("- likes engines\n")
    assert vault.git("log", "-1", "--format=%(trailers:key=Again,valueonly)").strip()
    assert vault.read("Home.md").endswith("mine, not in git\n")
    assert vault.run("undo", "people/ada-lovelace.md").code == 0
    assert "likes engines" not in vault.read("people/ada-lovelace.md")
    assert vault.run("verify").code == 0
    assert vault.run("check", "--from", "HEAD~6", "--to", "HEAD").code == 0, vault.run("check", "--from", "HEAD~6")


def test_p6_the_newest_molt_is_undone_byte_for_byte(vault: Folder) -> None:
    molt(vault, 2, "2. run it")
    assert vault.run("undo", "HEAD").code == 0, vault.run("undo", "HEAD")
    assert vault.read("skills/review-a-pr.md") == SKILL
    assert vault.run("check", "--from", "HEAD~1").code == 0
    assert vault.run("verify").code == 0


def test_041_undo_under_newer_lines(vault: Folder) -> None:
    vault.write("A.md", "".join(f"{n}\n" for n in range(1, 31)))
    vault.write("C.md", "v0\n")
    vault.commit()

    def put(path: str, text: str) -> str:
        agent(vault, "write", path, "--base", oid_of(vault, path), stdin=text)
        return vault.git("rev-parse", "HEAD")

    e1 = put("A.md", vault.read("A.md").replace("\n3\n", "\ne1 text\n"))
    put("A.md", vault.read("A.md").replace("\n28\n", "\ne3 text\n"))
    e4 = put("C.md", "v4\n")
    put("C.md", "v5\n")
    lines = vault.read("changelog.md")
    before = int(vault.git("rev-list", "--count", "HEAD"))
    assert vault.run("undo", e1).code == 0
    assert int(vault.git("rev-list", "--count", "HEAD")) == before + 1
    assert "e1 text" not in vault.read("A.md")
    assert "e3 text" in vault.read("A.md")
    assert all(line in vault.read("changelog.md") for line in lines.splitlines())
    state = (vault.snapshot(), vault.git("rev-parse", "HEAD"), vault.git("ls-files", "-s"))
    done = vault.run("undo", e4)
    assert done.code == 1
    assert "C.md" in done.err
    assert "ED01" in done.err
    assert (vault.snapshot(), vault.git("rev-parse", "HEAD"), vault.git("ls-files", "-s")) == state
    assert not vault.exists(".git/REVERT_HEAD")
    assert not vault.exists(".git/sequencer")


def test_p6_undo_of_a_session_keeps_what_a_person_wrote_since(vault: Folder) -> None:
    for path in ("Home.md", "people/ada-lovelace.md"):
        vault.run("append", path, "--agent", "codex", "--session", "2026-11-29-launch", stdin=b"from the session\n")
    vault.write("Home.md", "my own first line\n" + vault.read("Home.md"))
    done = vault.run("undo", "--session", "2026-11-29-launch")
    assert done.code == 0, done
    assert "from the session" not in vault.read("Home.md") + vault.read("people/ada-lovelace.md")
    assert vault.read("Home.md").startswith("my own first line\n")
    assert len(vault.git("log", "-1", "--format=%(trailers:key=Undoes,valueonly)").split()) == 2
    assert vault.run("undo", "--session", "2026-11-29-launch").code == 2


def test_undo_of_what_is_not_the_agents_own_is_a_persons(vault: Folder) -> None:
    agent(vault, "append", "Home.md", stdin="x\n", name="codex")
    said = agent(vault, "undo", "HEAD", code=1)
    assert "person" in said
    assert agent(vault, "undo", "HEAD", name="codex").startswith("committed ")


def test_why_says_who_when_and_why(vault: Folder) -> None:
    vault.run(
        "append", "Home.md", "--agent", "codex", "--session", "s-1", "--reason", "she asked for it", stdin=b"a line\n"
    )
    number = vault.read("Home.md").splitlines().index("a line") + 1
    said = vault.run("why", f"Home.md:{number}").out
    assert "codex" in said
    assert "she asked for it" in said
    assert "s-1" in said
    vault.write("Home.md", vault.read("Home.md") + "mine\n")
    assert "not in git yet" in vault.run("why", f"Home.md:{number + 1}").out
    assert json.loads(vault.run("why", f"Home.md:{number}", "--json").out)[0]["agent"] == "codex"
    assert json.loads(vault.run("log", "--agent", "codex", "--json").out)[0]["session"] == "s-1"


def test_inbox_accept_with_an_edit_and_reject(vault: Folder) -> None:
    vault.run("inbox", "add", "--target", "people/ada-lovelace.md", "--reason", "heard once", "--agent", "codex",
              stdin=b"- allergic to peanuts\n")  # fmt: skip
    [note] = json.loads(vault.run("inbox", "list", "--json").out)
    assert note["target"] == "people/ada-lovelace"
    assert "heard once" in vault.run("inbox", "show", "1").out
    refused = vault.run("inbox", "accept", "1", env={"CLAUDECODE": "1"})
    assert refused.code == 1
    vault.write(note["path"], vault.read(note["path"]).replace("peanuts", "hazelnuts"))
    done = vault.run("inbox", "accept", "1")
    assert done.code == 0, done
    assert vault.read("people/ada-lovelace.md").endswith("- allergic to hazelnuts\n")
    assert not vault.exists(note["path"])
    assert (
        vault.git("log", "-1", "--format=%an|%(trailers:key=Proposed-by,valueonly)").rstrip()
        == "Test Person|inbox@codex"
    )
    vault.run(
        "inbox", "add", "--target", "people/ada-lovelace.md", "--reason", "r", "--agent", "codex", stdin=b"junk\n"
    )
    done = vault.run("inbox", "reject", "1")
    assert done.code == 0, done
    assert re.search(
        r"(?m)^- 2026-11-29 inbox people/ada-lovelace\.md [0-9a-f]{16} \^\w{16}$", vault.read(".vaultgit/declined.md")
    )
    assert json.loads(vault.run("inbox", "list", "--json").out) == []
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").code == 0


def test_063_a_full_disk_leaves_the_note_whole(vault: Folder) -> None:
    vault.write("Big.md", "word " * 1193 + "end\n")
    vault.commit("big")
    before = vault.snapshot()
    new = vault.read("Big.md").replace("end", "fin").encode()
    command = f'ulimit -f 8; exec "{sys.executable}" -P -m vaultgit write Big.md --agent codex --base {oid_of(vault, "Big.md")}'
    done = subprocess.run(["bash", "-c", command], cwd=vault.root, input=new, capture_output=True, check=False)
    assert done.returncode not in (0, 3), done
    assert b"Big.md" in done.stderr + done.stdout
    assert vault.snapshot() == before
    assert vault.git("status", "--porcelain") == ""
    assert not vault.exists(".git/index.lock")
    agent(vault, "write", "Big.md", "--base", oid_of(vault, "Big.md"), stdin=new.decode())
    assert vault.bytes("Big.md") == new
    assert vault.run("verify").out == "agrees: 1 edits\n"


def test_029_git_variables_of_a_hook_do_not_lead_elsewhere(vault: Folder, tmp_path: Path) -> None:
    other = Folder(tmp_path / "other")
    other.write("o", "o\n")
    other.git("init", "-q")
    other.commit("o")
    state = (other.git("rev-parse", "HEAD"), other.git("status", "--porcelain"), other.bytes(".git/index"))
    env = {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_INDEX_FILE": str(other.root / ".git/index"),
        "GIT_WORK_TREE": str(other.root),
    }
    done = vault.run("append", "Home.md", "--vault", str(vault.root), "--agent", "codex", stdin=b"x\n", env=env)
    assert done.code == 0, done
    assert vault.git("log", "-1", "--format=%an") == "codex"
    assert (other.git("rev-parse", "HEAD"), other.git("status", "--porcelain"), other.bytes(".git/index")) == state


def test_dry_run_of_the_inbox_changes_nothing(vault: Folder) -> None:
    suggestion = ("--target", "people/ada-lovelace.md", "--reason", "heard once")
    head = vault.git("rev-parse", "HEAD")
    would = vault.run("inbox", "add", *suggestion, "--agent", "codex", "--dry-run", stdin=b"- likes tea\n")
    assert would.code == 0 and "+- likes tea" in would.out and vault.git("rev-parse", "HEAD") == head
    assert vault.run("inbox", "add", *suggestion, "--agent", "codex", stdin=b"- likes tea\n").code == 0
    head = vault.git("rev-parse", "HEAD")
    for verb in ("accept", "reject"):
        would = vault.run("inbox", verb, "1", "--dry-run")
        assert would.code == 0 and would.out.startswith("would commit: "), would
    assert vault.git("rev-parse", "HEAD") == head and vault.git("status", "--porcelain") == ""


@pytest.mark.parametrize("verb", ["append", "write"])
def test_a_new_note_has_an_extension(vault: Folder, verb: str) -> None:
    before = vault.snapshot()
    done = vault.run(verb, "projects/nova", "--agent", "codex", stdin=b"x\n")
    assert done.code == 2 and "did you mean projects/nova.md?" in done.err
    done = vault.run(verb, "notes/idea", "--agent", "codex", stdin=b"x\n")
    assert done.code == 2 and "notes/idea.md" in done.err
    assert vault.snapshot() == before


def test_dry_run_says_that_an_edit_would_wait(vault: Folder) -> None:
    (vault.root / ".git/MERGE_HEAD").write_text(vault.git("rev-parse", "HEAD") + "\n")
    would = vault.run("append", "Home.md", "--agent", "codex", "--dry-run", stdin=b"x\n")
    assert would.code == 0 and would.out.startswith("would wait: a merge is in progress"), would
    would = vault.run("append", "Home.md", "--agent", "codex", "--dry-run", "--json", stdin=b"x\n")
    assert json.loads(would.out)["would"] == "queued"


def test_p6_a_person_takes_back_also_what_had_mended_a_note(vault: Folder) -> None:
    bad = "---\ntype: person\naliases: 7\n---\n"
    vault.write("people/bad.md", bad)
    vault.commit("past the hook")
    assert vault.run("set", "people/bad.md", "aliases=[B]", "--agent", "codex").code == 0
    assert vault.run("undo", "HEAD", "--agent", "codex").code == 1
    assert vault.run("undo", "HEAD").code == 0
    assert vault.read("people/bad.md") == bad
