"""Review branches made by hand: skills, actions that change them, and the branch, built as a pass would build it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager

from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import branches
from vaultgit.edits.branches import Action
from vaultgit.edits.branches import Built
from vaultgit.edits.edit import PathChange
from vaultgit.edits.submit import By
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

DREAM = "dream/2026-11-29"
TODAY = "2026-11-29"
NAMES = ("bake", "deploy", "review", "tag")


def skill(name: str, *, version: int = 1, updated: str = "2026-11-01", more: str = "", body: str = "") -> str:
    """A skill of nine steps, so that changes at its two ends do not touch."""
    head = f"type: skill\nname: {name}\nversion: {version}\ntrigger: when {name} is wanted\nlast_updated: {updated}\n"
    steps = "".join(f"{n}. part {n} of {name}\n" for n in range(1, 10))
    return f"---\n{head}{more}---\n# {name}\n\n{body or steps}"


def with_skills(vault: Folder, names: Sequence[str] = NAMES) -> Folder:
    """Commits skills, and a note of a person's that links to all of them."""
    for name in names:
        vault.write(f"skills/{name}.md", skill(name))
    vault.write("notes/mine.md", "".join(f"- I use [[{name}]] a lot\n" for name in names))
    vault.commit("skills")
    return vault


@contextmanager
def opened(vault: Folder, inside: str = "") -> Iterator[Vault]:
    """The vault, as code sees it."""
    found = open_vault(str(vault.root / inside))
    with found.repo:
        yield found


def at(vault: Folder, path: str, commit: str = "HEAD") -> bytes | None:
    """A note as a commit holds it."""
    done = vault.try_git("cat-file", "blob", f"{commit}:{path}")
    return done.out.encode("utf-8", "surrogateescape") if done.code == 0 else None


def changes(vault: Folder, new: Mapping[str, str | bytes | None], base: str = "HEAD") -> tuple[PathChange, ...]:
    """Changes from what a commit holds."""
    return tuple(
        PathChange(path, at(vault, path, base), text.encode() if isinstance(text, str) else text)
        for path, text in new.items()
    )


def bumped(text: str, old: str = "", new: str = "", *, day: str = TODAY) -> str:
    """The next version of a skill, with one piece of text replaced."""
    assert old in text
    version = int(text.split("version: ")[1].split("\n")[0])
    dated = text.replace(f"version: {version}\n", f"version: {version + 1}\n")
    updated = text.split("last_updated: ")[1].split("\n")[0]
    return dated.replace(f"last_updated: {updated}\n", f"last_updated: {day}\n").replace(old, new, 1)


def better(vault: Folder, name: str, *, step: int = 2, words: str = "better", base: str = "HEAD") -> Action:
    """A skill's next version, with one step reworded."""
    text = (at(vault, f"skills/{name}.md", base) or b"").decode()
    new = bumped(text, f"part {step} of {name}\n", f"part {step} of {name}, {words}\n")
    changed = changes(vault, {f"skills/{name}.md": new}, base)
    return Action(
        changed, f"skills/{name}: {words}", f"sessions show that {name} needs it", (("Trigger", "corrected"),)
    )


def merged(vault: Folder, kept: str, gone: str) -> Action:
    """One skill merged into another, as a dream does it: steps, an alias, and the links that lead to it."""
    text = (at(vault, f"skills/{kept}.md") or b"").decode()
    other = (at(vault, f"skills/{gone}.md") or b"").decode()
    notes = vault.git("grep", "-l", "-F", f"[[{gone}]]", "HEAD", "--", "notes").replace("HEAD:", "").split()
    new = (
        bumped(text, f"---\n# {kept}", f'aliases: [{gone}]\nreplaces: "[[skills/{gone}]]"\n---\n# {kept}')
        + other.split("\n\n")[1]
    )
    links = {path: (at(vault, path) or b"").replace(f"[[{gone}]]".encode(), f"[[{kept}]]".encode()) for path in notes}
    changed = changes(vault, {f"skills/{kept}.md": new, f"skills/{gone}.md": None, **links})
    return Action(changed, f"skills/{kept}: {gone} merged into it", f"{gone} says the same as {kept}")


def pruned(vault: Folder, name: str) -> Action:
    """A skill that goes."""
    return Action(changes(vault, {f"skills/{name}.md": None}), f"skills/{name}: nobody used it", "stale for two years")


def propose(
    vault: Folder,
    *actions: Action,
    name: str = DREAM,
    base: str = "HEAD",
    by: By = By(),  # noqa: B008
    inside: str = "",
) -> Built:
    """The branch."""
    with opened(vault, inside) as found:
        return branches.build(found, SystemClock(), name, vault.git("rev-parse", base), actions, by)


def dreamt(vault: Folder, names: Sequence[str] = NAMES[:3], *, name: str = DREAM) -> Built:
    """A vault with skills, and a dream of a better step in some of them."""
    with_skills(vault)
    return propose(vault, *(better(vault, one) for one in names), name=name)


def waiting(vault: Folder, name: str = DREAM) -> list[str]:
    """Subjects of the actions that wait; [] where the branch is gone or merged."""
    with opened(vault) as found:
        every = {branch.name: branch for branch in branches.listed(found)}
    return [commit.subject for commit in every[name].waiting] if name in every else []


def tips(vault: Folder) -> dict[str, str]:
    """All refs but HEAD's branch, ours included."""
    rows = vault.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    every = dict(row.split(" ") for row in rows)
    every.pop(vault.git("symbolic-ref", "HEAD"), None)
    return every


def exists(vault: Folder, name: str = DREAM) -> bool:
    return f"refs/heads/{name}" in tips(vault)


def sound(vault: Folder) -> bool:
    """Nothing of ours is left lying about, and changelog.md agrees with history."""
    left = [ref for ref in tips(vault) if ref.startswith("refs/vaultgit/")]
    assert not left
    verified = vault.run("verify")
    assert verified.code == 0, verified
    assert vault.git("fsck", "--no-dangling", "--no-progress") == ""
    return True
