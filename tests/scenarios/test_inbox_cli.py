"""The inbox by the real command line: what a person decides about a suggestion is remembered, however they say it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import Folder
from support import Result

ADA = "people/ada-lovelace.md"
TEA = b"- likes tea\n"
DECLINED = ".vaultgit/declined.md"


def propose(vault: Folder, text: bytes = TEA, target: str = ADA, agent: str = "codex", *more: str) -> Result:
    args = ("inbox", "add", "--target", target, "--reason", "heard once", "--agent", agent, *more)
    return vault.run(*args, stdin=text)


def edits(vault: Folder) -> int:
    return vault.git("log", "--format=%B").count("\nEdit: ")


def waiting(vault: Folder) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(vault.run("inbox", "list", "--json").out)
    return found


def proposed(vault: Folder, text: bytes = TEA, target: str = ADA) -> str:
    """The path of the inbox note of a new suggestion."""
    done = propose(vault, text, target, "codex", "--json")
    assert done.code == 0, done
    answer = json.loads(done.out)
    assert answer["outcome"] == "inbox", answer
    path: str = answer["inbox"]
    return path


def is_known(vault: Folder, *words: str, text: bytes = TEA, target: str = ADA) -> None:
    """The same suggestion again changes nothing, and is told why in words."""
    before = edits(vault), vault.snapshot().keys()
    done = propose(vault, text, target, "claude-code", "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["outcome"]) == (0, "unchanged"), done
    assert all(word in answer["reason"] for word in words), answer["reason"]
    assert edits(vault) == before[0] and {p for p in vault.snapshot() if p.startswith("inbox/")} == {
        p for p in before[1] if p.startswith("inbox/")
    }


# -- accepted ----------------------------------------------------------------------------------------------------


def test_p4_a_suggestion_is_accepted_with_what_the_person_wrote_into_it_and_both_texts_are_remembered(
    vault: Folder,
) -> None:
    path = proposed(vault)
    vault.write(path, vault.read(path).replace("likes tea", "likes green tea"))  # in Obsidian, not committed
    assert vault.run("inbox", "accept", "1").code == 0
    assert vault.read(ADA).endswith("Born 1815.\n- likes green tea\n")
    assert not vault.exists(path) and vault.git("status", "--porcelain") == ""
    assert vault.git("log", "-1", "--format=%an|%(trailers:key=Proposed-by,valueonly)").strip() == (
        "Test Person|inbox@codex"
    )
    is_known(vault, "accepted it on 2026-11-29", vault.git("rev-parse", "HEAD")[:10])
    is_known(vault, "accepted it on 2026-11-29", text=b"- likes green tea\n")
    proposed(vault, b"- likes coffee\n")


def test_inbox_edit_accepts_with_the_text_of_standard_input(vault: Folder) -> None:
    path = proposed(vault)
    done = vault.run("inbox", "edit", "1", stdin=b"- likes green tea\n")
    assert done.code == 0 and done.out.startswith("committed "), done
    assert "- likes green tea\n" in vault.read(ADA) and not vault.exists(path)
    is_known(vault, "accepted it on 2026-11-29")


def test_inbox_edit_opens_the_persons_editor_on_the_text_alone(vault: Folder, tmp_path: Path) -> None:
    proposed(vault)
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\ncp "$1" {tmp_path}/seen\nsed -i s/tea/cocoa/ "$1"\ntouch -d +5sec "$1"\n')
    editor.chmod(0o755)
    done = terminal(vault, "inbox", "edit", "1", env={"GIT_EDITOR": str(editor)})
    assert "committed " in done, done
    assert (tmp_path / "seen").read_bytes() == TEA
    assert "- likes cocoa\n" in vault.read(ADA)


def terminal(vault: Folder, *args: str, env: dict[str, str]) -> str:
    """The command line on a terminal of its own; what it printed."""
    import pty
    import subprocess
    import sys

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "vaultgit", *args], cwd=vault.root, stdin=theirs, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, **env},
    ) as process:  # fmt: skip
        os.close(theirs)
        said, _ = process.communicate(timeout=60)
    os.close(ours)
    return said.decode()


@pytest.mark.parametrize("given", [TEA, b" \n"])
def test_inbox_edit_that_changes_nothing_accepts_nothing(vault: Folder, given: bytes) -> None:
    path = proposed(vault)
    done = vault.run("inbox", "edit", "1", stdin=given)
    assert (done.code, done.out) == (0, "unchanged\n") and "vaultgit inbox accept 1" in done.err
    assert vault.exists(path) and "tea" not in vault.read(ADA)


def test_p3_a_text_that_cannot_be_accepted_now_is_kept_in_the_inbox_note(vault: Folder) -> None:
    path = conflict(vault)
    done = vault.run("inbox", "edit", path, stdin=vault.read(ADA).replace("1816", "1800").encode() + b"mine\n")
    assert done.code == 1 and "ED01" in done.err and f"it stands in {path}" in done.err, done
    assert "mine" in vault.read(path) and vault.git("status", "--porcelain") == ""
    assert vault.run("inbox", "accept", path, "--whole").code == 0
    assert vault.read(ADA).endswith("mine\n")


def test_deciding_is_a_persons(vault: Folder) -> None:
    proposed(vault)
    for args in (("accept", "1"), ("reject", "1"), ("edit", "1")):
        refused = vault.run("inbox", *args, env={"CLAUDECODE": "1"}, stdin=b"x\n")
        assert refused.code == 1 and "for a person to decide" in refused.err
    assert len(waiting(vault)) == 1


# -- declined ----------------------------------------------------------------------------------------------------


def test_what_is_rejected_does_not_come_back_until_its_line_goes(vault: Folder) -> None:
    proposed(vault)
    assert vault.run("inbox", "reject", "1", "--reason", "that was her sister").code == 0
    is_known(vault, "declined this on 2026-11-29", DECLINED)
    vault.write(DECLINED, re.sub(r"(?m)^- .*\n", "", vault.read(DECLINED)))  # on disk is enough
    proposed(vault)


def test_what_a_person_edited_and_then_rejected_does_not_come_back_either_way(vault: Folder) -> None:
    path = proposed(vault)
    vault.write(path, vault.read(path).replace("likes tea", "likes green tea"))
    assert vault.run("inbox", "reject", path).code == 0
    is_known(vault, "declined")
    is_known(vault, "declined", text=b"- likes green tea\n")


def test_a_number_means_the_same_note_after_a_person_edited_one(vault: Folder) -> None:
    for target in (ADA, "projects/nova.md", "people/Dad.md"):
        proposed(vault, target=target)
    listed = vault.run("inbox", "list").out.splitlines()
    assert len(listed) == 3 and all(line.endswith("codex: heard once  “- likes tea”") for line in listed)
    before = [note["path"] for note in waiting(vault)]
    vault.write(before[0], vault.read(before[0]).replace("likes tea", "likes green tea"))
    assert [note["path"] for note in waiting(vault)] == before
    assert vault.run("inbox", "accept", "1").code == 0
    assert not vault.exists(before[0]) and [note["path"] for note in waiting(vault)] == before[1:]
    assert vault.run("inbox", "reject", "nova").code == 0
    assert [note for note in before if vault.exists(note)] == [path for path in before[1:] if "nova" not in path]


def test_a_file_that_a_person_deletes_is_declined_at_once(vault: Folder) -> None:
    path = proposed(vault)
    (vault.root / path).unlink()
    is_known(vault, "a person deleted it", path)
    assert not vault.exists(DECLINED), "nothing is written down that they may still take back"
    vault.git("checkout", "--", path)
    is_known(vault, "it waits already", path)
    vault.git("rm", "--quiet", path)
    is_known(vault, "a person deleted it", path)


def test_a_deletion_that_a_person_committed_gets_a_line_that_they_can_take_out(vault: Folder) -> None:
    path = proposed(vault)
    (vault.root / path).unlink()
    vault.commit("vault backup: 2026-11-29 21:20:00")
    is_known(vault, "a person deleted it on 2026", path)
    assert re.fullmatch(rf"- 2026-11-29 inbox {re.escape(ADA)} [0-9a-f]{{16}} \^\w{{16}}\n", vault.read(DECLINED))
    assert vault.git("log", "-1", "--format=%an %s") == f"Test Person vaultgit: declined {path.removesuffix('.md')}"
    assert vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0
    is_known(vault, "declined this on 2026-11-29")
    (vault.root / DECLINED).unlink()
    proposed(vault)  # history still knows that the file was deleted, and that the line was
    assert vault.run("inbox", "accept", "1").code == 0


def test_a_line_that_a_person_took_out_and_committed_allows_it_too_and_a_second_deletion_declines_again(
    vault: Folder,
) -> None:
    for _ in range(2):
        path = proposed(vault)
        (vault.root / path).unlink()
        vault.commit("backup")
        is_known(vault, "a person deleted it")
        is_known(vault, "declined this on 2026-11-29")
        (vault.root / DECLINED).unlink()
        vault.commit("give it another chance")


def test_an_agents_own_withdrawal_declines_nothing(vault: Folder) -> None:
    path = proposed(vault)
    assert vault.run("delete", path, "--agent", "codex").code == 0
    proposed(vault)


def test_a_note_with_another_name_still_waits(vault: Folder) -> None:
    path = proposed(vault)
    os.rename(vault.root / path, vault.root / "inbox/about tea.md")
    is_known(vault, "it waits already", "about tea")
    vault.commit("renamed by hand")
    is_known(vault, "it waits already", "about tea")
    assert vault.run("inbox", "accept", "1").code == 0
    is_known(vault, "accepted it on")


def test_a_note_that_a_person_changed_still_waits_for_them(vault: Folder) -> None:
    path = proposed(vault)
    vault.write(path, vault.read(path).replace("likes tea", "likes green tea"))
    is_known(vault, "it waits already", path)
    vault.commit("backup")
    is_known(vault, "it waits already", path)


def test_a_note_that_a_person_filed_away_is_decided(vault: Folder) -> None:
    path = proposed(vault)
    (vault.root / "archive").mkdir()
    os.rename(vault.root / path, vault.root / "archive/old.md")
    vault.commit("filed away")
    is_known(vault, "a person deleted it", path)


def test_an_acceptance_that_is_taken_back_waits_again(vault: Folder) -> None:
    path = proposed(vault)
    assert vault.run("inbox", "accept", "1").code == 0
    assert vault.run("undo", "HEAD").code == 0
    is_known(vault, "it waits already", path)
    (vault.root / path).unlink()
    vault.commit("no, after all")
    is_known(vault, "a person deleted it")


def test_a_deletion_on_a_branch_that_was_merged_counts(vault: Folder) -> None:
    path = proposed(vault)
    vault.git("checkout", "--quiet", "-b", "phone")
    (vault.root / path).unlink()
    vault.commit("deleted on the phone")
    vault.git("checkout", "--quiet", "main")
    vault.write("Home.md", "# Home, elsewhere\n")
    vault.commit("other work")
    vault.git("merge", "--quiet", "--no-edit", "phone")
    is_known(vault, "a person deleted it")


def test_an_acceptance_on_a_branch_that_was_merged_is_no_rejection(vault: Folder) -> None:
    proposed(vault)
    vault.git("checkout", "--quiet", "-b", "laptop")
    assert vault.run("inbox", "accept", "1").code == 0
    vault.git("checkout", "--quiet", "main")
    vault.write("Home.md", "# Home, elsewhere\n")
    vault.commit("other work")
    vault.git("merge", "--quiet", "--no-edit", "laptop")
    is_known(vault, "accepted it on")


@pytest.mark.parametrize("target", ['notes/ein "Wort": für Ada.md', "日本/猫.md", "notes/c#.md"])
def test_odd_names_are_remembered(vault: Folder, target: str) -> None:
    vault.write(target, "x\n")
    vault.commit()
    path = proposed(vault, target=target)
    (vault.root / path).unlink()
    vault.commit("backup")
    is_known(vault, "a person deleted it", target=target)


def test_a_mapped_inbox_is_remembered(vault: Folder) -> None:
    vault.write(".vaultgit.toml", '[layout]\ninbox = "00 Eingang"\n')
    vault.commit("mapped")
    path = proposed(vault)
    assert path.startswith("00 Eingang/")
    (vault.root / path).unlink()
    vault.commit("backup")
    is_known(vault, "a person deleted it")


# -- what did not merge ------------------------------------------------------------------------------------------


def conflict(vault: Folder, code: int = 0) -> str:
    """An edit from a stale base that does not merge with what the person wrote; the path of its inbox note."""
    base = vault.git("rev-parse", f":{ADA}") if code == 0 else ""
    text = vault.read(ADA)
    vault.write(ADA, text.replace("1815", "1816"))
    vault.commit("by hand")
    done = vault.run(
        "write", ADA, "--base", base, "--agent", "codex", "--json", stdin=text.replace("1815", "1817").encode()
    )
    answer = json.loads(done.out)
    assert answer["outcome"] == "inbox", answer
    path: str = answer["inbox"]
    return path


def test_p4_a_text_that_did_not_merge_and_was_declined_is_not_put_into_the_inbox_again(vault: Folder) -> None:
    text, base = vault.read(ADA), vault.git("rev-parse", f":{ADA}")
    path = conflict(vault)
    (vault.root / path).unlink()
    vault.commit("backup")
    again = ("write", ADA, "--base", base, "--agent", "claude-code", "-m", "people/ada: 1817", "--json")
    done = vault.run(*again, stdin=text.replace("1815", "1817").encode())
    answer = json.loads(done.out)
    assert (done.code, answer["outcome"]) == (0, "unchanged") and "a person deleted it" in answer["reason"], answer
    assert waiting(vault) == [] and os.listdir(vault.root / ".git/vaultgit/state/queue") == []
    other = vault.run(*again, stdin=text.replace("1815", "1818").encode())
    assert json.loads(other.out)["outcome"] == "inbox", other


def test_p2_what_was_queued_waits_in_the_inbox_though_it_was_declined_before(vault: Folder) -> None:
    text, base = vault.read(ADA), vault.git("rev-parse", f":{ADA}")
    path = conflict(vault)
    (vault.root / path).unlink()
    vault.commit("backup")
    vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
    again = ("write", ADA, "--base", base, "--agent", "claude-code", "-m", "people/ada: 1817")
    assert vault.run(*again, stdin=text.replace("1815", "1817").encode()).code == 75
    (vault.root / ".git/MERGE_HEAD").unlink()
    assert vault.run("status").code == 0
    assert len(waiting(vault)) == 1, "it was acknowledged, so that it ends as a commit or as an inbox note"


def conflicting(vault: Folder) -> str:
    """The inbox note of an agent's text that conflicts with what a person committed since."""
    read = json.loads(vault.run("read", ADA, "--json").out)
    vault.write(ADA, read["text"].replace("Born 1815.", "Born in London."))
    vault.commit("where")
    agents = read["text"].replace("Born 1815.", "Born in December.").encode()
    done = vault.run("write", ADA, "--base", read["oid"], "--agent", "codex", "--json", stdin=agents)
    path: str = json.loads(done.out)["inbox"]
    assert path, done
    return path


