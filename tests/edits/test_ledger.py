"""Promise P1 through what people do to history: after the next write of ours the ids in history are those in changelog.md,
once each, and until then `vaultgit verify` says what differs. Real command line, real git."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from support import Folder

ID = r"[0-9a-hjkmnp-tv-z]{16}"


def at(day: str) -> dict[str, str]:
    time = f"{day}T12:00:00+01:00"
    return {"VAULTGIT_NOW": time, "GIT_COMMITTER_DATE": time, "GIT_AUTHOR_DATE": time}


def edit(vault: Folder, text: str, path: str = "", day: str = "2026-11-29", line: str = "") -> str:
    """An agent's edit with a note of its own (so that only changelog.md can clash); returns its id."""
    path = path or f"notes/{text}.md"
    words = ("-m", line or f"notes: {text}")
    done = vault.run("append", path, *words, "--agent", "codex", "--json", stdin=f"{text}\n".encode(), env=at(day))
    assert done.code == 0, done
    assert json.loads(done.out)["outcome"] in ("committed", "merged"), done.out
    return str(json.loads(done.out)["edit"])


def in_history(vault: Folder) -> set[str]:
    return set(re.findall(rf"^\s*Edit: ({ID})\s*$", vault.git("log", "--format=%B"), re.MULTILINE))


def lines(vault: Folder, path: str = "") -> list[str]:
    """Lines of all changelog files in HEAD, or of one."""
    files = [path] if path else list(vault.git("ls-files", "changelog.md", "changelog").splitlines())
    text = "".join(vault.git("show", f"HEAD:{file}") + "\n" for file in files)
    return [line for line in text.splitlines() if re.fullmatch(rf"- .* \^{ID}", line)]


def ids(vault: Folder, path: str = "") -> list[str]:
    return [line[-16:] for line in lines(vault, path)]


def verify(vault: Folder, *, allow_behind: bool = False) -> dict[str, list[str]]:
    """Ids by what verify says of them; checks that its exit code fits."""
    done = vault.run("verify", "--json", *(["--allow-behind"] if allow_behind else []))
    found = json.loads(done.out)
    said = {
        "behind": [line[-16:] for line in found["behind"]],
        "unknown": [line[-16:] for line in found["unknown"]],
        "edited": [pair["should"][-16:] for pair in found["edited"]],
    }
    wrong = found["edited"] or (found["unknown"] and found["complete"]) or (found["behind"] and not allow_behind)
    assert done.code == (1 if wrong else 0), done
    return {name: sorted(some) for name, some in said.items() if some}


def assert_agrees_after_the_next_write(vault: Folder, day: str = "2026-11-29") -> None:
    """And P7: with the cache deleted before, that write makes the very same changelog."""
    bare = Folder(vault.root.with_name(f"{vault.root.name}-no-cache-{day}"))
    shutil.copytree(vault.root, bare.root, symlinks=True)
    shutil.rmtree(bare.root / ".git/vaultgit/cache", ignore_errors=True)
    made = [edit(one, f"next-{day}", "next.md", day) for one in (vault, bare)]
    assert verify(vault) == {}
    assert sorted(ids(vault)) == sorted(in_history(vault))
    assert [changelogs(one, new) for one, new in zip((vault, bare), made, strict=True)] == [
        changelogs(vault, made[0])
    ] * 2
    assert vault.git("status", "--porcelain", "--untracked-files=no") == ""


def changelogs(vault: Folder, new: str) -> dict[str, list[str]]:
    """The changelog files of HEAD, without the order of lines within a minute: there ids decide, which are random."""
    files = vault.git("ls-files", "changelog.md", "changelog").splitlines()
    return {file: sorted(vault.git("show", f"HEAD:{file}").replace(new, "new").splitlines()) for file in files}


def rebase(vault: Folder, todo: str, onto: str) -> None:
    """`git rebase -i` with a sed script over its list of commits."""
    vault.git("rebase", "-q", "-i", onto, env={"GIT_SEQUENCE_EDITOR": f"sed -i -e '{todo}'", "GIT_EDITOR": "true"})


