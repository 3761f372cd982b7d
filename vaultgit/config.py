"""Settings of a vault: .vaultgit.toml, every key optional (hooks/vaultgit.toml lists them).

The file names no program, no URL and no path outside the vault: it travels with the notes, and a clone must be
able to trust it. Whatever names a program lives in git's own config.
"""

from __future__ import annotations

import re
from typing import Any
from typing import NamedTuple

from vaultgit.errors import UsageError

FILE = ".vaultgit.toml"
REVIEW = ("molt", "dream", "adopt")  # review branches are called so, and "/…"
PRUNE_DAYS_AT_LEAST = 180
_PREFIX = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]*/)*([A-Za-z0-9][A-Za-z0-9_-]*-)?|")

# What agents' clients take for instructions, in whatever folder and case. Not for agents to write, nor given as notes.
INSTRUCTIONS = frozenset(("agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"))

LAYOUT = {
    "inbox": "inbox",
    "person": "people",
    "project": "projects",
    "decision": "decisions",
    "session": "sessions",
    "skill": "skills",
    "daily": "daily",
    "concept": "concepts",
}


class Dream(NamedTuple):
    """[dream]: when a skill counts as stale, and how much one dream may do."""

    stale_days: int = 180  # not used for so long: a remark
    prune_days: int = 365  # an action; never under 180
    min_sessions: int = 50  # sessions with a `skills:` record in that time, else nothing is pruned
    max_prune: float = 0.05  # share of the skills that one dream may prune; at least 1, at most 10
    max_share: float = 0.25  # share of the skills that one dream may change; over it, it stops


class Capture(NamedTuple):
    """[capture]: what is read from the clients' logs, where it goes, and what an engine may cost."""

    min_chars: int = 400  # of new dialogue, in all conversations together; less waits for more
    heading: str = "Automatic capture, {time}"
    timezone: str = ""  # IANA name; the machine's where it is empty
    max_calls_per_day: int = 200
    max_chars: int = 200_000  # a day, of prompts and answers
    include_headless: bool = False  # also sessions that a program started


class Consolidate(NamedTuple):
    """[consolidate]: how often captures become proposals, and of what."""

    days: int = 3
    min_mentions: int = 2


class Context(NamedTuple):
    """[context]: how much of which notes `vaultgit context` and clients' hooks give."""

    budget: int = 4000  # tokens
    exclude: tuple[str, ...] = ()  # folders and notes of which they give nothing


class Settings(NamedTuple):
    """What .vaultgit.toml says, with defaults filled in."""

    layout: dict[str, str] = LAYOUT  # note type -> folder, relative to the vault, "" for the vault itself
    mapped: frozenset[str] = frozenset()  # the types whose folder the file names
    type_key: str = "type"
    months_kept: int = 2
    emails: dict[str, str] = {}  # agent name -> author address  # noqa: RUF012
    molt_direct: bool = False  # whether `molt --direct` may commit on the vault's branch
    dream: Dream = Dream()
    capture: Capture = Capture()
    consolidate: Consolidate = Consolidate()
    context: Context = Context()
    review_prefix: str = ""  # before "molt/" and "dream/", where a person has a branch of that name


def parse(text: bytes) -> Settings:
    """Settings from the bytes of .vaultgit.toml.

    Raises UsageError, with the line, when the file is no TOML or a value is of the wrong kind.
    """
    if not any(line.strip() and not line.lstrip().startswith(b"#") for line in text.splitlines()):
        return Settings()  # as `init` writes it, all comments: no need to import a parser
    import tomllib

    try:
        table = tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{FILE}: {error}", "mend the file, or move it away: every setting is optional") from error
    layout = dict(LAYOUT)
    named = _section(table, "layout", str)
    for name, folder in named.items():
        layout[name] = _folder(name, folder)
    agents = table.get("agents", {})
    if not isinstance(agents, dict):
        raise UsageError(f"{FILE}: [agents] is not a table")
    emails = {name: str(of["email"]) for name, of in agents.items() if isinstance(of, dict) and "email" in of}
    prefix = _section(table, "review", str).get("prefix", "")
    if not _PREFIX.fullmatch(prefix):
        raise UsageError(f"{FILE}: [review] prefix = {prefix!r} cannot begin a branch's name", 'prefix = "vaultgit/"')
    return Settings(
        layout=layout,
        mapped=frozenset(named),
        type_key=_section(table, "types", str).get("key", "type"),
        months_kept=max(1, _section(table, "changelog", int).get("months_kept", 2)),
        emails=emails,
        molt_direct=_section(table, "molt", bool).get("direct", False),
        dream=_dream(table),
        capture=_capture(table),
        consolidate=Consolidate(**_numbers(table, "consolidate", Consolidate, least=1)),
        context=_context(table),
        review_prefix=prefix,
    )


