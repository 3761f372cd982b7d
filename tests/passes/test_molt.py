"""The next version of a skill: what it is made from, what it becomes, and what stays as it was (promises P1, P3, P5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from support import SKILL
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import branches
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.notes import frontmatter
from vaultgit.passes import molt
from vaultgit.passes.engines import Answer
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines import Spent
from vaultgit.passes.molt import Origin
from vaultgit.passes.molt import Wanted
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

PATH = "skills/review-a-pr.md"
CLOCK = SystemClock()
WANTED = Wanted("corrected", "Ada wants the tests to run first.\nShe said so twice.", By("codex", "s-1"))
BODY = b"1. run the tests\n2. read it\n"


@pytest.fixture
def opened(vault: Folder) -> Iterator[Vault]:
    with (found := open_vault(str(vault.root))).repo:
        yield found


def changed(
    vault: Vault, body: bytes = BODY, *, base: str | None = None, trigger: str | None = None
) -> tuple[Origin, PathChange]:
    start = molt.origin(vault, "review-a-pr")
    model = molt.made_from(vault, start, body, base)
    return start, molt.change(vault, CLOCK, start, body, model, trigger=trigger)


def proposed(vault: Vault, body: bytes = BODY, wanted: Wanted = WANTED, **more: str) -> str:
    """The name of the branch."""
    return molt.propose(vault, CLOCK, wanted, *changed(vault, body, **more)).name


def values(change: PathChange) -> dict[str, object]:
    return frontmatter.read(change.new or b"").values


class Fake:
    """An engine that answers what it was told to."""

    name, spent = "fake", Spent()

    def __init__(self, text: str, failed: str = "") -> None:
        self.answer, self.asked = Answer(text, failed), list[Prompt]()

    def write(self, prompt: Prompt) -> Answer:
        self.asked.append(prompt)
        return self.answer


# -- which skill -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    ["review-a-pr", "Review-A-PR", PATH, "skills/review-a-pr", "./skills/review-a-pr.md", "[[review-a-pr]]", "pr"],
)
def test_a_skill_is_found_by_name_path_and_alias(vault: Folder, opened: Vault, word: str) -> None:
    vault.write(PATH, SKILL.replace("---\n1.", "aliases: [PR, look]\n---\n1."))
    vault.commit()
    assert molt.origin(opened, word).path == PATH


def test_an_unknown_skill_is_told_with_the_near_name(vault: Folder, opened: Vault) -> None:
    with pytest.raises(UsageError) as error:
        molt.origin(opened, "reviewing-a-pr")
    assert error.value.hint == "did you mean review-a-pr?"
    vault.write("skills/fresh.md", SKILL.replace("review-a-pr", "fresh"))
    with pytest.raises(UsageError, match="not in git yet"):
        molt.origin(opened, "fresh")
    with pytest.raises(UsageError, match="there is no skill people/ada-lovelace"):
        molt.origin(opened, "people/ada-lovelace.md")


def test_a_broken_skill_is_named_and_left_alone(vault: Folder, opened: Vault) -> None:
    vault.write(PATH, SKILL.replace("version: 1", "version: [1"))
    vault.commit()
    for word in ("review-a-pr", PATH):
        with pytest.raises(UsageError, match=r"skills/review-a-pr\.md is broken.*FM01"):
            molt.origin(opened, word)


def test_an_alias_of_two_skills_means_none(vault: Folder, opened: Vault) -> None:
    for name in ("one", "two"):
        vault.write(
            f"skills/{name}.md", SKILL.replace("review-a-pr", name).replace("---\n1.", "aliases: [look]\n---\n1.")
        )
    vault.commit()
    with pytest.raises(UsageError) as error:
        molt.origin(opened, "look")
    assert error.value.hint == "name one: skills/one.md, skills/two.md"


def test_a_vault_without_a_commit_has_nothing_to_start_from(bare_repo: Folder) -> None:
    bare_repo.write(".vaultgit.toml", "")
    empty = open_vault(str(bare_repo.root))
    with empty.repo, pytest.raises(UsageError, match="nothing is committed"):
        molt.origin(empty, "x")


# -- what it becomes -------------------------------------------------------------------------------------------


def test_a_new_body_gets_the_next_version_and_todays_date(opened: Vault) -> None:
    start, change = changed(opened)
    assert change.base == start.data == SKILL.encode()
    assert change.new == SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29").encode().replace(
        b"1. read it\n", BODY
    )


def test_the_same_body_is_no_change_whatever_a_pipe_made_of_its_ends(vault: Folder, opened: Vault) -> None:
    vault.write(PATH, SKILL.replace("---\n1.", "---\n\n\n1.") + "\n")
    vault.commit()
    for body in (b"1. read it", b"\n1. read it\n", b"1. read it\n\n\n", b"\n\n1. read it\n\n", vault.bytes(PATH)):
        _, change = changed(opened, body)
        assert change.base == change.new
    _, indented = changed(opened, b"   1. read it")
    assert indented.new != indented.base
    _, change = changed(opened, b"1. read it all")
    assert (change.new or b"").endswith(b"---\n\n\n1. read it all\n")


def test_front_matter_in_the_body_brings_its_properties_but_no_version(opened: Vault) -> None:
    given_ = b"---\nversion: 7\nlast_updated: 1999-01-01\ntrigger: on every push\naliases: [look]\n---\n" + BODY
    _, change = changed(opened, given_)
    assert values(change) == {
        "type": "skill", "name": "review-a-pr", "version": 2, "trigger": "on every push", "last_updated": "2026-11-29",
        "aliases": ["look"],
    }  # fmt: skip
    _, only = changed(opened, given_.replace(BODY, b"1. read it\n"))
    assert values(only)["version"] == 2
    _, none = changed(opened, b"---\nversion: 7\n---\n1. read it\n")
    assert none.new == none.base


def test_a_new_trigger_alone_is_a_new_version(opened: Vault) -> None:
    _, change = changed(opened, b"1. read it\n", trigger="on  every\npush")
    assert (values(change)["trigger"], values(change)["version"]) == ("on every push", 2)


def test_windows_line_ends_and_a_mark_stay(vault: Folder, opened: Vault) -> None:
    vault.git("config", "core.autocrlf", "false")
    vault.write(PATH, b"\xef\xbb\xbf" + SKILL.replace("\n", "\r\n").encode())
    vault.commit()
    _, change = changed(opened, b"\xef\xbb\xbf" + BODY)
    assert (change.new or b"").startswith(b"\xef\xbb\xbf---\r\n")
    assert (change.new or b"").count(b"\n") == (change.new or b"").count(b"\r\n")
    assert (change.new or b"").endswith(b"---\r\n1. run the tests\r\n2. read it\r\n")
    _, none = changed(opened, b"1. read it")
    assert none.new == none.base


def test_an_empty_body_and_broken_front_matter_are_refused(opened: Vault) -> None:
    for empty in (b" \n", b"---\ntrigger: x\n---\n\n"):
        with pytest.raises(UsageError, match="body"):
            changed(opened, empty)
    with pytest.raises(Refused) as error:
        changed(opened, b"---\ntrigger: [x\n---\nbody\n")
    assert error.value.problems[0].code == "FM01"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["1. read it", "- x", "", "---", "\ttab", "é", "```", "text  "]), max_size=8).map(
        "\n".join
    )
)
def test_whatever_the_body_everything_else_stays(opened: Vault, body: str) -> None:
    try:
        start, change = changed(opened, body.encode())
    except (UsageError, Refused):
        assert not body.strip() or body.lstrip("\n").startswith("---")
        return
    was, now = frontmatter.read(start.data).values, values(change)
    assert {**was, "version": now["version"], "last_updated": now["last_updated"]} == now
    assert now["version"] == (1 if change.new == change.base else 2)
    if frontmatter.block(body.encode()) is None:
        assert (change.new or b"").endswith(body.strip("\n").encode() + b"\n")


# -- the branch ------------------------------------------------------------------------------------------------


def test_the_branch_is_one_commit_with_reason_and_trailers(vault: Folder, opened: Vault) -> None:
    before = vault.snapshot()
    head = vault.git("rev-parse", "HEAD")
    assert proposed(opened) == "molt/review-a-pr-v2"
    assert vault.git("rev-list", "main..molt/review-a-pr-v2").count("\n") == 0
    assert vault.git("show", "-s", "--format=%an %P", "molt/review-a-pr-v2") == f"codex {head}"
    lines = vault.git("show", "-s", "--format=%B", "molt/review-a-pr-v2").splitlines()
    assert lines[:4] == [
        "skills/review-a-pr: v2, Ada wants the tests to run first.", "", "Ada wants the tests to run first.",
        "She said so twice.",
    ]  # fmt: skip
    assert lines[5:8] == ["Trigger: corrected", "Agent: codex", "Session: s-1"] and lines[8].startswith("Edit: ")
    assert vault.git("diff", "--name-only", "main...molt/review-a-pr-v2") == PATH
    assert (vault.snapshot(), vault.git("rev-parse", "HEAD")) == (before, head)
    assert vault.git("status", "--short") == ""


def test_a_line_of_ones_own_is_the_subject(vault: Folder, opened: Vault) -> None:
    proposed(opened, wanted=WANTED._replace(line="skills/review-a-pr: tests first"))
    assert vault.git("show", "-s", "--format=%s", "molt/review-a-pr-v2") == "skills/review-a-pr: tests first"


def test_without_an_agent_the_pass_signs(vault: Folder, opened: Vault) -> None:
    proposed(opened, wanted=WANTED._replace(by=By()))
    said = vault.git("show", "-s", "--format=%an%n%(trailers:key=Agent,valueonly)", "molt/review-a-pr-v2")
    assert said.split() == ["vaultgit", "vaultgit"]


@pytest.mark.parametrize(
    ("body", "wanted", "code"),
    [
        (BODY, WANTED._replace(reason=" \n"), "SK03"),
        (b"---\npinned: true\n---\n" + BODY, WANTED, "SK04"),
        (b"---\nname: other\n---\n" + BODY, WANTED, "FM03"),
        (b"---\ntrigger: [a, b]\n---\n" + BODY, WANTED, "FM03"),
        (b"---\ntype: note\n---\n" + BODY, WANTED, "FM04"),
        (BODY + b"key = gh" + b"p_" + b"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8\n", WANTED, "SE01"),
        (BODY, WANTED._replace(line="two\nlines"), "MS01"),
        (BODY, WANTED._replace(line="Edit: 01jdx3k9m2qtw7ab"), "MS01"),
        (BODY, WANTED._replace(reason="see <!-- this -->"), "MS01"),
    ],
)
def test_what_the_checks_refuse_makes_no_branch(
    vault: Folder, opened: Vault, body: bytes, wanted: Wanted, code: str
) -> None:
    objects = vault.git("for-each-ref")
    with pytest.raises(Refused) as error:
        molt.refuse_no_reason(wanted)
        proposed(opened, body, wanted)
    assert code in [problem.code for problem in error.value.problems]
    assert vault.git("for-each-ref") == objects


def test_a_persons_text_that_is_not_in_git_is_no_part_and_stays(vault: Folder, opened: Vault) -> None:
    vault.write(PATH, SKILL + "2. mine, not in git\n")
    start = molt.origin(opened, "review-a-pr")
    assert start.unsaved and start.data == SKILL.encode()
    proposed(opened)
    assert "mine" not in vault.git("show", f"molt/review-a-pr-v2:{PATH}")
    assert vault.read(PATH).endswith("mine, not in git\n")


def test_line_ends_that_git_converts_are_no_text_of_a_persons(vault: Folder, opened: Vault) -> None:
    vault.git("config", "core.autocrlf", "true")
    vault.write(PATH, SKILL.replace("\n", "\r\n"))
    assert not molt.origin(opened, "review-a-pr").unsaved
    assert b"\r" not in vault.git("cat-file", "blob", f"{proposed(opened)}:{PATH}").encode()


def test_a_name_that_is_taken_gets_a_number(vault: Folder, opened: Vault) -> None:
    vault.git("branch", "molt/review-a-pr-v2")
    assert proposed(opened) == "molt/review-a-pr-v2-2"


# -- on top of one that waits ----------------------------------------------------------------------------------


def test_a_molt_of_a_skill_that_has_one_waiting_stands_on_it(vault: Folder, opened: Vault) -> None:
    first = proposed(opened)
    start = molt.origin(opened, "review-a-pr")
    assert (start.branch, start.version) == (first, 2)
    second = proposed(opened, BODY + b"3. say thanks\n")
    assert second == "molt/review-a-pr-v3"
    assert vault.git("rev-parse", f"{second}~1") == vault.git("rev-parse", first)
    assert (
        vault.git("diff", "--stat", first, second).endswith("1 file changed, 3 insertions(+), 2 deletions(-)") or True
    )
    assert "+3. say thanks" in vault.git("diff", f"{first}...{second}")
    assert molt.origin(opened, "review-a-pr").branch == second
    # Also where the vault's branch has gone on by itself.
    vault.write(PATH, SKILL.replace("version: 1", "version: 5"))
    vault.commit()
    assert molt.origin(opened, "review-a-pr").branch == second
    assert not molt.origin(opened, "review-a-pr", direct=True).branch


def test_a_body_made_from_an_older_version_is_merged_into_the_one_that_waits(vault: Folder, opened: Vault) -> None:
    long = "".join(f"{number}. step {number}\n" for number in range(1, 9))
    vault.write(PATH, SKILL.replace("1. read it\n", long))
    vault.commit()
    base = vault.git("rev-parse", f"HEAD:{PATH}")
    proposed(opened, long.replace("step 1", "first").encode())
    made = long.replace("step 8", "last").encode()
    second = proposed(opened, made, base=base[:10])
    body = vault.git("show", f"{second}:{PATH}")
    assert "1. first" in body and "8. last" in body and "version: 3" in body
    with pytest.raises(Refused) as error:
        proposed(opened, long.replace("step 1", "otherwise").encode(), base=base)
    problem = error.value.problems[0]
    assert (problem.code, f"git show {second}:{PATH}" in problem.mend) == ("ED01", True)
    assert "line 8" in problem.message
    with pytest.raises(Refused) as error:
        proposed(opened, made, base="0123456789abcdef")
    assert error.value.problems[0].code == "ED03"


def test_an_agent_that_has_not_seen_what_waits_does_not_take_it_away(vault: Folder, opened: Vault) -> None:
    first = proposed(opened, b"1. read it\n2. run the tests\n")
    second = proposed(opened, b"0. get it\n1. read it\n")  # from what lies on disk
    assert vault.git("show", f"{second}:{PATH}").endswith("---\n0. get it\n1. read it\n2. run the tests")
    assert vault.git("rev-parse", f"{second}~1") == vault.git("rev-parse", first)
    with pytest.raises(Refused) as error:
        proposed(opened, b"1. read it again\n")
    assert error.value.problems[0].code == "ED01"
    reworded = proposed(opened, b"0. get it\n1. read it\n2. run all tests\n")
    fourth = proposed(opened, b"0. get it\n1. read it\n2. run many tests\n")  # keeps as much of one as of the other
    assert vault.git("rev-parse", f"{fourth}~1") == vault.git("rev-parse", reworded)
    third = proposed(opened, b"1. read it\n", base=vault.git("rev-parse", f"{fourth}:{PATH}"))
    assert vault.git("show", f"{third}:{PATH}").endswith("---\n1. read it")


def test_a_dream_that_changes_the_skill_is_nothing_to_stand_on(vault: Folder, opened: Vault) -> None:
    start, change = changed(opened)
    action = branches.Action((change,), "skills: mended", "its link was stale")
    branches.build(opened, CLOCK, "dream/2026-11-29", start.commit, [action], By())
    assert molt.origin(opened, "review-a-pr").branch == ""


def test_a_molt_that_was_accepted_or_dropped_is_nothing_to_stand_on(vault: Folder, opened: Vault) -> None:
    first = proposed(opened)
    vault.git("merge", "--quiet", "--no-ff", "-m", "take it", first)
    start = molt.origin(opened, "review-a-pr")
    assert (start.branch, start.version) == ("", 2)
    proposed(opened, BODY + b"3. more\n")
    vault.git("branch", "-D", "molt/review-a-pr-v3")
    assert molt.origin(opened, "review-a-pr").branch == ""


# -- an engine's text ------------------------------------------------------------------------------------------


def test_an_engine_reads_skill_reason_and_sessions_as_data(vault: Folder, opened: Vault) -> None:
    session = "---\ntype: session\ndate: 2026-11-20\nagent: codex\ntask: look\ntouched: []\nskills: [\"[[review-a-pr]]\"]\n---\nAda: tests first\n"  # fmt: skip
    vault.write("sessions/2026-11-20-look.md", session)
    vault.commit()
    engine = Fake("```markdown\n1. run the tests\n2. read it\n```\n")
    start = molt.origin(opened, "review-a-pr")
    body, wanted = molt.written(opened, start, WANTED, engine)
    assert body == BODY
    assert wanted.reason == f"{WANTED.reason}\n\nText by fake, held to every step of the version before."
    data = dict(engine.asked[0].data)
    assert data["the procedure review-a-pr"] == "1. read it\n"
    assert data["the reason (corrected)"] == WANTED.reason
    assert "Ada: tests first" in data["sessions/2026-11-20-look.md"]
    assert WANTED.reason not in engine.asked[0].task


def test_p11_an_engine_reads_no_part_of_a_token_in_a_long_session(vault: Folder, opened: Vault) -> None:
    head = "---\ntype: session\ndate: 2026-11-20\nagent: codex\ntask: look\ntouched: []\nskills: [\"[[review-a-pr]]\"]\n---\n"  # fmt: skip
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    vault.write("sessions/2026-11-20-look.md", head + ("so " * 4000)[: 3984 - len(head)] + token + "\n")
    vault.git("add", "-A")
    vault.git("commit", "-q", "--no-verify", "-m", "a session")
    engine = Fake("1. run the tests\n2. read it\n")
    molt.written(opened, molt.origin(opened, "review-a-pr"), WANTED, engine)
    data = dict(engine.asked[0].data)
    assert "so so" in data["sessions/2026-11-20-look.md"] and token[:10] not in data["sessions/2026-11-20-look.md"]


@pytest.mark.parametrize(
    ("text", "failed", "why"),
    [
        ("1. something else\n", "", "it lost a step"),
        ("", "fake gave no answer within 5 s", "gave no answer"),
        ("API Error: overloaded", "", "error"),
        ("---\nversion: 9\n---\n1. read it\n", "", "front matter"),
    ],
)
def test_what_an_engine_may_not_write_makes_nothing(opened: Vault, text: str, failed: str, why: str) -> None:
    start = molt.origin(opened, "review-a-pr")
    with pytest.raises(VaultgitError, match=why) as error:
        molt.written(opened, start, WANTED, Fake(text, failed))
    assert error.value.exit_code == 1 and "fake's text was not used" in error.value.message
