"""What a dream prunes, where it stops, what a person has answered, and that it says the same twice (promise P6)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from dreaming import ALL
from dreaming import FILLED
from dreaming import GONE
from dreaming import KEPT
from dreaming import PAIR
from dreaming import TAX
from dreaming import Dreamer
from dreaming import becomes
from dreaming import contacts
from dreaming import only
from dreaming import release
from dreaming import session
from dreaming import silent_crontab
from dreaming import skill
from dreaming import weeks
from past import Did
from past import Past
from past import go_on

from vaultgit.clock import SystemClock
from vaultgit.errors import UsageError
from vaultgit.passes import dream
from vaultgit.passes.dream.plan import Planned


@pytest.fixture(autouse=True)
def no_crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return silent_crontab(tmp_path, monkeypatch)


@pytest.fixture
def dreamer(past: Past) -> Dreamer:
    return Dreamer(past)


# -- pruning -----------------------------------------------------------------------------------------------------


def old(*names: str, body: str = TAX) -> list[Did]:
    files: dict[str, str | None] = {
        f"skills/{name}.md": skill(
            name, f"when {name} is due", f"# {name}\n\n1. Do {name} as {name} is done\n{body}", "2025-01-01"
        )
        for name in names
    }
    record: dict[str, str | None] = dict([session("2024-12-01", 0, "printer-setup")])
    for n in range(60):
        path, text = session(f"2026-{1 + n // 6:02}-{1 + n % 6 * 4:02}", n, f"used-{n % 6}")
        record[path] = text
    used: dict[str, str | None] = {
        f"skills/used-{n}.md": skill(f"used-{n}", f"use {n}", f"# {n}\n\n1. Use {n}\n", "2026-11-01") for n in range(6)
    }
    return [Did("2025-01-01", {**files, **record, **used}, "skills: old", "codex", reason="Seen.")]


def stale(dreamer: Dreamer, *names: str, settings: str = ALL) -> None:
    dreamer.write({}, settings)
    assert dreamer.vault is not None
    go_on(dreamer.vault, old(*names))
    dreamer.folder.git("reset", "-q", "--hard")


def test_a_skill_that_nobody_used_for_long_is_pruned(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    action = only(dreamer.plan())
    assert (action.kind, action.paths, becomes(action)) == ("prune", ("skills/tax.md",), {"skills/tax.md": None})
    assert "git revert of this commit brings it back" in action.action.reason


def test_what_lies_beside_it_goes_with_it_unless_a_person_put_it_there(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    assert dreamer.vault is not None
    go_on(dreamer.vault, [Did("2025-01-02", {"skills/tax/form.txt": "x"}, agent="codex")])
    dreamer.folder.git("reset", "-q", "--hard")
    assert becomes(only(dreamer.plan())) == {"skills/tax.md": None, "skills/tax/form.txt": None}
    go_on(dreamer.vault, [Did("2025-01-03", {"skills/tax/mine.md": "x"})])
    dreamer.folder.git("reset", "-q", "--hard")
    plan = dreamer.plan()
    assert plan.actions == [] and plan.remarks[0].why.endswith("kept: a person put files beside it")


def test_max_prune_holds_over_all_dreams_that_wait(dreamer: Dreamer) -> None:
    stale(dreamer, "tax", "audit", "taxes")
    plan = dreamer.plan()
    assert [action.kind for action in plan.actions] == ["prune"]
    assert sum("over the limit of this pass" in one.why for one in plan.remarks) == 2
    name = dreamer.propose()
    plan = dreamer.plan()
    assert plan.actions == []
    assert sum(f"{name} prunes others, and waits for your answer" in one.why for one in plan.remarks) == 1
    stale_days = {path for path, _ in plan.remarks} | {path for path, _ in plan.left_out}
    assert stale_days == {"skills/tax.md", "skills/audit.md", "skills/taxes.md"}


def test_nothing_is_pruned_that_a_merge_touches(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    twin = skill("tax-again", "when tax is due", f"# tax\n\n1. Do tax as tax is done\n{TAX}", "2025-01-01")
    assert dreamer.vault is not None
    go_on(dreamer.vault, [Did("2025-01-02", {"skills/tax-again.md": twin}, agent="codex")])
    dreamer.folder.git("reset", "-q", "--hard")
    plan = dreamer.plan()
    assert only(plan).kind == "merge" and plan.remarks == []


def test_nothing_is_pruned_that_a_mended_link_leads_to(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    assert dreamer.vault is not None
    tax = dreamer.folder.read("skills/tax.md").replace("version: 1\n", 'version: 1\nreplaces: "[[dues]]"\n')
    go_on(dreamer.vault, [Did("2025-01-02", {"skills/tax.md": tax}, agent="codex")])
    dreamer.folder.git("reset", "-q", "--hard")
    assert only(dreamer.plan()).kind == "prune"
    dreamer.write({"skills/used-1.md": dreamer.folder.read("skills/used-1.md") + "2. Then [[dues]]\n"})
    assert only(dreamer.plan()).paths == ("skills/used-1.md", "skills/tax.md")


def test_prune_days_and_stale_days_are_settings(dreamer: Dreamer) -> None:
    stale(dreamer, "tax", settings=ALL + "prune_days = 900\n")
    assert dreamer.plan().remarks[0].why.endswith("kept: pruned only after 900 days")
    dreamer.write({".vaultgit.toml": ALL + "stale_days = 900\n"})
    assert (dreamer.plan().actions, dreamer.plan().remarks) == ([], [])
    dreamer.write({".vaultgit.toml": ALL + "min_sessions = 61\n"})
    assert "60 of 61 sessions" in dreamer.plan().remarks[0].why
    dreamer.write({".vaultgit.toml": ALL + "max_prune = 0\n"})
    assert dreamer.plan().actions == []


# -- limits ------------------------------------------------------------------------------------------------------


def test_it_stops_at_max_share_and_says_so(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **weeks(), **contacts()}, "[dream]\nmax_share = 0.25\n")
    plan = dreamer.plan()
    assert len(plan.actions) == 2  # of nine skills
    assert plan.stopped == (
        "stopped at 25% of 9 skills rewritten: 1 more suggestion once what waits is answered ([dream] max_share)"
    )
    dreamer.propose()
    plan = dreamer.plan()
    assert plan.actions == [] and "1 more suggestion" in plan.stopped


def test_skills_whose_links_change_count_as_rewritten(dreamer: Dreamer) -> None:
    way = FILLED["skills/code-review.md"] + "5. then [[write-release-notes]]\n"
    files = {**PAIR, **weeks(), "skills/code-review.md": way}
    dreamer.write(files, "[dream]\nmax_share = 0.3\n")
    plan = dreamer.plan()
    assert [action.paths[0] for action in plan.actions] == [KEPT] and "1 more suggestion" in plan.stopped


def test_the_first_suggestion_is_made_however_much_it_changes(dreamer: Dreamer) -> None:
    way = {path: text + "\n[[write-release-notes]]\n" for path, text in FILLED.items()}
    dreamer.write({**PAIR, **way}, "[dream]\nmax_share = 0.2\n")
    assert len(becomes(only(dreamer.plan()))) == 5


def test_max_share_of_nothing_rewrites_nothing(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR}, "[dream]\nmax_share = 0\n")
    plan = dreamer.plan()
    assert plan.actions == [] and "1 more suggestion" in plan.stopped


# -- what a person has answered ----------------------------------------------------------------------------------


def dropped(dreamer: Dreamer, action: Planned) -> None:
    dreamer.write({".vaultgit/declined.md": f"- 2026-11-28 {action.key} ^1m8mevgeewe8ed1r\n"}, agent="")


def test_what_was_dropped_stays_dropped_until_a_skill_changes(dreamer: Dreamer) -> None:
    dreamer.write(PAIR)
    dropped(dreamer, only(dreamer.plan()))
    plan = dreamer.plan()
    assert plan.actions == []
    assert plan.left_out == [(KEPT, "dropped before: merging it with write-release-notes (vaultgit dream --again)")]
    assert only(dreamer.plan(again=True)).paths == (KEPT, GONE)
    dreamer.write({KEPT: PAIR[KEPT] + "\nOne line more.\n"})
    only(dreamer.plan())


def test_the_line_deleted_allows_it_again(dreamer: Dreamer) -> None:
    dreamer.write(PAIR)
    dropped(dreamer, only(dreamer.plan()))
    assert dreamer.plan().actions == []
    dreamer.write({".vaultgit/declined.md": None}, agent="")
    only(dreamer.plan())


def test_a_dropped_pruning_stays_dropped(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    dropped(dreamer, only(dreamer.plan()))
    plan = dreamer.plan()
    assert plan.actions == [] and plan.remarks[0].why.endswith("kept: dropped before (vaultgit dream --again)")


def test_a_dropped_merge_says_nothing_about_a_pruning(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    twin = skill("tax-again", "when tax is due", f"# tax\n\n1. Do tax as tax is done\n{TAX}", "2025-01-01")
    assert dreamer.vault is not None
    go_on(dreamer.vault, [Did("2025-01-02", {"skills/tax-again.md": twin}, agent="codex")])
    dreamer.folder.git("reset", "-q", "--hard")
    action = only(dreamer.plan())
    assert action.kind == "merge"
    dropped(dreamer, action)
    assert only(dreamer.plan()).kind == "prune"


@pytest.mark.parametrize("beside", [{}, {"form.md": "x\n"}], ids=["alone", "with notes beside them"])
def test_what_was_taken_back_is_not_proposed_again(dreamer: Dreamer, beside: dict[str, str]) -> None:
    files = {
        f"skills/{name}/{path}": text
        for name in ("release-notes", "write-release-notes")
        for path, text in beside.items()
    }
    dreamer.write({**PAIR, **files})
    folder = dreamer.folder
    dreamer.accept(dreamer.propose())
    folder.git("revert", "--no-edit", "-m", "1", "HEAD")
    plan = dreamer.plan()
    assert plan.actions == []
    assert plan.left_out[0].why.startswith("merged before, and taken back")
    only(dreamer.plan(again=True))
    folder.git("revert", "--no-edit", "HEAD")
    assert dreamer.plan().actions == [] and dreamer.plan().left_out == []


# -- the same again ----------------------------------------------------------------------------------------------

_PLAN = """
import sys
from vaultgit.clock import SystemClock
from vaultgit.passes import dream
from vaultgit.vault import open_vault
with (vault := open_vault(sys.argv[1])).repo:
    plan = dream.plan(vault, SystemClock())
    print(repr(plan))
