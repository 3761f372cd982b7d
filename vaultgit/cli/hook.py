"""`vaultgit hook NAME`: what git's hooks, pre-commit and git's merge driver call (and agent clients: cli/clienthook).

main() comes here before it imports click: the hook's time is mostly Python's start. Nothing here touches
the work tree; staged bytes are judged as git would commit them. Exit 1 refuses a commit, 0 lets it go.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vaultgit import errors
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Sequence

    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange
    from vaultgit.vault import Vault

# What a person's commit is refused for even under `git config vaultgit.people warn`.
ALWAYS = frozenset(("SE01", "MK01", "FM01"))
CLIENTS = ("session-start", "prompt", "wrote", "compact", "session-end", "finish", "index")  # cli/clienthook
CONFLICT = 20  # of the merge driver: conflict markers are written; anything else but 0 means it could not try


def run(argv: Sequence[str]) -> int:
    """`vaultgit hook ARGV`; returns the exit code."""
    name, args = (argv[0] if argv else ""), list(argv[1:])
    if name == "pre-commit":
        return _pre_commit()
    if name == "commit-msg" and args:
        return _commit_msg(args[0])
    if name == "prepare-commit-msg":
        return errors.DONE  # the script has left the mark of a commit in progress, and that is all
    if name == "framework":
        return _framework(args)
    if name == "pre-receive":
        from vaultgit.cli import prereceive

        return prereceive.run()
    if name == "merge-driver" and len(args) == 5:
        return _merge_driver(*args)
    if name in CLIENTS:
        from vaultgit.cli import clienthook

        return clienthook.run(name, args)
    raise UsageError(
        f"there is no hook {' '.join(argv)!r}" if argv else "hook needs a name",
        "vaultgit hook --help lists them",
    )


# -- git's own hooks -------------------------------------------------------------------------------


def _pre_commit() -> int:
    repo = _repository()
    if repo is None:
        return errors.DONE
    with repo:
        index_file = _index_file(repo)
        code = errors.DONE
        for vault in _vaults(repo):
            _repair(vault, index_file)
            code |= _judge(vault, _staged(vault, index_file), None)
        return code or _others(repo, index_file, "pre-commit")


def _commit_msg(file: str) -> int:
    repo = _repository()
    if repo is None:
        return errors.DONE
    with repo:
        code = errors.DONE
        for vault in _vaults(repo):
            code |= _judge_message(vault, _message(file))
        return code or _others(repo, _index_file(repo), "commit-msg", file)


def _others(repo: Repository, index_file: str | None, stage: str, *args: str) -> int:
    from vaultgit.cli import otherhooks

    return otherhooks.run(repo, index_file, stage, *args)


def _repair(vault: Vault, index_file: str | None) -> None:
    """Before judging: a reversal that it mends is not the person's. Imported only where edits have landed."""
    try:
        landed = os.listdir(os.path.join(vault.state, "landed"))
    except OSError:
        return
    if landed:
        from vaultgit.edits.repair import repair_index

        repair_index(vault, index_file)


def _judge_message(vault: Vault, message: str) -> int:
    from vaultgit.checks.change import Change
    from vaultgit.checks.message import parts

    signed, client = parts(message).trailers.get("agent"), _agent()
    change = Change((), vault.rules, agent=signed, message=message)
    if signed or client is not None:
        change = _staged(vault, _index_file(vault.repo), message=message, agent=signed)
    if signed:  # only now it is known whose commit it is: what pre-commit let a person do is judged again
        from vaultgit.checks.changes import is_projection

        # A person may end a cherry-pick or rebase of an agent's edit, which brings its own line along.
        files = (file for file in change.files if not is_projection(vault.repo, "HEAD", file, message))
        return _judge(vault, change._replace(files=tuple(files)), None)
    # Code beside the vault is not our business.
    change = change._replace(agent_environment=client is not None and bool(change.files), files=())
    return _judge(vault, change, ("message", "secrets"))


def _judge(vault: Vault, change: Change, only: Collection[str] | None) -> int:
    from vaultgit import checks

    problems = checks.run(change, only)
    if not problems:
        return errors.DONE
    agents = change.agent is not None or change.agent_environment
    warn = not agents and vault.repo.setting("vaultgit.people") == "warn"
    refused = [problem for problem in problems if not warn or problem.code in ALWAYS]
    for problem in problems:
        where = vault.prefix if problem.path != _message_path() else ""
        out.talk(f"{'' if problem in refused else 'warning: '}{where}{problem}")
    if not refused:
        out.talk(f"vaultgit: {out.count(len(problems), 'problem')}; the commit goes on (vaultgit.people is warn)")
        return errors.DONE
    out.talk(f"vaultgit: not committed, {out.count(len(refused), 'problem')}; mend, git add, and commit again")
    return errors.REFUSED


def _staged(vault: Vault, index_file: str | None, *, message: str | None = None, agent: str | None = None) -> Change:
    from vaultgit.checks import changes

    client = _agent()
    return changes.staged(
        vault,
        index_file=index_file,
        message=message,
        agent=agent or client,
        agent_environment=client is not None,
        amend=_amends(),
    )


