"""Every code of README's table, through the real command line: the smallest input that shows it, and one nearly the same
that does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support import SKILL
from support import Folder
from support import Result

README = Path(__file__).parent.parent.parent / "README.md"
PROBLEM = re.compile(r"(\S.*?:\d+:\d+): ([A-Z]{2}\d\d) (.+?) \((.+)\)")

Files = dict[str, str]  # laid down in a vault, which `check` looks at then
Door = Callable[[Folder], Result]  # an edit, or a commit


def commit(path: str, text: str, message: str = "mine", **env: str) -> Door:
    """A file that somebody commits by hand, with our hooks in place: `git commit`."""

    def by_hand(vault: Folder) -> Result:
        vault.write(path, text)
        vault.git("add", "-A")
        return vault.try_git("commit", "-m", message, env=env)

    return by_hand


def agent(*args: str, text: str = "x\n") -> Door:
    """An agent's edit. "BASE" among the arguments is what HEAD has of the note."""

    def edit(vault: Folder) -> Result:
        base = vault.git("rev-parse", f"HEAD:{args[1]}") if "BASE" in args else ""
        given = [base if one == "BASE" else one for one in args]
        return vault.run(*given, "--agent", "codex", stdin=text.encode())

    return edit


def linked(path: str) -> Door:
    """An edit of `path` beside a link to a note."""

    def edit(vault: Folder) -> Result:
        (vault.root / "link.md").symlink_to("Home.md")
        return agent("append", path)(vault)

    return edit


def person(*lines: str) -> str:
    return "\n".join(["---", "type: person", *lines, "---", ""])


def decision(project: str, replaces: str = "") -> str:
    link = f'replaces: "[[{replaces}]]"\n' if replaces else ""
    return f'---\ntype: decision\ndate: 2026-11-29\nproject: "[[{project}]]"\n{link}---\n'


MOLTED = "skills/review-a-pr.md"
MOLT = SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29") + "2. run it\n"
BASED = ("write", MOLTED, "--base", "BASE")
TOKEN = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # of no one
SCHEMA = ".vaultgit/schemas/concept.schema.json"
SIGNED = "Home: x\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab"
TWINS = {"x/eva.md": "", "y/eva.md": ""}


class Row(NamedTuple):
    """`place` and `mend` (words of it) are what `shows` is told; `passes` is told nothing."""

    code: str
    shows: Files | Door
    place: str
    mend: str
    passes: Files | Door


# fmt: off
ROWS = [
    Row("FM01", {"people/a.md": person("name: a: b")}, "people/a.md:3:8", "quotes", {"people/a.md": person("name: 'a: b'")}),
    Row("FM02", {"people/b.md": person("a: 1", "a: 2")}, "people/b.md:4:1", "keep one", {"people/b.md": person("a: 1", "A: 2")}),
    Row("FM03", {"people/c.md": person("name: 7")}, "people/c.md:3:1", "the person's name", {"people/c.md": person("name: '7'")}),
    Row("FM04", agent("write", "people/d.md"), "people/d.md:1:1", "add `type: person`", agent("write", "d.md")),
    Row("LN01", {"decisions/one.md": decision("novel")}, "decisions/one.md:4:11", "write that note first", {"decisions/one.md": decision("nova")}),
    Row("LN02", {"decisions/two.md": decision("eva"), **TWINS}, "decisions/two.md:4:11", "say which: [[x/eva]]",
        {"decisions/two.md": decision("x/eva"), **TWINS}),
    Row("SK01", commit(MOLTED, MOLT.replace("version: 2", "version: 1")), f"{MOLTED}:4:1", "write `version: 2`", commit(MOLTED, MOLT)),
    Row("SK02", commit(MOLTED, MOLT.replace("11-29", "11-01")), f"{MOLTED}:6:1", "write `last_updated: 2026-11-29`",
        commit(MOLTED, MOLT.replace("11-29", "11-02"))),
    Row("SK03", agent(*BASED, text=MOLT), "commit-message:1:1", "--reason TEXT", agent(*BASED, "--reason", "it was needed", text=MOLT)),
    Row("SK04", agent(*BASED, "--reason", "r", text=MOLT.replace("name:", "pinned: true\nname:")), f"{MOLTED}:3:1", "leave `pinned`",
        agent(*BASED, "--reason", "r", text=MOLT.replace("name:", "pinned: false\nname:"))),
    Row("DE01", {"decisions/three.md": decision("nova", "nova")}, "decisions/three.md:5:1", "link the decision",
        {"decisions/three.md": decision("nova", "one"), "decisions/one.md": decision("nova")}),
    Row("DE02", {"decisions/four.md": decision("nova", "four")}, "decisions/four.md:5:1", "empty `replaces`",
        {"decisions/four.md": decision("nova", "three")}),
    Row("NA01", {"a:b.md": ""}, "a:b.md:1:1", "call it a-b.md", {"a;b.md": ""}),
    Row("NA02", commit("home.md", ""), "home.md:1:1", "choose another name", commit("homes.md", "")),
    Row("NA03", {"Home (conflicted copy).md": ""}, "Home (conflicted copy).md:1:1", "merge it into Home.md", {"Home (copy).md": ""}),
    Row("SE01", {"se.md": f"my {TOKEN}\n"}, "se.md:1:4", "renew it", {"se.md": f"my {TOKEN} <!-- allow-secret -->\n"}),
    Row("MK01", {"mk.md": "Text\n<<<<<<<\n=======\n"}, "mk.md:2:1", "delete the marker lines", {"mk.md": "Text\n=======\n"}),
    Row("MS01", agent("append", "Home.md", "-m", "#"), "commit-message:1:1", "NOTE: WHAT", agent("append", "Home.md", "-m", "#1")),
    Row("MS02", commit("Home.md", "x", "Home: x", CLAUDECODE="1"), "commit-message:1:1", "vaultgit write, set",
        commit("Home.md", "x", SIGNED, CLAUDECODE="1")),
    Row("PA01", agent("append", "review.md"), "review.md:1:1", "a person can", agent("append", "notes/review.md")),
    Row("PA02", agent("append", "../x.md"), "../x.md:1:1", "inside the vault", agent("append", "a..x.md")),
    Row("PA03", linked("link.md"), "link.md:1:1", "edit what it points to", linked("Home.md")),
    Row("ED01", agent("move", "Home.md", "people/ada-lovelace.md"), "people/ada-lovelace.md:1:1", "vaultgit delete",
        agent("move", "Home.md", "ada-lovelace.md")),
    Row("ED02", agent("write", "Home.md"), "Home.md:1:1", "vaultgit read Home.md", agent("write", "Home2.md")),
    Row("ED03", agent("write", "Home.md", "--base", "0" * 40), "Home.md:1:1", "vaultgit read Home.md", agent("write", "Home.md", "--base", "BASE")),
    Row("SC01", {SCHEMA: "{"}, f"{SCHEMA}:1:1", "mend the schema", {SCHEMA: "{}"}),
]
# fmt: on
LYING = [row for row in ROWS if isinstance(row.shows, dict)]
DONE = [row for row in ROWS if not isinstance(row.shows, dict)]


