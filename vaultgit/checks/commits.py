"""Changes to judge that are commits: a range, as CI and servers judge it.

Each agent's commit by itself; what people did at the end of the range, so that a mended note does not block for ever.
One git process a kind of question, however many commits: 10,000 of them may come with one push.
"""

from __future__ import annotations

import re
from functools import lru_cache
from functools import partial
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks import around
from vaultgit.checks import changes
from vaultgit.checks.around import Around
from vaultgit.checks.change import Change
from vaultgit.checks.message import parts
from vaultgit.history import ranges
from vaultgit.history.repository import GitError
from vaultgit.notes.links import fold
from vaultgit.vault import Rules
from vaultgit.vault import Tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Collection
    from collections.abc import Iterable
    from collections.abc import Iterator

    from vaultgit.checks.changes import Raw
    from vaultgit.history.ranges import Range
    from vaultgit.history.repository import Repository
    from vaultgit.vault import Vault

AGENTS_ADDRESS = "@agents.vaultgit.invalid"  # of an author: an agent's, even if no trailer says so
_DIFF = ("-r", "--raw", "-z", "--no-renames", "--abbrev=64")
_EDIT = re.compile("Edit: ([0-9a-hjkmnp-tv-z]{16})")
_BLOBS = 32  # blobs kept at hand, of 4 MB at most: what a commit made is what the next one changes


class Commit(NamedTuple):
    """A commit of a range. `agent`: from its trailer, None for a person's; `claims`: its author is an agent."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    day: str
    body: str
    agent: str | None
    claims: bool


def committed(vault: Vault, base: str, head: str) -> Iterator[tuple[str, Change]]:
    """A range, as CI judges it: agents' commits by the rules of `base` (a branch is not judged by the schemas it brings
    along), the end of the range by its own. Zeros as `base` are all of history. Yields (oid or "", change); raises
    UsageError for a range that this clone does not show."""
    span = ranges.between(vault.repo, base, head)
    new_rules = Rules(Tree(vault.repo, span.end, vault.prefix))
    # Settings that cannot be read are mended by a range; it must not be refused for what it mends.
    old_rules = Rules(Tree(vault.repo, span.base, vault.prefix), lenient=True) if span.base else new_rules
    yield from each(vault, span, old_rules, emails=new_rules.settings.emails.values())
    yield "", at_end(vault, span, new_rules)


def each(
    vault: Vault,
    span: Range,
    rules: Rules,
    *,
    emails: Collection[str] = (),
    everyones: bool = False,
    tick: Callable[[str], None] | None = None,
) -> Iterator[tuple[str, Change]]:
    """The commits of a range, oldest first: an agent's with its files, a person's for its message alone (`everyones`:
    with its files, too). `emails`: addresses that agents of this vault have. Judge one before you take the next."""
    repo = vault.repo
    listed = list(_commits(repo, span.revisions, emails))
    wanted = [commit for commit in listed if commit.agent or everyones]
    diffs = _diffs(vault, wanted, {commit.oid: commit.tree for commit in listed})
    too_large = changes.large(repo, (raw for found in diffs.values() for one in found for raw in one))
    read = lru_cache(_BLOBS)(partial(changes.data_of, repo))
    known, names = _Ids(repo, span.base), _Names(vault)
    for commit in listed:
        known.add(commit.body)
        if commit.oid not in diffs:
            yield commit.oid, Change((), rules, message=commit.body, agent_environment=commit.claims)
            continue
        of_parents = diffs[commit.oid]
        files = changes.files_of(
            vault, _in_all(of_parents), until=commit.parents, too_large=too_large, read=read, tick=tick
        )
        names.step(commit, of_parents[0])
        if commit.agent:
            files = [file for file in files if not changes.is_projection(repo, commit.oid, file, known=known)]
        place = around.at_commit(vault, commit.oid)._replace(named=names.of(commit.oid))
        yield commit.oid, Change(
            tuple(files), rules, agent=commit.agent, message=commit.body, today=commit.day, around=Around(place),
            agent_environment=commit.claims and not commit.agent,
        )  # fmt: skip


def at_end(vault: Vault, span: Range, rules: Rules, tick: Callable[[str], None] | None = None) -> Change:
    """All that a range brings, as it is at its end."""
    repo = vault.repo
    scope = [vault.prefix] if vault.prefix else []
    before = span.start or changes.empty_tree(repo)
    found = list(changes.raws(repo.run("diff-tree", *_DIFF, before, span.end, "--", *scope)))
    files = changes.files_of(vault, found, until=[span.start] if span.start else [], tick=tick)
    there = Around(around.at_commit(vault, span.end))
    paths = frozenset(around.commit_paths(vault, span.end))
    return Change(tuple(files), rules, today=changes.today(), paths=paths, around=there)


def _commits(repo: Repository, revisions: Iterable[str], emails: Collection[str]) -> Iterator[Commit]:
    shape = "--format=%H%x00%T%x00%P%x00%as%x00%ae%x00%B"
    tell = ("log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--no-color", "--encoding=UTF-8")
    out = repo.read(*tell, shape, *revisions, "--")
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    for oid, tree, parents, day, address, body in zip(*(fields[n::6] for n in range(6)), strict=False):
        agent = parts(body).trailers.get("agent")
        claims = address.endswith(AGENTS_ADDRESS) or address in emails
        yield Commit(oid, tree, tuple(parents.split()), day, body, agent, claims)


# -- what each of them changes ---------------------------------------------------------------------------------------


def _diffs(vault: Vault, commits: Iterable[Commit], trees: dict[str, str]) -> dict[str, list[list[Raw]]]:
    """Oid -> what the commit changes against each of its parents (a first one: against nothing)."""
    repo = vault.repo
    asked: list[tuple[Commit, str]] = []
    for commit in commits:
        for parent in commit.parents or ("",):
            if parent not in trees:
                trees[parent] = _tree(repo, parent) if parent else changes.empty_tree(repo)
            asked.append((commit, trees[parent]))
    if not asked:
        return {}
    scope = [vault.prefix] if vault.prefix else []
    lines = "".join(f"{before} {commit.tree}\n" for commit, before in asked)
    out = repo.run("diff-tree", "--stdin", *_DIFF, "--", *scope, input=lines.encode())
    found: dict[str, list[list[Raw]]] = {}
    for (commit, _), raws in zip(asked, _answers(out), strict=True):
        found.setdefault(commit.oid, []).append(raws)
    return found


def _tree(repo: Repository, commit: str) -> str:
    found = repo.object(commit)
    if found is None or found[1] != "commit":
        raise GitError(["cat-file", commit], 128, b"this commit is not here")
    return found[2].partition(b"\n")[0].removeprefix(b"tree ").decode()


def _answers(out: bytes) -> Iterator[list[Raw]]:
    """One list a pair of trees: a line that names the pair, then what differs, in fields that end with NUL."""
    at = 0
    found: list[Raw] | None = None
    while at < len(out):
        if out[at : at + 1] != b":":
            if found is not None:
                yield found
            at, found = out.index(b"\n", at) + 1, []
            continue
        middle = out.index(b"\0", at)
        end = out.index(b"\0", middle + 1)
        assert found is not None
        found.append(changes.raw_of(out[at:middle], out[middle + 1 : end]))
        at = end + 1
    if found is not None:
        yield found


def _in_all(of_parents: list[list[Raw]]) -> list[Raw]:
    """Of a merge, what differs from every parent, with all parents' versions."""
    by_path: dict[str, list[Raw]] = {}
    for raws in of_parents:
        for raw in raws:
            by_path.setdefault(raw.path, []).append(raw)
    return [
        raws[0]._replace(before=tuple(raw.before[0] for raw in raws))
        for raws in by_path.values()
        if len(raws) == len(of_parents)
    ]


