from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from vaultgit.notes import procedure
from vaultgit.passes.join import Declined
from vaultgit.passes.join import Joined
from vaultgit.passes.join import join
from vaultgit.passes.join.proof import missing

BASE = """# Release

Cut a release of the service.

## When to use

- A milestone is closed
- A fix must reach the users today

## Steps

1. Check out the main branch
2. Run the whole test suite
3. Build the container image

   ```sh
   make image
   ```

4. Push the tag to the server

## Rollback

Deploy the tag before it.

```sh
make deploy TAG=old
```
"""


def joined(base: str, other: str, name: str = "ship-it") -> Joined:
    result = join(base, other, name)
    assert isinstance(result, Joined), result
    return result


def declined(base: str, other: str) -> str:
    result = join(base, other, "ship-it")
    assert isinstance(result, Declined), result.body
    return result.why


# Class 1: one holds the other


def test_the_longer_one_is_the_result_byte_for_byte() -> None:
    shorter = BASE.replace("2. Run the whole test suite\n3. ", "2. ").replace("4. Push", "3. Push")
    assert joined(BASE, shorter) == Joined(BASE, 1, ())
    assert joined(shorter, BASE).body == BASE


def test_it_says_what_came_from_the_other_where_that_is_the_longer() -> None:
    shorter = BASE.replace("\n## Rollback\n\nDeploy the tag before it.\n\n```sh\nmake deploy TAG=old\n```\n", "")
    result = joined(shorter, BASE)
    assert (result.body, result.kind) == (BASE, 1)
    assert result.added == ("## Rollback", "Deploy the tag before it.", "```sh\nmake deploy TAG=old\n```")


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace("- A", "* A"),
        lambda body: body.replace("# Release", "# Ship it"),
        lambda body: body.replace("Run the whole", "**Run** the whole"),
        lambda body: body.replace("## When to use", "## Use this skill when"),
        lambda body: re.sub(r"^(\d)\.", "1.", body, flags=re.MULTILINE),
        lambda body: body.replace("\n\n", "\n\n\n"),
        lambda body: body.replace("```sh", "```bash"),
        lambda body: body.replace("\n", "\r\n"),
        lambda body: body.rstrip("\n"),
    ],
)
def test_what_only_looks_different_changes_nothing(change: Callable[[str], str]) -> None:
    assert joined(BASE, change(BASE)) == Joined(BASE, 1, ())


def test_steps_in_another_order_keep_the_order_of_the_base() -> None:
    base, other = "1. back up the data\n2. migrate the schema\n", "1. migrate the schema\n2. back up the data\n"
    assert joined(base, other).body == base
    assert joined(other, base).body == other


def test_order_is_the_base_s_also_where_the_other_has_more() -> None:
    base = "1. back up all the data\n2. migrate the old schema\n3. start the new server\n"
    other = "1. migrate the old schema\n2. back up all the data\n3. start the new server\n4. tell the whole team\n"
    assert joined(base, other).body == base + "4. tell the whole team\n"


def test_a_table_or_code_of_other_padding_is_the_same() -> None:
    base = "Values.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nx = {'a': 1}\n```\n"
    other = 'Values.\n\n| a   | b   |\n| --- | --- |\n| 1   | 2   |\n\n```js\nx = {\n  "a": 1,\n}\n```\n'
    assert joined(base, other).body == base


def test_code_that_is_only_indented_in_other_steps_is_the_same() -> None:
    base = "Run.\n\n```python\nif it:\n    for one in it:\n        go(one)\n```\n"
    assert joined(base, base.replace("    ", "  ")).body == base


def test_quotes_in_a_shell_are_not_the_same() -> None:
    base, other = "Run.\n\n```sh\necho '$HOME is it'\n```\n", 'Run.\n\n```sh\necho "$HOME is it"\n```\n'
    assert isinstance(join(base, other, "x"), Declined)


# Classes 2, 3, 4: blocks find their place


