"""What a writer is told whose edit another one has put into the inbox, before there is a record of it: P4."""

from __future__ import annotations

from pathlib import Path

from support import NOTES
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import compose
from vaultgit.edits import submit
from vaultgit.vault import open_vault


def test_p4_an_edit_in_the_inbox_is_not_told_as_committed(vault: Folder) -> None:
    before = vault.git("rev-parse", "HEAD:Home.md")
    vault.write("Home.md", NOTES["Home.md"].replace("# Home", "# My own home"))
    vault.commit("mine")
    opened = open_vault(str(vault.root))
    with opened.repo:
        text = NOTES["Home.md"].replace("# Home", "# A home of agents").encode()
        change = compose.write(opened, "Home.md", text, before, "codex")
        edit = submit.make(opened, SystemClock(), [change], subject="Home: renamed", reason="", by=submit.By("codex"))
        done = submit.submit(
            opened, SystemClock(), [change], subject="Home: renamed", by=submit.By("codex"), edit_id=edit.id
        )
        assert done.outcome == "inbox"
        for record in Path(opened.state, "landed").iterdir():
            record.unlink()
        told = submit.settle(opened, SystemClock(), edit)
        assert told == done
