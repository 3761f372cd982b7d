"""`vaultgit mcp`: until a client has its answer to `initialize`, and calls of tools; beside Python with the SDK."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import IO
from typing import Any

from benchmarks import corpus
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "mcp, ready for a client, and calls (x = to Python that imports the SDK)"
FLOOR = "floor: python -c 'import mcp.server.lowlevel.server, mcp.server.stdio'"
READY = "ready (initialize answered)"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
CALLS = {
    "read": {"path": corpus.path_of(1)},
    "search": {"query": "what was decided about the release"},
    "append": {"path": corpus.path_of(2), "action": "append", "text": "- one more line"},
}


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    vaults = corpus.vaults(size)
    corpus.restore(vaults.ours)
    env = place.environment()
    floor = [sys.executable, "-c", "import mcp.server.lowlevel.server, mcp.server.stdio; print('{}', flush=True)"]
    hello = _line(1, "initialize", HELLO)
    ways: dict[str, Callable[[int], Sample]] = {
        FLOOR: lambda _: _until_a_line(floor, vaults.ours, env, b""),
        READY: lambda _: _until_a_line([*place.program(), "mcp"], vaults.ours, env, hello),
    }
    taken = measure.in_turns(4 if quick else 15, ways, warm_up=2)
    limit = {"target": "< 1 s, <= 1.5 x", "ratio": 1.5}
    rows = [row("mcp", FLOOR, size, taken[FLOOR]), row("mcp", READY, size, taken[READY], taken[FLOOR], **limit)]
    for name, samples in _calls(vaults.ours, env, 5 if quick else 20).items():
        rows.append(row("mcp", name, size, samples, taken[FLOOR]))
    return rows


def _until_a_line(args: list[str], folder: str, env: dict[str, str], given: bytes) -> Sample:
    before, start = measure.family_cpu(), time.perf_counter()
    with subprocess.Popen(args, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _stream(process.stdin).write(given)
        _stream(process.stdin).flush()
        assert _stream(process.stdout).readline()
        wall, cpu = time.perf_counter() - start, measure.family_cpu() - before
        _stream(process.stdin).close()
    return Sample(wall, cpu, 0)


def _calls(vault: str, env: dict[str, str], rounds: int) -> dict[str, list[Sample]]:
    """Each tool in a server that runs: its first call, then the others."""
    found: dict[str, list[Sample]] = {}
    args = [*place.program(), "mcp", "--vault", vault]
    with subprocess.Popen(args, cwd=vault, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _ask(process, 1, "initialize", HELLO)
        for number in range(2, 2 + rounds * len(CALLS)):
            name = list(CALLS)[number % len(CALLS)]
            tool = "write" if name == "append" else name
            arguments: dict[str, Any] = dict(CALLS[name])
            if name == "append":
                arguments["text"] += f" {number}"
            start = time.perf_counter()
            answer = _ask(process, number, "tools/call", {"name": tool, "arguments": arguments})
            assert not answer["result"]["isError"], answer
            label = f"call of {name}, first" if f"call of {name}, first" not in found else f"call of {name}"
            found.setdefault(label, []).append(Sample(time.perf_counter() - start, 0.0, 0))
        _stream(process.stdin).close()
    return found


def _ask(process: subprocess.Popen[bytes], number: int, method: str, params: Any) -> Any:
    _stream(process.stdin).write(_line(number, method, params))
    _stream(process.stdin).flush()
    return json.loads(_stream(process.stdout).readline())


def _line(number: int, method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