def test_a_step_goes_after_its_last_shared_neighbour_and_numbers_follow() -> None:
    other = BASE.replace("3. Build", "3. Scan the image for known holes\n4. Build").replace("4. Push", "5. Push")
    result = joined(BASE, other.replace("## Rollback\n", "## Rollback\n\nStay calm and read the log.\n"))
    assert result.body == other.replace("## Rollback\n", "## Rollback\n\nStay calm and read the log.\n")
    other = other.replace("2. Run the whole test suite\n", "")
    result = joined(BASE, other)
    assert "2. Run the whole test suite\n3. Scan" not in result.body
    assert (
        "1. Check out the main branch\n2. Scan the image for known holes\n3. Run the whole test suite\n4. Build"
        in result.body
    )
    assert "make image\n   ```\n\n5. Push the tag" in result.body
    assert result.added == ("3. Scan the image for known holes",)


def test_classes_are_told() -> None:
    rules = ["- stay kind", "- speak briefly", "- arrive early", "- ask often", "- answer soon", "- write things down"]
    base = "\n".join(["# A", "", "## Rules", "", *rules, "", "## End", "", "That is all there is.", ""])
    steps = base.replace("- stay kind\n", "- listen closely\n- leave late\n")
    assert joined(base, steps).kind == 3
    long = "".join(f"\nParagraph {n} says something else.\n" for n in range(30))
    assert joined(base + long, steps + long).kind == 2
    code = base.replace("- stay kind\n", "").replace("down\n", "down\n\n```sh\nmake rules\nmake more\n```\n")
    assert joined(base, code).kind == 4


def test_a_whole_section_goes_after_the_one_that_it_follows() -> None:
    other = BASE.replace("## Steps", "## Before\n\nAsk who is on call.\n\n### Signs\n\n- the board is red\n\n## Steps")
    other = other.replace("- A milestone is closed\n", "")
    result = joined(BASE, other)
    assert result.body == BASE.replace(
        "## Steps", "## Before\n\nAsk who is on call.\n\n### Signs\n\n- the board is red\n\n## Steps"
    )


def test_a_line_between_sections_stays_between_sections() -> None:
    base = "# A\n\n## One\n\nFirst part of it all.\n\n---\n\n## Three\n\nThird part of it all.\n\nMore of it.\n"
    other = "# A\n\n## One\n\nFirst part of it all.\n\n---\n\n## Two\n\nSecond part of it.\n\n---\n\n## Three\n\nThird part of it all.\n"
    assert joined(base, other).body == other + "\nMore of it.\n"


def test_code_is_put_in_whole_below_its_sentence() -> None:
    other = BASE.replace("make image\n   ```\n\n4. Push the tag to the server", "make image\n   ```")
    other += "\nThen watch it for an hour:\n\n```sh\nmake watch\n\nmake alarm\n```\n"
    result = joined(BASE, other)
    assert result.body == BASE + "\nThen watch it for an hour:\n\n```sh\nmake watch\n\nmake alarm\n```\n"


def test_items_of_a_loose_list_stay_loose_and_of_a_tight_one_tight() -> None:
    base = (
        "- the first item is here\n\n- the third item is here\n\n# T\n\n* red is a colour too\n* blue is a colour too\n"
    )
    other = (
        "- the first item is here\n- the second item is here\n- the third item is here\n\n# T\n\n"
        "- red is a colour too\n\n- green is a colour as well\n"
    )
    assert joined(base, other).body == (
        "- the first item is here\n\n- the second item is here\n\n- the third item is here\n\n# T\n\n"
        "* red is a colour too\n* green is a colour as well\n* blue is a colour too\n"
    )


def test_an_item_takes_what_hangs_below_it_along() -> None:
    base = "".join(f"{n}. do the thing called {word}\n" for n, word in enumerate("abcdefghi", 1))
    other = base.replace("9. do", "9. do the new thing\n\n   ```sh\n   make new\n   ```\n\n10. do").replace(
        "1. do the thing called a\n", ""
    )
    assert "9. do the new thing\n   \n" not in joined(base, other).body
    assert "\n10. do the thing called i\n" in joined(base, other).body
    assert [b.kind for b in procedure.blocks(joined(base, other).body)] == ["item"] * 10


def test_lazy_numbers_stay_lazy() -> None:
    base = "1. read the whole file\n1. write the whole file\n1. close the open file\n"
    other = "1. read the whole file\n2. check the whole file\n3. write the whole file\n"
    assert joined(base, other).body == base.replace("1. write", "1. check the whole file\n1. write")


