"""Capture blocks are told by their heading, whoever wrote them; which are new is told by history alone (promise P7)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from consolidating import captured
from consolidating import consolidate
from consolidating import daily
from hypothesis import given
from hypothesis import strategies as st
from reviewing import opened
from support import Folder

from vaultgit.config import Capture
from vaultgit.passes.consolidate import blocks
from vaultgit.passes.consolidate.blocks import CaptureBlock

OURS = blocks.pattern(Capture().heading)


def read(text: str | bytes, heading: str = Capture().heading) -> list[CaptureBlock]:
    data = text.encode() if isinstance(text, str) else text
    return blocks.of_note("daily/2026-11-01.md", data, blocks.pattern(heading))


def lines(text: str | bytes) -> list[tuple[str, ...]]:
    return [one.lines for one in read(text)]


WRITTEN = daily("2026-11-01", ("09:20", ("decision: a", "idea: b")), ("21:10", ("open: c",)), folder="csv-import")


def test_our_own_blocks_are_read() -> None:
    first, second = read(WRITTEN)
    assert first == CaptureBlock(
        "daily/2026-11-01.md", "Automatic capture, 09:20", ("decision: a", "idea: b"), ("csv-import",)
    )
    assert (second.heading, second.lines) == ("Automatic capture, 21:10", ("open: c",))


@pytest.mark.parametrize(
    "change",
    [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t.replace("\n", "  \n"),
     lambda t: t.rstrip("\n"), lambda t: t.partition("---\nWhat")[2]],
)  # fmt: skip
def test_line_ends_marks_and_blanks_are_no_difference(change) -> None:  # type: ignore[no-untyped-def]
    assert read(change(WRITTEN)) == read(WRITTEN)


def test_a_block_ends_at_a_heading_of_its_level_or_above() -> None:
    text = (
        "## Automatic capture, 21:10\n- a\n### more\n- b\n## Mine\n- c\n# Automatic capture, 9:05\n- d\n## under\n- e\n"
    )
    assert lines(text) == [("a", "b"), ("d", "e")]
    assert lines("### Automatic capture, 21:10\n- a\n## Mine\n- b\n") == [("a",)]


@pytest.mark.parametrize(
    "heading",
    ["# Automatic capture, 21:10", "###### Automatic capture, 9:05", "## automatic  capture, 21:10 ##",
     "   ## Automatic capture, 21:10:33", "## Automatic capture, 21:10 ^block-1", "## Automatic capture, 9:05 pm"],
)  # fmt: skip
def test_a_heading_as_other_tools_write_it(heading: str) -> None:
    assert lines(f"{heading}\n- a\n") == [("a",)]


@pytest.mark.parametrize(
    "heading",
    ["## Automatic capture", "## On Automatic capture, 21:10", "## Automatic capture, later", "    ## Automatic capture, 21:10",
     "Automatic capture, 21:10", "##Automatic capture, 21:10", "####### Automatic capture, 21:10"],
)  # fmt: skip
def test_what_is_no_such_heading(heading: str) -> None:
    assert lines(f"{heading}\n- a\n") == []


def test_the_heading_of_the_settings_and_blocks_from_before_it() -> None:
    text = "## Notes (auto) at 21.10\n- a\n\n## Automatic capture, 09:20\n- b\n"
    assert [one.lines for one in read(text, "Notes (auto) at {time}")] == [("a",), ("b",)]
    assert [one.lines for one in read(text, "{time}: log")] == [("b",)]
    assert [one.lines for one in read("## 21:10: log\n- a\n", "{time}: log")] == [("a",)]


def test_code_holds_neither_headings_nor_items() -> None:
    text = "```\n## Automatic capture, 09:20\n- no\n```\n## Automatic capture, 21:10\n- a\n~~~sh\n# x\n- no\n~~~\n- b\n"
    assert lines(text) == [("a", "b")]


def test_a_fence_that_nothing_closes_hides_no_capture() -> None:
    assert lines("```python\nprint()\n\n## Automatic capture, 21:10\n- a\n") == [("a",)]
    assert lines("````\n```\n````\n## Automatic capture, 21:10\n- a\n") == [("a",)]


def test_items_of_all_kinds_are_lines() -> None:
    text = "## Automatic capture, 21:10\n\n* a\n+ b\n1. c\n- [ ] d\n- [x] e\n\t- f\n- g goes\n  on here\n\nprose between\n- h\n"
    assert lines(text) == [("a", "b", "c", "d", "e", "f", "g goes on here", "h")]


def test_paragraphs_are_lines_where_there_is_no_list() -> None:
    text = "## Automatic capture, 21:10\n\nIn x, with codex:\n\nWe take cents.\nFor good.\n\nMarta knows.\n"
    assert lines(text) == [("We take cents. For good.", "Marta knows.")]


def test_an_empty_block_is_none() -> None:
    assert read("## Automatic capture, 21:10\n\nIn x, with codex:\n\n") == []


def test_front_matter_holds_no_heading() -> None:
    assert lines("---\n# Automatic capture, 21:10\nx: 1\n---\n- a\n") == []


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    read(data)
    read(b"## Automatic capture, 21:10\n" + data)


@given(st.lists(st.sampled_from(["decision: a", "b", "c `x`", "# no", "- d"]), min_size=1, max_size=6))
def test_what_a_capture_writes_reads_back(items: list[str]) -> None:
    [found] = read(daily("2026-11-01", ("21:10", tuple(items))))
    assert len(found.lines) == len(items)


# -- of commits --------------------------------------------------------------------------------------------------


def new(vault: Folder, before: str = "", commit: str = "HEAD") -> set[str]:
    with opened(vault) as found:
        return {
            f"{one.path} {one.heading.rpartition(' ')[2]}"
            for one in blocks.read(found, vault.git("rev-parse", commit), before and vault.git("rev-parse", before)).new
        }


def test_all_daily_notes_of_a_commit_and_no_others(vault: Folder) -> None:
    captured(vault, "Norrland")
    vault.write("people/x.md", daily("2026-11-01", ("21:10", ("a",))))
    vault.write("daily/2026/11/03.md", daily("2026-11-03", ("08:00", ("a",))))
    vault.commit("more")
    vault.write("daily/2026-11-04.md", daily("2026-11-04", ("08:00", ("not in git",))))
    with opened(vault) as found:
        paths = [one.path for one in blocks.at(found, vault.git("rev-parse", "HEAD"))]
    assert paths == ["daily/2026-11-01.md", "daily/2026-11-02.md", "daily/2026/11/03.md"]


def test_obsidians_own_folder_and_format(vault: Folder) -> None:
    vault.write(".obsidian/daily-notes.json", '{"folder": "journal", "format": "YYYY/MM-DD"}')
    vault.write("journal/2026/11-01.md", WRITTEN)
    vault.commit("captured")
    assert new(vault) == {"journal/2026/11-01.md 09:20", "journal/2026/11-01.md 21:10"}


def test_new_is_what_the_other_tree_does_not_hold(vault: Folder) -> None:
    captured(vault, "Norrland")
    before = vault.git("rev-parse", "HEAD")
    assert new(vault, before) == set()
    vault.write(
        "daily/2026-11-02.md", vault.read("daily/2026-11-02.md") + "\nmine\n\n## Automatic capture, 23:00\n\n- x\n"
    )
    vault.write("daily/2026-10-01.md", daily("2026-10-01", ("07:00", ("an old date",))))
    vault.commit("more")
    assert new(vault, before) == {"daily/2026-11-02.md 23:00", "daily/2026-10-01.md 07:00"}


def test_what_a_merge_brings_late_with_an_old_date_is_new(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "laptop")
    old = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}
    vault.write("daily/2020-01-01.md", daily("2020-01-01", ("10:00", ("from the laptop",))))
    vault.git("add", "daily")
    vault.git("commit", "-q", "--no-verify", "-m", "laptop", env=old)
    vault.git("checkout", "-q", "main")
    captured(vault, "Norrland")
    consolidate(vault)
    vault.git("merge", "-q", "--no-edit", "laptop")
    with opened(vault) as found:
        last = blocks.last_round(found, vault.git("rev-parse", "HEAD"))
    assert last is not None
    assert new(vault, last.read) == {"daily/2020-01-01.md 10:00"}


# -- what was read -----------------------------------------------------------------------------------------------


def last(vault: Folder) -> blocks.Round | None:
    with opened(vault) as found:
        return blocks.last_round(found, vault.git("rev-parse", "HEAD"))


def test_what_was_read_stands_in_history_also_of_a_clone(vault: Folder, tmp_path: Path) -> None:
    captured(vault, "Norrland")
    read_at = vault.git("rev-parse", "HEAD")
    assert last(vault) is None
    consolidate(vault)
    found = last(vault)
    assert found is not None
    assert (found.read, found.oid) == (read_at, vault.git("rev-parse", "HEAD"))
    vault.git("clone", "-q", str(vault.root), str(tmp_path / "clone"))
    clone = Folder(tmp_path / "clone")
    there = last(clone)
    assert there is not None and there.read == read_at
    assert consolidate(clone).err == "no capture is new since the last suggestions\n"


def test_after_a_rebase_the_tree_that_was_read_counts_and_in_a_clone_the_parent(vault: Folder, tmp_path: Path) -> None:
    base = vault.git("rev-parse", "HEAD")
    captured(vault, "Norrland")
    read_at = vault.git("rev-parse", "HEAD")
    consolidate(vault)
    vault.git("checkout", "-q", "-b", "other", base)
    vault.write("notes/other.md", "theirs\n")
    vault.commit("theirs")
    vault.git("checkout", "-q", "main")
    vault.git("rebase", "-q", "other")
    found = last(vault)
    assert found is not None and found.read == read_at
    subprocess.run(["git", "clone", "-q", "--no-local", "--single-branch", "--branch", "main", vault.root, tmp_path / "clone"],
                   check=True)  # fmt: skip
    clone = Folder(tmp_path / "clone")
    assert clone.try_git("cat-file", "-e", read_at).code != 0
    there = last(clone)
    assert there is not None and there.read == clone.git("rev-parse", "HEAD^")
    assert consolidate(clone).err == "no capture is new since the last suggestions\n"


def test_where_nothing_is_left_of_it_all_is_new(vault: Folder, tmp_path: Path) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{vault.root}", tmp_path / "clone"], check=True)
    clone = Folder(tmp_path / "clone")
    there = last(clone)
    assert there is not None and there.read == ""
    # All is new, and what waits already is not proposed again.
    assert "nothing recurs in the captures that is not there already" in consolidate(clone).err


def test_an_agents_commit_that_says_so_is_no_round(vault: Folder) -> None:
    captured(vault, "Norrland")
    oid = vault.git("rev-parse", "HEAD")
    vault.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "vaultgit: 1 proposal in review.md",
              "-m", f"Captures read up to {oid}.", "-m", "Agent: codex\nEdit: 0123456789abcdef")  # fmt: skip
    assert last(vault) is None