def test_a_conflicting_write_sent_again_is_told_where_it_is(vault: Folder) -> None:
    read = json.loads(vault.run("read", ADA, "--json").out)
    path = conflicting(vault)
    agents = read["text"].replace("Born 1815.", "Born in December.").encode()
    args = ("write", ADA, "--base", read["oid"], "--agent", "codex", "--json")
    again = json.loads(vault.run(*args, stdin=agents).out)
    assert (again["outcome"], "waits in the inbox" in again["reason"]) == ("unchanged", True), again
    assert vault.run("inbox", "reject", path).code == 0
    again = json.loads(vault.run(*args, stdin=agents).out)
    assert (again["outcome"], "has decided" in again["reason"]) == ("unchanged", True), again


def test_p4_a_conflict_that_a_person_settled_in_the_note_is_accepted(vault: Folder) -> None:
    path = conflicting(vault)
    refused = vault.run("inbox", "accept", "1")
    assert refused.code == 1 and "ED01" in refused.err and "accept --whole" in refused.err and vault.exists(path)
    vault.write(path, vault.read(path).replace("Born in December.", "Born in London, in December."))
    assert vault.run("inbox", "accept", "1", "--whole").code == 0
    assert "Born in London, in December." in vault.read(ADA)
    assert not vault.exists(path) and vault.git("status", "--porcelain") == ""


