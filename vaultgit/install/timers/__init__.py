"""Timers that start a vault's passes: cron, systemd or launchd, by what is there.

A kind of timer is a module with NAME and what `Kind` names; a new one is one file and one line in KINDS. Vaults are
told apart by a short hash of their folder, so that each is scheduled and taken out alone.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple
from typing import Protocol

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import private
from vaultgit.install import lastsync
from vaultgit.install import settings
from vaultgit.install.lastsync import LastSync
from vaultgit.install.timers import cron
from vaultgit.install.timers import job
from vaultgit.install.timers import launchd
from vaultgit.install.timers import systemd
from vaultgit.install.timers.job import Job
from vaultgit.install.timers.job import Standing
from vaultgit.install.timers.job import Start
from vaultgit.install.timers.job import Text
from vaultgit.vault import Vault

USUAL = 10  # minutes between two captures


class Kind(Protocol):
    """What a kind of timer can do. `key` names the vault; those that change something raise VaultgitError."""

    NAME: str

    def unusable(self) -> str: ...
    def texts(self, begun: Start, jobs: Sequence[Job]) -> list[Text]: ...
    def standing(self, key: str) -> list[Standing]: ...
    def minutes(self, standing: Sequence[Standing]) -> int | None: ...
    def sync_minutes(self, standing: Sequence[Standing]) -> int: ...
    def programs(self, standing: Sequence[Standing]) -> list[str]: ...
    def put(self, key: str, texts: Sequence[Text]) -> None: ...
    def take_out(self, key: str) -> None: ...
    def asleep(self, key: str) -> str: ...


KINDS: dict[str, Kind] = {"systemd": systemd, "launchd": launchd, "cron": cron}


class Planned(NamedTuple):
    """What `install` does. `state`: new, update, unchanged, edited (a person changed our texts). `others`: kinds of
    timer that the vault has now and that go; `foreign`: those among what is there that a person edited."""

    kind: str
    jobs: tuple[Job, ...]
    texts: list[Text]
    state: str
    others: list[str]
    foreign: list[str]


class Schedule(NamedTuple):
    """What is scheduled for a vault. `gone`: programs that its texts start and that are not there; `asleep`: why
    nothing starts them, "" where something does; `last`: what the last capture left, None where it left nothing.
    `sync`: minutes between two syncs, 0 where none is started; `synced`: how the last of them ended."""

    kind: str
    standing: list[Standing]
    minutes: int | None
    programs: list[str]
    gone: list[str]
    asleep: str
    outdated: bool
    log: str
    last: dict[str, Any] | None
    sync: int
    synced: LastSync | None


# -- install ---------------------------------------------------------------------------------------


def plan(vault: Vault, minutes: int | None, wanted: str | None, *, only_show: bool, sync: int | None = None) -> Planned:
    """What is to be written, so that the vault is scheduled. None: as it is now, else every ten minutes, by the first
    kind of timer that works here; `sync` 0: none. Raises UsageError where no kind works (with `only_show` it is cron's
    text then).
    """
    key = job.key_of(vault.root)
    there, _ = _readable(key)
    name = wanted or _choose(list(there), only_show)
    why = KINDS[name].unusable()
    if why and not only_show:
        raise UsageError(why, _instead(name))
    now = there.get(name) or ([] if only_show else KINDS[name].standing(key))
    before = now or next(iter(there.values()), [])  # also of the kind that goes
    synced = next((KINDS[kind].sync_minutes(some) for kind, some in there.items() if some is before), 0)
    jobs = job.jobs(minutes or KINDS[name].minutes(now) or USUAL, synced if sync is None else sync)
    texts = KINDS[name].texts(job.start(vault.root, vault.state, os.environ), jobs)
    same = {one.where: one.data for one in now} == {text.where: text.data for text in texts}
    foreign = [one.where for some in there.values() for one in some if one.edited]
    state = "edited" if foreign else "new" if not now else "unchanged" if same else "update"
    if state == "unchanged" and not only_show and KINDS[name].asleep(key) and name != "cron":
        state = "update"  # stopped by hand, perhaps: it is started again
    return Planned(name, jobs, texts, state, [other for other in there if other != name], foreign)


def _choose(there: list[str], only_show: bool) -> str:
    """The kind of timer that the vault has, else the first that works here."""
    if len(there) == 1:
        return there[0]
    order = ("launchd", "cron") if sys.platform == "darwin" else ("systemd", "cron")
    found = next((name for name in order if not KINDS[name].unusable()), "")
    if not found and not only_show:
        whys = "; ".join(KINDS[name].unusable() for name in order)
        raise UsageError(f"nothing here starts programs by the clock: {whys}", "apt-get install cron")
    return found or "cron"


def _instead(name: str) -> str:
    usable = [other for other, kind in KINDS.items() if other != name and not kind.unusable()]
    return f"vaultgit schedule install --with {usable[0]}" if usable else "apt-get install cron"


def install(vault: Vault, planned: Planned) -> None:
    """Carries out a plan. Raises VaultgitError where that fails; what was scheduled before still is then."""
    key = job.key_of(vault.root)
    made = _make_logs(vault, planned.jobs)
    try:
        KINDS[planned.kind].put(key, planned.texts)
    except VaultgitError:
        _drop_logs(made)
        raise
    for other in planned.others:
        KINDS[other].take_out(key)
    _drop_logs_of(vault, set(job.NAMES) - {one.name for one in planned.jobs})


def _make_logs(vault: Vault, jobs: Sequence[Job]) -> list[str]:
    """The logs, for their owner alone; returns those that were not there."""
    folder = os.path.join(vault.state, "log")
    private.make(folder)
    made = []
    for path in (os.path.join(folder, f"{one.name}.log") for one in jobs):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            made.append(path)
        except FileExistsError:
            os.chmod(path, 0o600)
            keep_small(path)
    return made


def _drop_logs(paths: Sequence[str]) -> None:
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
    for folder in {os.path.dirname(path) for path in paths}:
        try:
            os.rmdir(folder)
        except OSError:
            pass  # another log is there


def keep_small(path: str) -> None:
    """A log over its size begins anew. Lines of cron and units of systemd see to that themselves; launchd does not."""
    try:
        if os.stat(path).st_size > job.LIMIT:
            os.truncate(path, 0)
    except OSError:
        pass


# -- remove ----------------------------------------------------------------------------------------


def standing(root: str) -> dict[str, list[Standing]]:
    """What stands for the vault at `root`, by kind of timer; the folder may be gone. Raises VaultgitError."""
    there, trouble = _readable(job.key_of(root))
    if trouble is not None and not there:
        raise trouble
    return there


def _readable(key: str) -> tuple[dict[str, list[Standing]], VaultgitError | None]:
    """What stands, by kind of timer, and why one could not be asked: who may have no crontab may have other timers."""
    there, trouble = {}, None
    for name, kind in KINDS.items():
        try:
            found = kind.standing(key)
        except VaultgitError as error:
            found, trouble = [], error
        if found:
            there[name] = found
    return there, trouble


def remove(root: str, vault: Vault | None) -> None:
    """Takes out what is scheduled for the vault at `root`, and its logs. Raises VaultgitError."""
    for name in standing(root):
        KINDS[name].take_out(job.key_of(root))
    if vault is not None:
        _drop_logs_of(vault, job.NAMES)


def _drop_logs_of(vault: Vault, names: Iterable[str]) -> None:
    """Another vault of the same repository may write into them as well: they stay then."""
    if len(settings.local(vault.repo).get("vaultgit.folder", [])) < 2:
        _drop_logs([os.path.join(vault.state, "log", f"{name}.log") for name in names])


# -- show ------------------------------------------------------------------------------------------


def look(vault: Vault) -> Schedule | None:
    """What is scheduled for the vault, None where nothing is. Raises VaultgitError where that cannot be told."""
    there = standing(vault.root)
    if not there:
        return None
    name, found = next(iter(there.items()))
    every = [one for some in there.values() for one in some]
    kind = KINDS[name]
    minutes = kind.minutes(found)
    programs = list(dict.fromkeys(program for other, some in there.items() for program in KINDS[other].programs(some)))
    here = job.start(vault.root, vault.state, os.environ).program
    return Schedule(
        " and ".join(there),
        every,
        minutes,
        programs,
        [program for program in programs if not shutil.which(program)],
        kind.asleep(job.key_of(vault.root)),
        any(program != here[0] for program in programs),
        os.path.join(vault.state, "log", "capture.log"),
        last(vault),
        kind.sync_minutes(found),
        lastsync.last(lastsync.path(vault)),
    )


def last(vault: Vault) -> dict[str, Any] | None:
    """What the last capture left in the state folder: time, ok, words. None where it left nothing that can be read."""
    try:
        with open(os.path.join(vault.state, "capture.json"), encoding="utf-8") as stream:
            said = json.load(stream)
    except (OSError, ValueError):
        return None
    found = said.get("last") if isinstance(said, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("time"), str):
        return None
    return {"time": found["time"], "ok": found.get("ok") is True, "words": str(found.get("words") or "")}
