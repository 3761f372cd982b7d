"""Where benchmarks work: benchmarks/out (git-ignored), with a home of its own, the way a person's machine would be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "benchmarks", "out")
FOREIGN = ("GIT_", "VAULTGIT_", "CLAUDE", "CODEX", "GEMINI", "OPENCODE", "XDG_", "PRE_COMMIT", "PYTHON")


def environment(**extra: str) -> dict[str, str]:
    """The environment of all that is measured: a private home, no agent's markers, and .pyc files allowed."""
    home = os.path.join(OUT, "home")
    os.makedirs(home, exist_ok=True)
    config = os.path.join(home, ".gitconfig")
    if not os.path.exists(config):
        with open(config, "w", encoding="utf-8") as stream:
            stream.write("[user]\n\tname = Pat Person\n\temail = pat@example.invalid\n[init]\n\tdefaultBranch = main\n")
            stream.write("[gc]\n\tauto = 0\n")  # no gc of its own accord in the middle of a measurement
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    ours = {"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": config, "GIT_EDITOR": "false",
            "LC_ALL": "C.UTF-8", "PYTHONPATH": ROOT}  # fmt: skip
    return {**kept, **ours, **extra}


def program() -> list[str]:
    """How `vaultgit` is started: the script that was installed beside this Python, else the module."""
    script = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "vaultgit")
    return [script] if os.access(script, os.X_OK) else [sys.executable, "-P", "-m", "vaultgit"]


def compile_all() -> None:
    """Makes the .pyc files of vaultgit; those of libraries come with the first, unmeasured, call of each command."""
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", os.path.join(ROOT, "vaultgit")], env=environment(), check=True
    )


def git(folder: str, *args: str, given: bytes = b"", **extra: str) -> str:
    """Standard output of a git command that has to succeed; not for what is measured."""
    done = subprocess.run(
        ["git", "-C", folder, *args], input=given, env=environment(**extra), capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"git {' '.join(args)}: {done.returncode}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
