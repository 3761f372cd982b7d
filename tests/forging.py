"""What the tests of CI workflows share: a server's bare repository, and a machine that runs a step's commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

from support import Folder
from support import Result


class Forge(NamedTuple):
    """A server's bare repository, and the clone of a person who pushes to it."""

    bare: Folder
    person: Folder
    prefix: str = ""

    def push(self, *refs: str) -> str:
        """Pushes `refs` (default: HEAD), returns HEAD's oid."""
        self.person.git("push", "--quiet", "--force", "origin", *(refs or ("HEAD",)))
        return self.person.git("rev-parse", "HEAD")

    def by_agent(self, path: str, text: str, agent: str = "codex") -> str:
        """An agent's commit, past every door of ours."""
        self.person.write(self.prefix + path, text)
        number = self.person.git("rev-list", "--count", "--all").zfill(3)
        return self.person.commit(
            f"{path.removesuffix('.md')}: changed\n\nAgent: {agent}\nEdit: 01jdx3k9m2qtw{number}", "."
        )


def forge_of(person: Folder, tmp_path: Path, prefix: str = "") -> Forge:
    """A server that has what the person has."""
    person.git("clone", "--quiet", "--bare", ".", str(tmp_path / "forge.git"))
    person.git("remote", "add", "origin", (tmp_path / "forge.git").as_uri())
    return Forge(Folder(tmp_path / "forge.git"), person, prefix)


class Runner(NamedTuple):
    """A machine that has git, bash and vaultgit, and an empty home."""

    work: Folder
    env: dict[str, str]

    def bash(self, *options: str, script: str, env: Mapping[str, str]) -> Result:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", *options, "-c", script], cwd=self.work.root, env={**self.env, **env},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return Result(done.returncode, done.stdout, done.stderr)


def runner_in(machine: Path) -> Runner:
    for name in ("home", "bin", "work"):
        (machine / name).mkdir(parents=True)
    program = machine / "bin" / "vaultgit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m vaultgit "$@"\n')
    program.chmod(0o755)
    env = {
        "PATH": f"{machine}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": str(machine / "home"), "CI": "true",
        "PYTHONPATH": os.environ["PYTHONPATH"], "TZ": os.environ["TZ"],  # its day is that of the commits it judges
    }  # fmt: skip
    return Runner(Folder(machine / "work"), env)


def filled(step: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, str]:
    """A step's own variables, with `${{ … }}` as GitHub would fill it in."""
    own: dict[str, str] = step.get("env", {})
    return {key: re.sub(r"\$\{\{ (.*?) \}\}", lambda match: known[match[1]], value) for key, value in own.items()}
