"""Patches of Codex's tool: what was there before, from what is there now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.agents import applypatch
from vaultgit.agents import tool
from vaultgit.agents.tool import Swap
from vaultgit.agents.tool import Wrote

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "- d", "+e", "  f"]), max_size=8)


def test_files_that_are_written_changed_moved_and_deleted() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.md\n+# New\n+\n*** Update File: a b/c.md\n@@ ## Log\n one\n-two\n+2\n \n"
        "@@\n-x\n*** End of File\n*** Update File: from.md\n*** Move to: to.md\n@@\n-1\n+2\n*** Delete File: gone.md\n"
        "*** End Patch\n"
    )
    assert applypatch.wrote(patch) == [
        Wrote("new.md", None, "# New\n\n", True),
        Wrote("a b/c.md", None, None, True, (Swap(("one", "two", ""), ("one", "2", "")), Swap(("x",), ()))),
        Wrote("from.md", None, None, False),
        Wrote("to.md", None, None, False, (Swap(("1",), ("2",)),)),
        Wrote("gone.md", None, None, False),
    ]


@pytest.mark.parametrize("text", ["", "*** End Patch", "+x\n-y", "*** Update File: a.md", "@@\n*** Begin Patch", "\0"])
def test_what_is_no_patch_says_nothing_that_counts(text: str) -> None:
    assert not any(one.known for one in applypatch.wrote(text))


@given(before=LINES, piece=LINES, after=LINES, old=LINES)
def test_what_is_told_is_what_was_there(before: list[str], piece: list[str], after: list[str], old: list[str]) -> None:
    """Where the place is certain; else nothing is said."""
    now, was = "\n".join([*before, *piece, *after]), "\n".join([*before, *old, *after])
    told = tool.undone(now, [Swap(tuple(old), tuple(piece))])
    assert told is None or told == was
    marked = tool.undone("\n".join([*before, "here", *piece, *after]), [Swap(("here", *old), ("here", *piece))])
    assert marked == "\n".join([*before, "here", *old, *after])
