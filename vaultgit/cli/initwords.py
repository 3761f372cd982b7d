"""What `init` says of its work: what would be done, what was, what is taken out; in words, and for programs."""

from __future__ import annotations

from typing import Any

from vaultgit.cli import out
from vaultgit.edits import seen
from vaultgit.install import baseline
from vaultgit.install import hooks
from vaultgit.install import init
from vaultgit.install import tell
from vaultgit.install.first import First
from vaultgit.install.init import FileStep
from vaultgit.install.init import Plan
from vaultgit.install.understand import Place
from vaultgit.install.understand import Understanding
from vaultgit.vault import Vault


def describe(place: Place, understanding: Understanding) -> None:
    """Says what the vault is."""
    git = "no; a repository would be made" if place.repo is None else f"yes, branch {_branch(place)}"
    for line in tell.described(understanding, out.short(place.root), git):
        out.say(out.line(line))
    for line in [*tell.remarks(understanding), *_of_outer(place)]:
        out.remark(line)


def _branch(place: Place) -> str:
    assert place.repo is not None
    named = place.repo.call("symbolic-ref", "--quiet", "--short", "HEAD").stdout.decode("utf-8", "replace").strip()
    return named or "(none, detached)"


def would(planned: Plan, begun: First | None) -> None:
    """Says what would be done."""
    out.say()
    if begun is not None:
        out.say(f"Would put into git first, as they are: {tell.taken(begun)}. History begins with them.")
    if planned.files:
        changed = [step for step in planned.files if step.path.endswith(".md") and step.before is not None]
        inside = "nothing inside your notes" if not changed else f"our lines between markers in {_names(changed)}"
        out.say(f"Would write ({out.count(len(planned.files), 'file')}, {inside}):")
        for step in planned.files:
            out.say(f"  {step.path:<24}  {step.words}")
    if planned.hooks:
        out.say("Would install:")
        for words in planned.hooks:
            out.say(f"  {words}")
    if planned.settings:
        out.say("Would set in git's config:")
        for setting in planned.settings:
            where = " --global" if setting.scope == "global" else ""
            out.say(f"  git config{where} {setting.key}" + (f"   ({setting.words})" if setting.words else ""))
    for remark in [*planned.remarks, *tell.of_first(begun)]:
        out.remark(remark)
    by_hand(planned)
    program = "pre-commit install" if planned.layout == "pre-commit" and planned.hooks else "no program"
    stays = "" if begun is None else " (history stays, in .git)"
    out.say(f"Would start {program}. Undo all of this: vaultgit init --remove{stays}")


def _names(steps: list[FileStep]) -> str:
    return ", ".join(step.path for step in steps)


def report(vault: Vault, understanding: Understanding, planned: Plan, begun: First | None) -> None:
    """Says what was done."""
    if planned.files:
        ours = [step for step in planned.files if step.path.endswith(".md") and step.before is not None]
        kept = f"; yours kept in {_names(ours)}" if ours else ""
        notes = out.count(understanding.notes, "note")
        out.done("files", f"{len(planned.files)} written, 0 of your {notes} changed{kept}")
        first = f"{tell.taken(begun)} as they were, then " if begun is not None and begun.files else ""
        unsaved = len(set(seen.unsaved(vault)).difference(begun.held if begun is not None else ()))
        stayed = "stayed as it was" if unsaved == 1 else "stayed as they were"
        stayed = f"   (your {out.count(unsaved, 'unsaved change')} {stayed})" if unsaved else ""
        out.done("git", f'committed as you: {first}"{init.SET_UP}"{stayed}')
    if tell.mapped(understanding):
        out.done("mapped", tell.mapped(understanding))
    status = hooks.status(vault.repo)
    if status.live:
        out.done("hooks", status.words)
    else:
        out.remark(f"hooks    {status.words}")
    for setting in planned.settings:
        if setting.scope == "global":
            out.done("default", f"{out.short(vault.root)} is now {setting.words}")


def report_problems(judged: int, problems: baseline.Baseline) -> None:
    """Says what is wrong from before. `judged`: how many notes were checked."""
    if problems:
        have = "has a problem" if len(problems) == 1 else "have problems"
        words = f"{out.count(len(problems), 'note')} {have} from before"
        out.remark(f"checks   {words}; they block nothing: vaultgit check --no-baseline")
    elif judged:
        out.done("checks", f"{out.count(judged, 'note')} checked, no problem")


def remarks(place: Place, understanding: Understanding, planned: Plan) -> None:
    """Says what a person should know once it is done."""
    if any(setting.key == "vaultgit.people" for setting in planned.settings):
        what = "obsidian-git commits by itself here: commits of yours are warned, not stopped"
        out.remark(f"{what} (but for secrets, conflict markers, broken YAML): git config vaultgit.people")
    for line in [*tell.remarks(understanding), *_of_outer(place), *planned.remarks]:
        out.remark(line)
    by_hand(planned)
    if understanding.obsidian and planned.files and not understanding.hidden:
        out.say("Hide our files in Obsidian: Settings, Files and links, Excluded files: AGENTS, CLAUDE, changelog")


def by_hand(planned: Plan) -> None:
    """Says what a person puts where we do not write, to be copied as it stands."""
    if planned.by_hand:
        out.say(f"! {planned.by_hand}")


def _of_outer(place: Place) -> list[str]:
    if place.outer is None or not place.tracked_outside:
        return []
    shown = ", ".join(place.tracked_outside[:3])
    more = f" and {len(place.tracked_outside) - 3} more" if len(place.tracked_outside) > 3 else ""
    return [f"{out.short(place.outer.worktree)} tracks {shown}{more} as well, and goes on doing so"]


def hook_words(place: Place) -> str:
    """How checks run here, in words."""
    return f"hooks: {hooks.status(place.repo).words}" if place.repo is not None else "no repository"


def show_removal(planned: Plan, word: str) -> None:
    """Says what is taken out, or would be. `word`: which of both."""
    out.say(f"{word} ({out.count(len(planned.files), 'file')}):")
    for step in planned.files:
        out.say(f"  {step.path:<24}  {step.words}")
    for words in planned.hooks:
        out.say(f"  {words}")
    for setting in planned.settings:
        out.say(f"  git config{' --global' if setting.scope == 'global' else ''} {setting.key}")


def as_json(
    planned: Plan, understanding: Understanding | None = None, begun: First | None = None, *, done: bool,
    stays: list[str] | None = None,
) -> None:  # fmt: skip
    """What is done, or would be, for programs."""
    vault: dict[str, Any] = {"vault": tell.facts(understanding)} if understanding else {}
    if begun is not None:
        held = [one.path for one in begun.held.values()]
        vault["first"] = {"files": begun.files, "bytes": begun.size, "held_back": held}
    out.as_json(
        {
            **vault,
            "done": done,
            "files": [
                {"path": step.path, "what": "delete" if step.data is None else "write"} for step in planned.files
            ],
            "settings": [{"scope": one.scope, "key": one.key, "value": one.value} for one in planned.settings],
            "hooks": planned.hooks,
            "remarks": [*planned.remarks, *filter(None, [planned.by_hand])],
            "stays": stays or [],
        }
    )
