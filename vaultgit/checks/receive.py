"""What a server holds a push to, before any of it counts: the vault's branch to the checks, and never moved backwards;
review branches to what agents may write; and, where the owner sets it, agents to these branches.

Judged by the rules that the branch had before the push. Nothing in here starts a program but git, or asks a network.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit import config
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Collection
    from collections.abc import Iterable
    from collections.abc import Iterator
    from collections.abc import Sequence

    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange
    from vaultgit.checks.problem import Problem
    from vaultgit.history.ranges import Range
    from vaultgit.history.repository import Repository
    from vaultgit.vault import Rules
    from vaultgit.vault import Vault

HEADS = "refs/heads/"
BRANCH = "vaultgit.branch"  # git config: the vault's branch, where it is not HEAD's; may stand several times
ALLOW_REWRITE = "vaultgit.allowrewrite"
AGENTS_PUSH = "vaultgit.agentspush"
REVIEW = "review"  # its one value: agents push review branches, and nothing else
# For these each commit of a person is looked at, too: what it brings no later one takes out of history.
FOR_EVER = ("message", "secrets")
# With the first push of a branch an old vault may come: what was fine by the schemas of its day is judged at the end.
OF_OLD = ("protected", "names", "secrets", "markers", "message")


class Update(NamedTuple):
    """One line of a pre-receive hook's input: a ref moves from a commit to another, zeros for none."""

    old: str
    new: str
    ref: str


class Found(NamedTuple):
    """A problem. `commit`: the one that was judged by itself, "" for a range's end. `prefix`: path of the vault in its
    repository. `agents`: it is an agent's."""

    commit: str
    prefix: str
    problem: Problem
    agents: bool


class Judged(NamedTuple):
    """What a push was found to be. `refused`: refs that may not move so, each with the reason and what to do.
    `remarks`: what else whoever pushes should know."""

    refused: list[tuple[str, str]]
    found: list[Found]
    remarks: list[str]


def updates(lines: Iterable[str]) -> list[Update]:
    """The input of a pre-receive hook."""
    return [Update(*line.split(" ", 2)) for line in lines if line.count(" ") >= 2]


def judge(
    repo: Repository, pushed: Sequence[Update], pusher: str | None, tick: Callable[[str], None] = lambda _: None
) -> Judged:
    """What is wrong with a push. `pusher`: the agent whose key it came with, None for a person's. `tick` hears what is
    being looked at. Raises VaultgitError for settings that say nothing."""
    tick(pushed[0].ref if pushed else "")
    held = _Held(repo, pushed)
    judged = Judged([], [], [])
    for update in pushed:
        tick(update.ref)
        reason = held.refusal(update, pusher)
        if reason is not None:
            judged.refused.append(reason)
        elif _gone(update.new):
            continue
        elif held.is_vaults(update.ref):
            _judge_vaults(repo, update, judged, tick)
        elif held.is_review(update.ref):
            _judge_review(repo, held, update, pusher if held.agents_review else None, judged, tick)
    return judged


def heads(repo: Repository) -> list[str]:
    """The vault's branches, as refs: those that the owner named, else HEAD's."""
    named = [name for name in repo.config.get(BRANCH, []) if name]
    if named:
        return [name if name.startswith("refs/") else HEADS + name for name in named]
    head = repo.call("symbolic-ref", "--quiet", "HEAD").stdout
    return [os.fsdecode(head).strip()] if head.strip() else []


class _Held:
    """Which refs are held to what, as the repository was before the push."""

    def __init__(self, repo: Repository, pushed: Sequence[Update]) -> None:
        self.repo = repo
        named = heads(repo)
        tips = {ref: oid for ref in named if (oid := repo.resolve(ref)) is not None}
        # As long as HEAD leads nowhere nobody knows which branch will be the vault's: each may be.
        self._every = not tips and not repo.config.get(BRANCH)
        # A file system may take Main for main.
        self._vaults = {ref.casefold() for ref in named}
        self.tip = next(iter(tips.values()), None)
        self._review = _review_branches(repo, self.tip, pushed)
        self.agents_review = _agents_review(repo)

    def is_vaults(self, ref: str) -> bool:
        if ref.casefold() in self._vaults:
            return True
        return self._every and ref.startswith(HEADS) and not self.is_review(ref)

    def is_review(self, ref: str) -> bool:
        return ref.startswith(self._review)

    def refusal(self, update: Update, pusher: str | None) -> tuple[str, str] | None:
        """Why a ref may not move like this, and what to do; None when it may."""
        name = _short(update.ref)
        if pusher is not None and self.agents_review and (self.is_vaults(update.ref) or not self.is_review(update.ref)):
            where = ", ".join(_short(begin) for begin in self._review)
            what = f"{name}: {pusher} may push only branches that begin with {where}"
            return what, "push what you propose as such a branch; a person takes it into the vault's branch"
        if not self.is_vaults(update.ref) or _gone(update.old) or self.repo.flag(ALLOW_REWRITE):
            return None
        let = "who owns the server lets it through for once: git config vaultgit.allowRewrite true"
        if _gone(update.new):
            return f"{name}: the vault's branch is never deleted here", let
        if not _is_ancestor(self.repo, update.old, update.new):
            what = f"{name}: history that is here would be lost ({update.old[:10]} is not part of {update.new[:10]})"
            return what, f"bring it in first (git pull, or vaultgit sync), then push; {let}"
        return None


def _review_branches(repo: Repository, tip: str | None, pushed: Sequence[Update]) -> tuple[str, ...]:
    """How refs of review branches begin, by the settings that hold before the push, else by those it brings."""
    from vaultgit.vault import Rules
    from vaultgit.vault import Tree

    tips = [tip] if tip else [one.new for one in pushed if not _gone(one.new) and one.ref.startswith(HEADS)]
    found = {
        Rules(Tree(repo, commit, prefix), lenient=True).settings.review_prefix
        for commit in tips if repo.resolve(commit) for prefix in vaults_in(repo, commit)
    }  # fmt: skip
    return tuple(f"{HEADS}{prefix}{family}/" for prefix in sorted(found or {""}) for family in config.REVIEW)


def _agents_review(repo: Repository) -> bool:
    said = repo.setting(AGENTS_PUSH).lower()
    if said not in ("", "any", REVIEW):
        what = f"vaultgit.agentsPush is {said!r} on the server, which says nothing"
        raise VaultgitError(what, "there: git config vaultgit.agentsPush review, or --unset it")
    return said == REVIEW


# -- the vault's branch ----------------------------------------------------------------------------------------------


def _judge_vaults(repo: Repository, update: Update, judged: Judged, tick: Callable[[str], None]) -> None:
    from vaultgit.history import ranges

    old = None if _gone(update.old) else update.old
    before = vaults_in(repo, old) if old else []
    there = list(dict.fromkeys([*before, *vaults_in(repo, update.new)]))
    if not there:
        judged.remarks.append(f"{_short(update.ref)} holds no vault ({config.FILE}): nothing was checked")
        return
    span = ranges.between(repo, update.old, update.new)
    for prefix in there:
        vault, held_by_old = _vault(repo, prefix, old if prefix in before else None, update.new)
        emails = vault.settings.emails.values()
        found = _problems(vault, span, emails, tick)
        if any(one.problem.code in ("FM03", "LN01", "LN02", "SC01") for one in found) and held_by_old and old:
            judged.remarks.extend(_new_rules(repo, prefix, span, update.ref))
        judged.found.extend(found)


def _problems(vault: Vault, span: Range, emails: Collection[str], tick: Callable[[str], None]) -> list[Found]:
    from vaultgit import checks
    from vaultgit.checks import commits

    found: list[Found] = []
    first = span.base is None
    for oid, change in commits.each(vault, span, vault.rules, emails=emails, everyones=not first, tick=tick):
        only = (OF_OLD if first else None) if change.agent else ("message",) if first else FOR_EVER
        agents = change.agent is not None or change.agent_environment
        found += [Found(oid, vault.prefix, one, agents) for one in checks.run(_watched(vault, change, tick), only)]
    end = commits.at_end(vault, span, vault.rules, tick)
    seen = {one.problem for one in found}
    if any(not one.agents and one.problem.code == "SE01" for one in found):
        found = _but_allowed(found, end)
    ends = checks.run(_watched(vault, end, tick))
    return found + [Found("", vault.prefix, one, agents=False) for one in ends if one not in seen]


