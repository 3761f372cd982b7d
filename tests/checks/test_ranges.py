"""Which commits a range holds, and what a clone that is cut off says: real git, the real command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support import SKILL
from support import Folder
from support import Result

ZEROS = "0" * 40
BAD = "---\ntype: person\naliases: 7\n---\n"
GOOD = "---\ntype: person\naliases: [x]\n---\n"
NEXT_SKILL = SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29") + "2. more\n"


def judged(vault: Folder, base: str, head: str = "HEAD") -> list[str]:
    """`CODE path` of each problem of the range, which must end with the exit code that says so."""
    done = vault.run("check", "--from", base, "--to", head, "--json")
    assert done.code in (0, 1), done
    found = json.loads(done.out)
    assert done.code == int(bool(found))
    return sorted(f"{problem['code']} {problem['path']}" for problem in found)


def refused(vault: Folder, base: str, head: str = "HEAD") -> Result:
    """A range that cannot be judged: wrong use, and nowhere a word that it is fine."""
    done = vault.run("check", "--from", base, "--to", head)
    assert done.code == 2, done
    assert done.out == "" and "no problem" not in done.err and "Traceback" not in done.err
    return done


def by_agent(vault: Folder, path: str, text: str, agent: str = "codex") -> str:
    """A commit of an agent's, past every door of ours."""
    vault.write(path, text)
    number = vault.git("rev-list", "--count", "HEAD").zfill(3)
    return vault.commit(f"{path.removesuffix('.md')}: changed\n\nAgent: {agent}\nEdit: 01jdx3k9m2qtw{number}", path)


def cut(vault: Folder, to: Path, *options: str) -> Folder:
    """A clone of `vault`, shallow as `options` say."""
    vault.git("clone", "--quiet", *options, vault.root.as_uri(), str(to))
    return Folder(to)


# -- where the range begins ----------------------------------------------------------------------------------------


def test_nothing_between_two_equal_commits(vault: Folder) -> None:
    vault.write("people/bob.md", BAD)
    vault.commit("bad, but before")
    done = vault.run("check", "--from", "HEAD", "--to", "HEAD")
    assert (done.code, done.out, done.err) == (0, "", "no problem\n")


def test_what_the_base_did_since_is_not_the_branchs(vault: Folder) -> None:
    """A note that main mended since, or broke, is as it was for the branch."""
    vault.write("people/bob.md", BAD)
    vault.commit("bad, but before")
    vault.git("checkout", "-q", "-b", "side")
    vault.write("Home.md", "# Home\n\nside\n")
    vault.commit("side")
    vault.git("checkout", "-q", "main")
    vault.write("people/bob.md", GOOD)
    vault.write("people/eve.md", BAD)
    vault.commit("main went on")
    assert judged(vault, "main", "side") == []
    vault.git("checkout", "-q", "side")
    vault.write("people/dan.md", BAD)
    vault.commit("bad")
    assert judged(vault, "main", "side") == ["FM03 people/dan.md"]


def test_agents_on_a_branch_are_held_to_the_schemas_that_the_base_has_now(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "side")
    by_agent(vault, "people/eve.md", GOOD)
    vault.git("checkout", "-q", "main")
    assert judged(vault, "main", "side") == []
    vault.write(".vaultgit/schemas/person.schema.json", json.dumps({"type": "object", "required": ["email"]}))
    vault.commit("stricter")
    assert judged(vault, "main", "side") == ["FM03 people/eve.md"]


def test_zeros_are_all_of_history(vault: Folder) -> None:
    vault.write("people/bob.md", BAD)
    vault.commit("a person's, and there at the end")
    by_agent(vault, "people/eve.md", BAD)
    by_agent(vault, "people/eve.md", GOOD)
    assert judged(vault, ZEROS) == ["FM03 people/bob.md", "FM03 people/eve.md"]
    assert judged(vault, "0" * 64) == judged(vault, ZEROS)


def test_zeros_take_the_schemas_of_the_end(vault: Folder) -> None:
    by_agent(vault, "people/eve.md", GOOD)
    vault.write(".vaultgit/schemas/person.schema.json", json.dumps({"type": "object", "required": ["email"]}))
    vault.write("people/ada-lovelace.md", "---\ntype: person\nemail: a@example.invalid\n---\n")
    vault.commit("stricter")
    assert judged(vault, ZEROS) == ["FM03 people/eve.md"]


def test_a_base_with_nothing_in_common(vault: Folder) -> None:
    vault.git("checkout", "-q", "--orphan", "other")
    vault.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "elsewhere")
    vault.git("checkout", "-q", "main")
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    assert judged(vault, "other", "main") == ["FM03 people/bob.md"]


# -- commits that are not here -------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["1" * 40, "nowhere", "", "--all", "HEAD:Home.md"])
def test_a_base_that_is_not_here(vault: Folder, base: str) -> None:
    done = refused(vault, base)
    mend = f"git fetch origin {base}" if base[:1] == "1" else "git fetch --all"
    assert f"there is no commit {base} here" in done.err and mend in done.err


def test_a_base_that_a_forced_push_replaced(vault: Folder, tmp_path: Path) -> None:
    """With the old tip at hand, what the new one brings beyond the common ground is judged, and no more."""
    vault.write("Home.md", "# Home\n\nfirst\n")
    old = vault.commit("first try")
    vault.git("reset", "-q", "--hard", "HEAD~")
    vault.write("people/bob.md", BAD)
    vault.commit("second try")
    assert judged(vault, old) == ["FM03 people/bob.md"]
    clone = cut(vault, tmp_path / "clone")
    assert f"git fetch origin {old}" in refused(clone, old).err


