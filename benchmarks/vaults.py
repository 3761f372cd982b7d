"""Real vaults: each is adopted, checked, edited by an agent, committed by a person, undone and left as it was.

    python -m benchmarks.vaults FOLDER…     each a git checkout or a mirror of a vault; nothing in it is changed

Prints a table in markdown that names nobody, and on standard error a line for each thing that did not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

if __package__ in (None, ""):  # as a file: python benchmarks/vaults.py
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from benchmarks import place
from benchmarks import report

HEAD = ("", "vault", "notes", "init s", "check s", "notes a CPU s", "MB", "problems from before", "edits", "result")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vaults", description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="a git checkout or mirror of a vault")
    parser.add_argument("--work", metavar="DIR", help="where copies are made (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="keep the copies of vaults where something did not hold")
    options = parser.parse_args(argv)
    machine = report.machine()
    print(
        f"{machine['cpus']} CPUs, Python {machine['python']}, git {machine['git']}, {machine['system']}\n", flush=True
    )
    place.compile_all()
    with tempfile.TemporaryDirectory(prefix="vaults-", ignore_cleanup_errors=True) as temporary:
        work = os.path.abspath(options.work or temporary)
        print(_line(HEAD), _line(["---"] * len(HEAD)), sep="\n", flush=True)
        failed = 0
        for number, folder in enumerate(options.folders, 1):
            found = _trial(number, os.path.abspath(folder), os.path.join(work, f"{number:02d}"))
            print(_line(_cells(number, found)), flush=True)
            for words in found["failures"]:
                print(f"{number}: {words}", file=sys.stderr, flush=True)
            failed += bool(found["failures"])
            if not (found["failures"] and options.keep):
                place.remove(os.path.join(work, f"{number:02d}"))
    print(f"\n{len(options.folders) - failed} of {len(options.folders)} vaults: everything held")
    return 1 if failed else 0


def _trial(number: int, source: str, folder: str) -> dict[str, Any]:
    """One vault, in a process of its own: memory that we need would be counted as the peak of what we measure."""
    place.remove(folder)
    os.makedirs(folder)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.vaults_trial", source, folder],
        cwd=place.ROOT, env={**os.environ, "PYTHONPATH": place.ROOT}, stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        found = {"failures": [f"the trial itself ended with {done.returncode}"]}
    print(f"{number}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return found


def _cells(number: int, found: dict[str, Any]) -> list[str]:
    problems = found.get("problems", {})
    codes = ", ".join(f"{code} {count}" for code, count in sorted(problems.items()))
    check = found.get("check")
    return [
        str(number),
        found.get("words", "?"),
        f"{found.get('notes', 0):,}",
        f"{found['init']['wall']:.1f}" if "init" in found else "",
        f"{check['wall']:.1f}" if check else "",
        f"{found['notes'] / check['cpu']:,.0f}" if check else "",
        f"{max(found['init']['peak'], check['peak']) / 1e6:.0f}" if check else "",
        f"{sum(problems.values()):,}" + (f" ({codes})" if codes else ""),
        f"{found.get('held', 0)} of {found.get('edits', 0)}",
        f"{len(found['failures'])} did not hold" if found["failures"] else "all held",
    ]


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
