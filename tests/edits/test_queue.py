"""The queue (promise P2): what was acknowledged waits there, private, until it lands, and nothing in it blocks the rest."""

from __future__ import annotations

import json
import os
import re
import stat
from datetime import datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import edit as edits
from vaultgit.edits import queue
from vaultgit.edits import submit
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.vault import open_vault

STATE = ".git/vaultgit/state"
BUSY = ".git/MERGE_HEAD"


def waiting(vault: Folder) -> list[str]:
    return sorted(name for name in os.listdir(vault.root / STATE / "queue"))


def busy(vault: Folder) -> None:
    vault.write(BUSY, vault.git("rev-parse", "HEAD") + "\n")


def free(vault: Folder) -> None:
    (vault.root / BUSY).unlink()


def queued(vault: Folder, path: str = "Home.md", text: str = "by the agent\n", cwd: Path | None = None) -> str:
    done = vault.run("append", path, "--agent", "codex", "--json", stdin=text.encode(), cwd=cwd)
    assert done.code == 75, done
    return str(json.loads(done.out)["edit"])


# -- as a record -------------------------------------------------------------------------------------------------

BYTES = st.one_of(st.none(), st.binary(max_size=50))
EDITS = st.builds(
    Edit, st.just("01jdx3k9m2qtw7ab"),
    st.lists(st.builds(PathChange, st.text(min_size=1, max_size=20), BYTES, BYTES, st.just("write")), max_size=3).map(tuple),
    st.text(), st.text(), st.tuples(st.text(), st.text()), st.one_of(st.none(), st.text()),
    st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple), st.just("2026-11-29T21:10:00+01:00"),
    st.one_of(st.none(), st.text()), st.text(), st.text(), st.text(), st.integers(0), st.integers(0, 9),
)  # fmt: skip


@given(EDITS)
def test_p2_an_edit_is_read_back_byte_for_byte(edit: Edit) -> None:
    assert edits.from_json(json.loads(json.dumps(edits.to_json(edit)))) == edit


def test_a_name_with_bytes_that_are_no_utf8_is_kept(tmp_path: Path) -> None:
    path = b"caf\xe9.md".decode("utf-8", "surrogateescape")
    edit = Edit(
        "01jdx3k9m2qtw7ab",
        (PathChange(path, b"\xff", b"\x00\xfe"),),
        "s",
        "",
        ("a", "b"),
        None,
        (),
        "",
        None,
        "g",
        "",
        "",
        1,
    )
    queue.prepare(str(tmp_path))
    queue.put(str(tmp_path), edit)
    assert queue.get(str(tmp_path), edit.id) == edit


class _Clock(SystemClock):
    def __init__(self, millis: int, random: bytes) -> None:
        self._millis, self._random = millis, random

    def millis(self) -> int:
        return self._millis

    def random(self, size: int) -> bytes:
        assert len(self._random) == size
        return self._random


TIMES = st.integers(0, int(datetime(3000, 1, 1).timestamp()) * 1000)
RANDOM = st.binary(min_size=5, max_size=5)


@given(TIMES, RANDOM, TIMES, RANDOM)
def test_ids_sort_by_time_and_carry_thirty_random_bits(one: int, r1: bytes, two: int, r2: bytes) -> None:
    a, b = edits.new_id(_Clock(one, r1)), edits.new_id(_Clock(two, r2))
    assert edits.ID.fullmatch(a)
    if one != two:
        assert (a < b) is (one < two)
    elif int.from_bytes(r1, "big") % 2**30 != int.from_bytes(r2, "big") % 2**30:
        assert a != b


def test_ids_are_unique_within_a_millisecond(tmp_path: Path) -> None:
    clock = SystemClock()
    assert len({edits.new_id(clock) for _ in range(2000)}) == 2000


# -- on disk -----------------------------------------------------------------------------------------------------


