"""Promise P2 against machines: what fails for want of room, rights or a clock makes an edit wait, and neither lose nor
double it; what was not saved does not land."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from faulty import NO_FSYNC
from faulty import edits
from faulty import killing
from faulty import queued
from faulty import reaching
from faulty import run_faulty
from faulty import waiting
from support import Folder

from vaultgit.edits import exchange


def test_p2_an_edit_lands_once_where_a_folder_cannot_be_synced(vault: Folder) -> None:
    """As on FUSE and SMB. It is after the ref has moved: then the edit has landed, whatever fails."""
    queued(vault)
    outside = NO_FSYNC.format(where="'.git' not in folder", code="EINVAL")
    assert run_faulty(vault, outside, "status").code == 0
    own = run_faulty(vault, outside, "append", "Home.md", "--agent", "codex", stdin=b"another\n")
    assert (own.code, own.out.split()[0]) == (0, "committed"), own
    assert vault.run("status").code == 0
    assert (edits(vault), waiting(vault)) == (2, [])
    assert vault.read("Home.md").endswith("\nby the agent\nanother\n")


def test_p2_what_was_said_not_to_be_saved_does_not_land(vault: Folder) -> None:
    queue = NO_FSYNC.format(where="folder.endswith('queue')", code="EIO")
    done = run_faulty(vault, queue, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.code == 1
    assert "Home.md not saved, nothing changed" in done.err
    assert waiting(vault) == []
    assert vault.run("status").code == 0
    assert edits(vault) == 0


FAULTS = {
    "git has no room": "GitError(['fast-import'], 128, b'fatal: unable to write loose object file: No space left')",
    "git may not write": "GitError(['fast-import'], 128, b'fatal: Unable to create temporary file: Permission denied')",
    "git was ended": "GitError(['fast-import'], -signal.SIGXFSZ, b'')",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_p2_a_fault_of_the_machine_is_no_fault_of_the_edit(vault: Folder, fault: str) -> None:
    """It is not counted, however often it is met: the edit lands when the machine is well again."""
    queued(vault)
    prelude = (
        "from vaultgit.history import objects\n"
        "from vaultgit.history.repository import GitError\n"
        f"def write(*args, **named): raise {FAULTS[fault]}\n"
        "objects.write = write\n"
    )
    assert run_faulty(vault, prelude, "status").code == 0
    [edit] = waiting(vault)
    assert json.loads(vault.read(f".git/vaultgit/state/queue/{edit}"))["attempts"] == 0
    assert vault.run("status").code == 0
    assert vault.read("Home.md").endswith("by the agent\n")
    assert (edits(vault), waiting(vault)) == (1, [])


def test_p2_what_fails_between_disk_and_ref_is_finished_by_the_next_run(vault: Folder) -> None:
    prelude = (
        "whole = os.rename\n"
        "def rename(old, new, **named):\n"
        "    if new.endswith('.git/index'): raise OSError(errno.EIO, os.strerror(errno.EIO), old)\n"
        "    whole(old, new, **named)\n"
        "os.rename = rename\n"
    )
    vault.write("Home.md", vault.read("Home.md") + "\n" * 6 + "typed by me\n")
    done = run_faulty(vault, prelude, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.code == 75
    assert len(os.listdir(vault.root / ".git/vaultgit/state/plans")) > 0  # what the files on disk belong to
    assert vault.run("status").code == 0
    assert os.listdir(vault.root / ".git/vaultgit/state/plans") == []
    assert (edits(vault), waiting(vault)) == (1, [])
    assert vault.git("status", "--porcelain") == " M Home.md"
    assert "typed by me" not in vault.git("show", "HEAD:Home.md")


def test_p2_a_writer_whose_edit_recovery_has_landed_is_told_so(vault: Folder) -> None:
    """The lock's holder had it in its plan, and was killed: the edit is not in the queue that the next one reads."""
    other = (
        "import os, signal, sys; from vaultgit.edits import steps; "
        "steps.reached = lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == 'planned' else None; "
        "from vaultgit.cli.main import main; main(['status'])"
    )
    between = reaching("queue-written", f"subprocess.run([{sys.executable!r}, '-P', '-c', {other!r}])")
    done = run_faulty(vault, between, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert (done.code, done.out.split()) == (0, ["committed", vault.git("rev-parse", "HEAD")]), done
    assert (edits(vault), waiting(vault)) == (1, [])


def test_p2_edits_land_in_the_order_they_were_made_also_when_the_clock_went_back(vault: Folder) -> None:
    queued(vault, "set", "projects/nova.md", "status=one")
    vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
    back = "import time\nreal = time.time_ns\ntime.time_ns = lambda: real() - 3600 * 10**9\n"
    assert run_faulty(vault, back, "set", "projects/nova.md", "status=two", "--agent", "codex").code == 75
    (vault.root / ".git/MERGE_HEAD").unlink()
    assert vault.run("status").code == 0
    assert "status: two\n" in vault.read("projects/nova.md")
    assert edits(vault) == 2
    assert not vault.exists("inbox")


def test_p2_an_edit_sent_again_is_unchanged_only_while_the_note_holds_it(vault: Folder) -> None:
    args = ("write", "Home.md", "--base", vault.git("rev-parse", "HEAD:Home.md"), "--agent", "codex")
    assert vault.run(*args, stdin=b"# New\n").code == 0
    assert vault.run(*args, stdin=b"# New\n").out == "unchanged\n"
    assert vault.run("undo", "Home.md").code == 0
    assert vault.run("set", "Home.md", "k=v", "--agent", "other").code == 0
    again = vault.run(*args, stdin=b"# New\n")
    assert again.out.startswith("merged "), again
    assert vault.read("Home.md") == "---\nk: v\n---\n# New\n"


def test_p3_a_late_save_of_a_note_with_the_longest_name_is_kept(vault: Folder) -> None:
    name = "n" * 236 + ".md"
    vault.write(name, "a\n")
    vault.commit("x")
    with open(vault.root / name, "r+b") as editor:
        assert vault.run("append", name, "--agent", "codex", stdin=b"by the agent\n").code == 0
        editor.write(b"saved late\n")
    vault.write(name, "third\n")
    for folder, _, files in os.walk(vault.root / ".git/vaultgit/state/tmp"):  # ten seconds go by
        for path in (folder, *(os.path.join(folder, file) for file in files)):
            then = os.stat(path).st_mtime_ns - 10**10
            os.utime(path, ns=(then, then))
    done = vault.run("status")
    assert done.code == 0, done
    [kept] = (vault.root / ".git/vaultgit/state/late").iterdir()
    assert (kept.read_bytes(), vault.read(name)) == (b"saved late\n", "third\n")
    assert str(kept) in done.out


def test_p3_a_note_on_another_file_system_than_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mount inside the vault: the exchange is made beside the note, and nothing stays there."""
    note, temporary = tmp_path / "mount/note.md", tmp_path / "1"
    note.parent.mkdir()
    whole = exchange.exchange

    def across(one: str, other: str) -> None:
        if os.path.dirname(one) != os.path.dirname(other):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), other)
        whole(one, other)

    monkeypatch.setattr(exchange, "exchange", across)
    for there, expected in (("old", "new"), ("saved meanwhile", "saved meanwhile")):
        note.write_text(there)
        temporary.write_text("new")
        try:
            exchange.swap(str(note), str(temporary), b"old", b"new")
        except exchange.Changed:
            assert there != "old"
        assert note.read_text() == expected
        assert os.listdir(note.parent) == ["note.md"]


def a_folder_in_the_queue(git: Path) -> None:
    (git / "state/queue/0000000000000000.json").mkdir()


def folders_gone(git: Path) -> None:
    for name in ("plans", "tmp", "committing"):
        shutil.rmtree(git / "state" / name)


def a_tip_that_is_an_option(git: Path) -> None:
    tips = json.loads((git / "cache/tips.json").read_bytes())
    (git / "cache/tips.json").write_text(json.dumps(dict.fromkeys(tips, "--output=x")))


def a_cache_that_is_a_file(git: Path) -> None:
    shutil.rmtree(git / "cache")
    (git / "cache").touch()


def a_mark_that_is_no_process(git: Path) -> None:
    (git / "state/committing/²").touch()


BROKEN = (
    a_folder_in_the_queue, folders_gone, a_tip_that_is_an_option, a_cache_that_is_a_file, a_mark_that_is_no_process,
)  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_p2_what_is_broken_in_our_own_folder_stops_no_edit(vault: Folder, broken: Callable[[Path], None]) -> None:
    vault.run("append", "Home.md", "--agent", "codex", stdin=b"first\n")
    queued(vault)
    broken(vault.root / ".git/vaultgit")
    assert vault.run("status").code == 0
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"next\n").code == 0
    assert vault.read("Home.md").endswith("\nfirst\nby the agent\nnext\n")
    assert vault.run("verify").code == 0


def test_p2_an_entry_accepted_before_survives_a_failing_sync_when_it_is_counted(vault: Folder) -> None:
    queued(vault)
    prelude = (
        "from vaultgit.edits import round\n"
        "def broken(self, held):\n    raise RuntimeError('poison')\n"
        "round.Round.land = broken\n" + NO_FSYNC.format(where="folder.endswith('queue')", code="EIO")
    )
    assert run_faulty(vault, prelude, "status").code == 0
    assert len(waiting(vault)) == 1
    assert vault.run("status").code == 0
    assert (edits(vault), waiting(vault)) == (1, [])


@pytest.mark.parametrize("fault", ["OSError(errno.ENOSPC, 'No space left on device')", "refs.RefMoved('fatal: ref')"])
def test_p2_recovery_that_cannot_finish_makes_edits_wait(vault: Folder, fault: str) -> None:
    done = run_faulty(vault, killing("planned"), "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.code == -signal.SIGKILL
    prelude = (
        f"from vaultgit.history import refs\ndef broken(self):\n    raise {fault}\nrefs.RefUpdate.commit = broken\n"
    )
    assert run_faulty(vault, prelude, "status").code == 0
    own = run_faulty(vault, prelude, "append", "Home.md", "--agent", "codex", stdin=b"another\n")
    assert own.code == 75, own
    assert vault.run("status").code == 0
    assert (edits(vault), waiting(vault)) == (2, [])
    assert vault.run("verify").code == 0
    assert vault.git("status", "--porcelain") == ""


def test_p2_a_changelog_in_the_way_is_no_fault_of_the_edit(vault: Folder) -> None:
    queued(vault)
    (vault.root / "changelog.md").rename(vault.root / "mine.md")
    (vault.root / "changelog.md").mkdir()
    for _ in range(4):
        assert vault.run("status").code == 0
    assert len(waiting(vault)) == 1
    (vault.root / "changelog.md").rmdir()
    (vault.root / "mine.md").rename(vault.root / "changelog.md")
    assert vault.run("status").code == 0
    assert (edits(vault), waiting(vault), vault.exists("inbox")) == (1, [], False)


def test_an_answer_that_cannot_be_written_does_not_change_what_was_done(vault: Folder) -> None:
    command = [sys.executable, "-P", "-m", "vaultgit", "append", "Home.md", "--agent", "codex"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=vault.root, input=b"x\n", stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done
    assert b"could not be written" in done.stderr
    assert edits(vault) == 1


UNREADABLE = """
class Unreadable:
    def find_spec(self, name, path=None, target=None):
        if name == "decimal":
            raise OSError(errno.EIO, os.strerror(errno.EIO), "decimal.py")
sys.meta_path.insert(0, Unreadable())
"""


def test_a_library_that_cannot_be_read_is_said_in_words(vault: Folder) -> None:
    """jsonschema_rs panics where Python's own modules cannot be read, past all that is ready for errors."""
    done = run_faulty(vault, UNREADABLE, "append", "people/ada-lovelace.md", "--agent", "codex", stdin=b"more\n")
    assert (done.code, done.err.splitlines()[0]) == (1, "vaultgit: decimal.py: Input/output error"), done
    assert "panicked" not in done.err
    assert vault.run("status").code == 0
    assert edits(vault) == 0
