"""What has to hold after a load, read with git alone (and `vaultgit verify`); and the figures of what was told."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.load_person import LINE
from benchmarks.load_writer import PARAGRAPHS
from benchmarks.place import git

LANDS = ("committed", "merged", "inbox", "queued")
_EDIT = re.compile(r"(?m)^\s*Edit: ([0-9a-hjkmnp-tv-z]{16})\s*$")
MARK = re.compile(r"pat-\d+|w\d+x\d+n\d+")
_LINE_OF_ID = re.compile(r"(?m)\^([0-9a-hjkmnp-tv-z]{16})\s*$")
# Where text of edits is quoted, or kept whole because it did not merge.
_QUOTES = ("inbox/", "changelog", "sessions/", "daily/", "review.md")


class Ack(NamedTuple):
    """What a writer was told of one edit."""

    outcome: str
    edit: str
    mark: str  # stands in the edit's text
    path: str
    reason: str
    door: str
    do: str
    other: str  # of apply: the second note; of move: the new path
    seconds: float
    at: float  # seconds since the epoch, when it was begun


class Commit(NamedTuple):
    oid: str
    author: str
    email: str
    committed: int  # seconds since the epoch
    message: str
    added: Mapping[str, frozenset[str]]  # by path: the marks of lines that it added

    @property
    def by_agent(self) -> bool:
        return self.email.endswith("@agents.vaultgit.invalid") or "\nAgent: " in self.message


class Proof(NamedTuple):
    failures: list[str]
    figures: dict[str, object]


def acknowledged(folder: str) -> list[Ack]:
    """What writers were told. A last line cut by a kill was never told."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            found += [Ack(*json.loads(line)) for line in stream if line.endswith("\n")]
    return found


def history(vault: str) -> list[Commit]:
    """Every commit of the branch, with the marks it added by itself (a merge: none)."""
    out = git(vault, "log", "-p", "-U0", "--no-renames", "--no-color", "--format=%x01%H%x00%an%x00%ae%x00%ct%x00%B%x02")
    found = []
    for part in out.split("\x01")[1:]:
        head, _, patch = part.partition("\x02")
        oid, author, email, committed, message = head.split("\0", 4)
        added: dict[str, frozenset[str]] = {}
        for piece in re.split(r"(?m)^diff --git ", patch)[1:]:
            named = re.search(r'(?m)^\+\+\+ "?b/(.*?)"?$', piece)
            if named:
                added[named[1]] = _marks(piece, "+") - _marks(piece, "-")
        found.append(Commit(oid, author, email, int(committed), message, added))
    return found


def _marks(patch: str, sign: str) -> frozenset[str]:
    lines = (line for line in patch.splitlines() if line.startswith(sign) and not line.startswith(sign * 3))
    return frozenset(MARK.findall("\n".join(lines)))


def prove(vault: str, acks: list[Ack], commits: list[Commit], *, clones: bool = False) -> Proof:
    """Of one vault: every acknowledged edit once in history, its text there, and nothing of the person's signed by an
    agent. (What the person typed is looked at by themselves.) `clones`: what was committed may have come to lie in the
    inbox since, where somebody changed the same elsewhere."""
    failures: list[str] = []
    carriers: dict[str, list[Commit]] = defaultdict(list)
    adding: dict[str, list[Commit]] = defaultdict(list)
    for commit in commits:
        for edit in set(_EDIT.findall(commit.message)):
            carriers[edit].append(commit)
        for mark in {one for path, marks in commit.added.items() if not path.startswith("changelog") for one in marks}:
            adding[mark].append(commit)
    failures += [f"edit {edit} is in history {len(there)} times" for edit, there in carriers.items() if len(there) > 1]
    swept = unsigned = 0
    late: list[float] = []
    for ack in acks:
        said = f"{ack.edit or ack.mark} ({ack.outcome}, {ack.do} by {ack.door}, {ack.path})"
        if ack.outcome in LANDS:
            there = carriers.get(ack.edit, [])
            if len(there) != 1:
                failures.append(f"{said} is in history {len(there)} times")
                continue
            taken = ack.door == "own" and any(not one.by_agent for one in adding[ack.mark])
            if "Recorded-in:" in there[0].message or taken:  # before it was recorded, or while that waited
                swept += 1
            elif ack.do != "move" and there[0] not in adding[ack.mark]:
                failures.append(f"{said} is commit {there[0].oid[:10]}, which does not add its text")
            if ack.outcome == "queued":
                late.append(max(0.0, there[0].committed - ack.at - ack.seconds))
        elif ack.outcome == "reported":
            signed = [one for one in adding[ack.mark] if one.by_agent]
            taken = any(not one.by_agent for one in adding[ack.mark])
            recorded = bool(signed) or any(ack.mark in one.message for one in commits if one.by_agent)
            swept += taken and recorded
            unsigned += not recorded
            if not recorded and not ack.reason:
                failures.append(f"{said} is in no commit of the agent's, and the hook said nothing")
    failures += _agents_sign_only_theirs(commits) + _texts(vault, acks, clones) + _lines(vault, carriers)
    failures += _markers(vault)
    figures = {
        "commits": len(commits), "edits in history": len(carriers), "taken along by a person's commit": swept,
        "written by own tools and never signed": unsigned, "queued": len(late),
        "queued, seconds until it landed": spread(late),
    }  # fmt: skip
    return Proof(failures, figures)