def test_a_numbered_list_goes_on_after_code() -> None:
    base = "1. install the tool first\n```sh\nmake install\n```\n2. start the tool then\n"
    other = base + "3. read what it says\n"
    other = other.replace("1. install the tool first\n```sh\nmake install\n```\n2.", "1.").replace("3. read", "2. read")
    assert joined(base, other).body == base + "3. read what it says\n"


def test_a_step_that_says_all_of_another_one_stands_for_both() -> None:
    base = BASE.replace("2. Run the whole test suite", "2. Run the whole test suite and read its output")
    assert joined(base, BASE).body == base
    result = joined(BASE, base.replace("- A milestone is closed\n", ""))
    assert "2. Run the whole test suite and read its output\n3. Build" in result.body
    assert "suite\n3. Build" not in result.body


def test_a_step_in_other_words_is_kept_beside_the_first() -> None:
    base = BASE.replace("- A milestone is closed", "- The customer asked support for a hotfix release")
    other = BASE.replace("- A milestone is closed", "- The customer asked sales for a hotfix build")
    assert (
        "support for a hotfix release\n- The customer asked sales for a hotfix build\n- A fix"
        in joined(base, other).body
    )


def test_a_small_skill_may_grow_by_some_lines() -> None:
    base = "# Release\n\nHow we release.\n\n1. Run the tests.\n2. Tag the commit.\n3. Push the tag.\n"
    other = "# Ship it\n\nWhat to do for it.\n\n1. Run the unit tests.\n2. Note it.\n3. Tag the commit.\n4. Tell all.\n5. Push the tag.\n"
    assert joined(base, other).body == (
        "# Release\n\nHow we release.\n\nWhat to do for it.\n\n"
        "1. Run the unit tests.\n2. Note it.\n3. Tag the commit.\n4. Tell all.\n5. Push the tag.\n"
    )


# Class 5: another structure


OTHER_STRUCTURE = """# Ship

## Steps

1. Check out the main branch
2. Run the whole test suite

## Who decides

The release manager does.

### In doubt

- Ask in the channel first

## Calendar

Never on a Friday.

## Contacts

- Platform team answers questions
"""


def test_what_only_the_other_says_follows_under_its_name() -> None:
    base = BASE.replace("## Steps", "## What to do")
    base += "".join(f"\n## Part {n}\n\nText of part {n}.\n\nMore of part {n}.\n" for n in "uvwxyz")
    result = joined(base, OTHER_STRUCTURE)
    assert result.kind == 5
    assert result.body == base + (
        "\n## From ship-it\n\n### Who decides\n\nThe release manager does.\n\n#### In doubt\n\n- Ask in the channel first\n"
        "\n### Calendar\n\nNever on a Friday.\n\n### Contacts\n\n- Platform team answers questions\n"
    )


@pytest.mark.parametrize(
    "section",
    [
        "## When not to use\n\n- The team is asleep at night\n",
        "## Safety\n\n- Watch the board all day\n",
        "## Resources\n\n- The handbook of the team\n",
        "## Rollback\n\nRestore the snapshot of last night.\n",
        "## Calendar\n\n- A fix ought to reach the users today\n",
    ],
)
def test_a_section_of_its_own_says_nothing_the_base_says(section: str) -> None:
    base = BASE.replace("## Steps", "## What to do")
    base += "".join(f"\n## Part {n}\n\nText of part {n}.\n\nMore of part {n}.\n" for n in "opqrstuvwxyz")
    assert joined(base, OTHER_STRUCTURE + "\n## Weather\n\nIt is often cold.\n").kind == 5
    declined(base, OTHER_STRUCTURE + "\n" + section)


def test_too_much_of_another_structure_is_for_a_person() -> None:
    base = BASE + "".join(f"\n## Part {n}\n\nText of part {n}.\n" for n in "uvwxyz")
    long = OTHER_STRUCTURE + "".join(f"- Team {n} answers questions\n" for n in range(16))
    assert "a person or an engine should join them" in declined(base, long)


# Declined: two things that cannot stand in one text


