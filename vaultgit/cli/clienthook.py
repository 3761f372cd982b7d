"""`vaultgit hook NAME --agent AGENT --vault DIR`: what an agent client's hooks call, event by event.

Standard output is what the client puts into the conversation, and nothing else. How one runs, and that it is never in a
client's way, is cli/hookrun. It is reached before click is imported: every prompt waits for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

from vaultgit import errors
from vaultgit.agents.headless import INSIDE
from vaultgit.cli import hookpayload
from vaultgit.cli import hookrun
from vaultgit.cli import out
from vaultgit.cli.hookrun import Asked
from vaultgit.cli.hookrun import Steps
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from vaultgit.edits.edit import By
    from vaultgit.passes.companion import Told
    from vaultgit.vault import Vault

_WAIT = 0.5  # seconds for another process that changes what is known of sessions


def run(name: str, args: Sequence[str]) -> int:
    """`vaultgit hook NAME ARGS`; returns 0 (in a trial, 1 where it failed)."""
    if INSIDE in os.environ:
        return errors.DONE
    worst = errors.REFUSED if "--dry-run" in args else errors.DONE
    hookrun.bound(hookrun.LIMITS.get(name, hookrun.LONGEST), worst)
    steps = Steps()
    with steps:
        asked = hookrun.asked(args)
        _HOOKS[name](steps, asked, hookpayload.read("") if name in hookrun.LIMITS else {})
        out.flush()
    if steps.failed:
        hookrun.tell(steps.failed[0])
    return worst if steps.failed else errors.DONE


# -- what each does ----------------------------------------------------------------------------------------------------


def _session_start(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:
    """The protocol, and the notes for the work at hand; again, and shorter, where a conversation is gone on with."""
    from vaultgit.clock import SystemClock
    from vaultgit.install import settings
    from vaultgit.passes import companion
    from vaultgit.passes import session

    vault, by, folder = _open(asked), _by(asked, payload), _folder(payload)
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
            with steps:
                session.start(vault, clock, by, folder=folder, look=False, close=False, wait=_WAIT)
                if session.left(vault, clock, agent=by.agent, keep=(by.session,)):
                    hookrun.start(hookrun.FINISH, Asked(vault.root, by.agent))


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

    vault, by, clock = _open(asked), _by(asked, payload), SystemClock()
    with vault.repo:
        with steps:
            _give(steps, asked, vault, by, lambda: companion.reminder(vault, clock, by, said))
        if not asked.dry_run and by.session:
            with steps:
                task, folder = companion.task_of(said), _folder(payload)
                session.start(vault, clock, by, task=task, folder=folder, look=False, close=False, wait=_WAIT)


def _give(steps: Steps, asked: Asked, vault: Vault, by: By, look: Callable[[], Told]) -> None:
    """Prints notes and remembers that they were given. What could not be looked at in time is the next time."""
    told = look()
    if told.behind:
        hookrun.start(hookrun.INDEX, Asked(vault.root))
    if told.text:
        out.say(told.text)
        out.flush()
    if asked.dry_run:
        notes = f"gave {out.count(len(told.given), 'note')}, {told.tokens} tokens"
        out.talk(notes if told.given else "gave how the vault is used; no note is about the folder you are in")
    elif told.given and by.session:
        from vaultgit.passes import session

        with steps:
            session.give(vault, by, told.given)


def _wrote(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """What the client's own tools wrote in the vault becomes the agent's edit; elsewhere it is nobody's business."""
    from vaultgit import agents

    _there(asked)
    told = agents.report(payload, asked.agent)
    if not told.wrote or _who(asked, payload)[0] is None:
        return
    from vaultgit.passes import companion

    if asked.vault is not None and not companion.concerns(asked.vault, told.wrote, told.folder):
        return
    from vaultgit import config
    from vaultgit.clock import SystemClock
    from vaultgit.edits import outcome
    from vaultgit.edits.judge import Refused

    try:
        vault = _open(asked)
    except VaultgitError as error:
        if any(os.path.basename(one.path) == config.FILE for one in told.wrote):
            _answer(payload, f"{error.message}. Put the file back as it was, and tell the user.")
        raise
    with vault.repo:
        try:
            by = _by(asked, payload)
            done, left = companion.record(vault, SystemClock(), told.wrote, told.folder, by)
        except Refused as error:
            problems = "; ".join(str(one) for one in error.problems)
            # What no edit of an agent's may touch cannot be mended: only put back.
            never = any(one.code.startswith("PA") for one in error.problems)
            mend = "Put the file back as it was, and tell the user" if never else "Mend the file, and it is recorded"
            _answer(payload, f"this is in no commit, a rule refused it: {problems}. {mend}.")
            raise VaultgitError(f"not recorded: {problems}") from error
        words = [f"{one.path} was left alone: {one.why.replace('PATH', one.path)}" for one in left]
        if done is not None and done.outcome == "inbox":
            words += [f"{done.path}: {one}" for one in outcome.means(done)]
        if words:
            _answer(payload, "; ".join(words))
            raise VaultgitError("; ".join(words))
        if done is not None and done.outcome == "queued":
            out.talk(f"vaultgit: {done.path}: {'; '.join(outcome.means(done))}")


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

    _there(asked)
    conversation, (agent, session) = speech.line(agents.conversation(payload)), _who(asked, payload)
    if not conversation:
        raise UsageError("the payload does not say which conversation this is")
    if not asked.dry_run:
        finish(asked._replace(agent=agent, session=session, conversation=conversation))


