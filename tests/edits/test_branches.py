"""Promise P5: review branches are built beside the vault that a person has open; a branch is whole, or is not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import warm
from reviewing import DREAM
from reviewing import NAMES
from reviewing import at
from reviewing import better
from reviewing import changes
from reviewing import dreamt
from reviewing import exists
from reviewing import merged
from reviewing import opened
from reviewing import propose
from reviewing import skill
from reviewing import tips
from reviewing import waiting
from reviewing import with_skills
from support import Folder
from support import set_up

from vaultgit.edits import branches
from vaultgit.edits.branches import Action
from vaultgit.edits.judge import Refused
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError


def state(vault: Folder) -> tuple[object, ...]:
    """All that a person sees of their vault."""
    return (
        vault.git("rev-parse", "HEAD"), vault.git("symbolic-ref", "HEAD"), vault.git("ls-files", "-s"),
        vault.git("status", "--porcelain"), vault.snapshot(),
    )  # fmt: skip


# -- what a branch is --------------------------------------------------------------------------------------------


def test_p5_one_commit_an_action_and_nothing_of_the_persons_moves(vault: Folder) -> None:
    with_skills(vault)
    vault.write("skills/bake.md", vault.read("skills/bake.md") + "typed, not in git\n")
    vault.write("skills/tag.md", skill("tag") + "staged\n")
    vault.git("add", "skills/tag.md")
    vault.write("changelog.md", vault.read("changelog.md") + "my own words\n")
    before = state(vault)
    built = propose(vault, *(better(vault, name) for name in NAMES[:3]), by=By("codex", "2026-11-29-tidy"))
    assert state(vault) == before
    assert (built.name, built.left) == (DREAM, {})
    shape = "%s|%b|%an <%ae>|%cn|%aI|%(trailers:only,unfold)"
    rows = vault.git("log", "--reverse", "-z", f"--format={shape}", f"HEAD..{DREAM}").split("\0")[:-1]
    assert len(rows) == 3
    for name, row in zip(NAMES, rows, strict=False):
        subject, body, author, committer, date, trailers = row.split("|")
        assert subject == f"skills/{name}: better"
        assert body.startswith(f"sessions show that {name} needs it\n\nTrigger: corrected\n")
        assert author == "codex <codex@agents.vaultgit.invalid>"
        assert (committer, date) == ("Test Person", "2026-11-29T21:10:00+01:00")
        keys = [line.partition(":")[0] for line in trailers.strip().splitlines()]
        assert keys == ["Trigger", "Agent", "Session", "Edit"]
        assert "Session: 2026-11-29-tidy" in trailers
    assert vault.git("diff", "--name-only", f"HEAD...{DREAM}").split() == [f"skills/{name}.md" for name in NAMES[:3]]
    assert vault.git("reflog", DREAM).count("\n") == 0
    assert not [ref for ref in tips(vault) if ref.startswith("refs/vaultgit/")]


def test_without_an_agent_the_pass_signs(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    assert vault.git("log", "-1", "--format=%an <%ae>", DREAM) == "vaultgit <vaultgit@agents.vaultgit.invalid>"
    assert vault.git("log", "-1", "--format=%(trailers:key=Agent,valueonly)", DREAM).strip() == "vaultgit"


def test_p1_a_review_branch_does_not_touch_the_changelog(vault: Folder) -> None:
    dreamt(vault)
    assert "changelog" not in vault.git("log", "--name-only", "--format=", f"HEAD..{DREAM}")
    assert vault.run("verify").code == 0


def test_two_actions_on_one_skill_get_versions_one_up_each(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "bake", step=2), better(vault, "bake", step=8, words="later"))
    versions = [(at(vault, "skills/bake.md", f"{DREAM}{back}") or b"").split(b"\n")[3] for back in ("~1", "")]
    assert versions == [b"version: 2", b"version: 3"]
    end = at(vault, "skills/bake.md", DREAM) or b""
    assert b"part 2 of bake, better" in end and b"part 8 of bake, later" in end


def test_an_action_that_does_not_go_with_those_before_is_left_and_named(vault: Folder) -> None:
    with_skills(vault)
    clash = better(vault, "bake", step=2, words="otherwise")
    built = propose(vault, better(vault, "bake", step=2), clash, better(vault, "tag"))
    assert list(built.left) == [clash] and "line" in built.left[clash]
    assert waiting(vault) == ["skills/bake: better", "skills/tag: better"]
    with pytest.raises(VaultgitError, match="nothing of dream/x can be proposed: it is empty"):
        propose(vault, name="dream/x")
    assert not exists(vault, "dream/x")


def test_an_action_with_several_notes_names_the_one_in_the_way(vault: Folder) -> None:
    with_skills(vault)
    built = propose(vault, better(vault, "deploy"), merged(vault, "bake", "deploy"))
    assert list(built.left.values()) == ["skills/deploy.md: conflict with what is committed: deleted on one side and "
                                         "changed on the other"]  # fmt: skip


# -- its name ----------------------------------------------------------------------------------------------------


def test_a_name_that_is_taken_gets_a_number(vault: Folder) -> None:
    with_skills(vault)
    names = [propose(vault, better(vault, "bake")).name for _ in range(3)]
    assert names == [DREAM, f"{DREAM}-2", f"{DREAM}-3"]
    vault.git("branch", "molt/bake-v2/mine")
    vault.git("pack-refs", "--all")
    assert propose(vault, better(vault, "bake"), name="molt/bake-v2").name == "molt/bake-v2-2"


@pytest.mark.parametrize("family", ["dream", "molt"])
def test_a_persons_own_branch_of_that_name_is_named_and_a_prefix_helps(vault: Folder, family: str) -> None:
    with_skills(vault)
    vault.git("branch", family)
    before = tips(vault)
    with pytest.raises(UsageError, match=f"you have a branch called {family}") as error:
        propose(vault, better(vault, "bake"), name=f"{family}/x")
    assert error.value.hint == '.vaultgit.toml: [review] prefix = "vaultgit/"'
    assert tips(vault) == before
    vault.write(".vaultgit.toml", '[review]\nprefix = "vaultgit/"\n')
    built = propose(vault, better(vault, "bake"), name=f"{family}/x")
    assert built.name == f"vaultgit/{family}/x"
    with opened(vault) as found:
        assert [branch.name for branch in branches.pending(found)] == [built.name]
        assert branches.named(found, f"{family}/x") == branches.named(found, built.name)
        assert branches.pending(found)[0].family == family
    done = vault.run("review", "accept", f"{family}/x")
    assert done.code == 0 and not exists(vault, built.name), done


def test_many_at_once_make_a_branch_each(vault: Folder) -> None:
    with_skills(vault)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from support import Folder\n"
        "from reviewing import better, propose; vault = Folder(Path('.')); print(propose(vault, better(vault, 'bake')).name)"
    )
    tests = str(Path(__file__).resolve().parent.parent)
    running = [
        subprocess.Popen([sys.executable, "-c", script, tests], cwd=vault.root, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    names = {process.communicate()[0].decode().strip() for process in running}
    assert names == {DREAM, *(f"{DREAM}-{number}" for number in (2, 3, 4))}
    assert all(vault.git("rev-list", "--count", f"HEAD..{name}") == "1" for name in names)


# -- refused, or killed ------------------------------------------------------------------------------------------


def refusals(vault: Folder) -> dict[str, Action]:
    bake = vault.read("skills/bake.md")
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"[:36]
    return {
        "SK01": Action(changes(vault, {"skills/bake.md": bake.replace("part 2", "part two")}), "skills/bake: x", "why"),
        "SK03": better(vault, "bake")._replace(reason=""),
        "SE01": better(vault, "bake", words=f"with {token}")._replace(subject="skills/bake: with a token"),
        "PA01": Action(changes(vault, {".obsidian/app.json": "{ }\n"}), "settings", "why"),
        "FM01": Action(changes(vault, {"skills/new.md": "---\ntype: skill\nname: [\n---\n"}), "skills/new: x", "why"),
        "MS01": better(vault, "bake")._replace(subject="two\nlines"),
    }


@pytest.mark.parametrize("code", ["SK01", "SK03", "SE01", "PA01", "FM01", "MS01"])
def test_what_the_checks_refuse_leaves_nothing(vault: Folder, code: str) -> None:
    with_skills(vault)
    before, refs = state(vault), tips(vault)
    with pytest.raises(Refused) as error:
        propose(vault, better(vault, "tag"), refusals(vault)[code])
    assert code in {problem.code for problem in error.value.problems}
    assert (state(vault), tips(vault)) == (before, refs)


KILLER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
left = [int(sys.argv[2])]
from vaultgit.history.repository import Repository
real = Repository.call
def call(self, *args, **more):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, *args, **more)
Repository.call = call
from pathlib import Path
from support import Folder
from reviewing import better, propose, NAMES
vault = Folder(Path("."))
propose(vault, *(better(vault, name) for name in NAMES[:3]))
"""


