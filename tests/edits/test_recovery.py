"""Promises P2, P3 and P4 where a killed writer's plan meets what the person has done since: what had been put on disk and
into the index for an edit that goes to the inbox is taken back, and nothing else is."""

from __future__ import annotations

import json
import os

import pytest
from faulty import busy
from faulty import edits
from faulty import free
from faulty import queued
from faulty import reaching
from faulty import run_faulty
from faulty import waiting
from support import Folder
from test_faults import killed

ADA = "people/ada-lovelace.md"


def commit_past(vault: Folder, path: str, text: str) -> None:
    """The person commits a text, past disk and index (as another clone's push would)."""
    blob = vault.git("hash-object", "-w", "--stdin", stdin=text.encode())
    other = {"GIT_INDEX_FILE": ".git/other"}
    vault.git("read-tree", "HEAD", env=other)
    vault.git("update-index", "--cacheinfo", f"100644,{blob},{path}", env=other)
    tree = vault.git("write-tree", env=other)
    vault.git("update-ref", "refs/heads/main", vault.git("commit-tree", tree, "-p", "HEAD", "-m", "mine"))


def killed_writing_1816(vault: Folder, step: str) -> None:
    base = vault.git("rev-parse", f"HEAD:{ADA}")
    killed(vault, step, "write", ADA, "--agent", "codex", "--base", base, stdin=b"Born 1816.\n")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)


def test_p2_what_is_taken_back_for_one_edit_leaves_the_others(vault: Folder) -> None:
    queued(vault, "append", "Home.md", stdin="by B\n")
    busy(vault)
    base = vault.git("rev-parse", f"HEAD:{ADA}")
    assert vault.run("write", ADA, "--agent", "codex", "--base", base, stdin=b"Born 1816.\n").code == 75
    free(vault)
    killed(vault, "index", "status")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    assert "by B" in vault.read("Home.md")
    commit_past(vault, ADA, vault.git("show", f"HEAD:{ADA}").replace("1815", "1817") + "\n")
    assert vault.run("status").code == 0
    assert vault.git("show", "HEAD:Home.md").count("by B") == vault.read("Home.md").count("by B") == 1
    assert "1816" not in vault.read(ADA)


def test_p3_nothing_of_a_rejected_edit_stays_staged(vault: Folder) -> None:
    ada = vault.read(ADA)
    killed_writing_1816(vault, "index")
    commit_past(vault, ADA, ada.replace("1815", "1817"))
    assert vault.run("status").code == 0
    vault.git("commit", "--no-verify", "--allow-empty", "-qm", "next of mine")
    assert "1816" not in vault.git("show", f"HEAD:{ADA}")
    assert len(os.listdir(vault.root / "inbox")) == 1


def test_p3_what_the_person_had_staged_survives_it(vault: Folder) -> None:
    ada = vault.read(ADA)
    vault.write(ADA, ada + "\n\n\n\nstaged by me\n")
    vault.git("add", ADA)
    busy(vault)
    assert vault.run("set", ADA, "born=1816", "--agent", "codex").code == 75
    free(vault)
    killed(vault, "index", "status")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    commit_past(vault, ADA, ada.replace("name: Ada Lovelace", "name: Ada Lovelace\nborn: 1817"))
    assert vault.run("status").code == 0
    assert "staged by me" in vault.git("show", f":{ADA}")


def test_p4_it_is_taken_back_also_when_the_next_run_found_a_lock(vault: Folder) -> None:
    killed_writing_1816(vault, "disk")
    commit_past(vault, ADA, vault.git("show", f"HEAD:{ADA}").replace("1815", "1817") + "\n")
    (vault.root / ".git/index.lock").write_text("")
    assert vault.run("status").code == 0
    (vault.root / ".git/index.lock").unlink()
    assert vault.run("status").code == 0
    assert "1816" not in vault.read(ADA)
    assert waiting(vault) == []


