"""What a person does to review.md while it is read, or after they took something back; and files that are no such file."""

from __future__ import annotations

import os
from typing import Any

import pytest
from consolidating import TEN
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import sound
from consolidating import tick
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import submit as writing
from vaultgit.passes.consolidate import deciding
from vaultgit.vault import open_vault


@pytest.fixture
def proposed(vault: Folder) -> Folder:
    captured(vault, *TEN[:4])
    consolidate(vault)
    return vault


def test_p3_what_is_saved_while_it_runs_is_neither_lost_nor_done_as_it_was(
    proposed: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    for name in TEN[:2]:
        tick(proposed, name)
    tick(proposed, TEN[2], "reject")
    real, saved = writing.submit, []

    def submit(*args: Any, **more: Any) -> Any:
        done = real(*args, **more)
        if not saved:  # the first note has landed: now the person's editor saves
            saved.append(done)
            text = proposed.read("review.md").replace(f"\n# {TEN[1]}\n", f"\n# {TEN[1]}\n\nMy own words.\n")
            one = blocks(proposed)[TEN[2]]
            part = proposed.read("review.md")[one.start : one.end]
            turned = part.replace("- [x] reject", "- [ ] reject").replace("- [ ] accept", "- [x] accept")
            proposed.write("review.md", text.replace(part, turned))
        return done

    monkeypatch.setattr(writing, "submit", submit)
    opened = open_vault(str(proposed.root))
    with opened.repo:
        deciding.decide(opened, SystemClock())
    monkeypatch.setattr(writing, "submit", real)
    assert proposed.exists("concepts/Norrland.md") and not proposed.exists("concepts/Vestmark.md")
    assert "My own words." in proposed.read("review.md") and TEN[2] in blocks(proposed)
    assert not proposed.exists(".vaultgit/declined.md")
    consolidate(proposed)
    assert "My own words." in proposed.read("concepts/Vestmark.md") and proposed.exists("concepts/Ostholm.md")
    sound(proposed)


def test_a_draft_whose_fence_ends_too_early_is_not_cut(proposed: Folder) -> None:
    tick(proposed, TEN[0], old=f"\n# {TEN[0]}\n", new=f"\n# {TEN[0]}\n\n````\ncode of mine\n````\n\nthe end\n")
    done = consolidate(proposed)
    assert "backticks" in done.err + done.out and not proposed.exists("concepts/Norrland.md")
    assert "code of mine" in proposed.read("review.md")


def test_a_tick_of_an_agents_address_does_not_count(proposed: Folder) -> None:
    """However it left out its trailer."""
    tick(proposed, TEN[0])
    proposed.git("-c", "user.email=codex@agents.vaultgit.invalid", "commit", "-qam", "ticked", "--no-verify")
    assert "does not count" in consolidate(proposed).err
    assert not proposed.exists("concepts/Norrland.md")


@pytest.mark.parametrize("kind", ["link", "utf-16"])
def test_a_file_that_we_may_not_write_is_named_each_time_and_left(proposed: Folder, kind: str) -> None:
    tick(proposed, TEN[0])
    path = proposed.root / "review.md"
    if kind == "link":
        path.rename(proposed.root.parent / "review.md")
        path.symlink_to(proposed.root.parent / "review.md")
    else:
        path.write_bytes(path.read_text().encode("utf-16"))
    data = path.read_bytes()
    for _ in range(2):
        consolidate(proposed, code=1 if kind == "link" else 0)
        assert path.read_bytes() == data and not os.path.isdir(proposed.root / "inbox")


def test_a_pipe_is_no_review_file(proposed: Folder) -> None:
    (proposed.root / "review.md").unlink()
    os.mkfifo(proposed.root / "review.md")
    assert proposed.run("review", "apply").code in (0, 1, 2)  # it would be waited for for ever


def test_as_many_days_as_there_are(proposed: Folder) -> None:
    proposed.write(".vaultgit.toml", "[consolidate]\ndays = 1000000000\n")
    assert proposed.run("consolidate", "--due").code == 0
    proposed.write(".vaultgit.toml", "[consolidate]\nmin_mentions = 1.5\n")
    assert "whole number" in (said := proposed.run("consolidate").err) or "type int" in said


def test_a_hundred_thousand_boxes_take_no_longer_than_their_lines(proposed: Folder) -> None:
    proposed.write("review.md", proposed.read("review.md") + "- [x] accept\n" * 100_000)
    assert proposed.run("review", "apply").code in (0, 1)
