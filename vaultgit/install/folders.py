"""Folders of a vault that already mean what a note type means: `People`, `01 Projects`, `📥 Inbox`, `docs/adr`.

Set up for the first time, a vault keeps such a folder: its settings map the type to it.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable
from collections.abc import Iterable
from typing import NamedTuple

from vaultgit import config
from vaultgit import resources

# What a folder may be called, in whatever case, with or without accents, with numbers, signs and emoji around it.
MEANINGS = {
    "inbox": "inbox, inboxes, eingang, posteingang, boîte de réception, bandeja de entrada, caixa de entrada, "
    "posta in arrivo, входящие, 收件箱, 收集箱, 收件匣, 受信箱, 받은편지함",
    "person": "people, person, persons, contact, contacts, people notes, personen, kontakte, personne, personnes, "
    "persona, personas, contactos, pessoas, contatos, persone, contatti, люди, контакты, 人物, 联系人, 聯絡人, 人, "
    "人々, 사람, 인물",
    "project": "project, projects, projekt, projekte, projet, projets, proyecto, proyectos, projeto, projetos, "
    "progetti, projecten, проекты, 项目, 專案, プロジェクト, 프로젝트",
    "decision": "decision, decisions, decision log, decision records, adr, adrs, architecture decisions, "
    "architecture decision records, entscheidung, entscheidungen, decisiones, decisão, decisões, decisioni, "
    "решения, 决策, 决定, 決策, 決定, 意思決定, 결정",
    "session": "session, sessions, agent sessions, sitzungen, séances, sesión, sesiones, sessões, sessioni, сессии, "
    "会话, 會話, セッション, 세션",
    "skill": "skill, skills, agent skills, fähigkeiten, compétences, habilidades, competenze, навыки, 技能, スキル, "
    "스킬",
    "daily": "daily, dailies, daily note, daily notes, daily log, daily logs, journal, journals, diary, tagebuch, "
    "täglich, tagesnotizen, tägliche notizen, journal quotidien, notes quotidiennes, diario, diarios, "
    "notas diarias, дневник, ежедневник, 日记, 日記, 日志, 日誌, 每日笔记, 每日筆記, 每日, デイリーノート, 일기, "
    "데일리",
    "concept": "concept, concepts, konzept, konzepte, begriffe, conceptos, conceitos, concetti, понятия, концепции, "
    "概念, コンセプト, 개념",
}

# Folders in which documentation tools keep such a folder.
_DEEPER = {"decision": ("docs", "doc", "docs/architecture")}


class Homes(NamedTuple):
    """Where types are at home already. `mapped`: type -> its folder, another than the fixed one; `several`: type ->
    folders of which any may be meant, so that none was taken."""

    mapped: dict[str, str]
    several: dict[str, list[str]]


NONE = Homes({}, {})


def find(root: str, taken: Iterable[str] = (), usable: Callable[[list[str]], list[str]] = list) -> Homes:
    """Folders of the vault at `root` that mean what a type means, for types whose fixed folder is not there.

    `taken`: types that have their folder otherwise. `usable`: of some folders those that may be a type's.
    """
    top = _folders(root, "")
    mapped: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for note_type, fixed in config.LAYOUT.items():
        if note_type in taken or fixed in top:
            continue
        meant = [name for name in top if _plain(name) in _WORDS[note_type]]
        for parent in _DEEPER.get(note_type, ()):
            meant += [f"{parent}/{name}" for name in _folders(root, parent) if _plain(name) in _WORDS[note_type]]
        found = usable(meant)
        # `People` and `people` are one folder on many systems: making the second one is no choice.
        same = [name for name in found if name.casefold() == fixed.casefold()]
        if len(found) == 1 or same:
            mapped[note_type] = (same or found)[0]
        elif found:
            several[note_type] = found
    return Homes(mapped, several)


def settings(homes: Homes) -> bytes:
    """The settings file of a new vault: all comments, but for the folders that are mapped."""
    text = resources.read("hooks", "vaultgit.toml").decode()
    if homes.mapped:
        text = text.replace("# [layout]", "[layout]  ", 1)
    for note_type, folder in homes.mapped.items():
        line = f"{note_type} = {json.dumps(folder, ensure_ascii=False)}"
        text = text.replace(f'# {note_type} = "{config.LAYOUT[note_type]}"', line, 1)
    return text.encode()


def _folders(root: str, inside: str) -> list[str]:
    """Names of the visible folders in one, in their order; links and other repositories are none."""
    try:
        with os.scandir(os.path.join(root, inside)) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(
        name
        for name in names
        if not name.startswith(".")
        and name.isprintable()
        and not os.path.lexists(os.path.join(root, inside, name, ".git"))
    )


def _plain(name: str) -> str:
    """A name without what people put around its words: `01 - 👥 People (work)` is not `people`, `01 - 👥 People` is."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[\W_]+", "", re.sub(r"^[\W\d_]+", "", letters))


_WORDS = {note_type: frozenset(map(_plain, words.split(", "))) for note_type, words in MEANINGS.items()}
