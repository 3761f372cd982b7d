"""Captures and proposals for tests: daily notes with capture blocks, and review.md as a person ticks it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from support import Folder
from support import Result

from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block

TEN = ("Norrland", "Vestmark", "Ostholm", "Brunvik", "Lindås", "Hallsund", "Torsby", "Ekerö", "Marvik", "Solheim")
DAYS = ("2026-11-01", "2026-11-02")
LATER = "2026-12-05T09:00:00+01:00"


def daily(day: str, *blocks: tuple[str, tuple[str, ...]], folder: str = "src") -> str:
    """A daily note with capture blocks: (time, lines). `folder`: where the conversations were held; src is no
    project's."""
    head = f"---\ntype: daily\ndate: {day}\n---\nWhat I did.\n"
    return head + "".join(
        f"\n## Automatic capture, {time}\n\nIn {folder}, with claude-code:\n\n"
        + "".join(f"- {line}\n" for line in lines)
        for time, lines in blocks
    )


def about(name: str, days: tuple[str, str] = DAYS) -> tuple[str, str]:
    """Two lines that make a name recur, as the notes of two days hold them."""
    return (
        f"context: “the depot in [[{name}]] closes at five from {days[0]} on” (you)",
        f"context: “[[{name}]] sends its file at noon from {days[1]} on” (you)",
    )


def captured(vault: Folder, *names: str, days: tuple[str, str] = DAYS) -> Folder:
    """Commits daily notes that mention each of the names twice."""
    for at, day in enumerate(days):
        vault.write(f"daily/{day}.md", daily(day, ("21:10", tuple(about(name, days)[at] for name in names))))
    vault.commit("captured", "daily")
    return vault


def consolidate(vault: Folder, *args: str, code: int = 0, env: Mapping[str, str] = {}) -> Result:
    done = vault.run("consolidate", *args, env=env)
    assert done.code == code, done
    return done


def data(vault: Folder, *args: str, code: int = 0, env: Mapping[str, str] = {}) -> Any:
    return json.loads(consolidate(vault, "--json", *args, code=code, env=env).out)


def blocks(vault: Folder) -> dict[str, Block]:
    """The blocks of review.md, by title."""
    return {one.title: one for one in reviewfile.read(vault.read("review.md"))}


def tick(vault: Folder, title: str, word: str = "accept", box: str = "- [x]", **edits: str) -> None:
    """Ticks a box of a proposal as an editor does; `edits`: what is replaced in the block, `old` by `new`."""
    text = vault.read("review.md")
    one = blocks(vault)[title]
    part = text[one.start : one.end]
    if edits:
        assert edits["old"] in part
        part = part.replace(edits["old"], edits["new"])
    changed = re.sub(rf"(?m)^- \[ \] {word}", f"{box} {word}", part)
    assert changed != part
    vault.write("review.md", text[: one.start] + changed + text[one.end :])


def rounds(vault: Folder) -> list[str]:
    """Bodies of the commits that brought proposals, newest first."""
    every = vault.git("log", "--format=%B%x00", "--fixed-strings", "--grep=Captures read up to ").split("\0")
    return [one.strip() for one in every if one.strip()]


def status(vault: Folder) -> Any:
    return json.loads(vault.run("status", "--json").out)


def head(vault: Folder) -> str:
    return vault.git("rev-parse", "HEAD")


def line(vault: Folder, text: str) -> int:
    """The number of a line of review.md."""
    return vault.read("review.md").split("\n").index(text) + 1


def edits(vault: Folder) -> list[str]:
    """Edit ids of all commits."""
    return vault.git("log", "--format=%(trailers:key=Edit,valueonly)").split()


def sound(vault: Folder) -> None:
    """changelog.md agrees with history, git finds nothing wrong, nothing waits."""
    done = vault.run("verify")
    assert done.code == 0, done
    assert vault.git("fsck", "--no-dangling", "--no-progress") == ""
    assert status(vault)["queue"] == []
