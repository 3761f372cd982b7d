"""Two machines that did the same, or the like, before they met; the cases were found by syncing real clones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import reviewing
from consolidating import LATER
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from reviewing import DREAM
from support import Folder
from syncing import clone
from syncing import level
from syncing import synced
from syncing import tip
from syncing import with_remote

ROT = "tr 'a-zA-Z' 'n-za-mN-ZA-M'"


@pytest.fixture
def there(vault: Folder) -> Folder:
    vault.write("ideas/one.md", "# One\n\nalpha\n\nbeta\n\ngamma\n")
    vault.commit("ideas")
    return with_remote(vault)


@pytest.fixture
def other(there: Folder) -> Folder:
    made = clone(there, "other")
    assert made.run("init", "--yes").code == 0
    return made


def wrote(place: Folder, path: str, old: str, new: str, *, agent: str = "") -> None:
    """A line changed by a person, or by an agent."""
    text = place.read(path).replace(old, new)
    if agent:
        base = place.git("rev-parse", f"HEAD:{path}")
        done = place.run("write", path, "--base", base, "--agent", agent, stdin=text.encode())
        assert done.code == 0, done
    else:
        place.write(path, text)
        place.commit(f"{new} by hand", path)


def until_level(*places: Folder) -> None:
    for _ in range(2):
        for place in places:
            synced(place)
    assert all(synced(place)["outcome"] == "unchanged" for place in places)
    assert level(*places)


def inbox(place: Folder) -> list[str]:
    return place.git("ls-files", "inbox").splitlines()


def both_merged(vault: Folder, there: Folder, other: Folder) -> None:
    """An agent's line from a third clone, which each of the two has merged with a line of its own person's, and not
    pushed."""
    third = clone(there, "third")
    wrote(third, "ideas/one.md", "beta", "an agent's", agent="codex")
    third.git("push", "--quiet", "origin", "main")
    for place, words in ((vault, "Ann's"), (other, "Bea's")):
        wrote(place, "ideas/one.md", "beta", words)
        place.git("config", "remote.origin.pushurl", str(there.root / "nowhere"))
        assert place.run("sync").code == 1
        assert len(inbox(place)) == 1
        place.git("config", "--unset", "remote.origin.pushurl")
    [one], [two] = inbox(vault), inbox(other)
    assert one == two and vault.read(one) != other.read(two)  # what was in the way differs


def test_p4_what_both_put_into_the_inbox_is_there_once(vault: Folder, there: Folder, other: Folder) -> None:
    """And not a note about the note, whose copy the next meeting would put there again."""
    both_merged(vault, there, other)
    until_level(vault, other)
    texts = [vault.read(path) for path in inbox(vault)]
    assert len(texts) == 2  # the agent's, and of the two people's the later
    assert sum("an agent's" in text for text in texts) == 1
    assert not any("[[inbox/" in text for text in texts)


@pytest.mark.parametrize("mirrored", [False, True])
def test_p4_what_was_rejected_on_one_machine_does_not_come_back_from_another(
    vault: Folder, there: Folder, other: Folder, mirrored: bool
) -> None:
    both_merged(vault, there, other)
    [note] = inbox(vault)
    decider, pusher = (other, vault) if mirrored else (vault, other)
    assert decider.run("inbox", "reject", note).code == 0
    synced(pusher)
    until_level(decider, pusher)
    assert note not in inbox(vault)
    assert not any("an agent's" in vault.read(path) for path in inbox(vault))


def test_p4_an_image_that_both_merged_is_named_once_and_says_how_to_get_it(
    vault: Folder, there: Folder, other: Folder
) -> None:
    third = clone(there, "third")
    vault.write("p.png", b"\x89PNG\0first")
    vault.commit("image")
    for place in (vault, other, third):
        synced(place)
    for place, words, day in ((vault, b"Ann's", 1), (other, b"Bea's", 2), (third, b"the third's", 3)):
        place.write("p.png", b"\x89PNG\0" + words)
        place.git("add", "p.png")
        when = f"2026-11-0{day}T12:00:00+01:00"
        place.git("commit", "--quiet", "--no-verify", "-m", "mine", env={"GIT_AUTHOR_DATE": when})
    third.git("push", "--quiet", "origin", "main")
    for place in (vault, other):
        place.git("config", "remote.origin.pushurl", str(there.root / "nowhere"))
        assert place.run("sync").code == 1
        place.git("config", "--unset", "remote.origin.pushurl")
    until_level(vault, other)
    assert vault.bytes("p.png") == b"\x89PNG\0Ann's"  # the earliest
    assert len(inbox(vault)) == 2 and not any("[[inbox/" in vault.read(path) for path in inbox(vault))
    kept = set()
    for note in inbox(vault):
        done = vault.run("inbox", "show", note)
        assert done.code == 1 and "keeps no text: the file is in git" in done.err, done
        oid = done.err.split("git cat-file --filters ")[1].split(":")[0]
        kept.add(vault.try_git("show", f"{oid}:p.png").out.encode("utf-8", "surrogateescape"))
        assert vault.git("log", "-1", "--format=%s", oid) == "mine"  # the same on every machine, not a merge
        assert vault.run("inbox", "reject", note).code == 0
    assert kept == {b"\x89PNG\0Bea's", b"\x89PNG\0the third's"}


# -- suggestions -----------------------------------------------------------------------------------------------------


def test_both_consolidated_and_each_suggestion_waits_once(vault: Folder, there: Folder, other: Folder) -> None:
    """One that only one of them made was in an inbox note that nobody may accept, and was never made again."""
    captured(vault, "Norrland", "Vestmark")
    until_level(vault, other)
    consolidate(vault)
    captured(other, "Ostholm", days=("2026-11-03", "2026-11-04"))
    consolidate(other)
    until_level(vault, other)
    assert sorted(blocks(vault)) == ["Norrland", "Ostholm", "Vestmark"]
    assert inbox(vault) == []
    text = vault.read("review.md")
    assert text.count("## Norrland") == 1 and text.startswith("# Review\n")
    # Decided differently, at once: each decision counts, and what waits, waits.
    for place, word in ((vault, "accept"), (other, "reject")):
        head, mark, tail = place.read("review.md").partition("## Norrland\n")
        place.write("review.md", head + mark + tail.replace(f"- [ ] {word}", f"- [x] {word}", 1))
        consolidate(place, "--apply", env={"VAULTGIT_NOW": LATER})
    until_level(vault, other)
    assert sorted(blocks(vault)) == ["Ostholm", "Vestmark"]
    assert inbox(vault) == []


def test_p3_lines_of_a_persons_own_in_the_review_file_stay(vault: Folder, there: Folder, other: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    until_level(vault, other)
    captured(other, "Ostholm", days=("2026-11-03", "2026-11-04"))
    consolidate(other)
    vault.write("review.md", vault.read("review.md") + "\nmy own words\n")
    vault.commit("words")
    until_level(vault, other)
    assert sorted(blocks(vault)) == ["Norrland", "Ostholm", "Vestmark"]
    assert vault.read("review.md").count("my own words") == 1
    assert inbox(vault) == []


@pytest.mark.parametrize("first", [True, False])
def test_a_tick_that_an_agent_committed_does_not_count_after_a_merge_either(
    vault: Folder, there: Folder, other: Folder, first: bool
) -> None:
    """Where suggestions change places, git would no longer say who ticked: the merge would have."""
    captured(vault, "Norrland", "Vestmark")
    until_level(vault, other)
    captured(other, "Ostholm", days=("2026-11-03", "2026-11-04"))
    dates = ["2026-11-29T21:09:00+01:00", "2026-11-29T21:11:00+01:00"]
    for place, now in zip((vault, other), dates if first else dates[::-1], strict=True):
        consolidate(place, env={"VAULTGIT_NOW": now})
    head, mark, tail = other.read("review.md").partition("## Ostholm\n")
    other.write("review.md", head + mark + tail.replace("- [ ] accept", "- [x] accept", 1))
    other.git("commit", "--quiet", "--no-verify", "-am", "ticked", "--trailer", "Agent: codex")
    for place in (vault, other, vault):
        synced(place)
    for place in (vault, other):
        place.run("consolidate", "--apply", env={"VAULTGIT_NOW": LATER})
        assert not place.exists("concepts/Ostholm.md")


@pytest.mark.parametrize("how", ["typed", "staged", "committed"])
def test_p3_ticks_stay_where_one_of_them_was_decided_elsewhere(
    vault: Folder, there: Folder, other: Folder, how: str
) -> None:
    """An inbox note about review.md is of no use: nobody may accept it."""
    captured(vault, "Norrland", "Vestmark", "Ostholm")
    consolidate(vault)
    until_level(vault, other)
    ticked = other.read("review.md").replace("- [ ] accept", "- [x] accept")
    other.write("review.md", ticked)
    if how != "typed":
        other.git("add", "review.md")
    if how == "committed":
        other.git("commit", "--quiet", "--no-verify", "-m", "ticks")
    text = vault.read("review.md")
    at = text.index("- [ ] reject", text.index("## Vestmark"))
    vault.write("review.md", text[:at] + text[at:].replace("[ ]", "[x]", 1))
    consolidate(vault, "--apply", env={"VAULTGIT_NOW": LATER})
    synced(vault)
    synced(other)
    assert inbox(other) == []
    assert other.read("review.md") == ticked  # a tick is a person's, also where somebody else decided otherwise
    assert other.git("status", "--porcelain")[:1] == {"typed": " ", "staged": "M", "committed": ""}[how]
    other.git("diff", "--cached", "--check")
    assert (other.git("show", "HEAD:review.md").count("[x]") == 3) == (how == "committed")


def test_the_same_dream_of_two_machines_is_one(vault: Folder, there: Folder, other: Folder) -> None:
    reviewing.with_skills(vault)
    until_level(vault, other)
    wrote(other, "ideas/one.md", "alpha", "elsewhere")  # its branch begins at another commit
    for place in (vault, other):
        reviewing.propose(place, *(reviewing.better(place, name) for name in ("bake", "deploy")))
    assert tip(vault, DREAM) != tip(other, DREAM)
    until_level(vault, other)
    assert tip(vault, DREAM) == tip(other, DREAM) == tip(there, DREAM)
    assert vault.run("review", "accept", DREAM).code == 0
    until_level(vault, other)
    assert not any(place.git("branch", "--list", DREAM) for place in (vault, other, there))


def test_two_machines_with_two_remotes_between_them_come_to_rest(vault: Folder, there: Folder, other: Folder) -> None:
    """They merged each other's merges for ever."""
    vault.git("init", "--quiet", "--bare", "../second.git")
    for place in (vault, other):
        place.git("remote", "add", "second", "../second.git")
    for number in range(2):
        wrote(vault, "ideas/one.md", "alpha", f"alpha {number}", agent="codex")
        wrote(other, "ideas/one.md", "gamma", f"gamma {number}")
        for place, remote in ((vault, "origin"), (other, "second"), (vault, "second"), (other, "origin")):
            synced(place, remote)
    outcomes = [
        synced(place, remote)["outcome"]
        for _ in range(3)
        for place, remote in ((vault, "origin"), (other, "second"), (vault, "second"), (other, "origin"))
    ]
    assert outcomes[-4:] == ["unchanged"] * 4, outcomes
    assert level(vault, other, there)


