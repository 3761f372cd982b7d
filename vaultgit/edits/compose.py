"""From what an agent asks for (write, set, append, delete) to bytes and the base they were made from."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from vaultgit.checks.problem import Problem
from vaultgit.edits import judge
from vaultgit.edits import sealed
from vaultgit.edits.edit import Derived
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import moves
from vaultgit.edits.edit import scope
from vaultgit.edits.edit import shorten
from vaultgit.edits.judge import Refused
from vaultgit.edits.submit import current
from vaultgit.edits.submit import is_kept_out
from vaultgit.edits.submit import refuse_path
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.vault import Vault


def write(vault: Vault, path: str, data: bytes, base: str | None, agent: str | None) -> PathChange:
    """A whole note. An existing one needs `base`, the oid that `read` gave; a body without front matter keeps the
    note's own. Raises Refused with ED02 or ED03."""
    refuse_path(vault, path, agent)
    there = current(vault, path, agent)
    if base:
        based_on = blob_text(vault, path, base)
    elif there is None:
        _refuse_bare_name(vault, path)
        based_on = None
    else:
        raise Refused(
            [
                Problem(
                    path,
                    1,
                    1,
                    "ED02",
                    "exists, and the edit does not say what it was based on",
                    f"vaultgit read {path}, then write with --base OID (or use set, append)",
                )
            ]
        )
    model = there if based_on is None else based_on
    if model is not None:
        data = endings_of(model, data)
        if frontmatter.block(data) is None and frontmatter.block(model) is not None:
            data = patch.keep_front_matter(model, data)
    return PathChange(path, based_on, data, "write")


def set_properties(vault: Vault, path: str, values: Mapping[str, Any], agent: str | None) -> PathChange:
    """Properties of an existing note; what is missing is added."""
    there = _existing(vault, path, agent)
    sealed.refuse(vault, path)
    try:
        return PathChange(path, there, patch.set_properties(there, values), "set")
    except frontmatter.FrontMatterError as error:
        problem = error.problem
        raise Refused(
            [
                Problem(
                    path,
                    problem.line,
                    problem.column,
                    problem.code,
                    f"the front matter cannot be parsed: {problem.message}",
                    problem.mend,
                )
            ]
        ) from error


def append(vault: Vault, path: str, text: bytes, heading: str | None, agent: str | None) -> PathChange:
    """Text at the end of the note, or of the section under a heading (made when missing)."""
    refuse_path(vault, path, agent)
    there = current(vault, path, agent)
    if there is None:
        _refuse_bare_name(vault, path)
        return PathChange(path, None, (f"## {heading}\n\n".encode() if heading else b"") + _line(text), "append")
    text = endings_of(there, _line(text))
    eol = b"\r\n" if b"\r\n" in there else b"\n"
    if heading is None:
        gap = b"" if not there or there.endswith(b"\n") else eol
        return PathChange(path, there, there + gap + text, "append")
    end = section_end(there, heading)
    if end is None:
        gap = b"" if not there or there.endswith(b"\n") else eol
        return PathChange(path, there, there + gap + eol + b"## " + heading.encode() + eol + eol + text, "append")
    before = there[:end]
    gap = b"" if not before or before.endswith(b"\n") else eol
    return PathChange(path, there, before + gap + text + there[end:], "append")


def delete(vault: Vault, path: str, agent: str | None) -> PathChange:
    return PathChange(path, _existing(vault, path, agent), None, "delete")


def parse_values(pairs: list[str]) -> dict[str, Any]:
    """KEY=VALUE pairs, each value read as it would be in front matter (`[a, b]` is a list, `` nothing)."""
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip() or "\n" in key:
            raise UsageError(f"{pair!r} is not KEY=VALUE", "vaultgit set people/ada.md born=1815")
        read = frontmatter.read(b"---\nx: " + text.encode("utf-8", "surrogateescape") + b"\n---\n")
        value = read.values.get("x")
        plain = read.problems or list(read.values) != ["x"] or text != text.strip() or "\n" in text
        # A text that would not read back as it was typed (`a # b`, `|`), unless it was quoted on purpose.
        plain = plain or (isinstance(value, str) and value != text and text[:1] not in ("'", '"'))
        values[key.strip()] = text if plain else value
    return values


def subject(changes: list[PathChange], values: Mapping[str, Any] | None = None) -> str:
    """The line of an edit that brought none, derived from the change."""
    name = scope([change.path for change in changes])
    files = moves(changes)
    if files:
        what = f"{len(files)} files moved" if len(files) > 1 else f"moved to {files[0][0].path.removesuffix('.md')}"
        return shorten(plain(f"{scope([old.path for _, old in files])}: {what}"))
    if len(changes) > 1:
        return shorten(f"{name}: {len(changes)} notes changed")
    change, bare = changes[0], ""
    if change.new is None:
        what = "deleted"
    elif change.base is None:
        what = "created"
    elif values:
        what, bare = ", ".join(f"{key} {_short(value)}" for key, value in values.items()), "properties changed"
    elif change.action == "append":
        what, bare = "added " + first_words(inserted(change.base, change.new)), "text added"
    else:
        what = "rewritten"
    return derived(name, what, bare or what)