@pytest.fixture
def branched(vault: Folder) -> Folder:
    """One edit on main, then two on `side` and one on main; main is checked out."""
    edit(vault, "root")
    vault.git("checkout", "-q", "-b", "side")
    edit(vault, "side-1")
    edit(vault, "side-2")
    vault.git("checkout", "-q", "main")
    edit(vault, "main-1")
    return vault


def clone(vault: Folder, path: Path, *options: str) -> Folder:
    vault.git("clone", "-q", *options, f"file://{vault.root}", str(path))
    made = Folder(path)
    made.git("config", "merge.vaultgit.driver", vault.git("config", "merge.vaultgit.driver"))
    return made


# -- merging and moving ------------------------------------------------------------------------------------------


def test_p1_p7_merge_no_ff(branched: Folder) -> None:
    branched.git("merge", "-q", "--no-ff", "--no-edit", "side")
    assert verify(branched) == {}  # union keeps the lines of both
    assert_agrees_after_the_next_write(branched)
    assert len(ids(branched)) == 5


def test_p1_a_merge_that_took_our_side_of_the_changelog_is_behind(branched: Folder) -> None:
    side = re.findall(rf"Edit: ({ID})", branched.git("log", "main..side"))
    branched.git("merge", "-q", "--no-commit", "--no-ff", "side")
    branched.git("checkout", "-q", "HEAD", "--", "changelog.md")
    branched.git("commit", "-q", "--no-edit")
    assert branched.run("verify").code == 1
    assert verify(branched, allow_behind=True) == {"behind": sorted(side)}
    assert "the next edit adds" in branched.run("verify").err
    assert_agrees_after_the_next_write(branched)


def test_p1_p7_fast_forward(vault: Folder) -> None:
    edit(vault, "a")
    vault.git("checkout", "-q", "-b", "side")
    edit(vault, "b")
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--ff-only", "side")
    assert verify(vault) == {}
    assert_agrees_after_the_next_write(vault)
    assert len(ids(vault)) == 3


def test_p1_p7_rebase_onto_main(branched: Folder) -> None:
    branched.git("checkout", "-q", "side")
    branched.git("rebase", "-q", "main")
    assert verify(branched) == {}
    assert_agrees_after_the_next_write(branched)
    assert len(ids(branched)) == 5


@pytest.mark.parametrize(
    ("todo", "left"),
    [("2d", {"one", "three"}), ("2s/^pick/squash/", {"one", "two", "three"}), ("3s/^pick/squash/", {"one", "two", "three"}),
     ("2s/^pick/fixup/", {"one", "three"}), ("1{h;d};2{p;x}", {"one", "two", "three"})],
    ids=["drop", "squash", "squash the newest", "fixup", "reorder"],
)  # fmt: skip
def test_p1_p7_interactive_rebase(vault: Folder, todo: str, left: set[str]) -> None:
    start = vault.git("rev-parse", "HEAD")
    named = {name: edit(vault, name) for name in ("one", "two", "three")}
    rebase(vault, todo, start)
    assert in_history(vault) == {named[name] for name in left}
    gone = sorted(set(named.values()) - in_history(vault))
    assert [one for one in verify(vault).get("unknown", []) if one not in gone] == []
    assert_agrees_after_the_next_write(vault)
    for name in left:
        assert [line for line in lines(vault) if line.endswith(f"notes: {name} (codex) ^{named[name]}")], lines(vault)


