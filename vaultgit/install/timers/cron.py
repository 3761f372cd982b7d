"""cron: our lines stand at the top of the person's crontab, between markers that name the vault.

At the top, what the person sets further down (SHELL, PATH, HOME, MAILTO) does not hold for them, and what ends the
crontab stays as it is. A line is plain sh as well, so that it can be tried by hand.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import block
from vaultgit.install.block import Style
from vaultgit.install.timers import every
from vaultgit.install.timers import job
from vaultgit.install.timers.job import Job
from vaultgit.install.timers.job import Standing
from vaultgit.install.timers.job import Start
from vaultgit.install.timers.job import Text
from vaultgit.install.timers.run import run

NAME = "cron"
WHERE = "crontab"
LONGEST = 990  # bytes of a command: Debian's crontab refuses 999 ("command too long")
_LOGS = "vaultgit/state/log"  # in git's folder
MINUTE = 7  # of the hour, for what runs hourly: not with everything else
MEND = "sudo service cron start"
# Without a daemon: units made of crontabs at start.
_GENERATOR = "/usr/lib/systemd/system-generators/systemd-crontab-generator"
NEEDED = ("git", "node", "claude", "codex", "gemini", "opencode", "vaultgit")


def unusable() -> str:
    """Why it cannot be used here; "" where it can."""
    return "" if shutil.which("crontab") else "there is no crontab here"


# -- the text --------------------------------------------------------------------------------------


def texts(begun: Start, jobs: Sequence[Job]) -> list[Text]:
    """Our lines. Raises UsageError for a path that a line of cron cannot hold."""
    # cron takes a backslash away before % and before another one: there is no way to write all of them.
    for text in (begun.root, begun.log, *begun.program):
        if "\\" in text:
            raise UsageError(f"{text}: a crontab cannot hold a path with a backslash", "rename the folder")
    lines = [f"# {job.header(NAME, jobs)}"]
    lines += [f"{_fields(one, begun.key)} {_command(begun, one)}" for one in jobs]
    made = block.add(None, os.fsencode("\n".join(lines)), _style(begun.key, begun.root))
    return [Text(WHERE, made)]


def _style(key: str, root: str) -> Style:
    shown = os.fsencode(root).decode("utf-8", "replace")
    return Style("# ", f" {key} {shown}")


def _fields(one: Job, key: str) -> str:
    """The five fields of time."""
    minute = job.moment(key, one.minutes)[0] if one.shared else 0
    if one.minutes < 60:
        from_ = f"{minute}-59" if minute else "*"
        return "* * * * *" if one.minutes == 1 else f"{from_}/{one.minutes} * * * *"
    minute = minute if one.shared else MINUTE
    if one.minutes == every.DAY:
        return f"{minute} 12 * * *"  # at noon: at midnight many machines sleep
    return f"{minute} * * * *" if one.minutes == 60 else f"{minute} */{one.minutes // 60} * * *"


def _command(begun: Start, one: Job) -> str:
    """The line for sh, as short as it must be."""
    made = _line(begun, one)
    if len(os.fsencode(made)) > LONGEST:
        made = _line(begun._replace(environment=_shorter(begun)), one)
    if len(os.fsencode(made)) > LONGEST:
        raise UsageError(
            f"the line for cron is longer than {LONGEST} bytes, with {begun.root}",
            "vaultgit schedule install --with systemd, or a shorter path",
        )
    return made


def _line(begun: Start, one: Job) -> str:
    log = f"{one.name}.log"
    trim = f"find {log} -size +{job.LIMIT // 512} -exec cp /dev/null {{}} +"
    environment = " ".join(f"{name}={quoted(value)}" for name, value in begun.environment if "\\" not in value)
    words = " ".join(quoted(word) for word in job.command(begun, one))
    # Where the vault is gone nothing is made.
    folder = f"cd {quoted(begun.log.removesuffix(f'/{_LOGS}'))} && (umask 077; mkdir -p {_LOGS}) && cd {_LOGS}"
    second = job.moment(begun.key, one.minutes)[1] if one.shared else 0
    pause = f"sleep {second}; " if second else ""
    return f"{folder} && {{ {trim}; {pause}{environment} {words}; }} >>{log} 2>&1"


def _shorter(begun: Start) -> tuple[tuple[str, str], ...]:
    """The environment, with only those folders on PATH that hold what is needed, and the usual ones."""
    kept = dict(begun.environment)
    folders = [
        folder
        for folder in kept["PATH"].split(":")
        if folder in job.USUAL or folder.endswith("/.local/bin")
        or any(os.access(os.path.join(folder, name), os.X_OK) for name in NEEDED)
    ]  # fmt: skip
    return tuple({**kept, "PATH": ":".join(folders)}.items())


def quoted(text: str) -> str:
    r"""A word for sh that cron, too, leaves whole: `%` ends a command there, `\%` does not, in both."""
    made = shlex.quote(text)
    return made.replace("%", "'\\%'" if made.startswith("'") else "\\%")


def minutes(standing: Sequence[Standing]) -> int | None:
    """How often the capture is started, None where the texts do not say."""
    return job.minutes_of(standing)


def sync_minutes(standing: Sequence[Standing]) -> int:
    """How often the sync is started, 0 where it is not."""
    return job.sync_of(standing)


def programs(standing: Sequence[Standing]) -> list[str]:
    """The programs that the lines start."""
    found = []
    for line in b"\n".join(one.data for one in standing).decode("utf-8", "surrogateescape").split("\n"):
        _, assigned, rest = line.partition("; LC_ALL=")
        if not assigned or line.startswith("#"):
            continue
        try:
            words = shlex.split(rest)[1:]
        except ValueError:
            continue
        found += [next((word for word in words if not re.match(r"[A-Z][A-Z0-9_]*=", word)), "")]
    return found


# -- the crontab -----------------------------------------------------------------------------------


def standing(key: str) -> list[Standing]:
    """Our lines for the vault, [] where there are none; half of them count as edited. Raises VaultgitError where the
    crontab cannot be read."""
    if unusable():
        return []
    data = _read() or b""
    style = _style_of(data, key)
    here = block.find(data, style) if style else None
    if here is not None:
        return [Standing(WHERE, data[here.start : here.end], here.edited)]
    return [Standing(WHERE, b"", True)] if style else []


def _span(data: bytes, key: str) -> tuple[int, int]:
    """Where our lines stand, or would: at the top."""
    style = _style_of(data, key)
    if style is None:
        return 0, 0
    here = block.find(data, style)
    if here is None:
        raise VaultgitError("half of our lines stand in the crontab: a mark is gone", "crontab -e, and delete them")
    return here.start, here.end


def _style_of(data: bytes, key: str) -> Style | None:
    """The style that the vault's block stands in; the path behind its name is as it was then."""
    match = re.search(rb"^# vaultgit (?:begin [0-9a-f]{8}|end) %s( [^\r\n]*)?\r?$" % key.encode(), data, re.M)
    return None if match is None else Style("# ", f" {key}{(match[1] or b'').decode('utf-8', 'replace')}")


