"""`agent install`: our hooks, lines and /recap in the user-level settings of an agent client, and their exact inverse.

A new client is one module with the names of `client.Client`, and one line in CLIENTS.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import TypeVar

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import plainfile
from vaultgit.install import settings
from vaultgit.install.clients import claude
from vaultgit.install.clients import codex
from vaultgit.install.clients import command
from vaultgit.install.clients import entries
from vaultgit.install.clients import files
from vaultgit.install.clients import instructions
from vaultgit.install.clients import jsontext
from vaultgit.install.clients.client import Client
from vaultgit.install.clients.client import Note
from vaultgit.install.clients.entries import Found
from vaultgit.install.clients.entries import Hook
from vaultgit.install.clients.plan import Plan
from vaultgit.install.clients.plan import Step

CLIENTS: tuple[Client, ...] = (claude, codex)
_BOM = "\ufeff"
_Made = TypeVar("_Made")


class State(NamedTuple):
    """What of ours stands in a client's settings. `notes`: why it would not work."""

    settings: str
    found: list[Found]
    instructions: str  # the file that has lines of ours, "" where there is none
    command: str  # the file of our /recap, "" where there is none
    notes: list[Note]


def named(name: str) -> Client:
    """The client that a person calls so. Raises UsageError."""
    for client in CLIENTS:
        if name in (client.NAME, client.TITLE.lower().replace(" ", "-")):
            return client
    known = ", ".join(client.NAME for client in CLIENTS)
    raise UsageError(f"there is no client {name!r} that this can be installed in", f"known are: {known}")


def folder(client: Client, environ: Mapping[str, str]) -> str:
    """The folder of a client's user-level settings."""
    return os.path.abspath(os.path.expanduser(client.folder(environ, os.path.expanduser("~"))))


def hooks(client: Client, vault: str) -> list[Hook]:
    """The hooks that are wanted, for the vault at `vault`."""
    start = settings.program()
    return [
        Hook(
            one.event, one.matcher, one.name,
            f"{start} hook {one.name} --agent {client.AGENT} --vault {shlex.quote(vault)}{entries.QUIET}", one.timeout,
        )
        for one in client.HOOKS
    ]  # fmt: skip


def plan_install(client: Client, where: str, vault: str) -> Plan:
    """What puts hooks, lines and command for a vault into the settings in `where`; empty when all is in place. Raises
    UsageError for settings that cannot be understood."""
    wanted = hooks(client, vault)
    path = os.path.join(where, client.SETTINGS)
    plan = Plan([], [])
    before = plainfile.read(path)
    bom, text = _decoded(path, before or b"")
    new = _checked(path, text, lambda: entries.put(text, wanted))
    if text.strip() and entries.without(new) != entries.without(text):
        raise RuntimeError(f"adding hooks to {path} would change more than hooks of ours")
    if new != text:
        old = _checked(path, text, lambda: entries.ours(text))
        # Its own backup stays the one from before the first time; a file that holds nothing else was made by us then.
        first = not old or not (files.backups(path) or files.former_backup(path) is not None)
        kept = before if first and not (old and entries.is_empty(entries.take_out(text))) else None
        if kept is not None:
            files.backup_of(path, kept)
        after = _encoded(path, bom + new)
        plan.steps.append(Step(path, before, after, _changed(old, entries.ours(new)), kept))
    path = os.path.join(where, client.INSTRUCTIONS)
    steps, stays = instructions.put(path, settings.program(), shlex.quote(vault))
    plan.steps.extend(steps)
    plan.stays.extend(stays)
    path = os.path.join(where, client.COMMAND)
    there = plainfile.read(path)
    data = command.text(client.TEMPLATE, settings.program(), shlex.quote(vault))
    if there is not None and not command.is_ours(there):
        plan.stays.append(f"{path} is yours: {client.CALLED} stays what it is (vaultgit recap does the same)")
    elif there != data:
        plan.steps.append(Step(path, there, data, f"{client.CALLED}: capture the conversation at hand, now"))
    return plan


def plan_remove(client: Client, where: str) -> Plan:
    """What takes all of it out again. Where nobody changed the settings since, that is the backup, to the byte."""
    path = os.path.join(where, client.SETTINGS)
    backups, former = files.backups(path), files.former_backup(path)
    every = [*backups.values(), *([] if former is None else [former])]
    steps: list[Step] = []
    stays: list[str] = []
    before = plainfile.read(path)
    bom, text = _decoded(path, before or b"")
    old = _checked(path, text, lambda: entries.ours(text))
    if old and before is not None:
        after = _restored(path, bom, text, every)
        again = entries.ours(_decoded(path, after or b"")[1])
        words = "deleted: it held nothing else" if after is None else f"-{_hooks(len(old) - len(again))}"
        words += "; every byte as it was before" if after is not None and after in every else ""
        if former is not None and former == after:
            backups[path + files.BACKUP] = former
        steps += [Step(path, before, after, words)] if after != before else []
        stays += [f"{path} has {one.command}, as it had before: that is yours" for one in again]
    more, left, others = instructions.take_out(os.path.join(where, client.INSTRUCTIONS))
    steps, stays = [*steps, *more], [*stays, *left]
    path = os.path.join(where, client.COMMAND)
    there = plainfile.read(path)
    if there is not None and command.is_ours(there):
        steps.append(Step(path, there, None, f"{client.CALLED}: deleted"))
    elif there is not None and b"vaultgit" in there:
        stays.append(f"{path} was edited and is yours; delete it if you do not want it")
    return Plan(steps, stays, backups | others)


