"""Claude Code's settings (measured with 2.1.332)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Sequence

from vaultgit.install.clients import jsontext
from vaultgit.install.clients.client import Note
from vaultgit.install.clients.client import Wanted
from vaultgit.install.clients.entries import Found

NAME = "claude"
TITLE = "Claude Code"
PROGRAM = "claude"
AGENT = "claude-code"
SETTINGS = "settings.json"
INSTRUCTIONS = "CLAUDE.md"
COMMAND = "commands/recap.md"
TEMPLATE = "clients/claude/recap.md"
CALLED = "/recap"
LEAVE = ", but for /recap to run `vaultgit recap`"
ASKS = (
    'It asks you before an agent runs a command; to let it look things up unasked, put into "permissions", "allow":\n'
    '  "Bash({program} search:*)", "Bash({program} context:*)", "Bash({program} read:*)"'
)
# It ends what runs at SessionEnd after about 1.5 s, whatever stands here.
HOOKS: tuple[Wanted, ...] = (
    Wanted("SessionStart", "", "session-start", 10),
    Wanted("UserPromptSubmit", "", "prompt", 10),
    Wanted("PostToolUse", "Write|Edit|MultiEdit", "wrote", 10),
    Wanted("PreCompact", "", "compact", 5),
    Wanted("SessionEnd", "", "session-end", 5),
)
PAYLOAD: Mapping[str, str] = {"prompt_id": "vaultgit-trial"}


def folder(environ: Mapping[str, str], home: str) -> str:
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def notes(folder: str, text: str, found: Sequence[Found]) -> list[Note]:
    if not found or jsontext.parse(text).get("disableAllHooks") is not True:
        return []
    about = os.path.join(folder, SETTINGS)
    return [Note("client-hooks-off", about, "disableAllHooks is true: no hook runs", f"take that line out of {about}")]
