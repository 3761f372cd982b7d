"""`vaultgit init`, as a person runs it: real command line, real git (promises P3, P12; cases 021, 023,
025).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support import Folder
from support import run_cli

from vaultgit import resources
from vaultgit.install import block

LAID_DOWN = {
    "AGENTS.md", "CLAUDE.md", "changelog.md", ".vaultgit.toml", ".gitattributes", ".gitignore",
    ".pre-commit-config.yaml",
}  # fmt: skip


def git_state(folder: Folder) -> dict[str, bytes]:
    """Everything in .git but what git itself rewrites when it only looks (index stat data) and its logs."""
    inside = folder.root / ".git"
    return {
        str(path.relative_to(inside)): path.read_bytes()
        for path in sorted(inside.rglob("*"))
        if path.is_file() and path.name != "index" and path.relative_to(inside).parts[0] not in ("objects", "logs")
    }


def test_dry_run_says_what_it_would_write_and_writes_nothing(plain: Folder) -> None:
    before, inside = plain.snapshot(), git_state(plain)
    home = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    done = plain.run("init", "--dry-run")
    assert done.code == 0, done.err
    assert "an Obsidian vault: 4 notes" in done.out and "yes, branch main" in done.out
    assert "person 1, project 1, skill 1" in done.out and "Home.md" in done.out
    assert all(path in done.out for path in LAID_DOWN) and ".git/hooks/pre-commit" in done.out
    assert "vaultgit init --remove" in done.out
    assert all(len(line) <= 100 for line in done.out.splitlines() if str(plain.root) not in line)
    assert plain.snapshot() == before and git_state(plain) == inside
    assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == home


def test_init_commits_its_files_as_the_person_and_touches_no_note(plain: Folder) -> None:
    before = plain.snapshot()
    done = plain.run("init")
    assert done.code == 0, done.err
    assert "0 of your 4 notes changed" in done.out and 'committed as you: "vaultgit: set up"' in done.out
    assert plain.git("log", "-1", "--format=%an|%cn|%s|%(trailers)") == "Test Person|Test Person|vaultgit: set up|"
    assert set(plain.git("diff", "--name-only", "HEAD~", "HEAD").splitlines()) == LAID_DOWN
    assert plain.git("status", "--porcelain") == ""
    now = plain.snapshot()
    assert {path: now[path] for path in before} == before
    assert plain.git("config", "--global", "vaultgit.vault") == str(plain.root)

    again = plain.run("init")
    assert again.code == 0 and again.out.startswith("nothing to do: ")
    assert plain.git("rev-list", "--count", "HEAD") == "2"


def test_what_a_person_has_not_committed_stays_as_it_was(plain: Folder) -> None:
    plain.write("Home.md", "# Home\n\nnot saved in git yet\n")
    plain.write("new.md", "never seen\n")
    plain.write("staged.md", "staged\n")
    plain.git("add", "staged.md")
    plain.write(".gitignore", "mine\n")
    status = plain.git("status", "--porcelain")
    done = plain.run("init")
    assert done.code == 0, done.err
    left = plain.git("status", "--porcelain").splitlines()
    assert set(status.splitlines()) - {"?? .gitignore"} <= set(left)
    assert "mine" in plain.read(".gitignore") and "workspace.json" in plain.read(".gitignore")
    assert "your " in done.out and "stayed as they were" in done.out
    assert "mine" not in plain.git("log", "-1", "--format=", "-p", "--", "Home.md", "staged.md", "new.md")


def test_remove_is_the_exact_inverse(plain: Folder) -> None:
    plain.write("AGENTS.md", "# My own\n")
    plain.write(".gitignore", "no newline at the end")
    plain.commit("mine")
    before, inside = plain.snapshot(), git_state(plain)
    home = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    assert plain.run("init").code == 0
    assert "My own" in plain.read("AGENTS.md")
    shown = plain.run("init", "--remove", "--dry-run")
    assert shown.code == 0 and "AGENTS.md" in shown.out and (plain.root / ".git/vaultgit").exists()

    done = plain.run("init", "--remove")
    assert done.code == 0, done.err
    assert plain.snapshot() == before
    after = git_state(plain)
    for volatile in ("refs/heads/main", "COMMIT_EDITMSG", "ORIG_HEAD"):
        after.pop(volatile, None)
        inside.pop(volatile, None)
    assert after == inside
    assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == home
    assert plain.git("status", "--porcelain") == ""
    assert plain.git("log", "-1", "--format=%s") == "vaultgit: remove"
    again = plain.run("init", "--remove")
    assert again.code == 0 and "nothing to do" in again.out


def test_what_a_person_appends_to_a_file_of_both_is_a_line_of_its_own(plain: Folder) -> None:
    theirs = {".gitignore": "*.log", ".gitattributes": "*.png binary", "AGENTS.md": "# My own", "CLAUDE.md": "# Mine"}
    for path, text in theirs.items():
        plain.write(path, text)
    plain.write(".pre-commit-config.yaml", "default_stages: [pre-commit]\nrepos:\n  - repo: local\n    hooks: []")
    plain.commit("mine")
    assert plain.run("init").code == 0
    for path in theirs:
        assert plain.read(path).startswith(theirs[path] + "\n") and plain.read(path).endswith("\n")
        with (plain.root / path).open("a") as stream:  # echo Journal/ >> .gitignore
            stream.write("Journal/\n")
    assert plain.git("check-ignore", "Journal/x.md", "a.log").splitlines() == ["Journal/x.md", "a.log"]
    plain.git("commit", "-qam", "mine")
    assert plain.run("init").out.startswith("nothing to do")
    assert plain.run("init", "--remove", "--yes").code == 0
    assert {path: plain.read(path) for path in theirs} == {path: f"{text}\nJournal/\n" for path, text in theirs.items()}


def test_a_block_of_the_older_form_with_something_glued_to_it_is_mended_by_init(plain: Folder) -> None:
    plain.write(".gitignore", "*.log")
    plain.commit("mine")
    assert plain.run("init").code == 0
    ours = plain.read(".gitignore").removeprefix("*.log\n")
    older = block.add(None, resources.read("hooks", "gitignore"), block.HASH).decode().removesuffix("\n")
    assert ours != older + "\n"
    plain.write(".gitignore", f"*.log\n{older}")
    plain.commit("as it was set up before")
    plain.write(".gitignore", f"*.log\n{older}Journal/\n")
    plain.commit("mine")
    done = plain.run("init")
    assert done.code == 0 and plain.read(".gitignore") == f"*.log\n{ours}Journal/\n", done
    assert not plain.exists("inbox") and plain.git("status", "--porcelain") == ""
    assert plain.run("init").out.startswith("nothing to do")
    assert plain.run("init", "--remove", "--yes").code == 0 and plain.read(".gitignore") == "*.log\nJournal/\n"


def test_notes_that_were_wrong_before_block_nothing(plain: Folder) -> None:
    plain.write("people/bad.md", "---\ntype: person\naliases: 7\n---\n")
    plain.commit("mine")
    done = plain.run("init")
    assert done.code == 0, done.err
    assert "1 note has a problem from before" in done.out
    assert plain.run("check").code == 0
    assert "1 problem from before" in plain.run("check").err
    assert "people/bad.md:3:1: FM03" in plain.run("check", "--no-baseline").out
    assert "FM03" in plain.read(".vaultgit/baseline.json")
    plain.write("people/bad.md", plain.read("people/bad.md") + "more\n")
    plain.git("commit", "-am", "still wrong, and not my business today")
    assert plain.run("init", "--remove").code == 0
    assert not plain.exists(".vaultgit")


def test_adopt_notes_problems_later(vault: Folder) -> None:
    vault.write("people/bad.md", "---\ntype: person\naliases: 7\n---\n")
    vault.commit("past the hook")
    assert vault.run("init").out.startswith("nothing to do")
    done = vault.run("init", "--adopt")
    assert done.code == 0, done.err
    assert "people/bad.md" in vault.read(".vaultgit/baseline.json")


def test_an_agent_does_not_set_up_a_vault(plain: Folder) -> None:
    before = plain.snapshot()
    for arguments, env in (
        (["--agent", "codex"], {}),
        ([], {"CLAUDECODE": "1"}),
        ([], {"VAULTGIT_AGENT": "x"}),
    ):
        done = plain.run("init", *arguments, env=env)
        assert done.code == 1 and "for a person to decide" in done.err
    assert plain.snapshot() == before
    plain.git("config", "--global", "vaultgit.agentsMayDecide", "true")
    assert plain.run("init", "--agent", "codex").code == 0


def test_a_folder_without_git_gets_a_repository_and_init_says_so(folder: Folder) -> None:
    folder.write(".obsidian/workspace.json", "{}")
    before = folder.snapshot()
    shown = run_cli("init", str(folder.root), "--dry-run", cwd="/")
    assert shown.code == 0 and "a repository would be made" in shown.out and not folder.exists(".git")
    done = run_cli("init", str(folder.root), cwd="/")
    assert done.code == 0, done.err
    assert "made a repository" in done.out
    assert folder.git("symbolic-ref", "--short", "HEAD") == "main"
    assert "people/ada-lovelace.md" in folder.git("ls-files").splitlines()
    assert folder.git("log", "--format=%an", "--", "Home.md") == "Test Person"
    now = folder.snapshot()
    assert {path: now[path] for path in before} == before


def test_an_unborn_branch_keeps_its_name_and_the_owners_files_come_first(folder: Folder) -> None:
    # case 023
    folder.git("init", "--quiet", "-b", "trunk")
    folder.git("add", "Home.md")
    done = folder.run("init")
    assert done.code == 0, done.err
    assert folder.git("symbolic-ref", "--short", "HEAD") == "trunk"
    first = folder.git("rev-list", "--max-parents=0", "HEAD")
    assert "Home.md" in folder.git("ls-tree", "-r", "--name-only", first).splitlines()
    assert "AGENTS.md" not in folder.git("ls-tree", "-r", "--name-only", first).splitlines()
    assert folder.git("status", "--porcelain") == ""


@pytest.fixture
def larger(tmp_path: Path) -> Folder:
    """case 025: a vault's folder inside a repository of something else."""
    outer = Folder(tmp_path / "dotfiles")
    outer.write("Home.md", "hi\n")
    outer.write("notes/Old.md", "old\n")
    outer.git("init", "--quiet")
    outer.commit("start")
    outer.write("notes/New.md", "new\n")
    outer.write(".netrc", "secret\n")
    return outer