# -- files -----------------------------------------------------------------------------------------------------------


def test_p3_a_staged_executable_bit_stays_staged(vault: Folder, there: Folder, other: Folder) -> None:
    vault.write("run.sh", "#!/bin/sh\n\n1\n\n2\n")
    vault.commit("program")
    until_level(vault, other)
    os.chmod(other.root / "run.sh", 0o755)
    other.git("add", "run.sh")
    wrote(vault, "run.sh", "1", "one")
    synced(vault)
    synced(other)
    assert other.git("status", "--porcelain") == "M  run.sh"
    assert other.git("diff", "--cached").splitlines()[1:3] == ["old mode 100644", "new mode 100755"]
    assert other.read("run.sh") == "#!/bin/sh\n\none\n\n2\n"


@pytest.mark.parametrize("diverged", [False, True])
def test_attributes_that_come_in_hold_for_what_comes_with_them(
    vault: Folder, there: Folder, other: Folder, diverged: bool
) -> None:
    """A picture lay there as its pointer of git-lfs, a secret as git holds it: the next commit had it filtered twice."""
    for side in ("clean", "smudge"):
        other.git("config", f"filter.rot.{side}", ROT)
    vault.write(".gitattributes", vault.read(".gitattributes") + "secret/* filter=rot\nwin/* text eol=crlf\n")
    vault.write("secret/x.md", "uryyb\n")
    vault.write("win/x.md", "one\r\n")
    vault.commit("filtered")
    synced(vault)
    if diverged:
        wrote(other, "ideas/one.md", "alpha", "elsewhere")
    synced(other)
    assert other.read("secret/x.md") == "hello\n"
    assert other.bytes("win/x.md") == b"one\r\n"
    assert other.git("status", "--porcelain") == ""
    assert os.listdir(other.root / ".git/vaultgit/state/plans") == []
    until_level(vault, other)


