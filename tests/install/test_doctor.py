"""install/doctor: each kind of finding is seen, and stays away where nothing is wrong; looking changes nothing."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.history.repository import Repository
from vaultgit.install import doctor
from vaultgit.install import hooks
from vaultgit.install import settings
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.opening import open_leniently
from vaultgit.passes import inbox

Change = Callable[[Folder], object]


@pytest.fixture(autouse=True)
def program_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def parts(vault: Folder) -> list[Part]:
    opened = open_leniently(str(vault.root))
    if isinstance(opened, Finding):
        return [Part("vault", [opened], "")]
    with opened.repo:
        waiting = [] if opened.repo.bare else [(note.path, note.day) for note in inbox.notes(opened)]
        return doctor.examine(opened, SystemClock(), waiting, lambda: None)


def examined(vault: Folder) -> dict[str, Finding]:
    """What is found, by kind (one of a kind is enough here)."""
    return {finding.kind: finding for part in parts(vault) for finding in part.findings}


def stand_in(vault: Folder, name: str, text: str) -> Path:
    """A program of that name, first on PATH."""
    folder = vault.root.parent / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def first_on_path(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{vault.root.parent / 'bin'}{os.pathsep}{os.environ['PATH']}")


def git_that(vault: Folder, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real git, behind a line of shell."""
    stand_in(vault, "git", f'{line}\nexec {shutil.which("git")} "$@"')
    first_on_path(vault, monkeypatch)


def aged(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def at(when: str, **kinds: int) -> str:
    return (datetime.fromisoformat(when) + timedelta(**kinds)).isoformat()


# -- nothing wrong ---------------------------------------------------------------------------------


def test_a_vault_as_init_leaves_it_has_no_finding_and_every_part_says_so(vault: Folder) -> None:
    found = parts(vault)
    assert [finding for part in found for finding in part.findings] == []
    assert [part.name for part in found] == [
        "git", "clone", "hooks", "program", "merging", "settings", "notes", "links", "secrets", "sync", "remote", "waiting", "changelog",
    ]  # fmt: skip
    assert all(part.fine for part in found)


def test_looking_changes_nothing(vault: Folder) -> None:
    vault.write("Home 2.md", vault.read("Home.md"))
    vault.write(".git/vaultgit/state/committing/1", "1")  # a mark that a writer would sweep
    vault.write("untracked.md", "[[nowhere]]\n")
    os.utime(vault.root / "Home.md")  # git status would refresh the index for that

    def everything() -> dict[str, tuple[bytes, int]]:
        files = [path for path in sorted(vault.root.rglob("*")) if path.is_file() and not path.is_symlink()]
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    before = everything()
    assert examined(vault)
    assert everything() == before


def test_front_matter_that_does_not_parse_is_remarked_but_in_templates(vault: Folder) -> None:
    vault.write(".obsidian/templates.json", '{"folder": "Templates"}')
    vault.write("Templates/t.md", "---\ntitle: {{title}}: x\n---\n")
    assert "front-matter" not in examined(vault)
    vault.write("Zettel/Broken.md", "---\na: 1\ntitle: Zettel: one\n---\n")
    found = examined(vault)["front-matter"]
    assert found.level == "remark" and found.what == "1 note with front matter that does not parse"
    assert found.details == ("Zettel/Broken.md:3: a colon and a blank inside a value",)


@pytest.mark.parametrize("path", [".gitignore", ".gitattributes"])
def test_a_line_that_runs_into_our_last_one_is_remarked(vault: Folder, path: str) -> None:
    vault.write(path, vault.read(path) + "Journal/\n")
    assert "glued" not in examined(vault)
    vault.write(path, vault.read(path).replace("# vaultgit end\n", "# vaultgit end"))
    found = examined(vault)["glued"]
    assert found.level == "remark" and found.about == path and "Journal/" in found.what


def test_a_finding_has_all_a_person_needs(vault: Folder) -> None:
    vault.write("Home 2.md", vault.read("Home.md"))
    (vault.root / ".git/hooks/pre-commit").unlink()
    vault.write("x.md", "[[nowhere]]\n")
    found = [finding for part in parts(vault) for finding in part.findings]
    assert len(found) == 3
    assert all(finding.about and finding.what and finding.risk and finding.mend for finding in found)


# -- each kind, and what is no such thing ----------------------------------------------------------


def rewritten(path: str, old: str, new: str) -> Change:
    def change(vault: Folder) -> None:
        text = vault.read(path)
        assert old in text
        vault.write(path, text.replace(old, new))

    return change


def without_block(path: str) -> Change:
    def change(vault: Folder) -> None:
        text = re.sub(r"(?ms)^# vaultgit begin .*?^# vaultgit end\n", "", vault.read(path))
        vault.write(path, text)

    return change


def configured(*values: str) -> Change:
    return lambda vault: vault.git("config", *values)


def written(path: str, text: str | bytes) -> Change:
    return lambda vault: vault.write(path, text)


def several(*changes: Change) -> Change:
    def change(vault: Folder) -> None:
        for one in changes:
            one(vault)

    return change


def unset(key: str) -> Change:
    return lambda vault: vault.git("config", "--unset-all", key)


def hook_mode(mode: int, name: str = "pre-commit") -> Change:
    return lambda vault: (vault.root / ".git/hooks" / name).chmod(mode)


def lock_aged(seconds: float, name: str = "index.lock", text: str = "") -> Change:
    def change(vault: Folder) -> None:
        aged(vault.write(f".git/{name}", text), seconds)

    return change


def copied(source: str, target: str) -> Change:
    return lambda vault: shutil.copy(vault.root / source, vault.root / target)


SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}'
BAD_SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": 7}'
BAD_FOLDER = '{"type": "object", "x-vaultgit": {"folder": ".hidden"}}'
ATTRIBUTES = ".gitattributes"
MIXED = "one\r\ntwo\n"

