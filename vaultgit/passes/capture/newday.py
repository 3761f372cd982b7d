"""A daily note that is not there yet: as Obsidian would make it, from the user's template, with type and date."""

from __future__ import annotations

import re
from datetime import date
from datetime import datetime

from vaultgit.errors import UsageError
from vaultgit.notes import frontmatter
from vaultgit.notes import moment
from vaultgit.notes import patch
from vaultgit.vault import DAILY
from vaultgit.vault import Vault

_FIELD = re.compile(r"\{\{\s*(date|time|title)\s*(?::([^{}]*))?\}\}", re.IGNORECASE)
_LEFT = re.compile(r"\{\{|<%")  # of another plugin, which runs only in Obsidian


def made(vault: Vault, path: str, day: date, now: datetime) -> bytes:
    """The note's bytes. A template that needs more than Obsidian's own fields, or would make another kind of note, is
    left alone."""
    bare = f"---\n{vault.settings.type_key}: {DAILY}\ndate: {day.isoformat()}\n---\n".encode()
    template = vault.rules.daily.template
    text = vault.rules.source.read(template) if template else None
    if not text:
        return bare
    try:
        filled = _filled(text.decode("utf-8"), path, day, now)
        return _typed(vault, filled.encode(), day) if not _LEFT.search(filled) else bare
    except (UnicodeDecodeError, UsageError, frontmatter.FrontMatterError):
        return bare


def _filled(template: str, path: str, day: date, now: datetime) -> str:
    """With the fields of Obsidian's daily notes: the title, the date and time in a format of moment.js."""

    def value(field: re.Match[str]) -> str:
        name, fmt = field[1].lower(), (field[2] or "").strip()
        if name == "title":
            return path.rpartition("/")[2].removesuffix(".md")
        if name == "time":
            return now.strftime("%H:%M") if fmt in ("", "HH:mm") else field[0]
        return moment.format(fmt or "YYYY-MM-DD", day)

    return _FIELD.sub(value, template)


def _typed(vault: Vault, note: bytes, day: date) -> bytes:
    key = vault.settings.type_key
    wanted = {key: DAILY, "date": day.isoformat()}
    block = frontmatter.block(note)
    if block is None:
        head = "".join(f"{name}: {value}\n" for name, value in wanted.items())
        return f"---\n{head}---\n".encode() + note
    there = frontmatter.read(note).values
    note = patch.set_properties(note, {name: value for name, value in wanted.items() if not there.get(name)})
    found = frontmatter.read(note)
    if found.problems or any(found.values.get(name) != value for name, value in wanted.items()):
        raise UsageError("the template makes another kind of note")
    return note
