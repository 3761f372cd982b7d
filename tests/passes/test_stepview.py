"""What an action does to a skill, as a person reads it before the diff: steps added, removed, reworded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.passes import stepview
from vaultgit.passes.stepview import Steps

HEAD = "---\ntype: skill\nname: bake\nversion: 1\n---\n"


def compare(before: str | None, after: str | None) -> Steps:
    old, new = (None if text is None else (HEAD + text).encode() for text in (before, after))
    return stepview.compare(old, new)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("1. mix\n2. bake\n", "1. mix\n2. rest\n3. bake\n", ["+ rest"]),
        ("1. mix\n2. rest\n3. bake\n", "1. mix\n2. bake\n", ["- rest"]),
        ("- heat the oven to 200\n", "- heat the oven to 220\n", ["~ heat the oven to 200 -> heat the oven to 220"]),
        ("1. mix\n2. bake\n", "2. bake\n1. mix\n", []),
        ("1. mix\n2. bake\n", "* mix\n* bake\n", []),
        ("- mix\n- mix\n", "- mix\n", ["- mix"]),
        ("## Step 1: mix\n\ntext\n", "## Step 2: mix\n\ntext\n", []),
        ("- say a\n- say b\n", "- tell c\n- tell d\n", ["- say a", "- say b", "+ tell c", "+ tell d"]),
        ("- mix\r\n- bake\r\n", "- mix\n- bake\n", []),
        (None, "- mix\n", ["+ mix"]),
        ("- mix\n", None, ["- mix"]),
        ("only prose\n", "other prose\n", []),
    ],
)
def test_what_became_of_the_steps(before: str | None, after: str | None, lines: list[str]) -> None:
    assert compare(before, after).lines() == lines


def test_a_step_is_reworded_into_the_one_most_like_it() -> None:
    before, after = "- cut the ripe red tomatoes\n", "- cut the ripe bread\n- cut the ripe red onions\n"
    found = compare(before, after)
    assert found.reworded == (("cut the ripe red tomatoes", "cut the ripe red onions"),)
    assert found.added == ("cut the ripe bread",)


def test_a_long_step_is_cut_to_one_line() -> None:
    [line] = compare("", "- " + "word " * 50 + "\n  and more\n").added
    assert len(line) <= 90 and line.endswith("…") and "\n" not in line


STEPS = st.lists(
    st.sampled_from(["mix it", "bake it well", "bake it badly", "eat", "wash up", "mix it well"]), max_size=6
)


@given(STEPS, STEPS)
def test_every_step_that_differs_is_told_once(before: list[str], after: list[str]) -> None:
    found = compare(*("".join(f"- {step}\n" for step in steps) for steps in (before, after)))
    for step in {*before, *after}:
        more = after.count(step) - before.count(step)
        gone = found.removed.count(step) + [old for old, _ in found.reworded].count(step)
        come = found.added.count(step) + [new for _, new in found.reworded].count(step)
        assert (come, gone) == (max(more, 0), max(-more, 0))


def test_the_diff_has_what_the_steps_do_not_show() -> None:
    old, new = ((HEAD + text).encode() for text in ("prose\n\n- mix\n", "other prose\n\n- mix\n"))
    assert stepview.text_diff(old, new) == ["@@ -5,3 +5,3 @@", " ---", "-prose", "+other prose", " "]
    assert stepview.text_diff(None, b"-- a\n") == ["@@ -0,0 +1 @@", "+-- a"]
