"""`vaultgit hook NAME --agent AGENT --vault DIR`: what an agent client's hooks call.

Nothing here is ever in a client's way (promise P10): it ends with 0 within its limit, whatever hangs or is broken, and
says why in one line on standard error. Standard output is what the client puts into the conversation, and nothing else.
It is reached before click is imported: every prompt waits for it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit import errors
from vaultgit.agents.headless import INSIDE
from vaultgit.cli import hookpayload
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from vaultgit.edits.submit import By
    from vaultgit.passes.companion import Told
    from vaultgit.vault import Vault

# Seconds that each gives itself. Claude Code ends what runs at SessionEnd after 1.5 s.
LIMITS = {"session-start": 5.0, "prompt": 2.0, "wrote": 8.0, "compact": 1.0, "session-end": 1.0}
FINISH, INDEX = "finish", "index"  # not a client's: what goes on when the client's hook has ended
_AFTER = 1.0  # seconds after the limit at which the system itself ends us


class Asked(NamedTuple):
    """What stands in the hook's line. `dry_run`: a trial, which leaves nothing behind."""

    vault: str | None = None
    agent: str | None = None
    session: str | None = None
    conversation: str | None = None
    engine: str | None = None
    signed: str | None = None
    dry_run: bool = False


def run(name: str, args: Sequence[str]) -> int:
    """`vaultgit hook NAME ARGS`; returns 0 (in a trial, 1 where it failed)."""
    if INSIDE in os.environ:
        return errors.DONE
    worst = errors.REFUSED if "--dry-run" in args else errors.DONE
    if name in LIMITS:
        _bound(LIMITS[name], worst)
    steps = Steps()
    with steps:
        asked = _asked(args)
        _HOOKS[name](steps, asked, hookpayload.read("") if name in LIMITS else {})
        out.flush()
    if steps.failed:
        _tell(steps.failed[0])
    return worst if steps.failed else errors.DONE


class Steps:
    """Steps that each are done though another one failed: `with steps:` around each."""

    def __init__(self) -> None:
        self.failed: list[Exception] = []

    def __enter__(self) -> None:
        """The step begins."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if isinstance(error, BrokenPipeError):  # the client has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return True
        if isinstance(error, Exception):
            self.failed.append(error)
            return True
        return False


def _tell(error: Exception) -> None:
    """One line, and for a bug of ours a log."""
    words = str(error)
    if isinstance(error, VaultgitError):
        words = error.message
    elif isinstance(error, OSError) and error.strerror:
        words = f"{error.filename or 'the system'}: {error.strerror.lower()}"
    if isinstance(error, VaultgitError | OSError | UnicodeError):
        out.talk(f"vaultgit: {' '.join(words.split())}; the conversation goes on without")
        return
    from vaultgit.cli.main import log_of_bug

    where = ""
    try:
        where = f"; details are in {out.short(log_of_bug(['hook'], error))}"
    except OSError:
        pass
    out.talk(f"vaultgit: a bug of ours: {type(error).__name__}: {' '.join(str(error).split())[:200]}{where}")


def _bound(seconds: float, code: int) -> None:
    """Whatever hangs (git, a lock, a network's disk, Python itself): it ends, and the processes it started with it."""
    try:
        os.setsid()  # a group of our own, so that it can be ended whole
    except OSError:
        pass  # we lead one already
    signal.signal(signal.SIGTERM, lambda *_: os._exit(code))
    watch = threading.Timer(seconds, _give_up, (seconds, code))
    watch.daemon = True
    watch.start()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + _AFTER)


def _give_up(seconds: float, code: int) -> None:
    os.write(2, f"vaultgit: no answer within {seconds:g} s; the conversation goes on without\n".encode())
    os.killpg(0, signal.SIGTERM)
    os._exit(code)


def _asked(args: Sequence[str]) -> Asked:
    found: dict[str, Any] = {}
    words = iter(args)
    for word in words:
        field = word.removeprefix("--").replace("-", "_")
        if word == "--dry-run":
            found["dry_run"] = True
        elif word.startswith("--") and field in Asked._fields:
            found[field] = next(words, None)
        else:
            raise UsageError(f"a hook of ours knows no {word}: vaultgit agent install brings it up to date")
    return Asked(**found)


# -- what each does ----------------------------------------------------------------------------------------------------