def test_inside_a_larger_repository_init_stops_and_names_both_choices(larger: Folder) -> None:
    before, inside = larger.snapshot(), git_state(larger)
    done = larger.run("init", str(larger.root / "notes"))
    assert done.code == 2
    assert str(larger.root) in done.err and "--repository own" in done.err and "--repository outer" in done.err
    assert larger.snapshot() == before and git_state(larger) == inside


def test_own_repository_inside_a_larger_one(larger: Folder) -> None:
    inside = git_state(larger)
    head, index = larger.git("rev-parse", "HEAD"), larger.git("ls-files", "-s")
    done = larger.run("init", "--repository", "own", str(larger.root / "notes"))
    assert done.code == 0, done.err
    assert "notes/Old.md" in done.out
    assert git_state(larger) == inside
    assert (larger.git("rev-parse", "HEAD"), larger.git("ls-files", "-s")) == (head, index)
    notes = Folder(larger.root / "notes")
    assert notes.git("rev-parse", "--show-toplevel") == str(notes.root)
    assert notes.run("init").out.startswith("nothing to do")


def test_outer_repository_takes_only_our_files(larger: Folder) -> None:
    notes = Folder(larger.root / "notes")
    done = larger.run("init", "--repository", "outer", str(notes.root))
    assert done.code == 0, done.err
    assert {path.split("/")[0] for path in larger.git("diff", "--name-only", "HEAD~", "HEAD").splitlines()} == {"notes"}
    status = larger.git("status", "--porcelain").splitlines()
    assert status == ["?? .netrc", "?? notes/New.md"]
    assert not larger.exists(".pre-commit-config.yaml")
    assert notes.run("init").out.startswith("nothing to do")
    notes.write("skills/a.md", "---\ntype: skill\n---\n")
    larger.git("add", "notes/skills")
    refused = larger.try_git("commit", "-m", "bad")
    assert refused.code == 1 and "notes/skills/a.md:" in refused.err
    larger.git("rm", "-q", "--cached", "notes/skills/a.md")
    (notes.root / "skills/a.md").unlink()
    clone = Folder(larger.root.parent / "clone")  # as in CI: only what is tracked
    larger.git("clone", "-q", ".", str(clone.root))
    clone.write("notes/skills/a.md", "---\ntype: skill\n---\n")
    judged = clone.run("hook", "framework", "notes/skills/a.md", "notes/Old.md")
    assert judged.code == 1 and "notes/skills/a.md:" in judged.err
    assert notes.run("init", "--remove").code == 0
    assert larger.try_git("config", "--local", "--get-regexp", "vaultgit").code == 1


