"""Settings, schemas and baseline of the vault: whether they can be used."""

from __future__ import annotations

import json
import os
import shlex

from vaultgit import config
from vaultgit.checks import schemas
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.errors import UsageError
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.notes.schema import NoteTypes
from vaultgit.vault import BASELINE
from vaultgit.vault import SCHEMAS
from vaultgit.vault import Disk
from vaultgit.vault import Vault
from vaultgit.vault import read_schema

_SUFFIX = ".schema.json"


def look(vault: Vault) -> Part:
    types = len(vault.rules.types.names)
    found = [*_unusable(vault), *_baseline(vault), *_layout(vault)]
    return Part("settings", found, f"{config.FILE} and {counted(types, 'note type')} can be used")


def _unusable(vault: Vault) -> list[Finding]:
    """SC01, as the check finds it in what a change brings."""
    disk = Disk(vault.root)
    names = [config.FILE, *(f"{SCHEMAS}/{name}" for name in disk.names(SCHEMAS) if name.endswith(_SUFFIX))]
    files = [FileChange(name, (), data) for name in names if (data := disk.read(name)) is not None]
    broken = schemas.check(Change(tuple(files), vault.rules))
    told = {one.path for one in broken}
    broken += [schemas.unusable(file.path, error) for file in files if file.path not in told
               for error in _folder_error(file)]  # fmt: skip
    risk = {config.FILE: "commands stop; the hook goes on with the defaults"}
    return [
        problem("settings" if one.path == config.FILE else "schema", one.path, f"SC01 {one.message}",
                risk.get(one.path, "notes of its type cannot be checked"), one.mend)
        for one in broken
    ]  # fmt: skip


def _folder_error(file: FileChange) -> list[UsageError]:
    """What is wrong with the folder that a schema names."""
    if file.path == config.FILE:
        return []
    name = file.path.rpartition("/")[2].removesuffix(_SUFFIX)
    try:
        NoteTypes({name: [read_schema(file.after or b"")]}).folder(name)
    except UsageError as error:
        return [error]
    return []


def _baseline(vault: Vault) -> list[Finding]:
    data = Disk(vault.root).read(BASELINE)
    if data is None:
        return []
    try:
        fits = isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        fits = False
    if fits:
        return []
    what, risk = "cannot be read", "what was wrong before you had vaultgit blocks commits now"
    return [problem("baseline", BASELINE, what, risk, f"git restore {BASELINE}, or anew: vaultgit init --adopt")]


def _layout(vault: Vault) -> list[Finding]:
    found = []
    for name in sorted(vault.settings.mapped):
        folder = vault.settings.layout[name]
        about = f"{config.FILE}: [layout] {name}"
        if name not in vault.rules.types.names:
            known = ", ".join(vault.rules.types.names)
            risk = "the setting does nothing"
            found.append(remark("layout-unknown", about, "there is no such note type", risk, f"call it one of {known}"))
        elif folder and not os.path.isdir(vault.full(folder)):
            twin = _twin(vault, folder)
            what = f"there is no folder {folder}" + (f", but {twin}" if twin else "")
            mend = f"mend {config.FILE}" + ("" if twin else f", or: mkdir -p {shlex.quote(vault.full(folder))}")
            found.append(remark("folder-missing", about, what, "notes of this type elsewhere are not checked", mend))
    return found


def _twin(vault: Vault, folder: str) -> str:
    """A folder that differs only by case."""
    above, _, name = folder.rpartition("/")
    twins = [one for one in Disk(vault.root).names(above) if one.casefold() == name.casefold()]
    return f"{above}/{twins[0]}".lstrip("/") if twins else ""
