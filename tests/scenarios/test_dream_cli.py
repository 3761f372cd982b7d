"""`vaultgit dream` as people and agents type it: what it proposes, what stays untouched, and how a person takes it back
with plain git (promises P1, P3, P5, P6)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dreaming import SKILLS
from dreaming import dreaming
from support import NOTES
from support import Folder
from support import run_cli

BRANCH = "dream/2026-11-29"
SUBJECTS = [
    "skills/printer-setup: pruned, last used 2025-08-20",
    "skills/import-contacts: merged with contacts-from-phone",
    "skills/weekly-review: merged with review-of-the-week",
    "skills/release-notes: merged with write-release-notes",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dreaming") / "vault"


@pytest.fixture
def slept(vault: Folder, made: Path) -> Iterator[Folder]:
    """A vault to dream of; made once."""
    if not made.exists():
        dreaming(vault)
        shutil.copytree(vault.root, made, symlinks=True)
    else:
        shutil.rmtree(vault.root)
        shutil.copytree(made, vault.root, symlinks=True)
        vault.git("update-index", "-q", "--refresh")
    yield vault


def untouched(vault: Folder) -> tuple[object, ...]:
    """What a dream must leave as it is: all of the work tree, the index, HEAD, and every ref that is not a dream."""
    index = (vault.root / ".git/index").read_bytes()
    refs = [line for line in vault.git("show-ref", "--heads", "--tags").splitlines() if "/dream/" not in line]
    return vault.snapshot(), index, (vault.root / ".git/HEAD").read_text(), refs


def subjects(vault: Folder, *revisions: str) -> list[str]:
    return vault.git("log", "--format=%s", *revisions).splitlines()


def proposed(vault: Folder, *args: str) -> str:
    done = vault.run("dream", *args)
    assert done.code == 0, done
    word, name, oid = done.out.splitlines()[0].split()
    assert (word, oid) == ("proposed", vault.git("rev-parse", name))
    return name


# -- proposing ---------------------------------------------------------------------------------------------------


def test_acceptance_1_a_dream_is_a_branch_and_nothing_else_moves(slept: Folder) -> None:
    slept.write("Home.md", "# typed, not in git\n")
    slept.write("people/ada-lovelace.md", slept.read("people/ada-lovelace.md") + "staged\n")
    slept.git("add", "people/ada-lovelace.md")
    before = untouched(slept)
    dry = slept.run("dream", "--dry-run")
    assert dry.code == 0 and slept.git("branch", "--list", "dream/*") == ""
    assert untouched(slept) == before
    assert dry.out.startswith(
        "would propose 4 suggestions\n13 skills read: 3 to merge, 1 to prune; 1 related pair, 2 stale"
    )
    for said in ("similarity: the same text", "5 steps alike", "last used 2026-11-24", "in projects/nova.md"):
        assert said in dry.out
    assert "skills/deploy-to-production.md and skills/deploy-to-staging.md, not merged:" in dry.out
    assert "skills/tax-return.md: 502 days (last used 2025-07-15); kept: pinned" in dry.out
    assert "skills/travel-checklist.md: 233 days (last used 2026-04-10); kept: pruned only after" in dry.out
    assert proposed(slept) == BRANCH
    assert untouched(slept) == before
    assert subjects(slept, f"main..{BRANCH}") == SUBJECTS
    log = slept.git("log", "--name-only", "--format=", f"main..{BRANCH}").split()
    assert "changelog.md" not in log and not any(path.startswith("sessions/") for path in log)
    check = slept.run("check", "--from", "main", "--to", BRANCH)
    assert check.code == 0, check
    for line in slept.git("log", "--format=%an%x09%(trailers:key=Agent,valueonly)%x09%b", f"main..{BRANCH}").split(
        "\0"
    ):
        assert line.startswith("vaultgit\tvaultgit")


def test_every_line_fits_a_terminal(slept: Folder) -> None:
    for args in (["--dry-run"], []):
        done = slept.run("dream", *args)
        assert max(len(line) for line in done.out.splitlines()) <= 100, done.out
    said = slept.run("dream")
    assert said.out.startswith("nothing to propose\n13 skills read: 1 related pair, 2 stale, 7 left out\n")
    left = "skills/contacts-from-phone.md, skills/import-contacts.md, skills/printer-setup.md and 4 more"
    assert f"left out {left}: waits for your answer to {BRANCH}" in " ".join(said.out.split())


def test_json(slept: Folder) -> None:
    dry = json.loads(slept.run("dream", "--dry-run", "--json").out)
    done = json.loads(slept.run("dream", "--json").out)
    assert dry == done | {"branch": None} and done["branch"] == BRANCH
    assert done["base"] == slept.git("rev-parse", "main")
    assert [one["kind"] for one in done["actions"]] == ["merge", "merge", "merge", "prune"]
    first = done["actions"][0]
    assert first.keys() == {"kind", "paths", "skills", "subject", "reason", "evidence"}
    assert first["paths"] == ["skills/release-notes.md", "skills/write-release-notes.md", "projects/nova.md"]
    assert first["skills"] == first["paths"][:2] and first["subject"] == SUBJECTS[-1]
    assert [one["path"] for one in done["remarks"]] == ["skills/tax-return.md", "skills/travel-checklist.md"]
    assert [one["paths"] for one in done["related"]] == [
        ["skills/deploy-to-production.md", "skills/deploy-to-staging.md"]
    ]
    assert (done["left_out"], done["stopped"], done["refused"], done["engine"], done["skills"]) == (
        [],
        None,
        {},
        None,
        13,
    )
    again = json.loads(slept.run("dream", "--json").out)
    assert (again["actions"], again["branch"]) == ([], None)
    assert {"path": "skills/printer-setup.md", "reason": f"waits for your answer to {BRANCH}"} in again["left_out"]


def test_an_agent_may_propose_and_a_person_decides(slept: Folder) -> None:
    agent = {"CLAUDECODE": "1"}
    done = slept.run("dream", "--session", "s-1", env=agent)
    assert done.code == 0, done
    assert set(slept.git("log", "--format=%an", f"main..{BRANCH}").splitlines()) == {"claude-code"}
    sessions = slept.git("log", "--format=%(trailers:key=Session,valueonly,separator=)", f"main..{BRANCH}").splitlines()
    assert set(sessions) == {"s-1"}
    assert slept.run("review", "accept", BRANCH, env=agent).code == 1


# -- taking and taking back --------------------------------------------------------------------------------------


def test_acceptance_3_git_revert_of_one_action_brings_skill_and_links_back(slept: Folder) -> None:
    start = slept.snapshot()
    slept.git("merge", "-q", "--no-ff", "-m", "all of it", proposed(slept))
    assert not slept.exists("skills/write-release-notes.md") and "[[release-notes]]" in slept.read("projects/nova.md")
    assert slept.run("check", "--all").code == 0
    slept.git("revert", "--no-edit", slept.git("log", "--format=%H", f"--grep={SUBJECTS[-1]}", "HEAD"))
    for path in ("skills/release-notes.md", "skills/write-release-notes.md", "projects/nova.md"):
        assert slept.bytes(path) == start[path]
    assert not slept.exists("skills/contacts-from-phone.md")
    assert slept.run("dream").out.startswith("nothing to propose")
    assert "merged before, and taken back" in slept.run("dream").out


def test_acceptance_4_main_moves_on_and_plain_git_merges_and_reverts(slept: Folder) -> None:
    name = proposed(slept)
    for n in range(20):
        path = ("skills/code-review.md", "projects/nova.md", f"notes/{n}.md")[n % 3]
        if n % 3 == 0:
            text = slept.read(path)
            text = text.replace(f"version: {1 + n // 3}", f"version: {2 + n // 3}") + f"{5 + n}. Rest\n"
            slept.write(path, text.replace("last_updated: 2025-05-08", "last_updated: 2026-11-29"))
            slept.git("commit", "-qam", f"{path}: more", "-m", "Why.")
        else:
            done = slept.run("append", path, "--agent", "codex", stdin=f"Line {n}\n".encode())
            assert done.code == 0, done
    before = slept.snapshot()
    done = slept.try_git("merge", "--no-edit", "--no-ff", name)
    assert done.code == 0, done
    assert slept.run("check", "--all").code == 0
    assert slept.run("verify", "--allow-behind").code == 0
    done = slept.try_git("revert", "--no-edit", "-m", "1", "HEAD")
    assert done.code == 0, done
    assert slept.snapshot() == before


def test_what_was_dropped_stays_dropped_until_its_line_is_deleted(slept: Folder) -> None:
    name = proposed(slept)
    assert slept.run("review", "drop", name, "--only", "skills/release-notes.md").code == 0
    assert slept.run("review", "drop", name, "--only", "skills/printer-setup.md").code == 0
    slept.git("branch", "-D", name)
    known = slept.read(".vaultgit/declined.md")
    name = proposed(slept)
    assert subjects(slept, f"main..{name}") == SUBJECTS[1:3]
    said = " ".join(slept.run("dream", "--dry-run").out.split())
    assert (
        "skills/release-notes.md: dropped before: merging it with write-release-notes (vaultgit dream --again)" in said
    )
    assert "kept: dropped before (vaultgit dream --again)" in said
    assert said.startswith("nothing to propose")
    slept.git("branch", "-D", name)
    slept.write(".vaultgit/declined.md", "".join(known.splitlines(keepends=True)[1:]))
    slept.commit("that one again", ".vaultgit/declined.md")
    assert len(subjects(slept, f"main..{proposed(slept)}")) == 3


def test_two_days_of_dreams_are_two_branches(slept: Folder) -> None:
    slept.git("merge", "-q", "--no-edit", "--no-ff", proposed(slept))
    name, (trigger, _, _) = "release-notes-of-a-product", SKILLS["release-notes"]
    text = slept.read("skills/release-notes.md").replace("name: release-notes", f"name: {name}")
    slept.write(f"skills/{name}.md", text)
    slept.commit("more", f"skills/{name}.md")
    done = slept.run("dream", env={"VAULTGIT_NOW": "2026-11-30T21:10:00+01:00"})
    assert done.out.startswith("proposed dream/2026-11-30 ") and trigger
    slept.git("merge", "-q", "--no-edit", "--no-ff", "dream/2026-11-30")
    assert slept.run("check", "--all").code == 0


def test_p6_undo_of_a_whole_dream_by_its_name(slept: Folder) -> None:
    before = {path: data for path, data in slept.snapshot().items() if not path.startswith(("changelog", "review"))}
    name = proposed(slept)
    done = slept.run("review", "accept", name)
    assert done.code == 0, done
    assert not slept.exists("skills/printer-setup.md")
    done = slept.run("undo", name)
    assert done.code == 0, done
    after = {path: data for path, data in slept.snapshot().items() if not path.startswith(("changelog", "review"))}
    assert after == before
    assert slept.run("verify").code == 0
    assert slept.run("dream").out.startswith("nothing to propose")
    assert slept.run("dream", "--again").out.startswith("proposed ")


def test_p6_undo_of_a_merge_and_of_one_action(slept: Folder) -> None:
    before = slept.snapshot()
    slept.git("merge", "-q", "--no-edit", "--no-ff", proposed(slept))
    merge = slept.git("rev-parse", "HEAD")
    done = slept.run("undo", slept.git("log", "--format=%H", f"--grep={SUBJECTS[-1]}", "HEAD"))
    assert done.code == 0, done
    for path in ("skills/release-notes.md", "skills/write-release-notes.md", "projects/nova.md"):
        assert slept.bytes(path) == before[path]
    slept.git("reset", "-q", "--hard", merge)
    done = slept.run("undo", merge)
    assert done.code == 0, done
    after = slept.snapshot()
    assert {path: after[path] for path in before if path != "changelog.md"} == {
        path: data for path, data in before.items() if path != "changelog.md"
    }


def test_links_of_sessions_to_a_pruned_skill_are_no_problem(slept: Folder) -> None:
    path = "sessions/2025-08-20-work-0.md"
    assert "[[printer-setup]]" in slept.read(path)
    slept.git("merge", "-q", "--no-edit", "--no-ff", proposed(slept))
    assert "[[printer-setup]]" in slept.read(path)
    assert slept.run("check", "--all", "--no-baseline").code == 0
    assert slept.run("set", path, "task=more", "--agent", "codex").code == 0


# -- odd places --------------------------------------------------------------------------------------------------


def test_a_persons_own_branch_called_dream(slept: Folder) -> None:
    slept.git("branch", "dream")
    done = slept.run("dream")
    assert done.code == 2 and "you have a branch called dream" in done.err and "[review] prefix" in done.err
    assert slept.run("dream", "--dry-run").code == 0
    slept.write(".vaultgit.toml", slept.read(".vaultgit.toml") + '\n[review]\nprefix = "vaultgit/"\n')
    slept.commit("prefix", ".vaultgit.toml")
    assert proposed(slept) == f"vaultgit/{BRANCH}"
    assert slept.run("dream").out.startswith("nothing to propose")


def test_a_name_that_is_taken_gets_a_number(slept: Folder) -> None:
    slept.git("branch", BRANCH)
    assert proposed(slept) == f"{BRANCH}-2"


def test_in_a_shallow_clone_nothing_is_pruned_whose_history_is_not_there(slept: Folder, tmp_path: Path) -> None:
    clone = Folder(tmp_path / "clone")
    slept.git("clone", "-q", "--depth", "1", f"file://{slept.root}", str(clone.root))
    name = proposed(clone)
    assert subjects(clone, f"main..{name}") == SUBJECTS[1:]
    clone.git("merge", "-q", "--no-edit", "--no-ff", name)


def test_without_a_branch_and_before_the_first_commit(slept: Folder, tmp_path: Path) -> None:
    slept.git("switch", "-q", "--detach")
    before = untouched(slept)
    assert proposed(slept) == BRANCH
    assert untouched(slept) == before
    empty = Folder(tmp_path / "empty")
    empty.write("Home.md", "x\n")
    empty.git("init", "-q")
    done = empty.run("dream", "--vault", ".")
    assert done.code == 2 and "nothing is committed on this branch yet" in done.err and "git commit" in done.err


def test_in_the_middle_of_a_rebase_it_only_looks(slept: Folder) -> None:
    slept.git("switch", "-q", "-c", "side", "HEAD~2")
    slept.write("projects/nova.md", "theirs\n")
    slept.commit("theirs", "projects/nova.md")
    slept.git("switch", "-q", "main")
    slept.write("projects/nova.md", "mine\n")
    slept.commit("mine", "projects/nova.md")
    assert slept.try_git("rebase", "side").code != 0
    before = untouched(slept)
    done = slept.run("dream")
    assert (done.code, done.out) == (1, "") and "a rebase is in progress" in done.err
    assert slept.run("dream", "--dry-run").code == 0
    assert untouched(slept) == before
    slept.git("rebase", "--abort")
    proposed(slept)


def test_a_vault_below_the_repositorys_root(tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("src/main.py", "print('release')\n")
    for path, text in NOTES.items():
        outer.write(f"notes/{path}", text)
    outer.git("init", "-q")
    outer.commit("start")
    vault = Folder(outer.root / "notes")
    done = run_cli("init", "--repository", "outer", cwd=vault.root)
    assert done.code == 0, done
    dreaming(vault)
    before = outer.snapshot()
    assert subjects(outer, f"main..{proposed(vault)}") == SUBJECTS
    assert outer.snapshot() == before
    assert vault.run("check", "--from", "main", "--to", BRANCH).code == 0
    assert all(path.startswith("notes/") for path in outer.git("diff", "--name-only", f"main...{BRANCH}").splitlines())
    assert vault.run("dream").out.startswith("nothing to propose")
    outer.write("src/main.py", "run('printer-setup')\n")
    outer.git("branch", "-D", BRANCH)
    outer.commit("a script names it", "src")
    assert "named in ../src/main.py" in vault.run("dream", "--dry-run", "--json").out


def test_in_a_repository_of_sha256(tmp_path: Path) -> None:
    vault = Folder(tmp_path / "vault")
    for path, text in NOTES.items():
        vault.write(path, text)
    vault.git("init", "-q", "--object-format=sha256")
    vault.commit("start")
    assert vault.run("init").code == 0
    dreaming(vault)
    name = proposed(vault)
    assert subjects(vault, f"main..{name}") == SUBJECTS and len(vault.git("rev-parse", name)) == 64
    vault.git("merge", "-q", "--no-edit", "--no-ff", name)
    vault.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert "merged before, and taken back" in vault.run("dream").out


# -- killed ------------------------------------------------------------------------------------------------------

_KILLED = """
import os, signal, subprocess, sys
from vaultgit.clock import SystemClock
from vaultgit.edits.submit import By
from vaultgit.history.repository import Repository
from vaultgit.passes import dream
from vaultgit.vault import open_vault

