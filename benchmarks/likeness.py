"""`python -m benchmarks --likeness [FOLDER …]`: time, memory and quality of finding duplicate skills.

With folders of SKILL.md files, the copies and neighbours of the table are made from those, else from generated skills.
"""

from __future__ import annotations

import json
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from typing import Any

from benchmarks import likeness_days as days
from benchmarks import likeness_made as made
from benchmarks import likeness_plant as plant
from benchmarks import place
from benchmarks import report
from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness import find

SIZES = (100, 1000, 10_000, 20_000, 50_000)
QUICK = 2  # so many of the sizes without --all
MUST_MS, MUST_GROWTH = 15.0, 2.0  # a skill; against a vault of 1,000
BASES = 260
MUST = {"verbatim": 1.0, "steps in": 0.99, "reworded 30": 0.8, "reworded 60": 0.6, "reworded 100": 0.3}
MUST_NOT = 0.03


def run(folders: list[str], whole: bool) -> int:
    rows = _times(SIZES if whole else SIZES[:QUICK])
    bases = made.from_folders(folders, BASES) if folders else made.skills(BASES * 2).texts
    table = _planted(_strangers(bases)[:BASES])
    days.show([(5, 20), (50, 40), (250, 50)] if whole else [(2, 20)])
    print(report.save("likeness", {"machine": report.machine(), "times": rows, "planted": table}))
    return 0


def _times(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Each size in a process of its own: memory of one would be counted as that of the next."""
    print("\nPlan time (CPU) and memory for generated skills, 5 % of them planted copies, 3 % made from templates")
    print("skills  ms/skill  growth  MB of texts  MB more  found  wrong  families  related")
    rows: list[dict[str, Any]] = []
    for size in sizes:
        command = [sys.executable, "-m", "benchmarks.likeness", str(size)]
        out = subprocess.run(command, cwd=place.ROOT, env=place.environment(), check=True, capture_output=True).stdout
        row = json.loads(out)
        base = next((one["ms"] for one in rows if one["skills"] == 1000), row["ms"])
        met = row["ms"] <= MUST_MS and (size < 1000 or row["ms"] <= MUST_GROWTH * base)
        print(
            f"{size:6d}  {row['ms']:8.2f}  {row['ms'] / base:6.2f}  {row['before']:11.0f}"
            f"  {row['after'] - row['before']:7.0f}  {row['found']:5.3f}  {row['wrong']:5d}"
            f"  {row['families']:8d}  {row['related']:7d}  {'met' if met else 'MISSED'}",
            flush=True,
        )  # fmt: skip
        rows.append(row)
    return rows


def _one(size: int) -> dict[str, Any]:
    texts, origin, case = made.skills(size)
    before = _peak()
    start = time.process_time()
    found = find(texts)
    spent = time.process_time() - start
    right = {key for pair in found.duplicates if origin[pair.one] == origin[pair.other] for key in pair[:2]}
    wrong = sum(1 for pair in found.duplicates if origin[pair.one] != origin[pair.other])
    by_case = {
        name: _share([key in right for key, one in case.items() if one == name]) for name in sorted(set(case.values()))
    }
    return {
        "skills": size, "ms": spent * 1000 / size, "before": before, "after": _peak(), "wrong": wrong,
        "by case": by_case,
        "found": _share([key in right for key in case]), "families": len(found.families), "related": len(found.related),
    }  # fmt: skip


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def _share(held: list[bool]) -> float:
    return sum(held) / len(held) if held else 0.0


def _strangers(texts: list[Text]) -> list[Text]:
    """Those that are like no other: what is merged below is then a planted pair, or wrong."""
    found = find(texts)
    near = {key for pair in (*found.duplicates, *found.related) for key in pair[:2]}
    near |= {key for family in found.families for key in family.keys}
    return [text for text in texts if text.key not in near]


def _planted(bases: list[Text]) -> list[dict[str, Any]]:
    print(f"\nShare merged, of pairs planted among {len(bases)} skills. Same: the more the better; other: the fewer")
    print(f"{'':60}pairs   rule  plain J>=.8  J>=.5  strangers merged")
    rows = []
    for case in plant.CASES:
        pairs = [
            pair
            for n, text in enumerate(bases)
            if (pair := case.make(text, random.Random(f"{case.name}{n}"), bases[(n + 7) % len(bases)]))
        ]
        found = {pair[:2] for pair in find([text for pair in pairs for text in pair]).duplicates}
        ours = [tuple(sorted(text.key for text in pair)) in found for pair in pairs]
        plain = [_jaccard(*pair) for pair in pairs]
        row = {
            "case": case.name, "same": case.same, "pairs": len(pairs), "rule": _share(ours),
            "strangers": len(found) - sum(ours), "plain .8": _share([rate >= 0.8 for rate in plain]),
            "plain .5": _share([rate >= 0.5 for rate in plain]),
        }  # fmt: skip
        print(
            f"{'same ' if case.same else 'other'}  {case.name:53}{row['pairs']:5d}  {row['rule']:5.3f}"
            f"  {row['plain .8']:11.2f}  {row['plain .5']:5.2f}  {row['strangers']:16d}"
            f"  {_met(case, len(pairs), row['rule'])}",
            flush=True,
        )  # fmt: skip
        rows.append(row)
    return rows


def _met(case: plant.Case, pairs: int, rate: float) -> str:
    if not pairs:
        return "no such skill"
    if not case.same:
        return "met" if rate <= MUST_NOT else "MISSED"
    return "met" if rate >= next(must for start, must in MUST.items() if case.name.startswith(start)) else "MISSED"


def _jaccard(one: Text, other: Text) -> float:
    """What everybody's duplicate finder does: shared runs of four words."""
    a, b = _shingles(one.body), _shingles(other.body)
    return sum((a & b).values()) / max(1, sum((a | b).values()))


def _shingles(body: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", body.lower())
    return Counter(set(zip(words, words[1:], words[2:], words[3:], strict=False)))


if __name__ == "__main__":
    print(json.dumps(_one(int(sys.argv[1]))))