def test_what_came_in_is_up_to_date_for_git_at_once(vault: Folder, there: Folder, other: Folder) -> None:
    """`git reset --keep` is a way out that we name; it refused until `git status` had looked at the files."""
    wrote(vault, "ideas/one.md", "alpha", "more", agent="codex")
    synced(vault)
    other.write("people/ada-lovelace.md", other.read("people/ada-lovelace.md") + "typed\n")
    synced(other)
    assert other.git("diff-files", "--name-only") == "people/ada-lovelace.md"
    other.git("reset", "--keep", "--quiet", "HEAD~1")
    assert other.read("people/ada-lovelace.md").endswith("typed\n")
    assert not other.exists(".git/index.lock") and os.listdir(other.root / ".git/vaultgit/state/plans") == []
    synced(other)
    assert other.git("status", "--porcelain") == " M people/ada-lovelace.md"


def test_a_lock_of_a_sync_that_was_killed_this_moment_is_for_later(vault: Folder, there: Folder, other: Folder) -> None:
    wrote(vault, "ideas/one.md", "alpha", "more")
    synced(vault)
    synced(other)
    wrote(vault, "ideas/one.md", "more", "yet more")
    synced(vault)
    lock = other.write(".git/refs/vaultgit/synced/origin/main.lock", "")
    done = other.run("sync")
    assert done.code == 75 and "a lock of a git that was killed" in done.out, done
    assert "yet more" in other.read("ideas/one.md")
    os.utime(lock, (0, 0))
    until_level(vault, other)