def _amends() -> bool:
    """Whether the commit replaces HEAD (`git commit --amend`): it is compared with HEAD's parents then. Our script
    says which process commits; where its command line cannot be seen, it is taken for a new commit."""
    pid = os.environ.get("VAULTGIT_COMMIT_PID", "")
    if not pid.isdigit():
        return False
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return b"--amend" in stream.read().split(b"\0")
    except OSError:
        import subprocess

        shown = subprocess.run(["ps", "-o", "args=", "-p", pid], capture_output=True, text=True, check=False)
        return "--amend" in shown.stdout.split()


def _agent() -> str | None:
    from vaultgit import agents

    client = agents.recognise(os.environ)
    return os.environ.get("VAULTGIT_AGENT") or (client.name if client else None)


def _message_path() -> str:
    from vaultgit.checks.problem import MESSAGE

    return MESSAGE


def _repository() -> Repository | None:
    places = os.environ.pop("VAULTGIT_PLACES", "").split("\n")  # from our script: common, own, root
    if len(places) == 3:
        return Repository(places[2], places[1], places[0])
    try:
        repo = Repository.find(os.getcwd())
    except UsageError as error:
        out.talk(f"vaultgit: {error.message}; this commit was not checked")
        return None
    if repo is None or repo.bare:
        out.talk("vaultgit: no work tree found here; this commit was not checked")
        return None
    return repo


def _index_file(repo: Repository) -> str | None:
    """The index that git is about to commit where it is not the repository's own: `git commit PATH`, `-a`."""
    named = os.environ.get("GIT_INDEX_FILE")
    if not named:
        return None
    full = os.path.abspath(named)
    own = os.path.join(repo.git_dir, "index")
    return None if os.path.realpath(full) == os.path.realpath(own) else full


def _vaults(repo: Repository) -> list[Vault]:
    """The vaults in this work tree: the folders that `init` noted, else (in CI) those with settings, else its top."""
    from vaultgit.vault import Disk
    from vaultgit.vault import Rules
    from vaultgit.vault import Vault

    vaults = []
    for folder in repo.config.get("vaultgit.folder") or _with_settings(repo) or ["."]:
        root = repo.worktree if folder == "." else os.path.join(repo.worktree, folder)
        if os.path.isdir(root):
            # Broken settings are refused where they are staged (SC01); the other checks go on with the defaults.
            rules = Rules(Disk(root), lenient=True)
            vaults.append(Vault(root, repo, "" if folder == "." else f"{folder}/", rules))
    return vaults


def _with_settings(repo: Repository) -> list[str]:
    from vaultgit import config

    found = repo.run("ls-files", "-z", "--", f":(glob)**/{config.FILE}", env={"GIT_LITERAL_PATHSPECS": "0"})
    return [os.path.dirname(os.fsdecode(name)) or "." for name in found.split(b"\0") if name]


def _message(file: str) -> str:
    """The commit message as git will clean it: without comments where an editor was open, nor what is below
    the cut.
    """
    with open(file, "rb") as stream:
        text = stream.read().decode("utf-8", "surrogateescape")
    edited = os.environ.get("GIT_EDITOR") != ":"
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("# ------------------------ >8 ------------------------"):
            break
        if not (edited and line.startswith("#")):
            lines.append(line)
    return "\n".join(lines).strip("\n") + "\n"


# -- pre-commit ------------------------------------------------------------------------------------


def _framework(args: list[str]) -> int:
    """As a hook of pre-commit: what is staged (deletions too), and files given that are not, as they lie."""
    only: list[str] = []
    while args[:1] == ["--check"]:
        only.append((args[1:2] or [""])[0])
        args = args[2:]
    repo = _repository()
    if repo is None:
        return errors.DONE
    with repo:
        code = errors.DONE
        if only == ["message"]:
            for vault in _vaults(repo):
                for file in args:
                    code |= _judge_message(vault, _message(file))
            return code
        index_file = _index_file(repo)
        for vault in _vaults(repo):
            change = _staged(vault, index_file)
            staged = {file.path for file in change.files}
            lying = tuple(file for file in _lying(vault, args) if file.path not in staged)
            code |= _judge(vault, change, only or None)
            # With --all-files: files that nobody changes now, an agent that starts this no more than a person.
            code |= _judge(vault, change._replace(files=lying, agent=None, agent_environment=False), only or None)
        return code


def _lying(vault: Vault, names: Sequence[str]) -> list[FileChange]:
    from vaultgit.checks.change import FileChange

    found = []
    for name in names:
        if not name.startswith(vault.prefix):
            continue
        full = os.path.join(vault.repo.worktree, name)
        if os.path.islink(full) or not os.path.isfile(full):
            continue
        with open(full, "rb") as stream:
            found.append(FileChange(name[len(vault.prefix) :], (), stream.read()))
    return found


# -- the merge driver ------------------------------------------------------------------------------


def _merge_driver(base: str, ours: str, theirs: str, path: str, marker_size: str) -> int:
    """git's merge driver `vaultgit`: the result goes into the file `ours`, with git's own markers on a
    conflict.
    """
    from vaultgit.edits.mergedriver import merge_driver

    size = int(marker_size) if marker_size.isdigit() else 7
    repo = Repository.find(os.getcwd())
    if repo is None:
        return CONFLICT if merge_driver(None, base, ours, theirs, path, size) else errors.DONE
    with repo:
        return CONFLICT if merge_driver(repo, base, ours, theirs, path, size) else errors.DONE
