"""A shared bare repository that holds what is pushed to it, and people and agents who push."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from support import Folder
from support import Result

BAD = "---\ntype: person\naliases: 7\n---\n"
GOOD = "---\ntype: person\naliases: [x]\n---\n"
SECRET = "sk-ant-" + "api03-" + "Zk3" * 12


def shared(vault: Folder, *, filled: bool = True) -> Folder:
    """A bare repository beside the vault, which has it as `origin`; with what the vault's main holds."""
    made = Folder(vault.root.parent / "shared.git")
    made.root.mkdir()
    made.git("init", "--quiet", "--bare")
    vault.git("remote", "add", "origin", str(made.root))
    if filled:
        vault.git("push", "--quiet", "origin", "main")
    return made


def set_up(server: Folder) -> Folder:
    """`vaultgit init --server`, really."""
    done = server.run("init", "--server", str(server.root))
    assert done.code == 0, done
    return server


def by_agent(vault: Folder, path: str, text: str, agent: str = "codex") -> str:
    """A commit of an agent's, past every door of ours."""
    vault.write(path, text)
    number = vault.git("rev-list", "--count", "--all").zfill(3)
    return vault.commit(f"{path.removesuffix('.md')}: changed\n\nAgent: {agent}\nEdit: 01jdx3k9m2qtw{number}", path)


def push(vault: Folder, *args: str, env: Mapping[str, str] = {}) -> Result:
    """`git push --no-verify origin ARGS`."""
    return vault.try_git("push", "--no-verify", "origin", *args, env=env)


def told(done: Result) -> list[str]:
    """What the server said."""
    lines = done.err.splitlines()
    return [line.removeprefix("remote: ").rstrip() for line in lines if line.startswith("remote: ")]


def clone(server: Folder, to: Path) -> Folder:
    subprocess.run(["git", "clone", "--quiet", str(server.root), str(to)], check=True, capture_output=True)
    return Folder(to)
