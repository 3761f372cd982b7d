"""`vaultgit search` as a person and as an agent run it."""

from __future__ import annotations

import json
import shutil

import pytest
from support import Folder


def found(vault: Folder, *args: str) -> list[dict[str, object]]:
    done = vault.run("search", "--json", *args)
    assert done.code == 0, done.err
    made: list[dict[str, object]] = json.loads(done.out)
    return made


def test_prints_where_and_what(vault: Folder) -> None:
    vault.write("notes/Sourdough.md", "---\ntags: [x]\n---\n# Bread of mine\n\nAda is allergic to peanuts.\n")
    done = vault.run("search", "who", "is", "allergic", "to", "peanuts")
    assert done.out == "notes/Sourdough.md:6  Bread of mine\n    Ada is allergic to peanuts.\n"
    assert (done.code, done.err) == (0, "")


def test_json_has_the_fixed_keys(vault: Folder) -> None:
    """FORMATS.md, "Results"."""
    hit = found(vault, "born 1815")[0]
    assert hit.pop("score")
    assert hit == {
        "path": "people/ada-lovelace.md",
        "oid": vault.git("rev-parse", "HEAD:people/ada-lovelace.md"),
        "type": "person",
        "title": "Ada Lovelace",
        "line": 5,
        "text": "Born 1815.",
    }


def test_an_edit_is_found_by_the_next_search_and_the_past_stays(vault: Folder) -> None:
    vault.write("Home.md", "the capital is Bonn\n")
    vault.commit("bonn")
    assert found(vault, "capital")[0]["text"] == "the capital is Bonn"
    vault.write("Home.md", "the capital is Berlin\n")
    assert found(vault, "capital")[0]["text"] == "the capital is Berlin"
    assert found(vault, "capital", "--at", "HEAD")[0]["text"] == "the capital is Bonn"
    assert found(vault, "capital", "--at", "HEAD~1") == []
    vault.commit("berlin")
    assert found(vault, "capital", "--at", "HEAD~1")[0]["text"] == "the capital is Bonn"


def test_at_a_day(vault: Folder) -> None:
    for day, word in (("2026-10-01", "Bonn"), ("2026-10-12", "Berlin")):
        vault.write("Home.md", f"the capital is {word}\n")
        vault.git("add", "-A")
        when = {"GIT_AUTHOR_DATE": f"{day}T12:00:00+02:00", "GIT_COMMITTER_DATE": f"{day}T12:00:00+02:00"}
        vault.git(
            "-c",
            "core.hooksPath=/dev/null",
            "commit",
            "--quiet",
            "--amend" if word == "none" else "--allow-empty",
            "-m",
            word,
            env=when,
        )
    assert found(vault, "capital", "--at", "2026-10-11")[0]["text"] == "the capital is Bonn"
    assert found(vault, "capital", "--at", "2026-10-12")[0]["text"] == "the capital is Berlin"
    assert found(vault, "capital", "--at", "2026-10-12T11:00:00+02:00")[0]["text"] == "the capital is Bonn"
    for at in ("2026-10", "2026-12", "2026", "2027"):
        assert found(vault, "capital", "--at", at)[0]["text"] == "the capital is Berlin", "until the end of it"
    for at in ("2026-09", "2025"):
        done = vault.run("search", "x", "--at", at)
        assert done.code == 2 and f"no commit from {at} or before" in done.err
        assert "commits, the first of 2026-" in done.err


def test_at_further_back_than_history_says_how_far_it_goes(vault: Folder) -> None:
    vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n")
    number = vault.git("rev-list", "--count", "--first-parent", "HEAD")
    first = vault.git("log", "--reverse", "--format=%cs").split()[0]
    for at in ("HEAD~99", "HEAD~50^^"):
        done = vault.run("search", "x", "--at", at)
        assert done.code == 2 and f"{at} is further back than history goes" in done.err
        assert f"it has {number} commits, the first of {first}" in done.err
    assert "no commit and no day" in vault.run("search", "x", "--at", "nowhere~3").err
    assert "no commit and no day" in vault.run("search", "x", "--at", "2026-13").err


@pytest.mark.parametrize("at", ["2001-01-01", "nowhere", "2026-02-30", "", "HEAD~99", "-x", "HEAD\n"])
def test_at_nothing_says_what_it_may_be(vault: Folder, at: str) -> None:
    done = vault.run("search", "x", f"--at={at}")
    assert done.code == (0 if at == "HEAD\n" else 2), done.err
    assert "Traceback" not in done.err


def test_the_oid_serves_as_base(vault: Folder) -> None:
    vault.write("notes/new.md", "a zebra\n")
    oid = str(found(vault, "zebra")[0]["oid"])
    done = vault.run("write", "notes/new.md", "--base", oid, "--agent", "codex", stdin=b"a giraffe\n")
    assert done.code == 0, done.err
    assert vault.read("notes/new.md") == "a giraffe\n"


def test_the_oid_serves_as_base_where_git_converts_line_endings(vault: Folder) -> None:
    vault.git("config", "core.autocrlf", "true")
    vault.write("notes/new.md", b"a zebra\r\nmore\r\n")
    oid = str(found(vault, "zebra")[0]["oid"])
    done = vault.run("append", "notes/new.md", "--agent", "codex", stdin=b"x\n")
    assert done.code == 0, done.err
    assert vault.git("cat-file", "-t", oid) == "blob"


def test_nothing_found_says_what_comes_near(vault: Folder) -> None:
    """UX.md."""
    vault.write("notes/Sourdough.md", "flour and water\n")
    done = vault.run("search", "bread dough")
    assert (done.code, done.out) == (0, "")
    assert done.err == 'nothing has "bread" or "dough". Nearest words here: "sourdough" (notes/Sourdough.md)\n'


