"""Settings of a vault: .vaultgit.toml, every key optional (hooks/vaultgit.toml lists them).

The file names no program, no URL and no path outside the vault: it travels with the notes, and a clone must be
able to trust it. Whatever names a program lives in git's own config.
"""

from __future__ import annotations

from typing import Any
from typing import NamedTuple

from vaultgit.errors import UsageError

FILE = ".vaultgit.toml"

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


class Settings(NamedTuple):
    """What .vaultgit.toml says, with defaults filled in."""

    layout: dict[str, str] = LAYOUT  # note type -> folder, relative to the vault, "" for the vault itself
    mapped: frozenset[str] = frozenset()  # the types whose folder the file names
    type_key: str = "type"
    months_kept: int = 2
    emails: dict[str, str] = {}  # agent name -> author address  # noqa: RUF012


def parse(text: bytes) -> Settings:
    """Settings from the bytes of .vaultgit.toml.

    Raises UsageError, with the line, when the file is no TOML or a value is of the wrong kind.
    """
    if not any(line.strip() and not line.lstrip().startswith(b"#") for line in text.splitlines()):
        return Settings()  # as `init` writes it, all comments: no need to import a parser
    import tomllib

    try:
        table = tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{FILE}: {error}", "mend the file, or move it away: every setting is optional") from error
    layout = dict(LAYOUT)
    named = _section(table, "layout", str)
    for name, folder in named.items():
        layout[name] = _folder(name, folder)
    agents = table.get("agents", {})
    if not isinstance(agents, dict):
        raise UsageError(f"{FILE}: [agents] is not a table")
    emails = {name: str(of["email"]) for name, of in agents.items() if isinstance(of, dict) and "email" in of}
    return Settings(
        layout=layout,
        mapped=frozenset(named),
        type_key=_section(table, "types", str).get("key", "type"),
        months_kept=max(1, _section(table, "changelog", int).get("months_kept", 2)),
        emails=emails,
    )


def _section(table: dict[str, Any], name: str, kind: type) -> dict[str, Any]:
    section = table.get(name, {})
    if not isinstance(section, dict):
        raise UsageError(f"{FILE}: [{name}] is not a table")
    for key, value in section.items():
        if not isinstance(value, kind):
            raise UsageError(f"{FILE}: [{name}] {key} = {value!r} should be of type {kind.__name__}")
    return section


def _folder(name: str, folder: str) -> str:
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith("/") or ".." in parts or any(part.startswith(".") for part in parts):
        raise UsageError(f"{FILE}: [layout] {name} = {folder!r} is not a visible folder inside the vault")
    return "/".join(parts)
