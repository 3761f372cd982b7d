"""Duplicates are found whatever their order, name and wording; the answer is the same on every machine."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from likeness_texts import BODY
from likeness_texts import TRIGGER
from likeness_texts import changed
from likeness_texts import judged
from likeness_texts import merged
from likeness_texts import noise
from likeness_texts import skill
from likeness_texts import why

from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness import find
from vaultgit.passes.likeness.index import LIST
from vaultgit.passes.likeness.index import RARE
from vaultgit.passes.likeness.index import Index
from vaultgit.passes.likeness.reading import lines


def test_a_copy_under_another_name_is_a_duplicate_with_its_numbers_and_shared_steps() -> None:
    found = judged(skill(), skill("web-shop-delivery"), *noise(20))
    (pair,) = found.duplicates
    assert (pair.one, pair.other, pair.why) == ("skills/ship-a-release.md", "skills/web-shop-delivery.md", "")
    assert pair.score["jaccard"] == pair.score["trigger"] == pair.score["same"] == 1
    assert pair.shared[0] == "Pull the newest main and run the whole …"
    assert len(pair.shared) == 9
    assert found.related == [] and found.families == []


def test_steps_in_another_order_are_a_duplicate() -> None:
    lines_of = BODY.split("\n")
    steps = [n for n, line in enumerate(lines_of) if line[:1].isdigit()]
    said = [lines_of[n] for n in steps]
    random.Random(1).shuffle(said)
    for n, line in zip(steps, said, strict=True):
        lines_of[n] = line
    assert why(skill(), skill("shop-release", body="\n".join(lines_of))) == ""


def test_other_words_for_the_same_are_a_duplicate() -> None:
    body = (
        BODY.replace("Collect", "Gather")
        .replace("Write", "Draft")
        .replace("newest", "latest")
        .replace("whole", "entire")
    )
    body = (
        body.replace("Watch", "Monitor").replace("Tell", "Inform").replace("throw the chores away", "drop the chores")
    )
    assert why(skill(), skill("deliver-a-release", TRIGGER.replace("must reach", "have to reach"), body)) == ""


def test_a_trimmed_edition_is_a_duplicate() -> None:
    assert why(skill(), skill("release", body=BODY.partition("## When it goes wrong")[0])) == ""


def test_strangers_are_neither_duplicates_nor_related() -> None:
    assert judged(*noise(60)) == ([], [], [])


def test_bodies_that_differ_only_in_white_space_and_case_are_the_same() -> None:
    (pair,) = judged(skill(), skill("release", body=BODY.upper().replace("\n", "\n\n"))).duplicates
    assert pair.score["same"] == 1


@given(st.permutations([skill(), skill("release"), changed("Tag the commit", "Do not tag the commit"), *noise(8)]))
def test_the_answer_does_not_depend_on_the_order_of_the_question(texts: list[Text]) -> None:
    found = find(texts)
    assert found == find(sorted(texts))
    assert all(pair.one < pair.other for pair in (*found.duplicates, *found.related))


def test_the_answer_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from likeness_texts import skill, changed, noise, find\n"
        "texts = [skill(), skill('release'), changed('red', 'green'), changed('Tag the', 'Never tag the', name='x'), *noise(30)]\n"
        "found = find(texts); print(json.dumps([found.duplicates, found.related, found.families]))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program, os.path.dirname(__file__)],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True,
        ).stdout
        for seed in ("1", "2", "77")
    }  # fmt: skip
    assert len(told) == 1
    assert len(json.loads(told.pop())[0]) > 0


def test_progress_counts_every_skill_once() -> None:
    told: list[int] = []
    find(noise(12), told.append)
    assert sum(told) == 12


@pytest.mark.parametrize("count", [0, 1])
def test_few_skills(count: int) -> None:
    assert find([skill()][:count]) == ([], [], [])


@given(st.text(max_size=300), st.text(max_size=80))
def test_no_text_breaks_it(body: str, trigger: str) -> None:
    find([Text("a", trigger, trigger, body, {}), Text("b", body[:30], trigger, body + "x", {}), skill(body=body)])


@pytest.mark.parametrize("body", ["- [ ] " * 3000, "```\n" * 2001, "# \n" * 3000, "> - 1. " * 2000, "`" * 30_000])
def test_odd_markdown_takes_no_time(body: str) -> None:
    start = time.perf_counter()
    find([skill(body=body), skill("other", body=body + "- One more step.")])
    assert time.perf_counter() - start < 5


def test_a_long_repetitive_skill_takes_no_time() -> None:
    """Lines that share all their words with thousands of others find no partners one by one."""
    body = "\n".join(f"- Check the gauge {n % 7} of the boiler in the cellar twice." for n in range(4000))
    start = time.perf_counter()
    find([skill(body=body), skill("other", body=body.replace("twice", "three times"))])
    assert time.perf_counter() - start < 20


class TestFamilies:
    def members(self, count: int) -> list[Text]:
        return [
            skill(
                f"{product}-release", f"Use when {product} is due for a release.", BODY.replace("the web shop", product)
            )
            for product in (text.name for text in noise(count))
        ]

    def test_many_skills_of_one_template_are_one_family_and_no_pairs(self) -> None:
        members = self.members(40)
        found = judged(*members, *noise(30))
        (family,) = found.families
        assert set(family.keys) == {text.key for text in members}
        assert found.duplicates == [] and found.related == []

    def test_a_few_are_related_pairs_with_the_reason(self) -> None:
        found = judged(*self.members(3))
        assert found.families == [] and found.duplicates == []
        assert [pair.why.startswith("one is about ") for pair in found.related] == [True] * 3

    def test_a_copy_inside_a_family_is_still_found(self) -> None:
        members = self.members(40)
        copy = members[7]._replace(key="skills/copy.md", name=members[7].name + "-again")
        assert merged(judged(*members, copy)) == [(members[7].key, "skills/copy.md")]

    def test_a_template_of_as_many_as_are_rare_is_none(self) -> None:
        assert judged(*self.members(RARE)).families == []


class TestCost:
    def test_the_same_skill_a_thousand_times_is_not_compared_a_million_times(self) -> None:
        texts = [skill(f"release-{word.name}") for word in noise(1000)]
        index = Index(sorted(texts))
        assert len(index.candidates()) <= len(texts) * LIST
        assert any(len(members) == 1000 for members in index.families())

    def test_candidates_grow_with_the_skills_and_not_with_their_square(self) -> None:
        counts = []
        for size in (200, 400):
            chance = random.Random(3)
            pool = [line.text for text in noise(60) for line in lines(text.body)]
            texts = [
                Text(
                    str(n),
                    f"s{n}",
                    "Use for the one and the other.",
                    "\n".join(f"- {chance.choice(pool)}" for _ in range(9)),
                    {},
                )
                for n in range(size)
            ]
            counts.append(len(Index(texts).candidates()))
        assert counts[1] < 4 * counts[0] + 400
