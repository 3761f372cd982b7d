"""What speaks against a merge is seen and said in words; the nearest thing that does not, does not."""

from __future__ import annotations

import pytest
from likeness_texts import BODY
from likeness_texts import TRIGGER
from likeness_texts import changed
from likeness_texts import skill
from likeness_texts import why

from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness import words

SHOP = "the web shop"


def for_(thing: str, name: str = "") -> Text:
    """The skill for another thing: it stands in name, trigger and text."""
    body = BODY.replace("a release", f"a release with {thing}").replace("the pipeline", f"the {thing} pipeline")
    return skill(name or f"{thing.lower().replace(' ', '-')}-release", TRIGGER.replace(SHOP, thing), body)


class TestNegation:
    @pytest.mark.parametrize(
        "no", ["Do not pull", "Don't pull", "Don’t pull", "Never pull", "Avoid to pull", "Refuse to pull"]
    )
    def test_a_step_that_says_no(self, no: str) -> None:
        said = why(skill(), changed("Pull", no))
        assert said.startswith(f"one step is negated in one of them: “{no} the newest main")

    def test_a_step_that_says_no_once_more(self) -> None:
        one = changed("5. Tag", "5. Never sign, but tag", name="one")
        assert "negated" in why(one, changed("Never sign, but tag", "Never sign, never tag", one, "other"))

    def test_code_that_tests_the_contrary(self) -> None:
        one = changed("scripts/release.sh", '[ "$branch" = main ] && scripts/release.sh', name="one")
        assert "negated" in why(one, changed(" = main", " != main", one, "other"))

    def test_a_flag_that_switches_off(self) -> None:
        assert "negated" in why(skill(), changed("--notes notes.txt", "--no-verify --notes notes.txt"))

    def test_another_word_for_no_is_the_same_no(self) -> None:
        one = changed("5. Tag", "5. Do not sign, but tag", name="one")
        assert why(one, changed("Do not sign", "Never sign", one, "one-release")) == ""

    def test_what_is_done_to_avoid_something_is_done(self) -> None:
        assert why(skill(), changed("on a clean checkout.", "on a clean checkout to avoid stale files.")) == ""

    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("push", 0), ("do not push", 1), ("isn’t, can't, cannot", 3), ("nicht ohne", 2), ("不要推送", 1),
            ("ne jamais", 2), ("a !== b", 1), ("knot and nothing", 1),
        ],
    )  # fmt: skip
    def test_counts(self, text: str, count: int) -> None:
        assert words.negations(text) == count


class TestNames:
    def test_a_name_that_stands_in_name_trigger_and_text(self) -> None:
        assert why(for_("Zelmark"), for_("Quorvia")) == "one is about zelmark, the other about quorvia"

    def test_a_thing_that_the_other_trigger_never_names(self) -> None:
        one, other = for_("Zelmark", "ship-a-release"), for_("Quorvia", "shop-release")
        assert why(one, other) == "one is about zelmark, the other about quorvia"

    def test_a_tool_swapped_in_the_body_only(self) -> None:
        one = changed("scripts/release.sh", "zelmark push\nzelmark notify", name="one")
        said = why(one, one._replace(key="other", name="one-release", body=one.body.replace("zelmark", "quorvia")))
        assert said == "where one says “zelmark”, the other says “quorvia”"

    def test_it_may_survive_inside_longer_words(self) -> None:
        one = changed(
            "scripts/release.sh", "zelmark push\nzelmark notify\ncat zelmark-cli.log a/zelmark.yml", name="one"
        )
        body = one.body.replace("zelmark ", "quorvia ")
        assert "zelmark" in why(one, one._replace(key="other", name="one-release", body=body))

    def test_one_word_more_in_the_name(self) -> None:
        one, other = for_("Brex"), for_("Brex Staging")
        assert why(one, other) == "only one of them has “staging” in its name, and the texts differ"

    def test_one_word_more_throughout_the_text(self) -> None:
        one, other = for_("Brex", "ship-a-release"), for_("Brex Invoices", "shop-release")
        assert why(one, other) == "one says “invoices” throughout, the other never"

    def test_names_that_differ_where_little_else_is_the_same(self) -> None:
        one = skill("cost-tuning")
        rest = "\n".join(f"- Ask the office of district {n} how the {n}th counter is read at night." for n in range(40))
        other = skill("limit-checks", body="\n".join(BODY.split("\n")[6:11]) + "\n" + rest)
        assert why(one, other).startswith("their names differ (cost-tuning, limit-checks)")

    @pytest.mark.parametrize(
        "name", ["deliver-a-release", "ship-a-release-2", "ship-a-release-workflow", "release-ship-a"]
    )
    def test_another_name_for_the_same_text_is_fine(self, name: str) -> None:
        assert why(skill(), skill(name)) == ""

    def test_a_synonym_all_through_the_text_is_fine(self) -> None:
        assert (
            why(skill(), skill("release", body=BODY.replace("tickets", "requests").replace("ticket ", "request ")))
            == ""
        )


