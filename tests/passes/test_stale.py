"""Which skills are stale and which may be pruned. Each row of KEPT is something that must never be pruned; the numbers
in names are incidents of a tool that pruned them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from datetime import timedelta
from pathlib import Path

import pytest
from past import Did
from past import Past
from past import go_on
from past import session
from past import skill

from vaultgit.config import Dream
from vaultgit.passes import stale
from vaultgit.passes.stale import Stale
from vaultgit.recall import skills as recall
from vaultgit.recall import uses
from vaultgit.vault import Vault

TODAY = date(2026, 11, 29)
OLD = "skills/old-report.md"
FIRST = "2024-01-01"  # when the vault's first session recorded a use


def ago(days: int) -> str:
    return (TODAY - timedelta(days=days)).isoformat()


def sessions(number: int = 60, others: int = 10) -> dict[str, str]:
    """Session notes of the last year that use other skills, and the first one ever that used any."""
    notes = {f"sessions/{FIRST}-first.md": session(FIRST, "s0")}
    for n in range(number):
        notes[f"sessions/{ago(5 * n)}-s.md"] = session(ago(5 * n), f"s{n % others}")
    return notes


def others(number: int = 20) -> dict[str, str]:
    return {f"skills/s{n}.md": skill(f"s{n}") for n in range(number)}


def start(**more: str) -> list[Did]:
    """A vault in which one skill, written by an agent long ago, was never used and nothing counts on it."""
    return [
        Did(FIRST, {**others(), **sessions(), **more}, "start"),
        Did("2024-02-01", {OLD: skill("old-report", updated="2024-02-01")}, agent="codex"),
    ]


DEFAULTS = Dream()


def judge(vault: Vault, dream: Dream = DEFAULTS, kept: Mapping[str, str] = {}) -> dict[str, Stale]:
    found = recall.at(vault, "HEAD")
    judged = stale.judge(vault, "HEAD", found, uses.at(vault, "HEAD", found), dream, TODAY, kept)
    assert [one.idle_days for one in judged] == sorted((one.idle_days for one in judged), reverse=True)
    assert all(bool(one.kept_because) != one.prune for one in judged)
    return {one.path: one for one in judged}


@pytest.fixture(autouse=True)
def no_crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name which fails, as for a user without timers."""
    return crontab(tmp_path, monkeypatch, "echo no crontab for me >&2; exit 1")


def crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    path = os.environ["PATH"]
    if not path.startswith(str(program.parent)):
        monkeypatch.setenv("PATH", f"{program.parent}:{path}")
    return program


# -- pruned, and never pruned ----------------------------------------------------------------------------------------


def test_what_nothing_and_nobody_counts_on_may_be_pruned(past: Past) -> None:
    found = judge(past(start()))
    idle = (TODAY - date(2024, 2, 1)).days
    assert found.keys() == {OLD, *(f"skills/s{n}.md" for n in range(10, 20))}
    assert found[OLD] == Stale(OLD, "old-report", idle, "2024-02-01", "created by codex", True, "")


def _more(**lines: str) -> str:
    return skill("old-report", more="".join(f"{key}: {value}\n" for key, value in lines.items()))


