"""molt --suggest: work done again and again without a skill, and what people put right after one was used."""

from __future__ import annotations

import pytest
from past import Did
from past import Past
from past import go_on
from past import session
from past import skill

from vaultgit.passes import suggest
from vaultgit.passes.suggest import Suggestion
from vaultgit.vault import Vault

KNIT = "skills/knit.md"
NOTE = "projects/nova.md"


def found(vault: Vault, kind: str) -> list[Suggestion]:
    every = suggest.suggest(vault, "HEAD")
    assert every == suggest.suggest(vault, "HEAD")
    return [one for one in every if one.kind == kind]


# -- repeated --------------------------------------------------------------------------------------------------------


def of_tasks(*tasks: str, used: tuple[int, ...] = (), touched: tuple[str, ...] = ()) -> dict[str, str]:
    """Session notes of the first days of March, of which some used a skill."""
    notes = {}
    for n, task in enumerate(tasks, 1):
        names = ("knit",) if n in used else ()
        notes[f"sessions/2026-03-{n:02}-s.md"] = session(f"2026-03-{n:02}", *names, task=task, touched=touched)
    return notes


def repeated(past: Past, notes: dict[str, str], **more: str) -> list[Suggestion]:
    return found(past([Did("2026-04-01", {KNIT: skill("knit"), **notes, **more})]), "repeated")


def test_work_that_sessions_did_three_times_is_told_with_its_evidence(past: Past) -> None:
    tasks = (
        "write release notes for nova 1.4",
        "Release notes for nova 1.5",
        "look at a bug",
        "release notes: nova 2.0",
    )
    assert repeated(past, of_tasks(*tasks)) == [
        Suggestion(
            "repeated", "", "release notes: nova 2.0",
            "3 sessions did this without a skill, 2026-03-01 to 2026-03-04",
            ("sessions/2026-03-04-s.md", "sessions/2026-03-02-s.md", "sessions/2026-03-01-s.md"),
        )
    ]  # fmt: skip


def test_the_trigger_to_start_from_is_what_was_said_most_often(past: Past) -> None:
    tasks = ("weekly report", "weekly  report", "the weekly report", "weekly report for finance")
    [one] = repeated(past, of_tasks(*tasks))
    assert one.trigger == "weekly report"


@pytest.mark.parametrize(
    "tasks",
    [
        ("release notes for nova", "release notes for nova"),  # twice
        ("fix nova", "fix atlas", "fix orion"),  # one word in common says too little
        ("nova", "atlas", "orion"),
        ("", "", ""),
        ("1", "2", "3"),
        ("the", "of the", "to"),
        ("weekly report", "release notes for nova", "review pull request"),
    ],
)
def test_what_is_not_the_same_work(past: Past, tasks: tuple[str, ...]) -> None:
    assert repeated(past, of_tasks(*tasks)) == []


def test_one_word_that_is_all_is_the_same_work(past: Past) -> None:
    assert [one.trigger for one in repeated(past, of_tasks("backup", "backup", "Backup!"))] == ["backup"]


def test_the_same_folder_makes_tasks_more_alike(past: Past) -> None:
    tasks = ("triage inbox of Monday", "triage inbox quickly please", "triage inbox again before lunch")
    assert repeated(past, of_tasks(*tasks)) == []
    assert len(repeated(past, of_tasks(*tasks, touched=("projects/a", "people/b", "daily/c")), **{
        "projects/a.md": "", "people/b.md": "", "daily/c.md": "",
    })) == 1  # fmt: skip


def test_sessions_that_used_a_skill_for_it_are_no_evidence(past: Past) -> None:
    task = ("weekly report",) * 6
    assert repeated(past, of_tasks(*task, used=(6,))) == []  # made, and used since
    assert repeated(past, of_tasks(*task, used=(4,))) == []  # only twice without it since
    assert len(repeated(past, of_tasks(*task, used=(3,)))) == 1


def test_a_skill_that_says_it_is_for_this_is_enough(past: Past) -> None:
    tasks = ("weekly report for finance",) * 3
    there = {"skills/finance-report.md": skill("finance-report", trigger="a weekly report is due")}
    assert repeated(past, of_tasks(*tasks), **there) == []
    other = {"skills/finance-report.md": skill("other", trigger="a bug was found")}
    assert len(repeated(past, of_tasks(*tasks), **other)) == 1


