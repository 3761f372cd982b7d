"""A shared bare repository that holds what is pushed to it: its pre-receive hook, and the inverse.

What stood there before is kept beside ours and runs after it. The owner's own settings (docs/server.md) are never set
here, and stay when ours is taken out.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from vaultgit import resources
from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository
from vaultgit.install import hooks
from vaultgit.install import settings
from vaultgit.install.settings import Setting

NAME = "pre-receive"
PROGRAM = "vaultgit.program"
FSCK = "receive.fsckObjects"
# Says that it was not the owner who had git look into what is pushed, so that it goes with the hook.
FSCK_BY_INIT = "vaultgit.fsckByInit"
OWNERS = ("vaultgit.branch", "vaultgit.agentspush", "vaultgit.allowrewrite", "vaultgit.receivetimeout")
_OURS = b"# vaultgit server hook:"


class Plan(NamedTuple):
    """What is to be done. `hook`: one line about it, "" where it stands as it should. `stays`: what --remove leaves."""

    hook: str
    settings: list[Setting]
    remarks: list[str]
    stays: list[str]

    @property
    def empty(self) -> bool:
        return not (self.hook or self.settings)


def opened(path: str) -> Repository:
    """The bare repository at `path`. Raises UsageError for anything else."""
    full = os.path.realpath(os.path.expanduser(path))
    repo = Repository.find(full) if os.path.isdir(full) else None
    if repo is None:
        raise UsageError(f"there is no repository at {path}", f"git init --bare {path}")
    if not repo.bare:
        raise UsageError(f"{path} is a work tree; what machines share is a bare repository",
                         f"git clone --bare {path} {path.rstrip('/')}.git")  # fmt: skip
    if os.path.realpath(repo.git_dir) != full:
        raise UsageError(f"{path} is a folder inside the repository {repo.git_dir}", f"--server {repo.git_dir}")
    setting = hooks.configured(repo)
    if setting is not None and os.path.realpath(setting.folder) != os.path.dirname(_path(repo)):
        what = f"git looks for hooks in {setting.value} (core.hooksPath in {setting.origin}), not in this repository"
        raise UsageError(what, f"to have its own: git -C {path} config core.hooksPath hooks")
    return repo


def plan(repo: Repository) -> Plan:
    """What has to be put in place; nothing the second time."""
    now, start = settings.local(repo), settings.program()
    hook, path = "", _path(repo)
    if _kind(path) != "ours" or _read(path) != _script() or not os.access(path, os.X_OK):
        hook = "every push is checked before it counts"
        if _kind(path) == "other":
            hook += f"; the hook that is there is kept as {NAME}{hooks.KEPT}, and runs after it"
    steps = []
    if now.get(PROGRAM, [""])[-1] != start:
        steps.append(Setting("local", PROGRAM, start, "the program that the hook starts"))
    if not repo.setting(FSCK.lower()) and not repo.setting("transfer.fsckobjects"):
        steps.append(Setting("local", FSCK, "true", "git itself refuses objects that are broken or harmful"))
        steps.append(Setting("local", FSCK_BY_INIT, "true", "that this was set here, and goes with --remove"))
    return Plan(hook, steps, _remarks(repo, start), [])


def apply(repo: Repository, planned: Plan) -> None:
    """Carries out a plan of `plan`. The hook comes last: it needs the program's place."""
    for setting in planned.settings:
        settings.write(repo, setting)
    if planned.hook:
        _stand(_path(repo))


def plan_removal(repo: Repository) -> Plan:
    """The inverse."""
    now, path = settings.local(repo), _path(repo)
    hook = ""
    if _kind(path) == "ours":
        hook = "pushes are no longer checked"
        hook += "; the hook that was there comes back" if os.path.lexists(path + hooks.KEPT) else ""
    steps = [Setting("local", PROGRAM, None, "")] if PROGRAM in now else []
    if FSCK_BY_INIT.lower() in now:
        if now.get(FSCK.lower(), [""])[-1] == "true":
            steps.append(Setting("local", FSCK, None, ""))
        steps.append(Setting("local", FSCK_BY_INIT, None, ""))
    stays = [f"git config {key} {value}, which is yours" for key in OWNERS for value in now.get(key, [])]
    if _kind(path) == "other" and os.path.lexists(path + hooks.KEPT):
        stays.append(f"hooks/{NAME}{hooks.KEPT}: somebody put another hook in the place of ours")
    return Plan(hook, steps, [], stays)


def undo(repo: Repository, planned: Plan) -> None:
    """Carries out a plan of `plan_removal`."""
    path = _path(repo)
    if planned.hook:
        os.unlink(path)
        if os.path.lexists(path + hooks.KEPT):
            os.rename(path + hooks.KEPT, path)
    for setting in planned.settings:
        settings.write(repo, setting)


def _remarks(repo: Repository, start: str) -> list[str]:
    from vaultgit.checks import receive

    found = []
    heads = receive.heads(repo)
    born = [ref for ref in heads if repo.resolve(ref)]
    names = ", ".join(ref.removeprefix(receive.HEADS) for ref in born or heads)
    if born:
        found.append(f"held: {names}, and review branches; other branches and tags are left alone")
    else:
        found.append(f"there is no {names} here yet; until it is, every branch is held to the checks")
    owner = os.stat(repo.git_dir).st_uid
    if owner != os.geteuid():
        import pwd

        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"#{owner}"
        found.append(f"{name} owns the repository and must be able to start it: sudo -u {name} {start} --version")
    return found


def _path(repo: Repository) -> str:
    return os.path.join(os.path.realpath(repo.common_dir), "hooks", NAME)


def _kind(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    return "ours" if _OURS in _read(path) else "other"


def _stand(path: str) -> None:
    if _kind(path) == "other":
        older, number = path + hooks.KEPT, 0
        while os.path.lexists(older):  # one from before, whose place somebody else's installer took
            number += 1
            older = f"{path}{hooks.KEPT}-{number}"
        if number:
            os.rename(path + hooks.KEPT, older)
        os.rename(path, path + hooks.KEPT)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = path + ".vaultgit-new"
    with open(new, "wb") as stream:
        stream.write(_script())
    os.chmod(new, 0o755)
    os.replace(new, path)


def _script() -> bytes:
    return resources.read("hooks", f"server/{NAME}")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return b""