@pytest.mark.parametrize("args", [("accept", "1"), ("accept", "1", "--whole"), ("edit", "1")])
def test_p3_what_cannot_go_with_text_that_is_not_in_git_is_refused_and_nothing_multiplies(
    vault: Folder, args: tuple[str, ...]
) -> None:
    path = conflicting(vault)
    vault.write(ADA, vault.read(ADA).replace("Born in London.", "Born in London, says the person."))
    before = vault.snapshot(), vault.git("rev-parse", "HEAD")
    given = vault.read(ADA).replace("Born in London, says the person.", "Born, says codex.").encode()
    done = vault.run("inbox", *args, stdin=given if args[0] == "edit" else b"")
    assert done.code == 1 and "ED01" in done.err
    if args[0] != "edit":  # which keeps the person's words in the inbox note
        assert (vault.snapshot(), vault.git("rev-parse", "HEAD")) == before
    assert [note["path"] for note in waiting(vault)] == [path]


def test_accepting_when_the_target_is_gone_or_elsewhere(vault: Folder) -> None:
    path = conflict(vault)
    vault.write("people/old/ada-lovelace.md", vault.read(ADA))
    (vault.root / ADA).unlink()
    vault.commit("moved past vaultgit")
    refused = vault.run("inbox", "accept", path)
    assert refused.code == 1 and "there is people/old/ada-lovelace.md" in refused.err and "--whole" in refused.err
    vault.write(path, vault.read(path).replace("[[people/ada-lovelace]]", "[[people/old/ada-lovelace]]"))
    still = vault.run("inbox", "accept", path)
    assert still.code == 1 and "does not merge" in still.err
    assert vault.run("inbox", "accept", path, "--whole").code == 0
    assert "Born 1817." in vault.read("people/old/ada-lovelace.md") and not vault.exists(ADA)