def told(done: Result) -> list[tuple[str, str, str]]:
    """Place, code and mend of each problem that was told."""
    found = (PROBLEM.fullmatch(line) for line in (done.out + done.err).splitlines())
    return [(match[1], match[2], match[4]) for match in found if match]


def try_out(vault: Folder, what: Files | Door) -> Result:
    if not isinstance(what, dict):
        return what(vault)
    for path, text in what.items():
        vault.write(path, text)
    return vault.run("check")


def all_of(inputs: list[Files | Door]) -> Files:
    """The files of several inputs, for one vault: no one shows in another's note."""
    return {path: text for files in inputs if isinstance(files, dict) for path, text in files.items()}


def test_the_smallest_notes_that_show_it(vault: Folder) -> None:
    done = try_out(vault, all_of([row.shows for row in LYING]))
    assert done.code == 1, done
    found = {code: (place, mend) for place, code, mend in told(done)}
    assert len(found) == len(told(done)) == len(LYING), done
    for row in LYING:
        assert found[row.code][0] == row.place and row.mend in found[row.code][1]


def test_notes_nearly_the_same_that_do_not(vault: Folder) -> None:
    done = try_out(vault, all_of([row.passes for row in LYING]))
    assert (done.code, told(done), done.err) == (0, [], "no problem\n"), done


@pytest.mark.parametrize("row", DONE, ids=lambda row: row.code)
def test_the_smallest_edit_that_shows_it(vault: Folder, row: Row) -> None:
    done = try_out(vault, row.shows)
    assert done.code == 1, done
    [(place, code, mend)] = told(done)
    assert (place, code) == (row.place, row.code)
    assert row.mend in mend


@pytest.mark.parametrize("row", DONE, ids=lambda row: row.code)
def test_an_edit_nearly_the_same_that_does_not(vault: Folder, row: Row) -> None:
    done = try_out(vault, row.passes)
    assert (done.code, told(done)) == (0, []), done


def test_the_table_has_all_codes_that_readme_lists_and_the_program_knows() -> None:
    table = README.read_text().partition("| code | what |")[2].partition("\n\n")[0]
    listed = re.findall(r"\b[A-Z]{2}\d\d\b", table)
    assert sorted(row.code for row in ROWS) == sorted(listed)
    package = (README.parent / "vaultgit").rglob("*.py")
    assert {code for file in package for code in re.findall(r"\"([A-Z]{2}0\d)\"", file.read_text())} == set(listed)
