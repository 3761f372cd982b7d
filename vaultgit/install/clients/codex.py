"""Codex's settings (measured with 0.171.0). It has no command files any more: what a person calls is a skill.

It leaves a hook out, without a word, until a person has trusted it: config.toml then holds a hash of the hook under the
name of its place. Both are only read here.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from vaultgit.install.clients import jsontext
from vaultgit.install.clients.client import Note
from vaultgit.install.clients.client import Wanted
from vaultgit.install.clients.entries import Found

NAME = "codex"
TITLE = "Codex"
PROGRAM = "codex"
AGENT = "codex"
SETTINGS = "hooks.json"
INSTRUCTIONS = "AGENTS.md"
COMMAND = "skills/recap/SKILL.md"
TEMPLATE = "clients/codex/recap.md"
CALLED = "$recap"
LEAVE = ""
ASKS = (
    "Its sandbox keeps commands from writing into the vault; an agent there writes through MCP, outside it:\n"
    "  codex mcp add vaultgit -- {program} mcp --vault {vault}"
)
HOOKS: tuple[Wanted, ...] = (
    Wanted("SessionStart", "", "session-start", 10),
    Wanted("UserPromptSubmit", "", "prompt", 10),
    Wanted("PostToolUse", "apply_patch", "wrote", 10),
    Wanted("PreCompact", "", "compact", 5),
    Wanted("SessionEnd", "", "session-end", 3),  # it warns at every start where this is longer
)
PAYLOAD: Mapping[str, str] = {"turn_id": "vaultgit-trial", "model": "none"}
_INSTEAD = "AGENTS.override.md"  # once it holds anything (measured)
TRUST = "start codex, type /hooks, read them, and trust them"
_KNOWN = {"hooks", "description"}  # in its hooks.json
_LONGEST = {"SessionEnd": 3}
_USUAL = 600  # seconds, of a hook that names no timeout


def folder(environ: Mapping[str, str], home: str) -> str:
    return environ.get("CODEX_HOME") or os.path.join(home, ".codex")


def notes(folder: str, text: str, found: Sequence[Found]) -> list[Note]:
    about, config = os.path.join(folder, SETTINGS), _config(folder)
    if not found:
        return []
    unknown = sorted(set(jsontext.parse(text)) - _KNOWN)
    if unknown:
        names = ", ".join(f'"{name}"' for name in unknown)
        return [
            Note("client-settings", about, f"Codex reads none of it: it does not know {names}", f"take {names} out")
        ]
    if _table(config, "features").get("hooks") is False:
        what = "[features] hooks is false: no hook runs"
        return [Note("client-hooks-off", os.path.join(folder, "config.toml"), what, "codex features enable hooks")]
    noted = []
    untrusted = [one.event for one in found if not _trusted(folder, config, one)]
    if untrusted:
        number = "1 hook" if len(untrusted) == 1 else f"{len(untrusted)} hooks"
        what = f"{number} not trusted ({', '.join(untrusted)}): Codex leaves them out and says nothing"
        noted.append(Note("client-not-trusted", about, what, TRUST))
    other = os.path.join(folder, _INSTEAD)
    if os.path.isfile(other) and os.path.getsize(other):
        what = f"Codex reads it in place of {INSTRUCTIONS}: our lines there reach no agent"
        noted.append(Note("client-instructions", other, what, f"copy them from {INSTRUCTIONS} into it"))
    return noted


def _trusted(folder: str, config: Mapping[str, Any], found: Found) -> bool:
    state = _table(_table(config, "hooks"), "state")
    for path in (folder, os.path.realpath(folder)):
        place = f"{os.path.join(path, SETTINGS)}:{_snake(found.event)}:{found.group}:{found.place}"
        here = _table(state, place)
        if here.get("trusted_hash") == hash_of(found) and here.get("enabled") is not False:
            return True
    return False


def hash_of(found: Found) -> str:
    """What Codex notes of a hook that was trusted: another command, another hash."""
    entry = found.entry
    timeout = entry.get("timeout", _USUAL)
    if isinstance(timeout, int):
        timeout = max(1, min(timeout, _LONGEST.get(found.event, timeout)))
    hook = {"async": entry.get("async", False), "command": found.command, "timeout": timeout, "type": "command"}
    if isinstance(entry.get("statusMessage"), str):
        hook["statusMessage"] = entry["statusMessage"]
    identity: dict[str, Any] = {"event_name": _snake(found.event), "hooks": [hook]}
    if found.matcher:
        identity["matcher"] = found.matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _config(folder: str) -> dict[str, Any]:
    """config.toml; {} where there is none that can be read."""
    import tomllib

    try:
        with open(os.path.join(folder, "config.toml"), "rb") as stream:
            return tomllib.load(stream)
    except (OSError, ValueError):
        return {}


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}