def test_during_a_rebase_nothing_is_written(plain: Folder) -> None:
    # case 021
    plain.write("N.md", "one\n")
    plain.commit("n1")
    plain.git("checkout", "-qb", "topic")
    plain.write("N.md", "topic\n")
    plain.commit("topic")
    plain.git("checkout", "-q", "main")
    plain.write("N.md", "main\n")
    plain.commit("mainline")
    plain.git("checkout", "-q", "topic")
    assert plain.try_git("rebase", "main").code != 0
    before, status = plain.snapshot(), plain.git("status", "--porcelain=v2")
    rebase = {path.name: path.read_bytes() for path in (plain.root / ".git/rebase-merge").iterdir() if path.is_file()}
    done = plain.run("init")
    assert done.code == 2 and "rebase" in done.err
    assert plain.snapshot() == before and plain.git("status", "--porcelain=v2") == status
    assert rebase == {
        path.name: path.read_bytes() for path in (plain.root / ".git/rebase-merge").iterdir() if path.is_file()
    }
    assert plain.try_git("config", "vaultgit.program").code == 1


def test_a_vault_in_a_sync_folder_is_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "Dropbox" / "Notes")
    folder.write("Home.md", "hi\n")
    assert "Dropbox" in run_cli("init", str(folder.root), cwd="/").out


