"""What a vault's .obsidian folder says, as far as vaultgit uses or shows it.

Every file there may be missing, damaged, or something else than expected: it says nothing then. Paths are read as
Obsidian reads them (slashes around them do not count); one that leads out of the vault says nothing either.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

if TYPE_CHECKING:
    from datetime import date

FOLDER = ".obsidian"
CORE = f"{FOLDER}/daily-notes.json"
PERIODIC = f"{FOLDER}/plugins/periodic-notes/data.json"
FORMAT = "YYYY-MM-DD"

# The bytes of a file by its path in the vault, None where there is none.
Read = Callable[[str], bytes | None]


class Daily(NamedTuple):
    """Where daily notes lie and how they are named."""

    folder: str  # relative to the vault, "" for its root
    format: str = FORMAT  # of the path inside the folder, in moment.js' tokens
    source: str = ""  # the file that says so
    template: str = ""  # the note that a new one is made from

    def path(self, day: date) -> str:
        """The daily note of `day`, relative to the vault. Raises UsageError for a format that names no day."""
        from vaultgit.notes import moment

        name = moment.format(self.format, day)
        inside = f"{self.folder}/{name}" if self.folder else name
        return inside if inside.endswith(".md") else inside + ".md"

    def day(self, path: str) -> date | None:
        """The day whose note `path` is; None for every other note."""
        from vaultgit.errors import UsageError
        from vaultgit.notes import moment

        prefix = self.folder + "/" if self.folder else ""
        if not path.startswith(prefix):
            return None
        name = path[len(prefix) :]
        try:
            return moment.parse(self.format, name.removesuffix(".md")) or moment.parse(self.format, name)
        except UsageError:
            return None


class Obsidian(NamedTuple):
    """What Obsidian's settings say about notes."""

    daily: Daily | None
    templates: tuple[str, ...]  # folders whose notes are templates
    template_notes: tuple[str, ...]  # notes that are, wherever they lie
    excluded: tuple[str, ...] = ()  # "Excluded files": what paths begin with, or /a regular expression/

    def hides(self, path: str) -> bool:
        """Whether "Excluded files" leaves a file out of search, graph and quick switcher."""
        return any(_begins(path, pattern) for pattern in self.excluded)

    def is_template(self, path: str) -> bool:
        return path in self.template_notes or any(path.startswith(folder + "/") for folder in self.templates)


def read(source: Read) -> Obsidian:
    """The settings of the vault whose files `source` reads."""
    core = table(source, CORE)
    periodic = table(source, PERIODIC) if enabled(source, "periodic-notes") else None
    daily = _daily(source, core, periodic)
    templater = table(source, f"{FOLDER}/plugins/templater-obsidian/data.json") or {}
    folders = [
        (table(source, f"{FOLDER}/templates.json") or {}).get("folder"),
        templater.get("templates_folder"),
        templater.get("template_folder"),
    ]
    found = {folder for folder in map(clean, folders) if folder}
    notes = [note for note in map(clean, _template_notes(core, periodic)) if note]
    for note in notes:
        folder = note.rpartition("/")[0]
        holds_daily = daily is not None and (daily.folder + "/").startswith(folder + "/")
        if folder and not holds_daily:  # a template beside the daily notes makes no templates of them
            found.add(folder)
    outermost = sorted(one for one in found if not any(one.startswith(other + "/") for other in found))
    templates = tuple(note.removesuffix(".md") + ".md" for note in notes)
    return Obsidian(daily, tuple(outermost), templates, _excluded(source))


def table(source: Read, path: str) -> dict[str, Any] | None:
    """The object that a JSON file holds; None for a file that is missing, damaged or holds something else."""
    found = _json(source, path)
    return found if isinstance(found, dict) else None


def enabled(source: Read, plugin: str) -> bool:
    """Whether a community plugin is switched on."""
    listed = _json(source, f"{FOLDER}/community-plugins.json")
    return isinstance(listed, list) and plugin in listed


def commits_by_itself(source: Read) -> bool:
    """Whether obsidian-git has a timer."""
    data = table(source, f"{FOLDER}/plugins/obsidian-git/data.json") or {}
    names = ("autoSaveInterval", "autoBackupInterval", "autoCommitInterval")
    return any(isinstance(data.get(name), (int, float)) and data[name] > 0 for name in names)


