from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.install import block

STYLES = (block.HASH, block.HTML)
TEXT = st.sampled_from([b"one\n", b"one\ntwo\n", b"@AGENTS.md\n", b"caf\xc3\xa9\n"])
FILES = st.one_of(
    st.none(),
    st.binary(max_size=40).filter(lambda data: b"vaultgit" not in data),
    st.lists(st.sampled_from([b"a", b"# b", b"", b"\xef\xbb\xbfc"]), max_size=5).map(b"\n".join),
    st.lists(st.sampled_from([b"a", b"# b", b""]), max_size=5).map(b"\r\n".join),
    st.sampled_from([b"", b"\n", b"\r", b"\r\n", b"a", b"a\n", b"a\r\n", b"a\n\n"]),
)


@given(FILES, TEXT, st.sampled_from(STYLES))
def test_remove_is_the_exact_inverse_of_add(data: bytes | None, text: bytes, style: block.Style) -> None:
    added = block.add(data, text, style)
    found = block.find(added, style)
    assert found is not None and not found.edited
    assert block.remove(added, style) == data


@given(FILES, TEXT, TEXT, st.sampled_from(STYLES))
def test_adding_again_changes_nothing_and_newer_text_replaces_older(
    data: bytes | None, old: bytes, new: bytes, style: block.Style
) -> None:
    added = block.add(data, old, style)
    assert block.add(added, old, style) == added
    assert block.add(added, new, style) == block.add(data, new, style)


@given(st.lists(st.sampled_from([b"a\n", b"# b\n", b"\n"]), min_size=1, max_size=5), st.data())
def test_a_block_between_lines_leaves_both_sides_alone(lines: list[bytes], draw: st.DataObject) -> None:
    data = b"".join(lines)
    at = len(b"".join(lines[: draw.draw(st.integers(0, len(lines)))]))
    added = block.add(data, b"ours\n", block.HASH, at=at)
    assert added.startswith(data[:at]) and added.endswith(data[at:] or b"\n")
    assert block.remove(added, block.HASH) == data


@pytest.mark.parametrize("style", STYLES)
def test_a_block_that_somebody_edited_is_told_and_left(style: block.Style) -> None:
    added = block.add(b"theirs\n", b"ours\n", style)
    edited = added.replace(b"ours", b"ours, and mine")
    found = block.find(edited, style)
    assert found is not None and found.edited
    assert block.add(edited, b"newer\n", style) == edited


@given(FILES, TEXT, st.sampled_from(STYLES), st.sampled_from([b"Journal/\n", b"Journal/", b"a\nb\n"]))
def test_what_is_written_behind_a_block_is_a_line_of_its_own(
    data: bytes | None, text: bytes, style: block.Style, below: bytes
) -> None:
    added = block.add(data, text, style)
    assert added.endswith(b"\n")
    longer = added + below  # echo Journal/ >> .gitignore
    assert block.add(longer, text, style) == longer
    assert block.add(longer, b"newer\n", style).endswith(b"\n" + below)
    left = block.remove(longer, style)
    assert left is not None and left.endswith(below)
    above = left[: -len(below)]
    assert above in (data or b"", *((data or b"") + end for end in (b"\n", b"\r\n")))
    assert not above or above.endswith(b"\n")


def older(data: bytes | None, text: bytes, style: block.Style) -> bytes:
    """A block as it was put into a file before: without a newline at its end where the file had none."""
    made = block.add(None, text, style)
    if data is None or data.endswith(b"\n"):
        return (data or b"") + made
    return data + (b"\n" if data else b"") + made.removesuffix(b"\n")


@given(FILES.filter(lambda data: b"\r" not in (data or b"")), TEXT, st.sampled_from(STYLES))
def test_a_block_of_the_older_form_is_found_mended_and_taken_out_exactly(
    data: bytes | None, text: bytes, style: block.Style
) -> None:
    old = older(data, text, style)
    found = block.find(old, style)
    assert found is not None and not found.edited and not found.glued
    assert block.remove(old, style) == data
    assert block.add(old, text, style) == block.add(data, text, style)
    assert block.add(old, b"newer\n", style) == block.add(data, b"newer\n", style)


@pytest.mark.parametrize("style", STYLES)
def test_what_is_glued_to_the_last_line_of_an_older_block_gets_a_line_of_its_own(style: block.Style) -> None:
    glued = older(b"*.log", b"ours\n", style) + b"Journal/\n"
    found = block.find(glued, style)
    assert found is not None and found.glued and not found.edited
    assert block.remove(glued, style) == b"*.log\nJournal/\n"
    mended = block.add(glued, b"ours\n", style)
    assert mended == block.add(b"*.log", b"ours\n", style) + b"Journal/\n"
    edited = glued.replace(b"ours", b"mine")
    assert block.add(edited, b"ours\n", style) == edited.replace(b"Journal/", b"\nJournal/")


def test_text_added_around_the_block_stays() -> None:
    added = block.add(None, b"ours\n", block.HTML)
    assert block.remove(b"above\n" + added + b"below\n", block.HTML) == b"above\nbelow\n"


def test_line_endings_are_those_of_the_file_and_their_change_is_no_edit() -> None:
    added = block.add(b"a\r\n", b"one\ntwo\n", block.HASH)
    assert b"\n" not in added.replace(b"\r\n", b"")
    for text in (added, added.replace(b"\r\n", b"\n")):
        found = block.find(text, block.HASH)
        assert found is not None and not found.edited


def test_half_a_block_is_none() -> None:
    added = block.add(None, b"ours\n", block.HASH)
    assert block.find(added.split(b"# vaultgit end")[0], block.HASH) is None
    assert block.find(added.replace(b"# vaultgit begin", b"# vaultgit  begin"), block.HASH) is None