# kind -> (what shows it, the nearest thing that must not)
KINDS: dict[str, tuple[str, Change, Change]] = {
    "identity": (
        "problem", configured("--global", "--unset", "user.name"), configured("--global", "committer.name", "Another"),
    ),
    "default-gone": (
        "problem", configured("--global", "vaultgit.vault", "/nowhere/notes"),
        lambda vault: vault.git("config", "--global", "vaultgit.vault", str(vault.root.parent)),
    ),
    "not-set-up": ("problem", unset("vaultgit.folder"), configured("--add", "vaultgit.folder", "elsewhere")),
    "shallow": ("remark", lambda vault: vault.write(".git/shallow", vault.git("rev-parse", "HEAD") + "\n"),
                configured("fetch.shallow", "1")),
    "partial": ("remark", configured("remote.origin.promisor", "true"),
                configured("remote.origin.url", "/promisor")),
    "sparse": ("remark", lambda vault: vault.git("sparse-checkout", "set", "people"),
               lambda vault: vault.git("sparse-checkout", "disable")),
    "filter-gone": ("problem", lambda vault: vault.write(ATTRIBUTES, vault.read(ATTRIBUTES) + "*.png filter=lfs\n"),
                    lambda vault: vault.write(ATTRIBUTES, vault.read(ATTRIBUTES) + "*.png -filter\n# *.x filter=y\n")),
    "hook-not-live": (
        "problem", lambda vault: (vault.root / ".git/hooks/pre-commit").unlink(),
        written(".git/hooks/post-commit", "#!/bin/sh\n"),
    ),
    "hook-not-executable": ("problem", hook_mode(0o644), hook_mode(0o700)),
    "hook-outdated": (
        "remark", rewritten(".git/hooks/commit-msg", "exec ", "exec  "),
        written(".git/hooks/pre-push", "#!/bin/sh\n"),
    ),
    "program-gone": (
        "problem", configured("vaultgit.program", "/nowhere/vaultgit"),
        lambda vault: vault.git("config", "vaultgit.program", f"{shlex.quote(sys.executable)} -P -m vaultgit"),
    ),
    "engine-gone": ("problem", configured("vaultgit.engine", "/nowhere/model -p"), configured("vaultgit.engine", "cat")),
    "driver-missing": ("problem", unset("merge.vaultgit.driver"), unset("merge.vaultgit.name")),
    "driver-gone": (
        "problem", configured("merge.vaultgit.driver", "/nowhere/vaultgit hook merge-driver %O %A %B %P %L; code=$?"),
        configured("merge.other.driver", "/nowhere/else %O %A %B"),
    ),
    "attributes": (
        "problem", lambda vault: vault.write(ATTRIBUTES, vault.read(ATTRIBUTES) + "changelog.md merge=binary\n"),
        lambda vault: vault.write(ATTRIBUTES, "changelog.md merge=binary\n" + vault.read(ATTRIBUTES)),
    ),
    "attributes-notes": (
        "problem", lambda vault: vault.write(ATTRIBUTES, vault.read(ATTRIBUTES) + "*.md !merge\nchangelog.md merge=union\n"),
        lambda vault: vault.write(ATTRIBUTES, vault.read(ATTRIBUTES) + "*.canvas !merge\n"),
    ),
    "attributes-theirs": (
        "remark", lambda vault: vault.write(".git/info/attributes", "a*.md merge=mine\n"),
        lambda vault: vault.write(".git/info/attributes", "*.txt merge=mine\n"),
    ),
    "ignore": ("remark", without_block(".gitignore"), several(
        without_block(".gitignore"),
        lambda vault: vault.write(".git/info/exclude", ".obsidian/\n.trash/\n.DS_Store\n"),
    )),
    "settings": ("problem", written(".vaultgit.toml", "[layout\n"), written(".vaultgit.toml", "[changelog]\n")),
    "schema": ("problem", written(".vaultgit/schemas/recipe.schema.json", BAD_SCHEMA),
               written(".vaultgit/schemas/recipe.schema.json", SCHEMA)),
    "baseline": ("problem", written(".vaultgit/baseline.json", '{"a.md": ["FM03"'),
                 written(".vaultgit/baseline.json", '{"a.md": ["FM03"]}')),
    "folder-missing": ("remark", written(".vaultgit.toml", '[layout]\nperson = "Leute"\n'),
                       several(written(".vaultgit.toml", '[layout]\nperson = "Leute"\n'),
                               written("Leute/x.txt", ""))),
    "layout-unknown": ("remark", written(".vaultgit.toml", '[layout]\npersons = "people"\n'),
                       written(".vaultgit.toml", '[layout]\nperson = "people"\n')),
    "line-endings": (
        "remark", several(configured("core.autocrlf", "input"), written("mixed.md", MIXED)),
        several(configured("core.autocrlf", "input"), written("crlf.md", "one\r\ntwo\r\n")),
    ),
    "links-nowhere": ("remark", written("x.md", "[[nobody]]\n"), written("x.md", "[[nova]] `[[nobody]]`\n")),
    "links-several": ("remark", several(written("a/x.md", ""), written("b/x.md", ""), written("y.md", "[[x]]\n")),
                      several(written("a/x.md", ""), written("b/x.md", ""), written("y.md", "[[a/x]]\n"))),
    "conflict-copies": ("problem", copied("Home.md", "Home 2.md"), written("Chapter 2.md", "# Home\n")),
    "placeholders": ("problem", written("people/.grace.md.icloud", b"bplist00"), written("people/.grace.md.swp", "")),
    "git-copies": ("problem", copied(".git/index", ".git/index 2"), copied(".git/index", ".git/index.mine")),
    "queue-damaged": ("problem", written(".git/vaultgit/state/queue/01jdx3k9m2qtw7ab.json", "{"),
                      written(".git/vaultgit/state/queue/01jdx3k9m2qtw7ab.json.1.tmp", "{")),
    "late-save": ("problem", written(".git/vaultgit/state/late/round-0.md", "typed\n"),
                  written(".git/vaultgit/state/landed/round-0.md", "typed\n")),
    "inbox-old": (
        "remark", written("inbox/old.md", '---\ntype: inbox\ndate: 2026-11-01\nagent: codex\ntarget: "[[Home]]"\nreason: r\n---\n'),
        written("inbox/new.md", '---\ntype: inbox\ndate: 2026-11-20\nagent: codex\ntarget: "[[Home]]"\nreason: r\n---\n'),
    ),
    "stale-lock": ("problem", lock_aged(7200), lock_aged(5)),
    "changelog-differs": (
        "problem", lambda vault: vault.write("changelog.md", vault.read("changelog.md")
                                             + "\n- 2026-11-29 21:10 x: y (codex) ^01jdx3k9m2qtw7ab\n"),
        lambda vault: vault.write("changelog.md", vault.read("changelog.md") + "\n- words of mine\n"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found(vault: Folder, kind: str) -> None:
    level, change, _ = KINDS[kind]
    change(vault)
    assert examined(vault)[kind].level == level


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_only_near_is_not(vault: Folder, kind: str) -> None:
    _, _, near = KINDS[kind]
    near(vault)
    assert kind not in examined(vault)


# -- git and the clone -----------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "old"), [("2.35.8", True), ("2.36.0", False)])
def test_git_that_is_too_old(vault: Folder, said: str, old: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    git_that(vault, f'[ "$1" = --version ] && echo "git version {said}" && exit 0', monkeypatch)
    found = examined(vault)
    assert ("git-too-old" in found) is old
    if old:
        assert found["git-too-old"].about == "git version 2.35.8" and "2.36" in found["git-too-old"].mend


def test_a_folder_of_another_user_says_how_to_trust_it(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    git_that(vault, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1", monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(vault.root).st_uid + 1)  # we look at the owner, too
    finding = examined(vault)["git-refuses"]
    assert finding.level == "problem" and f"--add safe.directory {vault.root}" in finding.mend
    vault.git("config", "--global", "safe.directory", str(vault.root))
    assert "git-refuses" not in examined(vault)


def test_a_folder_without_git(folder: Folder) -> None:
    finding = examined(folder)["no-repository"]
    assert finding.level == "problem" and finding.mend == f"vaultgit init {folder.root}"


def test_no_address_is_only_a_remark(vault: Folder) -> None:
    vault.git("config", "--global", "--unset", "user.email")
    assert examined(vault)["identity"].level == "remark"


def test_a_fresh_clone_is_to_be_set_up_and_nothing_else_is_said_of_it(vault: Folder, tmp_path: Path) -> None:
    vault.git("clone", "-q", ".", str(tmp_path / "clone"))
    found = examined(Folder(tmp_path / "clone"))
    assert set(found) == {"not-set-up"}
    assert "cloned" in found["not-set-up"].what and "vaultgit init" in found["not-set-up"].mend


def test_a_vault_that_never_was_set_up_is_told_apart(plain: Folder) -> None:
    assert examined(plain)["not-set-up"].what == "the vault is not set up"


def test_clones_that_lack_something_say_what_that_means(vault: Folder, tmp_path: Path) -> None:
    vault.git("config", "uploadpack.allowFilter", "true")
    vault.git("clone", "-q", "--depth=1", "--filter=blob:none", vault.root.as_uri(), str(tmp_path / "clone"))
    clone = Folder(tmp_path / "clone")
    found = examined(clone)
    assert {"shallow", "partial"} <= set(found)
    assert "verify" in found["shallow"].risk and found["shallow"].mend == "git fetch --unshallow"
    for kind in ("shallow", "partial"):
        subprocess.run(found[kind].mend, shell=True, check=True, cwd=clone.root, capture_output=True)
    assert not {"shallow", "partial"} & set(examined(clone))
    assert "missing" not in clone.git("fsck")


def test_a_partial_clone_fetches_nothing_to_be_looked_at(vault: Folder, tmp_path: Path) -> None:
    vault.git("config", "uploadpack.allowFilter", "true")
    vault.git("clone", "-q", "--no-checkout", "--filter=blob:none", vault.root.as_uri(), str(tmp_path / "clone"))
    clone = Folder(tmp_path / "clone")
    packs = sorted(os.listdir(clone.root / ".git/objects/pack"))
    assert "partial" in examined(clone)
    assert sorted(os.listdir(clone.root / ".git/objects/pack")) == packs


def test_a_bare_repository_has_only_history(vault: Folder, tmp_path: Path) -> None:
    vault.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    found = parts(Folder(tmp_path / "bare.git"))
    assert [part.name for part in found] == ["git", "clone", "changelog"]
    assert [finding.kind for part in found for finding in part.findings] == ["bare"]


def test_a_linked_work_tree_is_a_remark(vault: Folder, tmp_path: Path) -> None:
    vault.git("worktree", "add", "-q", str(tmp_path / "linked"))
    found = examined(Folder(tmp_path / "linked"))
    assert set(found) == {"linked-work-tree"} and found["linked-work-tree"].level == "remark"


def test_links_to_notes_that_are_not_checked_out_lead_somewhere(vault: Folder) -> None:
    vault.git("sparse-checkout", "set", "--no-cone", "/*", "!/people/")
    assert not vault.exists("people/ada-lovelace.md")
    assert set(examined(vault)) == {"sparse"}


# -- hooks and programs ----------------------------------------------------------------------------


def test_hooks_elsewhere_say_the_value_and_the_file_that_sets_it(vault: Folder, tmp_path: Path) -> None:
    vault.git("config", "--global", "core.hooksPath", str(tmp_path / "githooks"))
    finding = examined(vault)["hook-not-live"]
    assert str(tmp_path / "githooks") in finding.what and os.environ["GIT_CONFIG_GLOBAL"] in finding.what
    assert finding.mend == "vaultgit init" and "not checked" in finding.risk
    assert vault.run("init").code == 0
    assert not {"hook-not-live", "hook-outdated"} & set(examined(vault))


def test_hooks_elsewhere_by_an_included_file_cannot_be_mended_by_init(vault: Folder) -> None:
    vault.write(".git/more", "[core]\n\thooksPath = /somewhere\n")
    vault.git("config", "include.path", "more")
    assert ".git/config" in examined(vault)["hook-not-live"].mend


def test_a_hook_in_the_folder_of_our_own_must_be_executable_too(vault: Folder, tmp_path: Path) -> None:
    vault.git("config", "--global", "core.hooksPath", str(tmp_path / "githooks"))
    assert vault.run("init").code == 0
    (vault.root / ".git/vaultgit/hooks/commit-msg").chmod(0o644)
    finding = examined(vault)["hook-not-executable"]
    assert finding.about == ".git/vaultgit/hooks/commit-msg"
    subprocess.run(finding.mend, shell=True, check=True, cwd=vault.root)
    assert "hook-not-executable" not in examined(vault)


@pytest.mark.parametrize("layout", ["pre-commit", "both"])
def test_pre_commits_layout_is_a_remark_that_names_the_risk(vault: Folder, layout: str) -> None:
    if layout == "pre-commit":
        assert vault.run("init", "--hooks", "pre-commit").code == 0
    else:
        subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=vault.root, check=True, capture_output=True)
    found = examined(vault)
    assert set(found) == {"hook-stashes"}
    assert found["hook-stashes"].level == "remark" and "lose" in found["hook-stashes"].risk
    subprocess.run(found["hook-stashes"].mend, shell=True, check=True, cwd=vault.root, capture_output=True)
    repo = Repository.find(str(vault.root))
    assert repo is not None and hooks.status(repo).layout == "native"
    assert examined(vault) == {}


def test_pre_commit_needs_the_alias(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert vault.run("init", "--hooks", "pre-commit").code == 0
    for folder in [name for name in os.environ["PATH"].split(os.pathsep) if shutil.which("git-vaultgit", path=name)]:
        monkeypatch.setenv("PATH", os.environ["PATH"].replace(folder, "/nowhere"))
    assert "alias-gone" not in examined(vault)
    vault.git("config", "alias.vaultgit", "!/nowhere/vaultgit")
    assert "/nowhere/vaultgit is gone" in examined(vault)["alias-gone"].what
    vault.git("config", "--unset", "alias.vaultgit")
    assert "alias-gone" in examined(vault)


def test_a_program_that_is_another_version_or_breaks(vault: Folder) -> None:
    other = stand_in(vault, "other vaultgit", "echo vaultgit 0.0.1")
    vault.git("config", "vaultgit.program", shlex.quote(str(other)))
    assert "vaultgit 0.0.1" in examined(vault)["program-version"].what
    stand_in(vault, "other vaultgit", "exit 1")
    found = examined(vault)
    assert "program-version" not in found and "does not work" in found["program-gone"].what
    vault.git("config", "vaultgit.program", f"{settings.program()} ")
    assert not {"program-version", "program-gone"} & set(examined(vault))
    vault.git("config", "--unset", "vaultgit.program")
    assert "no program" in examined(vault)["program-gone"].what


def test_a_bare_path_is_only_a_remark_while_the_noted_program_works(
    vault: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git") or ""))
    found = examined(vault)
    assert set(found) == {"not-on-path"} and found["not-on-path"].level == "remark"


# -- merging ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "cause", "mend"),
    [
        (without_block(ATTRIBUTES), "our lines are gone", "vaultgit init"),
        (rewritten(ATTRIBUTES, "union", "binary"), "our lines were edited", "delete them"),
        (KINDS["attributes"][1], "another line overrides ours", "move that line"),
    ],
)
def test_why_git_merges_the_changelog_otherwise(vault: Folder, change: Change, cause: str, mend: str) -> None:
    change(vault)
    finding = examined(vault)["attributes"]
    assert finding.what == cause and finding.mend.startswith(mend)
    assert any(line.startswith("changelog.md: merge is ") for line in finding.details)


def test_their_own_way_to_merge_notes_is_no_problem(plain: Folder) -> None:
    plain.write(ATTRIBUTES, "*.md merge=theirs\n")
    plain.commit("mine")
    assert plain.run("init").code == 0
    finding = examined(plain)["attributes-theirs"]
    assert finding.level == "remark" and "theirs" in finding.what


# -- settings --------------------------------------------------------------------------------------


def test_settings_and_a_schemas_folder_that_cannot_be_used_stop_nothing_else(vault: Folder) -> None:
    vault.write(".vaultgit.toml", "[layout\n")
    vault.write(".vaultgit/schemas/recipe.schema.json", BAD_FOLDER)
    vault.write("x.md", "[[nobody]]\n")
    found = examined(vault)
    assert {"settings", "schema", "links-nowhere"} == set(found)
    assert found["settings"].about == ".vaultgit.toml" and "SC01" in found["settings"].what
    assert found["schema"].about == ".vaultgit/schemas/recipe.schema.json" and ".hidden" in found["schema"].what


def test_a_folder_that_differs_by_case_is_named(vault: Folder) -> None:
    vault.write(".vaultgit.toml", '[layout]\nperson = "People"\n')
    assert "but people" in examined(vault)["folder-missing"].what


# -- links -----------------------------------------------------------------------------------------


def test_what_counts_as_a_link_and_where_it_may_lead(vault: Folder, tmp_path: Path) -> None:
    vault.write("pic.png", b"\x89PNG")
    vault.write("other/.git/HEAD", "x")
    vault.write("other/theirs.md", "[[their own link]]\n")
    vault.write(".trash/old.md", "[[gone]]\n")
    vault.write("docs/a.txt", "x")
    (tmp_path / "far").mkdir()
    (tmp_path / "far/away.md").write_text("[[not ours to follow]]\n")
    (vault.root / "linked").symlink_to(tmp_path / "far")
    (vault.root / "loop").symlink_to(vault.root)
    (vault.root / "dangling.md").symlink_to("nowhere.md")
    os.mkfifo(vault.root / "pipe.md")
    vault.write(
        "x.md", "![[pic.png]] [[theirs]] [[away]] [d](docs/) [s](.vaultgit.toml) [[#Here]] [[x#^b]] [u](https://a.b)\n"
    )
    assert examined(vault) == {}


def test_a_link_that_leads_nowhere_is_shown_with_its_place_as_written(vault: Folder) -> None:
    vault.write("x.md", "---\nup: '[[Also gone]]'\n---\ntext ![[gone.png|100]]\n- [a](Missing%20note.md)\n")
    vault.write("inbox/p.md", '---\ntype: inbox\ndate: 2026-11-29\nagent: a\ntarget: "[[to be]]"\nreason: r\n---\n')
    finding = examined(vault)["links-nowhere"]
    assert finding.details == (
        "x.md:2:6: [[Also gone]]",
        "x.md:4:6: ![[gone.png|100]]",
        "x.md:5:3: [a](Missing%20note.md)",
    )
    assert finding.what == "3 of 4 links lead to nothing"


def test_only_the_first_twenty_are_shown(vault: Folder) -> None:
    vault.write("x.md", "".join(f"[[gone {number}]]\n" for number in range(1500)))
    finding = examined(vault)["links-nowhere"]
    assert len(finding.details) == 21 and finding.details[-1] == "… and 1,480 more"
    assert finding.what == "1,500 of 1,501 links lead to nothing"


def test_a_note_that_cannot_be_read(vault: Folder) -> None:
    path = vault.write("locked.md", "x\n")
    path.chmod(0)
    if os.access(path, os.R_OK):  # root reads everything: a file that ends with the device
        path.unlink()
        path.symlink_to("/proc/self/mem")
    finding = examined(vault)["unreadable"]
    assert finding.level == "problem" and finding.details == ("locked.md",)


# -- sync services ---------------------------------------------------------------------------------


def test_copies_of_every_service_are_found(vault: Folder) -> None:
    home = vault.read("Home.md")
    for name in (
        "Home (Ada's conflicted copy 2026-11-29).md", "Home.sync-conflict-20261129-211000-ABCDEFG.md", "Home 2.md",
    ):  # fmt: skip
        vault.write(name, home)
    vault.write("Untitled.md", "first thought\n")
    vault.write("Untitled 2.md", "second thought\n")
    vault.write("Untitled 3.md", "")
    vault.write("Chapter 2.md", home)
    finding = examined(vault)["conflict-copies"]
    assert len(finding.details) == 3 and "3 conflict copies" in finding.what
    assert any("Home 2.md" in line and "copy of Home.md" in line for line in finding.details)


def test_links_to_what_icloud_has_taken_away_are_not_broken(vault: Folder) -> None:
    vault.write("x.md", "[[grace]]\n")
    vault.write("people/.grace.md.icloud", b"bplist00")
    found = examined(vault)
    assert set(found) == {"placeholders"} and found["placeholders"].details == ("people/.grace.md.icloud",)


def test_a_copy_of_a_branch_says_whether_it_holds_what_no_branch_has(vault: Folder) -> None:
    copied(".git/refs/heads/main", ".git/refs/heads/main 2")(vault)
    vault.git("checkout", "-q", "--detach")
    lost = vault.commit("only there")
    vault.git("checkout", "-q", "main")
    vault.write(".git/refs/heads/gone (Ada's conflicted copy)", lost + "\n")
    finding = examined(vault)["git-copies"]
    [gone, main] = finding.details
    assert gone.startswith(".git/refs/heads/gone (Ada's conflicted copy)") and f"git branch rescued {lost[:10]}" in gone
    assert main.startswith(".git/refs/heads/main 2") and "nothing in it" in main
    assert "keep .git out of the synced folder" in finding.mend


@pytest.mark.parametrize("mark", ["Dropbox/Notes", "shared/Notes"])
def test_a_vault_in_a_synced_folder(vault: Folder, tmp_path: Path, mark: str) -> None:
    moved = Folder(tmp_path / mark)
    moved.root.parent.mkdir()
    shutil.move(vault.root, moved.root)
    moved.git("config", "--global", "vaultgit.vault", str(moved.root))
    if mark.startswith("shared"):
        assert "synced-folder" not in examined(moved)
        (tmp_path / "shared/.stfolder").mkdir()
    finding = examined(moved)["synced-folder"]
    assert finding.level == "remark" and ("Dropbox" in finding.what or "Syncthing" in finding.what)
    if mark.startswith("shared"):
        (tmp_path / "shared/.stignore").write_text(".git\n")
    else:
        moved.git("init", "-q", f"--separate-git-dir={tmp_path / 'apart.git'}")
    assert "synced-folder" not in examined(moved)


# -- what waits ------------------------------------------------------------------------------------


def queued(vault: Folder, when: str) -> None:
    """An edit that waits because of a merge that is under way."""
    vault.git("checkout", "-q", "-b", "side")
    vault.write("Home.md", "theirs\n")
    vault.commit("theirs")
    vault.git("checkout", "-q", "main")
    vault.write("Home.md", "mine\n")
    vault.commit("mine")
    assert vault.try_git("merge", "side").code != 0
    done = vault.run("set", "projects/nova.md", "status=done", "--agent", "codex", env={"VAULTGIT_NOW": when})
    assert done.code == 75, done


def test_edits_that_wait_for_long_say_what_for(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    now = os.environ["VAULTGIT_NOW"]
    queued(vault, at(now, minutes=-50))
    assert "queue-waiting" not in examined(vault)
    monkeypatch.setenv("VAULTGIT_NOW", at(now, hours=1))
    finding = examined(vault)["queue-waiting"]
    assert finding.level == "problem" and "a merge is in progress" in finding.what and "git status" in finding.mend
    assert len(finding.details) == 1 and "projects/nova" in finding.details[0]
    vault.git("merge", "--abort")
    finding = examined(vault)["queue-waiting"]
    assert "nothing holds them" in finding.what and finding.mend == "vaultgit status"
    lock_aged(7200)(vault)
    assert ".git/index.lock is held" in examined(vault)["queue-waiting"].what
    (vault.root / ".git/index.lock").unlink()
    assert vault.run("status").code == 0
    assert "queue-waiting" not in examined(vault)


def test_edits_of_another_work_tree_are_a_remark(vault: Folder, tmp_path: Path) -> None:
    queued(vault, os.environ["VAULTGIT_NOW"])
    assert "queue-elsewhere" not in examined(vault)
    vault.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    found = examined(Folder(tmp_path / "linked"))
    assert found["queue-elsewhere"].level == "remark" and "queue-waiting" not in found


def test_a_lock_says_its_age_and_the_way_out(vault: Folder) -> None:
    lock_aged(2 * 86400 + 60)(vault)
    finding = examined(vault)["stale-lock"]
    assert finding.about == ".git/index.lock" and "2 days old" in finding.what
    assert finding.mend == f"if no git runs here: rm {vault.root}/.git/index.lock"
    lock_aged(3600, text="vaultgit 123\n")(vault)
    assert examined(vault)["stale-lock"].mend == "vaultgit status"


def test_lines_that_a_merge_left_behind_are_only_a_remark(vault: Folder) -> None:
    assert vault.run("set", "projects/nova.md", "status=done", "--agent", "codex").code == 0
    assert not {"changelog-behind", "changelog-differs"} & set(examined(vault))
    vault.git("checkout", "-q", "HEAD~1", "--", "changelog.md")
    vault.commit("a person's")
    finding = examined(vault)["changelog-behind"]
    assert finding.level == "remark" and finding.what == "1 line behind" and finding.mend == "vaultgit verify"