class _Ids:
    """Edit ids in history up to a commit of the range: those before the range are looked up when first needed."""

    def __init__(self, repo: Repository, base: str | None) -> None:
        self._repo, self._base = repo, base
        self._here: set[str] = set()
        self._before: set[str] | None = None if base else set()

    def add(self, body: str) -> None:
        self._here.update(_EDIT.findall(body))

    def __contains__(self, edit_id: object) -> bool:
        if edit_id in self._here:
            return True
        if self._before is None:
            assert self._base is not None
            out = self._repo.run("log", "--fixed-strings", "--grep=Edit: ", "--format=%B", self._base, "--")
            self._before = set(_EDIT.findall(out.decode("utf-8", "replace")))
        return edit_id in self._before


class _Names:
    """The vault's files by their folded last part, in one commit after another: listed when first needed, and then
    followed from a commit to the next. Listing 100,000 names takes half a second."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._commit = ""
        self._by_name: dict[str, set[str]] | None = None

    def step(self, commit: Commit, changed: Iterable[Raw]) -> None:
        """On to this commit; `changed` against its first parent."""
        if self._by_name is not None and commit.parents[:1] == (self._commit,):
            for raw in changed:
                path = raw.path[len(self._vault.prefix) :]
                same = self._by_name.setdefault(_last(path), set())
                same.add(path) if raw.after else same.discard(path)
        else:
            self._by_name = None
        self._commit = commit.oid

    def of(self, oid: str) -> Callable[[Collection[str]], Iterable[str]]:
        """What a `Place` wants, as long as this is the commit."""

        def named(names: Collection[str]) -> Iterable[str]:
            if oid != self._commit:
                return around.commit_paths(self._vault, oid)
            if self._by_name is None:
                self._by_name = {}
                for path in around.commit_paths(self._vault, oid):
                    self._by_name.setdefault(_last(path), set()).add(path)
            return [path for name in names for path in sorted(self._by_name.get(name, ()))]

        return named


def _last(path: str) -> str:
    return fold(path.rpartition("/")[2])