def test_accepting_when_the_target_is_deleted_makes_it_anew(vault: Folder) -> None:
    path = conflict(vault)
    (vault.root / ADA).unlink()
    vault.commit("deleted")
    assert vault.run("inbox", "accept", path).code == 0
    assert "Born 1817." in vault.read(ADA)


def test_several_notes_for_one_target_are_accepted_one_after_the_other(vault: Folder) -> None:
    for text in (b"- one\n", b"- two\n", b"- three\n"):
        proposed(vault, text)
    assert [note["target"] for note in waiting(vault)] == ["people/ada-lovelace"] * 3
    assert vault.run("inbox", "accept", "2").code == 0
    assert vault.run("inbox", "reject", "2").code == 0
    assert vault.run("inbox", "accept", "1").code == 0
    assert sorted(vault.read(ADA).splitlines()[-2:]) == ["- one", "- two"] and waiting(vault) == []
    is_known(vault, "declined this", text=b"- three\n")
    for text in (b"- one\n", b"- two\n"):
        is_known(vault, "accepted it", text=text)


def test_show_and_list_as_json(vault: Folder) -> None:
    path = proposed(vault)
    [row] = waiting(vault)
    assert row["path"] == path and row["agent"] == "codex" and row["reason"] == "heard once"
    shown = json.loads(vault.run("inbox", "show", "1", "--json").out)
    assert (shown["path"], shown["target"], shown["action"], shown["text"]) == (path, ADA, "append", TEA.decode())