@pytest.mark.faults
def test_p5_killed_before_any_call_of_git_there_is_no_branch_or_a_whole_one(vault: Folder) -> None:
    with_skills(vault)
    before = state(vault)
    tests = str(Path(__file__).resolve().parent.parent)
    seen = set()
    for call in range(1, 100):
        done = warm.run(KILLER, tests, str(call), cwd=vault.root, env=os.environ)
        whole = exists(vault)
        seen.add(whole)
        assert state(vault) == before
        if whole:
            assert vault.git("rev-list", "--count", f"HEAD..{DREAM}") == "3"
            vault.git("branch", "-q", "-D", DREAM)
        if done.code == 0:
            break
        assert done.code == -signal.SIGKILL, done
        assert vault.run("status").code == 0  # anything of ours clears what the dead one left
    assert call > 5 and seen == {False, True}
    vault.run("append", "Home.md", "--agent", "codex", stdin=b"on we go\n")
    assert not [ref for ref in tips(vault) if ref.startswith("refs/vaultgit/")]


# -- other repositories ------------------------------------------------------------------------------------------


def test_in_a_shallow_clone(vault: Folder, tmp_path: Path) -> None:
    with_skills(vault)
    clone = Folder(tmp_path / "clone")
    vault.git("clone", "--quiet", "--depth=1", f"file://{vault.root}", str(clone.root))
    propose(clone, better(clone, "bake"))
    assert waiting(clone) == ["skills/bake: better"]
    done = clone.run("review", "accept", DREAM)
    assert done.code == 0, done
    assert clone.git("log", "-1", "--format=%s") == f"vaultgit: accepted {DREAM}"
    assert clone.run("verify").code == 0


