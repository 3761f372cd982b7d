"""Which skills were used, and when: derived from what session notes say, as one commit holds them.

Nothing counts uses anywhere else, so the answer is exact for any commit and needs no cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import link_target
from vaultgit.notes.schema import is_date
from vaultgit.recall import skills as skills_module
from vaultgit.recall import tree
from vaultgit.recall.skills import Skills
from vaultgit.vault import Vault

TYPE = "session"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Use(NamedTuple):
    """Of one skill. `last`: the day of the newest session that used it, "" for none; `sessions`: paths of the session
    notes, newest first."""

    last: str = ""
    count: int = 0  # type: ignore[assignment]  # a tuple's own method, which nobody needs here
    sessions: tuple[str, ...] = ()


class Record(NamedTuple):
    """A session note whose `skills:` says something. `skills`: paths of those that are there; a link to one that is
    gone is still a use on record."""

    day: str
    path: str
    skills: tuple[str, ...]


class Uses(NamedTuple):
    """`by_path`: skills that were used, by path. `first`: the day of the first session that recorded any use, "" for
    none. `recorded`: the sessions that say which skills they used, newest first."""

    by_path: dict[str, Use]
    first: str
    recorded: list[Record]

    def of(self, path: str) -> Use:
        return self.by_path.get(path, Use())


def at(vault: Vault, commit: str, skills: Skills | None = None) -> Uses:
    """The uses that a commit holds. `skills`: those of the commit, where the caller has read them already."""
    skills = skills if skills is not None else skills_module.at(vault, commit)
    held = tree.files(vault, commit)
    meant = skills_module.reader(Resolver(file.path for file in held), skills)
    recorded = []
    for file, data in tree.notes(vault, held, TYPE):
        values = frontmatter.read(data).values
        links = targets(values.get("skills"))
        if links:
            folder = file.path.rpartition("/")[0]
            used = dict.fromkeys(path for target in links for path in meant(target, folder))
            recorded.append(Record(day(file.path, values), file.path, tuple(used)))
    recorded.sort(key=lambda record: (record.day, record.path), reverse=True)
    days = [record.day for record in recorded if record.day]
    return Uses(_by_path(recorded), days[-1] if days else "", recorded)


def targets(value: Any) -> list[str]:
    """What a property links to, a list or a single link."""
    given = value if isinstance(value, list) else [value]
    return [target for target in (link_target(one) for one in given if isinstance(one, str)) if target]


def day(path: str, values: dict[str, Any]) -> str:
    """A session's day: what the note says, else what its file is called; "" where neither is one."""
    named = _DAY.search(path.rpartition("/")[2])
    days = (values.get("date"), named[0] if named else None)
    return next((day for day in days if isinstance(day, str) and is_date(day)), "")


def _by_path(recorded: Iterable[Record]) -> dict[str, Use]:
    """`recorded` comes newest first."""
    sessions: dict[str, list[Record]] = {}
    for record in recorded:
        for path in record.skills:
            sessions.setdefault(path, []).append(record)
    return {path: Use(found[0].day, len(found), tuple(one.path for one in found)) for path, found in sessions.items()}