def test_many_files_that_both_changed_are_told_apart_as_one_by_one(vault: Folder, there: Folder, other: Folder) -> None:
    """Beyond some files both lines of history are walked once: whose text stands is the same."""
    names = [f"many/n{number}.md" for number in range(24)]
    for name in names:
        vault.write(name, "start\n")
    vault.commit("many")
    until_level(vault, other)
    for place, words in ((vault, "Ann's"), (other, "theirs")):
        for name in names:
            place.write(name, f"{words}\n")
        place.git("add", "-A")
        agent = ("--trailer", "Agent: codex") if place is other else ()
        place.git("commit", "--quiet", "--no-verify", "-m", words, *agent)
    until_level(vault, other)
    assert {vault.read(name) for name in names} == {"Ann's\n"}
    notes = [vault.read(path) for path in inbox(vault)]
    assert len(notes) == len(names) and all("agent: codex" in text and "theirs" in text for text in notes)


def test_p4_a_file_beside_the_vault_is_named_and_never_accepted_into_it(tmp_path: Path) -> None:
    """Accepting it made code/x.py.md in the vault."""
    ours = Folder(tmp_path / "ours")
    ours.write("code/x.py", "a = 1\n")
    ours.write("notes/.obsidian/app.json", "{}\n")
    ours.git("init", "-q")
    ours.commit("start")
    assert ours.run("init", "notes", "--repository", "outer", "--yes").code == 0
    there = with_remote(ours, pushed=False)
    vault = Folder(ours.root / "notes")
    synced(vault)
    theirs = clone(there, "theirs")
    for place, text in ((ours, "a = 2\n"), (theirs, "a = 3\n")):
        place.write("code/x.py", text)
        place.commit(text.strip())
    theirs.git("push", "--quiet")
    synced(vault)
    [note] = vault.git("ls-files", "inbox").splitlines()
    done = vault.run("inbox", "accept", note, "--whole")
    assert done.code == 1 and "code/x.py > code/x.py" in done.err, done
    oid = done.err.split("git cat-file --filters ")[1].split(":")[0]
    assert {ours.read("code/x.py"), ours.git("show", f"{oid}:code/x.py") + "\n"} == {"a = 2\n", "a = 3\n"}
    assert vault.run("check", "--all").code == 0 and ours.git("status", "--porcelain") == ""