"""


def test_the_same_plan_twice_whatever_the_order_of_sets(dreamer: Dreamer) -> None:
    stale(dreamer, "tax", "audit")
    notes = {f"notes/{n}.md": "[[write-release-notes]] [[review-of-the-week]] [[import-contacts]]\n" for n in range(9)}
    dreamer.write({**PAIR, **weeks(), **contacts(), **notes})
    plans = {
        subprocess.run(
            [sys.executable, "-c", _PLAN, str(dreamer.folder.root)], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(plans) == 1 and len(next(iter(plans))) > 1000


def test_again_on_an_unchanged_vault_there_is_nothing(dreamer: Dreamer) -> None:
    stale(dreamer, "tax")
    dreamer.write({**PAIR, **weeks(), **contacts()})
    name = dreamer.propose()
    assert dreamer.plan().actions == []
    dreamer.accept(name)
    assert dreamer.plan().actions == []


def test_before_the_first_commit_there_is_nothing_to_read(past: Past) -> None:
    with pytest.raises(UsageError, match="nothing is committed"):
        dream.plan(past([]), SystemClock())


def test_a_vault_without_skills(dreamer: Dreamer) -> None:
    dreamer.write({**dict.fromkeys(FILLED), "Home.md": "x\n"})
    plan = dreamer.plan()
    assert (plan.skills, plan.actions, plan.related, plan.left_out, plan.stopped) == (0, [], [], [], "")


def test_of_three_that_are_the_same_one_suggestion_is_counted(dreamer: Dreamer) -> None:
    dreamer.write({**PAIR, **release("notes-of-a-release"), **contacts()}, "[dream]\nmax_share = 0.1\n")
    plan = dreamer.plan()
    assert "skills/contacts-from-phone.md" not in only(plan).paths
    assert len(plan.later) == 2 and "1 more suggestion once" in plan.stopped
    dreamer.accept(dreamer.propose())
    assert "1 more suggestion once" in dreamer.plan().stopped
