from __future__ import annotations

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out


@click.command("verify")
@click.option("--allow-behind", is_flag=True, help="Edits that have no line yet are no difference (for CI).")
@options.vault_option
@options.json_option
def command(allow_behind: bool, vault: str | None, as_json: bool) -> int:
    """Prove that changelog.md and history agree: every edit has its line, every line its edit.

    Exit 0 when they do; else 1, with what differs. Behind: a person merged or reverted, the next edit adds the line.

    \b
    Example:
      vaultgit verify
    """
    from vaultgit.edits.verify import verify

    with options.opened(vault) as opened:
        report = verify(opened)
    if as_json:
        out.as_json(
            {
                "edits": report.edits,
                "complete": report.complete,
                "behind": [str(line) for line in report.behind],
                "unknown": [str(line) for line in report.unknown],
                "edited": [{"is": str(now), "should": str(should)} for now, should in report.edited],
            }
        )
        return errors.DONE if report.agrees(allow_behind=allow_behind) else errors.REFUSED
    for line in report.behind:
        out.say(f"behind   {line}")
    for line in report.unknown:
        out.say(f"{'unknown ' if report.complete else 'cannot tell'} {line}")
    for now, should in report.edited:
        out.say(f"edited   {now}\n  should {should}")
    if report.behind:
        out.talk("behind: a merge or a revert came since; the next edit adds the lines, nothing to do")
    if report.unknown and report.complete:
        out.talk("unknown: no commit of this branch has such an edit; the next edit drops the lines")
    if report.unknown and not report.complete:
        out.talk("cannot tell: this clone does not have all of history (git fetch --unshallow)")
    if report.edited:
        out.talk(
            "edited: the commit is the authority; the next edit restores the lines, git restore what is not committed"
        )
    if not report.agrees(allow_behind=allow_behind):
        return errors.REFUSED
    out.say(f"agrees: {report.edits} edits")
    return errors.DONE