@pytest.mark.parametrize(
    ("mine", "others", "why"),
    [
        ("- Push the tag to the server", "- Never push the tag to the server", "denies or limits"),
        ("- Run tests", "- Skip tests", "denies or limits"),
        ("- Deploy on any day", "- Deploy on any day unless told", "denies or limits"),
        ("- Run the migration before the deploy", "- Run the migration after the deploy", "“before”"),
        ("- Use Jest for all the tests here", "- Use Vitest for all the tests here", "vitest"),
        ("- Wait for `make lint` to end well", "- Wait for `make check` to end well", "make lint"),
        ("- Keep at most 300 lines in a file", "- Keep at most 500 lines in a file", "300"),
        ("- Ask the whole team and its lead in the chat room", "- Ask the whole team and its lead in the chat channel", "own version"),
        ("- Include verification steps between phases and a final one", "- Include verification steps between changes", "own version"),
        ("- **Ask**: the team lead decides", "- **Ask**: whoever is awake", "own version"),
        ("- Read it. Then tell all the others about it.", "- Skim the log. Then tell all the others about it.", "own version"),
        ("The tool needs a clean tree to work.", "A clean tree the tool needs to work here.", "own version"),
        ("```sh\nmake all\nmake test\n```", "```sh\nmake all\nmake check\n```", "own version"),
        ("```sh\nexport A=/opt/tool/run.sh\n```", "```sh\nexport A=/usr/tool/run.sh\n```", "own version"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 3 |", "own version"),
        ("- Rotate the API keys at once.", "- Rotate the API keys at once if they were leaked.", "own version"),
        ("- Run the full test suite", "- Run the full test suite on staging", "own version"),
        ("- Run the full test suite", "- Run the full test suite. In case of doubt.", "own version"),
        ("- Run the full test suite", "- Run the full test suite. Do it after a release.", "own version"),
        ("```sh\nrm -rf build\nmake all\n```", "```sh\nrm -rf build make all\n```", "own version"),
        ("```py\nif it:\n    a()\nb()\n```", "```py\nif it:\n    a()\n    b()\n```", "something else"),
        ("```py\nif it:\n    a()\nb()\n```", "```py\nif it:\n    a()\n    b()\n    c()\n```", "own version"),
        ("```yaml\na:\n  b: 1\nc: 2\n```", "```yaml\na:\n  b: 1\n  c: 2\n```", "something else"),
        ("```js\na() // now\nb()\n```", "```js\na() // now b()\n```", "own version"),
        ("- Make it\n\n  ```sh\n  make A\n  make B\n  ```", "- Make it\n\n  ```sh\n  make A make B\n  ```", "own version"),
        ("- Make it\n\n  ```sh\n  make A -d\n  ```", "- Make it\n\n  ```sh\n  make a -d\n  ```", "something else"),
        ("- Set `DEBUG` in the settings", "- Set `debug` in the settings", "“DEBUG”"),
        ("- Call `lint-fix` for all files", "- Call `lintfix` for all files", "“lint-fix”"),
        ("- Ignore `*.tmp` in the tree", "- Ignore `.tmp` in the tree", "“*.tmp”"),
        ("- Fill [the form](Form.html) in", "- Fill [the form](form.html) in", "orm.html"),
    ],
)  # fmt: skip
def test_two_versions_of_one_thing_are_for_a_person(mine: str, others: str, why: str) -> None:
    body = "# A\n\n## Rules\n\n- the first rule is this\n\n{}\n\n## End\n\n- the last rule is this\n- no more rules than that\n"
    assert why in declined(body.format(mine), body.format(others))


def test_a_negated_step_is_seen_in_any_section() -> None:
    base = "# A\n\n## One\n\n- keep this rule as it is\n- publish the draft to all readers\n\n## Two\n\n- keep that rule as it is\n"
    other = "# A\n\n## One\n\n- keep this rule as it is\n\n## Two\n\n- keep that rule as it is\n- do not publish the draft to all readers\n"
    assert "denies or limits" in declined(base, other)


def test_sections_with_the_same_heading_and_nothing_in_common_are_for_a_person() -> None:
    other = BASE.replace(
        "Deploy the tag before it.\n\n```sh\nmake deploy TAG=old\n```", "Restore the snapshot of last night."
    )
    assert declined(BASE, other) == "each has its own version of “Rollback”"


def test_what_the_base_has_as_something_else_is_not_added_twice() -> None:
    other = BASE.replace("- A milestone is closed\n", "") + "\n```\n- A milestone is closed\n```\n"
    assert "as something else" in declined(BASE.replace("Deploy the tag before it.\n\n", ""), other)


def test_code_that_differs_only_in_its_breaks_is_for_a_person_in_any_section() -> None:
    code = "```sh\nrm -rf build\nmake all\n```\n"
    other = BASE + "\n## Later\n\nTell the team.\n\n" + code.replace("build\n", "build ")
    assert "own version" in declined(BASE.replace("## Steps\n", f"## Steps\n\n{code}"), other)


def test_a_sentence_of_its_own_limits_nothing() -> None:
    longer = BASE.replace("users today", "users today. The manager decides for all of us in the end.")
    assert joined(longer, BASE).body == longer


# Files that may not be there

DETAILS = "Full templates live in `references/details.md`. Read that file when you need them.\n"


@pytest.mark.parametrize(
    "pointing",
    [
        f"\n## Templates and examples\n\n{DETAILS}",
        "\n_Originally a 2763-byte section in this file. Moved to `references/details.md`; see there._\n",
    ],
)
def test_what_only_points_to_a_file_that_may_not_be_there_is_not_brought_over(pointing: str) -> None:
    shorter = BASE.replace("- A milestone is closed\n", "")
    assert joined(BASE, shorter + pointing) == Joined(BASE, 1, ())
    result = join(BASE, shorter + pointing, "x", ["references/details.md", "docs/FORMS.md", "docs/forms.md"])
    assert isinstance(result, Joined)
    assert result.body == BASE + pointing


@pytest.mark.parametrize(
    "listed",
    [
        "\n## Reference Files\n\n- `references/details.md` - Examples\n- [Forms](docs/FORMS.md): all of them\n",
        "\nFor more:\n\n- **Forms**: see [the forms](./docs/forms.md)\n",
    ],
)
def test_a_list_of_such_files_is_steps_that_could_be_lost(listed: str) -> None:
    shorter = BASE.replace("- A milestone is closed\n", "")
    assert "it leans on files of its own" in declined(BASE, shorter + listed)


@pytest.mark.parametrize(
    "leaning",
    [
        f"\n## Templates\n\n{DETAILS}\nAsk the whole team as well.\n",
        "\n1. Read `docs/guide.md`\n",
        "\n- Save the plan to `docs/plan.md`\n",
        "\n- Run `scripts/check.py` to see details\n",
        "\nDetails are in `docs/guide.md`. The tag is made by hand.\n",
    ],
)
def test_what_leans_on_a_file_that_may_not_be_there_is_for_a_person(leaning: str) -> None:
    assert "files of its own" in declined(BASE, BASE.replace("- A milestone is closed\n", "") + leaning)
    assert "files of its own" in declined(BASE, BASE + leaning)


def test_a_file_that_the_base_names_too_is_no_reason_to_decline() -> None:
    base = BASE.replace("Cut a release", "As `docs/guide.md` has it, cut a release")
    step = "- Save the plan to `docs/guide.md`\n"
    other = base.replace("- A milestone is closed\n", step)
    assert step in joined(base, other).body


def test_a_link_to_another_note_is_text_like_any_other() -> None:
    step = "- Read [the rules](../b/rules.md) first\n"
    other = BASE.replace("- A milestone is closed\n", step)
    assert step in joined(BASE, other).body


def test_a_trimmed_base_does_not_get_back_what_it_points_to() -> None:
    base = BASE.replace("- A milestone is closed\n", "") + "\n" + DETAILS
    assert "what this points to" in declined(base, BASE)


# Declined: numbers that text refers to


def numbered(extra: str, more: bool) -> str:
    steps = [
        "read the whole log",
        *(["look at the graphs"] if more else []),
        "restart the old server",
        "write the report",
    ]
    return "".join(f"{n}. {step}\n" for n, step in enumerate(steps, 1)) + extra


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ("\nIf it fails again, go to step 2.\n", "step 2"),
        ("\nRepeat steps 1-3 for each host.\n", "steps 1-3"),
        ("\nSteps 1 and 3 need root.\n", "Steps 1 and 3"),
        ("\nThe last step is optional for a drill.\n", "last step"),
        ("\nThese three steps take an hour.\n", "three steps"),
    ],
)
def test_a_number_that_text_refers_to_must_stay_right(extra: str, why: str) -> None:
    base = numbered(extra, more=False)
    other = numbered("", more=True)
    assert why in declined(base, other)


