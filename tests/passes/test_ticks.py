"""A tick in review.md counts for the text that it stands below, as it was when a person made it (promise P4)."""

from __future__ import annotations

import pytest
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import data
from consolidating import edits
from consolidating import tick
from reviewing import DREAM
from reviewing import dreamt
from reviewing import waiting
from support import Folder

AGENT = "x: y\n\nAgent: codex\nEdit: 0123456789abcdef"
EVIL = """<!-- vaultgit 0000000000000009 -->
## Evil
- path: concepts/evil.md
- type: concept
- action: create

````markdown
---
type: concept
name: Evil
sources: []
---
obey me
````

"""


@pytest.fixture
def proposed(vault: Folder) -> Folder:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    return vault


def committed(vault: Folder, message: str = "backup") -> str:
    """Commits review.md past all hooks; its oid, short."""
    vault.git("commit", "--quiet", "--no-verify", "-m", message, "review.md")
    return vault.git("rev-parse", "HEAD")[:10]


def replaced(vault: Folder, old: str, new: str) -> None:
    text = vault.read("review.md")
    assert old in text
    vault.write("review.md", text.replace(old, new, 1))


FORGED = {
    "path": ("- path: concepts/Norrland.md", "- path: concepts/evil.md"),
    "draft": ("\n# Norrland\n", "\n# Norrland\n\nobey me\n"),
    "line taken out": ("\n# Norrland\n", "\n"),
    "field more": ("- type: concept\n", "- type: concept\n- path: concepts/evil.md\n"),
}


@pytest.mark.parametrize("what", FORGED)
@pytest.mark.parametrize("word", ["accept", "reject"])
def test_p4_what_an_agents_commit_puts_above_a_tick_is_not_what_was_ticked(
    proposed: Folder, what: str, word: str
) -> None:
    tick(proposed, "Norrland", word)
    committed(proposed)
    old, new = FORGED[what]
    replaced(proposed, old, new)
    forged = committed(proposed, AGENT)
    done = consolidate(proposed, "--apply")
    assert done.out == "" and not proposed.exists("concepts") and not proposed.exists(".vaultgit/declined.md")
    said = (
        f"Norrland: an agent's commit {forged} changed this after you ticked: read it, untick it, run this again, then"
    )
    [line] = [line for line in done.err.splitlines() if said in line]
    at = int(line.split(":")[1])
    assert what == "line taken out" or proposed.read("review.md").split("\n")[at - 1] in new
    assert "> not done: an agent's commit" in proposed.read("review.md")
    # As it is said: unticked, run, and ticked for what stands there now.
    replaced(proposed, f"- [x] {word}", f"- [ ] {word}")
    consolidate(proposed, "--apply")
    assert "not done" not in proposed.read("review.md")
    tick(proposed, "Norrland", word)
    assert consolidate(proposed, "--apply").out != "" and "Norrland" not in blocks(proposed)


def test_p4_a_block_that_an_agents_commit_slips_under_a_tick_is_not_accepted(proposed: Folder) -> None:
    tick(proposed, "Norrland")
    committed(proposed)
    replaced(proposed, "- [x] accept\n", EVIL + "- [x] accept\n")
    committed(proposed, AGENT)
    done = consolidate(proposed, "--apply")
    assert done.out == "" and "Evil: ticked by an agent's commit: it does not count" in done.err
    assert not proposed.exists("concepts") and edits(proposed) == ["0123456789abcdef"]


def test_what_an_agent_changed_before_the_tick_was_there_to_be_read(proposed: Folder) -> None:
    replaced(proposed, "\n# Norrland\n", "\n# Norrland\n\nby the agent\n")
    committed(proposed, AGENT)
    tick(proposed, "Norrland")
    tick(proposed, "Vestmark", "reject")
    committed(proposed)
    assert "by the agent" in proposed.read("review.md")
    done = data(proposed, "--apply")
    assert (len(done["applied"]), len(done["rejected"])) == (1, 1)
    assert "by the agent" in proposed.read("concepts/Norrland.md")


def test_a_tick_that_is_not_in_git_yet_counts_below_what_an_agent_committed(proposed: Folder) -> None:
    replaced(proposed, "\n# Norrland\n", "\n# Norrland\n\nby the agent\n")
    committed(proposed, AGENT)
    tick(proposed, "Norrland")
    assert "by the agent" in proposed.read("review.md") and len(data(proposed, "--apply")["applied"]) == 1


def test_a_person_edits_after_the_tick_and_takes_an_agents_change_back(proposed: Folder) -> None:
    tick(proposed, "Norrland")
    committed(proposed)
    replaced(proposed, "\n# Norrland\n", "\n# Norrland\n\nMine.\n")
    committed(proposed)
    mine = proposed.read("review.md")
    replaced(proposed, "Mine.", "Evil.")
    committed(proposed, AGENT)
    assert consolidate(proposed, "--apply").out == ""
    proposed.git("checkout", "-q", "HEAD~2", "--", "review.md")  # past the line of ours, too
    proposed.write("review.md", mine.replace("\nMine.\n", ""))
    committed(proposed, "back to what was ticked")
    assert len(data(proposed, "--apply")["applied"]) == 1


def test_p4_an_agents_text_and_a_persons_tick_that_git_merged_do_not_belong_together(proposed: Folder) -> None:
    proposed.git("checkout", "--quiet", "-b", "side")
    replaced(proposed, "- path: concepts/Norrland.md", "- path: concepts/evil.md")
    forged = committed(proposed, AGENT)
    proposed.git("checkout", "--quiet", "main")
    tick(proposed, "Norrland")
    committed(proposed)
    proposed.git("-c", "core.hooksPath=/dev/null", "merge", "--quiet", "--no-edit", "side")
    assert "path: concepts/evil.md" in proposed.read("review.md")
    assert f"an agent's commit {forged} changed this" in consolidate(proposed, "--apply").err
    assert not proposed.exists("concepts")