def apply(client: Client, where: str, plan: Plan) -> list[str]:
    """Does what was planned; returns what could not be done, and is not needed. Raises VaultgitError where a file
    cannot be written, or changed meanwhile."""
    failed = []
    for step in plan.steps:
        try:
            if step.backup is not None:
                files.keep(step.path, step.backup)
            files.change(step.path, step.before, step.after)
        except VaultgitError as error:
            if step.needed:
                raise
            failed.append(error.message)
    for path, held in plan.backups.items():
        files.drop(path, held)
    if any(step.after is None for step in plan.steps):
        inside = os.path.dirname(client.COMMAND)
        while inside:
            files.remove_empty(os.path.join(where, inside))
            inside = os.path.dirname(inside)
        files.remove_empty(where)
    return failed


def state(client: Client, where: str) -> State:
    """What stands there now. Raises UsageError for settings that cannot be understood."""
    path = os.path.join(where, client.SETTINGS)
    _, text = _decoded(path, plainfile.read(path) or b"")
    found = _checked(path, text, lambda: entries.ours(text))
    called = os.path.join(where, client.COMMAND)
    there = plainfile.read(called)
    notes = [*_broken(client, path, found), *client.notes(where, text, found)] if found else []
    told = os.path.join(where, client.INSTRUCTIONS)
    return State(
        path, found, told if instructions.stand(told) else "",
        called if there is not None and command.is_ours(there) else "", notes,
    )  # fmt: skip


def of_vault(root: str) -> list[str]:
    """The clients with hooks for this vault; settings that cannot be read are left out."""
    names = []
    for client in CLIENTS:
        try:
            found = state(client, folder(client, os.environ)).found
        except UsageError:
            continue
        if any(entries.option(one.command, "--vault") == root for one in found):
            names.append(client.NAME)
    return names


def _broken(client: Client, path: str, found: Sequence[Found]) -> list[Note]:
    """What is wrong with the hooks themselves, whatever the client."""
    mend = f"vaultgit agent install {client.NAME}"
    gone = {name for one in found if not shutil.which(name := entries.program(one.command))}
    notes = [Note("client-program-gone", path, f"a hook starts {name}, which is gone", mend) for name in sorted(gone)]
    vaults = {entries.option(one.command, "--vault") for one in found}
    for name in sorted(vaults - {""}):
        if not os.path.isdir(name):
            notes.append(Note("client-vault-gone", path, f"a hook is for the vault {name}, which is gone", mend))
    missing = {one.event for one in client.HOOKS} - {one.event for one in found}
    if missing:
        notes.append(Note("client-incomplete", path, f"no hook of ours for {', '.join(sorted(missing))}", mend))
    return notes


def _restored(path: str, bom: str, text: str, backups: Sequence[bytes]) -> bytes | None:
    """The settings without us; None where nothing is left of a file that we made."""
    keep: set[str] = set()
    for backup in backups:
        try:
            was, old = _decoded(path, backup)
            same, now = entries.without(old), entries.without(text)
            if was == bom and (same == now if old.strip() else same == now.strip()):
                return backup
            keep = keep or entries.lists(old)
        except (UsageError, jsontext.Broken):
            pass  # somebody edited the backup: then it says nothing
    new = entries.take_out(text, keep)
    return None if not backups and entries.is_empty(new) else _encoded(path, bom + new)


def _changed(old: Sequence[Found], new: Sequence[Found]) -> str:
    more, up = len(new) - len(old), sum(one not in new for one in old)
    parts = [f"+{_hooks(more)}"] if more else []
    parts += [f"{_hooks(up)} brought up to date"] if up else []
    named = {entries.option(one.command, "--vault") for one in new}
    others = {entries.option(one.command, "--vault") for one in old} - named - {""}
    parts += [f"before for the vault {name}" for name in sorted(others)]
    return ", ".join(parts)


def _hooks(number: int) -> str:
    return f"{number} hook{'' if number == 1 else 's'}"


def _decoded(path: str, data: bytes) -> tuple[str, str]:
    """A byte order mark, or "", and the text behind it."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise _refusal(path, line, column, "not UTF-8") from error
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _encoded(path: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        what = f"a path that is no UTF-8 cannot stand in {path}"
        raise UsageError(what, "vaultgit and the vault need a path that is") from error


def _checked(path: str, text: str, work: Callable[[], _Made]) -> _Made:
    try:
        return work()
    except jsontext.Broken as error:
        line, column = jsontext.place(text, error.at)
        raise _refusal(path, line, column, error.words) from error


def _refusal(path: str, line: int, column: int, words: str) -> UsageError:
    return UsageError(f"{path}:{line}:{column}: {words}; nothing was written", "mend that line, and say it again")