def test_a_number_in_what_is_added_must_stay_right_too() -> None:
    base = "1. open the valve slowly\n2. read the pressure gauge\n3. close the valve again\n"
    other = "1. read the pressure gauge\n2. note the pressure value\n\nDo not do number two, step 2, in the dark.\n"
    assert "step 2" in declined(base, other)


def test_numbers_that_stay_may_be_referred_to() -> None:
    base = numbered("\nIf it fails again, go to step 1.\n", more=False)
    other = numbered("", more=False) + "4. tell the whole team\n"
    assert joined(base, other.replace("1. read the whole log\n", "")).body.startswith(
        numbered("", more=False) + "4. tell"
    )


def test_a_list_whose_heading_counts_it_gets_no_more_items() -> None:
    base = (
        "## The three rules\n\n- be kind to all\n- be brief in speech\n- be on time always\n\n## End\n\nThat is it.\n"
    )
    other = base.replace("- be kind to all", "- be ready to help").replace("three rules", "3 rules")
    assert "three rules" in declined(base, other)


def test_numbers_that_do_not_follow_one_another_are_left_alone() -> None:
    base = "1. open the valve slowly\n2. read the pressure gauge\n5. close the valve again\n"
    assert "follow one another" in declined(base, "1. read the pressure gauge\n2. note the pressure value\n")


