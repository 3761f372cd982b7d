"""Hooks of ours in the settings of agent clients on this machine: whether they would run. Clients without any are left
out."""

from __future__ import annotations

import os

from vaultgit.errors import UsageError
from vaultgit.install import clients
from vaultgit.install import plainfile
from vaultgit.install.clients import files
from vaultgit.install.clients.client import Client
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import problem

_RISK = "agents are given no notes, and conversations are not captured when they are compacted or end"


def look() -> Part | None:
    """None where no client has anything of ours."""
    findings: list[Finding] = []
    fine: list[str] = []
    for client in clients.CLIENTS:
        where = clients.folder(client, os.environ)
        try:
            state = clients.state(client, where)
        except UsageError as error:
            findings += _broken(client, where, error)
            continue
        if state.found:
            fine.append(f"{client.NAME}: {counted(len(state.found), 'hook')}")
            findings += [problem(note.kind, note.about, note.what, _RISK, note.mend) for note in state.notes]
    return Part("clients", findings, ", ".join(fine)) if fine or findings else None


def _broken(client: Client, where: str, error: UsageError) -> list[Finding]:
    """Settings that cannot be understood concern us where our hooks may stand in them."""
    path = os.path.join(where, client.SETTINGS)
    try:
        concerns_us = b"vaultgit" in (plainfile.read(path) or b"")
    except UsageError:
        concerns_us = bool(files.backups(path)) or files.former_backup(path) is not None
    what = error.message.removesuffix("; nothing was written")
    return [problem("client-settings", path, what, _RISK, error.hint)] if concerns_us else []
