"""Traps that real collections of skills hold; each text here is made up after the kind, none is copied."""

from __future__ import annotations

from likeness_texts import BODY
from likeness_texts import TRIGGER
from likeness_texts import judged
from likeness_texts import merged
from likeness_texts import noise
from likeness_texts import skill
from likeness_texts import why

from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness.index import Index
from vaultgit.passes.likeness.reading import lines

CHART = """# Reading the market

1. Load the candles of the last ninety days and check that no hour is missing.
2. Draw the two averages, and mark where the quick one crosses the slow one.
3. Compare the volume of the crossing with the mean of its week.
4. Write down support and resistance as two numbers each, never as a feeling.
5. State what would prove the reading wrong, and the date to look again.
6. Put the chart, the numbers and the date into the journal of the desk.

Readings are no advice. A reading older than a week is thrown away, not extended.
"""


def coin(name: str) -> Text:
    return Text(f"coins/{name}.md", f"{name}-reading", f"Use to read the market of {name}.", f"# {name}\n\n{CHART}", {})


class TestTemplateFamilies:
    def test_one_body_with_other_titles(self) -> None:
        """Trap 1: the most similar texts there are, each about a thing of its own."""
        found = judged(*(coin(text.name) for text in noise(25)))
        assert found.duplicates == [] and [len(family.keys) for family in found.families] == [25]

    def test_one_body_under_other_names_only(self) -> None:
        one, other = (coin(name)._replace(body=CHART) for name in ("zelmark", "quorvia"))
        assert why(one, other) == "one is about zelmark, the other about quorvia"

    def test_a_small_family_in_a_small_vault(self) -> None:
        """Nothing is rare there, and nothing is common: the guards are all there is."""
        found = judged(*(coin(name) for name in ("zelmark", "quorvia", "tandexo", "zelmark-futures")))
        assert found.duplicates == [] and len(found.related) == 6

    def test_a_converter_for_each_kind_of_file(self) -> None:
        body = BODY.replace("ticket", "{} file").replace("the commit", "the .{} that was read")
        one, other, third = (
            skill(f"convert-{kind}-to-md", f"Use to turn a .{kind} file into Markdown.", body.replace("{}", kind))
            for kind in ("pdf", "docx", "xlsx")
        )
        assert judged(one, other, third).duplicates == []


class TestNeighbours:
    def test_create_and_update(self) -> None:
        """Trap 2: all but three lines are the same."""
        one = skill("create-specification", "Create a new specification file for the shop.", BODY)
        other = skill(
            "update-specification",
            "Update an existing specification file for the shop.",
            BODY + "\nKeep what is there.\n",
        )
        assert why(one, other) == "one is to create, the other to update"

    def test_two_languages_in_both_texts(self) -> None:
        """Trap 3: the text of each names both."""
        both = "\n".join(f"- Rule {n}: what Java needs a factory for, Kotlin says in {n} lines." for n in range(3, 9))
        one, other = (
            skill(
                f"{name}-services",
                f"Use for services written in {name.title()}.",
                f"{BODY}\n{both}\nAll code is {name}.\n",
            )
            for name in ("java", "kotlin")
        )
        assert why(one, other) == "one is about java, the other about kotlin"

    def test_the_same_tool_for_another_stage(self) -> None:
        """Trap 4: one name has a word more."""
        for more in ("Staging", "Verify", "IO"):
            thing = f"Brex {more}"
            one = skill(
                "brex",
                "Use Brex for cards.",
                BODY.replace("the pipeline", "the Brex pipeline").replace("board", "Brex board"),
            )
            other = skill(f"brex-{more.lower()}", f"Use {thing} for cards.", one.body.replace("Brex", thing))
            assert why(one, other) == f"only one of them has “{more.lower()}” in its name, and the texts differ"

    def test_general_words_may_be_the_difference(self) -> None:
        """Trap 7: agents or skills, designing or setting up."""
        for one, other in (("suggest-agents", "suggest-skills"), ("network-design", "network-setup")):
            what = one.split("-")[1], other.split("-")[1]
            texts = [
                skill(
                    name,
                    f"Use to work on {word} of the team.",
                    BODY.replace("the milestone", f"the {word}").replace("chores", word),
                )
                for name, word in zip((one, other), what, strict=True)
            ]
            assert why(*texts) == f"one is about {what[0]}, the other about {what[1]}"

    def test_both_names_in_both_texts(self) -> None:
        """Trap 8: it is not that a name is absent from the other, but which one each is full of."""
        body = "\n".join(
            f"- Set key {n} of HOST in its console, and read it back. OTHER has no such key." for n in range(8)
        )
        texts = [
            skill(f"{host.lower()}-webhooks", f"Use to receive the signed webhooks of {host} and to replay them.", body)
            for host in ("Supabase", "Vercel")
        ]
        one, other = (
            text._replace(body=text.body.replace("HOST", host).replace("OTHER", not_it))
            for text, host, not_it in zip(texts, ("Supabase", "Vercel"), ("Vercel", "Supabase"), strict=True)
        )
        assert why(one, other) == "one is about supabase, the other about vercel"

    def test_two_topics_of_one_product(self) -> None:
        """Short triggers full of the product's name look alike, and some steps are the same."""
        shared = "\n".join(f"- Log in to Sentry and open the page for quota {n}." for n in range(4))
        one = skill("sentry-cost-tuning", "Manage Sentry costs and quota.", f"{shared}\n{CHART}")
        other = skill("sentry-rate-limits", "Manage Sentry limits and quota.", f"{shared}\n{BODY}")
        assert judged(one, other).duplicates == []


