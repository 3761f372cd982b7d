"""A suggestion that a person deletes from review.md is declined, until they take its line out of declined.md."""

from __future__ import annotations

import pytest
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import data
from consolidating import sound
from consolidating import tick
from support import Folder

DECLINED = ".vaultgit/declined.md"
FIRST, SECOND, THIRD = (("2026-11-03", "2026-11-04"), ("2026-11-05", "2026-11-06"), ("2026-11-07", "2026-11-08"))


def cut(vault: Folder, title: str) -> None:
    """Deletes a block, as in an editor."""
    text, one = vault.read("review.md"), blocks(vault)[title]
    vault.write("review.md", text[: one.start] + text[one.end :])


def proposed(vault: Folder, *args: str) -> list[str]:
    return [one["title"] for one in data(vault, *args)["proposed"]]


def test_accepted_with_an_edit_rejected_and_deleted_are_all_remembered(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark", "Ostholm")
    consolidate(vault)
    tick(vault, "Norrland", old="\n# Norrland\n", new="\n# Norrland\n\nMine.\n")
    tick(vault, "Vestmark", "reject")
    cut(vault, "Ostholm")
    consolidate(vault)
    assert " proposal concept vestmark ^" in vault.read(DECLINED) and "concept ostholm ^" in vault.read(DECLINED)
    captured(vault, "Norrland", "Vestmark", "Ostholm", days=FIRST)
    found = data(vault)["proposed"]
    assert [(one["title"], one["action"]) for one in found] == [("Norrland", "add")]
    sound(vault)


def test_a_deleted_block_is_declined_by_the_round_that_would_propose_it_again(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    cut(vault, "Norrland")
    vault.commit("backup")
    captured(vault, "Norrland", "Ostholm", days=FIRST)
    assert proposed(vault, "--dry-run") == ["Ostholm"] and not vault.exists(DECLINED)
    assert [one["title"] for one in data(vault, env={"CLAUDECODE": "1"})["proposed"]] == ["Ostholm"]
    assert vault.read(DECLINED).count("\n") == 1 and " proposal concept norrland ^" in vault.read(DECLINED)
    assert set(blocks(vault)) == {"Vestmark", "Ostholm"}
    captured(vault, "Norrland", days=SECOND)
    assert proposed(vault) == []
    sound(vault)


def test_a_line_that_a_person_takes_out_allows_it_again(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    cut(vault, "Norrland")
    consolidate(vault, "--apply")
    assert (
        " proposal concept norrland ^" in vault.read(DECLINED) and vault.git("status", "--porcelain") == " M review.md"
    )
    before = vault.git("rev-parse", "HEAD")
    consolidate(vault, "--apply")
    assert vault.git("rev-parse", "HEAD") == before, "said once"
    (vault.root / DECLINED).unlink()
    captured(vault, "Norrland", days=FIRST)
    consolidate(vault, "--apply")
    assert not vault.exists(DECLINED)
    assert proposed(vault) == ["Norrland"]
    cut(vault, "Norrland")
    captured(vault, "Norrland", days=SECOND)
    assert proposed(vault) == [], "deleted a second time"


@pytest.mark.parametrize("text", [None, "\n", "<<<<<<< HEAD\n=======\n>>>>>>> x\n", "# R\n".encode("utf-16")])
def test_a_file_that_is_gone_emptied_in_conflict_or_unreadable_declines_nothing(
    vault: Folder, text: str | bytes | None
) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    before = vault.bytes("review.md")
    if text is not None:
        vault.write("review.md", text)
        vault.run("consolidate", "--apply")
        assert not vault.exists(DECLINED)
        vault.write("review.md", before)
        consolidate(vault, "--apply")
        assert not vault.exists(DECLINED)
    (vault.root / "review.md").unlink()
    captured(vault, "Norrland", days=FIRST)
    assert proposed(vault) == ["Norrland"] and not vault.exists(DECLINED)


def test_a_block_that_was_accepted_in_another_clone_is_not_taken_for_deleted(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    vault.git("checkout", "--quiet", "-b", "laptop")
    tick(vault, "Norrland")
    consolidate(vault, "--apply")
    vault.git("checkout", "--quiet", "main")
    captured(vault, "Ostholm", days=FIRST)
    consolidate(vault)
    vault.git("merge", "--quiet", "--no-edit", "laptop")
    assert set(blocks(vault)) == {"Vestmark", "Ostholm"}
    consolidate(vault, "--apply")
    assert not vault.exists(DECLINED)
