"""`vaultgit init`: set up a vault, or take everything out again."""

from __future__ import annotations

import os
import shlex
from functools import partial
from typing import Any

import click

from vaultgit import config
from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.edits import seen
from vaultgit.errors import UsageError
from vaultgit.install import baseline
from vaultgit.install import first as first_commit
from vaultgit.install import folders
from vaultgit.install import hooks
from vaultgit.install import init
from vaultgit.install import removal
from vaultgit.install import tell
from vaultgit.install import understand
from vaultgit.install.first import First
from vaultgit.install.init import FileStep
from vaultgit.install.init import Plan
from vaultgit.install.understand import Place
from vaultgit.install.understand import Understanding
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import find_root
from vaultgit.vault import prefix_of

_INDEX_WITHIN = 30.0  # seconds that set-up takes for search's index; what is left, the first search does


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@click.option("--hooks", "layout", type=click.Choice(["native", "pre-commit"]), help="How checks run at `git commit`.")
@click.option("--repository", type=click.Choice(["own", "outer"]), help="For a folder inside a larger repository.")
@click.option("--ci", "service", type=click.Choice(["github", "gitlab"]), help="Also a workflow that runs the checks.")
@click.option("--bases", is_flag=True, help="Also table views for Obsidian: skills, decisions, inbox, sessions.")
@click.option("--adopt", is_flag=True, help="Propose front matter, as a branch; what is wrong now is from before.")
@click.option("--remove", is_flag=True, help="Take out what init put in.")
@options.dry_run_option
@options.yes_option
@options.json_option
@options.vault_option
@options.agent_option
def command(
    directory: str | None,
    layout: str | None,
    repository: str | None,
    service: str | None,
    bases: bool,
    adopt: bool,
    remove: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    vault: str | None,
    agent: str | None,
) -> int:
    """Set up the vault in DIR (default: the enclosing vault, else this folder).

    Writes a few files beside your notes, commits them as you, and installs a git hook. No note is changed.
    Show everything first with --dry-run; undo everything with --remove.

    \b
    Example:
      vaultgit init ~/Notes --dry-run
      vaultgit init ~/Notes
    """
    named = directory or options.vault_named(vault)
    root = os.path.realpath(os.path.expanduser(named)) if named else _here()
    place = understand.place(root, repository)
    if not dry_run:
        options.deciding_is_a_persons(place.repo, options.agent_name(agent), "setting up a vault")
    try:
        if remove:
            return _remove(place, dry_run, yes, as_json)
        understand.refuse_parent(root, place.repo)
        if not named:
            understand.refuse_inner_repository(os.path.realpath(os.getcwd()), root, place.repo)
        return _init(place, layout, service, bases, adopt, dry_run, as_json)
    finally:
        for repo in (place.repo, place.outer):
            if repo is not None:
                repo.close()


def _here() -> str:
    here = os.path.realpath(os.getcwd())
    return find_root(here) or here


# -- setting up ------------------------------------------------------------------------------------


