"""Agent Skills: a folder NAME/SKILL.md with its resources beside it, and what that is as a note of ours. Pure.

    NAME/SKILL.md          skills/NAME.md            name, description: name, trigger; the body as it is
    NAME/scripts/run.py    skills/NAME/scripts/run.py

Only links in the body change, so that each leads to the file it led to.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from vaultgit.errors import VaultgitError
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import Link
from vaultgit.notes.links import rewrite
from vaultgit.recall.skills import Skill

FILE = "SKILL.md"
NAME_LIMIT, DESCRIPTION_LIMIT = 64, 1024  # characters; clients take no more

Moved = Callable[[Link], str | None]


class Document(NamedTuple):
    """A SKILL.md. `others`: its further front matter, as far as a property can hold it."""

    name: str
    description: str
    others: dict[str, Any]
    body: bytes


class Unreadable(VaultgitError):
    """A SKILL.md that cannot become a note; the text says why."""


def parse(data: bytes) -> Document:
    """Raises Unreadable."""
    found = frontmatter.read(data)
    if found.problems:
        first = found.problems[0]
        raise Unreadable(f"line {first.line}: {first.code} {first.message}", first.mend)
    block = frontmatter.block(data)
    if block is None:
        raise Unreadable("has no front matter", "it needs name and description between two lines of ---")
    description = found.values.get("description")
    if not isinstance(description, str) or not description.strip():
        raise Unreadable("does not say when to use it", "its front matter needs a description")
    if not data[block.body :].strip():
        raise Unreadable("has no body", "a skill says how a thing is done")
    name = found.values.get("name")
    others = {key: value for key, value in found.values.items() if key not in ("name", "description")}
    plain = {key: value for key, value in others.items() if _is_plain(value)}
    return Document(name if isinstance(name, str) else "", one_line(description), plain, data[block.body :])


def _is_plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, dict) and depth == 0:
        return bool(value) and all(_is_plain(one, 1) for one in value.values())
    if isinstance(value, list) and depth <= 1:
        return all(_is_plain(one, 2) for one in value)
    return isinstance(value, str | int | float | bool)


def one_line(text: str) -> str:
    return " ".join(text.split())


# -- a skill of ours as such a document ----------------------------------------------------------------------------


def exported_name(name: str) -> str:
    """The name that clients see, cut at a word."""
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT + 1].rpartition("-")[0] or name[:NAME_LIMIT]


def exported_description(trigger: str) -> str:
    """The trigger on one line, cut at a word."""
    text = one_line(trigger)
    if len(text) <= DESCRIPTION_LIMIT:
        return text
    return (text[:DESCRIPTION_LIMIT].rpartition(" ")[0] or text[: DESCRIPTION_LIMIT - 1]) + "…"


def is_cut(skill: Skill) -> bool:
    """Whether clients see less than the whole name and trigger."""
    shown = exported_name(skill.name), exported_description(skill.trigger)
    return shown != (skill.name, one_line(skill.trigger))


def document(skill: Skill, moved: Moved) -> bytes:
    """The SKILL.md of a skill, with other targets of links.

    Of its properties only name, trigger and licence go out: a client takes others (`allowed-tools`, `hooks`) for leave
    to do things, and agents may write those.
    """
    data = with_targets(skill.data, moved)
    block = frontmatter.block(data)
    values = {"name": exported_name(skill.name), "description": exported_description(skill.trigger)}
    if isinstance(skill.values.get("license"), str):
        values["license"] = skill.values["license"]
    return patch.set_properties(b"---\n---\n" + data[block.body if block else 0 :], values)


# -- links ---------------------------------------------------------------------------------------------------------


def with_targets(data: bytes, moved: Moved) -> bytes:
    """The text with the targets that `moved` gives; no other byte changes."""
    if b"](" not in data and b"[[" not in data:
        return data
    return rewrite(data.decode("utf-8", "surrogateescape"), moved).encode("utf-8", "surrogateescape")


def with_folders(places: Mapping[str, str]) -> dict[str, str]:
    """Where files go (old path -> new one), and with them the folders that they lie in, as far as both paths end
    alike: a link may lead to a folder."""
    found = dict(places)
    for old, new in places.items():
        while (old := posixpath.dirname(old)) and (new := posixpath.dirname(new)) and old not in found:
            if posixpath.basename(old) != posixpath.basename(new):
                break
            found[old] = new
    return found


def follow(target: str, source: str, places: Mapping[str, str], now: str) -> str | None:
    """A link's target, which stands in the file `source`, for the same text in the file `now`; None where it leads to
    none of `places` (old path -> new one)."""
    if not target or target.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    meant = places.get(path) or places.get(f"{path}.md")  # Obsidian leaves the ending out
    if meant is None:
        return None
    written = posixpath.relpath(meant, posixpath.dirname(now) or ".")
    if target.startswith("./") and not written.startswith("../"):
        written = f"./{written}"
    return written + "/" if target.endswith("/") else written