class TestLanguages:
    def test_triggers_without_latin_letters_are_not_all_the_same(self) -> None:
        """Trap 5: a tokenizer of ASCII sees two empty triggers, which are equal."""
        one = skill("guide", "技能的使用说明和目录结构", "- " + "\n- ".join("甲乙丙丁戊己庚辛"))
        other = skill("mail", "邮件的分类、草稿和发送检查", "- " + "\n- ".join("子丑寅卯辰巳午未"))
        assert judged(one, other) == ([], [], [])

    def test_a_translation_with_the_same_code(self) -> None:
        code = "\n".join(BODY.split("\n")[4:13])
        one = skill("shop", body=f"Look at the board first, and wait for the team to be there.\n\n```\n{code}\n```")
        other = skill(
            "shop-ja", "ウェブショップのリリース", f"まずボードを見て、チームが揃うのを待ちます。\n\n```\n{code}\n```"
        )
        assert [pair.why for pair in judged(one, other).related] in ([], ["they are written in different languages"])
        assert judged(one, other).duplicates == []

    def test_a_chinese_step_that_says_no(self) -> None:
        body = "1. 先拉取主分支并运行全部测试\n2. 收集自上一个标签以来的合并请求\n3. 把说明写给客户看\n4. 推送标签到远端仓库\n5. 通知支持团队"
        one, other = (
            skill("fabu", "发布网店的新版本时使用", body),
            skill("fabu-2", "发布网店的新版本时使用", body.replace("推送标签", "不要推送标签")),
        )
        assert "negated" in why(one, other)


class TestSameBody:
    def test_another_platform_in_the_trigger(self) -> None:
        """Trap 6."""
        one, other = skill("shop", f"{TRIGGER} On macOS."), skill("shop-release", f"{TRIGGER} On Windows.")
        assert why(one, other) == "one is about macos, the other about windows"

    def test_other_files_beside_it(self) -> None:
        one, other = skill("shop", rules_md="1" * 40), skill("shop-release", rules_md="2" * 40)
        assert why(one, other) == "the files beside them differ: rules.md"


class TestSteps:
    def test_a_step_that_held_a_no_already(self) -> None:
        """Trap 9: that there is one says nothing, how many there are does."""
        one = skill(body=BODY.replace("look at the board", "never guess, look at the board"))
        other = skill("release", body=one.body.replace("look at", "do not look at"))
        assert "negated" in why(one, other)

    def test_another_tag_on_the_fence(self) -> None:
        """Trap 10."""
        assert why(skill(), skill("release", body=BODY.replace("```bash", "```yaml"))) == ""

    def test_an_order_that_may_mean_something(self) -> None:
        """Trap 13: the finder calls it a duplicate; a merge keeps the order of one."""
        one = skill(
            "move-the-base", "Use to move the database to the new host.", CHART.replace("1. ", "1. Back up first. ")
        )
        swapped = (
            one.body.replace("1. Back", "9. Back")
            .replace("2. Draw", "1. Draw")
            .replace("9. Back", "2. Back")
            .split("\n")
        )
        swapped[2], swapped[3] = swapped[3], swapped[2]
        assert why(one, skill("base-move", one.trigger, "\n".join(swapped))) == ""


class TestTriggers:
    def test_cut_descriptions_are_no_evidence(self) -> None:
        """Trap 11: equal triggers that say nothing."""
        one = skill("a-guide", "Use when working with ...", "\n".join(BODY.split("\n")[:11]) + "\n" + CHART)
        other = skill("guide", "Use when working with ...", BODY)
        assert judged(one, other).duplicates == []

    def test_redirects_are_not_duplicates_of_one_another(self) -> None:
        """Trap 12."""
        body = "# Moved\n\nThis is an alias of another skill of the same folder. Open that one, and change the link that led you here.\n"
        one, other = (skill(f"old-{n}", f"DEPRECATED: use the new skill number {n}.", body) for n in ("north", "south"))
        assert "only points to another skill" in why(one, other)


class TestCaps:
    def test_a_group_beyond_every_cap_is_counted_and_its_copies_are_found(self) -> None:
        """Trap 14: a cap would hide fifty copies of one skill."""
        copies = [skill(f"ship-{text.name}") for text in noise(50)]
        found = judged(*copies, *noise(20))
        assert [len(family.keys) for family in found.families] == [50]
        assert {key for pair in merged(found) for key in pair} == {text.key for text in copies}

    def test_phrases_of_many_do_not_make_candidates(self) -> None:
        shared = [line.text for line in lines(BODY)]
        texts = [text._replace(body="\n".join(f"- {line}" for line in shared) + "\n" + text.body) for text in noise(60)]
        assert Index(texts).candidates() == []
