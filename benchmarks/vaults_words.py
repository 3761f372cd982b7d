"""Words for a vault that name nobody: its language, and what is special about it.

A program (`python -m benchmarks.vaults_words COPY ROOT`), because reading all notes takes memory.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator

from benchmarks import vaults_copy
from benchmarks.place import git

LANGUAGES = {
    "English": "the and of to is that for with this are",
    "German": "der die das und ist nicht ein eine mit für",
    "Spanish": "que los las una por para como está del se",
    "Portuguese": "que não uma com para são dos também você em",
    "French": "les des une est dans pour que sur avec pas",
    "Italian": "che il di una per non sono della con nel",
    "Vietnamese": "và của là không có được cho những một trong",
}
SCRIPTS = {"HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean", "CYRILLIC": "Russian", "CJK": "Chinese"}
BOM = b"\xef\xbb\xbf"
SAMPLE = 400  # notes that tell the language


def words(copy: str, root: str) -> str:
    """What a vault is like: its language and what is special about it."""
    texts = {path: _read(os.path.join(root, path)) for path in vaults_copy.notes(root)}
    special = [*_of_files(copy, root), *_of_notes(texts)]
    sample = [texts[path] for path in sorted(texts, key=_shuffled)[:SAMPLE]]
    return "; ".join([_language(sample), *special])


def _shuffled(path: str) -> str:
    return hashlib.sha1(os.fsencode(path), usedforsecurity=False).hexdigest()


def _read(full: str) -> bytes:
    with open(full, "rb") as stream:
        return stream.read()


def _language(sample: list[bytes]) -> str:
    counts: Counter[str] = Counter()
    for data in sample:
        text = data[:20_000].decode("utf-8", "replace")
        found = Counter(_script(letter) for letter in text if ord(letter) > 0x2FF)
        found.pop("", None)
        if sum(found.values()) * 5 > len(text):
            kana = found["Japanese"] * 10 > sum(found.values())  # the rest of Japanese is written as Chinese is
            counts["Japanese" if kana else found.most_common(1)[0][0]] += 1
            continue
        said = Counter(re.findall(r"\w+", text.lower()))
        scores = {name: sum(said[word] for word in marks.split()) for name, marks in LANGUAGES.items()}
        best = max(scores, key=lambda name: scores[name])
        if scores[best] >= 5:
            counts[best] += 1
    if not counts:
        return "no language of its own"
    kept = [name for name, count in counts.most_common() if count * 20 >= sum(counts.values())]
    return f"{len(kept)} languages" if len(kept) > 3 else " and ".join(kept)


def _script(letter: str) -> str:
    return SCRIPTS.get(unicodedata.name(letter, "").replace("-", " ").partition(" ")[0], "")


def _of_files(copy: str, root: str) -> Iterator[str]:
    tracked = git(copy, "ls-files", "-s", "-z").split("\0")
    plugins = os.path.join(root, ".obsidian", "plugins")
    if not os.path.isdir(os.path.join(root, ".obsidian")):
        yield "no .obsidian"
    if root != copy:
        yield "below the repository's root"
    vaults = len(vaults_copy.roots(copy))
    if vaults > 1:
        yield f"{vaults} vaults in one repository"
    for name in ("obsidian-git", "templater-obsidian"):
        if os.path.isdir(os.path.join(plugins, name)):
            yield {"obsidian-git": "obsidian-git", "templater-obsidian": "Templater"}[name]
    daily = os.path.join(root, ".obsidian", "daily-notes.json")
    found = re.search(rb'"format": *"([^"|]+)"', _read(daily)) if os.path.exists(daily) else None
    if found and found[1] != b"YYYY-MM-DD":
        yield f"daily notes as {found[1].decode()}"
    trash = sum("/.trash/" in "/" + line.partition("\t")[2] for line in tracked)
    if trash:
        yield f"{trash:,} files in a committed .trash"
    theirs = [name for name in ("AGENTS.md", "CLAUDE.md", "CHANGELOG.md", "changelog.md", "changelog", "review.md",
                                ".pre-commit-config.yaml") if os.path.lexists(os.path.join(root, name))]  # fmt: skip
    if theirs:
        yield "its own " + ", ".join(theirs)
    kinds = Counter(line.partition(" ")[0] for line in tracked if line)
    if kinds["160000"]:
        yield f"{kinds['160000']} other repositories inside"
    if kinds["120000"]:
        yield f"{kinds['120000']} symbolic links"
    attributes = os.path.join(copy, ".gitattributes")
    if os.path.exists(attributes):
        yield "LFS" if b"filter=lfs" in _read(attributes) else "its own .gitattributes"


def _of_notes(texts: dict[str, bytes]) -> Iterator[str]:
    total = max(1, len(texts))
    emoji = sum(any(ord(letter) > 0x1F000 for letter in path) for path in texts)
    zettel = sum(bool(re.match(r"\d{12,14}\b", os.path.basename(path))) for path in texts)
    typed = sum(bool(re.search(rb"(?m)^type:", data[:2000])) for data in texts.values())
    bare = sum(not data.startswith((b"---", BOM + b"---")) for data in texts.values())
    by_path = sum(len(re.findall(rb"\[\[[^\]|#\n]*/", data)) for data in texts.values())
    if bare * 2 > total:
        yield "mostly no front matter"
    for count, what, like in (
        (emoji, "emoji name", ""), (zettel, "zettel id", ""), (typed, "note", " with a type"),
        (sum(b"\r\n" in data for data in texts.values()), "note", " with CRLF"),
        (sum(data.startswith(BOM) for data in texts.values()), "note", " with a BOM"),
    ):  # fmt: skip
        if count:
            yield f"{count:,} {what}{'s' if count > 1 else ''}{like}"
    if by_path >= 100:
        yield f"{by_path:,} links by path"
    longest = max((len(data) for data in texts.values()), default=0)
    if longest > 200_000:
        yield f"a note of {longest / 1e6:.1f} MB"


if __name__ == "__main__":
    print(words(*sys.argv[1:3]))
