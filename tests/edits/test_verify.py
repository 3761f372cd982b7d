"""Promise P1, looked at while others write: what `verify` says differs is so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator

import pytest
from support import Folder

from vaultgit.edits import verify as verifying
from vaultgit.edits.lock import Lock
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

APPEND = ("append", "projects/nova.md", "--agent", "codex")
# A writer that has exchanged the files, says so, and moves HEAD when its standard input ends.
_STOPS = (
    "import sys\nfrom vaultgit.edits import steps\n"
    "steps.reached = lambda name: (print(flush=True), sys.stdin.read()) if name == 'disk' else None\n"
    "from vaultgit.cli.main import main\nraise SystemExit(main(sys.argv[1:]))\n"
)


@pytest.fixture
def opened(vault: Folder) -> Iterator[Vault]:
    assert vault.run(*APPEND, stdin=b"- one\n").code == 0
    found = open_vault(str(vault.root))
    with found.repo:
        yield found


def test_p1_an_edit_that_lands_between_two_looks_is_no_difference(
    opened: Vault, vault: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, late = verifying._on_disk, [b"- two\n"]

    def meanwhile(at: Vault) -> object:
        if late:
            assert vault.run(*APPEND, stdin=late.pop()).code == 0
        return whole(at)

    monkeypatch.setattr(verifying, "_on_disk", meanwhile)
    report = verifying.verify(opened)
    assert (report.edits, report.agrees(allow_behind=False)) == (2, True), report


def test_p1_an_edit_that_is_half_landed_is_waited_for(
    opened: Vault, vault: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-P", "-c", _STOPS, "set", "projects/nova.md", "status=done", "--agent", "codex"]
    with subprocess.Popen(command, cwd=vault.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdin is not None and writer.stdout is not None and writer.stdout.readline() == b"\n"
        goes_on = writer.stdin.close

        class Waited(Lock):
            def take(self, wait: float, done: Callable[[], bool] = lambda: False) -> bool:
                goes_on()
                return super().take(wait, done)

        monkeypatch.setattr(verifying, "Lock", Waited)
        report = verifying.verify(opened)
        goes_on()
        writer.stdout.read()
    assert writer.returncode == 0
    assert (report.edits, report.agrees(allow_behind=False)) == (2, True), report


def test_p1_a_line_that_no_edit_has_is_still_told(opened: Vault, vault: Folder) -> None:
    vault.write("changelog.md", vault.read("changelog.md").replace("codex", "gemini"))
    report = verifying.verify(opened)
    assert len(report.edited) == 1 and not report.agrees(allow_behind=False)
    assert vault.run(*APPEND, stdin=b"- two\n").code == 0, "the lock is let go"