def test_p11_the_queue_is_private(vault: Folder) -> None:
    old = os.umask(0)
    try:
        busy(vault)
        queued(vault)
        free(vault)
        assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"next\n").code == 0
        busy(vault)
        queued(vault)
    finally:
        os.umask(old)
    root = vault.root / ".git/vaultgit"
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    modes = {str(path.relative_to(root)): stat.S_IMODE(path.stat().st_mode) for path in folders if path.name != "hooks"}
    assert {name for name, mode in modes.items() if mode != 0o700} == set()
    for name in ("queue", "landed"):
        files = list((root / "state" / name).iterdir())
        assert files
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE((root / "state/lock").stat().st_mode) == 0o600


def test_p2_a_half_written_entry_is_no_edit_and_goes_after_a_minute(vault: Folder) -> None:
    busy(vault)
    edit = queued(vault)
    name = f"{edit}.json.999999.tmp"
    vault.write(f"{STATE}/queue/{name}", '{"id": "01jd')
    free(vault)
    assert vault.run("status").code == 0
    assert waiting(vault) == [name]
    then = os.stat(vault.root / STATE / "queue" / name).st_mtime - 61
    os.utime(vault.root / STATE / "queue" / name, (then, then))
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"next\n").code == 0
    assert waiting(vault) == []
    assert vault.git("show", "HEAD:Home.md").endswith("by the agent\nnext")
    assert vault.run("verify").out == "agrees: 2 edits\n"


def test_p2_damaged_entries_block_no_other(vault: Folder) -> None:
    vault.run("append", "Home.md", "--agent", "codex", stdin=b"first\n")
    damaged = [b"", b"{", b"[]", b"null", b'"x"', b"{}", b'{"id": "x", "changes": []}', b"\xff", b'{"changes": [1]}']
    for number, data in enumerate(damaged):
        vault.write(f"{STATE}/queue/{number:016}.json", data)
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.code == 0, done
    assert done.out.startswith("committed ")
    assert vault.run("status").code == 0
    assert len(waiting(vault)) == len(damaged)  # for a person to look at


def test_p2_what_waits_lands_in_the_order_it_was_made(vault: Folder) -> None:
    busy(vault)
    made = [queued(vault, text=f"- {n}\n") for n in range(3)]
    assert waiting(vault) == sorted(f"{one}.json" for one in made)
    free(vault)
    assert vault.run("status").code == 0
    assert vault.git("show", "HEAD:Home.md").endswith("- 0\n- 1\n- 2")
    assert re.findall(r"Edit: (\w+)", vault.git("log", "--reverse", "--format=%B")) == made
    assert waiting(vault) == []


def test_p2_the_same_edit_sent_again_waits_once(vault: Folder) -> None:
    busy(vault)
    base = vault.git("rev-parse", "HEAD:Home.md")
    args = ("write", "Home.md", "--base", base, "-m", "Home: new", "--json")
    first, again = (vault.run(*args, "--agent", "codex", stdin=b"new\n") for _ in range(2))
    assert [first.code, again.code] == [75, 75]
    assert json.loads(first.out)["edit"] == json.loads(again.out)["edit"]
    other = vault.run(*args, "--agent", "gemini", stdin=b"new\n")  # another agent's is another edit
    assert json.loads(other.out)["edit"] != json.loads(first.out)["edit"]
    assert len(waiting(vault)) == 2
    free(vault)
    assert vault.run("status").code == 0
    assert vault.read("Home.md") == "new\n"
    landed = vault.run(*args, "--agent", "codex", stdin=b"new\n")
    assert landed.out.startswith('{\n  "outcome": "unchanged"'), landed
    assert vault.run("verify").code == 0


def test_p2_what_another_writer_landed_is_answered_from_history_where_no_record_is_left(vault: Folder) -> None:
    def now() -> tuple[str, str]:
        opened = open_vault(str(vault.root))
        with opened.repo:
            done = submit.settle(opened, SystemClock(), waits)
        return done.outcome, done.oid

    busy(vault)
    one = queued(vault)
    opened = open_vault(str(vault.root))
    with opened.repo:
        [waits] = queue.entries(opened.repo, opened.state, opened.prefix)
    free(vault)
    assert vault.run("status").code == 0 and waits.id == one
    for name in os.listdir(vault.root / STATE / "landed"):
        (vault.root / STATE / "landed" / name).unlink()
    assert now() == ("committed", vault.git("rev-parse", "HEAD"))
    vault.git("reset", "-q", "--hard", "HEAD~1")
    assert now() == ("unchanged", "")


