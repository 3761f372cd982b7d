"""What a dream would merge and mend, as data, without a branch: promises P3, P8 and P9 of a clean-up of skills.

Texts are those of tests/dreaming.py: RELEASE is two skills word for word, WEEK is one in another order, CONTACTS_MORE
has a step more.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dreaming import CARDS
from dreaming import CONTACTS
from dreaming import FILLED
from dreaming import GONE
from dreaming import KEPT
from dreaming import PAIR
from dreaming import RELEASE
from dreaming import RELEASED
from dreaming import REVIEW
from dreaming import TAX
from dreaming import TRAVEL
from dreaming import Dreamer
from dreaming import becomes
from dreaming import contacts
from dreaming import only
from dreaming import related
from dreaming import release
from dreaming import session
from dreaming import silent_crontab
from dreaming import skill
from dreaming import values
from dreaming import weeks
from past import Past

from vaultgit.clock import SystemClock
from vaultgit.edits.submit import By
from vaultgit.notes.links import links
from vaultgit.notes.procedure import lost
from vaultgit.notes.procedure import steps
from vaultgit.passes import dream


@pytest.fixture(autouse=True)
def no_crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return silent_crontab(tmp_path, monkeypatch)


@pytest.fixture
def dreamer(past: Past) -> Dreamer:
    return Dreamer(past)


# -- merges ------------------------------------------------------------------------------------------------------


def test_a_pair_becomes_one_with_a_name_more(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **release("release-notes"), "projects/nova.md": "see [[write-release-notes]]\n"})
    action = only(dreamer.plan())
    assert (action.kind, action.paths) == ("merge", (KEPT, GONE))
    made = becomes(action)
    assert made.keys() == {KEPT, GONE, "projects/nova.md"} and made[GONE] is None
    assert made["projects/nova.md"] == "see [[release-notes]]\n"
    assert (made[KEPT] or "").endswith(f"---\n{RELEASE}")
    assert values(made[KEPT]) == {
        "type": "skill", "name": "release-notes", "version": 2, "trigger": RELEASED, "last_updated": "2026-11-29",
        "aliases": ["write-release-notes"], "replaces": ["[[skills/write-release-notes]]"],
    }  # fmt: skip
    assert action.action.subject == "skills/release-notes: merged with write-release-notes"
    assert "1 link to write-release-notes changed, in projects/nova.md" in action.evidence


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        ({**contacts(), "sessions/2026-11-02-s.md": session("2026-11-02", 1, "import-contacts")[1]}, "import-contacts"),
        (contacts(), "contacts-from-phone"),
        (weeks(), "weekly-review"),
        ({**release("b", "2026-03-01"), **release("a", "2026-03-02")}, "b"),
        ({**release("b"), **release("a")}, "a"),
    ],
    ids=["used more recently", "longer", "older", "older, the same text", "by name"],
)
def test_which_stays(dreamer: Dreamer, files: dict[str, str], kept: str) -> None:
    dreamer.write(files)
    assert only(dreamer.plan()).paths[0] == f"skills/{kept}.md"


@pytest.mark.parametrize("files", [PAIR, weeks(), contacts()], ids=["verbatim", "reordered", "a step more"])
def test_p8_every_step_of_both_is_there_and_no_line_of_our_own(dreamer: Dreamer, files: dict[str, str]) -> None:
    dreamer.write(files)
    action = only(dreamer.plan())
    text = becomes(action)[action.paths[0]] or ""
    body = text.partition("\n---\n")[2]
    bodies = [files[path].partition("\n---\n")[2] for path in files]
    assert [lost(steps(one), steps(body)) for one in bodies] == [[], []]
    assert set(body.splitlines()) <= {line for one in bodies for line in one.splitlines()}


def test_triggers_of_both_are_kept(dreamer: Dreamer) -> None:
    other = "a release is being prepared and needs notes for the website"
    wide = "a tag was pushed and a release is being prepared and needs its notes"
    for trigger, both in ((RELEASED.upper(), RELEASED), (other, other), (wide, f"{RELEASED}; {wide}")):
        dreamer.write({**release("release-notes"), **release("write-release-notes", "2026-02-01", trigger=trigger)})
        assert values(becomes(only(dreamer.plan()))[KEPT])["trigger"] == both


def test_triggers_that_clients_would_cut_stay_two(dreamer: Dreamer) -> None:
    long = f"{RELEASED} " + ", ".join(f"for the team number {n}" for n in range(30))
    other = long.replace(RELEASED, f"{RELEASED} for Nora")
    one = {**release("release-notes", trigger=long), **release("write-release-notes", trigger=other)}
    dreamer.write(one)
    assert "clients cut them at 1,000" in related(dreamer.plan())


def test_other_properties_of_the_one_that_goes_are_kept_or_told(dreamer: Dreamer) -> None:
    mine = "tags: [work]\nowner: '[[ada]]'\nempty:\n"
    theirs = "tags: [work, git]\nowner: '[[bo]]'\nempty: no more\nlicense: MIT\nsee: '[[write-release-notes]]'\n"
    dreamer.write({**release("release-notes", more=mine), **release("write-release-notes", "2026-02-01", theirs)})
    action = only(dreamer.plan())
    now = values(becomes(action)[KEPT])
    assert {key: now[key] for key in ("tags", "owner", "empty", "license", "see")} == {
        "tags": ["work", "git"], "owner": "[[ada]]", "empty": "no more", "license": "MIT", "see": "[[release-notes]]",
    }  # fmt: skip
    assert "release-notes does not take over: owner: [[bo]]" in action.evidence


def test_names_and_what_was_replaced_add_up_over_two_dreams(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, "skills/write-release-notes.md": None})
    dreamer.write(release("notes-of-a-release", "2026-03-01", "aliases: relnotes\nreplaces: '[[skills/older]]'\n"))
    dreamer.accept(dreamer.propose())
    dreamer.write(release("write-release-notes", "2026-04-01"))
    dreamer.accept(dreamer.propose())
    now = values(dreamer.folder.read(KEPT))
    assert now["aliases"] == ["notes-of-a-release", "relnotes", "write-release-notes"]
    assert now["replaces"] == ["[[skills/older]]", "[[skills/notes-of-a-release]]", "[[skills/write-release-notes]]"]
    assert now["version"] == 3


def test_two_skills_that_replace_each_other(dreamer: Dreamer) -> None:
    dreamer.write(
        {
            **release("release-notes", more='replaces: "[[write-release-notes]]"\n'),
            **release("write-release-notes", "2026-02-01", 'replaces: ["[[release-notes]]"]\n'),
        }
    )
    now = values(becomes(only(dreamer.plan()))[KEPT])
    assert (now["replaces"], now["aliases"]) == (["[[skills/write-release-notes]]"], ["write-release-notes"])
    dreamer.accept(dreamer.propose())
    assert dreamer.plan().actions == []


def test_a_skill_is_in_one_merge_at_most(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **release("notes-of-a-release", "2026-03-01")})
    plan = dreamer.plan()
    only(plan)
    assert plan.related == [] and len(plan.later) == 2
    assert all(one.why.startswith("another suggestion changes skills/") for one in plan.later)
    dreamer.accept(dreamer.propose())
    dreamer.accept(dreamer.propose())
    left = [name for name in os.listdir(dreamer.folder.root / "skills") if "release" in name]
    assert left == ["release-notes.md"] and dreamer.plan().actions == []


def test_two_of_one_name_in_folders_of_their_own(dreamer: Dreamer) -> None:
    one, two = "skills/a/release-notes.md", "skills/b/release-notes.md"
    home = "[[release-notes]] [[b/release-notes]] [[skills/b/release-notes|b]]\n"
    dreamer.write({one: PAIR[KEPT], two: PAIR[KEPT].replace("2026-01", "2026-02"), "Home.md": home})
    action = only(dreamer.plan())
    made = becomes(action)
    assert action.reason.startswith("skills/b/release-notes says what skills/a/release-notes says.")
    assert "aliases" not in values(made[one]) and values(made[one])["replaces"] == ["[[skills/b/release-notes]]"]
    assert made["Home.md"] == "[[release-notes]] [[a/release-notes]] [[skills/a/release-notes|b]]\n"


def test_line_ends_of_the_skill_that_stays_are_kept(dreamer: Dreamer) -> None:
    files = {path: text.replace("\n", "\r\n") if "import" in path else text for path, text in contacts().items()}
    files["sessions/2026-11-02-s.md"] = session("2026-11-02", 1, "import-contacts")[1]
    dreamer.write(files)
    action = only(dreamer.plan())
    text = becomes(action)["skills/import-contacts.md"] or ""
    assert "7. Count the cards" in text and text.count("\n") == text.count("\r\n")


# -- what keeps two skills apart ---------------------------------------------------------------------------------


def test_a_pinned_skill_is_left_alone_and_named(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **release("write-release-notes", more="pinned: true\n")})
    assert related(dreamer.plan()) == "write-release-notes is pinned"


def test_a_broken_skill_is_left_alone_and_named(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, GONE: PAIR[GONE].replace("trigger: a", "trigger: [a")})
    plan = dreamer.plan()
    assert (plan.actions, plan.related) == ([], [])
    [(path, why)] = plan.left_out
    assert path == GONE and why.startswith("left alone: line 5: FM01")


def test_p3_unsaved_work_is_left_out_and_named(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **weeks(), "skills/weekly-review/form.txt": "x", "skills/review-of-the-week/form.txt": "x"})
    assert len(dreamer.plan().actions) == 2
    folder = dreamer.folder
    folder.write(GONE, PAIR[GONE] + "mine\n")
    folder.write("skills/code-review.md", FILLED["skills/code-review.md"] + "staged\n")
    folder.git("add", "skills/code-review.md")
    folder.write("skills/code-review.md", FILLED["skills/code-review.md"])
    folder.write("skills/weekly-review/form.txt", "typed\n")
    folder.write("skills/new.md", skill("new", "x", TAX, "2026-11-20"))
    folder.write("skills/thoughts.md", "no skill\n")
    plan = dreamer.plan()
    assert plan.actions == []
    assert dict(plan.left_out) == {
        GONE: "has text that is not in git yet",
        "skills/code-review.md": "has text that is not in git yet",
        "skills/weekly-review.md": "has text that is not in git yet",
        "skills/new.md": "is not in git yet",
    }


def test_skills_of_a_pending_branch_are_left_out_and_named(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **contacts()})
    folder = dreamer.folder
    folder.git("switch", "-q", "-c", "molt/release-notes-v2")
    folder.write(KEPT, PAIR[KEPT].replace("version: 1", "version: 2").replace("2026-01", "2026-11") + "6. Rest\n")
    folder.commit("skills/release-notes: v2\n\nWhy.\n\nTrigger: corrected\nAgent: codex\nEdit: 1m8mevgeewe8ed1r")
    folder.git("switch", "-q", "main")
    plan = dreamer.plan()
    assert only(plan).paths == ("skills/contacts-from-phone.md", "skills/import-contacts.md")
    assert plan.left_out == [(KEPT, "waits for your answer to molt/release-notes-v2")]


@pytest.mark.parametrize("script", ["Makefile", ".github/workflows/x.yml", "crontab"])
def test_26326_a_name_that_a_script_or_a_timer_has_stays(dreamer: Dreamer, no_crontab: Path, script: str) -> None:
    dreamer.write(PAIR)
    assert only(dreamer.plan()).paths == (KEPT, GONE)

    def named(text: str) -> None:
        if script == "crontab":
            no_crontab.write_text(f"#!/bin/sh\necho '{text}'\n")
        else:
            dreamer.write({script: text})

    named("claude -p 'use write-release-notes'\n")
    assert only(dreamer.plan()).paths == (GONE, KEPT)
    named("claude -p 'use write-release-notes, then release-notes'\n")
    where = "your crontab" if script == "crontab" else script
    assert related(dreamer.plan()) == f"write-release-notes is named in {where}"


def test_files_beside_them_must_be_the_same(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, "skills/release-notes/form.txt": "a", "skills/write-release-notes/form.txt": "b"})
    assert "the files beside them differ" in related(dreamer.plan())
    dreamer.write({"skills/write-release-notes/form.txt": None})
    assert "the files beside them differ" in related(dreamer.plan())


def test_equal_files_beside_them_are_kept_once_and_links_lead_there(dreamer: Dreamer) -> None:
    body = RELEASE + "\n[the form](write-release-notes/form.md), ![[write-release-notes/logo.png]], [[form]]\n"
    other = RELEASE + "\n[the form](release-notes/form.md), ![[release-notes/logo.png]], [[form]]\n"
    beside = {"form.md": "# Form\n\nof [[write-release-notes]]\n", "logo.png": "\x89PNG", "a/run.sh": "echo\n"}
    files = {
        f"skills/{name}/{path}": text
        for name in ("release-notes", "write-release-notes")
        for path, text in beside.items()
    }
    files |= release("release-notes", body=other) | release("write-release-notes", "2026-02-01", body=body)
    files["sessions/2026-11-02-s.md"] = session("2026-11-02", 1, "release-notes")[1]
    dreamer.write(
        {**files, "Home.md": "[f](skills/write-release-notes/form.md) ![[write-release-notes/logo.png|200]]\n"}
    )
    action = only(dreamer.plan())
    made = becomes(action)
    assert [path for path, text in made.items() if text is None] == [
        GONE, *(f"skills/write-release-notes/{path}" for path in sorted(beside)),
    ]  # fmt: skip
    assert (made[KEPT] or "").endswith(other)
    assert made["Home.md"] == "[f](skills/release-notes/form.md) ![[release-notes/logo.png|200]]\n"
    assert made["skills/release-notes/form.md"] == "# Form\n\nof [[release-notes]]\n"
    assert len(made) == len(action.action.changes)


def test_a_name_that_ends_like_the_other_is_not_that_name(dreamer: Dreamer) -> None:
    files = {"sessions/2026-11-02-s.md": session("2026-11-02", 1, "write-release-notes")[1]}
    for name in ("release-notes", "write-release-notes"):
        files |= release(name, body=f"{RELEASE}\n[the form]({name}/form.md)\n") | {f"skills/{name}/form.md": "x"}
    dreamer.write(files)
    assert only(dreamer.plan()).paths == (GONE, KEPT)


def test_a_path_in_code_that_would_lead_nowhere_keeps_them_apart(dreamer: Dreamer) -> None:
    files = {"skills/release-notes/run.py": "1", "skills/write-release-notes/run.py": "1"}
    for name, day in (("release-notes", "2026-01-01"), ("write-release-notes", "2026-02-01")):
        files |= release(name, day, body=f"{RELEASE}\n```sh\npython skills/{name}/run.py\n```\n")
    files["sessions/2026-11-02-s.md"] = session("2026-11-02", 1, "write-release-notes")[1]
    dreamer.write(files)
    assert related(dreamer.plan()) == "the text names release-notes/run.py, which would lie elsewhere"


def test_a_skill_below_another_is_no_part_of_it(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, "skills/write-release-notes/tax-return.md": skill("tax-return", "x", TAX, "2026-01-01")})
    assert becomes(only(dreamer.plan())).keys() == {KEPT, GONE}


# -- links -------------------------------------------------------------------------------------------------------


def test_links_follow_wherever_they_stand(dreamer: Dreamer) -> None:
    notes = {
        "Home.md": "[[write-release-notes#Steps|how]] ![[skills/write-release-notes]] [x](skills/write-release-notes.md)\n",
        "people/ada.md": "---\ntype: person\nway: '[[write-release-notes]]'\n---\n`[[write-release-notes]]`\n",
        "sessions/2026-11-01-s.md": session("2026-11-01", 1, "write-release-notes", "release-notes")[1],
        "skills/code-review.md": FILLED["skills/code-review.md"] + "5. then [[write-release-notes]]\n",
        "skills/deep/er.md": "# Mine\n\n[r](../write-release-notes.md) and [[release-notes]]\n",
        "map.canvas": '{"nodes":[{"type":"text","text":"none"}]}',
        "archive/other.md": "[[people/ada]]\n",
    }
    dreamer.write({**PAIR, **notes})
    action = only(dreamer.plan())
    # Both are used as often, the one that goes is the younger.
    made = becomes(action)
    assert action.paths == (KEPT, GONE)
    assert made.keys() == {KEPT, GONE, *notes} - {"map.canvas", "archive/other.md"}
    assert made["Home.md"] == "[[release-notes#Steps|how]] ![[skills/release-notes]] [x](skills/release-notes.md)\n"
    assert made["people/ada.md"] == notes["people/ada.md"].replace("'[[write-", "'[[")
    assert "[[write-" not in (made["sessions/2026-11-01-s.md"] or "")
    assert made["skills/deep/er.md"] == "# Mine\n\n[r](../release-notes.md) and [[release-notes]]\n"
    other = values(made["skills/code-review.md"])
    assert (other["version"], other["last_updated"]) == (2, "2026-11-29")
    assert (made["skills/code-review.md"] or "").endswith("5. then [[release-notes]]\n")


def test_cards_of_a_canvas_follow(dreamer: Dreamer) -> None:
    card = '{"nodes":[\n {"id":"1","type":"file","file":"skills\\/%s.md","x":1.0},\n {"type":"text","text":"write-release-notes"}]}'
    dreamer.write({**PAIR, "map.canvas": card % "write-release-notes", "other.canvas": "no JSON write-release-notes"})
    made = becomes(only(dreamer.plan()))
    assert made.keys() == {KEPT, GONE, "map.canvas"} and made["map.canvas"] == card % "release-notes"


def test_what_the_checks_refuse_is_left_out_with_why(dreamer: Dreamer) -> None:
    broken = "---\ntype: person\nname: [x\n---\n[[write-release-notes]]\n"
    dreamer.write({**PAIR, **weeks(), "people/x.md": broken})
    assert dreamer.vault is not None
    made = dream.propose(dreamer.vault, SystemClock(), dreamer.plan(), By("codex"))
    assert made is not None and len(made[0].oids) == 1
    [(subject, why)] = made[1].items()
    assert subject == "skills/release-notes: merged with write-release-notes" and why.startswith("people/x.md:3:")


def test_p3_not_a_byte_of_a_persons_note_changes_but_the_link(dreamer: Dreamer) -> None:
    text = "\ufeff# Mine\t \r\n\r\nold\rstyle [[Write-Release-Notes|x]]  \nno end: caf\u00e9 \udcff [[write-release-notes]]"
    dreamer.write({**PAIR, "notes/mine.md": text})
    [change] = [one for one in only(dreamer.plan()).action.changes if one.path == "notes/mine.md"]
    was = text.encode("utf-8", "surrogateescape")
    assert change.base == was
    assert change.new == was.replace(b"Write-Release-Notes", b"release-notes").replace(
        b"write-release-notes", b"release-notes"
    )


def test_notes_that_no_agent_may_change_keep_their_links(dreamer: Dreamer) -> None:
    kept = dict.fromkeys(("review.md", "changelog.md", "changelog/2026-01.md"), "[[write-release-notes]]\n")
    followed = dict.fromkeys(("changelog-of-nova.md", "inbox/x.md"), "[[write-release-notes]]\n")
    dreamer.write({**PAIR, **kept, **followed})
    assert becomes(only(dreamer.plan())).keys() == {KEPT, GONE, *followed}


def test_links_in_a_broken_skill_stay_as_they_are(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, "skills/broken.md": "---\ntype: skill\n---\n[[write-release-notes]]\n"})
    assert becomes(only(dreamer.plan())).keys() == {KEPT, GONE}


def test_links_in_the_text_that_is_taken_over_lead_where_they_led(dreamer: Dreamer) -> None:
    here = CONTACTS + "7. Read [the rules](rules.md) and [[write-release-notes]]\n"
    files = {
        "skills/a/import-contacts.md": skill("import-contacts", CARDS, CONTACTS, "2026-01-01"),
        "skills/b/contacts-from-phone.md": skill("contacts-from-phone", CARDS, here, "2026-02-01"),
        "skills/b/rules.md": "# Rules\n",
        "skills/a/rules.md": "# Others\n",
        "sessions/2026-11-02-s.md": session("2026-11-02", 1, "import-contacts")[1],
    }
    dreamer.write({**files, GONE: PAIR[GONE]})
    made = becomes(only(dreamer.plan()))["skills/a/import-contacts.md"] or ""
    assert [link.target for link in links(made.partition("\n---\n")[2])] == ["../b/rules.md", "write-release-notes"]


def test_a_link_to_a_bare_name_that_would_mean_another_note_gets_its_path(dreamer: Dreamer) -> None:
    twins = {"archive/release-notes.md": "# Old\n", "Home.md": "[[write-release-notes]]\n"}
    dreamer.write({**PAIR, **twins})
    assert becomes(only(dreamer.plan()))["Home.md"] == "[[skills/release-notes]]\n"


def test_two_merges_that_change_one_note_and_one_skill(dreamer: Dreamer) -> None:
    line = "[[write-release-notes]] and [[review-of-the-week]]\n"
    way = FILLED["skills/code-review.md"] + "5. then [[write-release-notes]]\n\nLast, [[review-of-the-week]]\n"
    dreamer.write({**PAIR, **weeks(), "Home.md": line, "skills/code-review.md": way})
    plan = dreamer.plan()
    assert [action.kind for action in plan.actions] == ["merge", "merge"]
    assert [values(becomes(action)["skills/code-review.md"])["version"] for action in plan.actions] == [2, 2]
    name = dreamer.propose()
    assert dreamer.folder.git("show", f"{name}:Home.md") == "[[release-notes]] and [[weekly-review]]"
    now = dreamer.folder.git("show", f"{name}:skills/code-review.md")
    assert "5. then [[release-notes]]\n\nLast, [[weekly-review]]" in now and values(now)["version"] == 3


def test_actions_are_independent_of_one_another(dreamer: Dreamer) -> None:
    week = weeks()
    week["skills/weekly-review.md"] += "\nThen [[write-release-notes]]\n"
    dreamer.write({**PAIR, **week})
    plan = dreamer.plan()
    about = [set(action.paths) for action in plan.actions]
    changed = [{c.path for c in action.action.changes} for action in plan.actions]
    assert not any(about[n] & changed[m] for n in range(len(about)) for m in range(len(about)) if n != m)
    [later] = plan.later
    assert later.why.endswith("skills/weekly-review.md") or later.why.endswith("weekly-review.md, which links to it")


def test_a_skill_that_a_suggestion_is_about_is_changed_by_no_other(dreamer: Dreamer) -> None:
    body = RELEASE + "\nThen [[review-of-the-week]]\n"
    dreamer.write({**release("release-notes", body=body), **release("write-release-notes", body=body), **weeks()})
    plan = dreamer.plan()
    assert only(plan).paths == (KEPT, GONE)
    assert [one.why for one in plan.later] == [f"another suggestion is about {KEPT}, which links to it"]


def test_two_changes_of_one_line_of_a_skill_are_one_suggestion_now_and_one_later(dreamer: Dreamer) -> None:
    way = FILLED["skills/code-review.md"] + "5. then [[write-release-notes]] and [[review-of-the-week]]\n"
    dreamer.write({**PAIR, **weeks(), "skills/code-review.md": way})
    assert dreamer.vault is not None
    made = dream.propose(dreamer.vault, SystemClock(), dreamer.plan(), By("codex"))
    assert made is not None and len(made[0].oids) == 1
    [(subject, why)] = made[1].items()
    assert subject.startswith("skills/weekly-review: merged") and "conflict with what is committed" in why
    dreamer.accept(made[0].name)
    dreamer.accept(dreamer.propose())
    assert dreamer.folder.read("skills/code-review.md").endswith("5. then [[release-notes]] and [[weekly-review]]\n")


def test_a_date_does_not_go_back(dreamer: Dreamer) -> None:
    dreamer.write({**release("release-notes", "2027-01-01", more="pinned: false\n"), **release("write-release-notes")})
    assert values(becomes(only(dreamer.plan()))[GONE])["last_updated"] == "2026-11-29"
    dreamer.write(release("write-release-notes", "2027-01-02"))
    assert values(becomes(only(dreamer.plan()))[KEPT])["last_updated"] == "2027-01-01"


# -- stale links -------------------------------------------------------------------------------------------------


def test_links_to_what_a_skill_replaced_are_mended(dreamer: Dreamer) -> None:
    body = TRAVEL + "\n[[old-notes]], [[skills/old-notes|so]], [x](old-notes.md), [[nothing]], [[older]]\n"
    dreamer.write(
        {
            **release(
                "release-notes", more='replaces: ["[[skills/old-notes]]", "[[older]]", "[[skills/really-old]]"]\n'
            ),
            "skills/code-review.md": skill("code-review", "x", REVIEW, "2026-01-01", 'replaces: "[[older]]"\n'),
            "skills/travel-checklist.md": skill("travel-checklist", "a journey", body, "2026-01-01"),
            "Home.md": "[[old-notes]]\n",
            "skills/printer-setup.md": FILLED["skills/printer-setup.md"] + "5. Look into [[really-old]]\n",
            "archive/really-old.md": "x\n",
        }
    )
    action = only(dreamer.plan())
    assert (action.kind, action.paths) == ("links", ("skills/travel-checklist.md", KEPT))
    made = becomes(action)["skills/travel-checklist.md"] or ""
    wanted = "[[release-notes]], [[skills/release-notes|so]], [x](release-notes.md), [[nothing]], [[older]]\n"
    assert made.endswith(wanted) and values(made)["version"] == 2
    assert action.action.subject == "skills/travel-checklist: 3 links mended"
    dreamer.accept(dreamer.propose())
    assert dreamer.plan().actions == []


def test_a_trigger_gets_the_sentences_that_say_more(dreamer: Dreamer) -> None:
    mine = f"Use when {RELEASED}. Never for drafts."
    theirs = f"Use it when {RELEASED}. Also for the monthly newsletter of the team. Never for drafts."
    dreamer.write({**release("release-notes", trigger=mine), **release("write-release-notes", trigger=theirs)})
    now = values(becomes(only(dreamer.plan()))[KEPT])
    assert now["trigger"] == f"{mine} Also for the monthly newsletter of the team."


def test_of_two_that_differ_in_nothing_the_shorter_name_stays(dreamer: Dreamer) -> None:
    dreamer.write({**release("release-notes-2"), **release("release-notes")})
    assert only(dreamer.plan()).paths == ("skills/release-notes.md", "skills/release-notes-2.md")


def test_what_steers_a_client_is_not_taken_over(dreamer: Dreamer) -> None:
    more = "license: MIT\nallowed-tools: Bash\nmodel: opus\n"
    dreamer.write({**release("release-notes"), **release("write-release-notes", "2026-02-01", more)})
    action = only(dreamer.plan())
    now = values(becomes(action)[KEPT])
    assert now["license"] == "MIT" and not now.keys() & {"allowed-tools", "model"}
    assert "properties of write-release-notes: license" in action.evidence
    assert "release-notes does not take over: allowed-tools: Bash; model: opus" in action.evidence
