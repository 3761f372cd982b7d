"""What was ticked in review.md is done once, as the person's, and what was rejected stays away (promises P3, P4)."""

from __future__ import annotations

import pytest
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import data
from consolidating import edits
from consolidating import head
from consolidating import line
from consolidating import sound
from consolidating import tick
from support import Folder

from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.consolidate import proposals


def test_accepted_becomes_the_persons_edit_with_the_blocks_id(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    wanted = blocks(vault)["Norrland"]
    tick(vault, "Norrland")
    done = data(vault, "--apply")
    assert [(one["id"], one["path"], one["outcome"]) for one in done["applied"]] == [
        (wanted.id, "concepts/Norrland.md", "committed")
    ]
    assert vault.read("concepts/Norrland.md") == wanted.draft
    oid = done["applied"][0]["oid"]
    said = vault.git("show", "-s", "--format=%an|%ae|%s|%(trailers:only,separator=%x2C)", oid)
    assert said == (
        f"Test Person|test@example.invalid|concepts/Norrland: new concept, from 2 captures"
        f"|Proposed-by: consolidate@vaultgit,Edit: {wanted.id}"
    )
    assert f"^{wanted.id}" in vault.read("changelog.md")
    assert list(blocks(vault)) == ["Vestmark"] == [one["title"] for one in done["waiting"]]
    assert vault.git("status", "--porcelain") == ""
    sound(vault)


def test_rejected_is_remembered_by_what_it_is_about(vault: Folder) -> None:
    captured(vault, "New Haven % Harbour")
    consolidate(vault)
    one_id = blocks(vault)["New Haven % Harbour"].id
    tick(vault, "New Haven % Harbour", "reject", old="name: New", new="name: Old")
    consolidate(vault, "--apply")
    assert (
        vault.read(".vaultgit/declined.md") == f"- 2026-11-29 proposal concept new%20haven%20%25%20harbour ^{one_id}\n"
    )
    captured(vault, "New Haven % Harbour", days=("2026-11-03", "2026-11-04"))
    assert data(vault)["proposed"] == []
    vault.write(".vaultgit/declined.md", "")
    vault.commit("allowed again")
    captured(vault, "New Haven % Harbour", days=("2026-11-05", "2026-11-06"))
    assert [one["title"] for one in data(vault)["proposed"]] == ["New Haven % Harbour"]
    sound(vault)


def test_what_review_declines_is_not_touched_by_our_lines(vault: Folder) -> None:
    from reviewing import opened

    from vaultgit.passes import review

    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland", "reject")
    consolidate(vault, "--apply")
    with opened(vault) as found:
        assert not any(key.startswith(("molt ", "dream ")) for key in review.declined(found))
        assert proposals.declined(found) == {("concept", "norrland")}


def test_a_note_that_is_there_by_then_and_says_the_same(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.write("concepts/Norrland.md", "\ufeff" + (blocks(vault)["Norrland"].draft or "").replace("\n", "\r\n"))
    vault.commit("by hand", "concepts")
    before = vault.bytes("concepts/Norrland.md")
    assert [one["outcome"] for one in data(vault, "--apply")["applied"]] == ["unchanged"]
    assert vault.bytes("concepts/Norrland.md") == before and blocks(vault) == {} and edits(vault) == []


def test_a_note_that_is_there_by_then_keeps_all_and_gets_the_drafts_body(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    mine = (
        "---\r\ntype: concept\r\nname: The North\r\nsources: []\r\nmine: yes\r\n---\r\n# Norrland\r\n\r\nA place.\r\n"
    )
    vault.write("concepts/Norrland.md", mine)
    vault.commit("by hand", "concepts")
    vault.write("concepts/Norrland.md", mine + "not in git yet\r\n")
    tick(vault, "Norrland")
    assert [one["outcome"] for one in data(vault, "--apply")["applied"]] == ["committed"]
    now = vault.bytes("concepts/Norrland.md").decode()
    assert now.startswith(mine + "not in git yet\r\n\r\n- context: “the depot")
    assert now.count("# Norrland") == 1 and now.count("---") == 2 and now.count("\n") == now.count("\r\n")
    assert "not in git yet" not in vault.git("show", "HEAD:concepts/Norrland.md")
    sound(vault)


@pytest.mark.parametrize("there", ["# Norrland\n\nmine, no type\n", "---\ntype: person\n---\nmine\n"])
def test_p4_a_note_it_cannot_be_merged_with_sends_it_whole_to_the_inbox(vault: Folder, there: str) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    draft = blocks(vault)["Norrland"].draft or ""
    vault.write("concepts/Norrland.md", there)
    tick(vault, "Norrland")
    done = consolidate(vault, "--apply")
    assert done.out.startswith("inbox ") and "concepts/Norrland.md: a note of your own is there" in done.err
    [path] = vault.git("ls-tree", "-r", "--name-only", "HEAD", "inbox").splitlines()
    assert draft in vault.read(path) and vault.read("concepts/Norrland.md") == there
    assert blocks(vault) == {} and vault.git("log", "-1", "--format=%an", "--", path) == "Test Person"
    assert vault.run("inbox", "accept", "1", "--whole").code == 0
    assert vault.read("concepts/Norrland.md") == draft
    sound(vault)


def test_an_empty_file_that_obsidian_made_becomes_the_note(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    vault.write("concepts/Norrland.md", "\n")
    tick(vault, "Norrland")
    draft = blocks(vault)["Norrland"].draft
    consolidate(vault, "--apply")
    assert vault.read("concepts/Norrland.md") == draft


def test_an_addition_to_a_note_that_is_gone_stays(vault: Folder) -> None:
    vault.write("concepts/norrland.md", "---\ntype: concept\nname: Norrland\nsources: []\n---\nA place.\n")
    vault.commit("mine")
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "norrland")
    vault.git("mv", "concepts/norrland.md", "concepts/north.md")
    vault.commit("moved")
    before = vault.read("review.md")
    done = consolidate(vault, "--apply", code=1)
    assert "concepts/norrland.md is not there any more: mend `path`" in done.err
    assert vault.read("review.md").startswith(before)
    vault.write("review.md", vault.read("review.md").replace("path: concepts/norrland.md", "path: concepts/north.md"))
    consolidate(vault, "--apply")
    assert "A place.\n\n- context: " in vault.read("concepts/north.md") and "not done" not in vault.read("review.md")


def test_a_block_that_a_person_removed_does_not_come_back_though_a_capture_mentions_it_again(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    one, text = blocks(vault)["Norrland"], vault.read("review.md")
    vault.write("review.md", text[: one.start] + text[one.end :])
    assert data(vault)["proposed"] == [] and set(blocks(vault)) == {"Vestmark"}
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    assert [one["title"] for one in data(vault)["proposed"]] == ["Ostholm"]
    captured(vault, "Norrland", days=("2026-11-05", "2026-11-06"))
    assert data(vault)["proposed"] == []


def test_a_decision_that_needs_its_project_is_done_after_it(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    text = vault.read("review.md")
    decision = '---\ntype: decision\ndate: 2026-11-01\nproject: "[[projects/apollo]]"\n---\nCents.\n'
    project = "---\ntype: project\nname: apollo\nstatus: active\n---\n"
    made = [
        Block(f"01jdx3k9m2qtw7a{tail}", name, (("path", path), ("type", kind), ("action", "create")), draft, "accept")
        for tail, name, path, kind, draft in (
            ("b", "Cents", "decisions/cents.md", "decision", decision),
            ("c", "apollo", "projects/apollo.md", "project", project),
        )
    ]
    vault.write("review.md", reviewfile.put(text, made))
    assert [one["path"] for one in data(vault, "--apply")["applied"]] == ["projects/apollo.md", "decisions/cents.md"]
    assert "[[decisions/cents]]" in vault.read("projects/apollo.md")
    assert list(blocks(vault)) == ["Norrland"]
    sound(vault)


def test_a_block_that_stands_twice_is_done_by_neither(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    one = blocks(vault)["Norrland"]
    text = vault.read("review.md")
    vault.write("review.md", text + "\n" + text[one.start : one.end].replace("# Norrland", "# Elsewhere"))
    done = consolidate(vault, "--apply")
    assert done.err.count("stands here twice: delete one of the two") == 1 and done.out == ""
    assert not vault.exists("concepts/Norrland.md")


def test_an_agents_tick_does_not_count_nor_becomes_a_persons(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.git("commit", "-qam", "ticked", "--no-verify", "-m", "Agent: codex\nEdit: 0123456789abcdef")
    at = line(vault, "- [x] accept")
    done = consolidate(vault, "--apply")
    words = "ticked by an agent's commit: it does not count; read it, untick it, run this again, then tick it"
    assert done.err == f"review.md:{at}: Norrland: {words}\n"
    assert not vault.exists("concepts/Norrland.md")
    # An agent's run commits nothing that lies in the file as if a person had written it, and decides nothing.
    tick(vault, "Vestmark")
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    before = head(vault), vault.snapshot()
    done = consolidate(vault, env={"CLAUDECODE": "1"})
    assert "review.md has text of a person's that is not in git yet" in done.err
    assert (head(vault), vault.snapshot()) == before
    assert "for a person to decide" in consolidate(vault, "--apply", code=1, env={"VAULTGIT_AGENT": "codex"}).err
    vault.git("checkout", "-q", "review.md")
    assert [one["title"] for one in data(vault, env={"CLAUDECODE": "1"})["proposed"]] == ["Ostholm"]
    assert vault.git("log", "-1", "--format=%an|%(trailers)") == "Test Person|"


def test_blocks_of_review_branches_are_not_ours(vault: Folder) -> None:
    from reviewing import dreamt

    dreamt(vault)
    vault.run("review", "list")
    captured(vault, "Norrland")
    consolidate(vault)
    listed = vault.run("review", "list")
    assert "proposals: 1 in review.md" in listed.out and "dream/2026-11-29  3 suggestions" in listed.out
    of_branch = [title for title, one in blocks(vault).items() if title != "Norrland"]
    assert len(of_branch) == 3
    tick(vault, of_branch[0])
    before = vault.read("review.md")
    consolidate(vault, "--apply")
    assert vault.read("review.md") == before
    tick(vault, "Norrland")
    done = vault.run("review", "apply")
    assert (
        done.code == 0
        and done.out.splitlines()[0].startswith("accepted skills/")
        and "accepted concepts/Norrland.md" in done.out
    )
    assert len(blocks(vault)) == 2 and vault.exists("concepts/Norrland.md")
    sound(vault)


def test_p3_what_a_person_has_staged_stays_and_is_named(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.git("add", "review.md")
    tick(vault, "Vestmark", "reject")
    before = vault.read("review.md"), vault.git("rev-parse", ":review.md")
    for _ in range(2):
        done = consolidate(vault, "--apply", code=1)
        assert "review.md:1: review.md: is staged, and not committed: git commit review.md" in done.err
        assert (vault.read("review.md"), vault.git("rev-parse", ":review.md")) == before
        assert len(edits(vault)) == 1 and not vault.exists("inbox")
    vault.git("commit", "-qm", "mine", "--no-verify", "review.md")
    assert consolidate(vault, "--apply").out == "rejected Vestmark\n"
    assert blocks(vault) == {} and len(edits(vault)) == 1
    sound(vault)


def test_a_line_taken_out_of_declined_md_is_no_conflict(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland", "reject")
    consolidate(vault, "--apply")
    vault.write(".vaultgit/declined.md", "")
    tick(vault, "Vestmark", "reject")
    consolidate(vault, "--apply")
    assert vault.read(".vaultgit/declined.md").count("\n") == 1 and "vestmark" in vault.read(".vaultgit/declined.md")
    assert blocks(vault) == {} and vault.git("status", "--porcelain") == ""


def test_in_a_vault_inside_a_larger_repository(vault: Folder) -> None:
    """Paths of git and of the vault are not the same there."""
    outer = Folder(vault.root.parent / "outer")
    outer.write("code.py", "x = 1\n")
    inside = Folder(outer.root / "notes")
    for path, text in vault.snapshot().items():
        inside.write(path, text)
    outer.git("init", "-q")
    outer.commit("all")
    captured(inside, "Norrland", "Vestmark")
    consolidate(inside)
    assert outer.git("diff", "--name-only", "HEAD^") == "notes/review.md"
    tick(inside, "Norrland")
    tick(inside, "Vestmark", "reject")
    consolidate(inside)
    assert inside.exists("concepts/Norrland.md") and blocks(inside) == {}
    assert outer.git("status", "--porcelain") == ""
    captured(inside, "Vestmark", days=("2026-11-03", "2026-11-04"))
    assert "nothing recurs in the captures that is not there already" in consolidate(inside).err
