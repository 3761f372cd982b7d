"""What an engine wrote becomes a body only where nothing is lost, hidden, leaked or broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.passes.engines.accept import refusal
from vaultgit.passes.engines.accept import unwrapped
from vaultgit.passes.engines.answer import SHORT
from vaultgit.passes.engines.answer import error_sentence
from vaultgit.passes.engines.answer import quoted
from vaultgit.passes.engines.prompt import Prompt
from vaultgit.passes.engines.prompt import render
from vaultgit.vault import Disk
from vaultgit.vault import Rules

HEAD = b"---\ntype: skill\nname: deploy\nversion: 2\ntrigger: a release is due\nlast_updated: 2026-11-29\n---\n"
ONE = "# Deploy\n\n1. Run the tests.\n2. Do not push on a Friday.\n\n```sh\nmake ship\n```\n"
OTHER = "1. Run the tests.\n2. Tell the team.\n\n| env | url |\n| --- | --- |\n| prod | x |\n"
BOTH = (
    "# Deploy\n\nFirst:\n\n1. Run the tests.\n2. Do not push on a Friday.\n3. Tell the team.\n\n```sh\nmake ship\n```\n\n"
    "| env | url |\n| --- | --- |\n| prod | x |\n\nDone.\n"
)
TOKEN = "ghp_" + "Zk8" * 12


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    made = Rules(Disk(str(tmp_path_factory.mktemp("empty"))))
    assert made.expected_type("skills/deploy.md") == "skill"
    return made


def why(rules: Rules, text: str, originals: tuple[str, ...] = (ONE, OTHER), **more: object) -> str:
    return refusal(originals, text, **{"rules": rules, "path": "skills/deploy.md", "head": HEAD, **more})  # type: ignore[arg-type]


def test_a_text_that_keeps_everything_is_accepted(rules: Rules) -> None:
    assert why(rules, BOTH) == ""
    assert why(rules, BOTH.replace("First:", "Before a release, in this order:")) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        (" \n\t\n", "it is empty"),
        ("API Error: 500 overloaded\n", "it is an error: API Error: 500 overloaded"),
        ("I'm sorry, but I can't help with that.", "it is an error: I'm sorry, but I can't help with that."),
        ("Lorem ipsum dolor sit amet.\n", "it lost 2 steps: Run the tests."),
        (BOTH.replace("3. Tell the team.\n", ""), "it lost a step: Tell the team."),
        (BOTH.replace("Do not push", "Push"), "it lost a step: Do not push on a Friday."),
        (BOTH.replace("on a Friday", "on a friday"), "it lost a step: Do not push on a Friday."),
        (BOTH.replace("make ship", "make  ship"), "it lost a block of code"),
        (BOTH.replace("| prod | x |\n", ""), "it lost a table"),
        (HEAD.decode() + BOTH, "it begins with front matter, which is not the engine's to write"),
        ("---\nversion: 9\n---\n" + BOTH, "it begins with front matter, which is not the engine's to write"),
        (BOTH + "x" * 500, "characters, and the longest it was made from"),
        (BOTH + "\u202etxet\n", "it has a character that nobody sees: U+202E"),
        (BOTH + "\u200b\n", "it has a character that nobody sees: U+200B"),
        (BOTH + "\x1b[2J\n", "it has a character that nobody sees: U+001B"),
        (BOTH + "\U000e0041\n", "it has a character that nobody sees: U+E0041"),
        (BOTH + "\U000e0101\n", "it has a character that nobody sees: U+E0101"),
        (BOTH + "\ud83d\n", "it has a character that nobody sees: U+D83D"),
        (BOTH + "\ufffd\n", "it has a character that nobody sees: U+FFFD"),
        (BOTH + "<!-- obey -->\n", "it has a comment, which a reader would not see"),
        (BOTH + "%% obey %%\n", "it has a comment, which a reader would not see"),
        (BOTH + "key [REDACTED GitHub Token]\n", "it has a gap where a secret was"),
        (BOTH + f"key {TOKEN}\n", "SE01 a secret: GitHub Token, ghp_…"),
        (BOTH + f"key {TOKEN} # allow-secret\n", "SE01 a secret: GitHub Token, ghp_…"),
        (BOTH + "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "MK01 a merge conflict is not resolved"),
        (render(Prompt("x", (("a", ONE),)))[1], "it repeats the prompt"),
    ],
)  # fmt: skip
def test_p9_everything_else_is_refused_in_words(rules: Rules, text: str, reason: str) -> None:
    assert reason in why(rules, text)


def test_the_schema_holds_for_the_note_that_it_would_become(rules: Rules) -> None:
    assert why(rules, BOTH, head=HEAD.replace(b"version: 2", b"version: two")).startswith("FM03 'version' is ")
    assert why(rules, BOTH, head=HEAD.replace(b"name: ", b"name: [")).startswith("FM01")


def test_what_the_originals_have_is_no_reason(rules: Rules) -> None:
    odd = "1. Say “\u200bhi”.\n2. <!-- mind --> the gap %% here %% [REDACTED x]\n3. Emoji \U0001f468\u200d\U0001f4bb\n"
    assert why(rules, odd, (odd,)) == ""
    secret = f"1. Old key {TOKEN}\n"  # it can only be there again where redaction failed; the note had it
    assert why(rules, secret, (secret,)) == ""
    latin = "1. Caf\udce9\n"
    assert why(rules, latin, (latin,)) == "FM01 not UTF-8"
    about = "Connection refused on 5432: start the server.\n"
    assert why(rules, about, (about,)) == ""


def test_a_molt_says_itself_what_must_stay(rules: Rules) -> None:
    text = "1. Run all the tests.\n2. Do not push on a Friday.\n"
    assert why(rules, text, (ONE,)) == "it lost a step: Run the tests."
    assert why(rules, text, (ONE,), must_keep=("- Do not push on a Friday.\n",)) == ""
    assert why(rules, text, (ONE,), must_keep=()) == ""
    assert why(rules, text, (ONE,), must_keep=("- Tell the team.\n",)) == "it lost a step: Tell the team."


def test_a_step_as_often_as_it_stood_there(rules: Rules) -> None:
    twice = "1. Run the tests.\n2. Ship.\n3. Run the tests.\n"
    assert why(rules, "1. Run the tests.\n2. Ship.\n", (twice,)) == "it lost a step: Run the tests."


def test_a_short_skill_may_grow_by_more_than_half(rules: Rules) -> None:
    assert why(rules, "1. go\n2. " + "and then on " * 30 + "\n", ("1. go\n",)) == ""
    long = "".join(f"{number}. Do the thing with number {number}.\n" for number in range(1, 101))
    assert why(rules, long + "\n" + "x" * (len(long) // 2 - 1), (long,)) == ""
    assert "characters" in why(rules, long + "\n" + "x" * (len(long) // 2), (long,))


# -- fences around the whole --------------------------------------------------------------------------------------


@pytest.mark.parametrize("opening", ["```markdown", "```md", "```", "````markdown", "~~~", "``` Markdown "])
def test_a_fence_around_the_whole_answer_is_taken_off(opening: str) -> None:
    run = opening.strip().rstrip("markdownMARKDOWN ").rstrip()
    assert unwrapped(f"\n{opening}\n1. go\n2. stay\n{run}\n") == "1. go\n2. stay\n"


def test_also_where_fences_inside_are_as_long() -> None:
    assert unwrapped(f"```markdown\n{ONE}```") == ONE
    assert unwrapped(f"````markdown\n{ONE}````\n") == ONE


@pytest.mark.parametrize(
    "body",
    [
        "```sh\nls\n```\n",
        "```\nls\n```\n\ntext\n\n```\nls -l\n```\n",
        "```markdown\nan example\n```\ntext\n```\nls\n```\n",
        "```markdown\nan example\n```\ntext\n```sh\nls\n```\n",
        "Here it is:\n\n```markdown\n1. go\n```\n",
        "```markdown\nnever closed\n",
        "```\n",
        "1. go\n",
    ],
)
def test_every_other_fence_stays(body: str) -> None:
    assert unwrapped(body) == body


@given(st.lists(st.sampled_from(["```", "```sh", "text", "~~~", "  - item", "", "````"]), max_size=8))
def test_unwrapping_gives_back_what_was_wrapped_and_leaves_the_rest(lines: list[str]) -> None:
    body = "\n".join(["# Deploy", *lines]).rstrip() + "\n"
    assert unwrapped(body) == body
    assert unwrapped(f"`````markdown\n{body}`````\n") == body


def test_ends_of_lines_and_of_the_text_are_ours() -> None:
    assert unwrapped("\r\n1. go\r\n2. stay  \r\n\r\n") == "1. go\n2. stay\n"
    assert unwrapped(" \n") == ""


# -- errors that come as answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "API Error: Rate limit reached", "Failed to authenticate. API Error: 401 …", "Not logged in · Please run /login",
        "You've hit your limit · resets 3pm (Europe/Example)", "You’ve hit your session limit · resets 5am",
        "Claude AI usage limit reached|1755615600", "Claude usage limit reached. Your limit will reset at 5pm.",
        "5-hour limit reached ∙ resets 2am", "Your weekly limit reached", "Credit balance is too low",
        "Invalid API key · Please run /login", "Execution error", "Execution error\n", "Prompt is too long",
        "OAuth token has expired.", "Request timed out.", "ERROR: Quota exceeded. Check your plan and billing details.",
        "You've hit your usage limit. To get more access now, …", "Rate limit exceeded", "Too Many Requests",
        "stream disconnected before completion: Rate limit is exceeded.", "Overloaded", "**Error:** no such model",
        "Error: socket hang up", "⚠️ Connection error.", "Your organization has been disabled.",
        "There's an issue with the selected model (x).", '{"type":"error","error":{}}', '{\n  "error": "no"\n}',
        "<!DOCTYPE html><html>502</html>", "I'm sorry, I can't do that.", "I apologize, but", "1. go\n\nAPI Error: cut",
        "1. go\n" * 500 + "API Error: Connection lost mid-response",
    ],
)  # fmt: skip
def test_errors_of_clients_are_known(text: str) -> None:
    assert error_sentence(text)


@pytest.mark.parametrize(
    "text",
    [
        "- The boiler code is on the fridge.", "# API errors\n\n1. Look at the status.", "1. API Error: wait, try again",
        "Limit the batch to 50.", "You have hit the road twice.", "Errors are logged in /var/log.", "Your account is Ada's.",
        "When not logged in, log in.", "- API Error: means that it is down", "Rate limits: 5 a second", "",
        "API Error: 500 is what the service says at night.\n" + "1. wait\n" * (SHORT // 8),
    ],
)  # fmt: skip
def test_text_about_errors_is_text(text: str) -> None:
    assert error_sentence(text) == ""


def test_what_is_quoted_is_one_short_line_that_hides_nothing() -> None:
    assert quoted(f"a\n b\x1b[0m \u202e%% <!-- {TOKEN}") == "a b [0m [REDACTED GitHub Token]"
    assert quoted("x" * 100, 10) == "x" * 9 + "…"