@pytest.mark.parametrize("newest", [True, False])
def test_p1_p7_reword(vault: Folder, newest: bool) -> None:
    start = vault.git("rev-parse", "HEAD")
    first, last = edit(vault, "one"), edit(vault, "two")
    if newest:
        message = vault.git("log", "-1", "--format=%B").replace("notes: two", "notes: 2 (was two)")
        vault.git("commit", "-q", "--amend", "--no-verify", "-m", message)
    else:
        editor = {
            "GIT_SEQUENCE_EDITOR": "sed -i 1s/^pick/reword/",
            "GIT_EDITOR": "sed -i 's/notes: one/notes: 1 ^01jdx3k9m2qtw7ab/'",
        }
        vault.git("rebase", "-q", "-i", start, env=editor)
    assert verify(vault) == {"edited": [last if newest else first]}
    assert verify(vault, allow_behind=True) != {}
    assert_agrees_after_the_next_write(vault)
    assert any(
        "notes: 2 (was two) (codex)" in line or "notes: 1 ^01jdx3k9m2qtw7ab (codex)" in line for line in lines(vault)
    )


def test_p1_cherry_pick_twins_have_one_line(branched: Folder) -> None:
    branched.git("cherry-pick", "side~1")
    assert verify(branched) == {}
    assert_agrees_after_the_next_write(branched)
    branched.git("merge", "-q", "--no-edit", "side")
    twin = re.findall(rf"Edit: ({ID})", branched.git("log", "-1", "--format=%B", "side~1"))[0]
    assert branched.git("log", "--format=%B").count(f"Edit: {twin}") == 2
    assert_agrees_after_the_next_write(branched, "2026-11-30")
    assert ids(branched).count(twin) == 1


def test_p1_a_twin_that_was_picked_months_later_keeps_its_place(vault: Folder) -> None:
    old = edit(vault, "old", day="2026-08-03")
    vault.git("checkout", "-q", "-b", "side", "HEAD~1")
    vault.git("checkout", "-q", "main")
    edit(vault, "new", day="2026-11-03")
    assert ids(vault, "changelog/2026-08.md") == [old]
    vault.git("checkout", "-q", "side")
    vault.git("cherry-pick", "-n", "main~1")
    vault.git(
        "commit", "-q", "--no-verify", "-m", f"notes: old, again\n\nAgent: codex\nEdit: {old}", env=at("2026-11-04")
    )
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--no-edit", "side")
    assert_agrees_after_the_next_write(vault)
    assert ids(vault, "changelog/2026-08.md") == [old]
    assert "notes: old (codex)" in lines(vault, "changelog/2026-08.md")[0]


# -- squashing ---------------------------------------------------------------------------------------------------


def test_p1_p7_merge_squash_with_gits_own_message(branched: Folder) -> None:
    wanted = sorted(
        lines(branched) + [line for line in branched.git("show", "side:changelog.md").splitlines() if "side-" in line]
    )
    branched.git("merge", "-q", "--squash", "side")
    branched.git("commit", "-q", "--no-edit")
    assert "    Edit: " in branched.git("log", "-1", "--format=%B")
    assert verify(branched) == {}
    assert_agrees_after_the_next_write(branched)
    assert sorted(line for line in lines(branched) if "notes: next" not in line) == wanted


@pytest.mark.parametrize("ending", ["", "---------\n\nCo-authored-by: codex <codex@agents.vaultgit.invalid>\n"])
def test_p1_p7_a_forges_squash_message(branched: Folder, ending: str) -> None:
    wanted = {line[-16:] for line in branched.git("show", "side:changelog.md").splitlines() if "side-" in line}
    blocks = [branched.git("log", "-1", "--format=* %B", commit) + "\n" for commit in ("side~1", "side")]
    branched.git("merge", "-q", "--squash", "side")
    branched.git("checkout", "-q", "HEAD", "--", "changelog.md")  # no forge applies merge=union
    message = "Two things (#12)\n\n" + "\n".join(blocks) + "\n" + ending
    branched.git("commit", "-q", "--no-verify", "-F", "-", stdin=message.encode())
    assert verify(branched) == {"behind": sorted(wanted)}
    assert_agrees_after_the_next_write(branched)
    said = sorted(line.split(" ", 3)[3] for line in lines(branched) if line[-16:] in wanted)
    assert [line[:-16] for line in said] == ["notes: side-1 (codex) ^", "notes: side-2 (codex) ^"]


# -- taking back -------------------------------------------------------------------------------------------------


