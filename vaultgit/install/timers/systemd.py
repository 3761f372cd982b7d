"""systemd: a service and a timer for each job, in the person's own manager. The texts stand in hooks/timers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence

from vaultgit import resources
from vaultgit.errors import VaultgitError
from vaultgit.install import block
from vaultgit.install.timers import every
from vaultgit.install.timers import files
from vaultgit.install.timers import job
from vaultgit.install.timers.job import Job
from vaultgit.install.timers.job import Standing
from vaultgit.install.timers.job import Start
from vaultgit.install.timers.job import Text
from vaultgit.install.timers.run import Said
from vaultgit.install.timers.run import run

NAME = "systemd"
UNITS = ("service", "timer")
OLDEST = 244  # the first that starts `ExecStart=:` with nothing expanded


def unusable() -> str:
    """Why it cannot be used here; "" where it can."""
    if not shutil.which("systemctl"):
        return "there is no systemctl here"
    said = _ctl("show-environment")
    if said.code:
        return f"systemctl --user does not work here: {said.words}"
    match = re.match(rb"systemd (\d+)", run("systemctl", "--version").out)
    if match and int(match[1]) < OLDEST:
        return f"systemd {match[1].decode()} is too old: {OLDEST} or newer is needed"
    return ""


def _ctl(*words: str) -> Said:
    return run("systemctl", "--user", "--no-pager", *words)


def _where(name: str, key: str, kind: str) -> str:
    return os.path.join(_folder(), f"vaultgit-{name}-{key}.{kind}")


def _folder() -> str:
    config = os.environ.get("XDG_CONFIG_HOME", "")
    base = config if os.path.isabs(config) else os.path.expanduser("~/.config")
    return os.path.join(base, "systemd", "user")


# -- the text --------------------------------------------------------------------------------------


def texts(begun: Start, jobs: Sequence[Job]) -> list[Text]:
    """A service and a timer a job. Raises UsageError for a path that a unit cannot hold."""
    head = job.header(NAME, jobs)
    return [text for one in jobs for text in _units(begun, one, head)]


def _units(begun: Start, one: Job, head: str) -> list[Text]:
    values = {
        "header": head,
        "what": f"vaultgit {' '.join(one.words)} ({_bare(begun.root)})",
        "environment": "\n".join(f"Environment={_quoted(f'{name}={value}')}" for name, value in begun.environment),
        "log": _bare(job.log(begun, one)),
        "trim": _trim(begun, one),
        "later": f"SuccessExitStatus={one.later}\n" if one.later else "",
        "command": " ".join(_quoted(word) for word in job.command(begun, one)),
        "calendar": _calendar(one),
        "spread": f"RandomizedDelaySec={min(one.minutes * 30, 120)}\n" if one.shared else "",
    }
    return [
        files.text(_where(one.name, begun.key, kind), _template(kind).format(**values), block.HASH) for kind in UNITS
    ]


def _template(kind: str) -> str:
    return resources.read("hooks", f"timers/vaultgit.{kind}").decode()


def _trim(begun: Start, one: Job) -> str:
    find = shutil.which("find")
    if not find:
        return "# nothing keeps the log small: there is no find here"
    words = [find, job.log(begun, one), "-size", f"+{job.LIMIT // 512}", "-exec", "cp", "/dev/null", "{}", "+"]
    return "ExecStartPre=-:" + " ".join(_quoted(word) for word in words)


def _calendar(one: Job) -> str:
    if one.minutes < 60:
        return "*:*:00" if one.minutes == 1 else f"*:0/{one.minutes}:00"
    if one.minutes == every.DAY:
        return "*-*-* 12:07:00"
    return "*:07:00" if one.minutes == 60 else f"*-*-* 0/{one.minutes // 60}:07:00"


def _bare(text: str) -> str:
    """Where systemd takes the rest of the line as it is, but for specifiers."""
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    """One word of a line of words."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_bare(escaped)}"'


def minutes(standing: Sequence[Standing]) -> int | None:
    """How often the capture is started, None where the texts do not say."""
    return job.minutes_of(standing)


def sync_minutes(standing: Sequence[Standing]) -> int:
    """How often the sync is started, 0 where it is not."""
    return job.sync_of(standing)


def programs(standing: Sequence[Standing]) -> list[str]:
    """The programs that the services start."""
    found = []
    for one in standing:
        for line in re.findall(r"(?m)^ExecStart=:?(.*)$", one.data.decode("utf-8", "replace")):
            try:
                found += shlex.split(line.replace("%%", "%"))[:1]
            except ValueError:
                continue
    return found


# -- the units -------------------------------------------------------------------------------------


def standing(key: str) -> list[Standing]:
    """The units of the vault that are there."""
    return files.standing([_where(name, key, kind) for name in job.NAMES for kind in UNITS], block.HASH)


def put(key: str, texts: Sequence[Text]) -> None:
    """Writes the units and starts the timers; takes out others of the vault. Raises VaultgitError where that fails; all
    is as it was then."""
    more = [one.where for one in standing(key) if one.where not in {text.where for text in texts}]
    before = files.put(texts)
    for words in (("daemon-reload",), ("enable", "--now", *_timers(texts)), ("restart", *_timers(texts))):
        said = _ctl(*words)
        if said.code:
            _ctl("disable", "--now", *_timers(texts))
            files.restore(before)
            _ctl("daemon-reload")
            old = [path for path, data in before if data is not None and path.endswith(".timer")]
            if old:
                _ctl("enable", "--now", *map(os.path.basename, old))
            raise VaultgitError(
                f"systemctl --user {words[0]} failed: {said.words}", "vaultgit schedule install --with cron"
            )
    _take_out(more)


def take_out(key: str) -> None:
    """Stops the timers and takes the units out."""
    _take_out([one.where for one in standing(key)])


def _take_out(there: Sequence[str]) -> None:
    timers = [os.path.basename(path) for path in there if path.endswith(".timer")]
    if timers and shutil.which("systemctl"):
        _ctl("disable", "--now", *timers)
    for path in there:
        if path.endswith(".timer"):  # what `enable` left, where no manager runs that takes it away
            files.drop_link(os.path.join(_folder(), "timers.target.wants", os.path.basename(path)))
    files.take_out(there)
    if there and shutil.which("systemctl"):
        _ctl("daemon-reload")


def _timers(texts: Sequence[Text]) -> list[str]:
    return [os.path.basename(text.where) for text in texts if text.where.endswith(".timer")]


def asleep(key: str) -> str:
    """Why nothing starts the services though the timers stand, "" where something does."""
    why = unusable()
    if why:
        return why
    timers = [os.path.basename(one.where) for one in standing(key) if one.where.endswith(".timer")]
    stopped = [name for name in timers if _ctl("is-active", "--quiet", name).code]
    return f"{', '.join(stopped)} does not run" if stopped else ""
