"""Starting the programs that own timers: crontab, systemctl, launchctl."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.history.repository import clean_environment

PATIENCE = 20  # seconds


class Said(NamedTuple):
    code: int
    out: bytes
    words: str  # what it said on standard error, on one line


def run(*words: str, stdin: bytes = b"", env: Mapping[str, str] = {}) -> Said:
    """A program's answer; 127 where there is none of that name, 124 where it does not answer."""
    try:
        done = subprocess.run(
            words, input=stdin, capture_output=True, env=clean_environment({"LC_ALL": "C", **env}), timeout=PATIENCE,
            check=False,
        )  # fmt: skip
    except (FileNotFoundError, PermissionError):
        return Said(127, b"", f"there is no {words[0]} here")
    except subprocess.TimeoutExpired:
        return Said(124, b"", f"{words[0]} gave no answer within {PATIENCE} s")
    return Said(done.returncode, done.stdout, " ".join(done.stderr.decode("utf-8", "replace").split()))