def _init(
    place: Place,
    layout: str | None,
    service: str | None,
    bases: bool,
    adopt: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    root = place.root
    first = not os.path.lexists(os.path.join(root, config.FILE))
    homes = understand.homes(root, place.repo) if first else folders.NONE
    rules = understand.rules_to_be(root, homes) if first else Rules(Disk(root))
    with out.Progress("reading notes") as progress:
        understanding = understand.understand(root, rules, place.repo, homes, progress.more)
    problems = _baseline(place, rules, anew=first or adopt)
    planned = init.plan(
        root, place.repo, understanding, layout=layout, service=service, with_bases=bases, problems=problems
    )
    unborn = not planned.empty and (place.repo is None or place.repo.resolve("HEAD") is None)
    with out.Progress("looking for secrets") as progress:
        begun = first_commit.look(root, place.repo, rules, progress.more) if unborn else None
    if as_json and (planned.empty or dry_run):
        _as_json(planned, understanding, begun, done=False)
        return errors.DONE
    if planned.empty and not adopt:
        out.say(f"nothing to do: {out.short(root)} is set up ({_hook_words(place)})")
        for remark in planned.remarks:
            out.remark(remark)
        return errors.DONE
    if dry_run:
        _describe(place, understanding)
        _would(planned, begun)
        if adopt and place.repo is not None and place.repo.resolve("HEAD"):
            _propose(Vault(root, place.repo, prefix_of(place.repo, root), rules), dry_run=True)
        return errors.DONE

    from vaultgit.install import commit

    if place.repo is not None:
        commit.refuse_busy(place.repo)
    if begun is not None:
        prefix = prefix_of(place.repo, root) if place.repo is not None else ""
        first_commit.refuse(place.repo, prefix, begun.held, [step.path for step in planned.files])
    repo = place.repo or understand.make_repository(root)
    with repo:
        vault = understand.vault_at(root, repo)
        if place.repo is None and not as_json:
            out.done("git", "made a repository here" + (", of the vault's own" if place.outer else ""))
        if begun is not None:
            commit.adopt_unborn(vault, begun)
        init.apply(vault, planned, partial(commit.commit_setup, vault))
        seen.look(vault, SystemClock(), seen.SET_UP)
        if as_json:
            _as_json(planned, understanding, begun, done=True)
            return errors.DONE
        _report(vault, understanding, planned, begun)
        if adopt:
            _propose(vault, dry_run=False)
        if first or adopt:
            _report_problems(sum(understanding.managed.values()), problems or {})
        _remarks(place, understanding, planned)
        for line in tell.of_first(begun, done=True, made=place.repo is None):
            out.remark(line)
        question = _search(vault)
    out.say(f"Try:   vaultgit search {shlex.quote(question)}" if question else "Try:   vaultgit status")
    out.say("Then:  vaultgit agent install claude --dry-run    vaultgit capture --dry-run")
    out.say("Undo:  vaultgit init --remove")
    return errors.DONE


def _as_json(
    planned: Plan, understanding: Understanding | None = None, begun: First | None = None, *, done: bool,
    stays: list[str] | None = None,
) -> None:  # fmt: skip
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
            "remarks": planned.remarks,
            "stays": stays or [],
        }
    )


def _baseline(place: Place, rules: Rules, *, anew: bool) -> baseline.Baseline | None:
    """The baseline to write; None to leave it as it is. `anew`: of what is wrong now; else without what was mended."""
    if not anew and not rules.baseline:
        return None
    prefix = prefix_of(place.repo, place.root) if place.repo is not None else ""
    with out.Progress("checking notes") as progress:
        now = baseline.take(place.root, rules, place.repo, prefix, progress.more)
    return now if anew else baseline.shrink(rules.baseline, now)


def _propose(vault: Vault, *, dry_run: bool) -> None:
    """Front matter for notes of a type that do not say so, as a branch to read."""
    from vaultgit.install import adopt

    with out.Progress("reading notes") as progress:
        adoption = adopt.plan(vault, progress.more)
    notes = out.count(adoption.number, "note")
    if not adoption.number:
        out.say("no note lacks front matter that could be told")
    elif dry_run:
        kinds = ", ".join(f"{name} {len(paths):,}" for name, paths in sorted(adoption.proposed.items()))
        out.say(f"Would propose front matter for {notes}, as a branch to read: {kinds}")
    else:
        name = adopt.propose(vault, SystemClock(), adoption)
        out.done("proposed", f"front matter for {notes}, one commit a type: git log -p HEAD..{name}")
        out.say(f"           take it: git merge {name}     drop it: git branch -D {name}")
    for path, words in list(adoption.needs.items())[:5]:
        out.remark(f"left: {path} ({words})")
    if len(adoption.needs) > 5:
        out.remark(f"left: {out.count(len(adoption.needs) - 5, 'more note')} that need a word of yours")


def _describe(place: Place, understanding: Understanding) -> None:
    git = "no; a repository would be made" if place.repo is None else f"yes, branch {_branch(place)}"
    for line in tell.described(understanding, out.short(place.root), git):
        out.say(line)
    for line in [*tell.remarks(understanding), *_of_outer(place)]:
        out.remark(line)


def _branch(place: Place) -> str:
    assert place.repo is not None
    named = place.repo.call("symbolic-ref", "--quiet", "--short", "HEAD").stdout.decode("utf-8", "replace").strip()
    return named or "(none, detached)"


