"""molt: the next version of a skill, as a branch of one commit that waits for a person.

A molt is made from what the vault's branch holds, whatever a person has typed since; one of a skill that has a molt
waiting already stands on that one, so that neither is lost. A skill that changes while its molt waits gets the version
after that one: `branches.onto` builds it anew when the molt is accepted.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem
from vaultgit.checks.secrets import redact
from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits import compose
from vaultgit.edits import submit
from vaultgit.edits.branches import Action
from vaultgit.edits.branches import Branch
from vaultgit.edits.branches import Built
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.edits.judge import Refused
from vaultgit.edits.merge import merge
from vaultgit.edits.submit import By
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import fold
from vaultgit.passes import review
from vaultgit.passes.engines import Engine
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines import accept
from vaultgit.recall import skills
from vaultgit.recall import uses
from vaultgit.recall.skills import Skill
from vaultgit.vault import Tree
from vaultgit.vault import Vault

TRIGGERS = ("repeated", "constraint", "corrected")
FAMILY = "molt"
_OURS = ("version", "last_updated")  # what a molt itself says
_TASK = """\
Write the next version of a procedure that agents follow. Change what the reason says is wrong or missing, and no more.
Keep every step, every block of code and every table word for word, in their order; add steps, or sentences between
them, where they belong. Write nothing that neither the procedure, the reason nor the sessions say. Answer with the
whole procedure."""
_SESSIONS = 3  # that used the skill last: what an engine gets to read beside the skill and the reason
_SESSION_CHARS = 4000  # of each


class Origin(NamedTuple):
    """What a molt starts from: a skill as `commit` holds it. `branch`: the molt that waits and that this one stands
    on, "" for the vault's own branch, which has `committed`. `unsaved`: on disk lies text that it has not."""

    path: str
    data: bytes
    commit: str
    branch: str
    committed: bytes
    unsaved: bool

    @property
    def name(self) -> str:
        return skills.stem(self.path)

    @property
    def version(self) -> int:
        version = frontmatter.read(self.data).values.get("version")
        return version if isinstance(version, int) else 0

    @property
    def body(self) -> str:
        return self.data[len(head(self.data)) :].decode("utf-8", "surrogateescape")


def head(data: bytes) -> bytes:
    """A note's front matter, with its fences."""
    block = frontmatter.block(data)
    return data[: block.body if block else 0]


class Wanted(NamedTuple):
    """Why a skill gets another version, and in whose name."""

    trigger: str
    reason: str
    by: By
    line: str | None = None  # the commit's subject; None: derived from the reason

    @property
    def trailers(self) -> tuple[tuple[str, str], ...]:
        return (("Trigger", self.trigger),)


# -- from what ---------------------------------------------------------------------------------------------------


def origin(vault: Vault, word: str, *, direct: bool = False) -> Origin:
    """What the next version of a skill, given by path, name or alias, is made from. `direct`: passing over molts that
    wait. Raises UsageError."""
    commit = branches.here(vault)
    if commit is None:
        raise UsageError("nothing is committed here yet", 'git add -A && git commit -m "my notes"')
    skill = named(vault, skills.at(vault, commit), word)
    here = Origin(skill.path, skill.data, commit, "", skill.data, _is_unsaved(vault, skill))
    waiting = [] if direct else _waiting(vault, here)
    return max(waiting, key=lambda one: one.version, default=here)


def _is_unsaved(vault: Vault, skill: Skill) -> bool:
    full, there = vault.prefix + skill.path, submit.current(vault, skill.path)
    return there is not None and filters.spaces(vault.repo, [full])[full].from_disk(there) != skill.data


def _waiting(vault: Vault, here: Origin) -> list[Origin]:
    """The skill as each molt of it that waits would have it."""
    found = []
    for branch in branches.pending(vault):
        written = _written(vault, branch, here.path) if branch.family == FAMILY else None
        if written is not None:
            found.append(here._replace(data=written, commit=branch.tip, branch=branch.name))
    return found


def _written(vault: Vault, branch: Branch, path: str) -> bytes | None:
    """What the branch makes of a note; None where it does not touch it."""
    changes = (change for commit in reversed(branch.waiting) for change in branches.changes_of(vault, commit))
    return next((change.new for change in changes if change.path == path), None)


