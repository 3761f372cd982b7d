from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from vaultgit.notes.procedure import Block
from vaultgit.notes.procedure import blocks
from vaultgit.notes.procedure import lost
from vaultgit.notes.procedure import steps
from vaultgit.notes.procedure import title
from vaultgit.notes.procedure import unnumbered


def kinds(body: str) -> list[str]:
    return [block.kind for block in blocks(body)]


def texts(body: str) -> list[str]:
    return [block.text for block in blocks(body)]


def lines_of(body: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", body)


# Blocks


def test_each_kind_of_block_is_told_from_the_others() -> None:
    body = (
        "# T\n\nText.\n\n- a\n\n```sh\nls\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n    indented\n\n> quoted\n"
    )
    assert kinds(body) == ["heading", "prose", "item", "code", "table", "rule", "code", "prose"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_endings_change_no_block(newline: str) -> None:
    body = "# T\n\n1. a\n2. b\n   - c\n\n```\nx\n```\n| a |\n|---|\n| 1 |\n".replace("\n", newline)
    assert kinds(body) == ["heading", "item", "item", "code", "table"]
    assert "".join(texts(body)) == body.replace(newline * 2, newline)
    assert [block.words for block in steps(body)] == ["a", "b - c"]


def test_an_item_holds_all_that_is_indented_below_it() -> None:
    body = "1. first\n   more of it\n\n   ```sh\n   make\n   ```\n   - sub\n     1. deep\n\n2. second\n"
    found = blocks(body)
    assert [(block.first, block.end) for block in found] == [(0, 8), (9, 10)]
    assert found[0].text.endswith("     1. deep\n")


def test_a_loose_list_is_one_list() -> None:
    found = blocks("- a\n\n- b\n\n\n- c\n")
    assert [(block.text, block.list) for block in found] == [("- a\n", 0), ("- b\n", 0), ("- c\n", 0)]


def test_another_marker_is_another_list() -> None:
    assert [block.list for block in blocks("- a\n* b\n1. c\n2) d\n")] == [0, 1, 2, 3]


def test_code_that_is_not_indented_parts_a_numbered_list() -> None:
    found = blocks("1. a\n```\nx\n```\n2. b\n")
    assert [(block.kind, block.list, block.ordered) for block in found] == [
        ("item", 0, True), ("code", -1, False), ("item", 1, True),
    ]  # fmt: skip


def test_a_block_knows_the_headings_above_it() -> None:
    body = "# A\n## B #\ntext\n### C\n- x\n## D\ny\n"
    assert [block.section for block in blocks(body)] == [
        (), ("A",), ("A", "B"), ("A", "B"), ("A", "B", "C"), ("A",), ("A", "D"),
    ]  # fmt: skip


def test_an_underlined_heading_is_one_block_with_its_line() -> None:
    found = blocks("Title\n=====\n\nStep 2: Go\nand on\n---\n\ntext\n")
    assert [(block.kind, block.level, block.text) for block in found] == [
        ("heading", 1, "Title\n=====\n"), ("heading", 2, "Step 2: Go\nand on\n---\n"), ("prose", 0, "text\n"),
    ]  # fmt: skip
    assert [block.words for block in found] == ["Title", "Step 2: Go and on", "text"]
    assert found[1].is_step


def test_html_and_what_stands_in_it_are_blocks() -> None:
    assert texts("<details>\n<summary>x</summary>\n\n- a\n\n</details>\n<!-- c\n\nd -->\n") == [
        "<details>\n<summary>x</summary>\n", "- a\n", "</details>\n<!-- c\n", "d -->\n",
    ]  # fmt: skip


def test_a_heading_in_a_fence_or_an_item_is_none() -> None:
    assert kinds("```\n# no\n```\n- # no\n") == ["code", "item"]


def test_a_fence_that_is_not_closed_reaches_to_the_end() -> None:
    assert texts("text\n```\n- a\n\n# b\n") == ["text\n", "```\n- a\n\n# b\n"]


def test_a_line_separator_ends_no_line_and_is_text() -> None:
    assert texts("- a\u2028b\n- c\n") == ["- a\u2028b\n", "- c\n"]
    assert texts("\u2028\n\n\x0c\n\n\x85\n") == ["\u2028\n", "\x0c\n", "\x85\n"]
    assert texts("a\rb\n\nc\n") == ["a\rb\n", "c\n"]


def test_a_definition_of_a_link_is_no_block() -> None:
    assert texts("see [x]\n\n[x]: https://example.org\n\n- a\n") == ["see [x]\n", "- a\n"]


@pytest.mark.parametrize("body", ["", "\n", "   \n\t\n", "\r\n"])
def test_nothing_has_no_blocks(body: str) -> None:
    assert blocks(body) == []


def test_a_last_line_without_an_end_is_kept_as_it_is() -> None:
    assert texts("- a\n- b") == ["- a\n", "- b"]


PARTS = st.sampled_from(
    "¦- a¦* b¦1. x¦2) y¦   - n¦    code¦```¦```py¦~~~¦| a | b |¦|---|---|¦---¦===¦# H¦## Step 2: x¦<div>¦</div>¦<!--¦-->"
    "¦> q¦   ¦\t¦[r]: http://x¦a\u2028b¦\u2028¦\x0c¦\x85¦text¦\\¦-¦1.¦- ```¦  ```¦    - deep¦\ttab¦[^1]: foo¦x\ry¦\r¦\0"
    .split("¦")
)  # fmt: skip
BODIES = st.lists(st.tuples(PARTS, st.sampled_from(["\n", "\r\n", ""])), max_size=14).map(
    lambda parts: "".join(text + end for text, end in parts)
)


@settings(max_examples=300)
@given(BODIES | st.text())
def test_blocks_are_the_lines_that_they_span_in_order(body: str) -> None:
    lines, last = lines_of(body), 0
    for block in blocks(body):
        assert last <= block.first < block.end <= len(lines)
        assert block.text == "".join(lines[block.first : block.end])
        assert block.text.strip(" \t\r\n")
        last = block.end


@settings(max_examples=300)
@given(BODIES)
def test_what_is_in_no_block_is_blank_or_the_definition_of_a_link(body: str) -> None:
    outside = dict(enumerate(lines_of(body)))
    for block in blocks(body):
        for line in range(block.first, block.end):
            outside.pop(line, None)
    if "[r]:" not in body and "[^1]:" not in body:
        assert not "".join(outside.values()).strip(" \t\r\n")


# Steps


@pytest.mark.parametrize(
    "heading",
    ["## Step 1: Plan", "### 3. Go", "## Phase II", "# stage B - test", "## STEP three", "## 2) x", "Step 4\n---"],
)
def test_a_heading_that_numbers_itself_is_a_step(heading: str) -> None:
    assert [block.is_step for block in blocks(heading)] == [True]


@pytest.mark.parametrize(
    "heading", ["## Step by step", "## Stage a file", "## Phase in slowly", "## 3 ways", "## Steps"]
)
def test_a_heading_that_only_begins_like_one_is_none(heading: str) -> None:
    assert [block.is_step for block in blocks(heading)] == [False]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("## Use C# here", "Use C# here"),
        ("## C#", "C#"),
        ("  ###  Spaced   out  ##  ", "Spaced out"),
        ("#", ""),
        ("Under\n  =====", "Under"),
    ],
)
def test_the_title_of_a_heading_is_its_words_without_marks(heading: str, words: str) -> None:
    assert title(heading) == words


