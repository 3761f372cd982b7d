"""A writer of the soak, which dies at random steps: `python -m benchmarks.soak_writer NUMBER SEED ACKS`.

Before an edit it decides, now and then, at which step of landing it shall be killed, alone or with its process
group (its git children, then). What is acknowledged, and only that, is written to ACKS: one line, one write.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys

from vaultgit.clock import SystemClock
from vaultgit.edits import compose
from vaultgit.edits import steps
from vaultgit.edits import submit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.errors import VaultgitError
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

DIES = 0.12  # of all edits
_deadly: tuple[str, bool] | None = None


def _reached(name: str) -> None:
    if _deadly is not None and name == _deadly[0]:
        if _deadly[1]:
            os.killpg(0, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def _change(vault: Vault, chance: random.Random, number: int, text: str, agent: str) -> PathChange:
    kind = chance.random()
    if kind < 0.45:
        return compose.append(vault, f"shared-{chance.randrange(2)}.md", text.encode(), None, agent)
    if kind < 0.7:
        return compose.append(vault, f"own/{number}.md", text.encode(), None, agent)
    if kind < 0.85:
        return compose.write(vault, f"new/{text.split()[1]}.md", f"# New\n\n{text}".encode(), None, agent)
    return compose.append(vault, f"log/{chance.randrange(3)}.md", text.encode(), f"Writer {number}", agent)


def main() -> int:
    global _deadly
    number, seed, acks = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    chance = random.Random(seed)
    by = submit.By(f"agent-{number}")
    steps.reached = _reached
    out = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    vault = open_vault(os.getcwd())
    with vault.repo:
        for n in range(10**9):
            name = f"w{number}-{seed}-{n}"
            text = f"- {name} by writer {number}\n"
            _deadly = (chance.choice(steps.NAMES), chance.random() < 0.5) if chance.random() < DIES else None
            try:
                change = _change(vault, chance, number, text, by.agent or "")
                result = submit.submit(vault, SystemClock(), [change], subject=f"{change.path}: {name}", by=by)
            except (Refused, VaultgitError) as error:
                os.write(out, json.dumps(["refused", "", name, "", str(error)]).encode() + b"\n")
                continue
            told = [result.outcome, result.edit, name, change.path, result.reason]
            os.write(out, json.dumps(told).encode() + b"\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
