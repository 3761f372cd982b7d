"""The tools `session` and `skill`."""

from __future__ import annotations

from vaultgit.edits import compose
from vaultgit.edits.round import Result
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.mcp.answer import DATA
from vaultgit.mcp.answer import Answer
from vaultgit.mcp.answer import of_result
from vaultgit.mcp.call import Call
from vaultgit.notes import frontmatter


def session(call: Call) -> Answer:
    """As `vaultgit session start`, `note` and `end`."""
    from vaultgit.passes import session as sessions

    action = call.text("action")
    if action == "start":
        call.connection.begin(call.vault, call.by, call.text("text", "the task"))
        said = f"started session {call.by.session}"
        return Answer([said], {"outcome": "started", "session": call.by.session, "message": said})
    if action == "note":
        text = call.text("text", "what to note")
        call.connection.begin(call.vault, call.by)
        sessions.say(call.vault, call.clock, call.by, text)
        said = "noted: it goes into the session's note at its end; no commit made"
        return Answer([said], {"outcome": "noted", "session": call.by.session, "message": said})
    done = sessions.end(call.vault, call.clock, call.by, call.text("text"))
    call.connection.ended()
    if done is None:
        return of_result(Result("unchanged", "", reason="this session did nothing that is worth a note"))
    return of_result(done)


def skill(call: Call) -> Answer:
    """As `vaultgit skill list`, `show`, `used` and `new`, and `vaultgit molt`."""
    action = call.text("action") or "list"
    return {"list": _listed, "show": _shown, "new": _made, "molt": _molted}[action](call)


def _listed(call: Call) -> Answer:
    from vaultgit.passes import skills

    commit = call.vault.repo.resolve("HEAD")
    found = skills.listed(call.vault, commit) if commit else skills.Listing([], {})
    lines = [f"{row.name}  v{row.version}{'  pinned' if row.pinned else ''}: {row.trigger}" for row in found.rows]
    lines += [f"! {path} is left alone: {why}" for path, why in found.broken.items()]
    broken = [{"path": path, "why": why} for path, why in found.broken.items()]
    data = {"skills": [row._asdict() for row in found.rows], "broken": broken}
    return Answer(["\n".join(lines) or "no skill yet"], data)


def _shown(call: Call) -> Answer:
    from vaultgit.passes import skills

    found = skills.find(call.vault, _name(call), call.by.agent)
    if call.arguments.get("used") is True:
        skills.record(call.vault, call.clock, call.by, [found.path])
    oid, text = compose.blob_of(call.vault, found.path, found.data), found.data.decode("utf-8", "replace")
    now = f"{call.text('name')} is {found.path} now; " if found.alias else ""
    data = {"path": found.path, "oid": oid, "properties": frontmatter.read(found.data).values, "text": text}
    return Answer([f"{now}{found.path}, base {oid}; {DATA}:", text], {"note": now + DATA, **data})


def _made(call: Call) -> Answer:
    from vaultgit.passes import skills
    from vaultgit.passes import stale

    name, trigger = _name(call), call.text("trigger", "when to use it")
    body = call.text("text", "the skill's text").encode()
    change = skills.new(call.vault, call.clock, name, trigger, body, call.by.agent)
    dropped = stale.dropped_before(call.vault, name, trigger) if change.base != change.new else ""
    if dropped:
        raise VaultgitError(f"a skill like {name} was there: {dropped}", "a person can make it again; propose says why")
    return call.submit([change])


def _molted(call: Call) -> Answer:
    """The skill's next version, on a branch that waits for a person."""
    from vaultgit.passes import molt

    trigger = call.text("trigger")
    if trigger not in molt.TRIGGERS:
        raise UsageError(f"trigger of a molt is one of {', '.join(molt.TRIGGERS)}")
    wanted = molt.Wanted(trigger, call.text("reason"), call.by)
    molt.refuse_no_reason(wanted)
    start = molt.origin(call.vault, _name(call))
    given = call.text("text", "the skill's text").encode()
    changed = molt.change(call.vault, call.clock, start, given, molt.made_from(call.vault, start, given, None))
    if changed.base == changed.new:
        return of_result(Result("unchanged", "", path=start.path))
    told = call.began()
    built = molt.propose(call.vault, call.clock, wanted, start, changed)
    [oid] = built.oids
    means = [f"v{start.version + 1} of {start.path} waits on that branch for a person; nothing here has changed", *told]
    if molt.was_dropped(call.vault, start):
        means.append("a person has dropped a molt of this version before: say to them what is different")
    data = {"outcome": "proposed", "oid": oid, "path": start.path, "branch": built.name, "problems": []}
    return Answer(["\n".join([f"proposed {built.name} {oid}", *means])], data | {"means": " ".join(means)})


def _name(call: Call) -> str:
    name = call.text("name", "the skill's name")
    if any(sign in name for sign in "\0\r\n"):
        raise UsageError("that is no skill's name")
    return name
