"""What tests share: the real command line in a process of its own, and a work tree with git at hand."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import warm
from warm import Result

ROOT = Path(__file__).resolve().parent.parent
NOW = "2026-11-29T21:10:00+01:00"
_FOREIGN = ("GIT_", "CLAUDE", "CODEX", "GEMINI", "OPENCODE", "VAULTGIT_", "XDG_", "PRE_COMMIT")
_FOREIGN_TOO = ("SKIP", "EMAIL", "EDITOR", "VISUAL")


def private_environment(home: Path) -> tuple[dict[str, str], list[str]]:
    """A private home with a person's git config: variables to set, and names of those to take away first."""
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Test Person\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n"
    )
    foreign = [name for name in os.environ if name.startswith(_FOREIGN) or name in _FOREIGN_TOO]
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_EDITOR": "false",
        "VAULTGIT_NOW": NOW,
        "TZ": "Europe/Berlin",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
    }, foreign


def examples(number: int) -> int:
    """How many examples a property is tried with: so many, times VAULTGIT_TEST_EXAMPLES (`make test-long`)."""
    return number * int(os.environ.get("VAULTGIT_TEST_EXAMPLES", "1"))


def run_cli(
    *args: str, cwd: Path | str, stdin: bytes = b"", env: Mapping[str, str] = {}, timeout: float = 120
) -> Result:
    """The real command line in a process of its own."""
    return warm.run(warm.COMMAND_LINE, *args, cwd=cwd, stdin=stdin, env={**os.environ, **env}, timeout=timeout)


class Folder:
    """A work tree on disk, with git and our command line at hand. Paths are relative to it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *args: str, env: Mapping[str, str] = {}, stdin: bytes = b"") -> str:
        """Standard output of `git ARGS` here, without the last newline; fails the test where git fails."""
        done = self.try_git(*args, env=env, stdin=stdin)
        assert done.code == 0, f"git {' '.join(args)}: {done.code}\n{done.out}{done.err}"
        return done.out.rstrip("\n")

    def try_git(self, *args: str, env: Mapping[str, str] = {}, stdin: bytes = b"") -> Result:
        """`git ARGS` here, whatever it ends with."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            input=stdin,
            capture_output=True,
            env={**os.environ, **env},
            check=False,
        )
        return Result(
            done.returncode,
            done.stdout.decode("utf-8", "surrogateescape"),
            done.stderr.decode("utf-8", "surrogateescape"),
        )

    def run(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] = {}, cwd: Path | None = None) -> Result:
        """`vaultgit ARGS` here."""
        return run_cli(*args, cwd=cwd or self.root, stdin=stdin, env=env)

    def write(self, path: str, text: str | bytes) -> Path:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)
        return full

    def read(self, path: str) -> str:
        return self.bytes(path).decode()

    def bytes(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def exists(self, path: str) -> bool:
        return os.path.lexists(self.root / path)

    def commit(self, message: str = "by hand", *paths: str) -> str:
        """Stages `paths` (default: everything), commits past all hooks, returns the oid."""
        self.git("add", "-A", "--", *(paths or (".",)))
        self.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def snapshot(self) -> dict[str, bytes]:
        """Every file outside .git, by path."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.root).parts
        }


PERSON = "---\ntype: person\nname: Ada Lovelace\n---\nBorn 1815.\n"
PROJECT = "---\ntype: project\nname: Nova\nstatus: active\n---\n# Nova\n\n## Log\n\n- started\n"
SKILL = (
    "---\ntype: skill\nname: review-a-pr\nversion: 1\ntrigger: user asks for a review\n"
    "last_updated: 2026-11-01\n---\n1. read it\n"
)
NOTES = {
    "Home.md": "# Home\n\n[[people/ada-lovelace]]\n",
    "people/ada-lovelace.md": PERSON,
    "projects/nova.md": PROJECT,
    "skills/review-a-pr.md": SKILL,
    ".obsidian/app.json": "{}\n",
}


def set_up(vault: Folder) -> None:
    """What `vaultgit init` does, in this process, with git itself making the commit."""
    from vaultgit.history.repository import Repository
    from vaultgit.install import init
    from vaultgit.install import understand
    from vaultgit.vault import Disk
    from vaultgit.vault import Rules

    def commit_setup(changes: dict[str, bytes | None], message: str) -> None:
        for path, data in changes.items():
            if data is None:
                (vault.root / path).unlink()
            else:
                vault.write(path, data)
        vault.commit(message, *changes)

    root = str(vault.root)
    repo = Repository.find(root)
    assert repo is not None
    with repo:
        planned = init.plan(root, repo, understand.understand(root, Rules(Disk(root))))
        init.apply(understand.vault_at(root, repo), planned, commit_setup)
