"""Our hooks in the JSON that Claude Code and Codex keep theirs in: put in, found by their words, taken out.

    {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …, "timeout": SECONDS}]}]}}

A hook is ours where its command does nothing but start `vaultgit hook NAME …` (with or without `|| true`), or what
stood there in earlier versions; a command of a person's that also does other things is theirs. New entries go last:
Codex knows the hooks that a person has trusted by their places.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.install.clients import jsontext
from vaultgit.install.clients.jsontext import Broken

NAMES = ("session-start", "prompt", "wrote", "compact", "session-end")  # of `vaultgit hook`, for agent clients
FORMER = {"record": ("wrote",), "recap": ("compact", "session-end")}  # commands that were hooks before, and what is now
QUIET = " || true"  # whatever happens to us, the client goes on
_ROOT = "hooks"
_OPERATORS = frozenset("();<>|&")


class Hook(NamedTuple):
    """A hook to put in. `matcher`: which tools, "" for an event that has none; `verb`: its name in NAMES; `timeout`:
    seconds."""

    event: str
    matcher: str
    verb: str
    command: str
    timeout: int


class Found(NamedTuple):
    """A hook of ours in a file. `group`, `place`: its numbers in the event's list and in the group's, from 0; `verb`:
    one of NAMES, or of FORMER; `entry`: as it stands there; `matcher`: of its group."""

    event: str
    group: int
    place: int
    verb: str
    entry: dict[str, Any]
    matcher: str | None

    @property
    def command(self) -> str:
        return str(self.entry["command"])


def _understood(command: Any) -> tuple[str, list[str]]:
    """Which hook of ours a command is, and all its words; ("", []) for a command that is not ours."""
    if not isinstance(command, str):
        return "", []
    lexer = shlex.shlex(command.removesuffix(QUIET), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        found = list(lexer)
    except ValueError:
        return "", []
    if not found or any(word and set(word) <= _OPERATORS for word in found):
        return "", []
    own = 1 if os.path.basename(found[0]) == "vaultgit" else 4 if found[1:4] == ["-P", "-m", "vaultgit"] else len(found)
    words = [*found[own : own + 2], "", ""]
    if words[0] in FORMER:
        return words[0], found
    return (words[1], found) if words[0] == "hook" and words[1] in NAMES else ("", [])


def verb(command: Any) -> str:
    """Which hook of ours a command is, "" for a command that is not ours."""
    return _understood(command)[0]


def program(command: str) -> str:
    """The program that a command of ours starts."""
    return _understood(command)[1][0]


def option(command: str, name: str) -> str:
    """The value of an option in a command of ours, "" where it has none."""
    found = _understood(command)[1]
    return found[found.index(name) + 1] if name in found[:-1] else ""


def ours(text: str) -> list[Found]:
    """The hooks of ours, in the order of the file. Raises Broken."""
    events = _events(text)
    found = []
    for event, at in events.items():
        for number, group in enumerate(jsontext.value_at(text, at)):
            entries = group.get("hooks") if isinstance(group, dict) else None
            for place, entry in enumerate(entries if isinstance(entries, list) else []):
                which = verb(entry.get("command")) if isinstance(entry, dict) else ""
                if which:
                    found.append(Found(event, number, place, which, entry, group.get("matcher")))
    return found


def put(text: str, hooks: Sequence[Hook]) -> str:
    """The text with these hooks: one that is there is brought up to date in its place, others are added. Raises
    Broken."""
    if not text.strip():
        text = "{}\n"
    for hook in hooks:
        text = _put(text, hook)
    return text


def take_out(text: str, keep: Collection[str] = ()) -> str:
    """The text without our hooks, and without lists that are empty then, but for those in `keep` ("hooks", an event's
    name). Raises Broken."""
    while found := ours(text):
        text = _cut(text, found[-1], keep)
    return text


def without(text: str) -> str:
    """The text without our hooks and without any empty list of hooks: the same before and after we put ours in, as
    long as nobody changed anything else. Raises Broken."""
    text = take_out(text) if text.strip() else "{}"
    at = _root(text)
    hooks = jsontext.member(text, at, _ROOT)
    if hooks is not None:
        every = jsontext.children(text, hooks.value)
        for number in reversed(range(len(every))):
            if jsontext.value_at(text, every[number].value) == []:
                text = jsontext.cut(text, hooks.value, number)
        if jsontext.value_at(text, hooks.value) == {}:
            text = jsontext.cut(text, at, [child.key for child in jsontext.children(text, at)].index(_ROOT))
    if not jsontext.children(text, at):
        text = text[: at + 1] + text[text.index("}", at) :]
    return text


def lists(text: str) -> set[str]:
    """ "hooks" and the events that a file has lists for. Raises Broken."""
    if not text.strip():
        return set()
    there = jsontext.member(text, _root(text), _ROOT)
    return {_ROOT, *_events(text)} if there is not None else set()


def is_empty(text: str) -> bool:
    """Whether nothing is in the file but braces and space."""
    return not text.strip() or jsontext.parse(text) == {}


def _root(text: str) -> int:
    """Where the file's object starts; the whole text is checked."""
    if not isinstance(jsontext.parse(text), dict):
        raise Broken("not an object, { … }", len(text) - len(text.lstrip()))
    return text.index("{")


