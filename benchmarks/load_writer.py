"""One writer of the load: `python -m benchmarks.load_writer DOOR NUMBER AGENT SEED EDITS ACKS HOT…`, in the vault.

What it was told, and only that, is written to ACKS, one line, one write: see load_proof.Ack.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time

from benchmarks import load_doors
from benchmarks.load_doors import Wanted

# How often each kind of change is made by each door, of a hundred.
SHARES = {
    "cli": {"append": 52, "insert": 14, "set": 12, "new": 8, "apply": 8, "move": 6},
    "mcp": {"append": 58, "insert": 16, "set": 12, "new": 8, "move": 6},
    "own": {"append": 100},
}
HOT_SHARE = 0.6  # of what may go into any note
PARAGRAPHS = "paragraphs.md"  # a hot note of three lines that everybody makes longer
COLLIDES = 0.15  # of the edits, where there is such a note


class Choice:
    """What the writer edits next. Its own notes: a plain one, a managed one, and those that it makes and moves."""

    def __init__(self, door: str, agent: str, number: int, seed: int, hot: list[str]) -> None:
        self.chance, self.door, self.number, self.seed, self.hot = random.Random(seed), door, number, seed, hot
        self.own, self.managed = own_note(number), managed_note(number)
        # `record --base` cannot tell what others typed since the agent read a note: that is for notes of its own.
        self.hot_share = 0.0 if door == "own" and agent not in load_doors.HOOKED else HOT_SHARE
        self.made: list[str] = []
        self.count = 0

    def next(self) -> Wanted:
        mark = f"w{self.number}x{self.seed}n{self.count}"
        self.count += 1
        shares = SHARES[self.door]
        if PARAGRAPHS in self.hot and self.door != "own" and self.chance.random() < COLLIDES:
            return Wanted("para", PARAGRAPHS, mark, heading=f"Paragraph {self.chance.randrange(3)}:")
        do = self.chance.choices(list(shares), list(shares.values()))[0]
        if do == "move" and not self.made:
            do = "new"
        hot = self.chance.random() < self.hot_share
        path = (
            self.chance.choice([one for one in self.hot if one != PARAGRAPHS])
            if hot
            else self.chance.choice((self.own, self.managed))
        )
        line = f"- {mark} by writer {self.number}\n"
        if do == "set":
            return Wanted(do, self.managed, mark)
        if do == "new":
            return Wanted(do, f"made/{self.number}/{mark}.md", mark, line)
        if do == "move":
            return Wanted(do, self.made[0], mark, other=f"moved/{self.number}/{mark}.md")
        if do == "apply":
            return Wanted(do, path if hot else self.hot[0], mark, line, other=self.own)
        heading = "## Log" if self.chance.random() < 0.4 and path != self.own and self.door != "own" else ""
        if do == "append":
            heading = heading.removeprefix("## ")
        return Wanted(do, path, mark, line, heading)

    def told(self, wanted: Wanted, told: load_doors.Told) -> None:
        if wanted.do == "new" and told.outcome in ("committed", "merged"):
            self.made.append(wanted.path)
        elif wanted.do == "move" and told.outcome != "failed":  # also where it waits
            self.made.remove(wanted.path)


def own_note(number: int) -> str:
    return f"agents/writer-{number}.md"


def managed_note(number: int) -> str:
    return f"people/writer-{number}.md"


async def _work(door: load_doors.Door, choice: Choice, edits: int, out: int) -> None:
    for _ in range(edits):
        wanted = choice.next()
        begun, at = time.monotonic(), time.time()
        told = await door.edit(wanted)
        choice.told(wanted, told)
        line = [told.outcome, told.edit, wanted.mark, wanted.path, told.reason, choice.door, wanted.do, wanted.other,
                time.monotonic() - begun, at]  # fmt: skip
        os.write(out, json.dumps(line).encode() + b"\n")
        if told.outcome == "failed" and choice.door == "mcp" and "losed" in told.reason:
            raise SystemExit("the MCP server has gone")


async def _run(kind: str, number: int, agent: str, seed: int, edits: int, acks: str, hot: list[str]) -> None:
    choice, vault = Choice(kind, agent, number, seed, hot), os.getcwd()
    out = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    if kind == "mcp":
        async with load_doors.Mcp(vault, agent) as door:
            await _work(door, choice, edits, out)
    else:
        made = load_doors.CommandLine(vault, agent) if kind == "cli" else load_doors.OwnTools(vault, agent)
        await _work(made, choice, edits, out)


def main() -> int:
    kind, number, agent, seed, edits, acks, *hot = sys.argv[1:]
    asyncio.run(_run(kind, int(number), agent, int(seed), int(edits), acks, hot))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