def test_markers_numbers_and_boxes_are_no_words_of_a_step() -> None:
    assert {block.words for block in steps("- [ ] push it\n* push it\n7. push\n   it\n3) [x] push it\n")} == {"push it"}


@pytest.mark.parametrize(
    ("words", "bare"),
    [("3. Go", "Go"), ("Step 3: Go", "Step: Go"), ("Phase IV - Go", "Phase - Go"), ("Step by step", "Step by step")],
)
def test_the_number_of_a_step_does_not_count(words: str, bare: str) -> None:
    assert unnumbered(words) == bare


def test_a_step_that_moved_or_got_another_number_is_not_lost() -> None:
    before = steps("## Step 1: Plan\n\n1. read   it\n2. do it\n")
    assert lost(before, steps("3. do it\n4. read it\n\n## Step 9: Plan\n")) == []


def test_a_step_is_lost_as_often_as_it_is_missing() -> None:
    before = steps("- a\n- a\n- b\n")
    assert [block.words for block in lost(before, steps("- a\n"))] == ["a", "b"]


def test_a_step_is_its_item_with_all_below_it() -> None:
    assert [block.words for block in lost(steps("- a\n  - b\n"), steps("- a\n- b\n"))] == ["a - b"]


@given(st.lists(st.sampled_from("abcde"), max_size=8))
def test_no_step_is_lost_to_itself(words: list[str]) -> None:
    made = [Block("item", f"- {word}", 0, 1, 0, ()) for word in words]
    assert lost(made, reversed(made)) == []
