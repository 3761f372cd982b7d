"""`record`: what an agent's own tools changed on disk becomes its edit, and nothing of the person's does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import NOTES
from support import PERSON
from support import PROJECT
from support import SKILL
from support import Folder
from support import Result
from support import run_cli

ADA = "people/ada-lovelace.md"
NOVA = "projects/nova.md"


def payload(vault: Folder, path: str, before: str | None, *, tool: str = "Edit", **asked: Any) -> bytes:
    """As Claude Code 2.1 sends it to a hook of PostToolUse."""
    full = str(vault.root / path)
    answer: dict[str, Any] = {"filePath": full, "originalFile": before, "structuredPatch": [], "userModified": False}
    if tool == "Write":
        answer |= {"type": "create" if before is None else "update", "content": asked["content"]}
    return json.dumps(
        {
            "session_id": "22222222-2222-4333-8444-555555555555",
            "transcript_path": "/home/dev/.claude/projects/-home-dev-app/22222222.jsonl",
            "cwd": "/home/dev/app", "prompt_id": "2c6743ca", "hook_event_name": "PostToolUse", "tool_name": tool,
            "tool_input": {"file_path": full, **asked}, "tool_response": answer,
        }
    ).encode()  # fmt: skip


def edited(vault: Folder, path: str, old: str, new: str) -> bytes:
    """The agent's Edit tool, and what its client says then."""
    before = vault.read(path)
    vault.write(path, before.replace(old, new, 1))
    return payload(vault, path, before, old_string=old, new_string=new, replace_all=False)


def committed(vault: Folder, done: Result) -> str:
    assert done.code == 0 and done.out.startswith("committed "), done
    assert vault.run("verify").code == 0
    return vault.git("log", "-1", "--format=%an|%s|%(trailers:key=Agent,valueonly)").strip()


def test_an_edit_of_the_clients_own_tool(vault: Folder) -> None:
    report = edited(vault, ADA, "Born 1815.", "Born 1815 in London.")
    done = vault.run("record", stdin=report)
    assert committed(vault, done) == "claude-code|people/ada-lovelace: added “in London”|claude-code"
    assert vault.git("status", "--porcelain") == ""
    assert "Session: 22222222" in vault.git("log", "-1", "--format=%B")
    again = vault.run("record", stdin=report)  # a hook that runs twice
    assert again.code == 0 and again.out.startswith("unchanged"), again
    assert vault.run("undo", "HEAD").code == 0
    assert vault.read(ADA) == PERSON


def test_p3_the_persons_text_in_the_same_note_stays_theirs(vault: Folder) -> None:
    mine = PROJECT + "mine, not in git yet\n"
    vault.write(NOVA, mine)
    report = edited(vault, NOVA, "# Nova", "# Project Nova")
    vault.write(NOVA, vault.read(NOVA) + "typed since\n")
    assert vault.run("record", stdin=report).out.startswith("merged ")
    assert vault.git("show", f"HEAD:{NOVA}") + "\n" == PROJECT.replace("# Nova", "# Project Nova")
    assert vault.read(NOVA) == mine.replace("# Nova", "# Project Nova") + "typed since\n"
    assert vault.git("diff", "--cached") == ""


def test_p4_what_cannot_be_told_apart_waits_in_the_inbox_and_stays_on_disk(vault: Folder) -> None:
    vault.write(ADA, PERSON + "mine, on the very next line\n")
    report = edited(vault, ADA, "Born 1815.", "Born 1815 in London.")
    before = vault.read(ADA)
    assert vault.run("record", stdin=report).out.startswith("inbox ")
    assert vault.read(ADA) == before and vault.git("show", f"HEAD:{ADA}") + "\n" == PERSON


def test_a_new_note_and_a_whole_one(vault: Folder) -> None:
    bob = PERSON.replace("Ada Lovelace", "Bob")
    vault.write("people/bob.md", bob)
    done = vault.run("record", stdin=payload(vault, "people/bob.md", None, tool="Write", content=bob))
    assert committed(vault, done) == "claude-code|people/bob: created|claude-code"
    new = bob.replace("Born 1815.", "Born 1900.")
    vault.write("people/bob.md", new)
    done = vault.run(
        "record", "-m", "people/bob: when", stdin=payload(vault, "people/bob.md", bob, tool="Write", content=new)
    )
    assert committed(vault, done) == "claude-code|people/bob: when|claude-code"


