"""Links in notes that lead to nothing, or to several files; and what else shows only when all notes are read."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import NamedTuple

from vaultgit.edits import changelog
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import first
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.survey import Survey
from vaultgit.notes import frontmatter
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import links
from vaultgit.recall.linked import leads_to_a_file
from vaultgit.recall.linked import may_be_gone
from vaultgit.vault import Vault

Said = Callable[[], object]  # called after each note


class Broken(NamedTuple):
    """A link that does not lead to one file. `found`: the files it may mean, none or several."""

    path: str
    line: int
    column: int
    written: str
    found: tuple[str, ...]

    def __str__(self) -> str:
        means = f" may mean {', '.join(self.found)}" if self.found else ""
        return f"{self.path}:{self.line}:{self.column}: {self.written}{means}"


class Reading(NamedTuple):
    """What came of reading all notes."""

    notes: int
    links: int
    nowhere: list[Broken]
    several: list[Broken]
    unreadable: list[str]
    mixed: list[str]  # notes with both kinds of line endings
    unparsed: list[str]  # path:line of front matter that does not parse, and why


def read(vault: Vault, survey: Survey, said: Said) -> Reading:
    """Reads the notes that are no templates, and follows their links. Not those of changelog.md, which only history
    can mend, nor of the inbox, where what is proposed may be yet to be written."""
    resolver = Resolver(survey.files)
    paths = [
        path for path in survey.notes if not vault.rules.obsidian.is_template(path) and not changelog.is_ours(path)
    ]
    result, total = Reading(len(paths), 0, [], [], [], [], []), 0
    for path in paths:
        said()
        try:
            with open(vault.full(path), "rb") as stream:
                data = stream.read()
        except OSError:
            result.unreadable.append(path)
            continue
        returns = data.count(b"\r\n")
        if returns and returns != data.count(b"\n"):
            result.mixed.append(path)
        result.unparsed.extend(f"{path}:{one.line}: {one.message}" for one in frontmatter.read(data).problems[:1])
        if (b"[[" not in data and b"](" not in data) or vault.rules.managed(path, data) == "inbox":
            continue
        text = data.decode("utf-8", "surrogateescape")
        head, gone = may_be_gone(vault, path, data)
        for link in links(text):
            total += 1
            found = resolver.resolve(link.target, path)
            if not found and link.line <= head and link.target in gone:
                continue
            if len(found) != 1 and not (not found and leads_to_a_file(vault, path, link)):
                broken = Broken(path, link.line, link.column, text[link.start : link.end], tuple(found))
                (result.several if found else result.nowhere).append(broken)
    return result._replace(links=total)


def look(reading: Reading) -> Part:
    found = []
    lists = "vaultgit doctor --links lists all"
    if reading.nowhere:
        what = f"{len(reading.nowhere):,} of {counted(reading.links, 'link')} lead to nothing"
        what = what.replace("lead", "leads") if len(reading.nowhere) == 1 else what
        shown = first([str(one) for one in reading.nowhere])
        risk = "none, where the note is yet to be written"
        found.append(remark("links-nowhere", "notes", what, risk, f"link a note that is there; {lists}", shown))
    if reading.several:
        may = "may mean several files"
        what = f"{len(reading.several):,} of {counted(reading.links, 'link')} {may}"
        shown = first([str(one) for one in reading.several])
        risk = "Obsidian opens the nearest; other programs may not"
        found.append(remark("links-several", "notes", what, risk, f"write the path in the link; {lists}", shown))
    return Part("links", found, f"{counted(reading.links, 'link')}, each leads to one file")


def look_at_notes(vault: Vault, reading: Reading) -> Part:
    found = []
    if reading.unreadable:
        what = f"{counted(len(reading.unreadable), 'note')} cannot be read"
        mend = f"chmod u+r {shlex.quote(vault.full(reading.unreadable[0]))}"
        risk = "no check, no search and no edit reaches them"
        found.append(problem("unreadable", "notes", what, risk, mend, first(reading.unreadable)))
    if reading.unparsed:
        what = f"{counted(len(reading.unparsed), 'note')} with front matter that does not parse"
        risk = "search, tables and types see no property of theirs"
        mend = "mend the line: vaultgit check PATH says how"
        found.append(remark("front-matter", "notes", what, risk, mend, first(reading.unparsed)))
    converts = vault.repo.setting("core.autocrlf").lower()
    if reading.mixed and converts in ("true", "input"):
        have = "has" if len(reading.mixed) == 1 else "have"
        what = f"{counted(len(reading.mixed), 'note')} {have} mixed line endings, and git converts them here"
        risk = "their line endings change at the next checkout"
        mend = "git config core.autocrlf false"
        about = f"git config core.autocrlf {converts}"
        found.append(remark("line-endings", about, what, risk, mend, first(reading.mixed)))
    return Part("notes", found, f"{counted(reading.notes, 'note')} can be read")