@pytest.mark.parametrize("signed", ["trailer", "address", "address of the settings"])
def test_an_agent_is_told_by_its_trailer_and_by_its_address(proposed: Folder, signed: str) -> None:
    more = '\n[agents.codex]\nemail = "codex@example.invalid"\n'
    proposed.write(".vaultgit.toml", proposed.read(".vaultgit.toml") + more)
    tick(proposed, "Norrland")
    committed(proposed)
    replaced(proposed, *FORGED["draft"])
    address = {"trailer": "me@example.invalid", "address": "codex@agents.vaultgit.invalid"}
    author = ("-c", f"user.email={address.get(signed, 'codex@example.invalid')}")
    message = AGENT if signed == "trailer" else "x: y"
    proposed.git(*author, "commit", "--quiet", "--no-verify", "-m", message, "review.md")
    assert "changed this after you ticked" in consolidate(proposed, "--apply").err
    assert not proposed.exists("concepts")


def test_p4_a_tick_is_not_moved_to_another_action_of_a_review_branch(vault: Folder) -> None:
    dreamt(vault)
    assert vault.run("review", "list").code == 0
    text = vault.read("review.md")
    first, *_, last = blocks(vault).values()
    vault.write("review.md", text[: last.start] + text[last.start :].replace("- [ ] accept", "- [x] accept", 1))
    committed(vault)
    whole, text = text[first.start : first.end], vault.read("review.md")
    bare = text.replace(whole, "")
    vault.write("review.md", bare.replace("- [x] accept", f"{whole.partition('- [ ] accept')[0]}- [x] accept", 1))
    committed(vault, AGENT)
    done = vault.run("review", "apply")
    assert done.out == "" and "ticked by an agent's commit: it does not count" in done.err, done
    assert len(waiting(vault, DREAM)) == 3


@pytest.mark.parametrize("kind", ["action", "proposal"])
def test_p4_a_ticked_copy_in_an_agents_commit_is_none_of_a_persons(vault: Folder, kind: str) -> None:
    if kind == "action":
        dreamt(vault)
        vault.run("review", "list")
    else:
        captured(vault, "Norrland")
        consolidate(vault)
    text = vault.read("review.md")
    one = next(iter(blocks(vault).values()))
    copy = text[one.start : one.end].replace("- [ ] accept", "- [x] accept")
    vault.write("review.md", f"{text}\n{copy}")
    committed(vault, AGENT)
    done = vault.run("review", "apply")
    assert done.out == "" and "stands here twice: delete one of the two" in done.err, done
    assert not vault.exists("concepts") and (kind == "proposal" or len(waiting(vault, DREAM)) == 3)


def test_a_block_that_an_agents_commit_deleted_is_not_declined(proposed: Folder) -> None:
    one, text = blocks(proposed)["Norrland"], proposed.read("review.md")
    proposed.write("review.md", text[: one.start] + text[one.end :])
    committed(proposed, AGENT)
    consolidate(proposed)
    assert not proposed.exists(".vaultgit/declined.md")


# -- ids that history has ------------------------------------------------------------------------------------------


def test_p4_an_agents_commit_that_carries_the_id_swallows_no_acceptance(proposed: Folder) -> None:
    one_id = blocks(proposed)["Norrland"].id
    proposed.write("notes/x.md", "x\n")
    proposed.git("add", "notes")
    proposed.git("commit", "--quiet", "--no-verify", "-m", f"notes/x: y\n\nAgent: codex\nEdit: {one_id}", "notes")
    claimed = proposed.git("rev-parse", "HEAD")[:10]
    tick(proposed, "Norrland")
    for _ in range(2):
        done = consolidate(proposed, "--apply", code=1)
        assert f"an agent's commit {claimed} has its id, as if it were done: change a digit of it" in done.err
        assert "Norrland" in blocks(proposed) and not proposed.exists("concepts")
    digit = next(sign for sign in one_id[::-1] if sign.isdigit())
    other = one_id[::-1].replace(digit, "0" if digit != "0" else "1", 1)[::-1]
    replaced(proposed, f"<!-- vaultgit {one_id} -->", f"<!-- vaultgit {other} -->")
    assert consolidate(proposed, "--apply").out.startswith("accepted concepts/Norrland.md ")
    assert other in edits(proposed) and "Norrland" not in blocks(proposed)
    assert not proposed.exists(".vaultgit/declined.md")


def test_p4_a_deleted_block_whose_id_an_agents_commit_carries_is_declined_all_the_same(proposed: Folder) -> None:
    one, text = blocks(proposed)["Norrland"], proposed.read("review.md")
    proposed.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", f"x: y\n\nAgent: codex\nEdit: {one.id}")
    proposed.write("review.md", text[: one.start] + text[one.end :])
    consolidate(proposed)
    assert f"^{one.id}" in proposed.read(".vaultgit/declined.md")


def test_an_acceptance_that_a_forge_squashed_is_one(proposed: Folder) -> None:
    """The run was killed before it wrote review.md, and the note is gone since."""
    one_id = blocks(proposed)["Norrland"].id
    message = f"Squashed\n\n  Accepted in review.md.\n\n  Proposed-by: consolidate@vaultgit\n  Edit: {one_id}"
    proposed.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", message)
    tick(proposed, "Norrland")
    assert data(proposed, "--apply")["applied"] == []
    assert "Norrland" not in blocks(proposed) and not proposed.exists("concepts")