def test_git_variables_of_a_surrounding_hook_are_ignored(plain: Folder, tmp_path: Path) -> None:
    # case 029
    other = Folder(tmp_path / "other")
    other.write("o", "o\n")
    other.git("init", "--quiet")
    other.commit("o")
    inside = git_state(other)
    env = {"GIT_DIR": str(other.root / ".git"), "GIT_INDEX_FILE": str(other.root / ".git/index")}
    assert plain.run("init", str(plain.root), env=env).code == 0
    assert git_state(other) == inside and other.git("status", "--porcelain") == ""
    assert plain.git("log", "-1", "--format=%s") == "vaultgit: set up"


@pytest.mark.parametrize("staged", [True, False])
def test_where_our_lines_do_not_merge_nothing_is_written(plain: Folder, staged: bool) -> None:
    plain.write(".gitignore", "mine\n")
    plain.commit("mine")
    (plain.root / ".gitignore").unlink()
    if staged:
        plain.git("add", "-A")
    status = plain.git("status", "--porcelain")
    done = plain.run("init")
    assert done.code == 2 and ".gitignore" in done.err
    assert plain.git("status", "--porcelain") == status
    assert plain.git("rev-list", "--count", "HEAD") == "2"
    assert plain.try_git("config", "vaultgit.program").code == 1
    assert not plain.exists("inbox") and not plain.exists(".git/hooks/pre-commit")


def test_lines_a_person_is_typing_in_those_files_stay_theirs(plain: Folder) -> None:
    plain.write(".gitignore", "a\n")
    plain.write("AGENTS.md", "# mine\n")
    plain.commit("mine")
    plain.write(".gitignore", "a\nb\n")
    plain.write("AGENTS.md", "# mine, changed\n")
    plain.git("add", "AGENTS.md")
    assert plain.run("init").code == 0
    assert plain.git("show", "HEAD:.gitignore").startswith("a\n# vaultgit begin")
    assert plain.read(".gitignore").startswith("a\nb\n# vaultgit begin")
    assert plain.git("status", "--porcelain").splitlines() == [" M .gitignore", "M  AGENTS.md"]
    # Their change stands right beside the lines to take out: that does not merge, and is said.
    done = plain.run("init", "--remove")
    assert done.code == 2 and "AGENTS.md" in done.err and "commit AGENTS.md first" in done.err
    plain.git("commit", "-qam", "mine")
    assert plain.run("init", "--remove").code == 0
    assert plain.read(".gitignore") == "a\nb\n" and plain.read("AGENTS.md") == "# mine, changed\n"
    assert plain.git("status", "--porcelain") == ""


def test_a_file_of_that_name_that_is_staged_and_new(plain: Folder) -> None:
    plain.write("AGENTS.md", "# mine\n")
    plain.git("add", "AGENTS.md")
    done = plain.run("init")
    if done.code == 2:
        assert "AGENTS.md" in done.err and plain.git("status", "--porcelain") == "A  AGENTS.md"
    else:
        assert plain.read("AGENTS.md").startswith("# mine\n<!-- vaultgit begin")


