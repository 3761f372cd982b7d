"""`vaultgit hook pre-receive`: a push, judged on the server before any of it counts (hooks/server/pre-receive).

It ends, whatever is pushed: the judging is done by a child of this process, with limits on its time and memory, that
says which file it has come to. What it cannot judge it refuses, and says so. Whoever pushes sees standard error.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from typing import NoReturn

from vaultgit import errors
from vaultgit.checks import receive
from vaultgit.cli import out
from vaultgit.errors import VaultgitError
from vaultgit.history.repository import Repository

LIMIT = 60  # seconds that a push is judged for, unless `git config vaultgit.receiveTimeout` says otherwise
MEMORY = 2 << 30  # bytes of its own, for the judging process and for each git that it asks
MOST = 50  # problems that are shown
ALWAYS = ("SE01", "MK01", "FM01")  # what a person is refused for even under `git config vaultgit.people warn`
_NOTHING = "nothing of this push was taken in"


def run() -> int:
    """Judges the push on standard input; returns the exit code."""
    pushed = receive.updates(os.fsdecode(sys.stdin.buffer.read()).split("\n"))
    repo = Repository.receiving()
    limit = _limit(repo)
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(reading)
        _judge_and_end(repo, pushed, limit, writing)
    os.close(writing)
    try:
        os.setpgid(child, child)  # whoever of both comes first: it is to be ended with the processes it starts
    except OSError:
        pass
    return _await(child, reading, limit)


def _limit(repo: Repository) -> int:
    said = repo.setting("vaultgit.receivetimeout") or str(LIMIT)
    if not said.isdigit() or int(said) < 1:
        what = f"vaultgit.receiveTimeout is {said!r} on the server: a number of seconds is wanted; {_NOTHING}"
        raise VaultgitError(what, f"there: git config vaultgit.receiveTimeout {LIMIT}")
    return int(said)


# -- who waits -------------------------------------------------------------------------------------------------------


def _await(child: int, reading: int, limit: int) -> int:
    """What the child ends with. Over the limit, or ended by the system: refused, with the file it was at."""
    until, told = time.monotonic() + limit, b""
    while True:
        if not select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return _too_long(limit, told)
        more = os.read(reading, 65536)
        if not more:
            break
        told = (told + more)[-65536:]
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == -signal.SIGXCPU:
        return _too_long(limit, told)
    if code < 0:
        return _refused(f"the check was ended by signal {-code}{_at(told)}", "who owns the server can look why")
    return code


def _too_long(limit: int, told: bytes) -> int:
    mend = "push in parts, or on the server: git config vaultgit.receiveTimeout 600"
    return _refused(f"the check did not end within {limit} s{_at(told)}", mend)


def _at(told: bytes) -> str:
    path = os.fsdecode(told.removesuffix(b"\0").rpartition(b"\0")[2])
    return f", at {path}" if path else ""


def _refused(what: str, mend: str) -> int:
    out.talk(f"vaultgit: {what}; {_NOTHING}")
    out.talk(f"  {mend}")
    return errors.REFUSED


# -- who judges ------------------------------------------------------------------------------------------------------


def _judge_and_end(repo: Repository, pushed: list[receive.Update], limit: int, writing: int) -> NoReturn:
    code = errors.BUG
    told = b""

    def tick(path: str) -> None:
        nonlocal told
        now = os.fsencode(path) + b"\0"
        if now != told:
            told = now
            os.write(writing, told)  # fails where nobody waits any more

    try:
        os.setpgid(0, 0)
        _bound(limit)
        with repo:
            code = _say(repo, receive.judge(repo, pushed, _pusher(), tick))
    except VaultgitError as error:
        code = _refused(f"{error.message}{_at(told)}", error.hint or "who owns the server can look why")
    except MemoryError:
        what = f"the check needs more than {MEMORY >> 20:,} MB of memory{_at(told)}"
        code = _refused(what, "a note of that size belongs outside the vault")
    except BrokenPipeError:
        pass
    except Exception as error:
        code = _bug(error, told)
    finally:
        try:
            sys.stderr.flush()
        finally:
            os._exit(code)


def _bound(limit: int) -> None:
    """Should nobody be left to end us, the system does; memory of our own is counted, files that git maps are not."""
    import resource

    for kind, most in ((resource.RLIMIT_CPU, limit + 1), (resource.RLIMIT_DATA, MEMORY)):
        hard = resource.getrlimit(kind)[1]
        if hard == resource.RLIM_INFINITY or hard > most:
            resource.setrlimit(kind, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _bug(error: Exception, told: bytes) -> int:
    from vaultgit.cli.main import log_of_bug

    where = ""
    try:
        where = f"; details are on the server in {log_of_bug(['hook'], error)}"
    except OSError:
        pass
    words = " ".join(str(error).split())[:200]
    out.talk(f"vaultgit: a bug of ours: {type(error).__name__}: {words}{_at(told)}; {_NOTHING}{where}")
    return errors.BUG


def _pusher() -> str | None:
    from vaultgit import agents

    client = agents.recognise(os.environ)
    return os.environ.get("VAULTGIT_AGENT") or (client.name if client else None)


def _say(repo: Repository, judged: receive.Judged) -> int:
    warn = repo.setting("vaultgit.people") == "warn"
    refused = [one for one in judged.found if one.agents or not warn or one.problem.code in ALWAYS]
    for what, mend in judged.refused:
        out.talk(f"vaultgit: refused: {what}")
        out.talk(f"  {mend}")
    shown = sorted(judged.found, key=lambda one: one not in refused)
    for one in shown[:MOST]:
        commit = f"{one.commit[:10]} " if one.commit else ""
        in_message = one.problem.path == _message()
        text = f"{commit}{'' if in_message else one.prefix}{one.problem}"
        out.talk(text if one in refused else f"warning: {text}")
    if len(shown) > MOST:
        out.talk(f"… and {out.count(len(shown) - MOST, 'more problem')}")
    for remark in judged.remarks:
        out.talk(f"vaultgit: {remark}")
    if not refused and not judged.refused:
        if shown:
            out.talk(f"vaultgit: {out.count(len(shown), 'problem')}; the push goes on (vaultgit.people is warn there)")
        return errors.DONE
    if refused:
        out.talk(f"vaultgit: {_NOTHING}: {out.count(len(refused), 'problem')}; mend, commit, and push again")
    else:
        out.talk(f"vaultgit: {_NOTHING}")
    if any(one.commit for one in refused):
        out.talk("  where a commit is named, that one has to be mended (git rebase -i): a later one does not help")
    return errors.REFUSED


def _message() -> str:
    from vaultgit.checks.problem import MESSAGE

    return MESSAGE