def syncs_by_itself(source: Read) -> list[str]:
    """The settings of obsidian-git by which it pulls or pushes without being asked; [] where it is switched off."""
    if not enabled(source, "obsidian-git"):
        return []
    data = table(source, f"{FOLDER}/plugins/obsidian-git/data.json") or {}
    names = ["autoPullInterval", *([] if data.get("disablePush") else ["autoPushInterval", "autoSaveInterval"])]
    timed = [name for name in names if isinstance(data.get(name), (int, float)) and data[name] > 0]
    return timed + (["autoPullOnBoot"] if data.get("autoPullOnBoot") is True else [])


def hides(source: Read, path: str) -> bool:
    """Whether "Excluded files" leaves a file out of search, graph and quick switcher."""
    return any(_begins(path, pattern) for pattern in _excluded(source))


def _excluded(source: Read) -> tuple[str, ...]:
    patterns = (table(source, f"{FOLDER}/app.json") or {}).get("userIgnoreFilters")
    return tuple(text for text in patterns if isinstance(text, str)) if isinstance(patterns, list) else ()


def _begins(path: str, pattern: str) -> bool:
    if len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/"):
        try:
            return re.search(pattern[1:-1], path) is not None
        except re.error:  # written in JavaScript's way: it is taken for the path that it may be
            pass
    plain = pattern.strip("/")
    return bool(plain) and path.startswith(plain)


def clean(path: Any) -> str | None:
    """A path of a setting as Obsidian takes it, "" for the vault's root; None for what is no path inside it."""
    if path is None:
        return ""
    if not isinstance(path, str) or any("\ud800" <= c <= "\udfff" for c in path):
        return None
    plain = unicodedata.normalize("NFC", path.replace("\u00a0", " ").replace("\\", "/")).strip()
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    return None if any(part.startswith(".") or "\0" in part for part in parts) else "/".join(parts)


def _daily(source: Read, core: dict[str, Any] | None, periodic: dict[str, Any] | None) -> Daily | None:
    """The core plugin's daily notes; periodic-notes' where that one is off or was never set."""
    on = _core_enabled(source, "daily-notes")
    named = _named(core, CORE) if core is not None else None
    if on and named is not None:
        return named
    other = _named(_day_of(periodic), PERIODIC) if periodic is not None else None
    if other is not None:
        return other
    return named if named is not None and named.folder else None  # switched off: a folder that was chosen still is


def _named(settings: dict[str, Any] | None, source: str) -> Daily | None:
    folder = clean(settings.get("folder")) if settings is not None else None
    if settings is None or folder is None:
        return None
    wanted = settings.get("format")
    parts = wanted.strip().strip("/") if isinstance(wanted, str) else ""
    template = clean(settings.get("template") or settings.get("templatePath") or None)
    return Daily(folder, parts or FORMAT, source, template.removesuffix(".md") + ".md" if template else "")


def _day_of(periodic: dict[str, Any] | None) -> dict[str, Any] | None:
    """periodic-notes' settings of days, in the shape of its older and of its newer versions; None where it has none."""
    data = periodic or {}
    sets = data.get("calendarSets")
    active = data.get("activeCalendarSet")
    found: Any = data.get("daily")
    if isinstance(sets, list):
        every = [one for one in sets if isinstance(one, dict)]
        chosen = [one for one in every if one.get("id") == active] or every
        found = chosen[0].get("day") if chosen else found
    return found if isinstance(found, dict) and found.get("enabled") is True else None


def _core_enabled(source: Read, plugin: str) -> bool:
    """Whether a core plugin that is on by default is on. The file is a list of those that are, or says it of each."""
    listed = _json(source, f"{FOLDER}/core-plugins.json")
    if isinstance(listed, list):
        return plugin in listed
    return listed.get(plugin, True) is not False if isinstance(listed, dict) else True


def _template_notes(core: dict[str, Any] | None, periodic: dict[str, Any] | None) -> Iterator[Any]:
    yield (core or {}).get("template")
    for kind in (periodic or {}).values():
        if isinstance(kind, dict):
            yield kind.get("template")
    day = _day_of(periodic)
    yield (day or {}).get("templatePath")


def _json(source: Read, path: str) -> Any:
    try:
        data = source(path)
        return json.loads(data) if data else None
    except (OSError, ValueError, RecursionError):
        return None