@pytest.mark.parametrize(
    "args",
    [["   "], ["x" * 10_000], ["--", "-zzzz"], ["?!"], ["--json", "--", "--zzzz"], ['"""'], ["zzzz:"], ["\x1b[31m"]],
)
def test_no_question_is_wrong(vault: Folder, args: list[str]) -> None:
    """Case 057."""
    done = vault.run("search", *args)
    assert done.code == 0, done.err
    assert done.out in ("", "[]\n")
    assert "Traceback" not in done.err and "\x1b" not in done.err and len(done.err) < 400


def test_a_query_that_begins_with_a_dash(vault: Folder) -> None:
    vault.write("flags.md", "use --force with care\n")
    assert vault.run("search", "--", "--force").out.startswith("flags.md:1")
    assert vault.run("search", "--force").code == 2


def test_nothing_of_a_note_reaches_the_terminal(vault: Folder) -> None:
    vault.write(
        "odd\x1b[31m.md", '---\ntitle: "x\\u202ey\\e[0m"\n---\nzebra \x1b[31mred\x07 \u202e' + "long " * 60 + "\n"
    )
    done = vault.run("search", "zebra", "--explain")
    assert "zebra" in done.out
    assert not {"\x1b", "\x07", "\u202e"}.intersection(done.out + done.err)
    assert all(len(line) <= 100 for line in done.out.splitlines()[:2])


def test_explain_and_remark(vault: Folder) -> None:
    front = "---\ntype: decision\nproject: '[[projects/nova]]'\n"
    vault.write("decisions/a.md", front + "date: 2026-10-01\n---\nmethane\n")
    vault.write("decisions/b.md", front + "date: 2026-11-01\nreplaces: '[[decisions/a]]'\n---\nmethane no more\n")
    done = vault.run("search", "methane", "--explain")
    assert "    ! replaced by decisions/b.md\n" in done.out
    assert [hit.get("remark") for hit in found(vault, "methane")] == [None, "replaced by decisions/b.md"]


def test_works_where_nothing_is_in_git_yet(folder: Folder) -> None:
    folder.git("init", "--quiet")
    assert found(folder, "born")[0]["path"] == "people/ada-lovelace.md"
    assert folder.run("search", "born", "--at", "HEAD").code == 2
    assert folder.run("search", "born", "--at", "2026-11-29").code == 2


def test_a_vault_without_notes(folder: Folder) -> None:
    for path in folder.root.rglob("*.md"):
        path.unlink()
    folder.git("init", "--quiet")
    done = folder.run("search", "anything")
    assert (done.code, done.out) == (0, "")


def test_a_cache_that_cannot_be_kept_is_gone_around(vault: Folder) -> None:
    shutil.rmtree(vault.root / ".git/vaultgit/cache", ignore_errors=True)
    (vault.root / ".git/vaultgit/cache").write_text("")
    done = vault.run("search", "born")
    assert done.out.startswith("people/ada-lovelace.md:5")
    assert done.code == 0 and "the index cannot be kept" in done.err


def test_says_that_it_builds_only_when_that_takes_long(vault: Folder) -> None:
    assert vault.run("search", "born").err == ""


def test_search_writes_nothing_but_its_cache(vault: Folder) -> None:
    vault.write("typed.md", "zebra\n")
    before = (
        vault.snapshot(),
        vault.git("status", "--porcelain"),
        vault.git("rev-parse", "HEAD"),
        vault.git("for-each-ref"),
    )
    vault.run("search", "zebra")
    vault.run("search", "zebra", "--at", "HEAD")
    after = (
        vault.snapshot(),
        vault.git("status", "--porcelain"),
        vault.git("rev-parse", "HEAD"),
        vault.git("for-each-ref"),
    )
    assert after == before


def test_a_path_is_never_cut_and_a_filter_that_is_no_day_is_said(plain: Folder) -> None:
    """Paths are copied from here."""
    path = f"notes/{'a long name ' * 12}.md"
    plain.write(path, f"# {'A long title ' * 12}\n\nzeppelin\n")
    done = plain.run("search", "zeppelin", "until:2026-13", "since:2026")
    assert done.code == 0
    done = plain.run("search", "zeppelin", "until:2026-13")
    assert done.out.splitlines()[0] == f"{path}:3"
    assert done.err == "until:2026-13 is no day, month or year (2026-10-03, 2026-10, 2026): left out\n"


@pytest.mark.parametrize("args", [("search", "zeppelin", "--json"), ("context", "zeppelin"), ("read", "notes/air.md")])
def test_who_only_reads_needs_no_room_for_a_base(plain: Folder, args: tuple[str, ...]) -> None:
    """P10: a disk that is full, or not ours to write, keeps nobody from reading what is not in git yet."""
    plain.write("notes/air.md", "zeppelin\n")
    oid = plain.git("hash-object", "notes/air.md")
    plain.write(f".git/objects/{oid[:2]}", "in the place of the folder that git would write into")
    done = plain.run(*args)
    assert (done.code, "zeppelin" in done.out) == (0, True)
    assert oid[:10] in done.out + done.err


@pytest.mark.parametrize("command", [("search", "ada"), ("context", "ada"), ("links", "--unresolved")])
@pytest.mark.parametrize("at", ["^HEAD", "--output=x", "HEAD^{tree}", "HEAD:people", "HEAD..HEAD", ":/", "2020-01-01"])
def test_what_is_no_commit_is_said_in_words(plain: Folder, command: tuple[str, ...], at: str) -> None:
    done = plain.run(*command, "--at", at)
    assert (done.code, done.out) == (2, "")
    assert "commit" in done.err and "fatal" not in done.err
    assert not (plain.root / "x").exists()
