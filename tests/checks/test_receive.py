"""What a push is held to (DESIGN section 6, "on a server"): real repositories, judged as the hook judges them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import BAD
from serving import GOOD
from serving import SECRET
from serving import by_agent
from serving import shared
from support import Folder

from vaultgit.checks import changes
from vaultgit.checks import receive
from vaultgit.checks.receive import Judged
from vaultgit.checks.receive import Update
from vaultgit.errors import VaultgitError
from vaultgit.history.repository import Repository

ZEROS = "0" * 40
STRICT = json.dumps({"type": "object", "required": ["email"]})
SCHEMA = ".vaultgit/schemas/person.schema.json"


class Server:
    """A bare repository whose hook is asked what it would say."""

    def __init__(self, vault: Folder, bare: Folder) -> None:
        self.vault, self.bare = vault, bare
        self.seen: list[str] = []

    def asked(self, *updates: Update, pusher: str | None = None) -> Judged:
        self.bare.git("fetch", "--quiet", str(self.vault.root), "+refs/*:refs/pushed/*")  # as in quarantine: no branch
        with Repository.receiving() as repo:
            return receive.judge(repo, updates, pusher, self.seen.append)

    def main(self, pusher: str | None = None, new: str | None = None) -> Judged:
        """What it says to the vault's main."""
        ref = "refs/heads/main"
        old = self.bare.try_git("rev-parse", "--verify", "--quiet", ref).out.strip() or ZEROS
        return self.asked(Update(old, new or self.vault.git("rev-parse", "main"), ref), pusher=pusher)

    def branch(self, name: str, pusher: str | None = None) -> Judged:
        """What it says to a branch of the vault's that it has not."""
        new = self.vault.git("rev-parse", name)
        return self.asked(Update(ZEROS, new, f"refs/heads/{name}"), pusher=pusher)

    def takes(self) -> None:
        """main is as the vault's, whatever the hook would say."""
        self.bare.git("fetch", "--quiet", str(self.vault.root), "+main:main")


def codes(judged: Judged) -> list[str]:
    assert judged.refused == [], judged.refused
    return sorted(f"{one.problem.code} {one.prefix}{one.problem.path}" for one in judged.found)


@pytest.fixture
def server(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    bare = shared(vault)
    monkeypatch.setenv("GIT_DIR", str(bare.root))
    monkeypatch.setattr(vault, "git", _without(vault.git, monkeypatch))
    monkeypatch.setattr(vault, "run", _without(vault.run, monkeypatch))
    monkeypatch.setattr(bare, "git", _without(bare.git, monkeypatch))
    monkeypatch.setattr(bare, "try_git", _without(bare.try_git, monkeypatch))
    yield Server(vault, bare)


def _without(function: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The function with no GIT_DIR around it: that is the hook's alone."""

    def call(*args: Any, **more: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("GIT_DIR", raising=False)
            return function(*args, **more)

    return call


# -- the rules before the push ---------------------------------------------------------------------------------------


def test_a_persons_bad_note_is_found_at_the_end_of_the_push(server: Server, vault: Folder) -> None:
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    found = server.main().found
    assert [(one.commit, one.problem.path, one.problem.line) for one in found] == [("", "people/bob.md", 3)]
    vault.write("people/bob.md", GOOD)
    vault.commit("mended")
    assert codes(server.main()) == []
    assert "people/bob.md" in server.seen


def test_people_too_are_held_to_the_schemas_from_before_the_push(server: Server, vault: Folder) -> None:
    vault.write(SCHEMA, STRICT)
    vault.commit("stricter")
    server.takes()
    vault.write(SCHEMA, "{}")
    looser = vault.commit("looser")
    vault.write("people/eve.md", GOOD)
    vault.commit("what only the new one allows")
    judged = server.main()
    assert codes(judged) == ["FM03 people/eve.md"]
    assert f"git push ORIGIN {looser[:10]}:refs/heads/main" in judged.remarks[0]
    assert codes(server.main(new=looser)) == []
    server.bare.git("update-ref", "refs/heads/main", looser)
    assert codes(server.main()) == []  # and now they hold


def test_ci_judges_people_by_the_rules_they_bring(server: Server, vault: Folder) -> None:
    """The same range in CI is fine: there, only agents are held to the old ones."""
    vault.write(SCHEMA, STRICT)
    start = vault.commit("stricter")
    vault.write(SCHEMA, "{}")
    vault.write("people/eve.md", GOOD)
    vault.commit("looser, and what it allows")
    assert vault.run("check", "--from", start).code == 0


@pytest.mark.parametrize(
    ("path", "bad"), [(".vaultgit.toml", "[layout\n"), (".vaultgit.toml", "a = " + "[" * 9999), (SCHEMA, '{"type": 7}')]
)
def test_what_mends_a_bad_tip_gets_in(server: Server, vault: Folder, path: str, bad: str) -> None:
    """Rules that cannot be used must not lock the owner out, nor the notes that come along."""
    fine = vault.read(path) if vault.exists(path) else "{}"
    vault.write(path, bad)
    vault.commit("bad")
    assert "SC01 " + path in codes(server.main())
    server.takes()
    vault.write(path, fine)
    vault.write("people/eve.md", GOOD)
    vault.commit("mended, with a note")
    by_agent(vault, "people/dan.md", GOOD)
    assert codes(server.main()) == []
    vault.write("people/eve.md", BAD)
    vault.commit("but not this")
    assert codes(server.main()) == ["FM03 people/eve.md"]


# -- agents' commits -------------------------------------------------------------------------------------------------


def test_each_commit_of_an_agents_is_judged_and_a_later_one_mends_nothing(server: Server, vault: Folder) -> None:
    bad = by_agent(vault, "people/eve.md", BAD)
    by_agent(vault, "people/eve.md", GOOD)
    found = server.main().found
    assert [(one.commit, one.problem.code, one.agents) for one in found] == [(bad, "FM03", True)]


def test_protected_paths_by_no_side_door(server: Server, vault: Folder) -> None:
    """First as a branch of a person's, which is left alone; then main moves to it: judged all the same."""
    vault.git("checkout", "-q", "-b", "side")
    by_agent(vault, ".github/workflows/x.yml", "on: push\n")
    assert codes(server.branch("side")) == []
    server.bare.git("fetch", "--quiet", str(vault.root), "side:side")
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--no-ff", "--no-verify", "-m", "merged", "side")
    assert codes(server.main()) == ["PA01 .github/workflows/x.yml"]


def test_what_agents_landed_gets_in(server: Server, vault: Folder) -> None:
    """Edits of ours, each with its line in changelog.md; a line that no commit stands for does not."""
    for number in range(4):
        assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"%d\n" % number).code == 0
    assert codes(server.main()) == []
    changelog = vault.read("changelog.md")
    line = next(line for line in changelog.splitlines() if line.startswith("- "))
    forged = line[:-16] + "01jdx3k9m2zzzzzz"
    by_agent(vault, "changelog.md", changelog.replace(line, f"{forged}\n{line}"))
    assert codes(server.main()) == ["PA01 changelog.md"]


def test_a_line_of_an_edit_from_before_the_push_is_no_forgery(server: Server, vault: Folder) -> None:
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n").code == 0
    whole = vault.read("changelog.md")
    vault.write(
        "changelog.md", "# Changelog\n\nOne line per edit, newest first, written from the history of this vault.\n"
    )
    vault.commit("taken out")
    server.takes()
    by_agent(vault, "changelog.md", whole)
    assert codes(server.main()) == []


def test_links_are_looked_up_as_each_commit_was(server: Server, vault: Folder) -> None:
    """What a commit adds, renames or takes away counts for the next one, however the names are listed."""

    def decision(name: str, project: str) -> str:
        text = f'---\ntype: decision\ndate: 2026-11-02\nproject: "[[{project}]]"\n---\n'
        return by_agent(vault, f"decisions/{name}.md", text)

    decision("a", "nova")
    early = decision("b", "orion")
    by_agent(vault, "projects/orion.md", "---\ntype: project\nname: Orion\nstatus: active\n---\n")
    decision("c", "orion")
    vault.git("mv", "projects/orion.md", "projects/Vega.md")
    vault.write("projects/Vega.md", "---\ntype: project\nname: Vega\nstatus: active\n---\n")
    vault.commit("projects/Vega: renamed\n\nAgent: codex\nEdit: 01jdx3k9m2qtwaaa")
    late = decision("d", "orion")
    decision("e", "vega")
    by_commit = [(one.commit, one.problem.code) for one in server.main().found if one.commit]
    assert by_commit == [(early, "LN01"), (late, "LN01")]


def test_links_are_looked_up_on_the_side_of_a_merge_that_they_are_on(server: Server, vault: Folder) -> None:
    expected = []
    for side, other in (("orion", "vega"), ("vega", "orion")):
        vault.git("checkout", "-q", "-b", side, "main")
        by_agent(vault, f"projects/{side}.md", "---\ntype: project\nname: x\nstatus: active\n---\n")
        text = f'---\ntype: decision\ndate: 2026-11-02\nproject: "[[{other}]]"\n---\n'
        expected.append((by_agent(vault, f"decisions/on-{side}.md", text), "LN01"))
    vault.git("checkout", "-q", "main")
    for side in ("orion", "vega"):
        vault.git("merge", "-q", "--no-ff", "--no-edit", side)
    assert sorted((one.commit, one.problem.code) for one in server.main().found) == sorted(expected)


# -- secrets ---------------------------------------------------------------------------------------------------------


def test_p11_a_secret_that_a_later_commit_takes_out_stays_outside(server: Server, vault: Folder) -> None:
    """History keeps it: here no later commit mends, also of a person."""
    vault.write("Home.md", f"# Home\n\n{SECRET}\n")
    bad = vault.commit("oh")
    vault.write("Home.md", "# Home\n")
    vault.commit("out again")
    found = server.main().found
    assert [(one.commit, one.problem.code, one.problem.path) for one in found] == [(bad, "SE01", "Home.md")]
    assert all(SECRET not in str(one.problem) for one in found)


def test_p11_what_a_person_says_is_none_is_none(server: Server, vault: Folder) -> None:
    vault.write("Home.md", f"# Home\n\n{SECRET}\n")
    vault.commit("oh")
    vault.write("Home.md", f"# Home\n\n{SECRET} <!-- allow-secret -->\n")
    vault.commit("it is an example")
    assert codes(server.main()) == []


def test_p11_a_secret_in_a_merged_line_of_history(server: Server, vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "side")
    vault.write("x.md", f"{SECRET}\n")
    vault.commit("in")
    vault.git("rm", "-q", "x.md")
    vault.git("commit", "-q", "--no-verify", "-m", "out")
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--no-ff", "--no-verify", "-m", "merged", "side")
    assert codes(server.main()) == ["SE01 x.md"]


# -- the first push --------------------------------------------------------------------------------------------------


@pytest.fixture
def empty(server: Server) -> Server:
    server.bare.git("update-ref", "-d", "refs/heads/main")
    return server


def test_an_old_vault_may_come_as_it_is(empty: Server, vault: Folder) -> None:
    """Notes that were wrong when it was set up (baseline), edits that were fine by the schemas of their day, secrets in
    what people wrote long ago: nothing that anybody could mend now."""
    vault.write("people/bob.md", BAD)
    vault.write("Home.md", f"{SECRET}\n")
    vault.commit(f"of old {SECRET}")
    vault.write("Home.md", "out\n")
    vault.write(".vaultgit/baseline.json", json.dumps({"people/bob.md": ["FM03"]}))
    vault.commit("known")
    by_agent(vault, "people/eve.md", GOOD)
    vault.write(SCHEMA, STRICT)
    for path in ("people/eve.md", "people/ada-lovelace.md"):
        vault.write(path, "---\ntype: person\nemail: x@example.invalid\n---\n")
    vault.commit("stricter, and all as it says")
    assert codes(empty.main()) == []


def test_but_not_what_agents_may_never_do_nor_a_bad_end(empty: Server, vault: Folder) -> None:
    by_agent(vault, ".github/workflows/x.yml", "on: push\n")
    by_agent(vault, "Home.md", f"{SECRET}\n")
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    judged = codes(empty.main())
    assert sorted(set(judged)) == ["FM03 people/bob.md", "PA01 .github/workflows/x.yml", "SE01 Home.md"]


def test_until_heads_branch_is_there_every_branch_is_held(empty: Server, vault: Folder) -> None:
    """HEAD of a new bare repository may name master while everybody pushes main."""
    empty.bare.git("symbolic-ref", "HEAD", "refs/heads/master")
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    assert codes(empty.main()) == ["FM03 people/bob.md"]


# -- history is never lost -------------------------------------------------------------------------------------------


def test_no_rewriting_and_no_deleting_of_the_vaults_branch(server: Server, vault: Folder) -> None:
    old = vault.git("rev-parse", "main")
    vault.git("commit", "-q", "--amend", "--no-verify", "-m", "rewritten")
    [(what, mend)] = server.main().refused
    assert old[:10] in what and "vaultgit.allowRewrite" in mend
    [(what, mend)] = server.asked(Update(old, ZEROS, "refs/heads/main")).refused
    assert "never deleted" in what
    empty = vault.git("commit-tree", "-m", "emptied", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    assert server.main(new=empty).refused
    server.bare.git("config", "vaultgit.allowRewrite", "true")
    assert server.main().refused == [] and server.asked(Update(old, ZEROS, "refs/heads/main")).refused == []


def test_a_rewritten_branch_is_judged_from_where_both_part(server: Server, vault: Folder) -> None:
    server.bare.git("config", "vaultgit.allowRewrite", "true")
    vault.write("people/bob.md", BAD)
    vault.git("add", "-A")
    vault.git("commit", "-q", "--amend", "--no-verify", "-m", "rewritten")
    assert codes(server.main()) == ["FM03 people/bob.md"]


def test_other_branches_and_tags_are_left_alone_unless_the_owner_names_them(server: Server, vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "team")
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    tip = vault.git("rev-parse", "team")
    assert codes(server.branch("team")) == []
    assert codes(server.asked(Update(ZEROS, tip, "refs/tags/v1"))) == []
    assert server.asked(Update(tip, ZEROS, "refs/heads/team")).refused == []
    server.bare.git("config", "--add", "vaultgit.branch", "main")
    server.bare.git("config", "--add", "vaultgit.branch", "team")
    assert codes(server.branch("team")) == ["FM03 people/bob.md"]
    assert server.asked(Update(tip, ZEROS, "refs/heads/team")).refused
    vault.git("checkout", "-q", "main")
    vault.write("people/dan.md", BAD)
    vault.commit("bad")
    assert codes(server.main()) == ["FM03 people/dan.md"]


def test_a_name_that_a_file_system_takes_for_main(server: Server, vault: Folder) -> None:
    tip = vault.git("rev-parse", "main")
    assert server.asked(Update(tip, ZEROS, "refs/heads/Main")).refused


# -- agents push only review branches --------------------------------------------------------------------------------


@pytest.fixture
def only_review(server: Server) -> Server:
    server.bare.git("config", "vaultgit.agentsPush", "review")
    return server


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "refs/heads/side", "refs/tags/v1", "refs/notes/x", "refs/replace/" + "1" * 40,
            "refs/heads/dream", "refs/heads/dreams/x", "refs/dream/x"],
)  # fmt: skip
def test_an_agents_key_moves_nothing_but_review_branches(only_review: Server, vault: Folder, ref: str) -> None:
    by_agent(vault, "people/eve.md", GOOD)
    tip, old = vault.git("rev-parse", "main"), vault.git("rev-parse", "main~")
    for update in (Update(old, tip, ref), Update(ZEROS, tip, ref), Update(tip, ZEROS, ref)):
        [(what, _)] = only_review.asked(update, pusher="codex").refused
        assert "codex may push only branches that begin with molt/, dream/, adopt/" in what
        assert ref == "refs/heads/main" or only_review.asked(update).refused == []  # a person's key


def test_an_agents_key_makes_moves_and_deletes_review_branches(only_review: Server, vault: Folder) -> None:
    main = vault.git("rev-parse", "main")
    vault.git("checkout", "-q", "-b", "dream/2026-11-29")
    tip = by_agent(vault, "people/eve.md", GOOD)
    ref = "refs/heads/dream/2026-11-29"
    for update in (Update(ZEROS, tip, ref), Update(main, tip, ref), Update(tip, main, ref), Update(tip, ZEROS, ref)):
        assert codes(only_review.asked(update, pusher="codex")) == []


def test_a_persons_key_pushes_what_agents_committed_on_the_persons_machine(only_review: Server, vault: Folder) -> None:
    by_agent(vault, "people/eve.md", GOOD)
    assert codes(only_review.main()) == []


def test_review_branches_are_held_to_what_agents_may_write(only_review: Server, vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "molt/x-v2")
    by_agent(vault, ".vaultgit.toml", "# mine\n")
    by_agent(vault, "people/eve.md", BAD)
    for pusher in (None, "codex"):
        assert codes(only_review.branch("molt/x-v2", pusher)) == ["FM03 people/eve.md", "PA01 .vaultgit.toml"]


def test_an_agents_key_brings_no_commit_that_is_not_an_agents(only_review: Server, vault: Folder) -> None:
    """Without its trailers a commit is a person's, who may write anything; then a person merges it."""
    vault.git("checkout", "-q", "-b", "dream/2026-11-29")
    vault.write(".github/workflows/x.yml", "on: push\n")
    vault.commit("as if a person had made it")
    assert codes(only_review.branch("dream/2026-11-29", "codex")) == ["MS02 commit-message"]
    assert codes(only_review.branch("dream/2026-11-29")) == []


def test_the_owners_prefix_is_the_one_from_before_the_push(only_review: Server, vault: Folder) -> None:
    vault.write(".vaultgit.toml", '[review]\nprefix = "vaultgit/"\n')
    vault.commit("prefix")
    tip = vault.git("rev-parse", "main")
    update = Update(ZEROS, tip, "refs/heads/vaultgit/dream/x")
    assert only_review.asked(update, pusher="codex").refused
    only_review.takes()
    assert only_review.asked(update, pusher="codex").refused == []
    assert only_review.asked(update._replace(ref="refs/heads/dream/x"), pusher="codex").refused


def test_a_setting_that_says_nothing_opens_nothing(only_review: Server, vault: Folder) -> None:
    only_review.bare.git("config", "vaultgit.agentsPush", "reviews")
    with pytest.raises(VaultgitError, match="says nothing"):
        only_review.main()


# -- where the vault lies --------------------------------------------------------------------------------------------


def test_vaults_in_folders_are_found_by_their_settings(server: Server, vault: Folder) -> None:
    vault.git("rm", "-q", ".vaultgit.toml")
    for folder in ("notes", "more/notes"):
        vault.write(f"{folder}/.vaultgit.toml", "")
    vault.commit("moved")
    server.takes()
    vault.write("people/bob.md", BAD)  # beside the vaults: nobody's business
    vault.write("notes/people/bob.md", BAD)
    vault.write("more/notes/people/bob.md", BAD)
    vault.commit("bad")
    by_agent(vault, "notes/review.md", "x\n")
    assert codes(server.main()) == [
        "FM03 more/notes/people/bob.md", "FM03 notes/people/bob.md", "PA01 notes/review.md",
    ]  # fmt: skip


def test_where_there_is_no_vault_nothing_is_held_and_it_says_so(empty: Server, vault: Folder) -> None:
    vault.git("rm", "-q", ".vaultgit.toml")
    vault.git("commit", "-q", "--no-verify", "-m", "no vault")
    judged = empty.main()
    assert codes(judged) == [] and "holds no vault" in judged.remarks[0]


def test_a_vault_that_begins_with_the_push_is_held_to_its_own_rules(empty: Server, vault: Folder) -> None:
    vault.git("rm", "-q", ".vaultgit.toml")
    vault.git("commit", "-q", "--no-verify", "-m", "not yet")
    empty.takes()
    vault.write(".vaultgit.toml", "")
    vault.write(".vaultgit/baseline.json", json.dumps({"people/bob.md": ["FM03"]}))
    vault.write("people/bob.md", BAD)
    vault.write("people/dan.md", BAD)
    vault.commit("now")
    assert codes(empty.main()) == ["FM03 people/dan.md"]


def test_a_replaced_object_hides_nothing(server: Server, vault: Folder) -> None:
    """Who may push refs/replace could show us a harmless commit in place of the one that comes."""
    harmless = vault.git("commit-tree", "-m", "x", "-p", "HEAD", "HEAD^{tree}")
    vault.git("branch", "harmless", harmless)
    bad = by_agent(vault, ".github/workflows/x.yml", "on: push\n")
    server.main()
    server.bare.git("update-ref", f"refs/replace/{bad}", harmless)
    assert codes(server.main()) == ["PA01 .github/workflows/x.yml"]


# -- what two texts have in common -----------------------------------------------------------------------------------


_LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"ab", b"ba"]), max_size=12)


@given(_LINES, _LINES)
def test_what_differs_is_whole_lines_and_all_of_them(one: list[bytes], other: list[bytes]) -> None:
    old, new = b"\n".join(one), b"\n".join(other)
    left, right = changes._differing(old, new)
    assert lines(old) >= lines(left) and lines(new) >= lines(right)
    assert lines(old) - lines(left) == lines(new) - lines(right)


def test_of_a_long_changelog_little_is_compared() -> None:
    head, rest = b"# Changelog\n\n", b"".join(b"- line %d\n" % number for number in range(5000))
    left, right = changes._differing(head + rest, head + b"- new\n" + rest)
    assert left.count(b"\n") <= 2 and b"- new\n" in right and right.count(b"\n") <= 3


def lines(text: bytes) -> Counter[bytes]:
    return Counter(line for line in text.split(b"\n") if line)