def test_p1_p6_p7_reverts_newest_older_and_of_a_revert(vault: Folder) -> None:
    for name in ("one", "two", "three"):
        edit(vault, name)
    newest = ids(vault)[0] if lines(vault)[0].split("notes: ")[1].startswith("three") else ""
    vault.git("revert", "--no-edit", "HEAD")
    found = verify(vault)
    assert list(found) == ["behind"]
    assert not newest or found == {"behind": [newest]}
    assert verify(vault, allow_behind=True) == found
    assert_agrees_after_the_next_write(vault)
    assert not vault.exists("notes/three.md")

    vault.git("revert", "--no-edit", "HEAD~3")  # two
    edit(vault, "next", day="2026-11-30")
    assert verify(vault) == {}
    vault.git("revert", "--no-edit", "HEAD~1")  # the revert of two
    assert_agrees_after_the_next_write(vault, "2026-12-01")
    assert vault.exists("notes/two.md")


def test_p1_p6_p7_revert_of_a_merge(branched: Folder) -> None:
    branched.git("merge", "-q", "--no-ff", "--no-edit", "side")
    edit(branched, "after")
    branched.git("revert", "--no-edit", "-m", "1", "HEAD~1")
    assert not branched.exists("notes/side-1.md")
    assert set(verify(branched)) <= {"behind"}
    assert_agrees_after_the_next_write(branched)
    assert len(ids(branched)) == 6


def test_p1_p7_reset_away(vault: Folder) -> None:
    kept = edit(vault, "one")
    edit(vault, "two")
    edit(vault, "three")
    vault.git("reset", "-q", "--hard", "HEAD~2")
    assert verify(vault) == {}
    assert_agrees_after_the_next_write(vault)
    assert len(ids(vault)) == 2
    assert kept in ids(vault)


# -- clones ------------------------------------------------------------------------------------------------------


def test_p1_two_clones_that_both_edit(vault: Folder, tmp_path: Path) -> None:
    edit(vault, "root")
    other = clone(vault, tmp_path / "other")
    for n in range(2):
        edit(vault, f"here-{n}")
        edit(other, f"there-{n}")
    vault.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert verify(vault) == {}
    assert_agrees_after_the_next_write(vault)
    other.git("pull", "-q", "--rebase", str(vault.root), "main")
    assert_agrees_after_the_next_write(other, "2026-11-30")
    assert len(ids(other)) == 7


def test_p1_months_roll_over_alike_in_two_clones(vault: Folder, tmp_path: Path) -> None:
    edit(vault, "september", day="2026-09-10")
    edit(vault, "october", day="2026-10-10")
    other = clone(vault, tmp_path / "other")
    edit(vault, "here", day="2026-12-01")
    edit(other, "there", day="2026-12-02")
    for one in (vault, other):
        assert "notes: september" in lines(one, "changelog/2026-09.md")[0]
        assert "notes: october" in lines(one, "changelog/2026-10.md")[0]
        assert len(ids(one, "changelog.md")) == 1
    vault.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert verify(vault) == {}
    assert_agrees_after_the_next_write(vault, "2026-12-03")
    assert len(ids(vault, "changelog.md")) == 3


def test_p1_months_where_only_one_clone_has_rolled_over(vault: Folder, tmp_path: Path) -> None:
    edit(vault, "september", day="2026-09-10")
    other = clone(vault, tmp_path / "other")
    edit(other, "october", day="2026-10-10")
    edit(vault, "december", day="2026-12-01")
    vault.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert "unknown" not in verify(vault)
    assert_agrees_after_the_next_write(vault, "2026-12-03")
    assert "notes: september" in lines(vault, "changelog/2026-09.md")[0]
    assert "notes: october" in lines(vault, "changelog/2026-10.md")[0]
    assert len(ids(vault, "changelog.md")) == 2


def test_the_current_and_the_previous_month_stay_also_of_a_branch_that_is_merged_later(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "side")
    early = edit(vault, "early", day="2026-11-01")
    vault.git("checkout", "-q", "main")
    edit(vault, "late", day="2026-11-05")
    vault.git("merge", "-q", "--no-edit", "side")
    assert_agrees_after_the_next_write(vault)
    assert early in ids(vault, "changelog.md")
    assert not vault.exists("changelog")