KEPT: list[tuple[str, dict[str, str | None], str]] = [
    ("pinned", {OLD: _more(pinned="true")}, "pinned"),
    ("imported and untouched", {OLD: _more(source="https://example.invalid/skills")}, "imported and never touched"),
    ("linked from a project", {"projects/x.md": "# X\n\nsee [[old-report]]\n"}, "linked from projects/x.md:3"),
    ("linked by path", {"Home.md": "[how](skills/old-report.md)\n"}, "linked from Home.md:1"),
    ("linked from a folder", {"a (b)/c.md": "[how](<../skills/old-report.md>)\n"}, "linked from a (b)/c.md:1"),
    ("linked in a property", {"people/p.md": '---\nway: "[[skills/old-report|x]]"\n---\n'}, "linked from people/p.md:2"),
    ("linked by its old name", {OLD: _more(aliases="[report]"), "x.md": "[[report]]\n"}, "linked from x.md:1"),
    ("embedded", {"daily/2026-01-01.md": "![[old-report#Steps]]\n"}, "linked from daily/2026-01-01.md:1"),
    ("linked from a skill", {"skills/s1.md": skill("s1") + "then [[old-report]]\n"}, "linked from skills/s1.md:9"),
    ("linked from a broken skill", {"skills/b.md": "---\ntype: skill\n---\n[[old-report]]\n"}, "linked from skills/b.md:4"),
    ("named in a script", {"bin/release.sh": "claude -p 'use old-report now'\n"}, "named in bin/release.sh"),
    ("named in a workflow", {".github/workflows/x.yml": "run: skills/old-report.md\n"}, "named in .github/workflows/x.yml"),
    ("named in code", {"x.py": "def old_report(): ...\n"}, "named in x.py"),
    ("named in a command file", {".claude/commands/r.md": "Use old-report.\n"}, "named in .claude/commands/r.md"),
    ("named in orders", {"CLAUDE.md": "For reports use old-report.\n"}, "named in CLAUDE.md"),
    ("shown on a canvas", {"map.canvas": '{"file":"skills/old-report.md"}'}, "named in map.canvas"),
    ("26326: a job has its old name", {OLD: _more(aliases="[report]"), "job.sh": "run report\n"}, "named in job.sh"),
    ("used three times ever", {f"sessions/2024-03-0{n}-u.md": session(f"2024-03-0{n}", "old-report") for n in (1, 2, 3)},
     "used 3 times"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "why"), [row[1:] for row in KEPT], ids=[row[0] for row in KEPT])
def test_never_pruned(past: Past, files: dict[str, str | None], why: str) -> None:
    vault = past([*start(), Did("2024-02-02", files, agent="codex")])
    found = judge(vault)[OLD]
    assert not found.prune and found.kept_because == why


NO_REASON: list[tuple[str, dict[str, str | None]]] = [
    ("a session", {"sessions/2024-03-01-x.md": session("2024-03-01", touched=("old-report",))}),
    ("the inbox", {"inbox/x.md": '---\ntype: inbox\ntarget: "[[old-report]]"\n---\n'}),
    ("the changelog", {"changelog.md": "- [[old-report]]\n", "changelog/2024-02.md": "- [[old-report]]\n"}),
    ("the review file", {"review.md": "- why: [[old-report]]\n"}),
    ("itself", {OLD: skill("old-report", updated="2024-02-01") + "see [[old-report]]\n"}),
    ("what lies beside it", {"skills/old-report/more.md": "of [[old-report]]\n", "skills/old-report/x.sh": "old-report\n"}),
    ("our own files", {".vaultgit/baseline.json": '{"skills/old-report.md": []}\n'}),
    ("recent files", {".obsidian/workspace.json": '{"lastOpenFiles": ["skills/old-report.md"]}\n'}),
    ("a name in a note", {"x.md": "the old-report of May\n"}),
    ("a longer name", {"x.sh": "my-old-report old-report-2\n"}),
    ("a picture", {"old.png": "old-report\n"}),
    ("a binary file", {"x.bin": "\0old-report\n"}),
    ("a huge file", {"x.csv": "old-report\n" * 30_000}),
    ("code in a note", {"x.md": "`[[old-report]]`\n"}),
]  # fmt: skip


@pytest.mark.parametrize("files", [row[1] for row in NO_REASON], ids=[row[0] for row in NO_REASON])
def test_what_is_no_sign_that_it_is_needed(past: Past, files: dict[str, str | None]) -> None:
    assert judge(past([*start(), Did("2024-02-02", files, agent="codex")]))[OLD].prune


def test_never_pruned_what_a_person_edited_last(past: Past) -> None:
    text = skill("old-report", version=2, updated="2024-03-01")
    vault = past([*start(), Did("2024-03-01", {OLD: text})])
    found = judge(vault)[OLD]
    assert (found.kept_because, found.since, found.what) == (
        "a person edited it last", "2024-03-01", "last edited by a person",
    )  # fmt: skip
    go_on(vault, [Did("2024-03-02", {OLD: skill("old-report", version=3) + "2. look again\n"}, agent="codex")])
    assert judge(vault)[OLD].prune