# -- at once, and before it has landed ---------------------------------------------------------------------------


def at_once(vault: Folder, *commands: tuple[str, ...]) -> list[int]:
    started = [
        subprocess.Popen([sys.executable, "-P", "-m", "vaultgit", *args], cwd=vault.root, stderr=subprocess.DEVNULL)
        for args in commands
    ]
    return sorted(process.wait(60) for process in started)


def test_two_that_accept_at_once_bring_the_text_in_once(vault: Folder) -> None:
    for number in range(3):
        path = proposed(vault, b"- number %d\n" % number)
        assert at_once(vault, *[("inbox", "accept", path)] * 3) == [0, 2, 2]
        assert vault.read(ADA).count(f"- number {number}\n") == 1 and waiting(vault) == []


def test_accepting_and_rejecting_at_once_is_one_of_both(vault: Folder) -> None:
    for number in range(3):
        path, text = proposed(vault, b"- number %d\n" % number), f"- number {number}\n"
        assert at_once(vault, ("inbox", "accept", path), ("inbox", "reject", path)) == [0, 2]
        declined = vault.read(DECLINED).count("inbox") if vault.exists(DECLINED) else 0
        assert declined + vault.read(ADA).count("- number ") == number + 1, text


def test_what_is_decided_and_waits_to_land_is_not_decided_again(vault: Folder) -> None:
    path = proposed(vault)
    vault.git("checkout", "--quiet", "--detach")
    assert vault.run("inbox", "accept", path).code == 75
    for verb in ("accept", "reject"):
        done = vault.run("inbox", verb, path)
        assert (done.code, done.out) == (0, "unchanged\n") and "decided already" in done.err, done
    vault.git("checkout", "--quiet", "-")
    assert vault.run("status").code == 0
    assert vault.read(ADA).count("- likes tea\n") == 1 and not vault.exists(DECLINED)


