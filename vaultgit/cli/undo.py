from __future__ import annotations

import click

from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.edits.judge import Refused
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError


@click.command("undo")
@click.argument("target", shell_complete=options.complete_path, metavar="COMMIT|EDIT|PATH|BRANCH", required=False)
@click.option("--session", "whole_session", metavar="S", help="All edits of this session.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def command(
    target: str | None, whole_session: str | None, agent: str | None, vault: str | None, as_json: bool, dry_run: bool
) -> int:
    """Take back an edit, a session, a note's last edit, a merge, what you accepted of a branch. What was done since
    stays.

    It is an edit itself, so that `vaultgit undo` of it brings everything back. Where the same lines were changed
    since, nothing is touched and the note is named.

    \b
    Example:
      vaultgit undo people/ada.md
      vaultgit undo --session 2026-11-29-launch
      vaultgit undo dream/2026-11-29
    """
    from vaultgit.clock import SystemClock
    from vaultgit.edits import undo
    from vaultgit.edits.submit import By
    from vaultgit.edits.submit import submit

    if (target is None) == (whole_session is None):
        raise UsageError("name one thing to undo: a commit, an edit's id, a note, or --session S", "vaultgit log")
    clock = SystemClock()
    with options.opened(vault) as opened:
        who = options.agent_name(agent)
        commits = undo.of_target(opened, target) if target is not None else undo.of_session(opened, whole_session or "")
        strangers = [commit for commit in commits if who and commit.trailer("Agent") != who]
        if strangers and not opened.repo.flag("vaultgit.agentsmaydecide"):
            raise VaultgitError(
                f"{strangers[0].oid[:10]} is not {who}'s own: taking it back is for a person to decide",
                "say why in an inbox note: vaultgit inbox add --target PATH --reason TEXT",
            )
        try:
            plan = undo.plan(opened, clock, commits, session=whole_session or "")
            if dry_run:
                return result.foreseen([(change, "") for change in plan.changes], plan.subject, as_json)
            by = By(who, options.session_id(None, opened, who))
            done = submit(
                opened, clock, plan.changes, subject=plan.subject, reason=plan.reason, by=by, trailers=plan.trailers
            )
        except Refused as error:
            return result.refused(error.problems, as_json)
        taken = f"{out.count(len(commits), 'commit')} taken back; what was done since stays"
        return result.show(done, as_json, means=taken + ". Undo the undo: vaultgit undo {oid}")