MENDS = [
    ("a pass", "vaultgit", skill("old-report", version=3) + "and more\n"),
    ("links that follow", "codex", skill("old-report", version=3).replace("1. do", "1. see [[b]]: do")),
    ("front matter", "codex", skill("old-report", version=3, more="aliases: [x]\n")),
]


@pytest.mark.parametrize(("agent", "text"), [row[1:] for row in MENDS], ids=[row[0] for row in MENDS])
def test_what_is_mended_stays_the_persons(past: Past, agent: str, text: str) -> None:
    """`init --adopt` gives front matter, a move and a dream make links follow: none of them wrote it."""
    old = text.replace("[[b]]", "[[a]]").replace("version: 3", "version: 2").replace("and more\n", "")
    vault = past([*start(), Did("2024-03-01", {OLD: old}), Did("2024-04-01", {OLD: text}, agent=agent)])
    found = judge(vault)[OLD]
    assert found.kept_because == "a person edited it last" and found.since == "2024-04-01"
    go_on(vault, [Did("2024-05-01", {OLD: text + "2. look again\n"}, agent="codex")])
    go_on(vault, [Did("2024-06-01", {OLD: text + "2. look again\n3. rest\n"}, agent="vaultgit")])
    assert judge(vault)[OLD].prune


def test_never_pruned_what_is_exported(past: Past) -> None:
    vault = past(start())
    past.folder.git("config", "vaultgit.export", "/elsewhere/skills :: old-report")
    assert judge(vault)[OLD].kept_because == "exported"