def test_in_a_sha256_repository(folder: Folder) -> None:
    folder.git("init", "--quiet", "--object-format=sha256")
    folder.commit("start")
    set_up(folder)
    dreamt(folder)
    assert len(folder.git("rev-parse", DREAM)) == 64
    assert folder.run("review", "accept", DREAM, "--only", "skills/bake.md").code == 0
    assert waiting(folder) == ["skills/deploy: better", "skills/review: better"]
    folder.git("merge", "-q", "--no-edit", DREAM)
    folder.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert [row["state"] for row in listed(folder)] == ["taken back"]


def listed(vault: Folder) -> list[dict[str, object]]:
    import json

    return list(json.loads(vault.run("review", "list", "--json").out))


def test_in_a_vault_below_the_repositorys_root_and_beside_another_one(tmp_path: Path) -> None:
    repo = Folder(tmp_path / "repo")
    repo.write("README", "code\n")
    for name in ("one", "two"):
        repo.write(f"{name}/.obsidian/app.json", "{}\n")
        repo.write(f"{name}/.vaultgit.toml", "")
        repo.write(f"{name}/skills/bake.md", skill("bake"))
    repo.git("init", "--quiet")
    repo.commit("start")
    one, two = Folder(repo.root / "one"), Folder(repo.root / "two")
    text = skill("bake", version=2, updated="2026-11-29", more="pinned: false\n")
    with opened(repo, "one") as found:
        base = (found.repo.blob("HEAD:one/skills/bake.md") or ("", b""))[1]
        from vaultgit.clock import SystemClock
        from vaultgit.edits.edit import PathChange

        action = Action((PathChange("skills/bake.md", base, text.encode()),), "skills/bake: v2", "because")
        branches.build(found, SystemClock(), DREAM, repo.git("rev-parse", "HEAD"), [action], By())
    assert repo.git("diff", "--name-only", f"HEAD...{DREAM}") == "one/skills/bake.md"
    assert [row["branch"] for row in listed(one)] == [DREAM]
    assert listed(two) == []  # another vault's branch is not for it to decide
    assert two.run("review", "accept", DREAM).code == 2
    done = one.run("review", "accept", DREAM)
    assert done.code == 0, done
    assert one.read("skills/bake.md") == text and two.read("skills/bake.md") == skill("bake")
    assert not exists(repo)


