"""What the tests of timers share: stand-ins for the programs that own them."""

from __future__ import annotations

import os
from pathlib import Path

from support import Folder
from support import Result

# A program that keeps the person's table in a file; "denied", "unreadable" and "full" beside it make it fail, "debian"
# makes it print a carriage return as Debian's does. It notes what it was asked for.
CRONTAB = r"""
cd "$(dirname "$0")"
echo "$1" >>asked
[ -e denied ] && { echo "You (me) are not allowed to use this program (crontab)" >&2; exit 1; }
case $1 in
-l) [ -e unreadable ] && { echo "crontabs/me: fopen: Permission denied" >&2; exit 1; }
    [ -e table ] || { echo "no crontab for me" >&2; exit 1; }
    if [ -e debian ]; then sed 's/\r$/\\r/' table; else cat table; fi;;
-e) cp table edited && sh -c "$VISUAL edited" && mv edited table;;
-r) rm table;;
-)  cat >new; [ -e full ] && { echo "no space left" >&2; exit 1; }; mv new table;;
esac
"""
SYSTEMCTL = r"""
cd "$(dirname "$0")"
echo "$*" >>systemctl-asked
case "$*" in
--version) echo "systemd 252 (252)";;
*" $(cat failing 2>/dev/null || echo none)"*) echo "it failed" >&2; exit 1;;
esac
"""


class Machine:
    """Stand-ins for the programs that own timers, first on PATH, and the vault."""

    def __init__(self, vault: Folder, folder: Path) -> None:
        self.vault, self.folder = vault, folder
        folder.mkdir()
        self.has("crontab", CRONTAB)
        self.has("systemctl", 'echo "Failed to connect to bus" >&2; exit 1')
        self.path = f"{folder}:{os.environ['PATH']}"

    def has(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def run(self, *args: str, **env: str) -> Result:
        return self.vault.run("schedule", *args, env={"PATH": self.path, **env})

    @property
    def table(self) -> bytes | None:
        path = self.folder / "table"
        return path.read_bytes() if path.exists() else None

    @table.setter
    def table(self, data: bytes | None) -> None:
        if data is not None:
            (self.folder / "table").write_bytes(data)

    def asked(self, name: str = "asked") -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []
