"""Where changes to judge come from: ranges and staged files, against real git."""

from __future__ import annotations

import json

import pytest
from support import SKILL
from support import Folder


def codes(vault: Folder, *args: str) -> list[str]:
    done = vault.run("check", *args, "--json")
    assert done.code == int(done.out.strip() != "[]"), done
    return sorted(problem["code"] for problem in json.loads(done.out))


def test_a_skill_past_the_hook_is_refused_by_the_range(vault: Folder) -> None:
    vault.write("skills/review-a-pr.md", SKILL + "2. more\n")
    vault.commit("no bump")
    assert codes(vault, "--from", "HEAD~1", "--to", "HEAD") == ["SK01", "SK02"]
    vault.git("revert", "--no-edit", "HEAD")
    assert codes(vault, "--from", "HEAD~1") == []  # back to earlier bytes
    vault.git("revert", "--no-edit", "HEAD")
    assert codes(vault, "--from", "HEAD~1") == []  # these, too, were there before
    assert codes(vault, "--from", "HEAD~3") == ["SK01", "SK02"]


def test_a_persons_range_is_judged_at_its_end_and_an_agents_commits_each(vault: Folder) -> None:
    start = vault.git("rev-parse", "HEAD")
    bad = "---\ntype: person\naliases: 7\n---\n"
    vault.write("people/bob.md", bad)
    vault.commit("bad")
    vault.write("people/bob.md", bad.replace("7", "[Bob]"))
    vault.commit("mended")
    assert codes(vault, "--from", start) == []
    vault.write("people/eve.md", bad)
    vault.commit("people/eve: new\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab")
    vault.write("people/eve.md", bad.replace("7", "[Eve]"))
    vault.commit("people/eve: mended\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ac")
    assert codes(vault, "--from", start) == ["FM03"]


@pytest.mark.parametrize("path", ["review.md", ".vaultgit.toml", ".github/workflows/x.yml", "changelog.md"])
def test_p3_an_agents_commit_of_a_protected_path_is_refused_in_a_range(vault: Folder, path: str) -> None:
    start = vault.git("rev-parse", "HEAD")
    before = vault.read(path) if vault.exists(path) else ""
    vault.write(path, before + "# mine\n")
    vault.commit("x: y\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab")
    assert "PA01" in codes(vault, "--from", start)


def test_ms02_an_agents_address_without_its_trailers(vault: Folder) -> None:
    vault.write("x.md", "x\n")
    vault.git("add", "-A")
    vault.git("commit", "-q", "--no-verify", "-m", "x", "--author=codex <codex@agents.vaultgit.invalid>")
    assert codes(vault, "--from", "HEAD~1") == ["MS02"]
    vault.git("commit", "-q", "--no-verify", "--amend", "--reset-author", "-m", "x")
    assert codes(vault, "--from", "HEAD~1") == []


def test_an_agents_landed_edits_and_review_branches_pass(vault: Folder) -> None:
    start = vault.git("rev-parse", "HEAD")
    for n in range(3):
        assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"%d\n" % n).code == 0
    assert codes(vault, "--from", start) == []


def test_a_branch_is_not_judged_by_the_schemas_it_brings(vault: Folder) -> None:
    """An agent that relaxes a rule in the same range is judged by the rules of BASE."""
    strict = {"type": "object", "required": ["email"]}
    vault.write(".vaultgit/schemas/person.schema.json", json.dumps(strict))
    start = vault.commit("stricter")
    vault.write(".vaultgit/schemas/person.schema.json", "{}")
    vault.write("people/eve.md", "---\ntype: person\n---\n")
    vault.commit("people/eve: new\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab")
    assert set(codes(vault, "--from", start)) >= {"FM03", "PA01"}


def test_a_rebase_of_a_bad_note_by_a_person_is_seen(vault: Folder) -> None:
    """git runs no hook on revert, cherry-pick or rebase."""
    vault.git("checkout", "-q", "-b", "side")
    vault.write("people/bob.md", "---\ntype: person\naliases: 7\n---\n")
    vault.commit("bad")
    vault.git("checkout", "-q", "main")
    vault.write("Home.md", "other\n")
    vault.commit("other")
    vault.git("cherry-pick", "side")
    assert codes(vault, "--from", "HEAD~1") == ["FM03"]


def test_staged_deletions_and_paths_are_seen(vault: Folder) -> None:
    vault.git("rm", "-q", "skills/review-a-pr.md")
    assert codes(vault, "--staged") == []
    vault.write("people/bob.md", "---\ntype: person\naliases: 7\n---\n")
    assert codes(vault, "--staged") == []
    assert codes(vault, "people/bob.md") == ["FM03"]
    assert codes(vault, "people") == ["FM03"]
    assert codes(vault, "--all") == ["FM03"]
    vault.git("add", "people/bob.md")
    assert codes(vault, "--staged") == ["FM03"]
    assert vault.run("check", "--staged", "--all").code == 2
    assert vault.run("check", "nowhere.md").code == 2
    assert vault.run("check", "--from", "nowhere").code == 2