def test_a_note_that_git_had_never_seen(vault: Folder) -> None:
    vault.write("notes/mine.md", "mine\n")
    report = edited(vault, "notes/mine.md", "mine\n", "mine\nthe agent's\n")
    committed(vault, vault.run("record", stdin=report))
    log = vault.git("log", "-2", "--format=%an|%s").splitlines()
    assert log == ["claude-code|notes/mine: added “the agent's”", "Test Person|own: as it was"]
    assert vault.git("show", "HEAD~1:notes/mine.md") == "mine"


def test_windows_line_endings_and_a_mark_that_the_client_leaves_out(vault: Folder) -> None:
    text = "\ufeff" + PERSON.replace("\n", "\r\n")
    vault.write(ADA, text.encode())
    vault.commit()
    vault.write(ADA, text.replace("1815.", "1816.").encode())
    report = payload(vault, ADA, PERSON, old_string="1815.", new_string="1816.", replace_all=False)
    committed(vault, vault.run("record", stdin=report))
    assert vault.git("status", "--porcelain") == ""


def test_what_breaks_a_rule_is_refused_and_stays_on_disk(vault: Folder) -> None:
    report = edited(vault, ADA, "type: person\nname: Ada Lovelace", "type: person\naliases: 7")
    done = vault.run("record", stdin=report)
    assert done.code == 1 and "FM03" in done.err
    assert "aliases: 7" in vault.read(ADA)
    report = edited(vault, "AGENTS.md", "Never save", "Always save")
    assert "PA01" in vault.run("record", stdin=report).err


def test_files_elsewhere_and_tools_that_say_nothing(vault: Folder) -> None:
    head = vault.git("rev-parse", "HEAD")
    outside = json.loads(payload(vault, ADA, "a"))
    outside["tool_response"]["filePath"] = "/tmp/else.md"
    for report in (json.dumps(outside).encode(), json.dumps({**outside, "tool_name": "Bash"}).encode()):
        assert vault.run("record", stdin=report).code == 0
    assert vault.git("rev-parse", "HEAD") == head
    for nonsense in (b"no json", b"[]", b"3", b'{"tool_input": 1}'):
        assert vault.run("record", "--agent", "codex", stdin=nonsense).code == 2
    assert vault.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("client", [("--agent", "claude-code"), ("--agent", "my-agent"), ()])
def test_p3_a_payload_of_few_words_is_read_as_well(vault: Folder, client: tuple[str, ...]) -> None:
    vault.write(NOVA, PROJECT + "mine, not in git yet\n")
    report = json.loads(edited(vault, NOVA, "# Nova", "# Project Nova"))
    vault.write("Home.md", NOTES["Home.md"] + "mine\n")
    few = ("hook_event_name", "tool_name", "tool_input", "tool_response", "session_id")
    short = {key: value for key, value in report.items() if key in few}
    env = {} if client else {"CLAUDECODE": "1"}
    done = vault.run("record", *client, stdin=json.dumps(short).encode(), env=env)
    committed(vault, done)
    assert vault.git("show", f"HEAD:{NOVA}") + "\n" == PROJECT.replace("# Nova", "# Project Nova")
    assert "Session: 22222222" in vault.git("log", "-1", "--format=%B")
    assert vault.git("status", "--porcelain").splitlines() == [" M Home.md", f" M {NOVA}"]


