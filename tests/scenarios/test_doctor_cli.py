"""`vaultgit doctor`, as a person runs it (cases 013, 015, 017, 027, 039)."""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from functools import partial
from pathlib import Path

import pytest
from support import Folder
from support import Result
from support import run_cli


@pytest.fixture(autouse=True)
def program_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def notes(tmp_path: Path) -> Folder:
    """A repository of notes, with nothing in it yet."""
    made = Folder(tmp_path / "case")
    made.root.mkdir()
    made.git("init", "--quiet")
    return made


def state(folder: Folder) -> dict[str, bytes]:
    """Every file, also in .git."""
    return {str(path): path.read_bytes() for path in sorted(folder.root.rglob("*")) if path.is_file()}


def fine(result: Result) -> set[str]:
    return {line.split()[1] for line in result.out.splitlines() if line.startswith("✓ ")}


# -- what it says ----------------------------------------------------------------------------------


def test_a_healthy_vault_is_told_part_by_part(vault: Folder) -> None:
    before = state(vault)
    done = vault.run("doctor")
    assert done.code == 0, done
    assert done.out.startswith("nothing wrong  ")
    assert fine(done) >= {"git", "clone", "hooks", "program", "merging", "settings", "links", "waiting", "changelog"}
    assert "native" in done.out and "Test Person" in done.out
    assert state(vault) == before


def test_remarks_are_no_problem(vault: Folder) -> None:
    vault.write("x.md", "[[nobody]]\n")
    done = vault.run("doctor")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("nothing wrong, 1 remark")
    assert lines[1] == "! links: notes: 1 of 2 links leads to nothing" and lines[2] == "    x.md:1:1: [[nobody]]"
    assert lines[4].startswith("  mend: ") and "vaultgit doctor --links" in lines[4]
    assert "links" not in fine(done)


def test_each_problem_ends_in_what_mends_it(vault: Folder) -> None:
    (vault.root / ".git/hooks/pre-commit").unlink()
    vault.git("config", "--unset", "merge.vaultgit.driver")
    done = vault.run("doctor")
    assert done.code == 1 and done.out.startswith("2 problems")
    problems = [number for number, line in enumerate(done.out.splitlines()) if line.startswith("problem ")]
    assert len(problems) == 2
    for number in problems:
        assert done.out.splitlines()[number + 2] == "  mend: vaultgit init"
    assert vault.run("init").code == 0
    assert vault.run("doctor").out.startswith("nothing wrong")


def test_json_has_the_same(vault: Folder) -> None:
    (vault.root / ".git/hooks/pre-commit").unlink()
    vault.write("x.md", "[[nobody]]\n")
    done = vault.run("doctor", "--json")
    told = json.loads(done.out)
    assert done.code == 1 and (told["problems"], told["remarks"]) == (1, 1)
    assert told["vault"] == str(vault.root)
    keys = {"part", "level", "kind", "about", "what", "risk", "mend", "details"}
    assert [set(finding) for finding in told["findings"]] == [keys, keys]
    assert [finding["kind"] for finding in told["findings"]] == ["hook-not-live", "links-nowhere"]
    assert "native" not in told["fine"].values() and set(told["fine"]) >= {"git", "clone"}


def test_names_cannot_drive_a_terminal(vault: Folder) -> None:
    for name in (b"a\n\x1b[2Jproblem.md", b"latin-\xe9.md"):
        with open(os.path.join(os.fsencode(vault.root), name), "wb") as stream:
            stream.write(b"[[no\x1bbody]] \xff\n")
    for arguments in (["doctor"], ["doctor", "--links"]):
        done = vault.run(*arguments)
        assert "\x1b" not in done.out and "a\\n\\x1b[2Jproblem.md:1:1: [[no\\x1bbody]]" in done.out
        assert "latin-\\udce9.md:1:1" in done.out
    assert {link["path"] for link in json.loads(vault.run("doctor", "--links", "--json").out)} == {
        "a\n\x1b[2Jproblem.md",
        "latin-\udce9.md",
    }


def test_an_agent_may_ask(vault: Folder) -> None:
    assert vault.run("doctor", env={"CLAUDECODE": "1"}).code == 0


# -- where no vault can be opened ------------------------------------------------------------------


def test_a_folder_without_git_is_a_problem_with_a_way_out(folder: Folder) -> None:
    done = folder.run("doctor")
    assert done.code == 1 and f"mend: vaultgit init {folder.root}" in done.out
    assert json.loads(folder.run("doctor", "--json").out)["findings"][0]["kind"] == "no-repository"
    assert folder.run("doctor", "--links").code == 2