def test_18810_a_timer_counts_as_use(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crontab(tmp_path, monkeypatch, "echo '0 7 1 1 * claude -p \"run old-report\"'")
    assert judge(past(start()))[OLD].kept_because == "named in your crontab"


def test_a_vault_inside_a_repository_looks_at_all_of_it(past: Past) -> None:
    vault = past(start(), prefix="notes/")
    assert judge(vault)[OLD].prune
    outer = vault._replace(prefix="")
    go_on(outer, [Did("2024-03-01", {".github/workflows/x.yml": "run: old-report\n", "README.md": "[[s10]]\n"})])
    found = judge(vault)
    assert found[OLD].kept_because == "named in ../.github/workflows/x.yml"
    go_on(outer, [Did("2024-03-02", {".github/workflows/x.yml": None, "README.md": "see old-report\n"})])
    assert judge(vault)[OLD].kept_because == "named in ../README.md"  # no note of the vault


def test_the_pass_itself_may_say_what_it_keeps_and_room_is_left_for_others(past: Past) -> None:
    second = Did("2024-02-03", {"skills/older.md": skill("older")}, agent="codex")
    vault = past([*start(), second])
    found = judge(vault, kept={OLD: "it is merged in this pass"})
    assert found[OLD].kept_because == "it is merged in this pass" and found["skills/older.md"].prune


# -- the clock -------------------------------------------------------------------------------------------------------


def test_79295_no_skill_is_stale_before_uses_were_recorded_for_long(past: Past) -> None:
    by_agent = Did("2020-01-01", {**others(), OLD: skill("old-report")}, agent="codex")
    assert judge(past([by_agent])) == {}  # no session ever said what it used
    vault = past([by_agent, Did(ago(170), {"sessions/a.md": session(ago(170), "s0")})])
    assert judge(vault) == {}
    go_on(vault, [Did(ago(200), {"sessions/b.md": session(ago(200), "s0")})])
    found = judge(vault)[OLD]
    assert (found.since, found.what) == (ago(200), "uses recorded since")
    assert not found.prune and found.kept_because == "pruned only after 365 days"


@pytest.mark.parametrize(("days", "listed"), [(179, False), (180, True)])
def test_it_is_stale_from_a_day_on(past: Past, days: int, listed: bool) -> None:
    vault = past([*start(), Did("2024-03-01", {"sessions/u.md": session(ago(days), "old-report")})])
    assert (OLD in judge(vault)) is listed


@pytest.mark.parametrize(("days", "prune"), [(364, False), (365, True)])
def test_it_may_be_pruned_from_a_day_on(past: Past, days: int, prune: bool) -> None:
    vault = past([*start(), Did("2024-03-01", {"sessions/u.md": session(ago(days), "old-report")})])
    found = judge(vault)[OLD]
    assert (found.idle_days, found.since, found.what, found.prune) == (days, ago(days), "last used", prune)


def test_17952_an_edit_is_activity(past: Past) -> None:
    text = skill("old-report", version=2)
    assert OLD not in judge(past([*start(), Did(ago(100), {OLD: text}, agent="codex")]))


def test_a_vault_brought_into_git_today_is_as_old_as_its_notes_say(past: Past) -> None:
    files = {**others(), **sessions(), OLD: skill("old-report", updated="2024-05-05")}
    found = judge(past([Did(TODAY.isoformat(), files, "import")]))[OLD]
    assert (found.since, found.what) == ("2024-05-05", "last_updated says")
    assert found.kept_because == "a person edited it last"


def test_a_date_in_the_note_holds_only_for_what_nobody_touched_since(past: Past) -> None:
    imported = Did("2024-01-01", {**others(), **sessions(), OLD: skill("old-report", updated="2020-05-05")})
    vault = past([imported, Did(ago(250), {OLD: skill("old-report", updated="2020-05-05", version=2)}, agent="codex")])
    assert judge(vault)[OLD].since == ago(250)


def test_what_an_agent_writes_today_is_new_whatever_date_it_gives(past: Past) -> None:
    vault = past([*start(), Did(ago(3), {"skills/new.md": skill("new", updated="2019-01-01")}, agent="codex")])
    assert "skills/new.md" not in judge(vault)


def test_accepting_is_activity_and_does_not_make_it_a_persons(past: Past) -> None:
    vault = past(start())
    git = past.folder.git
    git("checkout", "--quiet", "-b", "molt/old-report-v2")
    past.folder.write(OLD, skill("old-report", version=2))
    day = {"GIT_AUTHOR_DATE": "2024-03-01T12:00:00Z", "GIT_COMMITTER_DATE": "2024-03-01T12:00:00Z"}
    git("add", OLD)
    git("commit", "--quiet", "-m", "skills/old-report: molt\n\nAgent: codex", env=day)
    git("checkout", "--quiet", "main")
    later = {"GIT_AUTHOR_DATE": "2024-09-01T12:00:00Z", "GIT_COMMITTER_DATE": "2024-09-01T12:00:00Z"}
    git("merge", "--quiet", "--no-ff", "-m", "vaultgit: accepted molt/old-report-v2", "molt/old-report-v2", env=later)
    found = judge(vault)[OLD]
    assert (found.since, found.what, found.prune) == ("2024-09-01", "merged", True)


def test_a_text_that_a_person_made_in_a_merge_is_theirs(past: Past) -> None:
    vault = past(start())
    git = past.folder.git
    git("reset", "--quiet", "--hard")
    git("checkout", "--quiet", "-b", "other")
    for branch, text in (("other", "theirs"), ("main", "ours")):
        git("checkout", "--quiet", branch)
        past.folder.write(OLD, skill("old-report", version=2) + text)
        git("commit", "--quiet", "-am", "x\n\nAgent: codex", env={"GIT_AUTHOR_DATE": "2024-03-01T12:00:00Z"})
    assert past.folder.try_git("merge", "other").code == 1
    past.folder.write(OLD, skill("old-report", version=3) + "both")
    git("commit", "--quiet", "-am", "merged", env={"GIT_AUTHOR_DATE": "2024-03-02T12:00:00Z"})
    assert judge(vault)[OLD].kept_because == "a person edited it last"


def test_bringing_it_back_is_activity(past: Past) -> None:
    text = skill("old-report", updated="2024-02-01")
    gone, back = Did("2025-06-01", {OLD: None}, agent="vaultgit"), Did(ago(200), {OLD: text}, 'Revert "x"')
    found = judge(past([*start(), gone, back]))[OLD]
    assert (found.since, found.what) == (ago(200), "restored by a person")
    assert found.kept_because == "a person edited it last"


def test_a_skill_that_only_got_another_name_is_followed(past: Past) -> None:
    text = skill("old-report", updated="2019-01-01")
    moved = Did(ago(10), {OLD: None, "skills/reports/old-report.md": text}, "tidied up")
    vault = past([*start(), Did("2024-03-01", {OLD: text}, agent="codex"), moved])
    found = judge(vault)["skills/reports/old-report.md"]
    assert (found.since, found.what, found.prune) == ("2024-03-01", "last edited by codex", True)
    go_on(vault, [Did(ago(5), {OLD: skill("old-report", trigger="new")}, agent="codex")])
    assert OLD not in judge(vault)


def test_another_skill_that_once_had_the_name_is_not_this_one(past: Past) -> None:
    text = skill("old-report", trigger="it is due")
    was = [
        Did("2024-02-02", {"skills/b.md": text}, agent="codex"),
        Did("2024-05-01", {OLD: skill("old-report", version=2)}),
        Did("2024-06-01", {OLD: None}),
        Did("2024-07-01", {"skills/b.md": None, OLD: text}, "renamed"),
    ]
    found = judge(past([*start(), *was]))[OLD]
    assert (found.since, found.what, found.prune) == ("2024-02-02", "created by codex", True)


def test_a_skill_that_is_written_anew_is_as_new_as_that(past: Past) -> None:
    again = Did(ago(10), {OLD: skill("old-report", trigger="it is due", updated="2020-01-01")})
    assert OLD not in judge(past([*start(), Did("2025-01-01", {OLD: None}), again]))


def test_a_clone_without_its_history_prunes_nothing(past: Past, tmp_path: Path) -> None:
    vault = past([*start(), Did("2024-03-01", {"x.md": "x\n"}, agent="codex")])
    assert judge(vault)[OLD].prune
    past.folder.git("clone", "--quiet", "--depth=1", f"file://{past.folder.root}", str(tmp_path / "cut"))
    cut = Past(tmp_path / "cut")
    try:
        found = judge(cut([]))
        assert OLD in found and {one.kept_because for one in found.values()} == {"its history is not in this clone"}
    finally:
        cut.close()


# -- the record, the limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "others_used", "why"),
    [
        (50, 10, ""),
        (49, 10, "the record is too short: 49 of 50 sessions say which skills they used"),
        (50, 5, ""),
        (50, 4, "the record is too narrow: 4 of 5 other skills were used"),
    ],
)
def test_nothing_is_pruned_before_the_record_is_long_enough(
    past: Past, number: int, others_used: int, why: str
) -> None:
    files = {**others(), **sessions(number, others_used), "sessions/none.md": session(ago(1))}
    old = Did("2024-02-01", {OLD: skill("old-report", updated="2024-02-01")}, agent="codex")
    assert judge(past([Did(FIRST, files), old]))[OLD].kept_because == why


