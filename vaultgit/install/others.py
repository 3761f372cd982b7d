"""Hooks in .pre-commit-config.yaml that are not ours: programs, which a clone brings along."""

from __future__ import annotations

import re

AGREED = "vaultgit.otherhooks"  # git config: "false" where nobody has agreed to them yet, in this clone


def without_ours(config: bytes) -> bytes:
    """The configuration without our entry (install/block.py); b"" where it names no other repository of hooks."""
    others = re.sub(rb"(?ms)^# vaultgit begin .*?^# vaultgit end", b"", config)
    return others if re.search(rb"(?m)^[ \t]*(-[ \t]+)?[\"']?repo[\"']?[ \t]*:", others) else b""


def names(config: bytes) -> list[str]:
    """What those hooks are called, as far as their names are plain words."""
    entry = rb"(?m)^[ \t]*(?:-[ \t]+)?[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z0-9._-]{1,60})"
    found = re.findall(entry, without_ours(config))
    return list(dict.fromkeys(name.decode() for name in found))