def named(vault: Vault, there: skills.Skills, word: str) -> Skill:
    """The skill that a path, a name or an alias means. Raises UsageError, with the near name, where none or several
    are meant, and for one that is broken."""
    inside, folded = vault.relative(word), fold(word.removeprefix("[[").removesuffix("]]"))
    meant = (
        [skill for skill in there.skills if skill.path in (inside, f"{inside}.md")]
        or [skill for skill in there.skills if folded in (fold(skill.name), fold(skills.stem(skill.path)))]
        or [skill for skill in there.skills if folded in map(fold, skill.aliases)]
    )
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise UsageError(f"{word} means several skills", f"name one: {', '.join(skill.path for skill in meant)}")
    for path, why in there.broken.items():
        if path in (inside, f"{inside}.md") or fold(skills.stem(path)) == folded:
            raise UsageError(f"{path} is broken, and left alone: {why}", f"mend it: vaultgit check {path}")
    for path in (inside, f"{inside}.md", f"{vault.rules.folder(skills.TYPE)}/{word}.md"):
        if vault.rules.managed(path, submit.current(vault, path)) == skills.TYPE:
            raise UsageError(f"{path} is not in git yet", f"git add {path} && git commit, or: vaultgit record {path}")
    import difflib

    names = {fold(name): name for skill in there.skills for name in (skill.name, *skill.aliases)}
    near = difflib.get_close_matches(folded, names, n=1)
    raise UsageError(f"there is no skill {word}", f"did you mean {names[near[0]]}?" if near else "vaultgit skill list")


def was_dropped(vault: Vault, start: Origin) -> bool:
    """Whether a person has dropped a molt of this version of the skill before."""
    blob = vault.repo.blob(f"{start.commit}:{vault.prefix}{start.path}")
    return blob is not None and f"{FAMILY} {blob.oid}" in review.declined(vault)


# -- to what -----------------------------------------------------------------------------------------------------


def made_from(vault: Vault, start: Origin, given: bytes, base: str | None) -> bytes:
    """The version that a body was made from: the one with the oid `base`; else the nearer of the one that waits and the
    committed one, which is what lies on disk. (An agent that has not seen what waits is not to take it away again.)
    Raises judge.Refused."""
    if base is not None:
        return compose.blob_text(vault, start.path, base)
    lines = _lines(given)

    def distance(version: bytes) -> int:
        other = _lines(version)
        return (other - lines).total() + (lines - other).total()

    return min((start.data, start.committed), key=distance)


def _lines(note: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in note[len(head(note)) :].splitlines())


def change(
    vault: Vault, clock: Clock, start: Origin, given: bytes, model: bytes, *, trigger: str | None = None
) -> PathChange:
    """The skill's next version, from a new body that was made from `model`; from the same one, a change that changes
    nothing.

    A body with front matter brings its properties along: those that it names, but version and last_updated. `trigger`:
    when to use the skill, from now on. Raises judge.Refused, UsageError.
    """
    wanted = _with(model, start.path, given, trigger)
    merged = merge(model, start.data, wanted, text_merge=git_text_merge(vault.repo))
    if merged.conflicts or merged.data is None:
        what = f"does not merge with what {start.branch or 'HEAD'} has ({', '.join(merged.conflicts)})"
        newest = f"{start.branch or 'HEAD'}:{vault.prefix}{start.path}"
        mend = f"start from what git show {newest} prints, and add --base $(git rev-parse {newest})"
        raise Refused([Problem(start.path, 1, 1, "ED01", what, mend)])
    if merged.data == start.data:
        return PathChange(start.path, start.data, start.data)
    day = max(clock.now().strftime("%Y-%m-%d"), str(frontmatter.read(start.data).values.get("last_updated", "")))
    dated = _set(start.path, merged.data, {"version": start.version + 1, "last_updated": day})
    return PathChange(start.path, start.data, dated)


def _with(model: bytes, path: str, given: bytes, trigger: str | None) -> bytes:
    """The skill with another body, and the properties that came with it."""
    given = compose.endings_of(model, given).removeprefix(frontmatter.BOM)
    properties = frontmatter.read(given)
    if properties.problems:
        raise Refused([Problem(path, *_of_yaml(properties.problems[0]))])
    body = given[len(head(given)) :]
    if not body.strip():
        raise UsageError("a skill needs a body, and this one is empty", "… < body.md")
    values = {key: value for key, value in properties.values.items() if key not in _OURS}
    if trigger is not None:
        values["trigger"] = " ".join(trigger.split())
    above = head(model)
    return _set(path, above + _fitted(model[len(above) :], body), values)


