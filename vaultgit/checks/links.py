"""LN01, LN02: a link field of a managed note leads to exactly one note.

Which properties are link fields its schema says (`"format": "link"`); one whose schema says `"x-vaultgit":
{"unresolved": true}` may lead to a note that is not there yet. Links in bodies are no business of this check: leading
nowhere is normal in Obsidian (`vaultgit doctor` lists them). A link that the note had before the change is not judged
again: its target may be gone through nobody's fault who edits this note now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks.problem import Problem
from vaultgit.errors import UsageError
from vaultgit.notes import frontmatter
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import link_target

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Mapping
    from collections.abc import Sequence

    from vaultgit.checks.around import Around
    from vaultgit.checks.change import Change
    from vaultgit.vault import Rules


class Target(NamedTuple):
    """One link in a link field. `target`: its note part; never ""."""

    line: int
    column: int
    field: str
    target: str


def check(change: Change) -> list[Problem]:
    """LN01, LN02."""
    if change.around is None:
        return []
    wanted: dict[str, list[Target]] = {}
    gone = [file for file in change.files if file.after is None]  # a note that moves takes its links along
    for file in change.files:
        if file.after is None:
            continue
        before = {
            (one.field, one.target)
            for old in (file, *gone) for data in old.before if data
            for one in targets(change.rules, old.path, data)
        }  # fmt: skip
        new = [one for one in targets(change.rules, file.path, file.after) if (one.field, one.target) not in before]
        if new:
            wanted[file.path] = new
    return problems(wanted, change.around)


def targets(rules: Rules, path: str, data: bytes) -> list[Target]:
    """The links in the link fields of a managed note; [] for any other, and where its front matter does not parse."""
    note_type = rules.managed(path, data) if b"[[" in data else None
    if note_type is None:
        return []
    properties = frontmatter.read(data)
    try:
        fields = rules.types.link_fields(note_type)
    except UsageError:
        return []  # SC01 says so
    found: list[Target] = []
    text: list[str] | None = None
    for field in fields:
        value = properties.values.get(field)
        for item in value if isinstance(value, list) else (value,):
            target = link_target(item) if isinstance(item, str) else None
            if target:
                text = text if text is not None else data.decode("utf-8", "replace").split("\n")
                found.append(Target(*_place(text, properties.lines.get(field, 1), target), field, target))
    return found


def problems(wanted: Mapping[str, Sequence[Target]], around: Around) -> list[Problem]:
    """What is wrong with the links of notes (path -> links), as the vault around them is."""
    unsure = {
        path: left for path, every in wanted.items() if (left := [one for one in every if not _is_path(one, around)])
    }
    if not unsure:
        return []
    resolver = Resolver(around.named({one.target for every in unsure.values() for one in every}))
    return [found for path, every in unsure.items() for found in _unresolved(path, every, resolver)]


def _is_path(one: Target, around: Around) -> bool:
    """Whether a target is the path of a file from the vault's root: it means that one, whatever else there is."""
    path = one.target
    return not path.startswith((".", "/")) and (around.exists(path) or around.exists(f"{path}.md"))


def _unresolved(path: str, every: Iterable[Target], resolver: Resolver) -> Iterable[Problem]:
    for one in every:
        found = resolver.resolve(one.target, path)
        what = f"{one.field}: [[{one.target}]] leads to"
        if not found:
            mend = "link a note that is there, or write that note first"
            yield Problem(path, one.line, one.column, "LN01", f"{what} no note", mend)
        elif len(found) > 1:
            shown = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
            mend = f"say which: [[{found[0].removesuffix('.md')}]]"
            yield Problem(path, one.line, one.column, "LN02", f"{what} {len(found)} notes: {shown}", mend)


def _place(text: list[str], line: int, target: str) -> tuple[int, int]:
    """Line and column of a link that stands in the property that begins at `line`."""
    for number in range(line, len(text) + 1):
        column = text[number - 1].find(target)
        if column >= 0:
            return number, text[number - 1].rfind("[[", 0, column + 1) + 1 or column + 1
        if number > line and text[number - 1].rstrip() == "---":
            break
    return line, 1