def test_the_most_frequent_come_first_and_not_too_many(past: Past) -> None:
    kinds = [f"{first}{second} {second}{first} ledger" for first in "abcde" for second in "klmnopq"]
    tasks = [kind for kind in kinds for _ in range(3)] + [kinds[-1]]
    notes = {f"sessions/s{n:03}.md": session("2026-03-01", task=task) for n, task in enumerate(tasks)}
    every = repeated(past, notes)
    assert len(every) == 20 and every[0].trigger == kinds[-1] and every[0].why.startswith("4 sessions")


def test_a_task_is_a_line_of_plain_text(past: Past) -> None:
    note = session("2026-03-01", task="weekly report \x1b[31m\nnow")
    notes = {f"sessions/s{n}.md": note for n in range(3)}
    assert [one.trigger.isprintable() for one in repeated(past, notes)] == [True]


# -- corrected -------------------------------------------------------------------------------------------------------

TEXT = "# Nova\n\n- one\n- two\n"


def begun(when: str = "2026-03-01 10:00", skills: tuple[str, ...] = ("knit",)) -> list[Did]:
    """A session that used a skill, wrote a note, and noted both."""
    notes = {"sessions/s.md": session("2026-03-01", *skills, touched=("projects/nova",))}
    return [
        Did("2026-02-01", {KNIT: skill("knit"), "skills/sew.md": skill("sew"), NOTE: "# Nova\n"}),
        Did(when, {NOTE: TEXT}, "projects/nova: two", agent="codex", session="s"),
        Did(when, notes, "sessions/s: done", agent="codex", session="s"),
    ]


MENDED = {NOTE: TEXT.replace("two", "three")}


def corrected(past: Past, commits: list[Did]) -> list[Suggestion]:
    return found(past(commits), "corrected")


def test_a_correction_after_a_skill_was_used_is_told_with_its_commit(past: Past) -> None:
    vault = past(begun())
    [oid] = go_on(vault, [Did("2026-03-01 12:00", MENDED, "three, not two")])
    assert found(vault, "corrected") == [
        Suggestion(
            "corrected", "knit", "when knit is asked for",
            "1 commit of a person changed what sessions that used it had just written",
            (f"{oid[:10]} three, not two: {NOTE} (+1 -1), after sessions/s.md",),
        )
    ]  # fmt: skip


def test_a_session_is_known_by_the_trailer_alone_or_by_its_note_alone(past: Past) -> None:
    note = {"sessions/s.md": session("2026-03-01", "knit")}
    start = [Did("2026-02-01", {KNIT: skill("knit"), NOTE: "# Nova\n", **note})]
    by_trailer = Did("2026-03-01 10:00", {NOTE: TEXT}, agent="codex", session="s")
    assert len(corrected(past, [*start, by_trailer, Did("2026-03-01 12:00", MENDED)])) == 1


def test_a_session_whose_commits_name_another_id_is_known_by_what_its_note_links_to(past: Past) -> None:
    commits = [did._replace(session="7c0e-4f") for did in begun()]
    assert len(corrected(past, [*commits, Did("2026-03-01 12:00", MENDED)])) == 1


ROWS: list[tuple[str, Did, bool]] = [
    ("within a day", Did("2026-03-02 10:00", MENDED), True),
    ("by an agent", Did("2026-03-01 12:00", MENDED, agent="claude-code"), False),
    ("housekeeping", Did("2026-03-01 12:00", MENDED, "vaultgit: fold lines"), False),
    ("accepting", Did("2026-03-01 12:00", MENDED, reason="Proposed-by: consolidate@codex"), False),
    ("another note", Did("2026-03-01 12:00", {"Home.md": "x\n"}), False),
    ("only something added", Did("2026-03-01 12:00", {NOTE: TEXT + "- three\n"}), False),
    ("taken out", Did("2026-03-01 12:00", {NOTE: None}), True),
    ("the session's note", Did("2026-03-01 12:00", {"sessions/s.md": session("2026-03-01", "knit")}), False),
    ("with the skill itself", Did("2026-03-01 12:00", {**MENDED, KNIT: skill("knit", version=2)}), False),
]