def _fitted(old: bytes, new: bytes) -> bytes:
    """The new body with the old one's blank lines above it, and a line's end: what pipes lose is no change."""
    if new.lstrip(b"\r\n").rstrip() == old.lstrip(b"\r\n").rstrip():
        return old
    above = old[: len(old) - len(old.lstrip(b"\r\n"))]
    newline = b"\r\n" if old.count(b"\r\n") * 2 > old.count(b"\n") else b"\n"
    return above + new.strip(b"\r\n") + newline


def _set(path: str, data: bytes, values: dict[str, object]) -> bytes:
    try:
        return patch.set_properties(data, values)
    except frontmatter.FrontMatterError as error:
        raise Refused([Problem(path, *_of_yaml(error.problem))]) from error


def _of_yaml(problem: frontmatter.YamlProblem) -> tuple[int, int, str, str, str]:
    return problem.line, problem.column, problem.code, problem.message, problem.mend


# -- an engine's text --------------------------------------------------------------------------------------------


def prompt(vault: Vault, start: Origin, wanted: Wanted) -> Prompt:
    """What an engine is asked: the skill, why it needs another version, and the sessions that used it last."""
    used = uses.at(vault, start.commit).of(start.path).sessions[:_SESSIONS]
    tree = Tree(vault.repo, start.commit, vault.prefix)
    texts = [(path, redact((tree.read(path) or b"").decode("utf-8", "replace"))[0][:_SESSION_CHARS]) for path in used]
    why = (f"the reason ({wanted.trigger})", wanted.reason)
    return Prompt(_TASK, ((f"the procedure {start.name}", start.body), why, *texts))


def written(vault: Vault, start: Origin, wanted: Wanted, engine: Engine) -> tuple[bytes, Wanted]:
    """A new body by an engine, held to every step of the old one, and the molt that says who wrote it. Raises
    VaultgitError where there is none."""
    answer = engine.write(prompt(vault, start, wanted))
    body = "" if answer.failed else accept.unwrapped(answer.text)
    why = answer.failed or accept.refusal(
        [start.body], body, rules=vault.rules, path=start.path, head=head(start.data)
    )  # fmt: skip
    if why:
        what = f"{engine.name}'s text was not used, nothing was made: {why}"
        raise VaultgitError(what, f"write it yourself: vaultgit molt {start.name} … --edit, or … < body.md")
    said = f"{wanted.reason.strip()}\n\nText by {engine.name}, held to every step of the version before."
    return body.encode("utf-8", "surrogateescape"), wanted._replace(reason=said)


# -- proposing ---------------------------------------------------------------------------------------------------


def refuse_no_reason(wanted: Wanted) -> None:
    """Raises judge.Refused (SK03): before anybody writes a text for nothing."""
    if not wanted.reason.strip():
        what = "a molt says why the skill gets another version, and this one does not"
        raise Refused([Problem(MESSAGE, 1, 1, "SK03", what, "say why: --reason TEXT")])


def subject(wanted: Wanted, changed: PathChange) -> str:
    """The commit's subject: what was given, else the version and the beginning of the reason."""
    if wanted.line is not None:
        return wanted.line
    version = frontmatter.read(changed.new or b"").values.get("version")
    first = next(iter(wanted.reason.strip().splitlines()), "")
    return shorten(compose.plain(f"{changed.path.removesuffix('.md')}: v{version}, {first}"))


def judged(vault: Vault, clock: Clock, wanted: Wanted, changed: PathChange) -> Edit:
    """The molt as the edit it would be. Raises judge.Refused for what the checks have against it."""
    by = wanted.by._replace(agent=wanted.by.agent or branches.AGENT)
    edit = submit.make(
        vault, clock, [changed], subject=subject(wanted, changed), reason=wanted.reason, by=by,
        trailers=wanted.trailers,
    )  # fmt: skip
    submit.refuse_problems(vault, edit)
    return edit


def branch_name(start: Origin) -> str:
    """What the branch is called, where that name is free."""
    return f"{FAMILY}/{start.name}-v{start.version + 1}"


def propose(vault: Vault, clock: Clock, wanted: Wanted, start: Origin, changed: PathChange) -> Built:
    """Makes the branch. Raises judge.Refused, VaultgitError, with nothing made."""
    judged(vault, clock, wanted, changed)
    action = Action((changed,), subject(wanted, changed), wanted.reason, wanted.trailers)
    return branches.build(vault, clock, branch_name(start), start.commit, [action], wanted.by)
