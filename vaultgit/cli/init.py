"""`vaultgit init`: set up a vault, or take everything out again."""

from __future__ import annotations

import os
from functools import partial

import click

from vaultgit import config
from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.install import hooks
from vaultgit.install import init
from vaultgit.install import removal
from vaultgit.install import understand
from vaultgit.install.init import FileStep
from vaultgit.install.init import Plan
from vaultgit.install.understand import Place
from vaultgit.install.understand import Understanding
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import find_root


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@click.option("--hooks", "layout", type=click.Choice(["native", "pre-commit"]), help="How checks run at `git commit`.")
@click.option("--repository", type=click.Choice(["own", "outer"]), help="For a folder inside a larger repository.")
@click.option("--adopt", is_flag=True, help="Note the problems that notes have now as from before: they block nothing.")
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
    """
    named = directory or vault
    root = os.path.realpath(os.path.expanduser(named)) if named else _here()
    place = understand.place(root, repository)
    if not dry_run:
        options.deciding_is_a_persons(place.repo, options.agent_name(agent), "setting up a vault")
    try:
        if remove:
            return _remove(place, dry_run, yes, as_json)
        return _init(place, layout, adopt, dry_run, as_json)
    finally:
        for repo in (place.repo, place.outer):
            if repo is not None:
                repo.close()


def _here() -> str:
    here = os.path.realpath(os.getcwd())
    return find_root(here) or here


# -- setting up ------------------------------------------------------------------------------------


def _init(place: Place, layout: str | None, adopt: bool, dry_run: bool, as_json: bool) -> int:
    root = place.root
    rules = Rules(Disk(root))
    understanding = understand.understand(root, rules)
    first = not os.path.isfile(os.path.join(root, config.FILE))
    judged, problems = _problems(root, rules) if first or adopt else (0, {})
    baseline = problems if adopt or (first and problems) else None
    planned = init.plan(root, place.repo, understanding, layout=layout, baseline=baseline)
    if as_json and (planned.empty or dry_run):
        _as_json(planned, done=False)
        return errors.DONE
    if planned.empty:
        out.say(f"nothing to do: {out.short(root)} is set up ({_hook_words(place)})")
        for words in planned.remarks:
            out.remark(words)
        return errors.DONE
    if dry_run:
        _describe(place, understanding)
        _would(planned)
        return errors.DONE

    from vaultgit.install import commit

    if place.repo is not None:
        commit.refuse_busy(place.repo)
    repo = place.repo or understand.make_repository(root)
    with repo:
        vault = understand.vault_at(root, repo)
        if place.repo is None and not as_json:
            out.done("git", "made a repository here" + (", of the vault's own" if place.outer else ""))
        adopted = repo.resolve("HEAD") is None
        secret = commit.adopt_unborn(vault) if adopted else []
        init.apply(vault, planned, partial(commit.commit_setup, vault))
        if as_json:
            _as_json(planned, done=True)
            return errors.DONE
        _report(vault, understanding, planned, adopted)
        if first or adopt:
            _report_problems(judged, problems)
        _remarks(place, understanding, planned)
        for path in secret:
            out.remark(f"not put into git: {path} holds what looks like a secret (vaultgit check {path})")
    out.say("Try:   vaultgit status")
    out.say("Undo:  vaultgit init --remove")
    return errors.DONE


def _as_json(planned: Plan, *, done: bool, stays: list[str] | None = None) -> None:
    out.as_json(
        {
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


def _problems(root: str, rules: Rules) -> tuple[int, dict[str, list[str]]]:
    """How many managed notes there are, and the codes of what is wrong in them, by path."""
    from vaultgit import checks
    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange

    disk = Disk(root)
    every = frozenset(understand.notes(root))
    files = []
    for path in sorted(every):
        data = disk.read(path)
        if data is not None and rules.managed(path, data):
            files.append(FileChange(path, (), data))
    problems: dict[str, set[str]] = {}
    for problem in checks.run(Change(tuple(files), rules, paths=every), ("front-matter", "skill")):
        problems.setdefault(problem.path, set()).add(problem.code)
    for twin in disk.names(""):  # our changelog.md beside a CHANGELOG.md that was here first
        if twin.casefold() == "changelog.md" and twin != "changelog.md":
            for path in (twin, "changelog.md"):
                problems.setdefault(path, set()).add("NA02")
    return len(files), {path: sorted(codes) for path, codes in sorted(problems.items())}


def _describe(place: Place, understanding: Understanding) -> None:
    kind = "an Obsidian vault" if understanding.obsidian else "a folder of notes"
    more = [f"daily notes in {understanding.daily}/"] if understanding.daily else []
    more += [f"templates in {folder}/" for folder in understanding.templates[:1]]
    git = "no; a repository would be made" if place.repo is None else f"yes, branch {_branch(place)}"
    notes = ", ".join([out.count(understanding.notes, "note"), *more])
    out.say(f"{out.short(place.root)} is {kind}: {notes}. In git: {git}.")
    if understanding.managed:
        known = ", ".join(f"{name} {number:,}" for name, number in sorted(understanding.managed.items()))
        out.say(f"Already here and understood:   {known}")
    if understanding.alone_notes:
        shown = ", ".join(understanding.alone[:4]) + (", …" if len(understanding.alone) > 4 else "")
        out.say(f"Left alone, not ours to check: {out.count(understanding.alone_notes, 'note')} ({shown})")


def _branch(place: Place) -> str:
    assert place.repo is not None
    named = place.repo.call("symbolic-ref", "--quiet", "--short", "HEAD").stdout.decode("utf-8", "replace").strip()
    return named or "(none, detached)"


def _would(planned: Plan) -> None:
    out.say()
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
    for words in planned.remarks:
        out.remark(words)
    program = "pre-commit install" if planned.layout == "pre-commit" and planned.hooks else "no program"
    out.say(f"Would start {program}. Undo all of this: vaultgit init --remove")


def _names(steps: list[FileStep]) -> str:
    return ", ".join(step.path for step in steps)


def _report(vault: Vault, understanding: Understanding, planned: Plan, adopted: bool) -> None:
    if planned.files:
        ours = [step for step in planned.files if step.path.endswith(".md") and step.before is not None]
        kept = f"; yours kept in {_names(ours)}" if ours else ""
        notes = out.count(understanding.notes, "note")
        out.done("files", f"{len(planned.files)} written, 0 of your {notes} changed{kept}")
        first = "your files as they were, then " if adopted else ""
        unsaved = _unsaved(vault)
        stayed = "stayed as it was" if unsaved == 1 else "stayed as they were"
        stayed = f"   (your {out.count(unsaved, 'unsaved change')} {stayed})" if unsaved else ""
        out.done("git", f'committed as you: {first}"{init.SET_UP}"{stayed}')
    status = hooks.status(vault.repo)
    if status.live:
        out.done("hooks", status.words)
    else:
        out.remark(f"hooks    {status.words}")
    for setting in planned.settings:
        if setting.scope == "global":
            out.done("default", f"{out.short(vault.root)} is now {setting.words}")


def _unsaved(vault: Vault) -> int:
    status = vault.repo.run("status", "--porcelain", "-z", "--no-renames", "--", vault.prefix or ".")
    return sum(1 for entry in status.split(b"\0") if entry)


def _report_problems(judged: int, problems: dict[str, list[str]]) -> None:
    if problems:
        have = "has a problem" if len(problems) == 1 else "have problems"
        words = f"{out.count(len(problems), 'note')} of {judged:,} {have} from before"
        out.remark(f"checks   {words}; they block nothing: vaultgit check --no-baseline")
    elif judged:
        out.done("checks", f"{out.count(judged, 'note')} checked, no problem")


def _remarks(place: Place, understanding: Understanding, planned: Plan) -> None:
    if any(setting.key == "vaultgit.people" for setting in planned.settings):
        out.remark("obsidian-git is installed here: its backups run our checks and will warn, not stop")
    if understanding.sync:
        out.remark(f"this vault lies in {understanding.sync}, which may damage .git; better sync it with git")
    if place.outer is not None and place.tracked_outside:
        shown = ", ".join(place.tracked_outside[:3])
        more = f" and {len(place.tracked_outside) - 3} more" if len(place.tracked_outside) > 3 else ""
        out.remark(f"{out.short(place.outer.worktree)} tracks {shown}{more} as well, and goes on doing so")
    for words in planned.remarks:
        out.remark(words)
    if understanding.obsidian and planned.files:
        out.say("Hide our files in Obsidian: Settings, Files and links, Excluded files: AGENTS, CLAUDE, changelog")


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