def _session_start(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:
    """The protocol, and the notes for the work at hand; again, and shorter, where a conversation is gone on with."""
    from vaultgit.clock import SystemClock
    from vaultgit.install import settings
    from vaultgit.passes import companion
    from vaultgit.passes import session
    from vaultgit.vault import open_vault

    vault, by, folder = open_vault(asked.vault), _by(asked, payload), _folder(payload)
    clock, source = SystemClock(), payload.get("source")
    with vault.repo:
        words = companion.protocol(settings.program(), vault, folder, again=source == "resume")
        out.say(f"{words}\n")
        out.flush()  # whatever happens below
        with steps:
            if source == "compact" and not asked.dry_run:
                session.lost(vault, by)
            room = companion.LIMIT - len(words)
            _give(steps, asked, vault, by, lambda: companion.greeting(vault, clock, by, folder, room))
        if not asked.dry_run and by.session:
            with steps:  # last: it may have to end sessions that somebody left
                session.start(vault, clock, by, folder=folder, look=False)


def _prompt(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:
    """The notes that a prompt calls for. The first one says what the session is about."""
    from vaultgit import agents
    from vaultgit.passes import companion

    text = payload.get("prompt")
    said = agents.typed(
        {**payload, "prompt": text[: companion.LOOKED_AT] if isinstance(text, str) else ""}, asked.agent
    )
    if companion.is_chat(said) and not asked.dry_run:
        return
    from vaultgit.clock import SystemClock
    from vaultgit.passes import session
    from vaultgit.vault import open_vault

    vault, by, clock = open_vault(asked.vault), _by(asked, payload), SystemClock()
    with vault.repo:
        with steps:
            _give(steps, asked, vault, by, lambda: companion.reminder(vault, clock, by, said))
        if not asked.dry_run and by.session:
            with steps:
                task = companion.task_of(said)
                session.start(vault, clock, by, task=task, folder=_folder(payload), look=False)


def _give(steps: Steps, asked: Asked, vault: Vault, by: By, look: Callable[[], Told]) -> None:
    """Prints notes and remembers that they were given. What could not be looked at in time is the next time."""
    told = look()
    if told.behind:
        _start(INDEX, Asked(vault.root))
    if told.text:
        out.say(told.text)
        out.flush()
    if asked.dry_run:
        out.talk(f"gave {out.count(len(told.given), 'note')}, {told.tokens} tokens")
    elif told.given and by.session:
        from vaultgit.passes import session

        with steps:
            session.give(vault, by, told.given)


def _wrote(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """What the client's own tools wrote in the vault becomes the agent's edit; elsewhere it is nobody's business."""
    from vaultgit import agents

    told = agents.report(payload, asked.agent)
    if not told.wrote or _who(asked, payload)[0] is None:
        return
    from vaultgit.passes import companion

    if asked.vault is not None and not companion.concerns(asked.vault, told.wrote, told.folder):
        return
    from vaultgit.clock import SystemClock
    from vaultgit.edits.judge import Refused
    from vaultgit.vault import open_vault

    vault = open_vault(asked.vault)
    with vault.repo:
        try:
            by = _by(asked, payload)
            done, left = companion.record(vault, SystemClock(), told.wrote, told.folder, by)
        except Refused as error:
            problems = "; ".join(str(one) for one in error.problems)
            _answer(payload, f"this is in no commit, a rule refused it: {problems}. Mend the file, and it is recorded.")
            raise VaultgitError(f"not recorded: {problems}") from error
        words = [f"{one.path} was left alone: {one.why.replace('PATH', one.path)}" for one in left]
        if done is not None and done.outcome == "inbox":
            words.append(f"{done.path} waits in the inbox for a person: {done.reason}")
        if words:
            _answer(payload, "; ".join(words))
            raise VaultgitError("; ".join(words))


def _answer(payload: Mapping[str, Any], words: str) -> None:
    """Tells the model: of this event, clients hand on what stands in this JSON only (measured with both)."""
    import json

    told = {"hookEventName": str(payload.get("hook_event_name")), "additionalContext": f"vaultgit: {words}"}
    out.say(json.dumps({"hookSpecificOutput": told}))


def _end(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Before a conversation is compacted, and at its end: what is to be kept of it is kept in a process of its own,
    since clients end a session's hooks after a second or two."""
    from vaultgit import agents
    from vaultgit.agents import speech

    conversation, (agent, session) = speech.line(agents.conversation(payload)), _who(asked, payload)
    if not conversation:
        raise UsageError("the payload does not say which conversation this is")
    if not asked.dry_run:
        finish(asked._replace(agent=agent, session=session, conversation=conversation))


def finish(asked: Asked) -> None:
    """Captures the conversation and ends the session, in a process that nobody waits for."""
    _start(FINISH, asked)


def _start(name: str, asked: Asked) -> None:
    import subprocess

    given = {field: value for field, value in asked._asdict().items() if isinstance(value, str)}
    words = [word for field, value in given.items() for word in (f"--{field}", value)]
    subprocess.Popen(
        [sys.executable, "-P", "-m", "vaultgit", "hook", name, *words], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _index(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """All notes looked at, as after a clone of many, so that the next hook knows them."""
    from vaultgit.passes import companion
    from vaultgit.vault import open_vault

    vault = open_vault(asked.vault)
    with vault.repo:
        companion.catch_up(vault)


def _finish(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """The conversation captured, and the session's note written: each though the other one failed."""
    from vaultgit.cli import recap
    from vaultgit.clock import SystemClock
    from vaultgit.edits.submit import By
    from vaultgit.passes import session
    from vaultgit.vault import open_vault
    from vaultgit.vault import root_of

    root = root_of(asked.vault)
    with steps:
        recap.capture(asked.conversation or "", root, asked.engine, asked.signed)
    if asked.session and asked.agent:
        vault = open_vault(root)
        with steps, vault.repo:
            session.end(vault, SystemClock(), By(asked.agent, asked.session))


_HOOKS: dict[str, Callable[[Steps, Asked, Mapping[str, Any]], None]] = {
    "session-start": _session_start,
    "prompt": _prompt,
    "wrote": _wrote,
    "compact": _end,
    "session-end": _end,
    FINISH: _finish,
    INDEX: _index,
}


def _who(asked: Asked, payload: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The agent and its session."""
    from vaultgit import agents
    from vaultgit.agents import speech

    told = agents.report(payload, asked.agent).client
    session = speech.line(payload.get("session_id"))
    return asked.agent or (told.name if told else None), asked.session or session or None


def _by(asked: Asked, payload: Mapping[str, Any]) -> By:
    from vaultgit.edits.submit import By

    return By(*_who(asked, payload))


def _folder(payload: Mapping[str, Any]) -> str:
    folder = payload.get("cwd")
    return folder if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder else os.getcwd()