def _dream(table: dict[str, Any]) -> Dream:
    section = _section(table, "dream", int, float)
    known = {key: section[key] for key in Dream._fields if key in section}
    for key, value in known.items():
        whole = isinstance(Dream._field_defaults[key], int)
        if isinstance(value, bool) or (whole and not isinstance(value, int)) or value < 0 or (not whole and value > 1):
            what = "a whole number" if whole else "a share between 0 and 1"
            raise UsageError(f"{FILE}: [dream] {key} = {value!r} is not {what}")
    if known.get("prune_days", PRUNE_DAYS_AT_LEAST) < PRUNE_DAYS_AT_LEAST:
        why = "yearly and quarterly procedures would all count as dead"
        raise UsageError(f"{FILE}: [dream] prune_days is under {PRUNE_DAYS_AT_LEAST}: {why}")
    return Dream(**known)


def _capture(table: dict[str, Any]) -> Capture:
    section = _section(table, "capture", int, str, bool)
    found = _numbers(table, "capture", Capture, least=0)
    for key, kind in (("heading", str), ("timezone", str), ("include_headless", bool)):
        if key in section:
            if not isinstance(section[key], kind):
                raise UsageError(f"{FILE}: [capture] {key} = {section[key]!r} should be of type {kind.__name__}")
            found[key] = section[key]
    heading = found.get("heading", Capture().heading)
    if "{time}" not in heading or not heading.isprintable() or not heading.replace("{time}", "").strip(" #"):
        raise UsageError(f"{FILE}: [capture] heading = {heading!r} needs words and {{time}}, on one line",
                         f'heading = "{Capture().heading}"')  # fmt: skip
    if found.get("timezone"):
        import zoneinfo

        try:
            zoneinfo.ZoneInfo(found["timezone"])
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError) as error:
            what = f"{FILE}: [capture] timezone = {found['timezone']!r} is not known on this machine"
            raise UsageError(what, 'timezone = "Europe/Berlin"') from error
    return Capture(**found)


def _context(table: dict[str, Any]) -> Context:
    section = dict(_section(table, "context", int, list))
    exclude = section.pop("exclude", [])
    if not isinstance(exclude, list) or not all(isinstance(path, str) and path.strip("/ ") for path in exclude):
        raise UsageError(f"{FILE}: [context] exclude = {exclude!r} is no list of folders", 'exclude = ["Journal"]')
    paths = tuple(path.strip("/") for path in exclude)
    return Context(**_numbers({"context": section}, "context", Context, least=1), exclude=paths)


def _numbers(table: dict[str, Any], name: str, fields: Any, *, least: int) -> dict[str, Any]:
    """The whole numbers of a section, as far as it has them."""
    section = _section(table, name, bool, str, int)
    defaults = fields._field_defaults
    known = {key: section[key] for key, usual in defaults.items() if key in section and type(usual) is int}
    for key, value in known.items():
        if type(value) is not int or value < least:
            raise UsageError(f"{FILE}: [{name}] {key} = {value!r} is not a whole number from {least}")
    return known


def _section(table: dict[str, Any], name: str, *kinds: type) -> dict[str, Any]:
    section = table.get(name, {})
    if not isinstance(section, dict):
        raise UsageError(f"{FILE}: [{name}] is not a table")
    for key, value in section.items():
        if not isinstance(value, kinds):
            raise UsageError(f"{FILE}: [{name}] {key} = {value!r} should be of type {kinds[-1].__name__}")
    return section


def _folder(name: str, folder: str) -> str:
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith("/") or ".." in parts or any(part.startswith(".") for part in parts):
        raise UsageError(f"{FILE}: [layout] {name} = {folder!r} is not a visible folder inside the vault")
    return "/".join(parts)
