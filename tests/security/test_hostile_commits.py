"""Commits that somebody forged: odd dates, names and encodings, trailers that stand where they should not. What reads
history says what is there, lands what it should, and never ends as a bug of ours (P1, P4)."""

from __future__ import annotations

import json
import re

import pytest
from support import Folder

ID = "0000000000000001"
FUTURE = "zzzzzzzzzzzzzzzz"


def forge(vault: Folder, head: bytes, message: bytes, path: str = "people/ada-lovelace.md") -> str:
    """A commit of raw bytes on top of the branch, that changes a note: `head` is author and committer line and whatever
    else stands there."""
    vault.write(path, vault.bytes(path) + b"One line more.\n")
    vault.git("add", "--", path)
    tree, parent = vault.git("write-tree"), vault.git("rev-parse", "HEAD")
    raw = f"tree {tree}\nparent {parent}\n".encode() + head + b"\n" + message
    oid = vault.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw)
    vault.git("update-ref", "HEAD", oid)
    return oid


def by(author: bytes, committer: bytes = b"C <c@example.invalid> 1795990000 +0000", more: bytes = b"") -> bytes:
    return b"author " + author + b"\ncommitter " + committer + b"\n" + more


READERS: tuple[tuple[str, ...], ...] = (
    ("log",), ("log", "--json"), ("log", "people/ada-lovelace.md"), ("why", "people/ada-lovelace.md"),
    ("why", "people/ada-lovelace.md", "--json"), ("verify",), ("status",), ("doctor",), ("links", "people/ada-lovelace.md"),
    ("check", "--from", "HEAD~1", "--to", "HEAD"), ("search", "Ada", "--at", "HEAD"), ("context", "Ada", "--at", "HEAD"),
    ("capture", "--dry-run"), ("dream", "--dry-run"), ("consolidate", "--dry-run"), ("review", "list"),
    ("skill", "list"), ("recap",), ("session", "list"), ("inbox", "list"), ("undo", "HEAD", "--dry-run"),
    ("append", "people/ada-lovelace.md", "-m", "One fact", "--agent", "a1"),
)  # fmt: skip


def assert_read(vault: Folder) -> dict[str, str]:
    """Every reader ends in words, an edit lands, and afterwards history and changelog agree."""
    said = {}
    for words in READERS:
        done = vault.run(*words, stdin=b"A fact.\n")
        said[" ".join(words[:2])] = done.out
        assert done.code in (0, 1, 2), (words, done)
        assert "a bug of ours" not in done.err and "Traceback" not in done.err, (words, done)
        assert "\x1b" not in done.out + done.err and "\x9b" not in done.out + done.err, (words, done)
    assert vault.run("log", "-h").code == 0
    verified = vault.run("verify")
    assert verified.code == 0, verified
    return said


def lines(vault: Folder) -> list[str]:
    """The lines of the forged edit in changelog.md and the files of older months."""
    files = [vault.root / "changelog.md", *sorted((vault.root / "changelog").glob("*.md"))]
    return [line for file in files for line in file.read_bytes().decode().split("\n") if line.endswith(f" ^{ID}")]


