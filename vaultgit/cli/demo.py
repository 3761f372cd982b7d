from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile

import click

from vaultgit.cli import out
from vaultgit.cli.demonotes import NOTES
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history.repository import clean_environment


@click.command("demo")
@click.argument("directory", metavar="[DIR]", required=False)
def command(directory: str | None) -> int:
    """The main job, for real, in a temporary folder (or DIR, which must be new, and is kept).

    Two agents and a person work on a small vault; nothing else on this machine is touched. Beside each step stands
    the git command that a person would use.

    \b
    Example:
      vaultgit demo
    """
    if directory is not None and os.path.lexists(directory) and (not os.path.isdir(directory) or os.listdir(directory)):
        raise UsageError(f"{directory} is not empty", "name a new folder")
    with tempfile.TemporaryDirectory(prefix="vaultgit-demo-") as temporary:
        vault = os.path.abspath(directory) if directory else os.path.join(temporary, "Notes")
        Story(vault, os.path.join(temporary, "home")).tell()
        if directory:
            out.say(f"\nThe vault is kept: {out.short(vault)}   (git log -p, Obsidian, or vaultgit --help)")
    return 0


class Story:
    """The steps, each a real command in a process of its own, with a private home folder."""

    def __init__(self, vault: str, home: str) -> None:
        self.vault = vault
        os.makedirs(home)
        self.env = clean_environment(
            {
                "HOME": home,
                "XDG_CONFIG_HOME": os.path.join(home, ".config"),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.path.join(home, ".gitconfig"),
            }
        )
        for name in list(self.env):
            # Started from an agent's shell, the person's steps are a person's all the same.
            if name.startswith(("VAULTGIT_", "CLAUDE", "CODEX_", "GEMINI_", "OPENCODE")):
                del self.env[name]
        for path, text in NOTES.items():
            self.write(path, text)

    def tell(self) -> None:
        """All of it. Raises VaultgitError where a step ends otherwise than told."""
        self._a_vault_a_person_has_used()
        self._two_agents_edit()
        self._a_person_corrects_a_note()
        self._a_bad_note_is_refused()
        self._unsaved_text_stays()
        self._a_stale_write()
        self._a_bad_molt()
        self._a_review()
        self._a_session()
        self._side_by_side()

    def _a_vault_a_person_has_used(self) -> None:
        self.chapter("A vault that a person has used for a while, and vaultgit in it")
        self.git("init", "-q", "-b", "main", quiet=True)
        self.git("config", "user.name", "Pat", quiet=True)
        self.git("config", "user.email", "pat@example.invalid", quiet=True)
        self.git("add", "-A", quiet=True)
        self.git("commit", "-qm", "my notes", quiet=True)
        self.run("init", self.vault)
        out.say("  (The demo has a home folder of its own: for this machine, and your settings, nothing has changed.)")

    def _two_agents_edit(self) -> None:
        self.chapter("Two agents edit: each edit is one commit, and its subject is its changelog line")
        ada = self.read("people/ada-lovelace.md").replace("1816", "1815")
        self.run(
            "write",
            "people/ada-lovelace.md",
            "--agent",
            "claude-code",
            "--session",
            "2026-11-29-biography",
            "--base",
            self.base("people/ada-lovelace.md"),
            "-m",
            "people/ada-lovelace: born 1815, the note said 1816",
            "--reason",
            "The parish register says December 1815.",
            stdin=ada,
        )
        self.run(
            "set",
            "projects/nova.md",
            "status=paused",
            "--agent",
            "codex",
            "--session",
            "s-7",
            "--reason",
            "no printer yet",
        )
        self.git("log", "-2", "--format=%h %an: %s")
        self.git("show", "--format=", "--stat", "HEAD")

    def _a_person_corrects_a_note(self) -> None:
        self.chapter("Pat corrects a note in an editor, and no agent has to be told")
        self.run("search", "who is allergic to peanuts?")
        marta = self.read("people/marta-olsen.md")
        self.write("people/marta-olsen.md", marta.replace("peanuts", "walnuts (not peanuts)"))
        out.say("  (Pat types: Allergic to walnuts (not peanuts).)")
        self.run("context", "bake something for Marta", "--budget", "200")
        self.run("search", "what is Marta allergic to?", "--at", "HEAD")
        self.git("commit", "-qam", "Marta: walnuts", quiet=True)

    def _a_bad_note_is_refused(self) -> None:
        self.chapter("A note that its schema refuses leaves nothing behind")
        self.run(
            "write", "people/bob.md", "--agent", "codex", stdin="---\ntype: person\naliases: 7\n---\nBob\n", code=1
        )
        self.git("status", "--short")

    def _unsaved_text_stays(self) -> None:
        self.chapter("Pat types into a note (not in git yet) that an agent edits: both are kept, and told apart")
        self.write("projects/nova.md", self.read("projects/nova.md") + "- Pat: call the library on Monday\n")
        out.say("  (Pat types: - Pat: call the library on Monday)")
        self.run(
            "append", "projects/nova.md", "--heading", "Open", "--agent", "claude-code", stdin="- who pays for paper\n"
        )
        out.say("  what the agent committed:")
        self.git("show", "--format=%an", "-U0", "HEAD", "--", "projects/nova.md")
        out.say("  what is Pat's, still uncommitted:")
        self.git("diff", "-U0", "--", "projects/nova.md")

    def _a_stale_write(self) -> None:
        self.chapter("A write based on what an agent read earlier: it merges where it can, and waits where it cannot")
        base, text = self.base("people/ada-lovelace.md"), self.read("people/ada-lovelace.md")
        self.write("people/ada-lovelace.md", text.replace("- at the fair\n", "- at the fair, in May\n"))
        self.git("commit", "-qam", "when we met", quiet=True)
        out.say("  (Pat changes “at the fair” into “at the fair, in May” and commits)")
        self.run(
            "write",
            "people/ada-lovelace.md",
            "--base",
            base,
            "--agent",
            "codex",
            "-m",
            "people/ada-lovelace: died 1852",
            stdin=text.replace("Born 1815.", "Born 1815, died 1852."),
        )
        self.run(
            "write",
            "people/ada-lovelace.md",
            "--base",
            base,
            "--agent",
            "codex",
            "-m",
            "people/ada-lovelace: met in London",
            stdin=text.replace("at the fair", "in London"),
        )
        self.run("inbox", "list")
        self.git("log", "-3", "--format=%h %an: %s")

    def _a_bad_molt(self) -> None:
        self.chapter("An agent makes its skill worse; plain git takes that back, though more has happened since")
        skill = self.read("skills/review-a-pr.md")
        worse = (
            skill.replace("version: 1", "version: 2")
            .replace("2026-11-01", "2026-11-29")
            .replace("2. Run the tests\n", "")
        )
        self.run(
            "write",
            "skills/review-a-pr.md",
            "--base",
            self.base("skills/review-a-pr.md"),
            "--agent",
            "claude-code",
            "-m",
            "skills/review-a-pr: version 2, shorter",
            "--reason",
            "Running the tests takes long.",
            stdin=worse,
        )
        self.run("append", "Home.md", "--agent", "codex", stdin="- [[review-a-pr]]\n")
        self.git("revert", "--no-edit", "HEAD~1")
        if self.read("skills/review-a-pr.md") != skill:
            raise VaultgitError("the demo went wrong: the skill did not come back byte for byte")
        out.say("  the skill is back, byte for byte")

    def _a_review(self) -> None:
        self.chapter("Better: what an agent wants to change in a skill waits on a branch, and Pat answers")
        self.run(
            "molt", "review-a-pr", "--trigger", "corrected", "--reason", "Pat asked twice for the changelog.",
            "--agent", "claude-code",
            stdin="1. Read the description\n2. Run the tests\n3. Read the diff\n4. Check that the changelog says it\n",
        )  # fmt: skip
        self.run("review", "show", "molt/review-a-pr-v2")
        self.git("diff", "--stat", "main...molt/review-a-pr-v2")
        self.run("review", "accept", "molt/review-a-pr-v2")
        self.chapter("The dream looks at all skills: two say the same, so it proposes to merge them, every step kept")
        self.run("dream")
        branch = self._call(["git", "for-each-ref", "--format=%(refname:short)", "refs/heads/dream"]).stdout.decode()
        self.run("review", "accept", branch.strip())
        out.say("\n  Pat thinks again, and takes the whole dream back with plain git:")
        self.git("revert", "--no-edit", "-m", "1", "HEAD")
        if not os.path.exists(os.path.join(self.vault, "skills/weekly-review.md")):
            raise VaultgitError("the demo went wrong: the skill did not come back")

    def _a_session(self) -> None:
        self.chapter("A session: what an agent was at is a note, and the next one finds it")
        self.run("session", "start", "choose a label printer", "--agent", "codex")
        self.run("append", "projects/nova.md", "--heading", "Log", "--agent", "codex", stdin="- the QL-820 fits\n")
        self.run("session", "note", "it takes labels of 62 mm", "--agent", "codex")
        self.run("session", "end", "--agent", "codex")
        self.run("search", "which labels fit the printer?", "--limit", "2")

    def _side_by_side(self) -> None:
        self.chapter("Who wrote that line, and why")
        line = self.read("people/ada-lovelace.md").splitlines().index("Born 1815, died 1852.") + 1
        self.run("why", f"people/ada-lovelace.md:{line}")
        self.git("blame", "-s", "-L", f"{line},{line}", "people/ada-lovelace.md")
        self.chapter("History and changelog.md say the same; taking back an edit is an edit")
        self.run("undo", "Home.md")
        out.say("  changelog.md:")
        for entry in self.read("changelog.md").splitlines():
            if entry.startswith("- "):
                out.say(f"    {entry}")
        self.git("log", "--format=%h %an: %s")
        self.run("verify")

    # -- telling -----------------------------------------------------------------------------------------------

    def chapter(self, title: str) -> None:
        out.say(f"\n== {title}")

    def run(self, *args: str, stdin: str = "", code: int = 0) -> None:
        """A vaultgit command, shown with its output. Raises VaultgitError where it ends otherwise than with `code`."""
        shown = " ".join(shlex.quote(arg) for arg in args)
        out.say(f"\n$ {'printf … | ' if stdin else ''}vaultgit {shown}")
        self._tell([sys.executable, "-P", "-m", "vaultgit", *args], stdin, code)

    def git(self, *args: str, quiet: bool = False) -> None:
        if not quiet:
            out.say(f"\n$ git {' '.join(shlex.quote(arg) for arg in args)}")
        self._tell(["git", *args], "", 0)

    def _tell(self, command: list[str], stdin: str, code: int) -> None:
        done = self._call(command, stdin)
        for line in (done.stdout + done.stderr).decode("utf-8", "replace").splitlines():
            out.say(f"  {line}")
        if done.returncode != code:
            raise VaultgitError(f"the demo went wrong: that ended with {done.returncode}, not {code}")

    def _call(self, command: list[str], stdin: str = "") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command, cwd=self.vault, env=self.env, input=stdin.encode(), capture_output=True, check=False
        )

    def base(self, path: str) -> str:
        """What an agent that has read the note passes as --base."""
        done = self._call([sys.executable, "-P", "-m", "vaultgit", "read", path])
        return done.stderr.decode().split()[-1]

    def write(self, path: str, text: str) -> None:
        full = os.path.join(self.vault, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)

    def read(self, path: str) -> str:
        with open(os.path.join(self.vault, path), encoding="utf-8", newline="") as stream:
            return stream.read()
