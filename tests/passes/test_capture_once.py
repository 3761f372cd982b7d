"""Each turn is captured exactly once, whatever happens to the log, to the cache, to a run (promises P2, P7)."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from support import Folder
from support import examples
from talking import START
from talking import Talks
from talking import agent
from talking import lines
from talking import minutes
from talking import person

from vaultgit.clock import SystemClock
from vaultgit.passes.capture import cursors
from vaultgit.passes.capture import run as capture
from vaultgit.passes.engines import Answer
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines import Spent
from vaultgit.passes.engines.prompt import render
from vaultgit.vault import open_vault


class Echo:
    """An engine that says back each word numbered T…, so that what was sent can be counted."""

    name = setting = "echo"
    spent = Spent()

    def __init__(self) -> None:
        self.fails = ""
        self.asked: list[str] = []
        self.prompts: list[str] = []  # with what is known already

    def write(self, prompt: Prompt) -> Answer:
        text = "\n".join(text.partition("[new]")[2] or text for label, text in prompt.data if "so far" not in label)
        self.asked.append(text)
        self.prompts.append("\n".join(data for label, data in prompt.data if "so far" not in label))
        if self.fails:
            return Answer("", self.fails)
        said = [line.partition(": ")[2] for line in text.splitlines() if ": T" in line]
        return Answer("\n".join(f"- {line}" for line in said) or "NOTHING")


PROMPT = render(Prompt("write", (("the dialogue", "T1 data"),)))[1]


class Killed(BaseException):
    """As kill -9: nothing after it runs."""


class Capturing:
    """A vault, a home with logs, and runs."""

    def __init__(self, vault: Folder, home: Path) -> None:
        self.vault, self.talks, self.engine = vault, Talks(home), Echo()
        vault.write(".vaultgit.toml", "[capture]\nmin_chars = 1\n")
        vault.commit("settings")
        self.home = home

    def run(self, **ask: Any) -> capture.Report:
        opened = open_vault(str(self.vault.root))
        with opened.repo:
            return capture.run(
                opened, SystemClock(), capture.Ask(**ask), engine=self.engine, environ={}, home=str(self.home)
            )  # fmt: skip

    def captured(self) -> Counter[str]:
        notes = [path.read_text() for path in (self.vault.root / "daily").glob("*.md")]
        return Counter(line[2:] for note in notes for line in note.splitlines() if line.startswith("- T"))

    def forget(self) -> None:
        shutil.rmtree(self.vault.root / ".git" / "vaultgit" / "cache", ignore_errors=True)


@pytest.fixture
def made(vault: Folder, tmp_path: Path) -> Capturing:
    return Capturing(vault, tmp_path / "home")


def test_words_by_a_clock_that_is_ahead_are_taken_after_the_log_was_rewritten(made: Capturing) -> None:
    first, second = (lines(person(f"T{n} is said", f"u{n}", START + timedelta(days=n + 1))) for n in range(2))
    made.talks.put("s-1", first)
    made.run()
    made.talks.put("s-1", second)
    made.run(now=True)
    made.run(now=True)
    assert made.captured() == Counter({"T0 is said": 1, "T1 is said": 1})


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "half", "run", "run", "killed", "forget", "fork", "shorten", "fails", "noise", "day"]),
        st.integers(0, 9),
    ),
    min_size=4, max_size=14,
)  # fmt: skip


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(STEPS)
def test_every_turn_is_captured_exactly_once(tmp_path: Path, vault: Folder, steps: list[tuple[str, int]]) -> None:
    """Any order of speaking, half lines, runs, runs that are killed between the commit and the cursor, a lost cache,
    forks, logs that lose old records, an engine that fails."""
    place = Path(os.path.join(tmp_path, f"try-{len(os.listdir(tmp_path))}"))
    shutil.copytree(vault.root, place / "vault", symlinks=True)
    made = Capturing(Folder(place / "vault"), place / "home")
    said = 0
    shift = 0
    half = b""
    real = cursors.Cursors.put
    for what, number in steps:
        if what in ("say", "noise"):
            tail, half = half, b""
            made.talks.add("s-1", tail)
            for _ in range(1 if what == "noise" else number % 4 + 1):
                when = START + timedelta(seconds=said, days=shift)
                speak = person if said % 2 else agent
                made.talks.add("s-1", speak(f"T{said} is said", f"u{said}", when), {"type": "system", "x": "y" * 300})
                said += 1
        elif what == "half" and not half:
            line = lines(person(f"T{said} is said ö", f"u{said}", START + timedelta(seconds=said, days=shift)))
            said += 1
            cut = 1 + number * (len(line) - 2) // 9
            made.talks.add("s-1", line[:cut])
            half = line[cut:]
        elif what == "run":
            made.run()
        elif what == "fails":
            made.engine.fails = "echo ended with 1"
            made.run(now=True)
            made.engine.fails = ""
        elif what == "killed":

            def put(self: Any, cursor: Any) -> None:
                raise Killed

            cursors.Cursors.put = put  # type: ignore[method-assign]
            try:
                made.run()
            except Killed:
                pass
            finally:
                cursors.Cursors.put = real  # type: ignore[method-assign]
        elif what == "forget":
            made.forget()
        elif what == "fork" and made.talks.path("s-1").exists():
            whole = made.talks.path("s-1").read_bytes()
            made.talks.put(f"fork-{number}", whole[: whole.rfind(b"\n") + 1].replace(b'"s-1"', b'"s-2"'))
        elif what == "shorten" and made.talks.path("s-1").exists() and not half:
            made.run()  # what was read by then may go
            kept = made.talks.path("s-1").read_bytes().splitlines(keepends=True)
            made.talks.put("s-1", *kept[min(number, len(kept)) :])
        elif what == "day":
            shift += number % 2
    made.talks.add("s-1", half)
    made.run(now=True)
    assert made.captured() == Counter(
        {(f"T{n} is said" + (" ö" if f"T{n} is said ö" in made.captured() else "")): 1 for n in range(said)}
    )
    assert not made.vault.git("status", "--porcelain")
    before = made.vault.git("rev-parse", "HEAD")
    made.run(now=True)
    assert made.vault.git("rev-parse", "HEAD") == before


def test_nothing_new_asks_nobody_and_makes_no_commit(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 one", "u1"))
    assert made.run().people == 1
    head, asked = made.vault.git("rev-parse", "HEAD"), len(made.engine.asked)
    report = made.run()
    assert (report.people, len(made.engine.asked), made.vault.git("rev-parse", "HEAD")) == (0, asked, head)
    made.forget()
    report = made.run()
    assert (report.people, len(made.engine.asked), made.vault.git("rev-parse", "HEAD")) == (0, asked, head)


def test_the_commit_says_which_bytes_it_covers(made: Capturing) -> None:
    import hashlib

    path = made.talks.add("s-1", person("T1 one", "u1"), {"type": "system"})
    first = len(lines(person("T1 one", "u1")))
    made.run()
    data = path.read_bytes()
    sha = hashlib.sha256(data[:first]).hexdigest()[:16]
    assert f"Captured: claude-code s-1 0-{first} {sha}" in made.vault.git("log", "-1", "--format=%B")
    more = made.talks.add("s-1", person("T2 two", "u2", minutes(1)))
    made.run()
    data = more.read_bytes()
    sha = hashlib.sha256(data[first:]).hexdigest()[:16]
    # What lies between the two is of the second range: ranges touch, so that none is missed.
    assert f"Captured: claude-code s-1 {len(data) - len(lines(person('T2 two', 'u2', minutes(1))))}-{len(data)}" in (
        made.vault.git("log", "-1", "--format=%B")
    ) or f"Captured: claude-code s-1 {first}-{len(data)} {sha}" in made.vault.git("log", "-1", "--format=%B")


def test_forks_read_in_either_order_give_the_same(made: Capturing, tmp_path: Path) -> None:
    """Case 047."""
    shared = [person("T1 one", "u1"), agent("T2 two", "a1", minutes(1))]
    made.talks.add("main", *shared, person("T3 three", "u3", minutes(2)))
    made.talks.add("copy", *shared, person("T4 four", "u4", minutes(3)))
    os.utime(made.talks.path("main"), (1_796_000_000, 1_796_000_000))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1, "T3 three": 1, "T4 four": 1}


def test_a_fork_that_appears_a_day_later_adds_only_what_is_new(made: Capturing) -> None:
    shared = [person("T1 one", "u1"), agent("T2 two", "a1", minutes(1))]
    made.talks.add("main", *shared)
    made.run()
    made.forget()
    copies = [{**one, "uuid": f"new-{number}", "sessionId": "s-9"} for number, one in enumerate(shared)]
    made.talks.add("copy", *copies, person("T4 four", "u4", minutes(30)))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1, "T4 four": 1}


def test_a_log_that_was_replaced_gives_only_what_is_younger(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 one", "u1"), person("T2 two", "u2", minutes(2)))
    made.run()
    made.talks.put("s-1", person("T0 older", "u0", minutes(1)), person("T3 new", "u3", minutes(3)))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1, "T3 new": 1}


def test_a_log_rewritten_while_the_cache_is_lost_gives_only_what_is_younger(made: Capturing) -> None:
    """No id is known then, only when its last capture was written."""
    made.talks.add("s-1", person("T1 one", "u1"), person("T2 two", "u2", minutes(2)))
    made.run()
    made.forget()
    made.talks.put("s-1", person("T2 two", "u2", minutes(2)), person("T3 new", "u3", "2026-11-29T21:00:00Z"))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1, "T3 new": 1}


def test_what_was_said_before_the_first_run_stays_out_but_for_a_day(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 old", "u1", START - timedelta(days=2)), person("T2 new", "u2"))
    made.run()
    assert made.captured() == {"T2 new": 1}
    made.run(since=START - timedelta(days=3))
    assert made.captured() == {"T1 old": 1, "T2 new": 1}
    made.forget()
    made.run()
    assert made.captured() == {"T1 old": 1, "T2 new": 1}


def test_headless_sessions_are_read_when_asked_for_also_later(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 robot", "u1", entrypoint="sdk-cli"), person("T2 human", "u2", minutes(1)))
    made.run()
    assert made.captured() == {"T2 human": 1}
    made.run(headless=True)
    assert made.captured() == {"T1 robot": 1, "T2 human": 1}
    head = made.vault.git("rev-parse", "HEAD")
    made.run(headless=True)
    assert made.vault.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("headless", [False, True])
def test_our_own_sessions_are_never_read(made: Capturing, headless: bool) -> None:
    """By the prompt's sentinel, and by the folder that an engine runs in: else memory would feed on itself."""
    made.talks.add("s-1", person(PROMPT, "u1"), agent("T2 answer", "a1", minutes(1)))
    made.talks.add("s-2", person("T3 prompt", "u3", cwd="/tmp/vaultgit-engine-ab_c1x2y/empty"))
    assert made.run(headless=headless).people == 0
    made.talks.add("s-1", person("T5 more", "u5", minutes(2)))
    made.run(headless=headless)
    assert made.captured() == {}