@pytest.mark.parametrize("tool", ["Bash", "Read", "Grep"])
def test_p3_a_tool_that_does_not_say_what_it_changed_records_nothing(vault: Folder, tool: str) -> None:
    assert vault.run("record", "--begin", "--agent", "claude-code", "--session", "s1").code == 0
    vault.write(ADA, PERSON + "typed by the person\n")
    report = {"session_id": "s1", "hook_event_name": "PostToolUse", "prompt_id": "p", "tool_name": tool}
    report |= {"tool_input": {"file_path": str(vault.root / ADA)}, "tool_response": {"type": "text"}}
    done = vault.run("record", stdin=json.dumps(report).encode())
    assert (done.code, done.out, done.err) == (0, "", "")
    assert vault.git("status", "--porcelain") == f" M {ADA}"


@pytest.mark.parametrize(
    "odd",
    [
        {"tool_response": {"filePath": "a.md", "originalFile": 5}},
        {"tool_input": {"file_path": "a.md", "edits": [5]}, "tool_response": {"filePath": "a.md", "originalFile": "x"}},
        {"tool_response": {"filePath": "a\0.md", "originalFile": "x"}},
        {"tool_input": {"content": "\ud800"}, "tool_response": {"filePath": ADA}, "tool_name": "Write"},
    ],
)
def test_p10_a_strange_payload_lets_the_agent_go_on(vault: Folder, odd: dict[str, Any]) -> None:
    report = {"hook_event_name": "PostToolUse", "prompt_id": "p", "tool_name": "Edit", "cwd": str(vault.root)}
    report |= {"tool_input": {"old_string": "x", "new_string": "y"}, **odd}
    done = vault.run("record", stdin=json.dumps(report).encode())
    assert done.code == 0 and "Traceback" not in done.err, done


def test_p10_without_a_vault_the_agent_goes_on(tmp_path: Path) -> None:
    done = run_cli("record", cwd=tmp_path, stdin=payload(Folder(tmp_path), "a.md", "x", old_string="x", new_string="y"))
    assert done.code == 0 and done.err.startswith("vaultgit: nothing recorded: "), done


def test_p3_what_a_person_looks_at_makes_nothing_an_agents(vault: Folder) -> None:
    assert vault.run("status").code == 0
    vault.write(ADA, PERSON + "typed by me only\n")
    assert vault.run("record", "--agent", "codex").code == 1
    assert vault.git("status", "--porcelain") == f" M {ADA}"


def test_p1_what_an_auto_backup_swept_gets_its_line(vault: Folder) -> None:
    report = edited(vault, ADA, "Born 1815.", "Born 1815 in London.")
    swept = vault.commit("vault backup: 2026-11-29 21:10:00")
    done = vault.run("record", stdin=report)
    committed(vault, done)
    assert f"Recorded-in: {swept}" in vault.git("log", "-1", "--format=%B")
    assert vault.git("show", "--format=", "--name-only", "HEAD") == "changelog.md"
    assert "added “in London” (claude-code)" in vault.read("changelog.md")
    again = vault.run("record", stdin=report)
    assert again.out.startswith("unchanged"), again


# -- from disk alone ---------------------------------------------------------------------------------------------


def test_notes_that_were_clean_before(vault: Folder) -> None:
    vault.write("Home.md", NOTES["Home.md"] + "mine\n")
    assert vault.run("record", "--begin", "--agent", "codex").code == 0
    vault.write(ADA, PERSON + "by the agent\n")
    vault.write("people/bob.md", PERSON.replace("Ada Lovelace", "Bob"))
    (vault.root / "projects/nova.md").unlink()
    done = vault.run("record", "--agent", "codex")
    assert committed(vault, done).startswith("codex|vault: 3 notes changed")
    assert vault.git("status", "--porcelain") == " M Home.md"


def test_p3_a_note_that_held_the_persons_text_is_left_and_named(vault: Folder) -> None:
    vault.write(ADA, PERSON + "mine\n")
    vault.run("record", "--begin", "--agent", "codex")
    vault.write(ADA, PERSON + "mine\nby the agent\n")
    head = vault.git("rev-parse", "HEAD")
    for paths in ((), (ADA,)):
        done = vault.run("record", *paths, "--agent", "codex")
        assert ADA in done.err and done.code == len(paths)
    assert vault.git("rev-parse", "HEAD") == head
    base = vault.git("hash-object", "-w", "--stdin", stdin=(PERSON + "mine\n").encode())
    committed(vault, vault.run("record", ADA, "--base", base, "--agent", "codex"))
    assert vault.git("show", f"HEAD:{ADA}") + "\n" == PERSON + "by the agent\n"
    assert vault.read(ADA) == PERSON + "mine\nby the agent\n"