@pytest.mark.parametrize(("did", "is_one"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_is_a_correction(past: Past, did: Did, is_one: bool) -> None:
    assert bool(corrected(past, [*begun(), did])) is is_one


@pytest.mark.parametrize(("between", "is_one"), [(9, True), (10, False)])
def test_later_than_a_day_it_is_one_within_ten_commits(past: Past, between: int, is_one: bool) -> None:
    others = [Did("2026-03-05 10:00", {"Home.md": f"{n}\n"}) for n in range(between)]
    assert bool(corrected(past, [*begun(), *others, Did("2026-03-06 10:00", MENDED)])) is is_one


def test_within_a_day_it_is_one_however_many_commits_lie_between(past: Past) -> None:
    others = [Did("2026-03-01 11:00", {"Home.md": f"{n}\n"}) for n in range(30)]
    assert corrected(past, [*begun(), *others, Did("2026-03-01 12:00", MENDED)])


def test_what_was_molted_since_is_answered(past: Past) -> None:
    molted = Did("2026-03-02", {KNIT: skill("knit", version=2)}, agent="codex")
    assert corrected(past, [*begun(), Did("2026-03-01 12:00", MENDED), molted]) == []


def test_a_session_without_skills_corrects_none(past: Past) -> None:
    assert corrected(past, [*begun(skills=()), Did("2026-03-01 12:00", MENDED)]) == []


def test_all_skills_of_the_session_are_named_and_the_most_corrected_come_first(past: Past) -> None:
    second = [
        Did("2026-03-03 10:00", {"x.md": "a\n"}, agent="codex", session="t"),
        Did("2026-03-03 10:00", {"sessions/t.md": session("2026-03-03", "sew")}, agent="codex", session="t"),
        Did("2026-03-03 11:00", {"x.md": "b\n"}),
    ]
    every = corrected(past, [*begun(skills=("knit", "sew")), Did("2026-03-01 12:00", MENDED), *second])
    assert [(one.skill, len(one.evidence)) for one in every] == [("sew", 2), ("knit", 1)]


def test_accepting_a_branch_is_no_correction(past: Past) -> None:
    vault, git = past(begun()), past.folder.git
    day = {"GIT_AUTHOR_DATE": "2026-03-01T12:00:00+01:00"}
    git("reset", "--quiet", "--hard")
    git("checkout", "--quiet", "-b", "dream/2026-03-01")
    past.folder.write(NOTE, MENDED[NOTE])
    git("commit", "--quiet", "-am", "projects/nova: links\n\nAgent: vaultgit", env=day)
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "-m", "Merge branch 'dream/2026-03-01'", "dream/2026-03-01", env=day)
    assert found(vault, "corrected") == []


def test_a_note_that_many_sessions_touched_is_put_down_to_the_newest(past: Past) -> None:
    names = [f"s{n}" for n in range(6)]
    commits = [Did("2026-02-01", {NOTE: "# Nova\n", **{f"skills/{name}.md": skill(name) for name in names}})]
    for name in names:
        files = {NOTE: f"# Nova\n\n- {name}\n", f"sessions/{name}.md": session("2026-03-01", f"skills/{name}")}
        commits.append(Did("2026-03-01 10:00", files, agent="codex", session=name))
    every = corrected(past, [*commits, Did("2026-03-01 12:00", MENDED)])
    assert [one.skill for one in every] == names[1:]


def test_a_vault_inside_a_repository(past: Past) -> None:
    vault = past([*begun(), Did("2026-03-01 12:00", MENDED)], prefix="notes/")
    [one] = found(vault, "corrected")
    assert f"{NOTE} (+1 -1)" in one.evidence[0]


def test_a_vault_without_sessions_suggests_nothing(past: Past) -> None:
    assert suggest.suggest(past([Did("2026-01-01", {KNIT: skill("knit")})]), "HEAD") == []


def test_one_walk_however_long_the_history_is(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [Did("2026-03-01 11:00", {"Home.md": f"{n}\n"}) for n in range(300)]
    vault = past([*begun(), *others, Did("2026-03-01 12:00", MENDED)])
    started = []
    call = type(vault.repo).call

    def counted(repo, *args, **options):  # type: ignore[no-untyped-def]
        started.append(args)
        return call(repo, *args, **options)

    monkeypatch.setattr(type(vault.repo), "call", counted)
    assert suggest.suggest(vault, "HEAD")
    assert len(started) <= 6, started