@pytest.mark.parametrize("what", ["folder", "link"])
@pytest.mark.parametrize("step", ["planned", "disk"])
def test_p2_a_note_that_was_replaced_blocks_no_other(vault: Folder, what: str, step: str) -> None:
    killed(vault, step, "append", ADA, "--agent", "codex", stdin=b"by the agent\n")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    note = vault.root / ADA
    note.unlink()
    if what == "folder":
        note.mkdir()
    else:
        note.symlink_to("nowhere")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"other\n").code == 0
    assert vault.run("status").code == 0


def test_p2_a_folder_without_rights_blocks_no_other(vault: Folder) -> None:
    killed(vault, "planned", "append", ADA, "--agent", "codex", stdin=b"by the agent\n")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    prelude = (
        "from vaultgit.edits import exchange\n"
        "whole = exchange.swap\n"
        "def swap(path, *rest):\n"
        "    if 'people' in path:\n"
        "        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)\n"
        "    whole(path, *rest)\n"
        "exchange.swap = swap\n"
    )
    assert run_faulty(vault, prelude, "append", "Home.md", "--agent", "codex", stdin=b"x\n").code == 0
    assert vault.run("status").code == 0
    assert (edits(vault), waiting(vault)) == (2, [])


def test_p2_a_reflog_that_is_ahead_of_its_ref_is_no_landing(vault: Folder) -> None:
    """git writes the reflog first: killed in between, the edit has not landed, and was not reset away."""
    before = vault.git("rev-parse", "HEAD")
    killed(vault, "index", "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    plans = vault.root / ".git/vaultgit/state/plans"
    [plan] = [name for name in os.listdir(plans) if name.endswith(".json")]
    new = json.loads((plans / plan).read_bytes())["new"]
    for log in ("logs/HEAD", "logs/refs/heads/main"):
        with open(vault.root / ".git" / log, "a", encoding="ascii") as stream:
            stream.write(f"{before} {new} T <t@e> 1796000000 +0000\tvaultgit\n")
    assert vault.run("status").code == 0
    assert edits(vault) == 1


def test_p2_a_retry_lands_what_is_queued(vault: Folder) -> None:
    base = vault.git("rev-parse", f"HEAD:{ADA}")
    args = ("write", ADA, "--agent", "codex", "--base", base)
    busy(vault)
    assert vault.run(*args, stdin=b"Born 1816.\n").code == 75
    free(vault)
    done = vault.run(*args, stdin=b"Born 1816.\n")
    assert done.code == 0, done
    assert (edits(vault), waiting(vault)) == (1, [])


def test_p2_a_note_that_becomes_a_link_in_the_middle_leaves_all_as_it_was(vault: Folder) -> None:
    swap = "(os.unlink('projects/nova.md'), os.symlink('nowhere', 'projects/nova.md'))"
    changes = [{"path": path, "append": "- more"} for path in (ADA, "projects/nova.md", "Home.md")]
    document = json.dumps({"changes": changes}).encode()
    before = vault.read(ADA)
    run_faulty(vault, reaching("disk-first", swap), "apply", "--agent", "codex", stdin=document)
    assert vault.read(ADA) == before
    assert "- more" not in vault.read("Home.md")
    assert os.path.islink(vault.root / "projects/nova.md")


def test_p3_a_persons_remark_in_an_inbox_note_is_kept(vault: Folder) -> None:
    base = vault.git("rev-parse", f"HEAD:{ADA}")
    queued(vault, "write", ADA, "--base", base, stdin="Born 1816.\n")
    commit_past(vault, ADA, vault.read(ADA).replace("1815", "1817"))
    vault.git("checkout", "HEAD", "--", ".")
    killed(vault, "disk", "status")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    [note] = os.listdir(vault.root / "inbox")
    vault.write(f"inbox/{note}", vault.read(f"inbox/{note}") + "my remark\n")
    assert vault.run("status").code == 0
    assert any("my remark" in vault.read(f"inbox/{name}") for name in os.listdir(vault.root / "inbox"))