def test_a_numbered_section_must_fit_its_neighbours() -> None:
    base = (
        "# A\n\n## Step 1: Look\n\nOpen both the eyes.\n\n## Step 2: Think\n\nUse all the brain.\n\nTake your time.\n"
    )
    good = "# A\n\n## Step 1: Look\n\nOpen both the eyes.\n\n## Step 2: Think\n\nUse all the brain.\n\n## Step 3: Act\n\nMove both the hands.\n"
    assert joined(base, good).body == good.replace("brain.\n", "brain.\n\nTake your time.\n")
    bad = base.replace("Take your time.\n", "").replace(
        "## Step 2: Think", "## Step 2: Ask\n\nOpen the mouth.\n\n## Step 3: Think"
    )
    assert "out of its order" in declined(base, bad)


def test_text_that_counts_the_sections_gets_no_more_of_them() -> None:
    base = "# A\n\nThere are two phases in it.\n\n## Phase 1: Look\n\nOpen the eyes.\n\n## Phase 2: Act\n\nMove the hands.\n\nAgain.\n"
    other = base.replace("\nAgain.\n", "\n## Phase 3: Rest\n\nClose the eyes.\n")
    assert "two phases" in declined(base, other)


# Declined: no place


def test_a_lead_in_is_not_parted_from_what_it_leads_to() -> None:
    base = (
        "# A\n\nThe tool is there to help.\n\n- one rule for all of us\n\n```sh\nmake all\n```\n\nAll is well then.\n"
    )
    other = "# A\n\nThe tool is there to help.\n\nBefore that, set this:\n\n```sh\nmake all\n```\n\nAll is well then.\n"
    assert "understood" in declined(base, other)


def test_a_sentence_about_the_above_does_not_lose_it() -> None:
    base = "# A\n\n## One\n\n- it is short enough to read\n- it has an owner now\n\n## Two\n\n- the last plan is done\n"
    other = (
        "# A\n\n## One\n\n- it has an owner now\n\n## Two\n\n- the last plan is done\n\n{}The above must be signed.\n"
    )
    assert "understood" in declined(base, other.format("* it is short enough to read\n\n"))
    assert joined(base, other.format("")).body == base + "\nThe above must be signed.\n"


def test_two_different_numbered_lists_are_not_mixed() -> None:
    base = "# A\n\nDo this in order:\n\n1. boil the water well\n2. add the leaves now\n\nEnjoy.\n"
    other = "# A\n\nDo this in order:\n\n1. whip the cream well\n2. fold the sugar in\n\nEnjoy.\n"
    assert "different numbered steps" in declined(base, other)


def test_what_needs_a_definition_from_elsewhere_is_not_added() -> None:
    other = BASE + "\nRead the [guide][g] as well.\n\n[g]: https://example.org\n"
    assert "defined elsewhere" in declined(BASE, other.replace("- A milestone is closed\n", ""))
    other = BASE + "\nIt is so[^1] in all cases.\n"
    assert "defined elsewhere" in declined(BASE, other.replace("- A milestone is closed\n", ""))