def proposing(plan, left):
    with (vault := open_vault(".")).repo:
        def counting(name):
            whole = getattr(Repository, name)
            def call(self, *args, **options):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return whole(self, *args, **options)
            setattr(Repository, name, call)
        for name in ("run", "call", "start"):
            counting(name)
        dream.propose(vault, SystemClock(), plan, By())

with (vault := open_vault(".")).repo:
    plan = dream.plan(vault, SystemClock())
for number in range(500):
    child = os.fork()
    if not child:
        proposing(plan, [number])
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    tips = subprocess.check_output(["git", "for-each-ref", "--format=%(objectname)", "refs/heads/dream/"], text=True)
    print(code, *tips.split())
    if tips:
        subprocess.check_call(["git", "branch", "-q", "-D", "dream/2026-11-29"])
    if not code:
        break
"""


def test_killed_at_any_point_there_is_no_branch_or_a_whole_one(slept: Folder) -> None:
    before = untouched(slept)
    out = subprocess.run([sys.executable, "-c", _KILLED], cwd=slept.root, capture_output=True, check=True, text=True)
    ends = [line.split() for line in out.stdout.splitlines()]
    assert {(code, len(tips)) for code, *tips in ends} - {("-9", 1)} == {("-9", 0), ("0", 1)}
    assert len(ends) > 10
    for tip in {tip for _, *tips in ends for tip in tips}:
        assert subjects(slept, f"main..{tip}") == SUBJECTS
        assert slept.run("check", "--from", "main", "--to", tip).code == 0
    assert untouched(slept) == before
    assert slept.run("append", "Home.md", "--agent", "codex", stdin=b"x\n").code == 0
    assert "refs/vaultgit/" not in slept.git("show-ref")  # the next writer has cleared away what was left
    assert [path for path in (slept.root / ".git").rglob("*.lock") if path.parent.name != "state"] == []