def test_a_default_vault_that_is_gone_is_told_from_any_folder(vault: Folder, tmp_path: Path) -> None:
    nowhere = tmp_path / "elsewhere"
    nowhere.mkdir()
    assert run_cli("doctor", cwd=nowhere).code == 0  # the default vault
    shutil.move(vault.root, tmp_path / "moved")
    done = run_cli("doctor", cwd=nowhere)
    assert done.code == 1 and str(vault.root) in done.out and "--global vaultgit.vault DIR" in done.out
    there = run_cli("doctor", cwd=tmp_path / "moved")
    assert there.code == 1 and f"--global vaultgit.vault {tmp_path / 'moved'}" in there.out
    Folder(tmp_path / "moved").git("config", "--global", "--unset", "vaultgit.vault")
    assert run_cli("doctor", cwd=nowhere).code == 2


def test_settings_that_cannot_be_used_are_told_and_the_rest_is_looked_at(vault: Folder) -> None:
    vault.write(".vaultgit.toml", "[layout\n")
    assert vault.run("status").code == 2
    done = vault.run("doctor")
    assert done.code == 1 and ".vaultgit.toml: SC01" in done.out
    assert {"hooks", "links", "changelog"} <= fine(done)


def test_a_bare_environment_is_no_problem(vault: Folder) -> None:
    git = os.path.dirname(shutil.which("git") or "")
    done = vault.run("doctor", env={"PATH": git, "LC_ALL": "C"})
    assert done.code == 0, done
    assert "vaultgit is not on it" in done.out