def test_json_says_what_the_words_say(plain: Folder) -> None:
    shown = json.loads(plain.run("init", "--dry-run", "--json").out)
    assert {step["path"] for step in shown["files"]} == LAID_DOWN and shown["done"] is False
    done = json.loads(plain.run("init", "--json").out)
    assert done == {**shown, "done": True}
    assert json.loads(plain.run("init", "--json").out)["files"] == []
    gone = json.loads(plain.run("init", "--remove", "--json").out)
    assert {step["path"] for step in gone["files"] if step["what"] == "delete"} == LAID_DOWN and gone["done"]


def test_an_agent_makes_no_repository_either(folder: Folder) -> None:
    done = folder.run("init", "--agent", "codex")
    assert done.code == 1 and not folder.exists(".git")
    subprocess.run(["git", "config", "--global", "vaultgit.agentsMayDecide", "true"], check=True)
    assert folder.run("init", "--agent", "codex").code == 0


# -- at home in any vault --------------------------------------------------------------------------


def habits(folder: Folder, **files: object) -> Folder:
    """Files of a vault's own habits: text, or what becomes JSON."""
    for path, data in files.items():
        folder.write(path, data if isinstance(data, (str, bytes)) else json.dumps(data))
    return folder


def test_folders_that_mean_the_same_are_mapped_and_said(folder: Folder) -> None:
    (folder.root / "people").rename(folder.root / "People")
    folder.write("10 Projects/x.md", "---\ntype: project\nname: x\nstatus: on\n---\n")
    (folder.root / "projects/nova.md").unlink()
    (folder.root / "projects").rmdir()
    folder.write("📥 Inbox/later.md", "mine\n")
    folder.write('Entscheid"ungen/x.md', "x\n")
    folder.git("init", "--quiet")
    folder.commit("start")
    before = folder.snapshot()
    said = 'inbox -> 📥 Inbox/, people -> People/, projects -> 10 Projects/, decisions -> Entscheid"ungen/'
    shown = folder.run("init", "--dry-run")
    assert f"Mapped: {said}" in shown.out and "person 1, project 1, skill 1" in shown.out
    assert "10 Projects/" in shown.out and folder.snapshot() == before

    done = folder.run("init")
    assert done.code == 0 and f"✓ mapped   {said}" in done.out, done
    settings = folder.read(".vaultgit.toml")
    for line in ('person = "People"', 'decision = "Entscheid\\"ungen"', '# skill = "skills"'):
        assert f"\n{line}\n" in settings
    assert "person `People/`, project `10 Projects/`" in folder.read("AGENTS.md")
    assert folder.run("init").out.startswith("nothing to do")
    # The mapped folders are held to their types, and proposals go to the inbox that was there.
    bad = folder.run(
        "write", "People/bob.md", "--agent", "codex", "-m", "bob", stdin=b"---\ntype: person\naliases: 7\n---\n"
    )
    assert bad.code == 1 and "FM03" in bad.err
    text = b"More.\n"
    kept = folder.run(
        "inbox", "add", "--target", "People/ada-lovelace.md", "--reason", "unsure", "--agent", "codex", stdin=text
    )
    assert kept.code == 0 and len(list((folder.root / "📥 Inbox").iterdir())) == 2 and not folder.exists("inbox")
    folder.git("revert", "--no-edit", "HEAD")
    folder.run("status")
    gone = folder.run("init", "--remove")
    assert gone.code == 0, gone
    now = folder.snapshot()
    assert {path: now[path] for path in before} == before
    assert set(now) - set(before) == {"changelog.md"}


def test_folders_that_git_ignores_or_that_hold_templates_are_not_mapped(larger: Folder) -> None:
    notes = Folder(larger.root / "notes")
    habits(notes, **{
        "Contacts/x.md": "x\n", "Projects/x.md": "x\n", "Skills/x.md": "x\n", "Decisions/x.md": "x\n",
        ".obsidian/templates.json": {"folder": "Skills"},
    })  # fmt: skip
    larger.write(".gitignore", "/notes/Contacts/\n")
    larger.write("notes/.gitignore", "Decisions\n")
    done = larger.run("--vault", str(notes.root), "init", "--repository", "outer")
    assert done.code == 0 and "✓ mapped   projects -> Projects/\n" in done.out, done