def test_a_repository_without_a_commit(vault: Folder) -> None:
    vault.git("checkout", "-q", "--orphan", "empty")
    assert "nothing is committed yet" in refused(vault, ZEROS).err
    assert "nothing is committed yet" in refused(vault, "nowhere").err


# -- shallow clones ------------------------------------------------------------------------------------------------


@pytest.fixture
def edits(vault: Folder) -> Folder:
    """A vault whose newest three commits are an agent's: fine, bad, mended."""
    by_agent(vault, "people/eve.md", GOOD)
    by_agent(vault, "people/eve.md", BAD)
    by_agent(vault, "people/eve.md", GOOD)
    return vault


def test_a_shallow_clone_tells_what_it_holds_whole(edits: Folder, tmp_path: Path) -> None:
    clone = cut(edits, tmp_path / "clone", "--depth=3")
    assert judged(clone, "HEAD~1") == [] and judged(clone, "HEAD~2") == ["FM03 people/eve.md"]
    assert judged(clone, "HEAD~2", "HEAD~2") == []


def test_a_shallow_clone_says_what_it_cannot_tell(edits: Folder, tmp_path: Path) -> None:
    base = edits.git("rev-parse", "HEAD~3")
    clone = cut(edits, tmp_path / "clone", "--depth=2")
    done = refused(clone, base)
    assert f"there is no commit {base} here" in done.err and "git fetch --unshallow" in done.err
    done = refused(clone, ZEROS)
    assert re.search("cannot tell all that led to HEAD: .*git fetch --unshallow", done.err, re.S)

    clone.git("fetch", "-q", "--depth=1", "origin", base)  # base is here now, and what lies between is not
    done = refused(clone, base)
    assert re.search(f"cannot tell what HEAD brings to {base}: .*git fetch --unshallow", done.err, re.S)

    clone.git("fetch", "-q", "--unshallow")
    assert judged(clone, base) == ["FM03 people/eve.md"]


def test_a_shallow_clone_cannot_tell_where_two_branches_part(edits: Folder, tmp_path: Path) -> None:
    edits.git("branch", "base", "HEAD~3")
    edits.git("checkout", "-q", "base")
    edits.write("Home.md", "# Home\n\nmore\n")
    edits.commit("base went on")
    edits.git("checkout", "-q", "main")
    clone = cut(edits, tmp_path / "clone", "--depth=1", "--no-single-branch")
    assert "git fetch --unshallow" in refused(clone, "origin/base").err
    clone.git("fetch", "-q", "--depth=4")  # main to where they part; base to before it
    assert judged(clone, "origin/base") == ["FM03 people/eve.md"]


# -- commits in the range ------------------------------------------------------------------------------------------


def test_a_pull_request_of_a_dream(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "dream/2026-11-29")
    by_agent(vault, "Home.md", "# Home\n\nshorter\n", agent="vaultgit")
    vault.git("checkout", "-q", "main")
    vault.write("skills/review-a-pr.md", NEXT_SKILL)
    vault.commit("main went on")
    assert judged(vault, "main", "dream/2026-11-29") == []

    vault.git("checkout", "-q", "dream/2026-11-29")
    by_agent(vault, "skills/review-a-pr.md", SKILL + "2. more\n", agent="vaultgit")
    done = vault.run("check", "--from", "main", "--to", "HEAD", "--json")
    found = {problem["code"]: problem for problem in json.loads(done.out)}
    assert done.code == 1 and {"SK01", "SK02", "SK03"} <= set(found)
    assert found["SK01"]["commit"] == vault.git("rev-parse", "HEAD")


def test_a_merge_is_judged_by_what_it_adds_to_both_sides(vault: Folder) -> None:
    start = vault.git("rev-parse", "HEAD")
    vault.git("checkout", "-q", "-b", "side")
    vault.write("people/bob.md", GOOD)
    vault.commit("a person's")
    vault.git("checkout", "-q", "main")
    vault.write("Home.md", "# Home\n\nmain\n")
    vault.commit("main went on")
    vault.git("merge", "-q", "--no-ff", "--no-commit", "side")
    agents = "people/bob: merged\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab"
    vault.commit(agents)
    assert judged(vault, start) == [] and judged(vault, "side") == []
    vault.write("people/bob.md", BAD)  # an evil merge: what neither side had
    vault.git("add", "-A")
    vault.git("commit", "-q", "--no-verify", "--amend", "-m", agents)
    vault.write("people/bob.md", GOOD)
    vault.commit("mended by a person")
    assert judged(vault, start) == ["FM03 people/bob.md"]


def test_settings_that_a_range_brings_along_are_not_its_judge(plain: Folder) -> None:
    """The first commits of a vault: its base has no settings, so the defaults hold for agents."""
    base = plain.git("rev-parse", "HEAD")
    plain.write(".vaultgit.toml", '[layout]\nperson = "folk"\n')
    plain.commit("settings")
    assert judged(plain, base) == []
    by_agent(plain, "people/eve.md", BAD)
    assert judged(plain, base) == ["FM03 people/eve.md"]
    assert judged(plain, "HEAD~1") == []  # from here on people/ is nobody's folder


def test_a_range_that_mends_unreadable_settings_is_judged(vault: Folder) -> None:
    vault.write(".vaultgit.toml", "[layout\n")
    broken = vault.commit("broken")
    vault.write(".vaultgit.toml", "[layout]\n")
    vault.commit("mended")
    by_agent(vault, "people/eve.md", BAD)
    assert judged(vault, broken) == ["FM03 people/eve.md"]
