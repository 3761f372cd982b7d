"""A person who uses git in the middle of an edit: at each named step of landing, or at some moment."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from acts import NAMED
from faulty import killing
from faulty import reaching
from support import Folder
from trial import TYPED
from trial import Fault
from trial import Trial
from warm import Result

from vaultgit.edits import steps


class Way(NamedTuple):
    """What a person does. `before` and `after`: at rest; `keeps`: their text is as it was, once `after` is done."""

    name: str
    does: str  # by the shell; what fails is over
    after: str = ""
    before: str = ""
    keeps: bool = False
    acts: tuple[str, ...] = ("append", "write", "move", "delete")
    saves: bool = True  # their text is on disk or in history afterwards
    amends: bool = False  # whatever commit there is, an agent's, too


SIDE = (
    "git stash -q; git checkout -q -b side; echo theirs >side.md; git add side.md; git commit -q --no-verify -m side;"
    "git checkout -q main; git stash pop -q --index"
)
COMMITTED = "git add -A; git commit -q --no-verify -m mine"
WAYS = (
    Way("reset --hard", "git reset -q --hard", saves=False, acts=("append", "delete")),
    Way("stash, pop", "git stash -q && git stash pop -q --index", "git stash pop -q --index || true", keeps=True),
    Way("stash", "git stash -q", "git stash pop -q --index || git stash drop -q || true", saves=False),
    Way("gc", "git gc -q --prune=now", keeps=True),
    Way("pack-refs, prune", "git pack-refs --all --prune; git prune --expire=now", keeps=True),
    Way("repack", "git repack -q -a -d", keeps=True),
    Way("checkout -b and back", "git checkout -q -b other; git checkout -q main", "git checkout -q main", keeps=True),
    Way("switch, back later", "git checkout -q -b other", "git stash -q; git checkout -q main; git stash pop -q --index",
        keeps=True),
    Way("commit all", COMMITTED),
    Way("commit all, hooks", "git add -A; git commit -q -m mine"),
    Way("commit what is staged", "git commit -q --no-verify -m mine"),
    Way("commit --amend", "git commit -q --no-verify --amend --no-edit", amends=True),
    Way("rebase", "git rebase -q HEAD~1 --force-rebase", "git rebase --continue 2>/dev/null || true", COMMITTED),
    Way("rebase -i, edit",
        "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~2; echo more >>other.md; git add other.md;"
        "git commit -q --no-verify --amend --no-edit; git rebase --continue",
        "git rebase --continue 2>/dev/null || true", f"{COMMITTED}; echo other >other.md; {COMMITTED} too", amends=True),
    Way("revert", "git revert --no-edit HEAD", "git revert --abort 2>/dev/null || true",
        f"{COMMITTED}; echo other >other.md; {COMMITTED} too", acts=("write",)),
    Way("cherry-pick", "git cherry-pick side", "git cherry-pick --abort 2>/dev/null || true", SIDE),
    Way("merge", "git merge -q --no-edit side", "git merge --abort 2>/dev/null || true", SIDE),
    Way("rm", "git rm -q --cached mine.md; rm mine.md", saves=False),
    Way("mv", "git mv journal/mine.md journal/yours.md"),
    Way("clean", "git clean -fdq", keeps=True, acts=("append", "delete")),
    Way("worktree add", "git worktree add -q ../beside -b beside", "git worktree remove --force ../beside || true",
        keeps=True),
    Way("checkout -- .", "git checkout -q -- .", saves=False, acts=("append", "delete")),
    Way("branch -D", "git branch -q -D side", before=SIDE, keeps=True),
    Way("add -A", "git add -A"),
    Way("no cache", "rm -rf .git/vaultgit/cache", keeps=True),
    Way("no temporaries", "rm -rf .git/vaultgit/state/tmp", keeps=True),
)  # fmt: skip


def _shell(vault: Folder, line: str) -> Result:
    done = subprocess.run(["sh", "-c", line], cwd=vault.root, capture_output=True, text=True, check=False, timeout=60)
    return Result(done.returncode, done.stdout, done.stderr)


def meanwhile(way: Way, folder: Path, chance: random.Random) -> str:
    """The person acts while a command runs, or just after it was killed."""
    act = NAMED[chance.choice(way.acts)]
    trial = Trial(folder, act)
    if way.before:
        _shell(trial.vault, way.before)
        trial.status = sorted(trial.vault.git("status", "--porcelain").splitlines())
    script = f"cd {trial.vault.root} && {way.does}"
    how = chance.choice(("at", "at", "killed", "after"))
    step = chance.choice(steps.NAMES)
    if how == "at":
        when = f"at {step}"
        done = trial.do(reaching(step, f"subprocess.run(['sh', '-c', {script!r}], capture_output=True, timeout=50)"))
    elif how == "killed":
        when = f"after a kill at {step}"
        done = trial.do(killing(step))
        trial.quiet()
        for lock in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):  # as git tells the person
            (trial.vault.root / ".git" / lock).unlink(missing_ok=True)
        _shell(trial.vault, way.does)
    else:
        seconds = chance.uniform(0, 0.2)
        when = f"after {seconds:.3f} s"
        person = threading.Thread(target=lambda: (time.sleep(seconds), _shell(trial.vault, way.does)))
        person.start()
        done = trial.do()
        person.join()
    trial.quiet()
    if way.after:
        _shell(trial.vault, way.after)
    try:
        word = trial.prove(done, chance, person=way.keeps, sure=False)
        _prove_text(trial, way)
        return word
    except AssertionError as error:
        raise AssertionError(f"{act.name}, {way.name} {when}: {error}") from error


def _prove_text(trial: Trial, way: Way) -> None:
    """No agent's commit brings the person's text; where they did not throw it away, it is there."""
    if not way.amends:
        every = trial.vault.git("log", "-p", "-U0", "--format=%H", "--author=codex").splitlines()
        added = [line for line in every if line.startswith("+")]
        assert not [line for line in added if TYPED.strip() in line or "staged by me" in line], added
    if way.saves:
        assert trial.vault.read("Home.md").count(TYPED) == 1, trial.vault.read("Home.md")
        found = trial.vault.git("grep", "-h", "staged by me", "HEAD", "--", ".")
        assert found.count("staged by me") == 2, found


FAULTS = tuple(
    Fault(
        f"a person: {way.name}", "at a step of landing, after a kill there, or at some moment", partial(meanwhile, way)
    )
    for way in WAYS
)
