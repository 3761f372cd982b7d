"""The write path in repositories of every shape: filters, SHA-256, linked work trees, vaults below the root, and so on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import Folder
from support import run_cli

# One edit of each kind that an agent may ask for.
EDITS = (
    (["append", "Home.md"], b"- by the agent\n"),
    (["set", "people/ada-lovelace.md", "born=1815"], b""),
    (["write", "new folder/ünë.md", "-m", "a new note"], b"new\n"),
    (["delete", "projects/nova.md"], b""),
)


def edit_everything(vault: Folder, **where: Path) -> None:
    for args, stdin in EDITS:
        done = vault.run(*args, "--agent", "codex", stdin=stdin, **where)
        assert done.code == 0, (args, done)
        assert re.match(r"committed [0-9a-f]{40,64}\n", done.out)
    done = vault.run("verify", **where)
    assert done.out == f"agrees: {len(EDITS)} edits\n", done
    assert vault.run("undo", "people/ada-lovelace.md", **where).code == 0
    done = vault.run("verify", **where)
    assert done.code == 0, done


def assert_clean(vault: Folder) -> None:
    assert vault.git("status", "--porcelain") == ""
    assert vault.git("fsck", "--no-dangling", "--no-progress") == ""


def test_065_sha256(folder: Folder) -> None:
    folder.git("init", "-q", "--object-format=sha256")
    folder.write(".vaultgit.toml", "")
    folder.commit()
    edit_everything(folder)
    assert_clean(folder)
    read = json.loads(folder.run("read", "Home.md", "--json").out)
    assert len(read["oid"]) == 64
    assert folder.run("write", "Home.md", "--base", read["oid"], "--agent", "codex", stdin=b"all new\n").code == 0
    assert len(folder.run("log", "--json").out) > 64
    assert folder.run("check", "--from", "HEAD~3", "--to", "HEAD").code == 0


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("setting", "attributes"), [("true", ""), ("input", ""), ("", "*.md text eol=crlf\n"), ("", "*.md ident\n")]
)
def test_013_line_endings_and_ident(vault: Folder, eol: str, setting: str, attributes: str) -> None:
    if setting:
        vault.git("config", "core.autocrlf", setting)
    if attributes:
        vault.write(".gitattributes", vault.read(".gitattributes") + attributes)
    vault.write("Home.md", "# Home\n\n$Id$\none\ntwo\nthree\nfour\nfive\n".replace("\n", eol).encode())
    vault.commit()
    vault.git("rm", "-q", "--cached", "Home.md")
    vault.git("add", "Home.md")
    vault.git("checkout", "-q", "HEAD", "--", ".")
    (vault.root / "Home.md").unlink()
    vault.git("checkout", "-q", "--", "Home.md")
    before = vault.bytes("Home.md")
    mine = before.replace(b"two", b"two, mine")
    vault.write("Home.md", mine)
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.out.startswith("committed"), done
    crlf = b"\r\n" in before
    assert vault.git("diff", "--numstat") == "1\t1\tHome.md"
    now = vault.bytes("Home.md")
    assert re.sub(rb"\$Id[^$]*\$", b"", now) == re.sub(rb"\$Id[^$]*\$", b"", mine) + (
        b"by the agent\r\n" if crlf else b"by the agent\n"
    )
    assert (
        b"two, mine"
        not in subprocess.run(["git", "show", "HEAD:Home.md"], cwd=vault.root, capture_output=True, check=True).stdout
    )
    vault.write("Home.md", now.replace(b"two, mine", b"two"))
    assert_clean(vault)
    assert vault.run("verify").code == 0


def test_p11_a_clean_and_smudge_filter_is_never_bypassed(vault: Folder) -> None:
    """As git-crypt does it: what git stores is no text, what lies on disk is."""
    program = vault.write(
        ".git/turn",
        f"#!{sys.executable}\nimport sys\nsys.stdout.buffer.write(bytes(b ^ 90 for b in sys.stdin.buffer.read()))\n",
    )
    program.chmod(0o755)
    for side in ("clean", "smudge"):
        vault.git("config", f"filter.turn.{side}", str(program))
    vault.write(".gitattributes", "*.md filter=turn\n" + vault.read(".gitattributes"))
    vault.git("add", "--renormalize", ".")
    vault.commit("encrypted")
    base = json.loads(vault.run("read", "Home.md", "--json").out)["oid"]
    edit_everything(vault)
    assert_clean(vault)
    for path in ("Home.md", "changelog.md"):
        stored = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=vault.root, capture_output=True, check=True).stdout
        assert b"agent" not in stored
    vault.write("Home.md", vault.read("Home.md") + "\n\nmine, not in git\n")
    text = "# Home, renamed\n\n[[people/ada-lovelace]]\n"
    done = vault.run("write", "Home.md", "--agent", "codex", "--base", base, stdin=text.encode())
    assert done.out.startswith("merged"), done
    assert vault.read("Home.md") == text + "- by the agent\n\n\nmine, not in git\n"


def test_a_vault_below_the_repositorys_root(folder: Folder, tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("code.py", "print()\n")
    outer.git("init", "-q")
    folder.root.rename(outer.root / "my notes")
    vault = Folder(outer.root / "my notes")
    vault.write(".vaultgit.toml", "")
    outer.commit()
    outer.write("code.py", "print(1)\n")
    outer.write("staged.py", "x\n")
    outer.git("add", "staged.py")
    edit_everything(vault)
    assert outer.git("status", "--porcelain") == " M code.py\nA  staged.py"
    assert outer.git("log", "-1", "--author=codex", "--name-only", "--format=").split("\n") == [
        "my notes/changelog.md", "my notes/projects/nova.md"
    ]  # fmt: skip
    done = run_cli("append", "Home.md", "--agent", "codex", "--vault", str(vault.root), cwd=tmp_path, stdin=b"x\n")
    assert done.code == 0, done


def test_a_linked_worktree_and_its_own_queue(vault: Folder, tmp_path: Path) -> None:
    vault.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "wt"))
    linked = Folder(tmp_path / "wt")
    lock = Path(linked.git("rev-parse", "--git-path", "index.lock"))
    lock.write_bytes(b"")
    assert linked.run("append", "Home.md", "--agent", "codex", stdin=b"for side\n").code == 75
    edit_everything(vault)
    assert "for side" not in vault.git("show", "main:Home.md")
    lock.unlink()
    edits = len(EDITS)
    done = linked.run("status")
    assert done.code == 0, done
    assert linked.read("Home.md").endswith("for side\n")
    assert linked.run("verify").out == "agrees: 1 edits\n"
    assert vault.git("rev-list", "--count", "--author=codex", "main") == str(edits)
    assert_clean(vault)
    assert_clean(linked)


def test_023_an_unborn_branch(folder: Folder) -> None:
    folder.git("init", "-q", "-b", "trunk")
    folder.write(".vaultgit.toml", "")
    folder.git("add", "Home.md")
    for args in (["log"], ["verify"], ["status"]):
        done = folder.run(*args)
        assert done.code == 0, done
        assert "fatal" not in done.err
    done = folder.run("write", "first.md", "--agent", "codex", stdin=b"first\n")
    assert done.out.startswith("committed"), done
    assert folder.git("symbolic-ref", "HEAD") == "refs/heads/trunk"
    assert folder.git("show", "--name-only", "--format=%an").split() == ["codex", "changelog.md", "first.md"]
    assert folder.git("diff", "--cached", "--name-only") == "Home.md"
    assert folder.run("verify").code == 0


@pytest.mark.parametrize("cone", [True, False])
def test_a_sparse_checkout(vault: Folder, cone: bool) -> None:
    vault.git("config", "index.sparse", "true")
    vault.git("sparse-checkout", "set", *(["--cone"] if cone else ["--no-cone"]), "people")
    assert not vault.exists("skills/review-a-pr.md")
    text = (
        vault.git("show", "HEAD:skills/review-a-pr.md").replace("version: 1", "version: 2").replace("11-01", "11-29")
        + "\n"
    )
    blob = vault.git("rev-parse", "HEAD:skills/review-a-pr.md")
    done = vault.run(
        "write", "skills/review-a-pr.md", "--base", blob, "--reason", "r", "--agent", "codex", stdin=text.encode()
    )
    assert done.out.startswith(("committed", "merged")), done
    assert not vault.exists("skills/review-a-pr.md")
    assert "version: 2" in vault.git("show", "HEAD:skills/review-a-pr.md")
    assert vault.run("append", "people/ada-lovelace.md", "--agent", "codex", stdin=b"x\n").code == 0
    assert vault.git("diff", "--cached", "--name-only") == ""
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").code == 0
    vault.git("sparse-checkout", "disable")
    assert_clean(vault)


@pytest.mark.parametrize("setting", ["core.splitIndex", "core.untrackedCache", "feature.manyFiles", "core.fsmonitor"])
def test_other_shapes_of_the_index(vault: Folder, setting: str) -> None:
    vault.git("config", setting, "true")
    vault.git("update-index", "--split-index" if setting == "core.splitIndex" else "--refresh")
    vault.write("mine.md", "mine\n")
    vault.git("add", "mine.md")
    edit_everything(vault)
    assert vault.git("-c", "core.fsmonitor=false", "status", "--porcelain") == "A  mine.md"


def test_flag_bits_stay(vault: Folder) -> None:
    vault.git("update-index", "--assume-unchanged", "Home.md")
    vault.write("Home.md", vault.read("Home.md") + "\n\n\nmine\n")
    done = vault.run("set", "Home.md", "seen=yes", "--agent", "codex")
    assert done.out.startswith("committed"), done
    assert vault.git("ls-files", "-v", "Home.md") == "h Home.md"
    assert vault.read("Home.md").endswith("mine\n")
    assert "mine" not in vault.git("show", "HEAD:Home.md")


@pytest.mark.parametrize("kind", ["note", "folder", "dangling"])
def test_p3_symbolic_links_are_refused(vault: Folder, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("outside\n")
    target, path = {
        "note": (outside / "x.md", "link.md"), "folder": (outside, "link/x.md"), "dangling": (outside / "none.md", "link.md")
    }[kind]  # fmt: skip
    (vault.root / path.split("/")[0]).symlink_to(target)
    for args in (["append", path], ["write", path], ["delete", path], ["set", path, "a=b"]):
        done = vault.run(*args, "--agent", "codex", stdin=b"x\n")
        assert done.code == 1, done
        assert "PA03" in done.err
    assert (outside / "x.md").read_text() == "outside\n"


def test_p3_other_repositories_folders_and_files_in_the_way_are_refused(vault: Folder) -> None:
    vault.write("nested/x.md", "x\n")
    Folder(vault.root / "nested").git("init", "-q")
    (vault.root / "folder.md").mkdir()
    for path, code in (("nested/x.md", "PA01"), ("folder.md", "PA03"), ("Home.md/x.md", "PA03")):
        done = vault.run("append", path, "--agent", "codex", stdin=b"x\n")
        assert done.code == 1, done
        assert code in done.err


def test_017_names_that_differ_only_by_normalisation_are_one(vault: Folder) -> None:
    decomposed, composed = "U\u0308ber uns.md", "\u00dcber uns.md"
    vault.write(decomposed, "nfd name\n")
    vault.commit()
    done = vault.run("append", composed, "--agent", "codex", stdin=b"more\n")
    assert done.code == 0, done
    assert [p.name for p in vault.root.glob("*uns.md")] == [decomposed]
    assert decomposed in vault.git("-c", "core.quotePath=false", "show", "--name-only", "--format=").split("\n")


def test_odd_names(vault: Folder) -> None:
    for name in ('quo"te.md', "back`tick.md", "-rf.md", "a b  c.md", "tab\there.md", "emoji 🎉.md", "$HOME.md"):
        vault.write(name, "old\n")
    vault.commit()
    for name in ('quo"te.md', "back`tick.md", "-rf.md", "a b  c.md", "tab\there.md", "emoji 🎉.md", "$HOME.md"):
        done = vault.run("append", "--agent", "codex", "--", name, stdin=b"new\n")
        assert done.code == 0, (name, done)
        assert vault.read(name) == "old\nnew\n"
        assert name in vault.git("show", "-z", "--name-only", "--format=").split("\0")
    assert_clean(vault)
    assert vault.run("verify").code == 0


def test_039_copies_that_a_sync_service_made_inside_git(vault: Folder) -> None:
    for name in ("refs/heads/main", "index"):
        (vault.root / ".git" / f"{name} 2").write_bytes((vault.root / ".git" / name).read_bytes())
    vault.write("Home 2.md", vault.read("Home.md"))
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n")
    assert done.code == 0, done
    assert "Home 2.md" not in vault.git("show", "--name-only", "--format=")
    assert vault.exists(".git/refs/heads/main 2")


def test_a_missing_object_or_a_broken_filter_does_not_block_others(vault: Folder) -> None:
    vault.write(".gitattributes", vault.read(".gitattributes") + "broken.md filter=broken\n")
    os.utime(vault.write("broken.md", "x\n"), (1e9, 1e9))  # else git itself runs the filter on each write of the index
    vault.commit()
    vault.git("config", "filter.broken.clean", "false")
    vault.git("config", "filter.broken.required", "true")
    done = vault.run("append", "broken.md", "--agent", "codex", stdin=b"poison\n")
    assert done.code == 75, done
    for n in range(4):
        done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"%d\n" % n)
        assert done.code == 0, done
    [waits] = os.listdir(vault.root / ".git/vaultgit/state/queue")
    assert "it failed" in json.loads(vault.run("status", "--json").out)["queue"][0]["reason"]
    # The inbox must not have it in plain: what goes through a filter may be a secret.
    assert json.loads(vault.run("inbox", "list", "--json").out) == []
    for side in ("clean", "smudge"):
        vault.git("config", f"filter.broken.{side}", "cat")
    os.utime(vault.root / ".git/vaultgit/state/queue" / waits, (1, 1))  # it is tried again after some minutes
    assert json.loads(vault.run("status", "--json").out)["queue"] == []
    assert vault.read("broken.md") == "x\npoison\n"
    assert vault.run("verify").out == "agrees: 5 edits\n"


def test_p3_a_changelog_that_is_a_link_is_named_before_anything_is_queued(vault: Folder) -> None:
    vault.write("elsewhere.md", "mine\n")
    (vault.root / "changelog.md").unlink()
    (vault.root / "changelog.md").symlink_to("elsewhere.md")
    vault.commit("mine")
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n")
    assert done.code == 1
    assert "changelog.md:1:1: PA03" in done.err
    assert vault.run("status").code == 0
    assert vault.read("elsewhere.md") == "mine\n"


def test_p1_two_vaults_in_one_repository_have_a_changelog_each(tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    for name in ("one", "two"):
        outer.write(f"{name}/.obsidian/app.json", "{}\n")
        outer.write(f"{name}/Home.md", "# Home\n")
    outer.git("init", "-q")
    outer.commit("start")
    one, two = Folder(outer.root / "one"), Folder(outer.root / "two")
    for n in range(2):
        for vault in (one, two):
            assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"%d\n" % n).code == 0
    assert one.run("verify").out == two.run("verify").out == "agrees: 2 edits\n"
    assert one.read("changelog.md").count("(codex)") == 2


def test_dry_run_says_what_would_become_of_a_stale_write(vault: Folder) -> None:
    vault.write("Home.md", "one\ntwo\nthree\nfour\nfive\n")
    vault.commit()
    base = vault.git("rev-parse", "HEAD:Home.md")
    vault.write("Home.md", "one\ntwo\nthree\nfour\nfive, mine\n")
    before = vault.snapshot()
    for text, would in ((b"ONE\ntwo\nthree\nfour\nfive\n", "merged"), (b"one\ntwo\nthree\nfour\nFIVE\n", "inbox")):
        args = ("write", "Home.md", "--base", base, "--agent", "codex", "--dry-run")
        assert json.loads(vault.run(*args, "--json", stdin=text).out)["would"] == would
        assert vault.run(*args, stdin=text).out.startswith(
            "would merge: " if would == "merged" else "would go to the inbox: Home.md"
        )
    assert vault.snapshot() == before
    assert vault.git("log", "--format=%s", "-1") == "by hand"


def test_what_was_declined_or_waits_already_is_not_put_into_the_inbox_again(vault: Folder) -> None:
    args = ("inbox", "add", "--target", "Home.md", "--reason", "not sure", "--agent", "codex")
    first = vault.run(*args, stdin=b"- maybe\n")
    assert re.match(r"inbox [0-9a-f]{40} inbox/2026-11-29-home-\w{4}\.md\n", first.out)
    again = vault.run(*args, stdin=b"- maybe\n")
    assert again.out == "unchanged\n"
    assert "waits already" in again.err
    assert vault.run("inbox", "reject", "1").code == 0
    again = vault.run(*args, stdin=b"- maybe\n")
    assert again.out == "unchanged\n"
    assert "declined this on 2026-11-29" in again.err
    assert vault.run(*args, stdin=b"- other\n").out.startswith("inbox ")


def test_an_accepted_edit_keeps_the_agents_line(vault: Folder) -> None:
    vault.write("Home.md", "one\n")
    vault.commit()
    base = vault.git("rev-parse", "HEAD:Home.md")
    vault.write("Home.md", "one, mine\n")
    vault.commit()
    vault.run("write", "Home.md", "--base", base, "--agent", "codex", "-m", "Home: one is two", stdin=b"two\n")
    assert vault.run("inbox", "accept", "1").code == 1
    assert "--whole" in vault.run("inbox", "show", "1").err
    done = vault.run("inbox", "accept", "1", "--whole")
    assert done.code == 0, done
    assert "Home.md holds codex's text" in done.err
    assert vault.git("log", "-1", "--format=%an: %s") == "Test Person: Home: one is two"
    assert vault.read("Home.md") == "two\n"


def test_forgotten_input_and_set_up_are_not_edits(vault: Folder) -> None:
    assert vault.run("write", "Home.md", "--base", vault.git("rev-parse", "HEAD:Home.md"), stdin=b"").code == 2
    set_up = vault.git("log", "--format=%h", "--grep=^vaultgit: set up")
    done = vault.run("undo", set_up)
    assert done.code == 2
    assert "init --remove" in done.err
    assert vault.run("--vault", str(vault.root), "read", "Home", cwd=vault.root.parent).err.endswith(
        "did you mean Home.md?\n"
    )
    for n in range(3):
        vault.run("append", "Home.md", "--agent", "codex", stdin=b"%d\n" % n)
        vault.commit("mine")
    assert len(json.loads(vault.run("log", "--limit", "2", "--json").out)) == 2


def test_p11_a_secret_of_the_persons_does_not_come_into_git_by_reading_or_by_a_conflict(vault: Folder) -> None:
    token = "ghp" + "_" + "Zz9" * 12
    vault.write(".git/info/exclude", "private.md\n")
    vault.write("private.md", f"my token {token}\n")
    vault.write("Home.md", vault.read("Home.md") + f"typed by me: {token}\n")
    vault.write("loose.md", f"loose {token}\n")
    for path in ("private.md", "Home.md", "loose.md"):
        done = vault.run("read", path, "--json", "--agent", "codex")
        assert done.code == 0, done
        oid = json.loads(done.out)["oid"]
        assert vault.try_git("cat-file", "-e", oid).code != 0, path
    wanted = vault.read("Home.md").replace("typed by me", "typed by the agent")
    document = {"changes": [{"path": "Home.md", "append": "- more"}]}
    assert vault.run("apply", "--agent", "codex", stdin=json.dumps(document).encode()).code == 0
    assert vault.run("append", "loose.md", "--agent", "codex", stdin=b"x\n").code == 1
    base = vault.git("rev-parse", "HEAD:Home.md")
    done = vault.run("write", "Home.md", "--base", base, "--agent", "codex", stdin=wanted.encode())
    assert done.code == 1, done  # the token is in what the agent wrote itself
    for blob in vault.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split():
        assert token not in vault.git("cat-file", "-p", blob), blob
    assert token not in vault.git("log", "-p", "--all")
