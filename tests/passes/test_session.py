"""Sessions as context, clients' hooks and MCP call them: what is open, what was given, what costs nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from datetime import timedelta
from typing import NamedTuple

import pytest
from support import Folder

from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.passes import session
from vaultgit.passes import session_end
from vaultgit.passes import session_store as store
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

BEGAN = datetime.fromisoformat("2026-11-29T21:10:00+01:00")
CODEX = By("codex", "s-1")


class Clock(NamedTuple):
    """So many hours after the beginning."""

    hours: float = 0

    def now(self) -> datetime:
        return BEGAN + timedelta(hours=self.hours)

    def millis(self) -> int:
        return int(self.now().timestamp() * 1000)

    def random(self, size: int) -> bytes:
        return os.urandom(size)


NOW = Clock()


@pytest.fixture
def opened(vault: Folder) -> Iterator[Vault]:
    found = open_vault(str(vault.root))
    with found.repo:
        yield found


def test_a_start_for_one_id_is_one_session_and_keeps_its_task(opened: Vault) -> None:
    first = session.start(opened, NOW, CODEX, folder="/src/nova", look=False)
    assert (first.id, first.agent, first.task, first.folder) == ("s-1", "codex", "", "/src/nova")
    assert session.start(opened, Clock(1), CODEX, "Launch notes", look=False).task == "Launch notes"
    again = session.start(opened, Clock(2), CODEX, "and now?", look=False)
    assert (again.task, again.began, again.last) == ("Launch notes", BEGAN, BEGAN + timedelta(hours=2))
    assert session.start(opened, Clock(3), CODEX, "Other", look=False, anew=True).task == "Other"
    assert [one.id for one in session.open_sessions(opened)] == ["s-1"]


def test_a_task_is_one_short_line(opened: Vault) -> None:
    one = session.start(opened, NOW, CODEX, "first\nline <!-- " + "x" * 500, look=False)
    assert one.task.startswith("first line ") and len(one.task) == 200 and "<!--" not in one.task


def test_without_an_open_session_nothing_is_read_or_made(opened: Vault, vault: Folder) -> None:
    assert session.only(opened, "codex") is None and session.open_sessions(opened) == []
    assert session.given(opened, CODEX) == set() and session.given(opened, By("codex")) == set()
    session.read(opened, NOW, By("codex"), "Home.md")
    session.give(opened, By("codex"), [("Home.md", "1")])
    assert session.close_left(opened, NOW) == [] and not vault.exists(".git/vaultgit/state/sessions")


def test_what_was_given_is_known_also_after_an_end_until_it_is_lost(opened: Vault) -> None:
    session.give(opened, CODEX, [("Home.md", "1"), ("b.md", "2")])  # before any start: a hook that came first
    session.start(opened, NOW, CODEX, "t", look=False)
    session.give(opened, CODEX, iter([("Home.md", "3")]))
    session.say(opened, NOW, CODEX, "x")
    assert session.end(opened, NOW, CODEX) is not None
    session.start(opened, NOW, CODEX, look=False)
    assert session.given(opened, CODEX) == {("Home.md", "1"), ("b.md", "2"), ("Home.md", "3")}
    assert session.given(opened, By("codex", "s-2")) == set()
    session.lost(opened, CODEX)
    session.give(opened, CODEX, [("c.md", "4")])
    assert session.given(opened, CODEX) == {("c.md", "4")}


def test_given_alone_is_worth_no_note(opened: Vault) -> None:
    session.start(opened, NOW, CODEX, "t", look=False)
    session.give(opened, CODEX, [("Home.md", "1")])
    assert session.end(opened, NOW, CODEX) is None and session.open_sessions(opened) == []


def test_p10_reading_never_fails(opened: Vault, vault: Folder) -> None:
    session.start(opened, NOW, CODEX, "t", look=False)
    (vault.root / ".git/vaultgit/state/sessions/s-1.log").unlink()
    (vault.root / ".git/vaultgit/state/sessions/s-1.log").mkdir()
    session.read(opened, NOW, CODEX, "Home.md")
    session.give(opened, CODEX, [("Home.md", "1")])
    session.lost(opened, CODEX)
    assert session.given(opened, CODEX) == set()
    with pytest.raises(VaultgitError, match="not kept"):
        session.say(opened, NOW, CODEX, "x")


def test_a_remark_that_comes_while_the_note_is_written_is_in_it(
    opened: Vault, vault: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.start(opened, NOW, CODEX, "t", look=False)
    session.say(opened, NOW, CODEX, "first")
    whole = session_end.submit
    late = ["late"]

    def meanwhile(*args: object, **named: object) -> object:
        if late:
            session.say(opened, NOW, CODEX, late.pop())
        return whole(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(session_end, "submit", meanwhile)
    done = session.end(opened, NOW, CODEX)
    assert done is not None and done.path == "sessions/2026-11-29-t.md"
    assert "- 21:10 first\n- 21:10 late\n" in vault.read(done.path) and session.open_sessions(opened) == []


def test_a_remark_opens_an_ended_session_again(opened: Vault) -> None:
    session.say(opened, NOW, CODEX, "one")
    assert session.end(opened, NOW, CODEX) is not None
    session.say(opened, NOW, By(None, "s-1"), "two")
    assert [one.notes for one in session.open_sessions(opened)] == [2]
    with pytest.raises(UsageError, match="says something"):
        session.say(opened, NOW, CODEX, " \n")


def test_who_ended_it_stands_in_the_reason(opened: Vault, vault: Folder) -> None:
    session.say(opened, NOW, CODEX, "one")
    session.end(opened, NOW, CODEX, why="Closed when its client went.")
    assert vault.git("log", "-1", "--format=%an %b").startswith("codex 0 edits, 1 remark, 0 notes read, from")
    assert "\nClosed when its client went.\n" in vault.git("log", "-1", "--format=%b")


def test_a_conversation_that_is_at_work_is_not_closed_and_a_broken_one_stays(opened: Vault, vault: Folder) -> None:
    for name in ("talking", "left", "broken"):
        session.say(opened, NOW, By("codex", name), name)
    session.end(opened, NOW, By("codex", "broken"))
    vault.write("sessions/2026-11-29-a-session-of-codex.md", "---\ntype: session\n: [\n---\n")
    session.say(opened, NOW, By("codex", "broken"), "more")
    done = session.close_left(opened, Clock(13), at_work={"talking"}, who="capture")
    assert len(done) == 1 and {one.id for one in session.open_sessions(opened)} == {"talking", "broken"}


def test_what_ended_long_ago_is_forgotten_and_makes_a_new_note_when_it_goes_on(opened: Vault, vault: Folder) -> None:
    session.start(opened, NOW, CODEX, "t", look=False)
    session.say(opened, NOW, CODEX, "one")
    session.end(opened, NOW, CODEX)
    month = Clock(31 * 24)
    session.start(opened, month, By("codex", "s-2"), "other", look=False)
    assert store.load(opened, "s-1") is None
    session.start(opened, month, CODEX, "t", look=False)
    session.say(opened, month, CODEX, "two")
    done = session.end(opened, month, CODEX)
    assert done is not None and done.path == "sessions/2026-12-30-t.md"
    assert "one" not in vault.read(done.path)


def test_ids_of_two_vaults_and_long_ones_have_files_of_their_own(opened: Vault) -> None:
    inner = opened._replace(prefix="notes/")
    ids = ["a", "A", "a/b", "a%2Fb", "x" * 200, "x" * 201, "", "."]
    names = [store.name(one, who) for one in (opened, inner) for who in ids]
    assert len(set(names)) == len(names) and all(len(name) < 150 and "/" not in name for name in names)