def finish(asked: Asked) -> None:
    """Captures the conversation and ends the session, in a process that nobody waits for."""
    hookrun.start(hookrun.FINISH, asked)


def _index(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """All notes looked at, as after a clone of many, so that the next hook knows them."""
    from vaultgit.passes import companion

    vault = _open(asked)
    with vault.repo:
        companion.catch_up(vault)


def _finish(steps: Steps, asked: Asked, payload: Mapping[str, Any]) -> None:  # noqa: ARG001
    """The conversation captured, the session's note written, and those of sessions that somebody left: each though
    another one failed."""
    from vaultgit.clock import SystemClock
    from vaultgit.edits.edit import By
    from vaultgit.passes import session
    from vaultgit.vault import root_of

    if asked.conversation:
        from vaultgit.cli import recap

        with steps:
            recap.capture(asked.conversation, root_of(asked.vault), asked.engine, asked.signed)
    if asked.agent:
        vault = _open(asked)
        with vault.repo:
            if asked.session:
                with steps:
                    session.end(vault, SystemClock(), By(asked.agent, asked.session))
            with steps:
                session.close_left(vault, SystemClock(), agent=asked.agent)


_HOOKS: dict[str, Callable[[Steps, Asked, Mapping[str, Any]], None]] = {
    "session-start": _session_start,
    "prompt": _prompt,
    "wrote": _wrote,
    "compact": _end,
    "session-end": _end,
    hookrun.FINISH: _finish,
    hookrun.INDEX: _index,
}


def _who(asked: Asked, payload: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The agent and its session."""
    from vaultgit import agents
    from vaultgit.agents import speech

    told = agents.report(payload, asked.agent).client
    session = speech.line(payload.get("session_id"))
    return asked.agent or (told.name if told else None), asked.session or session or None


def _by(asked: Asked, payload: Mapping[str, Any]) -> By:
    from vaultgit.edits.edit import By

    return By(*_who(asked, payload))


def _open(asked: Asked) -> Vault:
    """The vault. Where its line names it, it does not matter that the folder that the client was started in is gone."""
    from vaultgit.vault import open_vault

    return open_vault(asked.vault, cwd="/" if asked.vault and os.path.isabs(asked.vault) else None)


def _there(asked: Asked) -> None:
    """Raises UsageError where the vault that the hook's line names is gone: of a hook that opens none, or one that is
    opened where nobody listens."""
    if asked.vault and not os.path.isdir(asked.vault):
        raise UsageError(f"there is no folder {asked.vault}")


def _folder(payload: Mapping[str, Any]) -> str:
    """Where the client works."""
    folder = payload.get("cwd")
    if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder:
        return folder
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return "/"