class TestKinds:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Python", "Java"), ("AWS", "GCP"), ("macOS", "Windows"), ("npm", "pnpm"), ("GitHub", "GitLab"),
            ("Postgres", "MySQL"), ("Django", "Rails"), ("pdf", "docx"), ("Jest", "Vitest"), ("staging", "prod"),
            ("Slack", "Discord"), ("C#", "C++"), ("Claude", "Codex"),
        ],
    )  # fmt: skip
    def test_others_of_its_kind(self, one: str, other: str) -> None:
        assert why(for_(one, "ship-a-release"), for_(other, "shop-release")).startswith("one is about ")

    def test_once_in_a_line_is_enough(self) -> None:
        one = changed("run the whole test suite", "run the whole test suite with npm", name="one")
        assert why(one, changed("npm", "yarn", one, "one-release")) == "where one says “npm”, the other says “yarn”"

    def test_a_short_name_of_the_same_thing_is_fine(self) -> None:
        assert why(for_("Kubernetes", "ship"), for_("k8s", "ship-release")) == ""

    def test_code_in_another_language(self) -> None:
        one = changed("```bash", "```python", name="one")
        assert (
            why(one, changed("```python", "```ruby", one, "one-release"))
            == "the code of one is python, of the other ruby"
        )

    def test_another_tag_for_the_same_code_is_fine(self) -> None:
        assert why(skill(), changed("```bash", "```console")) == ""


class TestVerbs:
    @pytest.mark.parametrize(
        ("one", "other"),
        [("create", "update"), ("add", "remove"), ("import", "export"), ("enable", "disable"), ("encrypt", "decrypt")],
    )
    def test_opposite_verbs_in_the_name(self, one: str, other: str) -> None:
        assert why(skill(f"{one}-release"), skill(f"{other}-release")) == f"one is to {one}, the other to {other}"

    def test_opposite_verbs_in_the_trigger(self) -> None:
        one, other = (
            skill(f"shop-{n}", f"Use to {verb} the public notes of the shop.")
            for n, verb in enumerate(["show", "hide"])
        )
        assert why(one._replace(name="a-shop"), other._replace(name="the-shop")) == "one is to show, the other to hide"

    def test_the_order_of_two_things(self) -> None:
        one = changed("Tag the commit", "Tag the commit before the deploy", name="one")
        assert (
            why(one, changed("before the", "after the", one, "one-release"))
            == "where one says “before”, the other says “after”"
        )

    def test_verbs_of_one_meaning_are_fine(self) -> None:
        assert why(skill("create-release"), skill("make-release")) == ""


class TestVersions:
    @pytest.mark.parametrize(
        ("one", "other"), [("v3", "v4"), ("Python 3.11", "Python 3.12"), ("iOS 17", "iOS 18"), ("2025", "2026")]
    )
    def test_other_numbers_in_the_trigger_of_the_same_text(self, one: str, other: str) -> None:
        said = why(skill("shop", f"{TRIGGER} For {one}."), skill("shop-release", f"{TRIGGER} For {other}."))
        assert said.startswith("the trigger of one says ")

    def test_a_version_that_only_one_has(self) -> None:
        assert why(skill(), skill("shop", f"{TRIGGER} For Tailwind 4.")) == "only one of them says 4 in its trigger"

    def test_other_numbers_in_the_name(self) -> None:
        assert why(skill("shop-2"), skill("shop-3")) == "the name of one says 2, of the other 3"

    def test_a_count_is_no_version(self) -> None:
        assert why(skill(), skill("shop", f"{TRIGGER} With 29 rules.")) == ""


class TestText:
    def test_another_language(self) -> None:
        german = (
            "Vor dem ersten Schritt ist die Tafel zu lesen und jede Karte ist zu. Wenn der Lauf rot ist, wird er auf "
            "einem Zweig geheilt und mit der nächsten Nummer noch einmal gestartet. Das ist für die Kunden. "
        )
        english = "Before the first step look at the board, and see that all of it is done for the customers. " * 2
        code = "\n".join(BODY.split("\n")[6:13])
        one, other = (
            skill(name, body=f"{prose}\n\n```text\n{code}\n```") for name, prose in (("a", english), ("a-2", german))
        )
        assert why(one, other) == "they are written in different languages"

    def test_a_trigger_in_another_script(self) -> None:
        assert (
            why(skill(), skill("shop", "ウェブショップのリリースの時に使う"))
            == "they are written in different languages"
        )

    def test_a_page_that_only_points_elsewhere(self) -> None:
        body = "This skill has moved to the skill of the other folder.\n\n- Open it there and follow its steps to the end, please.\n"
        one, other = skill("old-release", body=body), skill("old-deploy", body=body + "\n- Then come back.\n")
        assert why(one, other) == "old-release only points to another skill: “has moved to”"

    def test_a_trigger_that_is_cut_or_missing(self) -> None:
        one = skill(trigger="Use when working with the release of ...")
        more = "\n".join(f"- Ask the office of district {n} how the {n}th counter is read at night." for n in range(4))
        assert "is missing or cut off" in why(one, one._replace(name="release", body=f"{BODY}\n{more}\n"))
        assert why(one, one._replace(name="release")) == ""

    def test_a_few_words_that_are_the_same_by_chance(self) -> None:
        body = "1. Ask what is wanted.\n2. Do it step by step, and look at the result after each one.\n3. Say what was done.\n"
        one, other = (
            skill("water-plants", "Use when plants are dry.", body),
            skill("file-taxes", "Use at the end of a year.", body),
        )
        assert why(one, other).endswith(" says too little to tell")

    def test_other_files_beside_it_under_the_same_name(self) -> None:
        assert why(skill(rules_md="1"), skill("shop", rules_md="2")) == "the files beside them differ: rules.md"
        assert why(skill(rules_md="1"), skill("shop", rules_md="1")) == ""
        assert why(skill(rules_md="1"), skill("shop", extra_md="2")) == ""
