"""Wall time, CPU time and peak memory of a process with all its descendants, and how samples are taken in turns."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple


class Sample(NamedTuple):
    """One run: seconds, seconds (user and system, with all children), bytes of the largest single process."""

    wall: float
    cpu: float
    peak: int


class Ended(NamedTuple):
    sample: Sample
    code: int
    out: bytes


def run(
    args: Sequence[str], *, cwd: str, env: Mapping[str, str], given: bytes = b"", codes: Sequence[int] = (0,)
) -> Ended:
    """Runs a process to its end. The kernel's own account (wait4) covers the descendants that it waited for.

    A child counts our own size as its peak until it has replaced our program by its own, so we stay small (15 MB): the
    first megabyte of output is all that is kept. Output goes to files, so that nobody waits for a reader.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(given)
        stdin.seek(0)
        before = own_cpu()
        start = time.perf_counter()
        process = subprocess.Popen(args, cwd=cwd, env=env, stdin=stdin, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        starting = own_cpu() - before
        out.seek(0)
        if process.returncode not in codes:
            err.seek(0)
            words = err.read().decode("utf-8", "replace")[-2000:]
            raise RuntimeError(f"{' '.join(args)[:300]} ended with {process.returncode}: {words}")
        cpu = usage.ru_utime + usage.ru_stime + starting
        return Ended(Sample(wall, cpu, usage.ru_maxrss * 1024), process.returncode, out.read(1_000_000))


def own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def family_cpu() -> float:
    """CPU seconds of this process, of the children it has waited for, and (Linux) of those still running."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own_cpu() + usage.ru_utime + usage.ru_stime + _living_children()


def _living_children() -> float:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:
            pids = stream.read().split()
    except OSError:
        return 0.0
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/schedstat", encoding="ascii") as stream:
                total += int(stream.read().split()[0])
        except OSError:
            continue
    return total / 1e9


def in_turns(rounds: int, ways: Mapping[str, Callable[[int], Sample]], warm_up: int = 1) -> dict[str, list[Sample]]:
    """Each way once a round, in another order every round, so that a busy minute of the machine hits all alike.

    A way gets the number of the round; rounds of the warm-up have negative ones and do not count.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(-warm_up, rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            sample = ways[name](number)
            if number >= 0:
                samples[name].append(sample)
    return samples