def test_p1_a_shallow_clone_cannot_tell_and_drops_nothing(vault: Folder, tmp_path: Path) -> None:
    edit(vault, "august", day="2026-08-10")
    before = [edit(vault, name) for name in ("one", "two", "three")]
    shallow = clone(vault, tmp_path / "shallow", "--depth", "2")
    done = shallow.run("verify")
    assert done.code == 0, done
    assert done.out.count("cannot tell") == 2
    assert "unshallow" in done.err
    assert len(verify(shallow)["unknown"]) == 2
    edit(shallow, "here")
    assert set(before) < set(ids(shallow))
    assert len(ids(shallow)) == 5
    assert shallow.run("verify").code == 0
    shallow.git("fetch", "-q", "--unshallow")
    assert verify(shallow) == {}
    assert_agrees_after_the_next_write(shallow)


# -- changelog.md in a person's hands ----------------------------------------------------------------------------


@pytest.mark.parametrize("committed", [True, False])
def test_p1_a_line_deleted_by_hand_comes_back(vault: Folder, committed: bool) -> None:
    first = edit(vault, "one")
    edit(vault, "two")
    text = vault.read("changelog.md")
    vault.write("changelog.md", "".join(line for line in text.splitlines(keepends=True) if first not in line))
    if committed:
        vault.commit("tidy")
    assert verify(vault) == {"behind": [first]}
    assert_agrees_after_the_next_write(vault)


@pytest.mark.parametrize("committed", [True, False])
def test_p1_a_line_edited_by_hand_is_restored(vault: Folder, committed: bool) -> None:
    first = edit(vault, "one")
    edit(vault, "two")
    vault.write("changelog.md", vault.read("changelog.md").replace("notes: one", "notes: nothing to see"))
    if committed:
        vault.commit("tidy")
    assert verify(vault) == {"edited": [first]}
    assert verify(vault, allow_behind=True) == {"edited": [first]}
    assert_agrees_after_the_next_write(vault)
    assert "nothing to see" not in vault.read("changelog.md")


def test_p1_a_second_copy_of_a_line_that_says_something_else_is_seen(vault: Folder) -> None:
    one = edit(vault, "one")
    [line] = lines(vault)
    vault.write("changelog.md", vault.read("changelog.md").replace(line, f"{line.replace('one', 'lie')}\n{line}"))
    vault.commit("tidy")
    assert verify(vault) == {"edited": [one]}
    assert_agrees_after_the_next_write(vault)


def test_p1_a_line_made_up_by_hand_is_unknown_and_goes(vault: Folder) -> None:
    edit(vault, "one")
    made_up = "- 2026-11-29 21:10 notes: never (codex) ^01jdx3k9m2qtw7ab\n"
    vault.write("changelog.md", vault.read("changelog.md") + made_up)
    vault.commit("forged")
    assert verify(vault) == {"unknown": ["01jdx3k9m2qtw7ab"]}
    assert verify(vault, allow_behind=True) == {"unknown": ["01jdx3k9m2qtw7ab"]}
    assert_agrees_after_the_next_write(vault)


@pytest.mark.parametrize("change", ["deleted", "edited", "file gone"])
def test_p1_a_months_file_is_mended_as_well(vault: Folder, change: str) -> None:
    old = edit(vault, "august", day="2026-08-10")
    edit(vault, "november", day="2026-11-10")
    path = "changelog/2026-08.md"
    if change == "file gone":
        vault.git("rm", "-q", path)
    else:
        text = vault.read(path)
        vault.write(
            path,
            text.replace("notes: august", "notes: lie")
            if change == "edited"
            else text.replace(lines(vault, path)[0] + "\n", ""),
        )
    vault.commit("tidy")
    assert verify(vault) == {"edited" if change == "edited" else "behind": [old]}
    assert_agrees_after_the_next_write(vault)
    assert ids(vault, path) == [old]


