"""`vaultgit skill`, as agents and people use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import SKILL
from support import Folder

STEPS = b"1. collect what changed\n2. write it down, see [[projects/nova]]\n"
SESSION = "---\ntype: session\ndate: 2026-11-29\nagent: codex\ntask: launch\ntouched: []\n---\n"


def new(vault: Folder, name: str, *more: str, stdin: bytes = STEPS, code: int = 0) -> str:
    done = vault.run("skill", "new", name, "--trigger", "release notes are wanted", *more, stdin=stdin)
    assert done.code == code, done
    return done.out + done.err


def commits(vault: Folder) -> int:
    return int(vault.git("rev-list", "--count", "HEAD"))


# -- new, show -----------------------------------------------------------------------------------------------------


def test_p1_a_new_skill_is_one_edit_of_the_agent(vault: Folder) -> None:
    assert new(vault, "release-notes", "--agent", "codex", "--reason", "asked twice").startswith("committed ")
    assert vault.read("skills/release-notes.md") == (
        "---\ntype: skill\nname: release-notes\nversion: 1\ntrigger: release notes are wanted\n"
        "last_updated: 2026-11-29\n---\n" + STEPS.decode()
    )
    assert vault.git("log", "-1", "--format=%an %s %b").startswith("codex skills/release-notes: created asked twice")
    assert vault.run("verify").code == 0 and vault.git("status", "--porcelain") == ""
    assert new(vault, "release-notes", "--agent", "codex").startswith("unchanged")


def test_a_new_skill_keeps_properties_that_came_along(vault: Folder) -> None:
    new(vault, "a", stdin=b"---\ntags: [x]\n---\n1. go\n")
    assert vault.read("skills/a.md").startswith("---\ntags: [x]\ntype: skill\nname: a\n")


@pytest.mark.parametrize(
    ("name", "stdin", "code", "said"),
    [
        ("Release Notes", STEPS, 2, "call it release-notes"),
        ("猫", STEPS, 2, "small letters"),
        ("a/b", STEPS, 2, "call it a-b"),
        ("a", b" \n", 2, "needs a body"),
        ("a", b"---\nname: a\n---\n", 2, "needs a body"),
        ("review-a-pr", STEPS, 1, "is the name of skills/review-a-pr.md"),
        ("old-name", STEPS, 1, "old-name is a name of skills/review-a-pr.md already"),
    ],
)
def test_a_skill_that_cannot_be_says_why_and_what_could(
    vault: Folder, name: str, stdin: bytes, code: int, said: str
) -> None:
    vault.write("skills/review-a-pr.md", SKILL.replace("name:", "aliases: [Old-Name]\nname:"))
    vault.commit("alias")
    before = commits(vault)
    assert said in new(vault, name, stdin=stdin, code=code)
    assert commits(vault) == before and vault.git("status", "--porcelain") == ""


def test_a_dry_run_of_new_writes_nothing(vault: Folder) -> None:
    assert new(vault, "a", "--dry-run").startswith("would commit: skills/a: created\n")
    assert not vault.exists("skills/a.md")


def test_what_was_pruned_is_not_made_again_by_chance(vault: Folder) -> None:
    new(vault, "release-notes", "--agent", "codex")
    vault.git("rm", "--quiet", "skills/release-notes.md")
    message = "skills/release-notes: pruned, not used since 2025-01-01\n\nstale\n\nAgent: vaultgit\n"
    vault.git("commit", "--quiet", "--no-verify", "-F", "-", stdin=message.encode())
    assert "--again" in new(vault, "changelog", "--agent", "codex", code=1)
    assert new(vault, "changelog", "--agent", "codex", "--again").startswith("committed ")


def test_a_skill_is_shown_by_name_path_and_old_name(vault: Folder) -> None:
    vault.write("skills/deep/tool.md", SKILL.replace("review-a-pr", "tool").replace("name:", "aliases: hammer\nname:"))
    vault.commit("tool")
    for word in (
        "tool",
        "skills/deep/tool.md",
        "skills/deep/tool",
        "Tool",
        "hammer",
        str(vault.root / "skills/deep/tool.md"),
    ):
        done = vault.run("skill", "show", word)
        assert done.out == vault.read("skills/deep/tool.md"), done
        assert f"base {vault.git('rev-parse', 'HEAD:skills/deep/tool.md')}" in done.err
    assert "hammer is skills/deep/tool.md now" in vault.run("skill", "show", "hammer").err
    assert json.loads(vault.run("skill", "show", "tool", "--json").out)["properties"]["name"] == "tool"
    done = vault.run("skill", "show", "toool")
    assert done.code == 2 and "did you mean tool?" in done.err


def test_nothing_but_skills_is_shown(vault: Folder, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("no\n")
    (vault.root / "skills/out.md").symlink_to(tmp_path / "secret.md")
    for word in ("../secret.md", str(tmp_path / "secret.md"), "people/ada-lovelace.md", ".git/config", "out", "Home"):
        done = vault.run("skill", "show", word)
        assert done.code == 2 and done.out == "", word


def test_p2_an_agent_reads_its_own_queued_edit(vault: Folder) -> None:
    state = vault.root / ".git/rebase-merge"
    state.mkdir()
    (state / "head-name").write_text("refs/heads/main\n")
    assert new(vault, "a", "--agent", "codex", code=75).startswith("queued ")
    assert vault.run("skill", "show", "a", "--agent", "codex").out.endswith(STEPS.decode())
    assert vault.run("skill", "show", "a").code == 2


# -- list ----------------------------------------------------------------------------------------------------------


def test_the_list_says_when_each_was_used_at_any_commit(vault: Folder) -> None:
    vault.write("skills/broken.md", "---\ntype: skill\nname: [\n---\nx\n")
    vault.write("skills/tool.md", SKILL.replace("review-a-pr", "tool").replace("name:", "pinned: true\nname:"))
    before = vault.commit("more")
    for day in ("2026-11-03", "2026-11-09"):
        used = SESSION.replace("2026-11-29", day).replace("touched", 'skills: ["[[tool]]"]\ntouched')
        vault.write(f"sessions/{day}.md", used)
    vault.commit("sessions")
    lines = vault.run("skill").out.splitlines()
    assert lines[0].split(maxsplit=4) == ["review-a-pr", "v1", "never", "used", "user asks for a review"]
    assert lines[1].split(maxsplit=4) == ["tool", "v1", "2026-11-09", "(2)", "pinned  user asks for a review"]
    assert lines[2].startswith("! skills/broken.md is left alone: line 3: FM01")
    found = json.loads(vault.run("skill", "list", "--json").out)
    assert [row["uses"] for row in found["skills"]] == [0, 2] and found["skills"][1]["last"] == "2026-11-09"
    assert [one["path"] for one in found["broken"]] == ["skills/broken.md"]
    then = json.loads(vault.run("skill", "list", "--at", before, "--json").out)
    assert [row["uses"] for row in then["skills"]] == [0, 0]
    assert vault.run("skill", "list", "--at", "nowhere").code == 2


def test_a_vault_without_a_commit_has_no_skill(tmp_path: Path) -> None:
    fresh = Folder(tmp_path / "fresh")
    fresh.write(".vaultgit.toml", "")
    fresh.git("init", "--quiet")
    assert fresh.run("skill", "list").code == 0


# -- used ----------------------------------------------------------------------------------------------------------


def test_a_use_makes_no_noise_until_the_session_note_takes_it_over(vault: Folder) -> None:
    new(vault, "release-notes", "--agent", "codex")
    vault.write("sessions/launch.md", SESSION)
    before = vault.commit("session")
    who = ("--session", "launch/1", "--agent", "codex")
    assert vault.run("skill", "show", "release-notes", "--used", *who).code == 0
    assert vault.run("skill", "used", "review-a-pr", "release-notes", *who).code == 0
    assert vault.git("rev-parse", "HEAD") == before and vault.git("status", "--porcelain") == ""
    waiting = json.loads(vault.run("skill", "used", "--json", *who).out)
    assert waiting == [
        {"skill": "skills/release-notes.md", "day": "2026-11-29", "time": "21:10"},
        {"skill": "skills/review-a-pr.md", "day": "2026-11-29", "time": "21:10"},
    ]
    assert json.loads(vault.run("skill", "used", "--json", "--session", "another").out) == []

    note = ("skill", "used", "--note", "sessions/launch.md", *who)
    assert vault.run(*note, "--dry-run").out.startswith(
        "would commit: sessions/launch: used release-notes, review-a-pr\n"
    )
    assert vault.run(*note).out.startswith("committed ")
    assert 'skills:\n  - "[[skills/release-notes]]"\n  - "[[skills/review-a-pr]]"\n' in vault.read("sessions/launch.md")
    assert json.loads(vault.run("skill", "used", "--json", *who).out) == []
    assert vault.run(*note).out == "unchanged\n"

    assert vault.run("skill", "used", "review-a-pr", *who).code == 0  # used again: it is in the list
    count = commits(vault)
    assert vault.run(*note).out == "unchanged\n" and commits(vault) == count
    assert json.loads(vault.run("skill", "used", "--json", *who).out) == []
    assert vault.run("verify").code == 0


def test_p2_a_use_is_kept_until_its_note_cannot_be_lost(vault: Folder) -> None:
    who = ("--session", "s1", "--agent", "codex")
    vault.run("skill", "used", "review-a-pr", *who)
    for path, code in (("sessions/none.md", 2), ("people/ada-lovelace.md", 2), (".vaultgit.toml", 1)):
        assert vault.run("skill", "used", "--note", path, *who).code == code
    vault.write("sessions/s1.md", SESSION.replace("touched: []", "touched: nonsense"))
    vault.commit("a note that its schema refuses")
    assert vault.run("skill", "used", "--note", "sessions/s1.md", *who).code == 1
    assert len(json.loads(vault.run("skill", "used", "--json", *who).out)) == 1


def test_a_use_of_a_skill_that_was_merged_counts_for_the_one_it_became(vault: Folder) -> None:
    who = ("--session", "s1", "--agent", "codex")
    new(vault, "release-notes", "--agent", "codex")
    new(vault, "gone", "--agent", "codex", "--again")
    vault.run("skill", "used", "release-notes", "gone", *who)
    vault.git("rm", "--quiet", "skills/release-notes.md", "skills/gone.md")
    vault.write("skills/review-a-pr.md", SKILL.replace("name:", "aliases: [release-notes]\nname:"))
    vault.write("sessions/s1.md", SESSION)
    vault.commit("merged")
    done = vault.run("skill", "used", "--note", "sessions/s1.md", *who)
    assert done.code == 0 and "skills/gone.md is no longer there" in done.err
    assert 'skills:\n  - "[[skills/review-a-pr]]"\n' in vault.read("sessions/s1.md")
    assert json.loads(vault.run("skill", "used", "--json", *who).out) == []


def test_uses_noted_at_once_are_all_kept(vault: Folder) -> None:
    names = [f"s{number}" for number in range(6)]
    for name in names:
        vault.write(f"skills/{name}.md", SKILL.replace("review-a-pr", name))
    command = [sys.executable, "-P", "-m", "vaultgit", "skill", "used", "--session", "s1"]
    started = [subprocess.Popen([*command, name], cwd=vault.root, stdout=subprocess.DEVNULL) for name in names]
    assert [process.wait() for process in started] == [0] * 6
    waiting = json.loads(vault.run("skill", "used", "--json", "--session", "s1").out)
    assert {one["skill"] for one in waiting} == {f"skills/{name}.md" for name in names}


def test_a_use_needs_a_session(vault: Folder) -> None:
    done = vault.run("skill", "show", "review-a-pr", "--used")
    assert done.code == 2 and "--session ID" in done.err and done.out == ""
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "c1"}
    assert vault.run("skill", "show", "review-a-pr", "--used", env=env).code == 0
    assert len(json.loads(vault.run("skill", "used", "--json", "--session", "c1").out)) == 1
    [log] = (vault.root / ".git/vaultgit/state/sessions").glob("*.json")
    assert log.name == "c1.json" and log.stat().st_mode & 0o077 == 0


# -- import, export ------------------------------------------------------------------------------------------------


def collection(root: Path) -> Folder:
    made = Folder(root)
    made.write("pdf/SKILL.md", "---\nname: pdf\ndescription: a PDF is there\n---\n1. see [how](how.txt)\n")
    made.write("pdf/how.txt", "so\n")
    made.write("bad/SKILL.md", "---\nname: bad\ndescription: a: b\n---\n1. x\n")
    made.write("old/SKILL.md", "---\nname: review-a-pr\ndescription: x\n---\n1. x\n")
    return made


def test_p6_an_import_says_what_became_of_each_and_can_be_taken_back(vault: Folder, tmp_path: Path) -> None:
    theirs = collection(tmp_path / "collection")
    before = vault.snapshot()
    dry = vault.run("skill", "import", str(theirs.root), "--dry-run")
    assert dry.out.startswith("would import 1 of 3 skills, 1 not taken, the name is, 1 refused\n  + skills/pdf.md\n")
    assert vault.snapshot() == before
    done = vault.run("skill", "import", str(theirs.root))
    assert done.code == 1  # one was refused
    assert done.out.startswith("imported 1 of 3 skills, 1 not taken, the name is, 1 refused\n")
    assert "refused collection/bad: SKILL.md line 3: FM01" in done.err
    assert str(tmp_path) not in vault.read("skills/pdf.md")  # no path of this machine travels
    assert vault.run("skill", "import", str(theirs.root / "pdf")).out == "imported 0 of 1 skill, 1 here already\n"
    session = vault.git("log", "-1", "--format=%(trailers:key=Session,valueonly)").strip()
    assert f"vaultgit undo --session {session}" in done.err
    assert vault.run("undo", "--session", session).code == 0
    assert not vault.exists("skills/pdf.md") and not vault.exists("skills/pdf/how.txt")
    assert vault.run("verify").code == 0


def test_an_import_in_json(vault: Folder, tmp_path: Path) -> None:
    theirs = collection(tmp_path / "collection")
    done = vault.run("skill", "import", str(theirs.root), "--json", "--agent", "codex")
    found = {one["source"]: one for one in json.loads(done.out)}
    assert {source: one["outcome"] for source, one in found.items()} == {
        "collection/bad": "refused", "collection/old": "taken", "collection/pdf": "committed",
    }  # fmt: skip
    assert found["collection/pdf"]["oid"] == vault.git("rev-parse", "HEAD")


def test_files_that_clients_take_for_instructions_are_a_persons_to_import(vault: Folder, tmp_path: Path) -> None:
    """Skills that people write have them; in the vault they would speak to every agent that works in their folder."""
    theirs = collection(tmp_path / "collection")
    theirs.write("pdf/AGENTS.md", "Always do as this says.\n")
    theirs.write("pdf/sub/Claude.md", "And as this.\n")
    done = vault.run("skill", "import", str(theirs.root / "pdf"), "--agent", "codex")
    assert done.code == 0 and done.out.startswith("imported 1 of 1 skill\n"), done
    assert "left out pdf/AGENTS.md: clients take it for instructions" in done.err and "pdf/sub/Claude.md" in done.err
    assert vault.exists("skills/pdf/how.txt") and not vault.exists("skills/pdf/AGENTS.md")
    assert not vault.exists("skills/pdf/sub")
    assert vault.run("undo", "HEAD").code == 0
    assert vault.run("skill", "import", str(theirs.root / "pdf")).code == 0
    assert vault.read("skills/pdf/AGENTS.md") == "Always do as this says.\n"
    done = vault.run("append", "skills/pdf/AGENTS.md", "--agent", "codex", stdin=b"more\n")
    assert done.code == 1 and "PA01" in done.err
    assert vault.run("read", "skills/pdf/AGENTS.md", "--agent", "codex").code == 0


def test_what_is_too_large_to_be_a_skill_is_refused_before_it_fills_the_memory(vault: Folder, tmp_path: Path) -> None:
    """All files of all skills were read, 500 MB each, before the first landed."""
    theirs = collection(tmp_path / "collection")
    for name in ("big", *(f"part{number}" for number in range(7))):
        theirs.write(f"{name}/SKILL.md", f"---\nname: {name}\ndescription: it is there\n---\n1. look\n")
        for number in range(499 if name == "big" else 30):
            with (theirs.root / name / f"{number}.bin").open("wb") as stream:
                stream.truncate(1 << 20)
    code = (  # VmHWM: ru_maxrss is also of the process that started this one
        "import pathlib, re, sys\nfrom vaultgit.cli import main\ncode = main.main(sys.argv[1:])\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "most = re.search(r'VmHWM:\\s*(\\d+)', status.read_text())[1] if status.exists() else 0\n"
        "print(most, code, file=sys.stderr)"
    )
    start = [sys.executable, "-P", "-c", code, "skill", "import"]

    def run(*folders: Path) -> tuple[str, int]:
        """What it said, and the most memory that it had (MB)."""
        done = subprocess.run([*start, *folders], cwd=vault.root, capture_output=True, text=True, check=True)
        return done.stderr, int(done.stderr.split()[-2]) // 1024

    said, most = run(theirs.root / "big", theirs.root / "pdf")
    assert "refused big: has over 32 MB beside it: a project, not a skill" in said and vault.exists("skills/pdf.md")
    assert most < 200
    said, most = run(theirs.root)
    assert "these skills have over 200 MB together; nothing was written" in said and "import them in parts" in said
    assert most < 400 and not vault.exists("skills/part0.md")


@pytest.mark.parametrize("given", ["nowhere", "empty", "empty/x.md"])
def test_a_folder_without_a_skill_is_wrong_use(vault: Folder, tmp_path: Path, given: str) -> None:
    Folder(tmp_path).write("empty/x.md", "x\n")
    assert vault.run("skill", "import", str(tmp_path / given)).code == 2


def test_a_folder_is_exported_remembered_and_kept_in_step(vault: Folder, tmp_path: Path) -> None:
    client = tmp_path / "home/.claude/skills"
    assert vault.run("skill", "export").err.startswith("no folder is kept in step")
    dry = vault.run("skill", "export", "~/.claude/skills", "--dry-run")
    assert dry.out == "would export to ~/.claude/skills: 1 written\n  + review-a-pr\n" and not client.exists()
    assert vault.run("skill", "export", "~/.claude/skills").out.startswith("exported to ~/.claude/skills: 1 written\n")
    assert vault.git("config", "vaultgit.export") == str(client)
    new(vault, "a")
    assert vault.run("skill", "export").out == "exported to ~/.claude/skills: 1 written, 1 unchanged\n  + a\n"
    assert vault.run("skill", "export").out == "exported to ~/.claude/skills: 2 unchanged\n"

    (client / "a/SKILL.md").write_text("mine\n")
    left = vault.run("skill", "export")
    assert left.code == 1 and "left a: SKILL.md was edited there since" in left.err
    assert "vaultgit skill import ~/.claude/skills/NAME" in left.err
    dry = vault.run("skill", "export", "--stop", "~/.claude/skills", "--dry-run")
    assert dry.out == "would stop ~/.claude/skills: 1 removed, 1 left as they are\n  - review-a-pr\n"
    stopped = vault.run("skill", "export", "--stop", "~/.claude/skills", "--force", "--json")
    assert [one["action"] for one in json.loads(stopped.out)[0]["skills"]] == ["remove", "remove"]
    assert not client.parent.exists() and vault.try_git("config", "vaultgit.export").code == 1


def test_a_remembered_folder_that_is_gone_is_named(vault: Folder, tmp_path: Path) -> None:
    client = Folder(tmp_path / "client")
    vault.run("skill", "export", str(client.root))
    os.rename(client.root, tmp_path / "away")
    done = vault.run("skill", "export")
    assert done.code == 1 and done.out == f"left {client.root}: the folder is gone\n" and not client.root.exists()
    assert f"vaultgit skill export --stop {client.root}" in done.err
    assert vault.run("skill", "export", str(client.root)).code == 0 and client.exists("review-a-pr/SKILL.md")


def test_what_clients_take_no_more_of_is_said(vault: Folder, tmp_path: Path) -> None:
    vault.write("skills/review-a-pr.md", SKILL.replace("user asks", "user asks " * 200))
    vault.commit("long")
    done = vault.run("skill", "export", str(tmp_path / "client"))
    assert "cut at a word" in done.err and "review-a-pr" in done.err


def test_writing_into_a_new_place_is_a_persons_to_decide(vault: Folder, tmp_path: Path) -> None:
    client = str(tmp_path / "client")
    agent = ("--agent", "codex")
    refused = vault.run("skill", "export", client, *agent)
    assert refused.code == 1 and "for a person to decide" in refused.err and not os.path.exists(client)
    assert vault.run("skill", "export", client, *agent, "--dry-run").code == 0
    assert vault.run("skill", "export", client, "review-a-pr").code == 0
    new(vault, "a")
    assert vault.run("skill", "export", *agent).code == 0
    assert vault.run("skill", "export", client, *agent).out.endswith("1 unchanged\n")
    for more in (("a",), ("--force",)):
        assert vault.run("skill", "export", client, *more, *agent).code == 1
    assert vault.run("skill", "export", "--stop", client, *agent).code == 1
    assert sorted(os.listdir(client)) == ["review-a-pr"]


def test_wrong_use_of_export(vault: Folder, tmp_path: Path) -> None:
    for arguments in (["--stop"], ["--stop", str(tmp_path / "c"), "a"], [str(tmp_path / "c"), "none"], ["skills"]):
        assert vault.run("skill", "export", *arguments).code == 2
    (tmp_path / "file").write_text("x")
    assert vault.run("skill", "export", str(tmp_path / "file")).code == 2