DATES = {
    "none": b"A <a@example.invalid>",
    "no time": b"A <a@example.invalid> ",
    "no zone": b"A <a@example.invalid> 1795990000",
    "a word": b"A <a@example.invalid> yesterday +0000",
    "negative": b"A <a@example.invalid> -62135596800 +0000",
    "before 1970": b"A <a@example.invalid> -1 +0000",
    "the year 1": b"A <a@example.invalid> 0000000001 +0000",
    "the year 9999": b"A <a@example.invalid> 253402300799 +0000",
    "the year 10000": b"A <a@example.invalid> 253402300800 +0000",
    "beyond time": b"A <a@example.invalid> 99999999999999999999999 +0000",
    "a zone of 99 hours": b"A <a@example.invalid> 1795990000 +9999",
    "a zone of 24 hours": b"A <a@example.invalid> 1795990000 -2400",
    "a broken zone": b"A <a@example.invalid> 1795990000 +zzzz",
    "a long zone": b"A <a@example.invalid> 1795990000 +0000000000000000001",
    "year 9999 before UTC": b"A <a@example.invalid> 253402300799 -1200",
}
NAMES = {
    "empty": b" <> 1795990000 +0000",
    "no brackets": b"A 1795990000 +0000",
    "brackets": b"A <b> (c) ) - ^x> <a@example.invalid> 1795990000 +0000",
    "escapes": b"\x1b]0;owned\x07\x1b[31mA\x9b31m\xc2\x9b <a@example.invalid> 1795990000 +0000",
    "no UTF-8": b"\xff\xfe\xed\xa0\x80 <a@example.invalid> 1795990000 +0000",
    "carriage return": b"A\rvaultgit: all is well\r <a@example.invalid> 1795990000 +0000",
    "the line of another edit": b"x) ^" + ID.encode() + b" <a@example.invalid> 1795990000 +0000",
    "separators": "A\u2028B\u202ec\u200b\x85D <a@example.invalid> 1795990000 +0000".encode(),
    "very long": b"A" * 100_000 + b" <a@example.invalid> 1795990000 +0000",
}
PLAIN = b"A <a@example.invalid> 1795990000 +0000"
EDIT = f"Changed it\n\nAgent: a1\nEdit: {ID}\n".encode()


@pytest.mark.parametrize("author", DATES.values(), ids=DATES)
def test_p1_a_commit_whose_date_is_none_stops_nobody(vault: Folder, author: bytes) -> None:
    forge(vault, by(author, author), EDIT)
    assert_read(vault)


@pytest.mark.parametrize("author", NAMES.values(), ids=NAMES)
def test_p1_a_commit_with_a_hostile_author_stops_nobody(vault: Folder, author: bytes) -> None:
    forge(vault, by(author), EDIT)
    assert_read(vault)
    assert len(lines(vault)) == 1


MESSAGES = {
    "empty": b"",
    "only an id": f"Edit: {ID}\n".encode(),
    "a megabyte": b"x" * 1_000_000 + f"\n\nEdit: {ID}\n".encode(),
    "a megabyte of lines": b"Line: x\n" * 125_000 + f"\nEdit: {ID}\n".encode(),
    "a megabyte of newlines": b"x\n\ny" + b"\n" * 1_000_000 + f"\nEdit: {ID}\n".encode(),
    "a megabyte of blanks": b"x\n\ny" + b" " * 1_000_000 + f"\n\nEdit: {ID}\n".encode(),
    "a megabyte of trailers": b"One\n\n" + b"Edit: 0000000000000002\n" * 40_000 + f"Edit: {ID}\n".encode(),
    "NUL": b"One\0two\n\nAgent: a1\nEdit: " + ID.encode() + b"\n",
    "no UTF-8": b"\xff\xfe\xed\xa0\x80\n\n\xff\nEdit: " + ID.encode() + b"\n",
    "escapes": b"\x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b[2J\xc2\x9b31m\n\n\x1b]52;c;eA==\x07\n\nEdit: " + ID.encode() + b"\n",
    "carriage returns": b"One\r\rvaultgit: ok\r\n\r\nAgent: a1\r\nEdit: " + ID.encode() + b"\r\n",
    "a subject like a changelog line": f"- 2026-11-29 21:10 x (a1) ^{FUTURE}\n\nEdit: {ID}\n".encode(),
    "a subject that is an id": f"^{FUTURE}\n\nEdit: {ID}\n".encode(),
    "a comment": f"x %% hidden <!-- \n\nEdit: {ID}\n".encode(),
    "separators": f"a\u2028b\u202ec\x85d\n\nEdit: {ID}\n".encode(),
    "two agents": f"x\n\nAgent: a1\nAgent: human\nSession: s1\nSession: s2\nEdit: {ID}\n".encode(),
    "an id of the future": f"x\n\nAgent: a1\nEdit: {FUTURE}\n".encode(),
    "an id and junk": f"x\n\nEdit: {ID} {FUTURE}\nEdit: ../../x\nEdit:\n".encode(),
    "forged passes": b"x\n\nAgent: a1\nUndoes: HEAD\nUndoes: --help\nProposed-by: human\nRecorded-in: --output=/tmp/x\n"
    b"Captured: claude-code %2e%2e%2f 0-999999999999999999 0000000000000000\n"
    b"Captured: claude-code x 9-1 zz\nAccepted: x\nReview: dream/../x\nEdit: " + ID.encode() + b"\n",
}  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_p1_a_commit_with_a_hostile_message_stops_nobody(vault: Folder, message: bytes) -> None:
    forge(vault, by(PLAIN), message)
    assert_read(vault)
    for line in lines(vault):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]|%%|<!--", line), line


