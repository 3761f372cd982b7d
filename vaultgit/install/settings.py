"""What vaultgit sets in git's config."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.install import hooks
from vaultgit.install import others
from vaultgit.vault import Disk

if TYPE_CHECKING:
    from vaultgit.install.understand import Understanding


class Setting(NamedTuple):
    """One value of git's config to set; `value` None unsets it."""

    scope: str
    key: str
    value: str | None
    words: str


# Says that `vaultgit.people` is not the person's own choice, so that it goes with the last vault of a repository.
PEOPLE_BY_INIT = "vaultgit.peoplebyinit"


def program() -> str:
    """How a shell starts this installation of vaultgit from anywhere: words quoted for sh."""
    script = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "vaultgit")
    if os.access(script, os.X_OK):
        return shlex.quote(script)
    # -P: a folder of notes is no place to import Python from.
    return f"{shlex.quote(os.path.abspath(sys.executable))} -P -m vaultgit"


def _driver(start: str) -> str:
    # 20 is the merge driver's "conflict, markers are written" (cli/hook.py). Where the program is gone or
    # breaks, git's own text merge does what it would do without us.
    return (
        f"{start} hook merge-driver %O %A %B %P %L; code=$?; case $code in 0|20) exit $code;; esac; "
        "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
    )


def plan(
    root: str, repo: Repository | None, prefix: str, understanding: Understanding, remarks: list[str]
) -> list[Setting]:
    """What is to be set for the vault at `root`; [] when all is. Adds what was left alone to `remarks`."""
    now = local(repo) if repo else {}
    start = program()
    former = now.get("vaultgit.program", [""])[-1]
    wanted = {"vaultgit.program": start}
    alias = now.get("alias.vaultgit", [""])[-1]
    if alias in ("", f"!{former}", f"!{start}"):
        wanted["alias.vaultgit"] = f"!{start}"
    else:
        remarks.append("git config alias.vaultgit is yours and was left; pre-commit's entry `git vaultgit` needs it")
    wanted["merge.vaultgit.name"] = "vaultgit: properties by key, then text"
    wanted["merge.vaultgit.driver"] = _driver(start)
    steps = [Setting("local", key, value, "") for key, value in wanted.items() if now.get(key, [""])[-1] != value]
    folder = prefix.rstrip("/") or "."
    if folder not in now.get("vaultgit.folder", []):
        steps.append(Setting("local", "vaultgit.folder", folder, ""))
    if understanding.timer and not (repo and repo.setting("vaultgit.people")):
        words = "obsidian-git commits by itself: it is warned, not stopped"
        steps += [Setting("local", "vaultgit.people", "warn", words), Setting("local", PEOPLE_BY_INIT, "true", "")]
    if repo is not None and not former:
        steps += _strangers(repo, now, remarks)
    default = global_value("vaultgit.vault")
    if not default:
        if global_value("core.hooksPath"):
            remarks.append(f"your global git config names a hooks folder and was left alone; {_make_default(root)}")
        else:
            steps.append(Setting("global", "vaultgit.vault", root, "the vault for every folder on this machine"))
    elif os.path.realpath(os.path.expanduser(default)) != os.path.realpath(root):
        remarks.append(f"the default vault stays {default}; {_make_default(root)}")
    return steps


def _strangers(repo: Repository, now: dict[str, list[str]], remarks: list[str]) -> list[Setting]:
    """A clone may bring hooks of other people, which are programs. Set up for the first time, it runs none that nobody
    here has agreed to: by `pre-commit install`, say."""
    try:
        config = Disk(repo.worktree).read(".pre-commit-config.yaml") or b""
    except OSError:
        return []
    if not others.without_ours(config) or others.AGREED in now or hooks.runs_pre_commit(repo):
        return []
    named = ", ".join(others.names(config)[:5]) or "its hooks"
    what = f".pre-commit-config.yaml came with hooks that run programs ({named}): none is run"
    remarks.append(f"{what}; look at it, then: git config vaultgit.otherHooks true")
    return [Setting("local", "vaultgit.otherHooks", "false", "until you have looked at .pre-commit-config.yaml")]


def _make_default(root: str) -> str:
    return f"to make this one the default: git config --global vaultgit.vault {shlex.quote(root)}"


def local(repo: Repository) -> dict[str, list[str]]:
    """The clone's own config: each key's values, the last one holds."""
    found: dict[str, list[str]] = {}
    for entry in os.fsdecode(repo.run("config", "--local", "--list", "-z")).split("\0"):
        key, _, value = entry.partition("\n")
        if key:
            found.setdefault(key, []).append(value)
    return found


def global_value(key: str) -> str:
    """A value of the person's config, "" where it is not set."""
    done = subprocess.run(
        ["git", "config", "--global", "-z", "--get", key],
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    return os.fsdecode(done.stdout).rstrip("\0")


def write(repo: Repository, setting: Setting) -> None:
    """Sets a value, or unsets it. A folder is one of several: other vaults of the repository have theirs."""
    scope = f"--{setting.scope}"
    if setting.key == "vaultgit.folder":
        folder = setting.value if setting.value is not None else setting.words
        if setting.value is not None:
            repo.run("config", scope, "--add", setting.key, folder)
        else:
            repo.call("config", scope, "--unset-all", setting.key, f"^{re.escape(folder)}$")
    elif setting.value is not None:
        repo.run("config", scope, setting.key, setting.value)
    else:
        repo.call("config", scope, "--unset-all", setting.key)
