"""`make soak`: all kinds of bad days, by turns, until the time is up; then a table of what came of them.

A run is repeated by its name and seed: `python tests/faults/soak.py --only NAME --seed SEED`. A vault that a promise
broke in is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent)]

import support  # noqa: E402

WORKERS = 2


def main() -> int:
    parser = argparse.ArgumentParser(description="Bad days, by turns.")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=None, help="of the first run of each fault")
    parser.add_argument("--only", default="", help="one fault, by its whole name, or by how it begins")
    parser.add_argument("--markdown", help="write the table there, too")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker is not None:
        return worker(args.worker, args.seed, args.seconds, args.only)
    if args.only and args.seed is not None:
        return again(args.only, args.seed)
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    print(f"bad days for {args.seconds:.0f} s, {WORKERS} at a time, seed {seed}", flush=True)
    words = [sys.executable, __file__, "--seconds", str(args.seconds), "--seed", str(seed), "--only", args.only]
    workers = [
        subprocess.Popen([*words, "--worker", str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(WORKERS)
    ]
    told = [json.loads(line) for process in workers for line in process.communicate()[0].splitlines()]
    if any(process.returncode for process in workers):
        print("a worker of the soak ended by itself", file=sys.stderr)
        return 1
    table = tabulate(told)
    print("\n".join(table))
    if args.markdown:
        Path(args.markdown).write_text("\n".join(table) + "\n", encoding="utf-8")
    failed = [one for one in told if one["failure"]]
    for one in failed:
        print(f"FAILED: {one['fault']}, seed {one['seed']}: {one['failure']}\n  kept: {one['folder']}")
        print(f"  again: {Path(sys.executable).name} tests/faults/soak.py --only '{one['fault']}' --seed {one['seed']}")
    runs = sum(1 for one in told if not one["missing"])
    slow = max(told, key=lambda one: one["took"])
    print(f"the longest run: {slow['took']} s, {slow['fault']}, seed {slow['seed']}")
    print(f"{runs} runs of {len({one['fault'] for one in told})} faults: {len(failed)} broke a promise")
    return 1 if failed else 0


def settle(home: Path) -> None:
    """This process has a private home from here on, as tests have."""
    variables, foreign = support.private_environment(home)
    for name in foreign:
        del os.environ[name]
    os.environ.update(variables)


def worker(number: int, seed: int, seconds: float, only: str) -> int:
    """One JSON line a run."""
    end = time.monotonic() + seconds
    home = Path(tempfile.mkdtemp(prefix=f"vaultgit-soak-{number}-"))
    settle(home)
    from registry import FAULTS

    faults = [fault for fault in FAULTS if fault.name.startswith(only)]
    random.Random(seed).shuffle(faults)
    faults = faults[number::WORKERS] + faults[(number + 1) % WORKERS :: WORKERS]  # each meets all, in another order
    kept = False
    turn = 0
    while time.monotonic() < end:
        for fault in faults:
            if time.monotonic() >= end:
                break
            own = zlib.crc32(f"{fault.name} {seed} {number} {turn}".encode())
            missing = fault.missing()
            folder = home / "run"
            began = time.monotonic()
            word, failure = ("", "") if missing else once(fault, folder, own)
            place = ""
            if failure:
                kept = True
                place = str(folder.rename(home / f"failed-{own}"))
            shutil.rmtree(folder, ignore_errors=True)
            told = {
                "fault": fault.name, "what": fault.what, "seed": own, "outcome": word, "failure": failure,
                "missing": missing, "folder": place, "took": round(time.monotonic() - began, 1),
            }  # fmt: skip
            print(json.dumps(told), flush=True)
        faults = [fault for fault in faults if not fault.missing()]
        turn += 1
    if not kept:
        shutil.rmtree(home, ignore_errors=True)
    return 0


def once(fault: Any, folder: Path, seed: int) -> tuple[str, str]:
    """Outcome, and how a promise broke ("" if none did)."""
    folder.mkdir()
    try:
        return fault.run(folder, random.Random(seed)), ""
    except AssertionError as error:
        return "", " ".join(str(error).split())[:1500] or f"at line {_line(error)}"
    except Exception as error:  # a fault of the test's own, which is worth as much
        return "", f"{type(error).__name__}: {' '.join(str(error).split())[:1500]} at line {_line(error)}"


def _line(error: BaseException) -> str:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"


def again(name: str, seed: int) -> int:
    home = Path(tempfile.mkdtemp(prefix="vaultgit-soak-"))
    settle(home)
    from registry import FAULTS

    [fault] = [fault for fault in FAULTS if fault.name == name]
    word, failure = once(fault, home / "run", seed)
    print(f"FAILED: {failure}\n  kept: {home / 'run'}" if failure else word)
    if not failure:
        shutil.rmtree(home, ignore_errors=True)
    return 1 if failure else 0


def tabulate(told: list[dict[str, Any]]) -> list[str]:
    """As markdown, a row a kind of fault: what stands before the colon of a name; after it: of what."""
    rows = ["| fault | of | what is done | runs | outcome |", "|---|---|---|---:|---|"]
    for kind in dict.fromkeys(one["fault"].partition(": ")[0] for one in sorted(told, key=lambda one: one["fault"])):
        own = [one for one in told if one["fault"].partition(": ")[0] == kind]
        of = dict.fromkeys(one["fault"].partition(": ")[2] for one in sorted(own, key=lambda one: one["fault"]))
        ran = [one for one in own if not one["missing"]]
        words = [f"{times} {word}" for word, times in Counter(one["outcome"] for one in ran).most_common() if word]
        broke = sum(1 for one in own if one["failure"])
        words += [f"**{broke} broke a promise**"] if broke else []
        words += [f"not run: {why}" for why in dict.fromkeys(one["missing"] for one in own) if why]
        rows.append(f"| {kind} | {', '.join(of)} | {own[0]['what']} | {len(ran)} | {'; '.join(words)} |")
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