def test_a_folder_that_may_be_one_of_two_is_not_mapped(plain: Folder) -> None:
    plain.write("ADR/1.md", "x\n")
    plain.write("docs/decisions/1.md", "x\n")
    done = plain.run("init", "--dry-run")
    assert "ADR/, docs/decisions/ may each mean decisions" in done.out and "Mapped" not in done.out
    assert plain.run("init").code == 0
    assert 'decision = "ADR"' not in plain.read(".vaultgit.toml")


def test_settings_that_are_there_are_not_changed(plain: Folder) -> None:
    plain.write("Contacts/x.md", "x\n")
    plain.write("Inbox/x.md", "x\n")
    plain.write(".vaultgit.toml", '[types]\nkey = "kind"\n')
    plain.commit("mine")
    done = plain.run("init")
    assert done.code == 0 and "mapped" not in done.out.lower()
    assert plain.read(".vaultgit.toml") == '[types]\nkey = "kind"\n'


DAMAGED = {
    "no JSON": b"{", "nothing": b"", "NUL": b"\0", "a list": b"[1, 2]", "a word": b'"daily"', "a number": b"7",
    "null": b"null", "deep": b"[" * 50_000, "no UTF-8": b'{"folder": "\xff"}', "with a BOM": b"\xef\xbb\xbf{}",
    "odd values": b'{"folder": {"a": 1}, "format": [], "template": 3, "daily": 1, "userIgnoreFilters": {"a": 1}, '
    b'"templates_folder": false, "autoSaveInterval": "x", "calendarSets": [[]]}',
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_settings_of_obsidian_break_nothing(plain: Folder, name: str) -> None:
    plugins = ("periodic-notes", "templater-obsidian", "obsidian-git")
    for path in ("daily-notes.json", "templates.json", "app.json", "core-plugins.json", "community-plugins.json",
                 *(f"plugins/{plugin}/data.json" for plugin in plugins)):  # fmt: skip
        plain.write(f".obsidian/{path}", DAMAGED[name])
    done = plain.run("init")
    assert done.code == 0 and "bug of ours" not in done.err, done
    assert plain.run("status").code == 0


def test_daily_notes_are_understood_as_obsidian_keeps_them(plain: Folder) -> None:
    habits(plain, **{
        ".obsidian/daily-notes.json": {"folder": "Journal", "format": "YYYY/[Daily]/MM/YYYY-MM-DD", "template": "T/D"},
        "Journal/2026/Daily/11/2026-11-29.md": "---\ntype: daily\ndate: 2026-11-29\n---\n",
        "T/D.md": "---\ntype: daily\ncreated: {{date}}\n---\n",
    })  # fmt: skip
    done = plain.run("init", "--dry-run")
    assert "daily notes in Journal/ as YYYY/[Daily]/MM/YYYY-MM-DD, templates in T/" in done.out
    assert "daily 1," in done.out and "!" not in done.out
    told = json.loads(plain.run("init", "--dry-run", "--json").out)["vault"]
    assert told["daily"]["folder"] == "Journal" and told["types"]["daily"] == 1 and told["notes"] == 6
    assert plain.run("init").code == 0
    assert "daily notes like `Journal/2026/Daily/01/2026-01-01.md`" in plain.read("AGENTS.md")
    wrong = b"---\ntype: daily\n---\n"
    assert plain.run("write", "Journal/2026/Daily/11/2026-11-30.md", "--agent", "codex", stdin=wrong).code == 1


def test_a_stale_a_hidden_and_a_nameless_daily_folder_are_told(plain: Folder) -> None:
    daily = ".obsidian/daily-notes.json"
    plain.write(daily, json.dumps({"folder": "Old"}))
    assert f"! {daily} names Old/ for daily notes, which is not there\n" in plain.run("init", "--dry-run").out
    plain.write(".gitignore", "Old/\n")
    assert "which is not there, and which git ignores\n" in plain.run("init", "--dry-run").out
    plain.write("Old/2026-11-29.md", "x\n")
    assert "! git ignores the daily notes in Old/" in plain.run("init", "--dry-run").out
    plain.write(daily, json.dumps({"folder": "people", "format": "YYYY-MM-DD HHmm"}))
    done = plain.run("init")
    assert done.code == 0 and "holds HH" in done.out
    found = json.loads(plain.run("init", "--bases", "--dry-run", "--json").out)["vault"]
    assert "HH" in found["daily"]["problem"] and not found["daily"]["ignored"]


def test_019_names_that_other_systems_cannot_check_out_are_told_and_kept(folder: Folder) -> None:
    long = "n" * 247 + ".md"
    bad = ["Meeting: budget.md", "AUX.md", "Ideas /a.md", "end./b.md", long]
    for path in [*bad, "Fine (1).md", "auxiliary.md", "attic/What?.png", "kept out/a:b.md"]:
        folder.write(path, "x\n")
    folder.git("init", "--quiet")
    folder.write(".gitignore", "kept out/\n")
    folder.commit("start")
    before = folder.snapshot()
    done = folder.run("init")
    assert done.code == 0, done
    [line] = [line for line in done.out.splitlines() if "other systems cannot check out" in line]
    assert line.startswith("! 6 names that other systems cannot check out, kept as they are: ")
    assert sorted(line.partition("are: ")[2].split(", ")) == sorted([*bad, "attic/What?.png"])
    now = folder.snapshot()
    assert {path: now[path] for path in before if path != ".gitignore"} == {
        path: data for path, data in before.items() if path != ".gitignore"
    }
    assert folder.git("status", "--porcelain") == ""
    assert folder.run("write", "Plan: next.md", "--agent", "codex", stdin=b"x\n").code == 1
    base = folder.git("rev-parse", "HEAD:Meeting: budget.md")
    assert folder.run("write", bad[0], "--base", base, "--agent", "codex", stdin=b"x\ny\n").code == 0


def test_what_lies_around_the_notes_is_told(plain: Folder) -> None:
    habits(plain, **{
        "inner/.obsidian/app.json": "{}", "inner/a.md": "x\n", "code/.git/HEAD": "x", "code/readme.md": "x\n",
        ".gitattributes": "*.png filter=lfs diff=lfs\nsecret/** filter=git-crypt\n# *.x filter=no\n",
        "changelog.md": "# What I did\n\n- 2026-01-01 start\n", "review.md": "my own\n",
        "AGENTS.md": "# Mine\n", ".stfolder/x": "",
    })  # fmt: skip
    plain.git("branch", "dream")
    plain.git("branch", "molt/mine")
    plain.git("add", "-A", "--", ".", ":!code")
    plain.git("commit", "-qm", "mine", "--no-verify")
    before, state = plain.snapshot(), git_state(plain)
    shown = plain.run("init", "--dry-run")
    assert plain.snapshot() == before and git_state(plain) == state
    done = plain.run("init")
    assert done.code == 0, done
    for out in (shown.out, done.out):
        for line in (
            "! this vault lies in Syncthing",
            "! other vaults inside, for agents a part of this one: inner/",
            "! other repositories inside, left alone: code/",
            "! git-crypt and git-lfs: files that pass through",
            "! changelog.md and review.md are yours: their text stays, our lines go below it",
            "! a branch dream is here",
            "are called as suggestions will be: molt/mine",
        ):
            assert line in out, out
        assert len(out.splitlines()) <= 40
    assert "yours kept in AGENTS.md" in done.out
    assert plain.read("changelog.md").startswith("# What I did")
    assert " yours: " not in plain.run("init", "--ci", "github", "--dry-run").out  # by now our lines are below it
    assert plain.run("init", "--remove").code == 0
    assert plain.snapshot() == before


def test_a_folder_above_the_vault_is_not_set_up(tmp_path: Path) -> None:
    outer = Folder(tmp_path / "repo")
    outer.write("docs/vault/.obsidian/app.json", "{}")
    outer.write("docs/vault/a.md", "x\n")
    outer.git("init", "--quiet")
    outer.commit("start")
    before, state = outer.snapshot(), git_state(outer)
    for arguments in ([], ["--dry-run"]):
        done = outer.run("init", str(outer.root), *arguments)
        assert done.code == 2 and "docs/vault/" in done.err
        assert f"vaultgit init {outer.root}/docs/vault --repository outer" in done.err
    assert outer.snapshot() == before and git_state(outer) == state
    assert outer.run("init", str(outer.root / "docs/vault"), "--repository", "outer").code == 0

    bare = Folder(tmp_path / "no repository")
    bare.write("vault/.obsidian/app.json", "{}")
    bare.write("other vault/.obsidian/app.json", "{}")
    done = run_cli("init", str(bare.root), cwd="/")
    assert done.code == 2 and "2 vaults" in done.err and "other vault/, vault/" in done.err
    assert "--repository" not in done.err and not bare.exists(".git")

    (bare.root / ".obsidian").mkdir()
    assert run_cli("init", str(bare.root), cwd="/").code == 0


def test_a_repository_inside_a_vault_that_is_in_none(tmp_path: Path) -> None:
    around = Folder(tmp_path / "around")
    around.write(".obsidian/app.json", "{}")
    inner = Folder(around.root / "notes")
    inner.write("a.md", "x\n")
    inner.git("init", "--quiet")
    inner.commit("start")
    done = inner.run("init")
    assert (
        done.code == 2 and f"vaultgit init {inner.root} takes" in done.err and f"init {around.root} makes" in done.err
    )
    assert not around.exists(".git") and inner.git("status", "--porcelain") == ""
    assert inner.run("init", str(inner.root)).code == 0 and inner.exists("AGENTS.md")
    done = around.run("init")
    assert done.code == 0 and "other repositories inside, left alone: notes/" in done.out
    assert "notes" not in around.git("ls-files")


def test_excluded_files_that_hide_ours_are_seen(plain: Folder) -> None:
    assert "Hide our files" in plain.run("init").out
    plain.run("init", "--remove")
    plain.write(".obsidian/app.json", json.dumps({"userIgnoreFilters": ["AGENTS", "CLAUDE"]}))
    assert "Hide our files" not in plain.run("init").out


# -- table views -----------------------------------------------------------------------------------


BASES = {f"bases/{name}.base" for name in ("skills", "decisions", "inbox", "sessions")}


def test_bases_are_laid_down_on_request_and_taken_out_again(plain: Folder) -> None:
    before = plain.snapshot()
    assert plain.run("init").code == 0
    assert not plain.exists("bases")
    shown = plain.run("init", "--bases", "--dry-run")
    assert all(path in shown.out for path in BASES) and not plain.exists("bases")
    done = plain.run("init", "--bases")
    assert done.code == 0, done
    assert set(plain.git("ls-files").splitlines()) >= BASES
    assert plain.run("init", "--bases").out.startswith("nothing to do")
    assert plain.run("init").out.startswith("nothing to do")
    assert plain.run("init", "--remove").code == 0
    assert plain.snapshot() == before and not plain.exists("bases")


def test_bases_that_are_a_persons_are_left_and_told(plain: Folder) -> None:
    plain.write("Bases/Skills.base", "views: []\n")
    plain.commit("mine")
    assert plain.run("init", "--bases").code == 0
    assert plain.read("Bases/Skills.base") == "views: []\n" and plain.exists("Bases/inbox.base")
    assert not plain.exists("bases") and not plain.exists("Bases/skills.base")
    # Obsidian writes a base anew, without our marks, when a person changes a view.
    plain.write("Bases/inbox.base", "views:\n  - type: table\n    name: Mine\n")
    plain.write("Bases/sessions.base", plain.read("Bases/sessions.base").replace("name: Sessions", "name: All"))
    plain.commit("changed")
    gone = plain.run("init", "--remove")
    assert gone.code == 0, gone
    assert "! stays: Bases/inbox.base (edited since" in gone.out and "! stays: Bases/sessions.base (edited" in gone.out
    assert "Skills.base" not in gone.out
    assert sorted(path.name for path in (plain.root / "Bases").iterdir()) == [
        "Skills.base", "inbox.base", "sessions.base",
    ]  # fmt: skip


@pytest.mark.parametrize("last", ["a", "b"])
def test_p12_two_vaults_of_a_repository_leave_nothing_in_its_config(tmp_path: Path, last: str) -> None:
    both = Folder(tmp_path / "both")
    both.write("a/.obsidian/plugins/obsidian-git/data.json", '{"autoSaveInterval": 10}')
    both.write("b/.obsidian/app.json", "{}")
    both.git("init", "--quiet")
    both.commit("start")
    before = both.git("config", "--local", "--list")
    for name in ("a", "b"):
        assert both.run("init", name, "--repository", "outer").code == 0
    assert both.git("config", "vaultgit.people") == "warn"
    for name in ("b" if last == "a" else "a", last):
        assert both.run("init", name, "--repository", "outer", "--remove", "--yes").code == 0
    assert both.git("config", "--local", "--list") == before
