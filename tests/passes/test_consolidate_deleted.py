"""A review.md that a person deletes is theirs to delete: what waits comes anew, what was rejected does not (promise P3)."""

from __future__ import annotations

import json

from consolidating import about
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import daily
from consolidating import data
from consolidating import head
from consolidating import rounds
from consolidating import sound
from consolidating import tick
from support import Folder


def test_p3_a_review_file_that_a_person_deleted_is_made_anew(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    (vault.root / "review.md").unlink()
    before = head(vault)
    consolidate(vault)
    assert head(vault) == before and not vault.exists("review.md"), "nothing is new"
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    assert "not in git yet" in consolidate(vault, env={"CLAUDECODE": "1"}).err and not vault.exists("review.md")
    read_at = head(vault)
    done = consolidate(vault)
    assert done.out.startswith("proposed concepts/Ostholm.md") and "1 suggestion in review.md" in done.err
    assert set(blocks(vault)) == {"Ostholm"} and vault.read("review.md").startswith("# Review\n")
    log = vault.git("log", "-2", "--format=%an|%s|%(trailers)", "--name-status").splitlines()
    assert [words for words in log if words] == [
        "Test Person|vaultgit: 1 proposal in review.md|", "A\treview.md", "Test Person|own: as it was|", "D\treview.md"
    ]  # fmt: skip
    assert f"Captures read up to {read_at}." in rounds(vault)[0].splitlines()
    assert vault.git("status", "--porcelain") == "" and not vault.exists("inbox")
    assert vault.run("check", "--all").code == 0
    sound(vault)


def test_p3_with_declined_md_deleted_too_what_is_rejected_is_remembered(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland", "reject")
    consolidate(vault, "--apply")
    (vault.root / ".vaultgit/declined.md").unlink()
    tick(vault, "Vestmark", "reject")
    assert consolidate(vault, "--apply").out == "rejected Vestmark\n"
    assert vault.read(".vaultgit/declined.md").count("\n") == 1 and blocks(vault) == {}
    assert vault.git("status", "--porcelain") == ""


def test_actions_of_review_branches_come_into_a_file_made_anew(vault: Folder) -> None:
    from reviewing import dreamt

    dreamt(vault)
    vault.run("review", "list")
    assert len(blocks(vault)) == 3
    (vault.root / "review.md").unlink()
    done = vault.run("review", "list")
    assert "review.md has them as boxes to tick, committed as yours" in done.err, done
    assert len(blocks(vault)) == 3 and vault.git("status", "--porcelain") == "" and not vault.exists("inbox")
    assert vault.git("show", "--format=", "--name-status", "HEAD^") == "D\treview.md"


def test_a_staged_deletion_is_the_persons_to_commit(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    vault.git("rm", "-q", "review.md")
    vault.write("daily/2026-11-03.md", daily("2026-11-03", ("21:10", about("Ostholm"))))
    vault.git("add", "daily")
    vault.git("commit", "-q", "--no-verify", "-m", "captured", "--", "daily")
    assert "is staged, and not committed: git commit review.md" in consolidate(vault).err
    assert vault.git("status", "--porcelain") == "D  review.md"
    vault.git("commit", "-q", "--no-verify", "-m", "mine", "--", "review.md")
    assert data(vault)["proposed"] != [] and set(blocks(vault)) == {"Ostholm"}


def test_p2_what_could_not_come_into_the_file_is_proposed_again(vault: Folder) -> None:
    """Queued behind another git, and then the person deletes what it was made for: the inbox note is one that checks
    pass, and the captures are not done with."""
    captured(vault, "Norrland")
    consolidate(vault)
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    lock = vault.write(".git/index.lock", "")
    consolidate(vault, code=75)
    lock.unlink()
    (vault.root / "review.md").unlink()
    vault.run("status")
    [note] = json.loads(vault.run("inbox", "list", "--json").out)
    assert note["target"] == "review" and "action: write\n" in vault.read(note["path"])
    assert vault.run("check", "--all").code == 0
    vault.git("rm", "-q", note["path"])
    vault.git("commit", "-q", "--no-verify", "-m", "rejected", "--", note["path"])
    assert [one["title"] for one in data(vault)["proposed"]] == ["Ostholm"]
    assert set(blocks(vault)) == {"Ostholm"}
    assert data(vault)["proposed"] == []
    sound(vault)