def test_sessions_of_long_ago_are_no_record(past: Past) -> None:
    files = {**others(), **sessions()}
    vault = past([Did(FIRST, files), Did("2024-02-01", {OLD: skill("old-report")}, agent="codex")])
    found = recall.at(vault, "HEAD")
    later = TODAY + timedelta(days=200)
    [old] = [
        one
        for one in stale.judge(vault, "HEAD", found, uses.at(vault, "HEAD", found), Dream(), later)
        if one.path == OLD
    ]
    assert "the record is too short" in old.kept_because


@pytest.mark.parametrize(
    ("skills", "share", "pruned"),
    [(20, 0.05, 1), (60, 0.05, 3), (60, 0.0, 0), (10, 0.05, 1), (60, 1.0, 10)],
)
def test_a_pass_prunes_few(past: Past, skills: int, share: float, pruned: int) -> None:
    old = {f"skills/o{n:02}.md": skill(f"o{n:02}") for n in range(skills - 5)}
    vault = past([Did(FIRST, {**others(5), **sessions(others=5)}), Did("2024-02-01", old, agent="codex")])
    found = judge(vault, Dream(max_prune=share))
    assert [one.path for one in found.values() if one.prune] == [f"skills/o{n:02}.md" for n in range(pruned)]
    over = {one.kept_because for one in found.values() if not one.prune and one.path in old}
    assert over <= {f"over the limit of this pass: {pruned} of {skills} skills"}
    assert len(found) == skills - 5


