"""Odd logs, names, notes and turns: a secret that is cut, or that a conversation is named for; times that no database
holds; a note that cannot be read; more turns than fit."""

from __future__ import annotations

import base64
import os
import random
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support import Folder
from talking import DECISIONS
from talking import START
from talking import Talks
from talking import agent
from talking import minutes
from talking import person

from vaultgit.agents import claude
from vaultgit.clock import SystemClock
from vaultgit.passes.capture import block
from vaultgit.passes.capture import covered
from vaultgit.passes.capture import logs
from vaultgit.passes.capture import reading
from vaultgit.passes.capture import run as capture
from vaultgit.passes.engines import Answer
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines import Spent
from vaultgit.passes.engines.prompt import render
from vaultgit.vault import open_vault

TOKEN = "gh" + "p_" + "Zk8wQ3" * 6
LINES = base64.b64encode(random.Random(5).randbytes(2400)).decode()
BODY = [LINES[at : at + 64] for at in range(0, len(LINES), 64)]
KEY = "\n".join(["-----BEGIN RSA PRIVATE" + " KEY-----", *BODY, "-----END RSA PRIVATE" + " KEY-----"])
BEFORE, BEHIND = "We decided to rotate the key. ", "And then we deploy the importer on Thursday. "


class Asked:
    """An engine that keeps what it is asked."""

    name = setting = "asked"
    spent = Spent()

    def __init__(self, answer: str = "NOTHING") -> None:
        self.answer, self.sent = answer, list[str]()

    def write(self, prompt: Prompt) -> Answer:
        self.sent.append("\n".join(render(prompt)))
        return Answer(self.answer)


@pytest.fixture
def talks(tmp_path: Path) -> Talks:
    return Talks(tmp_path / "talker")


@pytest.fixture
def made(vault: Folder) -> Folder:
    vault.write(".vaultgit.toml", "[capture]\nmin_chars = 1\n")
    vault.commit("settings")
    return vault


def run(vault: Folder, talks: Talks, engine: Asked | None = None, **ask: Any) -> capture.Report:
    opened = open_vault(str(vault.root))
    with opened.repo:
        asked = capture.Ask(**{"now": True, **ask})
        return capture.run(opened, SystemClock(), asked, engine=engine, environ={}, home=str(talks.home))


def daily(vault: Folder) -> str:
    return "\n".join(path.read_text() for path in sorted((vault.root / "daily").glob("*.md")) if path.exists())


def captured(vault: Folder) -> Counter[str]:
    return Counter(line for line in daily(vault).splitlines() if line.startswith("- "))


def leaked(text: str) -> list[str]:
    return [line for line in BODY if line[:24] in text or line[-24:] in text]


# -- secrets that are cut ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [9_000, 11_000, 11_970, 12_000, 14_000, 20_000])
def test_p11_a_key_across_the_end_of_what_is_read_of_a_turn(made: Folder, talks: Talks, before: int) -> None:
    text = (BEFORE * 800)[:before] + "\n" + KEY + "\n" + BEHIND * 170
    talks.add("s-1", person(text, "u1"), agent("Good, noted.", "a1", minutes(1)))
    engine = Asked()
    run(made, talks, engine)
    assert BEHIND in engine.sent[0] and leaked(engine.sent[0]) == []
    talks.add("s-2", person(text, "u2", minutes(2)))
    assert run(made, talks, only="s-2").redacted == 1
    assert leaked(daily(made)) == []


def test_p11_a_key_whose_first_line_somebody_else_cut(made: Folder, talks: Talks) -> None:
    for number, rest in enumerate((KEY.partition("\n")[2], KEY[700:], KEY[:-30])):
        talks.add(f"s-{number}", person(f"We decided to use this key:\n{rest}\nand no other.", f"u{number}"))
    engine = Asked()
    run(made, talks, engine, dry_run=True)
    assert leaked("".join(engine.sent)) == []
    run(made, talks)
    assert "no other" in daily(made) and leaked(daily(made)) == []


@pytest.mark.parametrize("place", [7_990, 7_980, 8_000, 8_010])
def test_p11_a_token_across_the_beginning_of_what_is_sent_of_the_days_note(
    made: Folder, talks: Talks, place: int
) -> None:  # fmt: skip
    rest = "\n" + ("word " * 2_000)[: place - len(TOKEN) - 1]
    made.write("daily/2026-11-29.md", f"---\ntype: daily\ndate: 2026-11-29\n---\nuses {TOKEN}{rest}")
    talks.add("s-1", person(DECISIONS[0], "u1"))
    engine = Asked()
    run(made, talks, engine, dry_run=True)
    assert "so far, the note" in engine.sent[0] and TOKEN[-12:] not in engine.sent[0]


