"""Sessions by the real command line: begun, gone on with, ended once, ended twice, left, killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from support import Folder
from support import Result

from vaultgit.install import block
from vaultgit.notes import frontmatter

NOVA = "projects/nova.md"
ADA = "people/ada-lovelace.md"
STATE = ".git/vaultgit/state/sessions"
CODEX = ("--agent", "codex")
ID = "2026-11-29-launch-notes"
NOTE = f"sessions/{ID}.md"
LATER = "2026-11-30T11:00:00+01:00"  # thirteen hours and fifty minutes after the tests' now


def run(
    vault: Folder, *args: str, code: int = 0, stdin: bytes = b"", now: str = "", folder: str = "", **env: str
) -> Result:
    """`vaultgit ARGS` in a folder of the vault."""
    env = {**env, **({"VAULTGIT_NOW": now} if now else {})}
    done = vault.run(*args, stdin=stdin, env=env, cwd=vault.root / folder)
    assert done.code == code, (args, done)
    return done


def start(vault: Folder, task: str = "Launch notes", *more: str, **env: str) -> str:
    """The id of a session that begins; `folder`: where, since a start closes what was begun in its own."""
    return run(vault, "session", "start", task, *(more or CODEX), **env).out.strip()


def values(vault: Folder, path: str = NOTE) -> dict[str, Any]:
    return frontmatter.read(vault.bytes(path)).values


def opened(vault: Folder) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(vault, "session", "list", "--json").out)
    return found


def session_of(vault: Folder, commit: str = "HEAD") -> str:
    return vault.git("log", "-1", "--format=%(trailers:key=Session,valueonly)", commit).strip()


def sessions(vault: Folder) -> list[str]:
    return sorted(os.listdir(vault.root / "sessions")) if vault.exists("sessions") else []


# -- from its start to its end -----------------------------------------------------------------------------------


def test_a_session_from_its_start_to_its_note(vault: Folder) -> None:
    assert start(vault) == ID
    head = vault.git("rev-parse", "HEAD")
    run(vault, "session", "note", "Ada wants the date first", *CODEX)
    assert vault.git("rev-parse", "HEAD") == head, "nothing is committed before its end"
    run(vault, "read", ADA, *CODEX)
    run(vault, "read", NOVA, *CODEX)
    run(vault, "set", NOVA, "status=done", *CODEX)
    run(vault, "skill", "show", "review-a-pr", "--used", *CODEX)
    assert session_of(vault) == ID, "the only open session of that agent"
    run(vault, "append", "Home.md", "--agent", "claude-code", stdin=b"x\n")
    assert session_of(vault) == "", "another agent's edit is not in it"
    [one] = opened(vault)
    assert (one["id"], one["agent"], one["task"], one["notes"]) == (ID, "codex", "Launch notes", 1)
    would = run(vault, "session", "end", "--dry-run", *CODEX)
    assert would.out.startswith(f"would commit: sessions/{ID}: Launch notes") and not vault.exists(NOTE)
    done = json.loads(run(vault, "session", "end", "-m", "Written; the date is open.", "--json", *CODEX).out)
    assert (done["outcome"], done["path"], done["session"], done["unrecorded"]) == ("committed", NOTE, ID, [])
    assert values(vault) == {
        "type": "session", "date": "2026-11-29", "agent": "codex", "task": "Launch notes",
        "touched": ["[[projects/nova]]"], "skills": ["[[skills/review-a-pr]]"], "session": ID,
    }  # fmt: skip
    assert vault.read(NOTE).partition("---\n# ")[2] == (
        "Launch notes\n\nWritten; the date is open.\n\n## Did\n\n- 21:10 projects/nova: status done\n\n"
        "## Noted\n\n- 21:10 Ada wants the date first\n\n## Read\n\n- [[people/ada-lovelace]]\n"
    )
    said = vault.git("log", "-1", "--format=%an %cn|%s|%(trailers:key=Session,valueonly)").strip()
    assert said == f"codex Test Person|sessions/{ID}: Launch notes|{ID}"
    assert opened(vault) == [] and vault.git("status", "--porcelain") == ""
    assert run(vault, "verify").out.startswith("agrees") and run(vault, "check", "--all")
    assert run(vault, "skill", "used", *CODEX, "--session", ID, "--json").out.strip() == "[]"
    run(vault, "append", "Home.md", *CODEX, stdin=b"y\n")
    assert session_of(vault) == "", "it has ended"


def test_the_next_end_adds_to_the_same_note_and_leaves_what_a_person_wrote(vault: Folder) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX)
    run(vault, "session", "end", "-m", "Half.", *CODEX)
    vault.write(NOTE, vault.read(NOTE).replace("## Did\n", "I saw this.\n\n## Did\n").replace("status done", "well"))
    vault.commit("by hand")
    vault.write(NOTE, vault.read(NOTE).replace("I saw this.", "I saw this.\ntyped, not saved in git"))
    same = ("--session", ID, *CODEX)
    assert run(vault, "session", "end", *same).out == "unchanged\n"
    run(vault, "append", ADA, *same, stdin=b"- likes tea\n", now="2026-11-30T00:20:00+01:00")
    run(vault, "session", "note", "half of it", *same)
    run(vault, "session", "end", "-m", "Whole.", *same)
    text = vault.read(NOTE)
    assert text.count("# Launch notes") == 1 and sessions(vault) == [f"{ID}.md"]
    assert "I saw this." in text and "- 21:10 projects/nova: well\n" in text and "status done" not in text
    assert "Half." not in text and "\nWhole.\n" in text
    assert "- 2026-11-30 00:20 people/ada-lovelace: added “- likes tea”\n" in text
    assert values(vault)["touched"] == ["[[projects/nova]]", "[[people/ada-lovelace]]"]
    assert "I saw this.\ntyped, not saved in git\n" in text
    assert "typed, not saved" not in vault.git("show", f"HEAD:{NOTE}")


def test_a_session_in_which_nothing_happened_leaves_no_note(vault: Folder) -> None:
    start(vault)
    head = vault.git("rev-parse", "HEAD")
    done = run(vault, "session", "end", *CODEX)
    assert done.out == "unchanged\n" and "nothing was done" in done.err
    assert vault.git("rev-parse", "HEAD") == head and opened(vault) == [] and sessions(vault) == []


@pytest.mark.parametrize("what", ["read", "note", "used", "summary"])
def test_each_of_these_alone_is_worth_a_note(vault: Folder, what: str) -> None:
    start(vault)
    args = {
        "read": ("read", ADA), "note": ("session", "note", "x"), "used": ("skill", "used", "review-a-pr"),
        "summary": (),
    }[what]  # fmt: skip
    if args:
        run(vault, *args, *CODEX)
    run(vault, "session", "end", *CODEX, *(("-m", "All is well.") if what == "summary" else ()))
    assert vault.exists(NOTE)


def test_a_note_that_a_person_deleted_does_not_come_back_and_one_that_they_renamed_is_found(vault: Folder) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX)
    run(vault, "session", "end", *CODEX)
    same = ("--session", ID, *CODEX)
    os.rename(vault.root / NOTE, vault.root / "sessions/the launch.md")
    vault.commit("renamed")
    run(vault, "append", ADA, *same, stdin=b"- likes tea\n")
    run(vault, "session", "end", *same)
    assert sessions(vault) == ["the launch.md"] and "likes tea" in vault.read("sessions/the launch.md")
    (vault.root / "sessions/the launch.md").unlink()
    vault.commit("deleted")
    assert run(vault, "session", "end", *same).out == "unchanged\n" and sessions(vault) == []
    run(vault, "append", ADA, *same, stdin=b"- and coffee\n")
    run(vault, "session", "end", *same)
    [path] = sessions(vault)
    assert "coffee" in vault.read(f"sessions/{path}") and "likes tea" not in vault.read(f"sessions/{path}")


# -- which session -----------------------------------------------------------------------------------------------


def test_names_are_not_taken_twice(vault: Folder) -> None:
    vault.write("sessions/2026-11-29-Launch-Notes.md", "a person's own\n")
    assert [start(vault), start(vault)] == [f"{ID}-2", f"{ID}-3"]


def test_where_several_are_open_none_is_meant_until_it_is_said(vault: Folder) -> None:
    first, second = start(vault), start(vault, "Other work", folder="people")
    run(vault, "set", NOVA, "status=a", *CODEX)
    assert session_of(vault) == ""
    done = run(vault, "session", "end", *CODEX, code=2)
    assert first in done.err and second in done.err
    run(vault, "set", NOVA, "status=b", *CODEX, VAULTGIT_SESSION=second)
    assert session_of(vault) == second
    run(vault, "session", "end", *CODEX, "--session", first)
    run(vault, "set", NOVA, "status=c", *CODEX)
    assert session_of(vault) == second


def test_a_clients_own_session_needs_no_start(vault: Folder) -> None:
    client = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "0b6f-1"}
    run(vault, "set", NOVA, "status=done", **client)
    run(vault, "session", "end", **client)
    [path] = sessions(vault)
    assert path == "2026-11-29-projects-nova-status-done.md"
    found = values(vault, f"sessions/{path}")
    assert (found["session"], found["agent"], found["task"]) == ("0b6f-1", "claude-code", "projects/nova: status done")
    assert run(vault, "session", "start", "The launch", **client).out == "0b6f-1\n"


@pytest.mark.parametrize(
    "session", ["../../x", "a/b\\c", "x" * 300, "日本 猫", "%41", "a\nAgent: evil", "<!-- x", "\x1b[31m", ".", "-x"]
)
def test_a_clients_id_can_hold_anything(vault: Folder, session: str) -> None:
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session}
    run(vault, "session", "start", "t", **env)
    run(vault, "set", NOVA, "status=done", **env)
    run(vault, "session", "note", "x", **env)
    run(vault, "session", "end", **env)
    assert sessions(vault) == ["2026-11-29-t.md"]
    assert values(vault, "sessions/2026-11-29-t.md")["touched"] == ["[[projects/nova]]"]
    assert vault.git("log", "-1", "--format=%(trailers:key=Agent,valueonly)").strip() == "claude-code"
    run(vault, "append", NOVA, **env, stdin=b"more\n")
    run(vault, "session", "end", **env)
    assert len(sessions(vault)) == 1 and run(vault, "verify").code == 0


def test_a_person_has_no_session_and_an_agent_must_have_a_name(vault: Folder) -> None:
    assert "which agent" in run(vault, "session", "start", "x", code=2).err
    assert "is no agent's name" in run(vault, "session", "start", "x", "--agent", "a b", code=2).err
    start(vault)
    run(vault, "set", NOVA, "status=done")
    assert session_of(vault) == ""
    assert "no session of gemini is open" in run(vault, "session", "end", "--agent", "gemini", code=2).err
    assert "which session is meant" in run(vault, "session", "end", code=2).err


def test_p11_secrets_are_masked_before_they_are_kept(vault: Folder) -> None:
    secret = "ghp_" + "a1B2" * 9
    done = run(vault, "session", "start", f"use {secret} today", *CODEX)
    assert "masked" in done.err and secret not in done.out
    run(vault, "session", "note", f"the token is {secret}", *CODEX)
    run(vault, "session", "end", "-m", f"with {secret}", *CODEX)
    assert secret not in vault.git("log", "-p") and "[REDACTED" in vault.git("show")
    kept = [path.read_bytes() for path in (vault.root / ".git/vaultgit").rglob("*") if path.is_file()]
    assert not any(secret.encode() in data for data in kept)


def test_p11_a_secret_for_an_id_or_a_name_is_not_kept(vault: Folder) -> None:
    secret = "ghp_" + "a1B2" * 9
    run(vault, "session", "start", "t", "--session", secret, *CODEX)
    run(vault, "append", NOVA, "--session", secret, *CODEX, stdin=b"more\n")
    run(vault, "skill", "used", "review-a-pr", "--session", secret, *CODEX)
    run(vault, "session", "end", "--session", secret, *CODEX)
    assert session_of(vault) == "[REDACTED GitHub Token]"
    assert values(vault, "sessions/2026-11-29-t.md")["skills"] == ["[[skills/review-a-pr]]"]
    for args in (("start", "t"), ("note", "x", "--session", "s"), ("end", "--session", "other")):
        done = run(vault, "session", *args, "--agent", secret, code=2)
        assert "but a secret" in done.err and secret not in done.err
    names = [str(path) for path in (vault.root / ".git/vaultgit").rglob("*")]
    kept = [path.read_bytes() for path in (vault.root / ".git/vaultgit").rglob("*") if path.is_file()]
    assert not any(secret.encode() in data for data in kept) and not any(secret in name for name in names)
    assert secret not in vault.git("log", "-p")


# -- others in a session -----------------------------------------------------------------------------------------


def test_what_another_agent_says_in_a_session_is_told_as_its_words(vault: Folder) -> None:
    start(vault)
    other = ("--session", ID, "--agent", "gemini")
    run(vault, "session", "start", "Another task", *other)
    run(vault, "session", "note", "heard this", *other)
    run(vault, "session", "note", "my own", *CODEX)
    run(vault, "session", "end", "-m", "All is done.", *other)
    assert values(vault)["task"] == "Launch notes"
    assert "\ngemini: All is done.\n" in vault.read(NOTE)
    assert "- 21:10 gemini: heard this\n- 21:10 my own\n" in vault.read(NOTE)
    assert vault.git("log", "-1", "--format=%an %b").startswith("codex ") and "Ended by gemini." in vault.git("show")


# -- writers without hooks ---------------------------------------------------------------------------------------


def test_what_changed_on_disk_is_offered_and_the_command_that_is_named_records_it(vault: Folder) -> None:
    vault.write(ADA, vault.read(ADA) + "typed before\n")
    start(vault)
    vault.write(NOVA, vault.read(NOVA) + "by some other door\n")
    vault.write("notes/it's new.md", "new\n")
    run(vault, "session", "note", "x", *CODEX)
    head = vault.git("rev-parse", "HEAD")
    done = run(vault, "session", "end", *CODEX)
    assert vault.git("rev-parse", "HEAD^") == head, "never recorded by itself"
    assert "2 notes changed on disk" in done.err and "what a person typed stays theirs" in done.err
    assert "ada-lovelace" not in done.err
    [line] = [line for line in done.err.splitlines() if line.startswith("  vaultgit record ")]
    subprocess.run(
        f"{sys.executable} -P -m {line.strip()}", shell=True, cwd=vault.root, check=True, capture_output=True
    )
    assert session_of(vault) == ID and "by some other door" in vault.git("show", f"HEAD:{NOVA}")
    assert vault.git("show", "HEAD:notes/it's new.md") == "new"
    assert vault.git("status", "--porcelain") == f" M {ADA}", "what was typed before is still the person's"


# -- sessions that nobody ends -----------------------------------------------------------------------------------


def test_the_next_start_of_the_same_agent_closes_what_was_left(vault: Folder) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX)
    start(vault, "Another's", "--agent", "gemini")
    start(vault, "At once", *CODEX, folder="people")
    assert len(opened(vault)) == 3, "a session that goes on is left alone"
    start(vault, "Next day", *CODEX, now=LATER, folder="projects")
    assert [one["task"] for one in opened(vault)] == ["Another's", "Next day"]
    assert sessions(vault) == [f"{ID}.md"]  # "At once" did nothing
    body = vault.git("log", "-1", "--format=%an%n%b", "--", NOTE)
    assert body.startswith("codex\n") and "Closed by the next session of codex: nobody ended it" in body


def test_a_session_of_a_clock_that_was_wrong_is_closed(vault: Folder) -> None:
    run(vault, "session", "start", "Far", *CODEX, now="2036-11-29T21:10:00+01:00")
    assert start(vault, "Here") == "2026-11-29-here"
    assert [one["task"] for one in opened(vault)] == ["Here"]


def test_an_edit_keeps_a_session_open(vault: Folder) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX, "--session", ID, now="2026-11-30T03:00:00+01:00")
    start(vault, "Next day", *CODEX, now=LATER, folder="people")
    assert len(opened(vault)) == 2


def test_a_start_without_an_id_closes_the_one_before_it_in_the_same_folder(vault: Folder) -> None:
    first = start(vault)
    run(vault, "append", NOVA, *CODEX, stdin=b"- more\n")
    would = run(vault, "session", "start", "Other work", "--dry-run", *CODEX)
    assert would.out == f"would begin a session of codex\nwould close {first}\n" and len(opened(vault)) == 1
    done = run(vault, "session", "start", "Other work", *CODEX)
    assert (done.out, f"closed {first}: {NOTE}\n" in done.err) == ("2026-11-29-other-work\n", True), done
    assert [one["task"] for one in opened(vault)] == ["Other work"]
    assert values(vault)["touched"] == ["[[projects/nova]]"]
    said = vault.git("log", "-1", "--format=%b", "--", NOTE)
    assert "Closed by the next session of codex in the same folder: nobody ended it." in said
    run(vault, "session", "note", "of the second", *CODEX)
    assert "of the second" in run(vault, "session", "show", *CODEX).out
    assert start(vault) == f"{ID}-2", "the same task again is another session"
    run(vault, "session", "end", "-m", "Done.", *CODEX)
    assert sessions(vault) == [f"{ID}-2.md", f"{ID}.md", "2026-11-29-other-work.md"] and opened(vault) == []
    assert run(vault, "verify").code == 0


def test_a_start_leaves_alone_what_is_not_known_to_be_its_own(vault: Folder) -> None:
    start(vault, "by hand", *CODEX, "--session", "2026-11-29-by-hand")
    run(vault, "session", "note", "x", *CODEX, "--session", "2026-11-29-by-hand")
    run(vault, "session", "end", *CODEX, "--session", "2026-11-29-by-hand")
    run(vault, "session", "note", "it goes on", *CODEX, "--session", "2026-11-29-by-hand")
    start(vault, "in the environment", VAULTGIT_SESSION="e-1")
    start(vault, "a client's", "--agent", "codex", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="c-1")
    start(vault, "another agent's", "--agent", "gemini")
    start(vault, "elsewhere", folder="people")
    done = run(vault, "session", "start", "here", *CODEX)
    assert "closed" not in done.err and len(opened(vault)) == 6
    start(vault, "with an id", *CODEX, "--session", "s-2")
    assert len(opened(vault)) == 7, "an id says that it is another one, beside those"


def test_an_earlier_one_that_did_nothing_goes_without_a_note_and_leaves_nothing_to_the_next(vault: Folder) -> None:
    start(vault)
    done = run(vault, "session", "start", "Launch notes", *CODEX)
    assert (done.out, sessions(vault)) == (f"{ID}-2\n", []) and [one["id"] for one in opened(vault)] == [f"{ID}-2"]
    assert f"closed {ID}: nothing was done in it" in done.err


def test_p10_a_start_begins_though_the_earlier_one_cannot_be_closed(vault: Folder) -> None:
    start(vault)
    run(vault, "session", "note", "x", *CODEX)
    vault.write("sessions", "a file where the folder should be\n")
    done = run(vault, "session", "start", "Other work", *CODEX)
    assert done.out == "2026-11-29-other-work\n" and f"{ID} stays open: " in done.err
    assert f"vaultgit session end --session {ID}" in done.err and len(opened(vault)) == 2


def test_a_dry_run_of_a_start_is_json_where_that_is_asked_for(vault: Folder) -> None:
    first = start(vault)
    told = json.loads(run(vault, "session", "start", "Other", "work", "--dry-run", "--json", *CODEX).out)
    assert told == {
        "outcome": "dry-run", "session": None, "agent": "codex", "task": "Other work", "closes": [first]
    }  # fmt: skip
    assert [one["id"] for one in opened(vault)] == [first]


def test_capture_closes_what_was_left_by_any_agent(vault: Folder) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX)
    done = run(vault, "capture", "--json", now="2026-11-29T22:00:00+01:00")
    assert json.loads(done.out)["closed"] == [] and len(opened(vault)) == 1
    run(vault, "capture", "--dry-run", now=LATER)
    assert len(opened(vault)) == 1
    done = run(vault, "capture", now=LATER)
    assert f"{NOTE}: of a session that nobody had ended" in done.out
    assert "Closed by capture: nobody ended it" in vault.git("log", "-1", "--format=%b") and opened(vault) == []


def test_status_tells_which_sessions_are_open(vault: Folder) -> None:
    start(vault)
    assert f"session     codex since 2026-11-29 21:10: Launch notes    vaultgit session show {ID}\n" in run(
        vault, "status").out  # fmt: skip
    [one] = json.loads(run(vault, "status", "--json").out)["sessions"]
    assert one["id"] == ID
    assert "today " not in run(vault, "status").out
    run(vault, "set", NOVA, "status=a", *CODEX)
    run(vault, "set", NOVA, "status=b", "--agent", "gemini")
    assert "\ntoday       2 edits by codex, gemini in 1 session\n" in run(vault, "status").out
    assert "\ntoday " not in run(vault, "status", now="2026-11-30T08:00:00+01:00").out
    run(vault, "session", "note", "x", *CODEX)
    assert "# Launch notes" in run(vault, "session", "show", ID).out


# -- P2: killed, busy, at once -----------------------------------------------------------------------------------

_KILL = "os.kill(os.getpid(), signal.SIGKILL)"
_KILLS = {
    "before the edit is queued": "ends.submit = lambda *a, **k: " + _KILL,
    "when it is queued": f"steps.reached = lambda name: {_KILL} if name == 'queue-written' else None",
    "when the disk has it": f"steps.reached = lambda name: {_KILL} if name == 'disk' else None",
    "when it has landed": f"steps.reached = lambda name: {_KILL} if name == 'dequeued' else None",
    "before the state goes": "ends._closed = lambda *a, **k: " + _KILL,
    "before its uses go": "skills.forget = lambda *a, **k: " + _KILL,
    "between two files of its state": (
        "whole = store.queue.unlink\n"
        f"store.queue.unlink = lambda path: {_KILL} if path.endswith('.open') else whole(path)"
    ),
}


def killed(vault: Folder, prelude: str, *args: str) -> int:
    """`vaultgit ARGS` with a kill -9 built in."""
    code = (
        "import os, signal, sys\nfrom vaultgit.edits import steps\nfrom vaultgit.passes import session_end as ends, skills\n"
        f"from vaultgit.passes import session_store as store\n{prelude}\n"
        "from vaultgit.cli.main import main\nraise SystemExit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *args], cwd=vault.root, capture_output=True, timeout=60, check=False
    )
    return done.returncode


@pytest.mark.faults
@pytest.mark.parametrize("where", _KILLS)
def test_p2_an_end_that_is_killed_is_made_up_for_once(vault: Folder, where: str) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX)
    run(vault, "session", "note", "one", *CODEX)
    run(vault, "skill", "used", "review-a-pr", *CODEX)
    same = ("--session", ID, *CODEX)
    assert killed(vault, _KILLS[where], "session", "end", "-m", "Done.", *same) == -signal.SIGKILL
    assert run(vault, "session", "end", "-m", "Done.", *same).code == 0
    assert sessions(vault) == [f"{ID}.md"], "one note"
    text = vault.read(NOTE)
    for line in ("status done", "- 21:10 one", "[[skills/review-a-pr]]", "Done.", "[[projects/nova]]"):
        assert text.count(line) == 1, text
    assert opened(vault) == [] and vault.git("status", "--porcelain") == ""
    assert vault.git("log", "--format=%s", "--", NOTE).count("sessions/") == 1, "one edit"
    assert run(vault, "session", "end", *same).out == "unchanged\n" and run(vault, "verify").code == 0


@pytest.mark.faults
@pytest.mark.parametrize("where", [*_KILLS, "between the two"])
def test_p2_a_start_that_is_killed_while_it_closes_the_one_before_it_is_made_up_for(vault: Folder, where: str) -> None:
    start(vault)
    run(vault, "append", NOVA, *CODEX, stdin=b"- more\n")
    run(vault, "skill", "used", "review-a-pr", *CODEX)
    between = f"from vaultgit.passes import session\nsession.start = lambda *a, **k: {_KILL}"
    prelude = _KILLS.get(where, between)
    assert killed(vault, prelude, "session", "start", "Other work", *CODEX) == -signal.SIGKILL
    assert start(vault, "Other work") == "2026-11-29-other-work"
    assert sessions(vault) == [f"{ID}.md"] and vault.read(NOTE).count("[[projects/nova]]") == 1
    assert [one["task"] for one in opened(vault)] == ["Other work"] and vault.git("status", "--porcelain") == ""
    assert vault.git("log", "--format=%s", "--", NOTE).count("sessions/") == 1, "one edit"
    assert run(vault, "verify").code == 0


def test_p2_an_end_in_the_middle_of_a_rebase_lands_later(vault: Folder) -> None:
    start(vault)
    vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
    run(vault, "set", NOVA, "status=done", *CODEX, code=75)
    run(vault, "session", "end", *CODEX, code=75)
    run(vault, "session", "end", *CODEX, "--session", ID)
    (vault.root / ".git/MERGE_HEAD").unlink()
    run(vault, "status")
    assert sessions(vault) == [f"{ID}.md"] and "status done" in vault.read(NOTE)
    assert values(vault)["touched"] == ["[[projects/nova]]"]


def test_two_ends_at_once_make_one_note(vault: Folder) -> None:
    start(vault)
    run(vault, "set", NOVA, "status=done", *CODEX)
    command = [sys.executable, "-P", "-m", "vaultgit", "session", "end", "--session", ID, *CODEX]
    every = [subprocess.Popen(command, cwd=vault.root, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = sorted(process.communicate(timeout=60)[0].split()[0] for process in every)
    assert said == ["committed", "unchanged", "unchanged"] and sessions(vault) == [f"{ID}.md"]
    assert vault.read(NOTE).count("status done") == 1 and not vault.exists("inbox")


def test_two_starts_and_many_notes_at_once_lose_nothing(vault: Folder) -> None:
    begin = [sys.executable, "-P", "-m", "vaultgit", "session", "start", "Launch notes", *CODEX]
    both = [subprocess.Popen(begin, cwd=vault.root, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    ids = sorted(process.communicate(timeout=60)[0].strip() for process in both)
    assert ids == [ID, f"{ID}-2"]
    say = [sys.executable, "-P", "-m", "vaultgit", "session", "note", "--session", ID, *CODEX]
    every = [subprocess.Popen([*say, f"remark {n}"], cwd=vault.root, stdout=subprocess.DEVNULL) for n in range(6)]
    assert [process.wait(timeout=60) for process in every] == [0] * 6
    for one in ids:
        run(vault, "session", "end", *CODEX, "--session", one)
    assert sorted(line[8:] for line in vault.read(NOTE).splitlines() if "remark" in line) == [
        f"remark {n}" for n in range(6)
    ]


def test_a_damaged_state_is_in_nobodys_way(vault: Folder) -> None:
    start(vault)
    run(vault, "session", "note", "kept", *CODEX)
    vault.write(f"{STATE}/{ID}.open", b"{half")
    (vault.root / STATE / f"{ID}.log").write_bytes((vault.root / STATE / f"{ID}.log").read_bytes() + b'\n{"t": "2026')
    assert opened(vault) == []
    run(vault, "session", "note", "and this", *CODEX, "--session", ID)
    run(vault, "session", "end", *CODEX, "--session", ID)
    [path] = sessions(vault)
    assert "- 21:10 kept\n- 21:10 and this\n" in vault.read(f"sessions/{path}")


def test_open_sessions_are_listed_where_nothing_can_be_written(vault: Folder) -> None:
    start(vault)
    lock = vault.root / ".git/vaultgit/state/lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    assert [one["id"] for one in opened(vault)] == [ID]


def test_p2_a_note_of_which_a_part_fits_on_the_disk_is_not_kept_and_said_to_be(vault: Folder) -> None:
    start(vault)
    size = (vault.root / STATE / f"{ID}.log").stat().st_size
    blocks = size // 512 + 2
    words = "x" * (blocks * 512)
    command = f'ulimit -f {blocks}; exec "$@"'
    args = [sys.executable, "-P", "-m", "vaultgit", "session", "note", words, *CODEX]
    done = subprocess.run(
        ["sh", "-c", command, "sh", *args], cwd=vault.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "not kept" in done.stderr, done
    run(vault, "session", "note", "short", *CODEX)
    run(vault, "session", "end", *CODEX)
    assert "- 21:10 short\n" in vault.read(NOTE) and "xxx" not in vault.read(NOTE)


def test_a_vault_in_a_larger_repository_has_sessions_of_its_own(plain: Folder) -> None:
    for name in ("one", "two"):
        plain.write(f"{name}/.vaultgit.toml", "")
        plain.write(f"{name}/Home.md", "x\n")
    plain.commit("two vaults")
    inner = [Folder(plain.root / name) for name in ("one", "two")]
    assert start(inner[0]) == ID and opened(inner[1]) == []
    run(inner[0], "append", "Home.md", *CODEX, stdin=b"y\n")
    run(inner[0], "session", "end", *CODEX)
    assert values(inner[0])["touched"] == ["[[Home]]"] and not inner[1].exists("sessions")
    run(inner[1], "session", "end", "--session", ID, *CODEX)
    assert not inner[1].exists("sessions"), "the client's one id does not bring the other vault's edits in"


def test_a_mapped_folder_and_another_type_key(vault: Folder) -> None:
    vault.write(".vaultgit.toml", '[layout]\nsession = "Log/KI"\n[types]\nkey = "kind"\n')
    vault.commit("mapped")
    start(vault)
    run(vault, "session", "note", "x", *CODEX)
    run(vault, "session", "end", *CODEX)
    assert values(vault, f"Log/KI/{ID}.md")["kind"] == "session"


# -- AGENTS.md ---------------------------------------------------------------------------------------------------


def test_init_brings_the_text_for_agents_of_an_older_vault_up_to_date_and_leaves_an_edited_one(vault: Folder) -> None:
    now = vault.read("AGENTS.md")
    assert "`vaultgit session start " in now and "`vaultgit search " in now and "`vaultgit context " in now
    older = block.add(b"# Mine\n", b"# Memory for agents in this vault\n\nOnly this.\n", block.HTML)
    vault.write("AGENTS.md", older)
    vault.commit("as an older version left it")
    run(vault, "init", str(vault.root))
    said = vault.read("AGENTS.md")
    assert said.startswith("# Mine\n<!-- vaultgit begin") and "Only this." not in said and "session start" in said
    vault.write("AGENTS.md", said.replace("Search before", "Always search before"))
    vault.commit("edited by hand")
    run(vault, "init", str(vault.root))
    assert "Always search before" in vault.read("AGENTS.md")