def derived(name: str, what: str, bare: str) -> Derived:
    """The line of an edit. `bare`: what it did, in words that no note has."""
    return Derived.of(*(shorten(plain(f"{name}: {words}")) for words in (what, bare)))


def plain(subject: str) -> str:
    """A derived subject without what a changelog line may not hold."""
    return re.sub(r"[\x00-\x1f\x7f]|%%|<!--", " ", subject)


def _short(value: Any) -> str:
    if value is None:
        return "emptied"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def inserted(base: bytes, new: bytes) -> bytes:
    """What stands in `new` between the start and the end that it has in common with `base`."""
    start = len(os.path.commonprefix([base, new]))
    rest = os.path.commonprefix([base[start:][::-1], new[start:][::-1]])
    return new[start : len(new) - len(rest)]


def first_words(text: bytes) -> str:
    words = text.decode("utf-8", "replace").split()
    short = " ".join(words)[:60].rstrip()
    return f"“{short}”" if short else "text"


def _existing(vault: Vault, path: str, agent: str | None) -> bytes:
    refuse_path(vault, path, agent)
    there = current(vault, path, agent)
    if there is None:
        raise no_such_note(vault, path)
    return there


def _refuse_bare_name(vault: Vault, path: str) -> None:
    """Raises UsageError for a new file without an extension: nearly always a note's name without its .md."""
    if "." not in path.rpartition("/")[2]:
        there = os.path.isfile(vault.full(f"{path}.md"))
        hint = f"did you mean {path}.md?" if there else f"a new note is {path}.md"
        raise UsageError(f"there is no note {path}", hint)


def no_such_note(vault: Vault, path: str) -> UsageError:
    """Says that a note is not there, with the name that was probably meant."""
    import difflib

    bare = path.removeprefix("[[").removesuffix("]]")
    for near in (bare, f"{bare}.md"):
        if near != path and os.path.isfile(vault.full(near)):
            return UsageError(f"there is no note {path}", f"did you mean {near}?")
    folder, _, name = bare.rpartition("/")
    there = os.listdir(vault.full(folder)) if os.path.isdir(vault.full(folder)) else []
    found = difflib.get_close_matches(name, [other for other in there if other.endswith(".md")], n=1)
    near = f"{folder}/{found[0]}".lstrip("/") if found else ""
    hint = f"did you mean {near}?" if near else "paths are relative to the vault's root"
    return UsageError(f"there is no note {path} in {vault.root}", hint)


def blob_text(vault: Vault, path: str, base: str) -> bytes:
    """The bytes an agent says it read, as they lie on disk."""
    found = vault.repo.blob(base) if re.fullmatch(r"[0-9a-f]{4,64}", base) else None
    if found is None:
        raise Refused(
            [
                Problem(
                    path,
                    1,
                    1,
                    "ED03",
                    f"the base {base} is not known here",
                    f"vaultgit read {path} gives the oid to use",
                )
            ]
        )
    full = vault.prefix + path
    return filters.spaces(vault.repo, [full])[full].from_blob(found.oid, found.data)


def blob_of(vault: Vault, path: str, data: bytes) -> str:
    """The oid of a note's bytes as git would store them (through its filters). They are stored, so that the oid can
    serve as --base; not where that would bring into .git what a person keeps out of it, or a secret, nor on a disk that
    is full or read-only: who only reads must not fail by it."""
    full = vault.prefix + path
    if len(full.encode("utf-8", "surrogateescape")) > 4000:
        raise VaultgitError(f"{path}: the name is too long")
    private = judge.secrets(vault, path, data) or is_kept_out(vault, path)
    named = (f"--path={full}", "--stdin")
    if not private:
        stored = vault.repo.call("hash-object", "-w", *named, input=data)
        if stored.returncode == 0:
            return stored.stdout.decode().strip()
    return vault.repo.run("hash-object", *named, input=data).decode().strip()


def _line(text: bytes) -> bytes:
    return text if text.endswith(b"\n") or not text else text + b"\n"


def endings_of(model: bytes, data: bytes) -> bytes:
    """Text with LF only, in the line ending of a note that has CRLF throughout."""
    if b"\r" not in data and b"\r\n" in model and model.count(b"\n") == model.count(b"\r\n"):
        return data.replace(b"\n", b"\r\n")
    return data


def section_end(data: bytes, heading: str) -> int | None:
    """Where the section under a heading ends: before the next heading of its level or above, blank lines kept below."""
    wanted = heading.lstrip("#").strip().encode()
    level, position, end, fence = 0, 0, None, b""
    for line in data.splitlines(keepends=True):
        mark = re.match(rb" {0,3}(`{3,}|~{3,})", line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = b"" if fence else mark[1]
        found = None if fence else re.match(rb" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\r?\n?$", line)
        if found and end is None and found[2] == wanted:
            level, end = len(found[1]), position + len(line)
        elif found and end is not None and len(found[1]) <= level:
            break
        elif end is not None and line.strip():
            end = position + len(line)
        position += len(line)
    return end
