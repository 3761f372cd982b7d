"""A kill -9, or an error of the machine, at every system call of a command, and of its git children."""

from __future__ import annotations

import random
from functools import cache
from functools import partial
from pathlib import Path

import syscalls
from acts import ACTS
from acts import NAMED
from syscalls import Call
from trial import Fault
from trial import Trial
from trial import a_folder

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EMFILE")


@cache
def calls(name: str, children: bool, writes: bool) -> tuple[Call, ...]:
    """The calls of an act, from a run that nothing happened to."""
    if not syscalls.tracing():
        return () if children else tuple(syscalls.of_python())
    folder = a_folder("calls") / f"{name} {children} {writes}"
    folder.mkdir()
    trial = Trial(folder, NAMED[name])
    names = syscalls.WRITES if writes else (*syscalls.WRITES, *syscalls.READS)
    done = trial.do(syscalls.recorded(folder, names, children=children))
    assert done.code == 0, done
    trial.quiet()
    found = syscalls.read_back(folder, writes=writes)
    assert found, "nothing was traced"
    return tuple(found)


def killed(name: str, who: str, folder: Path, chance: random.Random) -> str:
    call = chance.choice(calls(name, who == "git", True))
    return killed_at(name, who, call, folder, chance)


def killed_at(name: str, who: str, call: Call, folder: Path, chance: random.Random) -> str:
    trial = Trial(folder, NAMED[name])
    done = trial.do(syscalls.at(call, "signal=SIGKILL", folder, group=who == "group"))
    try:
        word = trial.prove(done, chance, sure=False)
    except AssertionError as error:
        raise AssertionError(f"kill at {call}: {error}") from error
    return word if done.code < 0 or who == "git" else f"{word} (the call did not come)"


def failing(name: str, who: str, folder: Path, chance: random.Random) -> str:
    call = chance.choice(calls(name, who == "git", False))
    error, on = chance.choice(ERRORS), chance.choice(("", "+", "+"))
    trial = Trial(folder, NAMED[name])
    done = trial.do(syscalls.at(call._replace(number=call.number), f"error={error}", folder).replace(
        f"when={call.number}", f"when={call.number}{on}"))  # fmt: skip
    try:
        return trial.prove(done, chance, sure=False)
    except AssertionError as broken:
        raise AssertionError(f"{error} at {call}{on}: {broken}") from broken


def _no_children() -> str:
    return "" if syscalls.tracing() else "strace cannot trace here: git's own calls are not reached"


FAULTS = tuple(
    Fault(f"kill -9 {of}: {act.name}", f"kill -9 at a system call that writes, {words}", partial(killed, act.name, who),
          *((_no_children,) if who == "git" else ()))
    for act in ACTS
    for who, of, words in (
        ("alone", "of ours", "the command alone"), ("group", "of all", "the command and its git children"),
        ("git", "of git", "one of its git children"),
    )
) + tuple(
    Fault(f"errors {of}: {act.name}", "EIO, ENOSPC, EDQUOT, EROFS or EMFILE from a system call, once or from then on",
          partial(failing, act.name, who), *((_no_children,) if who == "git" else ()))
    for act in ACTS
    for who, of in (("alone", "in ours"), ("git", "in git"))
)  # fmt: skip
