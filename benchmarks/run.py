"""`python -m benchmarks`: measures, prints tables, and writes the figures as JSON into benchmarks/out/."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

if __package__ in (None, ""):  # as a file: python benchmarks/run.py
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from benchmarks import report

ALL = ("warm_edit", "queued", "index_lock", "cold", "hook", "clienthook", "mcp", "verify", "check", "search", "sync")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="notes in the vaults (default: %(default)s)")
    parser.add_argument("--only", default=",".join(ALL), help="benchmarks to run (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and without --sizes only 1000 notes")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="instead: kill writers at random for that long")
    parser.add_argument("--seed", type=int, help="of a soak, a load, the clones (default: another one each time)")
    parser.add_argument("--load", action="store_true", help="instead: many writers and a person on one vault")
    parser.add_argument("--processes", type=int, default=32, help="with --load: writers (default: %(default)s)")
    parser.add_argument("--edits", type=int, default=100, help="with --load: of each writer (default: %(default)s)")
    parser.add_argument(
        "--clones", type=float, metavar="SECONDS", help="instead: three clones that sync, while anything is killed"
    )
    parser.add_argument("--likeness", nargs="*", metavar="FOLDER", help="instead: how duplicate skills are found")
    parser.add_argument("--whole", action="store_true", help="with --likeness: all sizes and rates")
    parser.add_argument(
        "--capture-logs", action="store_true", help="instead: capture over 5 GB of logs (--quick: less)"
    )
    parser.add_argument(
        "--capture-kills", type=int, metavar="N", help="instead: kill a capture at random so many times"
    )
    parser.add_argument("--capture", action="store_true", help="instead: what capture's rules keep of dialogues")
    parser.add_argument(
        "--retrieval", metavar="LOCOMO.json", help="instead: how well search finds (`clone` fetches the data set)"
    )
    parser.add_argument(
        "--conversations", default="tuned", help="with --retrieval: tuned, rest, all or numbers (default: %(default)s)"
    )
    parser.add_argument("--ablation", action="store_true", help="with --retrieval: without each part of the ranking")
    options = parser.parse_args(argv)
    if options.retrieval is not None:
        from benchmarks import retrieval

        return retrieval.run(options.retrieval, options.conversations, options.ablation)
    if options.soak is not None:
        from benchmarks import soak

        return soak.run(options.soak, options.seed)
    if options.load:
        from benchmarks import load

        return load.main(options.processes, options.edits, options.seed)
    if options.clones is not None:
        from benchmarks import load_clones

        return load_clones.main(options.clones, options.seed)
    if options.capture:
        from benchmarks import capture_quality

        return capture_quality.run()
    if options.capture_logs:
        from benchmarks import capture_logs

        return capture_logs.run(options.quick)
    if options.capture_kills is not None:
        from benchmarks import capture_kills

        return capture_kills.run(options.capture_kills, options.seed)
    if options.likeness is not None:
        from benchmarks import likeness

        return likeness.run(options.likeness, options.whole)
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.quick and options.sizes == parser.get_default("sizes"):
        sizes = sizes[:1]
    unknown = set(options.only.split(",")) - set(ALL)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    return _measure(sizes, options.only.split(","), options.quick)


def _measure(sizes: list[int], names: list[str], quick: bool) -> int:
    machine = report.machine()
    load = ", ".join(f"{one:.1f}" for one in machine["load"])
    print(f"{machine['cpus']} CPUs, load {load}, Python {machine['python']}, git {machine['git']}, {machine['system']}")
    print("medians; CPU is user + system of the process and its children; peak is the largest single process;")
    print("growth is wall / CPU against the size before")
    rows: list[report.Row] = []
    for name in names:
        module = import_module(f"benchmarks.{name}")
        made = [one for size in sizes for one in module.run(size, quick)]
        print(report.table(module.TITLE, made), flush=True)
        for one in made:
            if one.extra and "ms before each step" in one.extra:
                print(f"{one.size}: " + ", ".join(f"{k} {v}" for k, v in one.extra["ms before each step"].items()))
        rows += made
    record = {"machine": machine, "load at the end": os.getloadavg(), "rows": [one._asdict() for one in rows]}
    print(f"\nload at the end {os.getloadavg()[0]:.1f}; {report.save('figures', record)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