def test_p1_changelog_md_taken_out_of_git_comes_back(vault: Folder) -> None:
    edit(vault, "one")
    vault.git("rm", "-q", "changelog.md")
    vault.commit("gone")
    assert list(verify(vault)) == ["behind"]
    assert_agrees_after_the_next_write(vault)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_p3_a_changelog_the_person_had_before_keeps_its_text(plain: Folder, eol: str) -> None:
    mine = eol.join(["\ufeff# What I changed", "", "## 2019", "- moved house", "", "## 2018", "- no line end here"])
    plain.write("changelog.md", mine)
    plain.commit("mine")
    edit(plain, "one")
    edit(plain, "two")
    text = plain.bytes("changelog.md").decode()
    assert text.startswith(mine + eol + eol)
    plain.write("changelog.md", text.replace(eol + "## 2018", eol + "between" + eol + "## 2018") + "after" + eol)
    plain.commit("more of mine")
    assert_agrees_after_the_next_write(plain)
    text = plain.bytes("changelog.md").decode()
    rest = [line for line in text.split(eol) if not re.fullmatch(rf"- .* \^{ID}", line)]
    assert rest == [*mine.replace("## 2018", f"between{eol}## 2018").split(eol), "", "after", ""]
    assert len(ids(plain)) == 3


def test_p3_text_of_a_persons_that_is_not_committed_stays_where_it_is(vault: Folder) -> None:
    first = edit(vault, "one")
    text = vault.read("changelog.md")
    vault.write("changelog.md", text + "\nstaged by me\n")
    vault.git("add", "changelog.md")
    vault.write("changelog.md", "typed by me\n\n" + text + "\nstaged by me\n")
    second = edit(vault, "two")
    committed, staged, disk = (
        vault.git("show", "HEAD:changelog.md"),
        vault.git("show", ":changelog.md"),
        vault.read("changelog.md"),
    )
    for copy in (committed, staged, disk):
        assert {first, second} == set(re.findall(rf"\^({ID})$", copy, re.MULTILINE))
    assert "by me" not in committed
    assert staged + "\n" == committed + "\n\nstaged by me\n"
    assert disk == "typed by me\n\n" + staged + "\n"
    assert verify(vault) == {}
    assert vault.git("status", "--porcelain").splitlines() == ["MM changelog.md"]


def test_p3_other_files_in_the_changelog_folder_are_a_persons(vault: Folder) -> None:
    vault.write("changelog/ideas.md", "")
    vault.write("changelog/old.md", "- 2026-11-29 21:10 notes: kept by me (codex) ^01jdx3k9m2qtw7ab\n")
    (vault.root / "changelog/latest.md").symlink_to("../changelog.md")
    vault.commit("mine")
    edit(vault, "one")
    edit(vault, "two")
    assert vault.read("changelog/ideas.md") == ""
    assert "kept by me" in vault.read("changelog/old.md")
    assert vault.git("ls-files", "-s", "changelog/latest.md").startswith("120000 ")
    assert vault.run("verify").out == "agrees: 2 edits\n"


def test_p1_a_commit_without_a_body_or_with_odd_words_has_its_line(vault: Folder) -> None:
    """A person may reword a commit to anything."""
    for message in (
        "Edit: 01jdx3k9m2qtw7aa",
        "two\nlines (of) ^x\n\nEdit: 01jdx3k9m2qtw7ab",
        "größe 🙂\n\n  Edit: 01jdx3k9m2qtw7ac\t",
    ):
        vault.git("commit", "-q", "--allow-empty", "--no-verify", "--cleanup=verbatim", "-F", "-", stdin=message.encode(),
                  env={"GIT_AUTHOR_NAME": "Ada (of London)"})  # fmt: skip
    assert len(verify(vault)["behind"]) == 3
    assert_agrees_after_the_next_write(vault)
    assert any("two lines (of) ^x (Ada [of London]) ^01jdx3k9m2qtw7ab" in line for line in lines(vault))
