"""launchd, on macOS: an agent a job, as property lists in ~/Library/LaunchAgents."""

from __future__ import annotations

import os
import plistlib
import shutil
from collections.abc import Sequence
from typing import Any
from xml.parsers.expat import ExpatError

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import block
from vaultgit.install.timers import files
from vaultgit.install.timers import job
from vaultgit.install.timers.job import Job
from vaultgit.install.timers.job import Standing
from vaultgit.install.timers.job import Start
from vaultgit.install.timers.job import Text
from vaultgit.install.timers.run import run

NAME = "launchd"


def unusable() -> str:
    """Why it cannot be used here; "" where it can."""
    return "" if shutil.which("launchctl") else "there is no launchctl here"


def _where(name: str, key: str) -> str:
    return os.path.join(os.path.expanduser("~/Library/LaunchAgents"), f"vaultgit.{name}.{key}.plist")


# -- the text --------------------------------------------------------------------------------------


def texts(begun: Start, jobs: Sequence[Job]) -> list[Text]:
    """A property list a job. Raises UsageError for a path that XML cannot hold."""
    return [_agent(begun, one) for one in jobs]


def _agent(begun: Start, one: Job) -> Text:
    log = job.log(begun, one)
    told: dict[str, Any] = {
        "Label": _label(_where(one.name, begun.key)),
        "ProgramArguments": list(job.command(begun, one)),
        "EnvironmentVariables": dict(begun.environment),
        "StartInterval": one.minutes * 60,
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "WorkingDirectory": "/",
        "ProcessType": "Background",
        "Nice": 10,
    }
    try:
        xml = plistlib.dumps(told, sort_keys=False).decode()
    except (ValueError, UnicodeEncodeError) as error:
        raise UsageError(f"{begun.root}: a property list cannot hold this path", "rename the folder") from error
    head, newline, rest = xml.partition("\n")
    return files.text(_where(one.name, begun.key), rest, block.HTML, head + newline)


def minutes(standing: Sequence[Standing]) -> int | None:
    """How often the capture is started, None where the texts do not say."""
    return _minutes(standing, "capture")


def sync_minutes(standing: Sequence[Standing]) -> int:
    """How often the sync is started, 0 where it is not."""
    return _minutes(standing, "sync") or 0


def _minutes(standing: Sequence[Standing], name: str) -> int | None:
    seconds = [told["StartInterval"] for told in _told(standing) if f".{name}." in str(told.get("Label"))]
    return seconds[0] // 60 if seconds and isinstance(seconds[0], int) else None


def programs(standing: Sequence[Standing]) -> list[str]:
    """The programs that the agents start."""
    return [str(told["ProgramArguments"][0]) for told in _told(standing)]


def _told(standing: Sequence[Standing]) -> list[dict[str, Any]]:
    found = []
    for one in standing:
        try:
            told = plistlib.loads(one.data)
        except (plistlib.InvalidFileException, ExpatError, ValueError):
            continue
        if isinstance(told, dict) and told.get("ProgramArguments") and told.get("StartInterval"):
            found.append(told)
    return found


# -- the agents ------------------------------------------------------------------------------------


def standing(key: str) -> list[Standing]:
    """The property lists of the vault that are there."""
    return files.standing([_where(name, key) for name in job.NAMES], block.HTML)


def put(key: str, texts: Sequence[Text]) -> None:
    """Writes the agents and loads them; takes out others of the vault. Raises VaultgitError where that fails; all is as
    it was then."""
    more = [one.where for one in standing(key) if one.where not in {text.where for text in texts}]
    before = files.put(texts)
    for text in texts:
        _unload(text.where)
        said = run("launchctl", "bootstrap", _domain(), text.where)
        if said.code:
            for other in texts:
                _unload(other.where)
            files.restore(before)
            for path, data in before:
                if data is not None:
                    run("launchctl", "bootstrap", _domain(), path)
            raise VaultgitError(f"launchctl bootstrap failed: {said.words}", "vaultgit schedule install --with cron")
    _take_out(more)


def take_out(key: str) -> None:
    """Unloads the agents and takes them out."""
    _take_out([one.where for one in standing(key)])


def _take_out(there: Sequence[str]) -> None:
    for path in there:
        _unload(path)
    files.take_out(there)


def _unload(path: str) -> None:
    run("launchctl", "bootout", f"{_domain()}/{_label(path)}")


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _label(path: str) -> str:
    return os.path.basename(path).removesuffix(".plist")


def asleep(key: str) -> str:
    """Why nothing starts the agents though they stand, "" where something does."""
    why = unusable()
    if why:
        return why
    labels = [_label(one.where) for one in standing(key)]
    stopped = [label for label in labels if run("launchctl", "print", f"{_domain()}/{label}").code]
    return f"{', '.join(stopped)} is not loaded" if stopped else ""