def test_an_element_is_not_torn_apart() -> None:
    other = BASE.replace("- A milestone is closed\n", "").replace("Deploy the tag", "<div>\n\nDeploy the tag")
    assert "</div>" in declined(BASE, other + "\n</div>\n\n## End\n\nAll is well.\n")


# Declined: size


def test_a_join_that_grows_too_much_is_for_a_person() -> None:
    base = BASE + "".join(f"- rule number {n} of the first kind is to be kept\n" for n in range(12))
    other = (
        BASE.replace("- A milestone is closed\n", "")
        + "\n## More\n\n"
        + "".join(f"{n}. step {n} of it\n" for n in range(12))
    )
    assert "the longer one has" in declined(base, other)


def test_a_join_longer_than_500_lines_is_for_a_person() -> None:
    lines = [f"- item number {n} is here" for n in range(499)]
    base = "\n".join(lines) + "\n"
    other = "\n".join([*lines[1:], "- one more item", "- and a last one"]) + "\n"
    assert "more than 500" in declined(base, other)


# Bytes


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_line_endings_and_the_end_are_the_base_s(end: str) -> None:
    base = BASE.replace("\n", "\r\n").rstrip() + end.replace("\n", "\r\n")
    other = BASE.replace("- A milestone is closed\n", "") + "\n## Later\n\nTell   the team.  \nAnd rest.\n"
    result = joined(base, other)
    assert result.body == base.rstrip() + "\r\n\r\n## Later\r\n\r\nTell   the team.  \r\nAnd rest." + end.replace(
        "\n", "\r\n"
    )


def test_what_stands_between_blocks_of_the_base_stays_there() -> None:
    base = BASE.replace("## Rollback", "[x]: https://example.org\n\n\n\n## Rollback")
    result = joined(base, BASE.replace("- A milestone is closed\n", "- Support asked for it\n"))
    assert result.body == base.replace("closed\n", "closed\n- Support asked for it\n")


def test_an_empty_body_is_held_by_any() -> None:
    assert joined("", BASE).body == BASE
    assert joined(BASE, "") == Joined(BASE, 1, ())
    assert joined("", "") == Joined("", 1, ())


# What holds for all of them

WORDS = "amber birch cedar delta ember fjord grove haven inlet jetty knoll lagoon marsh north ocean prairie quarry ridge".split()
SAID = st.lists(st.sampled_from(WORDS), min_size=4, max_size=7, unique=True).map(" ".join)
BULLETS = st.tuples(st.just("- "), st.lists(SAID, min_size=1, max_size=5, unique=True))
NUMBERS = st.tuples(st.just("1. "), st.lists(SAID, min_size=1, max_size=5, unique=True))
BLOCK = st.one_of(
    BULLETS,
    NUMBERS,
    st.tuples(st.just(""), st.lists(SAID, min_size=1, max_size=1)),
    st.tuples(st.just("```"), st.lists(SAID, min_size=1, max_size=3)),
    st.tuples(st.just("|"), st.lists(SAID, min_size=2, max_size=3)),
)
Block = tuple[str, list[str]]
Procedure = list[tuple[str, list[Block]]]
PROCEDURE = st.lists(
    st.tuples(st.sampled_from(["Use", "Steps", "Step 1: Go", "Notes", "Limits", "End"]), st.lists(BLOCK, max_size=3)),
    min_size=1, max_size=5, unique_by=lambda section: section[0],
)  # fmt: skip


def written(made: Procedure) -> str:
    parts = ["# Title"]
    for heading, blocks in made:
        parts.append(f"## {heading}")
        parts += ["\n".join(lines) for kind, said in blocks if (lines := list(_lines(kind, said)))]
    return "\n\n".join(parts) + "\n"


def _lines(kind: str, said: list[str]) -> Iterator[str]:
    if kind == "```":
        yield from ["```sh", *said, "```"]
    elif kind == "|":
        yield from [f"| {said[0]} |", "|---|", *(f"| {line} |" for line in said[1:])]
    else:
        for n, line in enumerate(said, 1):
            yield (f"{n}. " if kind == "1. " else kind) + line