def test_a_suggestion_that_waits_to_land_is_known(vault: Folder) -> None:
    vault.git("checkout", "--quiet", "--detach")
    assert propose(vault).code == 75
    is_known(vault, "waits to land")
    vault.git("checkout", "--quiet", "-")
    assert vault.run("status").code == 0
    assert len(waiting(vault)) == 1


# -- notes that somebody changed ---------------------------------------------------------------------------------


def changed(vault: Folder, old: str, new: str) -> str:
    path = proposed(vault)
    assert old in vault.read(path)
    vault.write(path, vault.read(path).replace(old, new))
    return path


@pytest.mark.parametrize("target", ["../outside", ".git/config", "links/out", "links/config", ".hidden"])
def test_show_reads_nothing_that_is_not_to_be_read(vault: Folder, target: str) -> None:
    (vault.root.parent / "outside.md").write_text("[core] of somebody else\n")
    vault.write(".hidden.md", "[core] hidden\n")
    (vault.root / "links").mkdir()
    os.symlink("../../outside.md", vault.root / "links/out.md")
    os.symlink("../.git/config", vault.root / "links/config.md")
    path = changed(vault, f"[[{ADA[:-3]}]]", f"[[{target}]]")
    vault.write(path, vault.read(path).replace("action: append", "action: write"))
    shown = vault.run("inbox", "show", path)
    assert shown.code == 0 and "cannot be accepted" in shown.err and "[core]" not in shown.out, shown
    assert vault.run("inbox", "accept", path).code == 1


def test_a_base_is_an_oid_and_no_name(vault: Folder) -> None:
    vault.write(".vaultgit/kept.md", "not of this note\n")
    vault.commit("kept")
    path = changed(vault, vault.git("rev-parse", f"HEAD:{ADA}"), '"HEAD:.vaultgit/kept.md"')
    vault.write(path, vault.read(path).replace("action: append", "action: write"))
    assert "not of this note" not in vault.run("inbox", "show", path).out


def test_an_action_that_there_is_not_is_none(vault: Folder) -> None:
    path = changed(vault, "action: append", "action: apend")
    done = vault.run("inbox", "accept", path)
    assert done.code == 1 and "no action apend" in done.err and "Born 1815." in vault.read(ADA)


def test_a_note_about_itself_is_not_accepted(vault: Folder) -> None:
    path = proposed(vault)
    vault.write(path, vault.read(path).replace(f"[[{ADA[:-3]}]]", f"[[{path[:-3]}]]"))
    done = vault.run("inbox", "accept", path)
    assert done.code == 2 and "about itself" in done.err and vault.exists(path)


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_p11_a_secret_that_a_person_typed_into_it_does_not_come_into_git(vault: Folder, verb: str) -> None:
    secret = "ghp_" + "a1B2" * 9
    path = changed(vault, "likes tea", secret)
    done = vault.run("inbox", verb, path)
    assert done.code == 1 and f"{path}:" in done.err and "SE01" in done.err, done
    assert secret in vault.read(path) and [note["path"] for note in waiting(vault)] == [path]
    assert secret not in vault.git("cat-file", "--batch-all-objects", "--batch")


def test_a_target_whose_deletion_is_not_in_git_yet_is_named(vault: Folder) -> None:
    path = conflict(vault)
    (vault.root / ADA).unlink()
    done = vault.run("inbox", "accept", path, "--whole")
    assert done.code == 1 and "not in git yet" in done.err and len(waiting(vault)) == 1
