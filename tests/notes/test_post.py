from __future__ import annotations

import json
from pathlib import Path

import frontmatter
import pytest

from vaultgit.notes import post

CASES = Path(__file__).parent.parent / "cases"


def test_metadata_is_what_obsidian_shows_and_content_is_exact() -> None:
    found = post.load(b"\xef\xbb\xbf---\r\ncreated: 2026-01-02\r\nup: [[Home]]\r\ncontent: x\r\n---\r\n\r\n# T\r\n\r\n")
    assert isinstance(found, frontmatter.Post)
    assert found.metadata == {"created": "2026-01-02", "up": "[[Home]]", "content": "x"}
    assert found["up"] == "[[Home]]"
    assert found.content == "\r\n# T\r\n\r\n"
    json.dumps(found.metadata)


def test_a_note_without_or_with_broken_front_matter_has_its_text() -> None:
    assert post.load(b"\xef\xbb\xbftext").content == "text"
    broken = post.load((CASES / "005-bad-yaml-stays-local/input/colon.md").read_bytes())
    assert (broken.metadata, broken.content) == ({}, "colonbody\n")
    latin = post.load((CASES / "009-nul-latin1-long-line/input/latin1.md").read_bytes())
    assert (latin.metadata, latin.content) == ({}, "cr\ufffdme\n")


def test_the_library_reads_through_our_reader() -> None:
    text = "---\nat: 12:30\nno: NO\n---\nbody"
    assert frontmatter.parse(text, handler=post.handler()) == ({"at": "12:30", "no": "NO"}, "body")
    assert frontmatter.parse("plain", handler=post.handler()) == ({}, "plain")
    assert post.handler().detect(text)
    assert not post.handler().detect("plain")


def test_the_library_does_not_write() -> None:
    with pytest.raises(NotImplementedError):
        frontmatter.dumps(post.load(b"---\na: 1\n---\nx"))
