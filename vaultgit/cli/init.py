"""`vaultgit init`: set up a vault, or take everything out again."""

from __future__ import annotations

import os
import shlex
from functools import partial

import click

from vaultgit import config
from vaultgit import errors
from vaultgit.cli import initwords
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.edits import seen
from vaultgit.errors import UsageError
from vaultgit.install import baseline
from vaultgit.install import first as first_commit
from vaultgit.install import folders
from vaultgit.install import init
from vaultgit.install import removal
from vaultgit.install import tell
from vaultgit.install import understand
from vaultgit.install.understand import Place
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
@click.option("--dream", is_flag=True, help="With --ci: also one that dreams once a week and pushes its branch.")
@click.option("--bases", is_flag=True, help="Also table views for Obsidian: skills, decisions, inbox, sessions.")
@click.option("--server", metavar="REPO", help="A shared bare repository instead: it checks what is pushed to it.")
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
    dream: bool,
    bases: bool,
    server: str | None,
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
      vaultgit init --server ~/notes.git
    """
    if server is not None:
        from vaultgit.cli import initserver

        if directory or layout or repository or service or dream or bases or adopt:
            raise UsageError("--server sets up a bare repository, and takes only --remove, --dry-run, --yes and --json")
        who = options.agent_name(agent)
        return initserver.run(server, remove=remove, dry_run=dry_run, yes=yes, as_json=as_json, agent=who)
    if dream and service is None:
        raise UsageError("--dream is what a forge runs; which one?", "vaultgit init --ci github --dream, or gitlab")
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
        return _init(place, layout, service, dream, bases, adopt, dry_run, as_json)
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
    dream: bool,
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
        root, place.repo, understanding, layout=layout, service=service, dream=dream, with_bases=bases,
        problems=problems,
    )  # fmt: skip
    unborn = not planned.empty and (place.repo is None or place.repo.resolve("HEAD") is None)
    with out.Progress("looking for secrets") as progress:
        begun = first_commit.look(root, place.repo, rules, progress.more) if unborn else None
    if as_json and (planned.empty or dry_run):
        initwords.as_json(planned, understanding, begun, done=False)
        return errors.DONE
    if planned.empty and not adopt:
        out.say(f"nothing to do: {out.short(root)} is set up ({initwords.hook_words(place)})")
        for remark in planned.remarks:
            out.remark(remark)
        initwords.by_hand(planned)
        return errors.DONE
    if dry_run:
        initwords.describe(place, understanding)
        initwords.would(planned, begun)
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
            initwords.as_json(planned, understanding, begun, done=True)
            return errors.DONE
        initwords.report(vault, understanding, planned, begun)
        if adopt:
            _propose(vault, dry_run=False)
        if first or adopt:
            initwords.report_problems(sum(understanding.managed.values()), problems or {})
        initwords.remarks(place, understanding, planned)
        for line in tell.of_first(begun, done=True, made=place.repo is None):
            out.remark(line)
        question = _search(vault)
    out.say(f"Try:   vaultgit search {shlex.quote(question)}" if question else "Try:   vaultgit status")
    out.say("Then:  vaultgit agent install claude --dry-run    vaultgit capture --dry-run")
    out.say("Undo:  vaultgit init --remove")
    return errors.DONE


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


# -- taking out ------------------------------------------------------------------------------------


def _remove(place: Place, dry_run: bool, yes: bool, as_json: bool) -> int:
    if place.repo is None:
        raise UsageError(f"{place.root} is in no git repository; there is nothing to take out")
    vault = understand.vault_at(place.root, place.repo)
    planned, stays = removal.plan_removal(vault)
    if as_json and (planned.empty or dry_run):
        initwords.as_json(planned, done=False, stays=stays)
        return errors.DONE
    if planned.empty:
        out.say(f"nothing to do: {out.short(place.root)} is not set up")
        return errors.DONE
    if not as_json:
        initwords.show_removal(planned, "Would take out" if dry_run else "Taking out")
    if not dry_run:
        if not options.confirmed("Go on?", yes):
            return errors.REFUSED

        from vaultgit.install import commit

        removal.undo(vault, planned, partial(commit.commit_setup, vault))
        if as_json:
            initwords.as_json(planned, done=True, stays=stays)
            return errors.DONE
        out.done("removed", f'committed as you: "{removal.REMOVE}"' if planned.files else "nothing was left to commit")
    for words in stays:
        out.remark(f"stays: {words}")
    return errors.DONE