def _events(text: str) -> dict[str, int]:
    """Where each event's list starts."""
    hooks = jsontext.member(text, _root(text), _ROOT) if text.strip() else None
    if hooks is None:
        return {}
    if text[hooks.value] != "{":
        raise Broken('"hooks" is not an object, { … }', hooks.value)
    found: dict[str, int] = {}
    for child in jsontext.children(text, hooks.value):
        if text[child.value] != "[":
            raise Broken(f'"{child.key}" is not a list, [ … ]', child.value)
        if child.key in found:
            raise Broken(f'"{child.key}" stands here twice', child.start)
        found[child.key] = child.value
    return found


def _put(text: str, hook: Hook) -> str:
    here = [
        one for one in ours(text)
        if one.event == hook.event and hook.verb in (one.verb, *FORMER.get(one.verb, ()))
    ]  # fmt: skip
    exact = [one for one in here if one.command == hook.command]
    if here:
        return _refresh(text, (exact or here)[0], hook)
    entry = {"type": "command", "command": hook.command, "timeout": hook.timeout}
    group = {"matcher": hook.matcher, "hooks": [entry]} if hook.matcher else {"hooks": [entry]}
    events = _events(text)
    if hook.event in events:
        return jsontext.add_item(text, events[hook.event], group)
    root = _root(text)
    hooks = jsontext.member(text, root, _ROOT)
    if hooks is not None:
        return jsontext.add_member(text, hooks.value, hook.event, [group])
    return jsontext.add_member(text, root, _ROOT, {hook.event: [group]})


def _refresh(text: str, found: Found, hook: Hook) -> str:
    """Command as it is now, a timeout where there is none; what else a person set there stays."""
    entry = _entry(text, found)
    if found.command != hook.command:
        command = jsontext.member(text, entry, "command")
        assert command is not None
        text = jsontext.replace(text, command, hook.command)
    return text if "timeout" in found.entry else jsontext.add_member(text, entry, "timeout", hook.timeout)


def _group(text: str, found: Found) -> int:
    return jsontext.children(text, _events(text)[found.event])[found.group].value


def _list(text: str, found: Found) -> int:
    hooks = jsontext.member(text, _group(text, found), _ROOT)
    assert hooks is not None
    return hooks.value


def _entry(text: str, found: Found) -> int:
    return jsontext.children(text, _list(text, found))[found.place].value


def _cut(text: str, found: Found, keep: Collection[str]) -> str:
    """Without one hook, its group where that is empty then, and so on upwards."""
    at = _list(text, found)
    if len(jsontext.children(text, at)) > 1:
        return jsontext.cut(text, at, found.place)
    events = _events(text)
    at = events[found.event]
    if len(jsontext.children(text, at)) > 1 or found.event in keep:
        return jsontext.cut(text, at, found.group)
    root = _root(text)
    hooks = jsontext.member(text, root, _ROOT)
    assert hooks is not None
    if len(events) > 1 or _ROOT in keep:
        return jsontext.cut(text, hooks.value, list(events).index(found.event))
    return jsontext.cut(text, root, [child.key for child in jsontext.children(text, root)].index(_ROOT))
