"""Who still counts on a skill: notes that link to it, and scripts, workflows and timers that name it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from collections.abc import Iterator

from vaultgit.checks.around import visible
from vaultgit.edits import changelog
from vaultgit.history.repository import clean_environment
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import fold
from vaultgit.notes.links import links
from vaultgit.recall import skills as recall
from vaultgit.recall import tree
from vaultgit.recall.skills import Skill
from vaultgit.recall.skills import Skills
from vaultgit.vault import Vault

CRONTAB = "your crontab"
_TARGET = re.compile(r"\[\[([^\[\]|#\n]+)")
_WORD = re.compile(rb"[a-z0-9]+(?:-[a-z0-9]+)*")
_NOT_A_USE = ("session", "inbox")  # types of notes whose links say nothing about what is needed
_REVIEW = "review.md"
_INSTRUCTIONS = frozenset(("agents.md", "claude.md", "gemini.md"))  # notes by name, but read as orders
_RECENT_FILES = re.compile(r"\.obsidian/workspace[^/]*\.json$")
_LARGEST = 256_000  # bytes of a file that may be a script
_MEDIA = tuple(
    ".png .jpg .jpeg .gif .webp .bmp .svg .heic .ico .pdf .mp3 .m4a .wav .ogg .flac .mp4 .mov .webm .mkv .zip .gz .7z "
    ".docx .xlsx .pptx .epub .ttf .woff .woff2".split()
)


# -- links -----------------------------------------------------------------------------------------------------------


def linked(vault: Vault, commit: str, skills: Skills, wanted: Iterable[Skill]) -> dict[str, dict[str, int]]:
    """Path of each wanted skill -> the notes that link to it, with the line. Not counted: sessions, the inbox, what is
    written from history, the review file, and what lies beside the skill as its own."""
    wanted = list(wanted)
    names = {fold(name) for skill in wanted for name in _names(skill)}
    found: dict[str, dict[str, int]] = {skill.path: {} for skill in wanted}
    held = tree.files(vault, commit)
    meant = recall.reader(Resolver(file.path for file in held), skills)
    notes = [file for file in held if is_note(file.path) and not _is_projection(file.path)]
    for file, data in tree.texts(vault, notes):
        text = data.decode("utf-8", "surrogateescape")
        if not _may_link(text, names) or vault.rules.managed(file.path, data) in _NOT_A_USE:
            continue
        folder = file.path.rpartition("/")[0]
        for link in links(text):
            for path in meant(link.target, folder):
                if path in found and file.path != path and not _is_own(file.path, path):
                    found[path].setdefault(file.path, link.line)
    return found


def is_note(path: str) -> bool:
    """Whether Obsidian shows a file as a note; none outside the vault (`../x.md`)."""
    return path.lower().endswith(".md") and visible(path)


def _is_projection(path: str) -> bool:
    return path == _REVIEW or changelog.is_ours(path)


def _is_own(path: str, skill: str) -> bool:
    return path.startswith(skill.removesuffix(".md") + "/")


def _may_link(text: str, names: set[str]) -> bool:
    """Whether it is worth reading the links of a note: ten times as slow as this look at its wikilinks."""
    return "](" in text or any(
        fold(target.strip(" \\").rpartition("/")[2]).removesuffix(".md") in names for target in _TARGET.findall(text)
    )


def _names(skill: Skill) -> set[str]:
    return {skill.name, recall.stem(skill.path), *skill.aliases}


# -- words -----------------------------------------------------------------------------------------------------------


def named(vault: Vault, commit: str, wanted: Iterable[Skill], but: tuple[str, ...] = ()) -> dict[str, str]:
    """Path of each skill that is named, as a word, in a tracked file that is no note, or in a timer of the user's ->
    where. `weekly_report` names weekly-report, too.

    The whole repository is looked at: workflows lie at its root, wherever the vault is. A name that is an everyday
    word is found where nobody meant the skill: then it is kept for nothing. `but`: endings of files not looked at.
    """
    paths: dict[bytes, set[str]] = {}
    for skill in wanted:
        for name in _names(skill):
            paths.setdefault(fold(name).encode("utf-8", "surrogateescape"), set()).add(skill.path)
    found: dict[str, str] = {}
    for where, data in _scripts(vault, commit, but):
        words: set[bytes] = set(_WORD.findall(data.lower().replace(b"_", b"-")))
        for word in paths.keys() & words:
            for path in paths[word]:
                if not _is_own(where, path):
                    found.setdefault(path, where)
    return found


def _scripts(vault: Vault, commit: str, but: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Small text files that are no notes, by path from the vault's root, and the crontab."""
    yield CRONTAB, _crontab()
    whole = vault._replace(prefix="")
    held = [
        file
        for file in tree.files(whole, commit)
        if _may_be_script(vault, file.path) and not file.path.lower().endswith(but)
    ]
    for file, data in tree.texts(whole, _small(vault, held)):
        if b"\0" not in data[:8000]:
            yield _from_vault(vault, file.path), data


def _may_be_script(vault: Vault, full: str) -> bool:
    path = _from_vault(vault, full)
    if path.startswith((".vaultgit/", ".trash/")) or _RECENT_FILES.match(path) or path.lower().endswith(_MEDIA):
        return False
    return not is_note(path) or path.lower() in _INSTRUCTIONS


def _from_vault(vault: Vault, full: str) -> str:
    return os.path.relpath(full, vault.prefix) if vault.prefix else full


def _small(vault: Vault, held: list[tree.Held]) -> list[tree.Held]:
    asked = "".join(f"{file.oid}\n" for file in held).encode()
    sizes = vault.repo.run("cat-file", "--batch-check=%(objectsize)", "--buffer", input=asked).split(b"\n")
    return [file for file, size in zip(held, sizes, strict=False) if size.isdigit() and int(size) <= _LARGEST]


def _crontab() -> bytes:
    """The user's own timers; nothing where there is no such program, or it fails."""
    program = shutil.which("crontab")
    if program is None:
        return b""
    try:
        done = subprocess.run(
            [program, "-l"], env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=5,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return done.stdout