def put(key: str, texts: Sequence[Text]) -> None:
    """Brings our lines into the crontab: in their place where they stand, else at its top. Raises VaultgitError where
    that fails; nothing has changed then."""
    before = _read()
    data = before or b""
    start, end = _span(data, key)
    _write(before, data[:start] + b"".join(text.data for text in texts) + data[end:])


def take_out(key: str) -> None:
    """Takes our lines out. A crontab that holds nothing else goes. Raises VaultgitError."""
    before = _read()
    data = before or b""
    start, end = _span(data, key)
    if end:
        _write(before, data[:start] + data[end:])


def asleep(key: str) -> str:  # noqa: ARG001
    """Why nothing starts the lines though they stand, "" where something does or that cannot be told."""
    try:
        names = [_comm(number) for number in os.listdir("/proc") if number.isdigit()]
    except OSError:
        return ""
    if not _comm("1") or {"cron", "crond", "fcron", "dcron"} & set(names) or os.path.exists(_GENERATOR):
        return ""
    return "no cron daemon runs here"


def _comm(number: str) -> str:
    try:
        with open(f"/proc/{number}/comm", encoding="utf-8", errors="replace") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def _read() -> bytes | None:
    """The person's crontab, None where there is none. Raises VaultgitError where it cannot be read."""
    said = run("crontab", "-l")
    if said.code == 0:
        # Debian prints a carriage return as backslash and r. An editor is given what is there.
        return _read_exactly() if b"\\r\n" in said.out else said.out
    if re.search(r"no (f?)crontab|No such file or directory", said.words):
        return None
    raise VaultgitError(
        f"the crontab cannot be read: {said.words or f'crontab -l ended with {said.code}'}", "crontab -l"
    )


def _read_exactly() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "crontab")
        editor = f'f() {{ cat "$1" >{shlex.quote(copy)}; exit 1; }}; f'  # an editor that fails changes nothing
        said = run("crontab", "-e", env={"VISUAL": editor, "EDITOR": editor})
        try:
            with open(copy, "rb") as stream:
                return stream.read()
        except OSError as error:
            raise VaultgitError(
                f"the crontab has lines that end in CR, and cannot be read as it is: {said.words}", "crontab -e"
            ) from error


def _write(before: bytes | None, after: bytes) -> None:
    """Makes `after` the crontab, which was `before` when it was read."""
    if _read() != before:
        raise VaultgitError("the crontab was changed at this moment; nothing was changed by us", "do it again")
    said = run("crontab", "-", stdin=after) if after else run("crontab", "-r")
    if said.code:
        words = said.words or f"crontab ended with {said.code}"
        raise VaultgitError(f"the crontab was not changed: {words}", "crontab -l")
    if (_read() or b"") != after:
        raise VaultgitError("the crontab does not hold what was put into it", "crontab -l")