def test_too_little_waits_and_is_not_lost(made: Capturing) -> None:
    made.vault.write(".vaultgit.toml", "[capture]\nmin_chars = 40\n")
    made.talks.add("s-1", person("T1 one", "u1"))
    report = made.run()
    assert (report.waiting, report.written, made.engine.asked) == (6, (), [])
    made.talks.add("s-2", person("T2 another conversation, with more words", "u2", minutes(1)))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 another conversation, with more words": 1}


def test_a_recap_takes_one_conversation_however_short(made: Capturing) -> None:
    made.vault.write(".vaultgit.toml", "[capture]\nmin_chars = 4000\n")
    made.talks.add("s-1", person("T1 one", "u1"))
    made.talks.add("s-2", person("T2 two", "u2"))
    made.run(only="s-2", now=True)
    assert made.captured() == {"T2 two": 1}
    made.run(only=str(made.talks.path("s-1")), now=True)
    assert made.captured() == {"T1 one": 1, "T2 two": 1}


def test_midnight_and_daylight_saving_in_the_users_zone(
    made: Capturing, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Case 053: the day of the words, in the zone of the user."""
    monkeypatch.setenv("VAULTGIT_NOW", "2026-10-25T12:00:00+01:00")
    made.vault.write(".vaultgit.toml", '[capture]\nmin_chars = 1\ntimezone = "Europe/Berlin"\n')
    said = {"T1 a": "2026-10-24T21:59:00Z", "T2 b": "2026-10-24T22:00:00Z", "T3 c": "2026-10-25T00:30:00Z"}
    said |= {"T4 d": "2026-10-25T01:30:00Z"}
    for number, (text, when) in enumerate(said.items()):
        made.talks.add("s-1", person(text, f"u{number}", when))
        made.run(since=START - timedelta(days=60))
    assert made.vault.read("daily/2026-10-24.md").count("- T") == 1
    day = made.vault.read("daily/2026-10-25.md")
    assert [line for line in day.splitlines() if line.startswith(("- T", "## "))] == [
        "## Automatic capture, 00:00", "- T2 b", "## Automatic capture, 02:30", "- T3 c", "- T4 d",
    ]  # fmt: skip


def test_times_that_go_back_and_a_clock_far_ahead(made: Capturing) -> None:
    made.talks.add(
        "s-1", person("T1 a", "u1", minutes(300)), person("T2 b", "u2", minutes(290)),
        person("T3 next", "u3", minutes(400)), person("T4 back", "u4", minutes(301)),
        person("T5 far", "u5", START + timedelta(days=4000)), person("T6 none", "u6", "yesterday"),
    )  # fmt: skip
    made.run()
    assert made.captured() == {f"T{n} {w}": 1 for n, w in enumerate(("a", "b", "next", "back", "far", "none"), 1)}
    assert sorted(os.listdir(made.vault.root / "daily")) == ["2026-11-29.md", "2026-11-30.md"]


def test_a_long_conversation_is_cut_between_turns(made: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "SLICE", 150)  # three turns
    made.talks.add("s-1", *(person(f"T{n} " + "x" * 30, f"u{n}", minutes(n)) for n in range(10)))
    made.run()
    assert sum(made.captured().values()) == 10
    assert len(made.engine.asked) == 4
    assert all(len(text) < 250 for text in made.engine.asked)
    made.forget()
    made.run()
    assert sum(made.captured().values()) == 10


def test_more_than_a_round_holds_is_read_in_rounds(made: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "ROUND", 100)
    for log in range(3):
        made.talks.add(f"s-{log}", *(person(f"T{log}{n} " + "x" * 30, f"u{log}{n}", minutes(n)) for n in range(7)))
    made.run()
    assert len(made.captured()) == 21 and set(made.captured().values()) == {1}


def test_a_failed_call_leaves_everything_and_backs_off(made: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 049: many failing runs are not many calls; the session is captured once a good answer comes."""
    made.talks.add("s-1", person("T1 one", "u1"))
    made.engine.fails = "claude ended with 1: API Error"
    for _ in range(20):
        report = made.run()
        assert report.postponed and not report.written
    assert len(made.engine.asked) == 6
    made.engine.fails = ""
    assert "not asked before" in made.run().postponed
    monkeypatch.setenv("VAULTGIT_NOW", "2026-11-29T21:30:00+01:00")
    made.run()
    assert made.captured() == {"T1 one": 1}
    assert json.loads(made.vault.read(".git/vaultgit/state/capture.json"))["failures"] == 0


def test_a_ceiling_that_is_reached_is_no_failure(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 one", "u1"))
    made.engine.fails = "not asked: today's 200 calls are spent"
    assert made.run().postponed
    assert json.loads(made.vault.read(".git/vaultgit/state/capture.json"))["failures"] == 0


def test_a_damaged_cache_is_made_anew(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 one", "u1"))
    made.run()
    made.vault.write(".git/vaultgit/cache/capture.db", b"no database" * 1000)
    made.talks.add("s-1", person("T2 two", "u2", minutes(1)))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1}


def test_a_log_that_vanished_with_words_unread_is_named(made: Capturing) -> None:
    path = made.talks.add("s-1", person("T1 one", "u1"))
    made.engine.fails = "echo ended with 1"
    made.run()
    path.rename(path.with_suffix(".jsonl.zst"))
    assert any("before all of it was captured" in words for words in made.run().problems)
    assert not made.run().problems


def test_a_log_that_vanishes_while_it_is_read_stops_no_other(
    made: Capturing, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    from vaultgit.passes.capture import reading

    gone = made.talks.add("s-1", person("T1 one", "u1"))
    made.talks.add("s-2", person("T2 two", "u2"))
    real = reading.read

    def read(found: Any, *rest: Any) -> Any:
        if found.path == str(gone):
            gone.unlink()
        return real(found, *rest)

    monkeypatch.setattr(reading, "read", read)
    assert any("s-1" in words for words in made.run().problems)
    assert made.captured() == {"T2 two": 1}


# -- one bad note, folder, name or clock stops no other ---------------------------------------------------------------


def test_a_note_that_takes_no_block_stops_no_other(made: Capturing) -> None:
    """And what belongs there is captured once it takes one, though the cache was lost meanwhile."""
    made.vault.write("daily/2026-11-29.md", "---\ntype: daily\ndate: someday\n---\nmine\n")
    made.vault.commit("broken")
    made.talks.add(
        "s-1",
        person("T1 one", "u1"),
        person("T2 next day", "u2", minutes(60 * 20)),
        person("T3 back", "u3", minutes(9)),
    )
    made.talks.add("s-2", person("T4 another", "u4", minutes(60 * 21)))
    report = made.run()
    assert "daily/2026-11-29.md" in report.postponed
    assert made.captured() == {"T2 next day": 1, "T4 another": 1}
    assert "T1 one" not in made.engine.asked[0]  # nobody was asked in vain
    made.forget()
    made.vault.write("daily/2026-11-29.md", "---\ntype: daily\ndate: 2026-11-29\n---\nmine\n")
    made.vault.commit("mended")
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 next day": 1, "T3 back": 1, "T4 another": 1}


def test_a_look_further_back_that_was_postponed_is_not_forgotten(
    made: Capturing, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(capture, "ROUND", 60)
    for log in range(3):
        old = [person(f"T{log}{n} is old", f"u{log}{n}", START - timedelta(days=3, minutes=-n)) for n in range(5)]
        made.talks.add(f"s-{log}", *old, person(f"T{log} is new", f"n{log}"))
    made.run()
    assert made.captured() == {f"T{log} is new": 1 for log in range(3)}
    made.engine.fails = "echo ended with 1"
    made.run(since=START - timedelta(days=4))
    made.forget()
    made.engine.fails = ""
    made.run()
    assert len(made.captured()) == 18 and set(made.captured().values()) == {1}


def test_a_horizon_that_lies_ahead_does_not_hold(made: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULTGIT_NOW", "2031-01-01T00:00:00+01:00")
    made.run()
    monkeypatch.setenv("VAULTGIT_NOW", "2026-11-29T21:10:00+01:00")
    made.talks.add("s-1", person("T1 one", "u1"))
    made.run()
    assert made.captured() == {"T1 one": 1}


def test_names_that_are_no_utf8(made: Capturing) -> None:
    made.talks.add("s-1\udcff", person("T1 one", "u1"))
    made.run()
    made.forget()
    made.talks.add("s-1\udcff", person("T2 two", "u2", minutes(1)))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1}


def test_a_log_rewritten_with_new_ids_and_times_gives_only_what_is_new(made: Capturing) -> None:
    told = ["T1 a sentence that is long enough", "T2 another sentence of that kind"]
    made.talks.add("s-1", *(person(text, f"u{n}", minutes(n)) for n, text in enumerate(told)))
    made.run()
    later = [person(text, f"x{n}", minutes(30 + n)) for n, text in enumerate([*told, "T3 a third one, which is new"])]
    made.talks.put("s-1", *later)
    made.run()
    assert made.captured() == {told[0]: 1, told[1]: 1, "T3 a third one, which is new": 1}


def test_what_another_branch_holds_is_not_captured_again(made: Capturing, monkeypatch: pytest.MonkeyPatch) -> None:
    made.talks.add("s-1", person("T1 one", "u1"))
    real = cursors.Cursors.put

    def put(self: Any, cursor: Any) -> None:
        raise Killed

    made.vault.git("checkout", "-q", "-b", "other")
    monkeypatch.setattr(cursors.Cursors, "put", put)
    with pytest.raises(Killed):
        made.run()
    monkeypatch.setattr(cursors.Cursors, "put", real)
    made.vault.git("checkout", "-q", "main")
    made.run()
    assert made.captured() in ({}, {"T1 one": 1})
    assert made.vault.git("log", "--all", "--format=%s", "--grep=Captured:").count("captured 1 item") == 1


def test_what_waits_is_not_taken_for_read_when_the_log_is_rewritten(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 one", "u1", minutes(1)))
    made.run()
    made.engine.fails = "echo ended with 1"
    made.talks.add("s-1", person("T2 two", "u2", minutes(2)))
    made.run()
    made.engine.fails = ""
    made.talks.put("s-1", person("T2 two", "u2", minutes(2)))
    made.run()
    assert made.captured() == {"T1 one": 1, "T2 two": 1}


def test_the_range_of_a_fork_begins_behind_what_it_copied(made: Capturing) -> None:
    shared = [person("T1 one", "u1"), agent("T2 two", "a1", minutes(1))]
    made.talks.add("main", *shared)
    made.run()
    made.talks.add("copy", *shared, person("T3 three", "u3", minutes(2)))
    made.run()
    begin = len(lines(*shared))
    assert f"Captured: claude-code copy {begin}-" in made.vault.git("log", "-1", "--format=%B")


def test_a_low_ceiling_makes_short_prompts(made: Capturing) -> None:
    made.vault.write(".vaultgit.toml", "[capture]\nmin_chars = 1\nmax_chars = 9000\n")
    made.talks.add("s-1", *(person(f"T{n} " + "word " * 200, f"u{n}", minutes(n)) for n in range(6)))
    made.run()
    assert max(map(len, made.engine.asked)) < 4500 and len(made.engine.asked) >= 2


def test_text_beside_a_large_image_is_read(made: Capturing) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 3_000_000}}
    made.talks.add("s-1", person([{"type": "text", "text": "T1 see the picture"}, image], "u1"))
    made.run()
    assert made.captured() == {"T1 see the picture": 1}


def test_what_stands_behind_a_long_paste_is_read(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 the log:\n" + "x y z\n" * 9000 + "T2 we decided to keep it", "u1"))
    made.run()
    assert "T2 we decided to keep it" in made.engine.asked[0] and len(made.engine.asked[0]) < 22_000


def test_a_record_behind_a_stub_and_a_last_one_without_a_newline(made: Capturing) -> None:
    whole = lines(person("T1 one", "u1"))
    path = made.talks.add(
        "s-1", b"\xef\xbb\xbf" + lines(person("T0 first", "u0")), b'{"type":"assistant","mess' + whole,
        lines(person("T2 last", "u2", minutes(2)))[:-1],
    )  # fmt: skip
    made.run()
    assert made.captured() == {"T0 first": 1, "T1 one": 1}
    os.utime(path, (1_795_980_000, 1_795_980_000))  # nobody writes there any more
    made.run()
    made.talks.add("s-1", b"\n", person("T3 more", "u3", minutes(3)))
    made.run()
    assert made.captured() == {"T0 first": 1, "T1 one": 1, "T2 last": 1, "T3 more": 1}


def test_folders_and_prompts_that_only_look_like_ours_are_read(made: Capturing) -> None:
    made.talks.add("s-1", person("T1 what is that line?\nvaultgit-engine-prompt", "u1"))
    made.talks.add("s-2", person("T2 in my folder", "u2", cwd="/home/pat/vaultgit-engine-rust"))
    made.run()
    assert made.captured() == {"T1 what is that line?": 1, "T2 in my folder": 1}


def test_a_later_run_gets_what_was_said_before_as_context(made: Capturing) -> None:
    """A yes means what it answers."""
    made.talks.add("s-1", person("T1 csv or json?", "u1"), agent("T2 I propose csv.", "a1", minutes(1)))
    made.run()
    made.talks.add("s-1", {"type": "system", "x": "y" * 5000}, person("T3 yes do that", "u3", minutes(2)))
    made.run()
    assert "T2 I propose csv." in made.engine.prompts[1]
    assert made.captured() == {"T1 csv or json?": 1, "T2 I propose csv.": 1, "T3 yes do that": 1}


def test_a_folder_that_cannot_be_read_for_now_takes_no_cursor_along(
    made: Capturing, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    path = made.talks.add("s-1", person("T1 one", "u1"))
    made.engine.fails = "echo ended with 1"
    made.run()
    made.engine.fails = ""
    real = os.listdir

    def listdir(folder: str) -> list[str]:
        if folder == str(path.parent):
            raise PermissionError(1, "Operation not permitted", folder)
        return real(folder)

    monkeypatch.setattr(os, "listdir", listdir)
    assert [words for words in made.run().problems if "gone" in words] == []
    monkeypatch.setattr(os, "listdir", real)
    made.run()
    assert made.captured() == {"T1 one": 1}
