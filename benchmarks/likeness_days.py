"""200 days of agents that add skills, copy them without knowing, use and molt them: what do the passes leave?

Skills come at a steady rate. One in ten is a skill that is there already: told again word for word, in another order,
or in other words. Every day used skills get a next version, so that a copy and what it copies drift apart until a pass
sees them. A pass looks at the whole vault and takes away the copies that it finds.
"""

from __future__ import annotations

import random
import sys
import time
from typing import NamedTuple

from benchmarks import likeness_made as made
from benchmarks import likeness_plant as plant
from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness import find

DAYS = 200
COPIES = 0.1  # of what is added
MOLTS = 0.01  # of all skills, a day
MIX = (12, 3, 3, 1, 1)  # how often each way of copying happens: most are told again word for word
LIMIT = 0.05
ENOUGH = 50  # copies: of fewer a share says nothing


class Day(NamedTuple):
    day: int
    skills: int
    copied: int  # so far
    left: int  # copies that the passes until today did not find
    left_by_case: tuple[float, ...]
    wrong: int  # merges of skills that are none
    seconds: float


def simulate(rate: int, every: int, seed: int = 1) -> list[Day]:
    """Adds `rate` skills a day, with a pass each `every` days."""
    chance = random.Random(seed)
    writer = made.Writer(seed)
    cases = [case for case in plant.CASES if case.same]
    vault: dict[str, Text] = {}
    origin: dict[str, str] = {}
    case_of: dict[str, int] = {}
    copied, wrong, number = [0] * len(cases), 0, 0
    days = []
    for day in range(1, DAYS + 1):
        for _ in range(rate):
            key = f"skills/{number:06d}.md"
            if vault and chance.random() < COPIES:
                of, other = (vault[one] for one in chance.choices(list(vault), k=2))
                case = chance.choices(range(len(cases)), MIX)[0]
                pair = cases[case].make(of, chance, other)
                assert pair
                vault[key] = pair[1]._replace(key=key)
                origin[key], case_of[key] = origin[of.key], case
                copied[case] += 1
            else:
                member = number % made.FAMILY_EVERY == 7
                family = number // made.FAMILY_EVERY // made.FAMILY_HOLDS
                vault[key] = writer.member(number, family) if member else writer.skill(number)
                origin[key] = key
            number += 1
        for key in chance.sample(sorted(vault), int(len(vault) * MOLTS + chance.random())):
            vault[key] = molt(vault[key], chance)
        if day % every:
            continue
        start = time.process_time()
        for pair in find(list(vault.values())).duplicates:
            if origin[pair.one] != origin[pair.other]:
                wrong += 1
            elif pair.one in vault and pair.other in vault:
                del vault[pair.other]  # the later one; it was copied from the other, or from the same one
        seconds = time.process_time() - start
        left = _left(vault, origin, case_of, len(cases))
        shares = tuple(n / max(1, all_) for n, all_ in zip(left, copied, strict=True))
        days.append(Day(day, len(vault), sum(copied), sum(left), shares, wrong, seconds))
    return days


def _left(vault: dict[str, Text], origin: dict[str, str], case_of: dict[str, int], cases: int) -> list[int]:
    """Copies of which another telling is still there, by the way that they were copied."""
    tellings: dict[str, list[str]] = {}
    for key in vault:
        tellings.setdefault(origin[key], []).append(key)
    left = [0] * cases
    for keys in tellings.values():
        for key in sorted(keys)[1:]:
            left[case_of[key]] += 1
    return left


def molt(text: Text, chance: random.Random) -> Text:
    """The next version: a step is said in other words, and one is new."""
    lines = text.body.split("\n")
    steps = [n for n, line in enumerate(lines) if line[:1].isdigit() or line.startswith("- ")]
    if not steps:
        return text
    at = chance.choice(steps)
    lines[at] = plant.reword(lines[at], 1.0, chance.randrange(1 << 30))
    new = made.Writer(chance.randrange(1 << 30)).skill(chance.randrange(1000))
    step = next(line for line in new.body.split("\n") if line.startswith(("1. ", "- ")))
    lines.insert(chance.choice(steps) + 1, "- " + step.partition(" ")[2])
    return text._replace(body="\n".join(lines))


def show(rates: list[tuple[int, int]]) -> None:
    """The curve of each rate: (skills added a day, days from pass to pass)."""
    names = [case.name for case in plant.CASES if case.same]
    print(f"\n{DAYS} days; {MOLTS:.0%} of the skills molt a day; {COPIES:.0%} of what is added is a copy:")
    print("\n".join(f"  {weight} in {sum(MIX)}: {name}" for weight, name in zip(MIX, names, strict=True)))
    print("left: copies that no pass has found so far, of all copies made; then the same for each way of copying")
    print("a day  day  skills  copies  left  share  verbatim  order   30 %   60 %  100 %  wrong  pass s")
    for rate, every in rates:
        crossed = 0
        for day in simulate(rate, every):
            share = day.left / max(1, day.copied)
            crossed = crossed or (day.skills if share > LIMIT and day.copied >= ENOUGH else 0)
            ways = "  ".join(f"{one:5.3f}" for one in day.left_by_case)
            print(
                f"{rate:5d}  {day.day:3d}  {day.skills:6d}  {day.copied:6d}  {day.left:4d}  {share:5.3f}     {ways}"
                f"  {day.wrong:5d}  {day.seconds:6.1f}",
                flush=True,
            )
        print(f"{rate} a day: {f'from {crossed} skills on' if crossed else 'never'} more than {LIMIT:.0%} left")


if __name__ == "__main__":
    show([(int(sys.argv[1]), int(sys.argv[2]))])
