"""`vaultgit init --server REPO`: a shared bare repository that checks what is pushed to it."""

from __future__ import annotations

import os
import shlex

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.install import server
from vaultgit.install.server import Plan


def run(path: str, *, remove: bool, dry_run: bool, yes: bool, as_json: bool, agent: str | None) -> int:
    """Sets it up, or takes it out; returns the exit code."""
    with server.opened(path) as repo:
        if not dry_run:
            options.deciding_is_a_persons(repo, agent, "setting up a server")
        where = out.short(os.path.realpath(repo.git_dir))
        planned = server.plan_removal(repo) if remove else server.plan(repo)
        if remove and not planned.empty and not dry_run and not as_json:
            _show(planned, "Taking out", where)
            if not options.confirmed("Go on?", yes):
                return errors.REFUSED
        if not dry_run and not planned.empty:
            (server.undo if remove else server.apply)(repo, planned)
        if as_json:
            _as_json(planned, repo.git_dir, done=not dry_run)
            return errors.DONE
        if planned.empty:
            out.say(f"nothing to do: {where} is {'not ' if remove else ''}set up")
        elif dry_run:
            _show(planned, "Would take out" if remove else "Would put in place", where)
            out.say("Would start no program." + ("" if remove else f" Undo: {_undo(path)}"))
        elif remove:
            out.done("removed", where)
        else:
            if planned.hook:
                out.done("hook", f"{where}/hooks/{server.NAME}: {planned.hook}")
            for setting in planned.settings:
                out.done("set", f"git config {setting.key} {setting.value}   ({setting.words})")
        for words in planned.remarks:
            out.remark(words)
        for words in planned.stays:
            out.remark(f"stays: {words}")
        if not remove and not dry_run and not planned.empty:
            out.say("Then:  agents to their own branches: git config vaultgit.agentsPush review (docs/server.md)")
            out.say(f"Undo:  {_undo(path)}")
    return errors.DONE


def _undo(path: str) -> str:
    return f"vaultgit init --server {shlex.quote(path)} --remove"


def _show(planned: Plan, word: str, where: str) -> None:
    out.say(f"{word}, in {where}:")
    if planned.hook:
        out.say(f"  hooks/{server.NAME}   {planned.hook}")
    for setting in planned.settings:
        value = f" {setting.value}   ({setting.words})" if setting.value is not None else ""
        out.say(f"  git config {setting.key}{value}")


def _as_json(planned: Plan, git_dir: str, *, done: bool) -> None:
    out.as_json(
        {
            "repository": git_dir,
            "done": done and not planned.empty,
            "hook": planned.hook,
            "settings": [{"key": one.key, "value": one.value} for one in planned.settings],
            "remarks": planned.remarks,
            "stays": planned.stays,
        }
    )