@pytest.mark.parametrize(
    "date", ["Mon Jan 1 00:00:00 0001 +0000", "Fri Dec 31 23:59:59 9999 -2359", "Mon Jan 1 00:00:00 12345 +0000", "x"]
)
def test_p1_the_dates_of_a_squash_may_be_anything(vault: Folder, date: str) -> None:
    part = f"commit {'1' * 40}\nAuthor: B\x1b[31m <b@example.invalid>\nDate:   {date}\n\n    One\n\n    Edit: {ID}\n\n"
    other = part.replace("One", "Two").replace(ID, "0000000000000002")
    forge(vault, by(PLAIN), ("Squashed commit of the following:\n\n" + part + other).encode())
    assert_read(vault)
    (line,) = lines(vault)
    assert "One" in line


@pytest.mark.parametrize("encoding", [b"ISO-8859-1", b"UTF-16", b"no-such-thing", b"UTF-7"])
def test_p1_a_commit_in_another_encoding_stops_nobody(vault: Folder, encoding: bytes) -> None:
    forge(vault, by(b"\xc4da <a@example.invalid> 1795990000 +0000", more=b"encoding " + encoding + b"\n"), EDIT)
    assert_read(vault)


def test_p1_a_forged_signature_is_no_trouble(vault: Folder) -> None:
    signature = (
        b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n Edit: " + FUTURE.encode() + b"\n -----END PGP SIGNATURE-----\n"
    )
    forge(vault, by(PLAIN, more=signature), EDIT)
    vault.git("config", "log.showSignature", "true")
    assert_read(vault)
    assert FUTURE not in vault.read("changelog.md")


def test_p1_an_id_that_two_commits_claim_has_one_line_of_the_older(vault: Folder) -> None:
    forge(vault, by(PLAIN), EDIT)
    forge(vault, by(b"B <b@example.invalid> 1795990100 +0000", b"C <c@example.invalid> 1795990100 +0000"),
          f"Mine now\n\nAgent: human\nEdit: {ID}\n".encode())  # fmt: skip
    assert_read(vault)
    (line,) = lines(vault)
    assert "Changed it" in line and "Mine now" not in line


def test_p4_an_agent_trailer_that_says_person_is_an_agent_still(vault: Folder) -> None:
    """Only the absence of the trailer makes a commit a person's."""
    forge(vault, by(PLAIN), f"x\n\nAgent: human\nEdit: {ID}\n".encode(), "AGENTS.md")
    done = vault.run("check", "--from", "HEAD~1", "--to", "HEAD")
    assert done.code == 1 and "AGENTS.md" in done.out + done.err


def test_a_branch_that_is_named_like_an_option_or_a_review_branch_decides_nothing(vault: Folder) -> None:
    oid = forge(vault, by(PLAIN), EDIT)
    before = vault.git("rev-parse", "HEAD")
    for name in ("dream/\u202ex", "dream/--help", "molt/-v1", "molt/x-v99999999999999999999", "dream/9999-99-99"):
        vault.git("update-ref", f"refs/heads/{name}", oid)
    for words in (("review", "list"), ("review", "show", "dream/--help"), ("review", "show", "--", "molt/-v1"),
                  ("review", "show", "molt/x-v99999999999999999999"), ("status",), ("doctor",), ("dream", "--dry-run"),
                  ("review", "accept", "dream/9999-99-99", "--dry-run")):  # fmt: skip
        done = vault.run(*words)
        assert done.code in (0, 1, 2) and "\u202e" not in done.out + done.err, (words, done)
    assert vault.git("rev-parse", "HEAD") == before
    assert json.loads(vault.run("review", "list", "--json").out) is not None