def test_p11_a_key_in_the_lines_of_an_answer(made: Folder) -> None:
    """An item is a line, and of a key no line says what it is."""
    prompt = Prompt("write", (("the dialogue", "data"),))
    for text in (KEY, "\n".join(f"- {line}" for line in KEY.split("\n"))):
        items, wrong = block.answered(f"- We use SQLite.\n{text}\n- We release on Thursday.", prompt)
        assert wrong == "" and leaked(repr(items)) == []
        assert items[0][1][0] == "We use SQLite."


def test_a_long_turn_of_nothing_but_hidden_signs_and_blanks(made: Folder, talks: Talks) -> None:
    for number, text in enumerate(("\u200b" + " " * 13_000 + "x " * 9_000, "x " * 9_000 + " " * 13_000 + "\u200b")):
        talks.add(f"s-{number}", person(text, f"u{number}"), person(DECISIONS[number], f"v{number}", minutes(1)))
    run(made, talks)
    assert all(words in daily(made) for words in ("amount_cents", "csv module"))


# -- names ---------------------------------------------------------------------------------------------------------


def test_p11_a_conversation_that_is_named_like_a_secret_is_captured_once(made: Folder, talks: Talks) -> None:
    talks.add("s-1", person(DECISIONS[0], "u1"))
    talks.add(TOKEN, person(DECISIONS[1], "u2", minutes(1)))
    assert run(made, talks).postponed == ""
    whole = captured(made)
    assert len(whole) == 2
    message = made.git("log", "-1", "--format=%B")
    assert TOKEN not in message and f"Captured: claude-code {covered.called(TOKEN)} 0-" in message
    cache = made.root / ".git" / "vaultgit" / "cache" / "capture.db"
    for _ in range(2):
        assert not run(made, talks).written
        cache.unlink()
    talks.add(TOKEN, person(DECISIONS[2], "u3", minutes(2)))
    run(made, talks)
    cache.unlink()
    assert not run(made, talks).written
    assert captured(made).keys() > whole.keys() and set(captured(made).values()) == {1} and len(captured(made)) == 3
    run(made, talks, only=TOKEN)  # its name is still its name
    assert made.run("verify").code == 0


@pytest.mark.parametrize("name", ["s-1", "a b", "a\nb: c", "\udcff\udcfe", "-rf", "é%2e", "Edit: 0000000000000001"])
def test_other_conversations_keep_their_names(name: str) -> None:
    assert covered.called(name) == name
    one = covered.Range("codex", name, 1, 2, "0" * 16)
    assert list(covered.parsed(f"x\n\nCaptured: {one.value}\n")) == [one]