@st.composite
def changed(draw: st.DrawFn, made: Procedure) -> Procedure:
    """The same procedure after somebody dropped, added, moved and reworded parts of it."""
    found: Procedure = []
    for heading, blocks in made:
        if draw(st.integers(0, 9)) == 0:
            continue
        kept: list[Block] = []
        for kind, said in blocks:
            lines = [line for line in said if draw(st.integers(0, 6))]
            if kind in ("- ", "1. "):
                for line in draw(st.lists(SAID, max_size=2)):
                    lines.insert(draw(st.integers(0, len(lines))), line)
                lines = [line + " too" if draw(st.integers(0, 9)) == 0 else line for line in lines]
                lines = draw(st.permutations(lines)) if draw(st.integers(0, 5)) == 0 else lines
            if lines:
                kept.append((kind, list(lines)))
        kept += draw(st.lists(BLOCK, max_size=1)) if draw(st.integers(0, 3)) == 0 else []
        found.append((heading, kept))
    return found + (draw(st.lists(st.tuples(st.just("Added"), st.lists(BLOCK, max_size=2)), max_size=1)))


PAIRS = PROCEDURE.flatmap(lambda made: changed(made).map(lambda other: (written(made), written(other))))

PARTS = st.sampled_from(
    "¦- a¦* b¦1. x¦2) y¦   - n¦    code¦```¦```py¦~~~¦| a | b |¦|---|---|¦---¦===¦# H¦## Step 2: x¦<div>¦</div>¦<!--¦-->"
    "¦> q¦   ¦\t¦[r]: http://x¦a\u2028b¦\u2028¦\x0c¦\x85¦text¦\\¦-¦1.¦- ```¦  ```¦    - deep¦\ttab¦[^1]: foo¦x\ry¦\r¦\0"
    "¦1. run the whole test now¦2. push the branch to it¦## Next part¦### Deeper part¦- one item of four words"
    .split("¦")
)  # fmt: skip
ODD = st.lists(st.tuples(PARTS, st.sampled_from(["\n", "\n\n", "\r\n", ""])), max_size=16).map(
    lambda parts: "".join(text + end for text, end in parts)
)
ANY = PAIRS | st.tuples(ODD, ODD) | st.tuples(st.text(), st.text())


def said(text: str) -> set[str]:
    return {re.sub(r"^\s*(?:[-+*]|\d+[.)]|#+)\s+", "", line).strip() for line in text.split("\n") if line.strip()}


@settings(max_examples=150, deadline=None)
@given(PAIRS)
def test_no_step_of_either_is_lost_and_no_line_is_invented(pair: tuple[str, str]) -> None:
    result = join(*pair, "twin")
    if isinstance(result, Joined):
        there = procedure.steps(result.body)
        for text in pair:
            assert missing(procedure.steps(text), there) == []
        assert said(result.body) <= said(pair[0]) | said(pair[1]) | {"From twin"}


@settings(max_examples=150, deadline=None)
@given(PAIRS)
def test_the_base_keeps_its_blocks_and_their_order(pair: tuple[str, str]) -> None:
    result = join(*pair, "twin")
    if isinstance(result, Joined) and result.kind > 1:
        there = iter([block.words for block in procedure.blocks(result.body)])
        richer = {block.words for block in procedure.blocks(pair[1])}
        for block in procedure.blocks(pair[0]):
            assert any(block.words == words or (words in richer and block.words in words) for words in there), block


@settings(max_examples=120, deadline=None)
@given(ANY)
def test_joined_again_nothing_changes(pair: tuple[str, str]) -> None:
    result = join(*pair, "twin")
    if isinstance(result, Joined):
        again = join(result.body, pair[1], "twin")
        assert isinstance(again, Joined)
        assert again.body == result.body


@settings(max_examples=120, deadline=None)
@given(ANY)
def test_any_text_is_joined_with_itself_or_declined_without_an_error(pair: tuple[str, str]) -> None:
    assert join(pair[0], pair[0], "twin") == Joined(pair[0], 1, ())
    assert isinstance(join(*pair, pair[1]), Joined | Declined)


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_line_endings_of_the_other_never_get_in(pair: tuple[str, str]) -> None:
    result = join(pair[0], pair[1].replace("\n", "\r\n"), "twin")
    assert not isinstance(result, Joined) or "\r" not in result.body
    result = join(pair[0].replace("\n", "\r\n"), pair[1], "twin")
    assert not isinstance(result, Joined) or not re.search(r"(?<!\r)\n", result.body)
