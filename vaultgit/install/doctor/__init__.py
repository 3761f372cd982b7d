"""The doctor: what is wrong, or good to know, with a vault's set-up here. It only looks.

One part a file: each has `look`, which returns a `Part`, pure data.
"""

from __future__ import annotations

from collections.abc import Sequence

from vaultgit.clock import Clock
from vaultgit.install.doctor import agreement
from vaultgit.install.doctor import clients
from vaultgit.install.doctor import clone
from vaultgit.install.doctor import hook
from vaultgit.install.doctor import links
from vaultgit.install.doctor import machine
from vaultgit.install.doctor import merging
from vaultgit.install.doctor import program
from vaultgit.install.doctor import remote
from vaultgit.install.doctor import rules
from vaultgit.install.doctor import schedule
from vaultgit.install.doctor import secrets
from vaultgit.install.doctor import sync
from vaultgit.install.doctor import waiting
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.links import Reading
from vaultgit.install.doctor.links import Said
from vaultgit.install.doctor.survey import survey
from vaultgit.vault import Vault


def examine(vault: Vault, clock: Clock, inbox: Sequence[tuple[str, str]], said: Said) -> list[Part]:
    """Looks at everything. `inbox`: path and day of each note in the inbox; `said` is called for each note read."""
    parts: list[Part | None] = [machine.look(vault), clone.look(vault)]
    if vault.repo.bare:
        parts.append(agreement.look(vault))
        return [part for part in parts if part is not None]
    if clone.is_set_up(vault):
        parts += [hook.look(vault), program.look(vault), merging.look(vault), schedule.look(vault)]
    here = survey(vault)
    reading = links.read(vault, here, said)
    parts += [
        rules.look(vault),
        links.look_at_notes(vault, reading),
        links.look(reading),
        secrets.look(vault, reading.unreadable),
        sync.look(vault, here),
        remote.look(vault, clock.now()),
        waiting.look(vault, clock.now(), inbox),
        clients.look(),
        agreement.look(vault),
    ]
    return [part for part in parts if part is not None]


def follow_links(vault: Vault, said: Said) -> Reading:
    """Only the links of all notes."""
    return links.read(vault, survey(vault), said)