def test_p11_what_is_told_of_a_log_names_no_secret(made: Folder, talks: Talks) -> None:
    path = talks.add(TOKEN, person(DECISIONS[0], "u1"))
    os.rename(path, path.with_suffix(".txt"))
    os.symlink(path.name, path)  # a circle
    report = run(made, talks)
    assert report.problems and TOKEN not in repr(report)
    done = made.run("recap", "--conversation", TOKEN)
    assert done.code == 2
    held = [path for path in (made.root / ".git").rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert held == []


FOLDERS = {
    "a:: b": "a: : b", "==hi==": "=hi=", "x^[note]": "x[note]", "{{date}}": "{ {date}}", "`= this.file`": "= this.file", "%%hid": "%hid", "#tag": "\\#tag",
    "<% x %>": "&lt;% x %>", "“a” (you)": "‘a’ (you)", "![[x]]": "[[x]]", "a[^1]": "a[1]", "plain name": "plain name", "ä-ö_1.2": "ä-ö_1.2",
}  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_folder_of_a_conversation_does_nothing_in_obsidian(made: Folder, talks: Talks, folder: str) -> None:
    """It stands in the note like what was said."""
    talks.add("s-1", person(DECISIONS[0], "u1", cwd=f"/home/test/{folder}"))
    run(made, talks)
    assert f"\nIn {FOLDERS[folder]}, with claude-code:\n" in daily(made)


def test_a_folder_that_holds_a_secret_between_marks_is_not_named(made: Folder, talks: Talks) -> None:
    talks.add("s-1", person(DECISIONS[0], "u1", cwd=f"/home/test/{TOKEN[:9]}`{TOKEN[9:]}"))
    run(made, talks)
    assert "\nWith claude-code:\n" in daily(made)


def test_what_an_engine_writes_is_read_by_no_plugin(made: Folder, talks: Talks) -> None:
    talks.add("s-1", person(DECISIONS[0], "u1"))
    run(made, talks, Asked("- cost:: 12 for {{date}}, ==all== of `amount_cents` ^[note] **bold**\n"))
    assert "- cost: : 12 for { {date}}, =all= of `amount_cents` [note] **bold**\n" in daily(made)


# -- times ---------------------------------------------------------------------------------------------------------

TIMES = (11_000_000_000, 2**33, -1, -(2**31), 0)  # seconds: in 2318, 2242, 1969, 1901


@pytest.mark.parametrize("seconds", TIMES)
def test_a_log_of_any_time_holds_up_none(made: Folder, talks: Talks, seconds: int) -> None:
    """Records without a time are of the file's: not of one that is still to come."""
    timeless = person(DECISIONS[1], "u2")
    del timeless["timestamp"]
    path = talks.add("s-1", person(DECISIONS[0], "u1"), timeless)
    os.utime(path, (seconds, seconds))
    talks.add("s-2", person(DECISIONS[2], "u3"))
    for _ in range(2):
        run(made, talks, since=START - timedelta(days=2))
    assert "Postgres is out" in daily(made)
    assert seconds < 0 or seconds == 0 or "amount_cents" in daily(made)
    assert [path.name for path in (made.root / "daily").iterdir()] == ["2026-11-29.md"]


def test_a_log_has_times_and_numbers_that_a_database_holds(talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    talks.add("s-1", person(DECISIONS[0], "u1"))
    real = os.stat

    class Far:
        def __init__(self, found: os.stat_result) -> None:
            self.st_mode, self.st_size = found.st_mode, found.st_size
            self.st_mtime_ns, self.st_ino = 2**70, 2**64 - 1

    def stat(path: Any, **more: Any) -> Any:
        found = real(path, **more)
        return Far(found) if str(path).endswith(".jsonl") else found

    monkeypatch.setattr(os, "stat", stat)
    found, _ = logs.find((claude,), {}, str(talks.home))
    assert (found[0].mtime_ns, found[0].inode) == (2**63 - 1, 2**63 - 1)


# -- notes and turns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [None, Asked("- We use it.\n")])
def test_a_daily_note_that_is_a_circle_of_links_holds_up_its_own_day(
    made: Folder, talks: Talks, engine: Asked | None
) -> None:  # fmt: skip
    note = made.root / "daily" / "2026-11-28.md"
    note.parent.mkdir(exist_ok=True)
    note.symlink_to(note.name)
    talks.add("s-1", person(DECISIONS[0], "u1", START - timedelta(days=1)), person(DECISIONS[1], "u2"))
    since = START - timedelta(days=2)
    if engine is not None:
        assert "daily/2026-11-28.md" in run(made, talks, engine, since=since, dry_run=True).postponed
    report = run(made, talks, engine, since=since)
    assert [one.path for one in report.written] == ["daily/2026-11-29.md"]
    assert "daily/2026-11-28.md" in report.postponed
    note.unlink()
    assert [one.path for one in run(made, talks, engine, since=since).written] == ["daily/2026-11-28.md"]
    assert set(captured(made).values()) == ({1} if engine is None else {2})


def test_a_round_and_a_prompt_hold_no_more_short_turns_than_long_ones(
    made: Folder, talks: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    short = [person(str(number), f"u{number}", minutes(number / 60)) for number in range(1_000)]
    talks.add("s-1", *short, person(DECISIONS[0], "v", minutes(20)))
    held: list[int] = []
    real = reading.read

    def read(*given: Any) -> reading.Look:
        look = real(*given)
        held.append(sum(len(piece.said) for piece in look.pieces))
        return look

    monkeypatch.setattr(reading, "read", read)
    monkeypatch.setattr(capture, "ROUND", 20_000)
    monkeypatch.setattr(capture, "SLICE", 2_000)
    engine = Asked()
    assert run(made, talks, engine).logs == 1
    assert max(held) <= 200 and sum(held) == 1_001
    assert max(map(len, engine.sent)) < 5_000
    assert not run(made, talks, engine).people
