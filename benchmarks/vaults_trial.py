"""The trial of one vault: `python -m benchmarks.vaults_trial SOURCE FOLDER` prints what was found as JSON.

Everything runs as a person would run it, with a private home; what does not hold is a line, and the trial goes on.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from benchmarks import measure
from benchmarks import place
from benchmarks import vaults_copy
from benchmarks import vaults_edits
from benchmarks import vaults_links
from benchmarks.vaults_copy import changed
from benchmarks.vaults_copy import fingerprint
from benchmarks.vaults_edits import Edit
from benchmarks.vaults_edits import Note

EDITS = 10
AGENT = ("--agent", "codex")
PATIENCE = 900  # seconds that one command may take
ADDED_TO = (".gitignore", ".gitattributes", ".pre-commit-config.yaml", "AGENTS.md", "CLAUDE.md")
PERSONS_LINE = b"\nMine, on trial.\n"


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        return (self.err.strip() or self.out.strip())[-400:].replace("\n", " / ")


class Trial:
    def __init__(self, source: str, folder: str) -> None:
        self.copy = os.path.join(folder, "vault")
        home = os.path.join(folder, "home")
        os.makedirs(home)
        self.env = place.environment()
        config = os.path.join(home, ".gitconfig")
        with open(self.env["GIT_CONFIG_GLOBAL"], "rb") as given, open(config, "wb") as private:
            private.write(given.read())
        self.env |= {"HOME": home, "GIT_CONFIG_GLOBAL": config, "GIT_TERMINAL_PROMPT": "0"}
        self.whole = vaults_copy.fresh(source, self.copy)
        self.roots = vaults_copy.roots(self.copy)
        self.root = self.roots[0]
        self.prefix = "" if self.root == self.copy else os.path.relpath(self.root, self.copy) + "/"
        self.found: dict[str, Any] = {"failures": [], "notes": sum(1 for _ in vaults_copy.notes(self.root))}
        self.landed: list[tuple[Edit, str]] = []

    # -- how commands are run ------------------------------------------------------------------------

    def fail(self, step: str, words: str) -> None:
        self.found["failures"].append(f"{step}: {words}")

    def program(self, *args: str) -> list[str]:
        return [sys.executable, "-P", "-m", "vaultgit", *args]

    def vaultgit(self, *args: str, given: bytes = b"", codes: Sequence[int] = (0,), root: str = "") -> Said:
        said = self._said(self.program(*args), root or self.root, given)
        if said.code not in codes or "Traceback" in said.err:
            self.fail(f"vaultgit {' '.join(args)}"[:300], f"exit {said.code}: {said.last}")
        return said

    def git(self, *args: str, codes: Sequence[int] | None = (0,)) -> Said:
        said = self._said(["git", *args], self.copy, b"")
        if codes is not None and said.code not in codes:
            self.fail(f"git {' '.join(args)}"[:300], f"exit {said.code}: {said.last}")
        return said

    def _said(self, args: Sequence[str], folder: str, given: bytes) -> Said:
        try:
            done = subprocess.run(
                args, cwd=folder, env=self.env, input=given, capture_output=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return Said(-1, "", f"not done after {PATIENCE} s")
        return Said(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))

    def measured(self, name: str, *args: str) -> None:
        """Time and peak memory of a command, which has to end with 0."""
        ended = measure.run(self.program(*args), cwd=self.root, env=self.env, codes=range(-64, 256))
        self.found[name] = ended.sample._asdict()
        if ended.code:
            words = ended.out[:600].decode("utf-8", "replace").strip().replace("\n", " / ")
            self.fail(f"vaultgit {' '.join(args)}", f"exit {ended.code}: {words}")

    def _words(self) -> str:
        command = [sys.executable, "-m", "benchmarks.vaults_words", self.copy, self.root]
        words = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        return words if self.whole else words + "; one commit of what the mirror holds"

    def outside(self) -> dict[str, object]:
        """What set-up may touch outside the notes and has to leave as it was."""
        hooks = os.path.join(self.copy, ".git", "hooks")
        return {
            "git's config": sorted(self.git("config", "--local", "--list", "-z").out.split("\0")),
            "the person's config": sorted(self.git("config", "--global", "--list", "-z").out.split("\0")),
            "hooks": fingerprint(hooks) if os.path.isdir(hooks) else {},
            "git status": self.git("status", "--porcelain", "-z").out,
            "the branch": self.git("symbolic-ref", "HEAD").out,
            "our folder in .git": os.path.exists(os.path.join(self.copy, ".git", "vaultgit")),
            "our refs": self.git("for-each-ref", "refs/vaultgit").out,
            "fsck": self.fsck(),
        }

    def fsck(self) -> tuple[int, list[str]]:
        said = self.git("fsck", "--no-dangling", "--no-progress", codes=None)
        return said.code, sorted((said.out + said.err).splitlines())

    # -- the steps -----------------------------------------------------------------------------------

    def run(self) -> dict[str, Any]:
        self.found["words"] = self._words()
        start, outside = fingerprint(self.copy), self.outside()
        self.adopt(start)
        if not self.found["failures"]:
            self.check()
            adopted = fingerprint(self.copy)
            self.edit()
            self.same("after the edits git fsck", outside["fsck"], self.fsck())
            self.undo(adopted)
            self.person()
            self.move()
            if self.has("doctor"):
                self.vaultgit("doctor", codes=(0, 1))
            self.vaultgit("verify")
            self.remove(start, outside)
        self.found["edits"] = len(getattr(self, "wanted", []))
        return self.found

    def same(self, step: str, before: object, after: object) -> None:
        if before != after:
            self.fail(step, f"was {str(before)[:300]} and is {str(after)[:300]}")

    def has(self, command: str) -> bool:
        return self._said(self.program(command, "--help"), self.root, b"").code == 0

    def adopt(self, start: dict[str, str]) -> None:
        """`init --dry-run` writes nothing; `init` writes what it said, and no note."""
        where = ["--repository", "outer"] if self.prefix else []
        repository = os.path.join(self.copy, ".git")
        inside = fingerprint(repository, skip=("index",))
        self.vaultgit("init", "--dry-run", *where)
        planned = self.vaultgit("init", "--dry-run", "--json", *where)
        self.same("init --dry-run wrote files", [], changed(start, fingerprint(self.copy)))
        self.same("init --dry-run wrote into .git", [], changed(inside, fingerprint(repository, skip=("index",))))
        before = {name: self.read(name) for name in ADDED_TO}
        self.measured("init", "init", *where)
        if self.found["failures"]:
            return
        named = {self.prefix + step["path"] for step in json.loads(planned.out)["files"]}
        written = changed(start, fingerprint(self.copy))
        self.same("init wrote other files than it said", sorted(named), written)
        for path in written:
            if path in start and path.removeprefix(self.prefix) not in ADDED_TO:
                self.fail("init", f"changed {path}")
        for name, old in before.items():
            new = (self.read(name) or b"").splitlines()
            lost = [line for line in (old or b"").splitlines() if line not in new]
            if lost:
                self.fail("init", f"took lines out of {name}: {lost[:3]}")
        self.same("init left git status", "", self.git("status", "--porcelain").out)
        again = self.vaultgit("init", *where)
        self.same("init a second time", True, again.out.startswith("nothing to do"))
        for other in self.roots[1:3]:
            self.vaultgit("init", "--repository", "outer", root=other)

    def read(self, path: str) -> bytes | None:
        full = os.path.join(self.root, path)
        if not os.path.isfile(full):
            return None
        with open(full, "rb") as stream:
            return stream.read()

    def check(self) -> None:
        self.measured("check", "check", "--all")
        for other in self.roots[1:3]:
            self.vaultgit("check", "--all", root=other)
        debt = self.vaultgit("check", "--all", "--no-baseline", "--json", codes=(0, 1))
        try:
            problems = json.loads(debt.out)
        except ValueError:
            self.fail("check --no-baseline --json", f"is no JSON: {debt.out[:200]}")
            problems = []
        self.codes: dict[str, set[str]] = {}
        for problem in problems:
            self.codes.setdefault(problem["path"], set()).add(problem["code"])
        self.found["problems"] = Counter(problem["code"] for problem in problems)

    def notes(self) -> list[Note]:
        """Notes that an agent may edit: in git, not ignored, plain files, not hidden, not protected."""
        from vaultgit.checks.protected import path_problems
        from vaultgit.vault import Disk
        from vaultgit.vault import Rules

        tracked = [line.split("\t", 1) for line in self.git("ls-files", "-s", "-z").out.split("\0") if line]
        plain = [path for head, path in tracked if head.startswith("100") and path.lower().endswith(".md")]
        asked = subprocess.run(
            ["git", "check-ignore", "--no-index", "-z", "--stdin"], cwd=self.copy, env=self.env, capture_output=True,
            input=os.fsencode("\0".join(plain)), check=False,
        )  # fmt: skip
        ignored = set(os.fsdecode(asked.stdout).split("\0"))
        rules = Rules(Disk(self.root))
        found = []
        for full in plain:
            path = full.removeprefix(self.prefix)
            if full in ignored or not full.startswith(self.prefix) or "/." in "/" + path:
                continue
            data = None if path_problems(path, agent=True) else self.read(path)
            if data is not None:
                codes = tuple(sorted(self.codes.get(path, ())))
                found.append(Note(path, data, rules.managed(path, data), codes))
        return found

    def edit(self) -> None:
        """Each edit is committed, changes its note and changelog.md, and in the note only what was meant."""
        self.wanted = vaults_edits.chosen(self.notes(), EDITS)
        self.found["held"] = 0
        for edit in self.wanted:
            before = len(self.found["failures"])
            self._edit(edit)
            self.found["held"] += len(self.found["failures"]) == before
        self.vaultgit("verify")

    def _edit(self, edit: Edit) -> None:
        step = f"{edit.shape} ({edit.note.path})"
        command, path = list(edit.command), edit.note.path
        if edit.needs_base:
            read = self._said(self.program("read", *AGENT, "--", path), self.root, b"")
            self.same(f"{step}: read", edit.note.data, os.fsencode(read.out))
            command[1:1] = ["--base", read.err.split()[-1] if read.err else ""]
        head = self.git("rev-parse", "HEAD").out
        said = self._said(
            self.program(command[0], *AGENT, "-m", f"{edit.shape}: a trial", *command[1:]), self.root, edit.given
        )
        if said.code or not said.out.startswith("committed "):
            return self.fail(step, f"exit {said.code}: {said.out.strip()} {said.last}")
        oid = said.out.split()[1]
        self.landed.append((edit, oid))
        self.same(f"{step}: commits", head.strip(), self.git("rev-parse", f"{oid}^").out.strip())
        names = [one for one in self.git("diff-tree", "-r", "-z", "--name-only", f"{oid}^", oid).out.split("\0") if one]
        self.same(f"{step}: files", sorted([self.prefix + path, self.prefix + "changelog.md"]), sorted(names))
        self.same(f"{step}: git status", "", self.git("status", "--porcelain").out)
        wrong = edit.wrong(self.read(path))
        return self.fail(step, wrong) if wrong else None

    def undo(self, adopted: dict[str, str]) -> None:
        for edit, oid in reversed(self.landed):
            said = self._said(self.program("undo", oid), self.root, b"")
            if said.code or not said.out.startswith("committed "):
                self.fail(
                    f"undo of {edit.shape} ({edit.note.path})", f"exit {said.code}: {said.out.strip()} {said.last}"
                )
        self.as_before("after undo", adopted)
        self.vaultgit("verify")

    def as_before(self, step: str, before: dict[str, str]) -> None:
        ours = {
            self.prefix + "changelog.md",
            *(os.path.relpath(f"{root}/changelog.md", self.copy) for root in self.roots),
        }
        for path in changed(before, fingerprint(self.copy)):
            if path not in ours:
                self.fail(step, f"{path} was {before.get(path)} and is not")
        self.same(f"{step}: git status", "", self.git("status", "--porcelain").out)

    def person(self) -> None:
        """A person's commit of everything goes through the hook, and is taken back with git alone.

        It adds a line to a plain note, and to one with each problem from before.
        """
        before, notes = fingerprint(self.copy), self.notes()
        codes = sorted({code for note in notes for code in note.codes})
        mine = {next((note.path for note in notes if not note.managed and not note.codes), "")}
        mine |= {next(note.path for note in notes if code in note.codes) for code in codes}
        mine.discard("")
        for path in mine:
            with open(os.path.join(self.root, path), "ab") as stream:
                stream.write(PERSONS_LINE)
        self.git("add", "-A")
        said = self.git("commit", "-m", "mine")
        if said.code == 0:
            names = self.git("diff-tree", "-r", "-z", "--name-only", "HEAD^", "HEAD").out.strip("\0").split("\0")
            self.same("a person's commit", sorted(self.prefix + path for path in mine), sorted(names))
            self.git("revert", "--no-edit", "HEAD")
        else:
            self.git("reset", "-q", "--hard")
        self.as_before("after the revert of a person's commit", before)

    def move(self) -> None:
        """A linked note goes elsewhere, its links follow and nothing else changes; then it comes back."""
        if not self.has("move"):
            return
        before, texts = fingerprint(self.copy), self.texts()
        linked = _linked(self.notes())
        if linked is None:
            return
        folder, stem = os.path.split(linked.path.removesuffix(".md"))
        there = os.path.join(folder, "trial-of-a-move", f"{stem}-on-trial.md")
        said = self.vaultgit("move", *AGENT, "--", linked.path, there)
        if said.code == 0:
            now = self.texts()
            for path, data in now.items():
                same = path in (there, "changelog.md")
                if not same and data.replace(b"trial-of-a-move/", b"").replace(b"-on-trial", b"") != texts[path]:
                    self.fail("move", f"changed more than links in {path}")
            self._links_follow(texts, now, {linked.path: there})
            self.vaultgit("move", *AGENT, "--", there, linked.path)
        self.as_before("after a move there and back", before)

    def texts(self) -> dict[str, bytes]:
        return {path: self.read(path) or b"" for path in vaults_copy.notes(self.root)}

    def _links_follow(self, before: dict[str, bytes], after: dict[str, bytes], moved: dict[str, str]) -> None:
        """Every link that led somewhere leads there still, whatever it is called now."""
        now, followed = vaults_links.leads(after), 0
        for path, targets in vaults_links.leads(before).items():
            found = now[moved.get(path, path)]
            wanted = [moved.get(target, target) if target else target for target in targets]
            followed += sum(target in moved for target in targets if target)
            if len(found) != len(wanted) or any(one and one != two for one, two in zip(wanted, found, strict=True)):
                self.fail("move", f"links of {path} led to {wanted} and lead to {found}"[:600])
        self.same("move: links followed", True, followed > 0)

    def remove(self, start: dict[str, str], outside: dict[str, object]) -> None:
        for root in reversed(self.roots[:3]):
            self.vaultgit("init", "--remove", "--yes", root=root)
        self.as_before("after init --remove", start)
        now = self.outside()
        for name, value in outside.items():
            if now[name] != value:
                self.fail("after init --remove", f"{name}: was {str(value)[-300:]} and is {str(now[name])[-300:]}")


def _linked(notes: Sequence[Note]) -> Note | None:
    """An unmanaged note of a name that stands once, to which another note links by that name."""
    names = Counter(os.path.basename(note.path).removesuffix(".md").casefold() for note in notes)
    targets = Counter(
        found.decode("utf-8", "replace").strip()
        for note in notes
        for found in set(re.findall(rb"\[\[([^\]|#\n/]+)(?=[\]|#])", note.data))
    )
    for note in (note for note in notes if not note.codes):
        stem = os.path.basename(note.path).removesuffix(".md")
        if targets[stem] in range(2, 20) and names[stem.casefold()] == 1 and not note.managed and len(stem) > 5:
            return note
    return None


if __name__ == "__main__":
    print(json.dumps(Trial(*sys.argv[1:3]).run()))