def _but_allowed(found: list[Found], end: Change) -> list[Found]:
    """Without the secrets of people's commits that a person says are none, where they stand at the end."""
    from vaultgit.checks import secrets

    texts = [(file.after or b"").decode("utf-8", "replace") for file in end.files]
    allowed = {
        secrets.fingerprint(one.value)
        for text in texts for line in text.split("\n") if secrets.is_allowed(line) for one in secrets.findings(line)
    }  # fmt: skip
    return [one for one in found if one.agents or one.problem.code != "SE01" or one.problem.mark not in allowed]


def _new_rules(repo: Repository, prefix: str, span: Range, ref: str) -> list[str]:
    """What to do where the push brings new rules along: they hold from the next one on."""
    paths = [f"{prefix}.vaultgit", f"{prefix}{config.FILE}"]
    out = repo.run("log", "-1", "--format=%H", *span.revisions, "--", *paths).decode().strip()
    if not out:
        return []
    what = "this push is judged by the settings and schemas from before it; those it brings hold from the next one on"
    return [f"{what}: git push ORIGIN {out[:10]}:{ref}, then push again"]


# -- review branches -------------------------------------------------------------------------------------------------


def _judge_review(
    repo: Repository, held: _Held, update: Update, pusher: str | None, judged: Judged, tick: Callable[[str], None]
) -> None:
    """Each agent's commit; and where an agent pushes it, that each new commit says so."""
    from vaultgit import checks
    from vaultgit.checks import commits
    from vaultgit.history import ranges

    span = ranges.between(repo, held.tip or "0" * len(update.new), update.new)
    for prefix in vaults_in(repo, held.tip or update.new):
        vault, _ = _vault(repo, prefix, held.tip, update.new)
        for oid, change in commits.each(vault, span, vault.rules, emails=vault.settings.emails.values(), tick=tick):
            if change.agent is None and pusher is not None:
                change = change._replace(agent_environment=True)
            agents = change.agent is not None or change.agent_environment
            only = None if change.agent else FOR_EVER
            problems = checks.run(_watched(vault, change, tick), only)
            judged.found.extend(Found(oid, prefix, one, agents) for one in problems)


# -- rules -----------------------------------------------------------------------------------------------------------


def vaults_in(repo: Repository, commit: str) -> list[str]:
    """Paths of the vaults in a commit, "" or with a trailing slash: the folders with settings."""
    out = repo.run("ls-tree", "-r", "-z", "--name-only", commit)
    end = "/" + config.FILE
    paths = (f"/{os.fsdecode(name)}" for name in out.split(b"\0") if name.endswith(config.FILE.encode()))
    return sorted(path[1 : -len(config.FILE)] for path in paths if path.endswith(end))


def _vault(repo: Repository, prefix: str, old: str | None, new: str) -> tuple[Vault, bool]:
    """The vault with the rules that the branch had before the push; with those it brings where it had none that can be
    used, so that what mends them gets in. And whether they are those from before."""
    from vaultgit.vault import Rules
    from vaultgit.vault import Tree
    from vaultgit.vault import Vault

    if old is not None:
        rules = Rules(Tree(repo, old, prefix), lenient=True)
        if _usable(rules):
            return Vault(repo.worktree, repo, prefix, rules), True
    return Vault(repo.worktree, repo, prefix, Rules(Tree(repo, new, prefix), lenient=True)), False


def _usable(rules: Rules) -> bool:
    if rules.broken is not None:
        return False
    try:
        for name in rules.types.names:
            rules.types.validate(name, {})
            rules.types.folder(name)
    except UsageError:
        return False
    return True


def _watched(vault: Vault, change: Change, tick: Callable[[str], None]) -> Change:
    return change._replace(files=_Watched(vault.prefix, change.files, tick))


class _Watched(tuple):  # type: ignore[type-arg]
    """Files of a change that say which one a check has come to, so that one that does not end can be named."""

    def __new__(cls, prefix: str, files: Iterable[FileChange], tick: Callable[[str], None]) -> _Watched:
        made = super().__new__(cls, files)
        made.prefix, made.tick = prefix, tick
        return made

    prefix: str
    tick: Callable[[str], None]

    def __iter__(self) -> Iterator[FileChange]:
        for file in super().__iter__():
            self.tick(self.prefix + file.path)
            yield file


def _is_ancestor(repo: Repository, old: str, new: str) -> bool:
    return repo.call("merge-base", "--is-ancestor", old, new).returncode == 0


def _gone(oid: str) -> bool:
    return not oid.strip("0")


def _short(ref: str) -> str:
    return ref.removeprefix(HEADS)