def test_a_vault_inside_a_larger_repository(tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("Home.md", "hi\n")
    outer.write("notes/Old.md", "[up](../Home.md) [[Old]]\n")
    outer.git("init", "--quiet")
    outer.commit("start")
    vault = Folder(outer.root / "notes")
    assert vault.run("init", "--repository", "outer", str(vault.root)).code == 0
    done = vault.run("doctor")
    assert done.code == 0 and done.out.startswith("nothing wrong  "), done


# -- links (cases 013, 015, 017) -------------------------------------------------------------------

LINKS = """# Here

[[Missing]] and [[Beta.md]] and [[Beta#Part one|p]] and [[#Here]]
![[gone.png]] ![[pic.png]] [[board.canvas]] [[all.base]]

| a | b |
|---|---|
| [[Beta\\|B]] | `[[not a link]]` |

%% [[in a comment]] %%

- top
  - [[Also missing]]

```
[[in code]]
```
[[https://example.invalid/x]]
"""


def test_case_015_exactly_the_links_that_are_broken(notes: Folder) -> None:
    notes.write("links.md", LINKS)
    notes.write("Beta.md", "# Beta\n\n## Part one\n")
    notes.write("board.canvas", "{}\n")
    notes.write("all.base", "views: []\n")
    notes.write("pic.png", b"\x89PNG\n\x1a\n")
    notes.write(".obsidian/app.json", "{}\n")
    before = state(notes)
    done = notes.run("doctor", "--links")
    assert done.code == 1
    assert done.out.splitlines() == [
        "links.md:3:1: [[Missing]]",
        "links.md:4:1: ![[gone.png]]",
        "links.md:13:5: [[Also missing]]",
    ]
    assert done.err.endswith("3 of 10 links lead to nothing\n")
    assert json.loads(notes.run("doctor", "--links", "--json").out)[1] == {
        "path": "links.md", "line": 4, "column": 1, "written": "![[gone.png]]", "found": [],
    }  # fmt: skip
    assert state(notes) == before


def test_case_013_templates_are_targets_and_not_judged(notes: Folder) -> None:
    notes.write(".obsidian/templates.json", '{"folder":"Templates"}')
    notes.write("Templates/Daily.md", "---\ncreated: {{date}}\n---\n[[{{title}}]] [[not yet]]\n")
    notes.write("Templates/Person.md", "---\ntitle: {{title}}\ntype: person\n---\n")
    notes.write("Home.md", "Use [[Person]].\n")
    done = notes.run("doctor", "--links")
    assert (done.code, done.out) == (0, "")


def test_case_017_however_accents_are_written(notes: Folder) -> None:
    uber, cafe, twin = "Über uns", "Café", "né"
    nfc, nfd = partial(unicodedata.normalize, "NFC"), partial(unicodedata.normalize, "NFD")
    notes.write(f"{nfd(uber)}.md", "nfd name\n")
    notes.write(f"{nfc(cafe)}.md", "nfc name\n")
    notes.write("Links.md", f"[[{nfc(uber)}]] [[{nfd(cafe)}]] [[{nfc(twin)}]] [[{nfd(twin)}]]\n")
    notes.write(f"twin/{nfc(twin)}.md", "1\n")
    if os.path.exists(notes.root / f"twin/{nfd(twin)}.md"):
        pytest.fail("this file system folds normalisation: run the tests on one that does not")
    notes.write(f"twin/{nfd(twin)}.md", "2\n")
    notes.write(".obsidian/app.json", "{}\n")
    done = notes.run("doctor", "--links")
    assert done.code == 0, done
    assert "Über" not in done.out


def test_links_that_may_mean_several_files_are_listed_and_no_reason_to_fail(vault: Folder) -> None:
    vault.write("a/x.md", "")
    vault.write("b/x.md", "")
    vault.write("y.md", "[[x]]\n")
    done = vault.run("doctor", "--links")
    assert done.code == 0 and done.out == "y.md:1:1: [[x]] may mean a/x.md, b/x.md\n"
    assert "1 may mean several files" in done.err


def test_all_are_listed_however_many(vault: Folder) -> None:
    vault.write("x.md", "".join(f"[[gone {number}]]\n" for number in range(50)))
    assert len(vault.run("doctor", "--links").out.splitlines()) == 50
    shown = vault.run("doctor").out
    assert shown.count("[[gone ") == 20 and "… and 30 more" in shown


# -- hooks that are not live (case 027) ------------------------------------------------------------


def test_case_027_a_hook_that_is_not_live_is_told_plainly(vault: Folder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "home/githooks"
    elsewhere.mkdir()
    hook = elsewhere / "pre-commit"
    hook.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\n")
    hook.chmod(0o755)
    vault.git("config", "--global", "core.hooksPath", str(elsewhere))

    done = vault.run("doctor")
    assert done.code == 1
    assert f"problem hooks: git hooks: not live: core.hooksPath is {elsewhere}, set in " in done.out
    assert os.environ["GIT_CONFIG_GLOBAL"] in done.out and "mend: vaultgit init" in done.out

    assert vault.run("init").code == 0
    done = vault.run("doctor")
    assert done.code == 0 and f"native, then {elsewhere}" in done.out
    vault.write("skills/bad.md", "---\ntype: skill\n---\n")
    vault.git("add", "-A")
    assert vault.try_git("commit", "-m", "bad").code == 1  # it is true
    vault.git("rm", "-qf", "skills/bad.md")
    vault.git("commit", "-q", "--allow-empty", "-m", "good")
    assert (tmp_path / "ran").read_text() == "ran\n"


# -- iCloud's copies (case 039) --------------------------------------------------------------------


def test_case_039_copies_among_notes_and_inside_git(notes: Folder) -> None:
    notes.write("Home.md", "---\ntitle: Home\ntype: note\n---\nStart page.\n")
    notes.write("Chapter 2.md", "ch\n")
    notes.write(".obsidian/app.json", "{}\n")
    notes.commit("start")
    assert notes.run("init").code == 0
    for name in (".git/refs/heads/main", ".git/index", "Home.md"):
        stem, dot, suffix = name.rpartition(".") if name.endswith(".md") else (name, "", "")
        shutil.copy(notes.root / name, notes.root / f"{stem} 2{dot}{suffix}")
    notes.write("Home.md", notes.read("Home.md") + "edit\n")
    assert "ignoring ref with broken name" in notes.try_git("for-each-ref").err
    before = state(notes)

    done = notes.run("doctor")
    assert done.code == 1 and done.out.startswith("2 problems")
    for name in (".git/refs/heads/main 2", ".git/index 2", "Home 2.md"):
        assert f"    {name}" in done.out
    assert "keep .git out of the synced folder" in done.out and "Chapter 2" not in done.out
    assert state(notes) == before

    edited = notes.run("append", "Home.md", "--agent", "codex", stdin=b"more\n")
    assert edited.code == 0, edited
    assert "Home 2.md" not in notes.git("ls-files").splitlines()


def test_links_that_name_what_is_gone_on_purpose_are_no_dead_links(vault):
    skill = vault.read("skills/review-a-pr.md").replace("trigger:", 'replaces: "[[skills/old]]"\ntrigger:')
    vault.write("skills/review-a-pr.md", skill + "see [[skills/older]]\n")
    vault.commit("replaces")
    found = vault.run("doctor", "--links")
    assert "[[skills/older]]" in found.out
    assert "[[skills/old]]" not in found.out