@pytest.mark.parametrize("way", ["autocrlf", "eol attribute", "CRLF in git"])
def test_line_endings_stay_as_they_are(vault: Folder, way: str) -> None:
    if way == "autocrlf":
        vault.git("config", "core.autocrlf", "true")
    elif way == "eol attribute":
        vault.write(".gitattributes", vault.read(".gitattributes") + "skills/*.md text eol=crlf\n")
    with_skills(vault)
    crlf = skill("bake").replace("\n", "\r\n").encode()
    vault.write("skills/bake.md", crlf)
    vault.commit("CRLF on disk")
    stored = at(vault, "skills/bake.md") or b""
    assert (b"\r\n" in stored) == (way == "CRLF in git")
    new = (at(vault, "skills/bake.md") or b"").replace(b"version: 1", b"version: 2")
    new = new.replace(b"2026-11-01", b"2026-11-29").replace(b"part 2 of bake", b"part 2 of bake, better")
    propose(vault, Action(changes(vault, {"skills/bake.md": new}), "skills/bake: better", "because"))
    assert (
        vault.git("diff", "--shortstat", f"HEAD...{DREAM}").strip() == "1 file changed, 3 insertions(+), 3 deletions(-)"
    )
    typed = crlf + b"typed by me\r\n"
    vault.write("skills/bake.md", typed)
    done = vault.run("review", "accept", DREAM)
    assert done.code == 0, done
    want = typed.replace(b"version: 1", b"version: 2").replace(b"2026-11-01", b"2026-11-29")
    assert vault.bytes("skills/bake.md") == want.replace(b"part 2 of bake", b"part 2 of bake, better")
    assert vault.git("diff", "--shortstat").strip() == "1 file changed, 1 insertion(+)"


def test_a_filter_programs_notes_go_through_it(vault: Folder) -> None:
    vault.git("config", "filter.rot.clean", "tr a-zA-Z n-za-mN-ZA-M")
    vault.git("config", "filter.rot.smudge", "tr a-zA-Z n-za-mN-ZA-M")
    vault.write(".gitattributes", vault.read(".gitattributes") + "skills/*.md filter=rot\n")
    with_skills(vault)
    assert b"glcr: fxvyy" in (at(vault, "skills/bake.md") or b"")
    plain = skill("bake")
    action = Action(
        (changes(vault, {"skills/bake.md": None})[0]._replace(
            base=plain.encode(),
            new=plain.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29").encode() + b"10. rest\n",
        ),), "skills/bake: rest", "because",
    )  # fmt: skip
    propose(vault, action)
    assert b"glcr: fxvyy" in (at(vault, "skills/bake.md", DREAM) or b"")
    assert vault.run("review", "accept", DREAM).code == 0
    assert vault.read("skills/bake.md").endswith("10. rest\n")
    assert vault.git("status", "--porcelain") == ""
