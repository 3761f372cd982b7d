"""`check --format github`: workflow commands as the runner of GitHub Actions reads them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support import Folder

from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem
from vaultgit.cli import report

BAD = "---\ntype: person\naliases: 7\n---\n"


def as_runner(line: str) -> tuple[str, dict[str, str], str]:
    """(command, properties, text) of a workflow command, unescaped as the runner does."""
    found = re.fullmatch(r"::([a-z]+)(?: ([^\r\n]*?))?::([^\r\n]*)", line)
    assert found is not None, line

    def plain(text: str) -> str:
        for code, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
            text = text.replace(code, char)
        return text

    pairs = [pair.partition("=") for pair in (found[2] or "").split(",")]
    return found[1], {key: plain(value) for key, _, value in pairs}, plain(found[3])


def printed(problem: Problem, capsys: pytest.CaptureFixture[str], *, commit: str = "", prefix: str = "") -> str:
    report.problems("github", [problem], {problem: commit}, before=0, prefix=prefix)
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return out.rstrip("\n")


def test_a_problem_is_an_annotation_at_its_place(vault: Folder) -> None:
    vault.write("people/bob.md", BAD)
    done = vault.run("check", "people/bob.md", "--format", "github")
    command, properties, text = as_runner(done.out.rstrip("\n"))
    assert command == "error"
    assert properties == {"file": "people/bob.md", "line": "3", "col": "1", "title": "FM03"}
    assert text == vault.run("check", "people/bob.md").out.rstrip("\n")  # with its place, for who reads the log
    assert done.code == 1 and done.err.endswith("1 problem\n")


def test_a_fine_vault_is_no_annotation(vault: Folder) -> None:
    done = vault.run("check", "--all", "--format", "github")
    assert (done.code, done.out, done.err) == (0, "", "no problem\n")


def test_the_path_is_the_repositorys(tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("docs/notes/.vaultgit.toml", "")
    outer.write("docs/notes/people/bob.md", BAD)
    outer.git("init", "--quiet")
    outer.commit("start")
    done = outer.run("check", "--vault", "docs/notes", "--format", "github")
    assert as_runner(done.out.splitlines()[0])[1]["file"] == "docs/notes/people/bob.md"


def test_what_was_there_before_is_counted_and_not_annotated(plain: Folder) -> None:
    plain.write("people/bob.md", BAD)
    plain.commit("from before")
    assert plain.run("init").code == 0
    done = plain.run("check", "--all", "--format", "github")
    assert (done.code, done.out) == (0, "")
    assert "no problem" in done.err and "1 problem from before" in done.err


def test_the_commit_is_named_that_was_judged_by_itself(vault: Folder) -> None:
    vault.write("people/bob.md", BAD)
    bad = vault.commit("people/bob: new\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab")
    vault.git("rm", "-q", "people/bob.md")
    vault.commit("mended")
    done = vault.run("check", "--from", "HEAD~2", "--format", "github")
    assert done.code == 1 and as_runner(done.out.rstrip("\n"))[2].endswith(f" in commit {bad[:10]}")


def test_a_problem_of_a_message_has_no_file(vault: Folder) -> None:
    vault.write("x.md", "x\n")
    vault.git("add", "-A")
    vault.git("commit", "-q", "--no-verify", "-m", "x", "--author=codex <codex@agents.vaultgit.invalid>")
    done = vault.run("check", "--from", "HEAD~1", "--format", "github")
    _, properties, text = as_runner(done.out.rstrip("\n"))
    assert properties == {"title": "MS02"} and MESSAGE in text and vault.git("rev-parse", "HEAD")[:10] in text


NAMES = ["50% off, today: yes.md", "a\nb.md", "::error::.md", "%0A.md", "a\r\nb,c=d.md", "plain.md"]


@pytest.mark.parametrize("name", NAMES)
def test_names_cannot_leave_their_property(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    problem = Problem(f"people/{name}", 2, 1, "FM03", "a, b: 100%\r\nc", "mend: 5%25")
    command, properties, text = as_runner(printed(problem, capsys, prefix="my, vault:/"))
    assert command == "error"
    assert properties == {"file": f"my, vault:/people/{name}", "line": "2", "col": "1", "title": "FM03"}
    assert text == str(problem)


def test_a_name_that_is_no_utf8_is_written_so_that_a_log_can_hold_it(vault: Folder) -> None:
    (vault.root / "people").joinpath(b"caf\xe9.md".decode("utf-8", "surrogateescape")).write_text(BAD)
    done = vault.run("check", "--all", "--format", "github")
    assert done.code == 1 and all(line.startswith("::error ") for line in done.out.splitlines())
    assert "caf" in done.out


def test_json_by_both_names(vault: Folder) -> None:
    vault.write("people/bob.md", BAD)
    one, other = vault.run("check", "--format", "json"), vault.run("check", "--json", "--format", "github")
    assert one.out == other.out and [problem["code"] for problem in json.loads(one.out)] == ["FM03"]
    assert one.err == other.err == ""
