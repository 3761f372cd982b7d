from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError

if TYPE_CHECKING:
    from vaultgit.install.doctor.finding import Finding
    from vaultgit.install.doctor.finding import Part
    from vaultgit.install.doctor.links import Broken
    from vaultgit.vault import Vault


@click.command("doctor")
@click.option("--links", "only_links", is_flag=True, help="Only links: list all that do not lead to one file.")
@options.vault_option
@options.json_option
def command(only_links: bool, vault: str | None, as_json: bool) -> int:
    """Say what is wrong with the vault's set-up here, and the command that mends it. Changes nothing.

    Looks at git, hooks, the program they start, merging, settings, links, what sync services leave behind, what waits,
    changelog.md. Exit 1 where there is a problem; remarks (!) are good to know.

    With --links: path:line:column of each link that leads to nothing or may mean several files; exit 1 where one leads
    to nothing.

    \b
    Example:
      vaultgit doctor
      vaultgit doctor --links
    """
    from vaultgit.install.doctor.finding import Finding
    from vaultgit.install.doctor.finding import Part
    from vaultgit.install.doctor.opening import open_leniently

    opened = open_leniently(options.vault_named(vault))
    if isinstance(opened, Finding):
        if only_links:
            raise UsageError(f"{opened.about}: {opened.what}", opened.mend)
        return _tell("", [Part("vault", [opened], "")], as_json)
    with opened.repo:
        return _links(opened, as_json) if only_links else _examine(opened, as_json)


def _examine(vault: Vault, as_json: bool) -> int:
    from vaultgit.clock import SystemClock
    from vaultgit.install import doctor
    from vaultgit.passes import inbox

    waiting = [] if vault.repo.bare else [(note.path, note.day) for note in inbox.notes(vault)]
    with out.Progress("reading notes") as progress:
        parts = doctor.examine(vault, SystemClock(), waiting, progress.more)
    return _tell(vault.root, parts, as_json)


def _tell(root: str, parts: Sequence[Part], as_json: bool) -> int:
    found = [(part, finding) for part in parts for finding in part.findings]
    problems = [pair for pair in found if pair[1].level == "problem"]
    remarks = [pair for pair in found if pair[1].level == "remark"]
    fine = [part for part in parts if not part.findings]
    if as_json:
        out.as_json(_as_json(root, problems + remarks, fine))
    else:
        counts = [out.count(len(problems), "problem")] if problems else ["nothing wrong"]
        counts += [out.count(len(remarks), "remark")] if remarks else []
        out.say(", ".join(counts) + (f"  {_plain(out.short(root))}" if root else ""))
        for part, finding in problems:
            _show(part, finding, "problem")
        for part, finding in remarks:
            _show(part, finding, "!")
        for part in fine:
            out.done(f"{part.name:<9}", _plain(part.fine))
    return errors.REFUSED if problems else errors.DONE


def _show(part: Part, finding: Finding, mark: str) -> None:
    out.say(f"{mark} {part.name}: {_plain(out.short(finding.about))}: {_plain(finding.what)}")
    for line in finding.details:
        out.say(f"    {_plain(line)}")
    if finding.risk:
        out.say(f"  risk: {_plain(finding.risk)}")
    out.say(f"  mend: {_plain(finding.mend)}")


def _plain(text: str) -> str:
    """One line, whatever a name holds."""
    return out.clean(text, keep="")


def _as_json(root: str, found: Sequence[tuple[Part, Finding]], fine: Sequence[Part]) -> dict[str, Any]:
    return {
        "vault": root or None,
        "problems": sum(finding.level == "problem" for _, finding in found),
        "remarks": sum(finding.level == "remark" for _, finding in found),
        "findings": [{"part": part.name, **finding._asdict()} for part, finding in found],
        "fine": {part.name: part.fine for part in fine},
    }


# -- links alone -----------------------------------------------------------------------------------


def _links(vault: Vault, as_json: bool) -> int:
    from vaultgit.install import doctor

    with out.Progress("reading notes") as progress:
        reading = doctor.follow_links(vault, progress.more)
    every = sorted([*reading.nowhere, *reading.several])
    if as_json:
        out.as_json([_link(broken) for broken in every])
    else:
        for broken in every:
            out.say(_plain(str(broken)))
        counts = f"{len(reading.nowhere):,} of {out.count(reading.links, 'link')} lead to nothing"
        out.talk(counts + (f", {len(reading.several):,} may mean several files" if reading.several else ""))
    return errors.REFUSED if reading.nowhere else errors.DONE


def _link(broken: Broken) -> dict[str, Any]:
    return {**broken._asdict(), "found": list(broken.found)}