def test_p3_without_a_look_it_must_be_said_what_a_note_was(vault: Folder) -> None:
    vault.write(ADA, PERSON + "by the agent\n")
    vault.write("Home.md", NOTES["Home.md"] + "mine\n")
    done = vault.run("record", "--agent", "codex")
    assert done.code == 1 and "vaultgit record PATH" in done.err
    done = vault.run("record", ADA, "--agent", "codex")
    assert done.code == 1 and f"vaultgit record {ADA} --base OID" in done.err
    base = vault.git("rev-parse", f"HEAD:{ADA}")
    committed(vault, vault.run("record", ADA, "--base", base, "--agent", "codex"))
    vault.write("notes/new.md", "the agent's\n")
    committed(vault, vault.run("record", "notes/new.md", "--agent", "codex"))
    assert vault.git("status", "--porcelain") == " M Home.md"


def test_p3_a_look_is_of_one_work_tree_and_one_history(vault: Folder) -> None:
    vault.git("worktree", "add", "-q", "../other", "-b", "other")
    other = Folder(vault.root.parent / "other")
    other.write("Home.md", NOTES["Home.md"] + "mine\n")
    assert vault.run("record", "--begin", "--agent", "codex").code == 0
    assert other.run("record", "--agent", "codex").code == 1
    vault.write("Home.md", NOTES["Home.md"] + "committed by me\n")
    vault.commit("mine")
    assert vault.run("record", "--begin", "--agent", "codex").code == 0
    vault.git("reset", "-q", "--soft", "HEAD~1")
    assert vault.run("record", "--agent", "codex").code == 1


def test_p3_what_a_person_staged_stays_theirs(vault: Folder) -> None:
    assert vault.run("record", "--begin", "--agent", "codex").code == 0
    vault.write("Home.md", NOTES["Home.md"] + "staged\n")
    vault.git("add", "Home.md")
    vault.write(ADA, PERSON + "by the agent\n")
    done = vault.run("record", "--agent", "codex")
    committed(vault, done)
    assert "left alone: Home.md: something of it is staged" in done.err
    assert vault.git("status", "--porcelain") == "M  Home.md"


@pytest.mark.parametrize(
    ("who", "later", "good"), [("codex", "00:50", True), ("codex", "01:10", False), ("other", "00:05", False)]
)
def test_how_long_a_look_is_good_for(vault: Folder, who: str, later: str, good: bool) -> None:
    vault.run("record", "--begin", "--agent", who, env={"VAULTGIT_NOW": "2026-11-29T00:00:00+01:00"})
    vault.write(ADA, PERSON + "by the agent\n")
    done = vault.run("record", "--agent", "codex", env={"VAULTGIT_NOW": f"2026-11-29T{later}:00+01:00"})
    assert (done.code == 0) == good, done


def test_dry_run_a_skill_and_json(vault: Folder) -> None:
    vault.run("record", "--begin", "--agent", "codex")
    vault.write("skills/review-a-pr.md", SKILL + "2. more\n")
    done = vault.run("record", "--agent", "codex")
    assert done.code == 1 and "SK01" in done.err
    vault.write(
        "skills/review-a-pr.md", SKILL.replace("version: 1", "version: 2").replace("-01\n", "-29\n") + "2. more\n"
    )
    head = vault.git("rev-parse", "HEAD")
    assert "+2. more" in vault.run("record", "--agent", "codex", "--reason", "x", "--dry-run").out
    assert vault.git("rev-parse", "HEAD") == head
    done = vault.run("record", "--agent", "codex", "--reason", "x", "--json")
    assert json.loads(done.out)["outcome"] == "committed"


def test_a_person_records_nothing(vault: Folder) -> None:
    assert vault.run("record").code == 2