def _agents_sign_only_theirs(commits: list[Commit]) -> list[str]:
    return [
        f"{mark} of the person's is in {commit.author}'s commit {commit.oid[:10]}, in {path}"
        for commit in commits if commit.by_agent
        for path, marks in commit.added.items() if not path.startswith(_QUOTES)
        for mark in marks if mark.startswith("pat-")
    ]  # fmt: skip


def _texts(vault: str, acks: list[Ack], clones: bool) -> list[str]:
    """The text of each edit stands in HEAD once: in the notes, or else in the inbox."""
    notes: dict[str, Counter[str]] = {}
    kept: Counter[str] = Counter()
    for path, text in notes_of(vault).items():
        if path.startswith("inbox/"):
            kept.update(MARK.findall(text))
        elif not path.startswith(_QUOTES):
            notes[path] = Counter(MARK.findall(text) if path == PARAGRAPHS else LINE.findall(text))
    total: Counter[str] = sum(notes.values(), Counter())
    found: list[str] = []
    for ack in acks:
        if ack.do in ("set", "move") or ack.outcome not in (*LANDS, "reported"):
            continue
        may_be_kept = clones or ack.outcome not in ("committed", "merged")
        usual = 2 if ack.do == "apply" and ack.path != ack.other else 1
        if total[ack.mark] > usual or (total[ack.mark] < usual and not (kept[ack.mark] and may_be_kept)):
            gone = (
                git(vault, "log", "-8", "--format=%h %an: %s", f"-S{ack.mark}", "--", ".", ":!changelog*")
                if len(found) < 8
                else ""
            )
            found.append(
                f"text {ack.mark} ({ack.outcome}, {ack.do} by {ack.door}) stands in notes {total[ack.mark]} times, not "
                f"{usual} ({ack.path}); commits that changed that: {gone.splitlines()[:4]}"
            )
    return found


def notes_of(vault: str, ref: str = "HEAD") -> dict[str, str]:
    """The text of every note of a commit, by path."""
    listed = [entry.split("\t", 1) for entry in git(vault, "ls-tree", "-r", "-z", ref).split("\0") if entry]
    wanted = [(meta.split()[2], path) for meta, path in listed if path.endswith(".md")]
    out = git(vault, "cat-file", "--batch", given="".join(f"{oid}\n" for oid, _ in wanted).encode()) + "\n"
    data, at, found = out.encode("utf-8", "surrogateescape"), 0, {}
    for _, path in wanted:
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[2])
        found[path] = data[end + 1 : end + 1 + size].decode("utf-8", "replace")
        at = end + 2 + size
    return found


def _lines(vault: str, carriers: Mapping[str, object]) -> list[str]:
    """changelog.md's lines are the ids of history, each once: told without vaultgit."""
    texts = notes_of(vault)
    there = Counter(
        one for path, text in texts.items() if path.startswith("changelog") for one in _LINE_OF_ID.findall(text)
    )
    found = [f"changelog has {times} lines of {edit}" for edit, times in there.items() if times > 1]
    missing, more = carriers.keys() - there.keys(), there.keys() - carriers.keys()
    found += [f"changelog lacks {len(missing)} edits: {sorted(missing)[:3]}"] if missing else []
    return found + ([f"changelog has {len(more)} lines of no edit: {sorted(more)[:3]}"] if more else [])


def _markers(vault: str) -> list[str]:
    found = [
        path for path, text in notes_of(vault).items() if re.search(r"(?m)^(<{7}|>{7})( |$)", text)
    ]  # fmt: skip
    return [f"conflict markers stand in {', '.join(found[:5])}"] if found else []


def figures(acks: list[Ack], seconds: float) -> dict[str, object]:
    """By door: outcomes, edits a second, how long one took; and what was said of those that did not land."""
    by: dict[str, list[Ack]] = defaultdict(list)
    for ack in acks:
        by[ack.door].append(ack)
    found: dict[str, object] = {
        "edits": len(acks),
        "seconds": round(seconds, 1),
        "edits a second": _rate(acks, seconds),
    }
    for door, told in sorted(by.items()):
        found[door] = {
            "outcomes": dict(Counter(one.outcome for one in told)), "edits a second": _rate(told, seconds),
            "seconds for an edit": spread([one.seconds for one in told]),
        }  # fmt: skip
    words = Counter(
        f"{one.outcome}: {re.sub(r'[0-9a-f]{12,}|w[0-9]+x[0-9]+n[0-9]+|[0-9]+', '…', one.reason)[:160]}"
        for one in acks if one.outcome not in ("committed", "merged") and one.reason
    )  # fmt: skip
    return {**found, "reasons": dict(words.most_common(12))}


def broken(acks: list[Ack]) -> list[str]:
    """Edits that were neither done, nor kept, nor refused by a rule."""
    failed = Counter(f"{one.do} by {one.door}: {one.reason[-200:]}" for one in acks if one.outcome == "failed")
    refused = Counter(
        f"{one.do} by {one.door}: {one.reason[:200]}" for one in acks if one.outcome in ("refused", "error")
    )
    return [f"{times} times broken: {words}" for words, times in failed.most_common(8)] + [
        f"{times} times refused: {words}" for words, times in refused.most_common(8)
    ]


def _rate(acks: list[Ack], seconds: float) -> float:
    return round(len(acks) / seconds, 2) if seconds else 0.0


def spread(values: list[float]) -> dict[str, float]:
    """Half of them, 99 of a hundred, and the slowest; in seconds."""
    if not values:
        return {}
    there = sorted(values)
    shares = {"p50": 0.5, "p99": 0.99, "slowest": 1.0}
    return {name: round(there[min(len(there) - 1, int(len(there) * share))], 3) for name, share in shares.items()}