# -- whose -------------------------------------------------------------------------------------------------------


def test_p2_an_entry_of_another_worktree_waits_for_it(vault: Folder, tmp_path: Path) -> None:
    vault.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Folder(tmp_path / "linked")
    vault.write(".git/worktrees/linked/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
    edit = queued(linked)
    tips = vault.git("for-each-ref", "--format=%(objectname)", "refs/heads")
    assert vault.run("status").code == 0
    assert vault.run("append", "projects/nova.md", "--agent", "codex", stdin=b"here\n").code == 0
    assert waiting(vault) == [f"{edit}.json"]
    assert vault.git("rev-parse", "side") in tips
    (vault.root / ".git/worktrees/linked/MERGE_HEAD").unlink()
    assert linked.run("status").code == 0
    assert waiting(vault) == []
    assert linked.read("Home.md").endswith("by the agent\n")
    assert "by the agent" not in vault.read("Home.md")
    assert linked.git("status", "--porcelain") == vault.git("status", "--porcelain") == ""


def test_p2_an_entry_of_another_vault_of_the_repository_waits_for_it(folder: Folder, tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    for name in ("one", "two"):
        outer.write(f"{name}/.obsidian/app.json", "{}\n")
        outer.write(f"{name}/Home.md", "# Home\n")
    outer.git("init", "-q")
    outer.commit("start")
    one, two = Folder(outer.root / "one"), Folder(outer.root / "two")
    busy(outer)
    edit = queued(two)
    free(outer)
    assert one.run("append", "Home.md", "--agent", "codex", stdin=b"here\n").code == 0
    assert one.run("status").code == 0
    assert waiting(outer) == [f"{edit}.json"]
    assert one.read("Home.md") == "# Home\nhere\n"
    assert two.read("Home.md") == "# Home\n"
    assert two.run("status").code == 0
    assert waiting(outer) == []
    assert two.read("Home.md") == "# Home\nby the agent\n"
    assert one.read("Home.md") == "# Home\nhere\n"
    assert outer.git("status", "--porcelain") == ""


# -- poison ------------------------------------------------------------------------------------------------------


def test_p2_after_three_failures_an_edit_waits_in_the_inbox_and_others_land(vault: Folder) -> None:
    busy(vault)
    poison = queued(vault, "projects/nova.md", "- whole\n")
    good = queued(vault)
    free(vault)
    # An object that is gone stands for whatever raises in one edit only.
    oid = vault.git("rev-parse", "HEAD:projects/nova.md")
    there = vault.root / f".git/objects/{oid[:2]}/{oid[2:]}"
    there.rename(vault.root / ".git/away")
    attempts = []
    for _ in range(4):
        assert vault.run("status").code == 0
        if f"{poison}.json" in waiting(vault):
            attempts.append(json.loads(vault.read(f"{STATE}/queue/{poison}.json"))["attempts"])
    assert attempts in ([1, 2], [1, 2, 3])
    assert waiting(vault) == []
    assert f"Edit: {good}" in vault.git("log", "--format=%B", "--", "Home.md")
    [note] = [name for name in os.listdir(vault.root / "inbox") if name.endswith(".md")]
    assert "- whole\n" in vault.read(f"inbox/{note}")
    assert f"edit: {poison}" in vault.read(f"inbox/{note}").replace('"', "")
    assert f"Edit: {poison}" in vault.git("log", "--format=%B", "--", f"inbox/{note}")
    (vault.root / ".git/away").rename(there)
    assert vault.run("verify").code == 0


def test_p2_a_sync_services_copy_in_the_queue_is_no_second_edit(vault: Folder) -> None:
    busy(vault)
    name = queued(vault)
    full = vault.root / STATE / "queue"
    (full / f"{name} 2.json").write_bytes((full / f"{name}.json").read_bytes())
    free(vault)
    vault.run("status")
    assert vault.read("Home.md").count("by the agent\n") == 1
    assert vault.git("log", "--format=%H", f"--grep=Edit: {name}").count("\n") == 0
