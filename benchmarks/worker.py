"""A process that edits a vault from within, as the MCP server and passes do: `python -m benchmarks.worker VAULT`.

One JSON request a line on standard input, one answer a line on standard output:
{"do": "edit", "n": 5, "trace": false}   a new note; answers wall, cpu, outcome, and with trace the times of each step
{"do": "queue", "n": 64}                 that many edits queued while the writers' lock is held, then one round
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from benchmarks import corpus
from benchmarks.measure import family_cpu
from vaultgit.clock import SystemClock
from vaultgit.edits import compose
from vaultgit.edits import steps
from vaultgit.edits import submit
from vaultgit.edits.lock import Lock
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

BY = submit.By("codex", "benchmark")


class Worker:
    def __init__(self, vault: Vault) -> None:
        self.vault, self.clock, self.number = vault, SystemClock(), 2  # numbers of sessions: 2, 6, 10 …
        self.text = corpus.paragraphs()

    def _edit(self, wait: float) -> submit.Result:
        self.number += 4
        path = f"sessions/now/session-{self.number}.md"
        data = corpus.note(self.number, self.text, 1000)
        change = compose.write(self.vault, path, data, None, BY.agent)
        return submit.submit(
            self.vault, self.clock, [change], subject=f"{path[:-3]}: created", reason="a benchmark", by=BY, wait=wait
        )

    def edit(self, trace: bool) -> dict[str, Any]:
        reached: list[tuple[str, float]] = []
        untouched = steps.reached
        if trace:
            steps.reached = lambda name: reached.append((name, time.perf_counter()))  # type: ignore[assignment]
        cpu, start = family_cpu(), time.perf_counter()
        result = self._edit(20.0)
        wall = time.perf_counter() - start
        steps.reached = untouched
        answer = {"wall": wall, "cpu": family_cpu() - cpu, "outcome": result.outcome}
        return {**answer, "steps": [(name, at - start) for name, at in reached]}

    def queue(self, count: int) -> dict[str, Any]:
        lock = Lock(self.vault.state)
        assert lock.take(5)
        try:
            cpu, start = family_cpu(), time.perf_counter()
            outcomes = {self._edit(0.0).outcome for _ in range(count)}
            accepted, accepted_cpu = time.perf_counter() - start, family_cpu() - cpu
        finally:
            lock.release()
        assert outcomes == {"queued"}, outcomes
        reached: list[tuple[str, float]] = []
        untouched = steps.reached
        steps.reached = lambda name: reached.append((name, time.perf_counter()))  # type: ignore[assignment]
        cpu, start = family_cpu(), time.perf_counter()
        results = submit.drain(self.vault, self.clock)
        wall, cpu = time.perf_counter() - start, family_cpu() - cpu
        steps.reached = untouched
        assert [r.outcome for r in results] == ["committed"] * count, results
        return {"accept_wall": accepted, "accept_cpu": accepted_cpu, "wall": wall, "cpu": cpu,
                "steps": [(name, at - start) for name, at in reached]}  # fmt: skip


def main() -> int:
    vault = open_vault(sys.argv[1])
    with vault.repo:
        worker = Worker(vault)
        for line in sys.stdin:
            asked = json.loads(line)
            answer = worker.edit(asked["trace"]) if asked["do"] == "edit" else worker.queue(asked["n"])
            print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