def _would(planned: Plan, begun: First | None) -> None:
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
    program = "pre-commit install" if planned.layout == "pre-commit" and planned.hooks else "no program"
    stays = "" if begun is None else " (history stays, in .git)"
    out.say(f"Would start {program}. Undo all of this: vaultgit init --remove{stays}")


def _names(steps: list[FileStep]) -> str:
    return ", ".join(step.path for step in steps)


def _report(vault: Vault, understanding: Understanding, planned: Plan, begun: First | None) -> None:
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


def _search(vault: Vault) -> str:
    """Builds the index, says how long that took, and returns what may be searched for; "" where nothing is there."""
    import time

    from vaultgit.recall import index

    began = time.monotonic()
    progress = out.Progress("reading notes for the index")
    with index.opened(vault, progress.more) as opened:
        with progress:
            view = opened.now(within=_INDEX_WITHIN)
        notes = [note for note in view.notes() if not tell.is_ours(note.path)]
    if view.stale:
        out.remark(f"search   {out.count(len(notes), 'note')} so far; the first search reads the others")
    else:
        words = f"{out.count(len(notes), 'note')} in {time.monotonic() - began:.1f} s, no model needed"
        out.done("search", words)
    return tell.question(notes)


def _report_problems(judged: int, problems: baseline.Baseline) -> None:
    if problems:
        have = "has a problem" if len(problems) == 1 else "have problems"
        words = f"{out.count(len(problems), 'note')} {have} from before"
        out.remark(f"checks   {words}; they block nothing: vaultgit check --no-baseline")
    elif judged:
        out.done("checks", f"{out.count(judged, 'note')} checked, no problem")


def _remarks(place: Place, understanding: Understanding, planned: Plan) -> None:
    if any(setting.key == "vaultgit.people" for setting in planned.settings):
        what = "obsidian-git commits by itself here: commits of yours are warned, not stopped"
        out.remark(f"{what} (but for secrets, conflict markers, broken YAML): git config vaultgit.people")
    for line in [*tell.remarks(understanding), *_of_outer(place), *planned.remarks]:
        out.remark(line)
    if understanding.obsidian and planned.files and not understanding.hidden:
        out.say("Hide our files in Obsidian: Settings, Files and links, Excluded files: AGENTS, CLAUDE, changelog")


def _of_outer(place: Place) -> list[str]:
    if place.outer is None or not place.tracked_outside:
        return []
    shown = ", ".join(place.tracked_outside[:3])
    more = f" and {len(place.tracked_outside) - 3} more" if len(place.tracked_outside) > 3 else ""
    return [f"{out.short(place.outer.worktree)} tracks {shown}{more} as well, and goes on doing so"]


def _hook_words(place: Place) -> str:
    return f"hooks: {hooks.status(place.repo).words}" if place.repo is not None else "no repository"


# -- taking out ------------------------------------------------------------------------------------


def _remove(place: Place, dry_run: bool, yes: bool, as_json: bool) -> int:
    if place.repo is None:
        raise UsageError(f"{place.root} is in no git repository; there is nothing to take out")
    vault = understand.vault_at(place.root, place.repo)
    planned, stays = removal.plan_removal(vault)
    if as_json and (planned.empty or dry_run):
        _as_json(planned, done=False, stays=stays)
        return errors.DONE
    if planned.empty:
        out.say(f"nothing to do: {out.short(place.root)} is not set up")
        return errors.DONE
    if not as_json:
        _show_removal(planned, "Would take out" if dry_run else "Taking out")
    if not dry_run:
        if not options.confirmed("Go on?", yes):
            return errors.REFUSED

        from vaultgit.install import commit

        removal.undo(vault, planned, partial(commit.commit_setup, vault))
        if as_json:
            _as_json(planned, done=True, stays=stays)
            return errors.DONE
        out.done("removed", f'committed as you: "{removal.REMOVE}"' if planned.files else "nothing was left to commit")
    for words in stays:
        out.remark(f"stays: {words}")
    return errors.DONE


def _show_removal(planned: Plan, word: str) -> None:
    out.say(f"{word} ({out.count(len(planned.files), 'file')}):")
    for step in planned.files:
        out.say(f"  {step.path:<24}  {step.words}")
    for words in planned.hooks:
        out.say(f"  {words}")
    for setting in planned.settings:
        out.say(f"  git config{' --global' if setting.scope == 'global' else ''} {setting.key}")