def test_the_longest_idle_go_first(past: Past) -> None:
    dated = [Did(f"2024-0{9 - n}-01", {f"skills/o{n}.md": skill(f"o{n}")}, agent="codex") for n in range(5)]
    dated.sort(key=lambda did: did.when)
    vault = past([Did(FIRST, {**others(), **sessions()}), *dated])
    assert [one.path for one in judge(vault).values() if one.prune] == ["skills/o4.md"]


def test_a_skill_that_only_goes_with_another_goes_with_it_or_stays(past: Past) -> None:
    """Two stale skills that link to each other keep each other no longer than one that is pruned would be linked."""
    pair = {
        "skills/one.md": skill("one") + "then [[two]]\n",
        "skills/two.md": skill("two") + "after [[one]]\n",
        "skills/three.md": skill("three") + "like [[one]]\n",
    }
    vault = past([Did(FIRST, {**others(57), **sessions()}), Did("2024-02-01", pair, agent="codex")])
    assert {path for path, one in judge(vault).items() if one.prune} == pair.keys()  # 3 of 60 may go
    found = judge(vault, Dream(max_prune=0.04))  # 2 of 60: then three would link to what is gone
    assert {path for path, one in found.items() if one.prune} == {"skills/three.md"}
    go_on(vault, [Did("2024-02-02", {"Home.md": "[[two]]\n"})])
    found = judge(vault)
    assert {path for path, one in found.items() if one.prune} == {"skills/three.md"}
    assert found["skills/two.md"].kept_because == "linked from Home.md:1"
    assert found["skills/one.md"].kept_because == "linked from skills/two.md:9"


def test_it_says_the_same_again(past: Past) -> None:
    vault = past(start())
    assert judge(vault) == judge(vault)


# -- what was pruned before ------------------------------------------------------------------------------------------


def test_77264_a_skill_that_was_dropped_is_known_by_name_and_trigger(past: Past) -> None:
    vault = past([*start(), Did("2024-02-02", {OLD: _more(aliases="[report]")}, agent="codex")])
    found = judge(vault)[OLD]
    assert stale.line(found) == "skills/old-report: pruned, last edited by codex 2024-02-02"
    [oid] = go_on(vault, [Did("2026-03-01", {OLD: None}, stale.line(found), agent="vaultgit")])
    said = f"pruned on 2026-03-01, last edited by codex 2024-02-02; git revert {oid[:10]} brings it back"
    assert stale.dropped_before(vault, "old-report", "") == said
    assert stale.dropped_before(vault, "report", "anything") == said
    assert stale.dropped_before(vault, "new", "When OLD-report is  asked for.") == said
    assert stale.dropped_before(vault, "new", "when a report is asked for") == ""
    assert stale.dropped_before(vault, "new", "") == ""
    go_on(vault, [Did("2026-03-02", {OLD: skill("old-report")}, 'Revert "x"')])
    assert stale.dropped_before(vault, "old-report", "") == ""


def test_only_a_pass_prunes(past: Past) -> None:
    vault = past(start())
    go_on(vault, [Did("2026-03-01", {OLD: None}, "skills/old-report: pruned, says I")])
    assert stale.dropped_before(vault, "old-report", "") == ""


def test_before_the_first_commit_nothing_was_dropped(past: Past) -> None:
    assert stale.dropped_before(past([]), "x", "y") == ""
